"""JSON as people write it for their editors, with comments and trailing commas: what it says, and on which lines.

Plain JSON is read by the standard library, also after the comments were blanked out (nothing moves by that, so every
place stays right). Only what is neither is read as JSON5, which is slow, and therefore up to a size only.
"""

from __future__ import annotations

import json
import re
from bisect import bisect_right
from collections.abc import Iterator
from typing import Final, cast

from mcp_host.core.definitions.faults import FieldPath

JSON5_LIMIT: Final = 64 * 1024
"""Characters. The JSON5 reader takes about two seconds for these."""


class NotJson(Exception):
    """The text cannot be read. Quotes nothing of it."""

    def __init__(self, reason: str, line: int, column: int) -> None:
        super().__init__(reason)
        self.reason = reason
        self.line = line
        self.column = column


class JsonText:
    """What a text says, and the lines of it. A doubled key counts the last time it stands there."""

    def __init__(self, value: object, text: str, *, is_plain: bool) -> None:
        self.value = value
        self._text = text
        self._is_plain = is_plain
        self._line_ends = [match.start() for match in re.finditer("\n", text)]
        self._inside: dict[int, dict[str | int, _Place]] = {}

    def line_of(self, path: FieldPath) -> int:
        """The line (from 1) of what `path` leads to, or of the nearest thing around it that is there."""
        found, at = _START.search(self._text), 0
        value_at = found.start() if found is not None else 0
        for part in path:
            place = self._place(value_at, part)
            if place is None:
                break
            at, value_at = place.at, place.value_at
        return bisect_right(self._line_ends, at - 1) + 1

    def doubled(self, path: FieldPath) -> tuple[str, ...]:
        """The keys that stand more than once in the object that `path` leads to."""
        found = _START.search(self._text)
        if not self._is_plain or found is None:
            return ()
        value_at = found.start()
        for part in path:
            place = self._place(value_at, part)
            if place is None:
                return ()
            value_at = place.value_at
        return tuple(str(key) for key, place in self._places(value_at).items() if place.count > 1)

    def _place(self, container_at: int, part: str | int) -> _Place | None:
        if self._is_plain:
            return self._places(container_at).get(part)
        if isinstance(part, int):
            return _Place(container_at, container_at)
        match = re.compile(rf"""(["']?)(?<![\w$]){re.escape(part)}\1\s*:""").search(self._text, container_at)
        return None if match is None else _Place(match.start(), match.end())

    def _places(self, container_at: int) -> dict[str | int, _Place]:
        """Everything directly inside the object or array that begins there."""
        if container_at not in self._inside:
            places: dict[str | int, _Place] = {}
            try:
                for key, place in self._walk(container_at):
                    earlier = places.get(key)
                    places[key] = place if earlier is None else _Place(place.at, place.value_at, earlier.count + 1)
            except (
                RecursionError
            ):  # the value was read from a shallower stack; what lies behind has no place of its own
                pass
            self._inside[container_at] = places
        return self._inside[container_at]

    def _walk(self, container_at: int) -> Iterator[tuple[str | int, _Place]]:
        opening = self._text[container_at : container_at + 1]
        if opening not in ("{", "["):
            return
        at, index = self._skip(container_at + 1), 0
        while self._text[at] not in "}]":
            key, value_at = index, at
            if opening == "{":
                key, end = self._decode(at)
                value_at = self._skip(self._skip(end) + 1)
            yield cast("str | int", key), _Place(at, value_at)
            at = self._skip(self._decode(value_at)[1])
            at = self._skip(at + 1) if self._text[at] == "," else at
            index += 1

    def _decode(self, at: int) -> tuple[object, int]:
        return cast("tuple[object, int]", _DECODER.raw_decode(self._text, at))

    def _skip(self, at: int) -> int:
        match = _SPACE.match(self._text, at)
        return at if match is None else match.end()


def read_json_text(text: str) -> JsonText:
    """What a text of JSON, of JSON with comments or of JSON5 says.

    Raises:
        NotJson: it is none of them.
    """
    text = text.removeprefix("\ufeff")
    try:
        try:
            return JsonText(_DECODER.decode(text), text, is_plain=True)
        except json.JSONDecodeError:
            blanked = _TRAILING.sub(lambda match: match[1] or " ", _COMMENT.sub(_blank, text))
        try:
            return JsonText(_DECODER.decode(blanked), blanked, is_plain=True)
        except json.JSONDecodeError as error:
            value = _json5(text)
            if value is _NOTHING:
                raise NotJson(_in_words(error), error.lineno, error.colno) from None
            return JsonText(value, text, is_plain=False)
    except RecursionError:
        raise NotJson("it is nested too deeply", 1, 1) from None


class _Place:
    """Where a key (or an element) and its value begin."""

    __slots__ = ("at", "count", "value_at")

    def __init__(self, at: int, value_at: int, count: int = 1) -> None:
        self.at = at
        self.value_at = value_at
        self.count = count


_NOTHING: Final = object()


def _json5(text: str) -> object:
    if len(text) > JSON5_LIMIT:
        return _NOTHING
    import json5

    try:
        return cast("object", json5.loads(text))
    except (ValueError, RecursionError):
        return _NOTHING


def _in_words(error: json.JSONDecodeError) -> str:
    if error.msg == "Extra data":
        return "there is more text after the end"
    return error.msg[0].lower() + error.msg[1:]


def _integer(digits: str) -> int | float:
    return int(digits) if len(digits) <= _DIGITS_LIMIT else float(digits)


_DIGITS_LIMIT: Final = 4000
"""Python itself refuses to convert integers of more than 4300 digits."""

_DECODER: Final = json.JSONDecoder(parse_int=_integer)

_STRING: Final = r'("[^"\\\n]*(?:\\.[^"\\\n]*)*")'
_COMMENT: Final = re.compile(rf"{_STRING}|//[^\n]*|/\*[^*]*(?:\*(?!/)[^*]*)*(?:\*/)?")
_TRAILING: Final = re.compile(rf"{_STRING}|,(?=\s*[}}\]])")
_NOT_LINE_END: Final = re.compile(r"[^\n]")
_SPACE: Final = re.compile(r"[ \t\r\n]*")
_START: Final = re.compile(r"[{\[]")


def _blank(match: re.Match[str]) -> str:
    return match[1] or _NOT_LINE_END.sub(" ", match[0])
