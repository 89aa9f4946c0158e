"""One walk over a TOML text: on which lines its paths are written, and from where to where its statements reach.

The parser gives values without their places, so this reads the text once more: strings, comments, dotted and quoted
keys, inline tables and arrays of tables as TOML has them. It decodes no value. Where a text is not TOML it stops, and
what was found before stands.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

import tomli

from mcp_host.core.definitions.faults import FieldPath


@dataclass(frozen=True, kw_only=True)
class Member:
    """One `key = value` of the inline table that a statement assigns. The offsets count the text's characters."""

    path: FieldPath
    start: int
    end: int
    """Behind the value's last character; neither blanks nor a comment belong to it."""
    comma: int | None
    """Where the comma behind it is, if there is one."""


@dataclass(frozen=True, kw_only=True)
class Statement:
    """A header or a `key = value` of a text. The offsets count the text's characters, a byte order mark included."""

    path: FieldPath
    """The table or the element that a header opens, or what is assigned."""
    start: int
    end: int
    """Behind its last character; neither blanks nor a comment belong to it."""
    members: tuple[Member, ...] | None
    """What stands in the inline table that is assigned; None where anything else is, and for a header."""
    inside: int
    """Behind the `{` of that inline table; without meaning where there is none."""


class Unwalked(Exception):
    """The text stops being TOML on `line`, or nests deeper there than is walked."""

    def __init__(self, line: int) -> None:
        self.line = line
        super().__init__(f"stopped on line {line}")


def statements(text: str) -> tuple[Statement, ...]:
    """Every statement of the text, in its order.

    Raises:
        Unwalked: not all of the text could be read.
    """
    walk = Walk(text)
    if walk.stopped_at is not None:
        raise Unwalked(walk.stopped_at)
    return tuple(walk.statements)


_DEPTH_LIMIT: Final = 64
"""No definition nests deeper than a few levels; the walk recurses, and Python bounds that."""

_PARTS_LIMIT: Final = 64
"""Of one dotted key: each of its beginnings is kept, so a hostile one would take gigabytes."""

_BLANK: Final = re.compile(r"[ \t]*")
_GAP: Final = re.compile(r"(?:[ \t\r\n]|#[^\n]*)*")
_BARE_KEY: Final = re.compile(r"[A-Za-z0-9_-]+")
_STRING: Final = re.compile(
    r'"""(?:[^"\\]|\\.|"{1,2}(?!"))*"{3,5}'
    r"|'''(?:[^']|'{1,2}(?!'))*'{3,5}"
    r'|"(?!"")(?:[^"\\\n]|\\[^\n])*"'
    r"|'(?!'')[^'\n]*'",
    re.DOTALL,
)
_SCALAR: Final = re.compile(r"[^\s,\]}#=\"'\[{](?:[^,\]}#\n=\"'\[{]*[^\s,\]}#=\"'\[{])?")


class _NotToml(Exception):
    """The text stops making sense here; what was found before stands."""


class Walk:
    """What was found. `explicit` has the lines where a path is written, `implied` those of its first mention."""

    def __init__(self, text: str) -> None:
        self.explicit: dict[FieldPath, int] = {}
        self.implied: dict[FieldPath, int] = {}
        self.statements: list[Statement] = []
        self.stopped_at: int | None = None
        """The line where it stopped making sense; None where all of the text was read."""
        self._text = text
        self._at = 1 if text.startswith("\ufeff") else 0
        self._line_ends = [match.start() for match in re.finditer("\n", text)]
        self._array_sizes: dict[FieldPath, int] = {}
        self._members: tuple[Member, ...] | None = None
        self._inside = 0
        self._document()

    def _document(self) -> None:
        table: FieldPath = ()
        try:
            while (start := self._skip(_GAP)) < len(self._text):
                self._members = None
                if self._peek("["):
                    path = table = self._header()
                else:
                    path = self._pair(table, depth=0)
                self._record(path, start)
        except _NotToml:
            self.stopped_at = self._line()

    def _record(self, path: FieldPath, start: int) -> None:
        statement = Statement(path=path, start=start, end=self._at, members=self._members, inside=self._inside)
        self.statements.append(statement)

    def _header(self) -> FieldPath:
        line = self._line()
        of_array = self._peek("[[")
        self._at += 2 if of_array else 1
        keys = self._keys()
        self._take("]]" if of_array else "]")
        path: FieldPath = ()
        for index, key in enumerate(keys):
            path += (key,)
            last = index == len(keys) - 1
            if last and of_array:
                self._array_sizes[path] = self._array_sizes.get(path, 0) + 1
            self._note(path, line, explicit=last and not of_array)
            if path in self._array_sizes:
                path += (self._array_sizes[path] - 1,)
        if of_array:
            self._note(path, line, explicit=True)
        return path

    def _pair(self, table: FieldPath, *, depth: int) -> FieldPath:
        line = self._line()
        keys = self._keys()
        for length in range(1, len(keys) + 1):
            self._note(table + keys[:length], line, explicit=length == len(keys))
        self._take("=")
        self._value(table + keys, depth=depth)
        return table + keys

    def _keys(self) -> tuple[str, ...]:
        keys: list[str] = []
        while True:
            self._skip(_BLANK)
            keys.append(self._key())
            self._skip(_BLANK)
            if not self._peek("."):
                return tuple(keys)
            if len(keys) >= _PARTS_LIMIT:
                raise _NotToml
            self._at += 1

    def _key(self) -> str:
        match = _BARE_KEY.match(self._text, self._at)
        if match is not None:
            self._at = match.end()
            return match[0]
        match = _STRING.match(self._text, self._at)
        if match is None or match[0].startswith(('"""', "'''")):
            raise _NotToml
        self._at = match.end()
        if match[0].startswith("'") or "\\" not in match[0]:
            return match[0][1:-1]
        try:
            return str(tomli.loads(f"key = {match[0]}")["key"])
        except ValueError:
            raise _NotToml from None

    def _value(self, path: FieldPath, *, depth: int) -> None:
        if depth > _DEPTH_LIMIT:
            raise _NotToml
        self._skip(_BLANK)
        if self._peek("["):
            self._items("]", lambda index: self._element((*path, index), depth=depth + 1))
        elif self._peek("{"):
            self._inline_table(path, depth=depth)
        else:
            match = _STRING.match(self._text, self._at) or _SCALAR.match(self._text, self._at)
            if match is None:
                raise _NotToml
            self._at = match.end()

    def _inline_table(self, path: FieldPath, *, depth: int) -> None:
        inside = self._at + 1
        paths: list[FieldPath] = []
        spans = self._items("}", lambda _: paths.append(self._pair(path, depth=depth + 1)))
        if depth == 0:
            self._inside = inside
            self._members = tuple(
                Member(path=member, start=start, end=end, comma=comma)
                for member, (start, end, comma) in zip(paths, spans, strict=True)
            )

    def _element(self, path: FieldPath, *, depth: int) -> None:
        self._note(path, self._line(), explicit=True)
        self._value(path, depth=depth)

    def _items(self, end: str, item: Callable[[int], None]) -> list[tuple[int, int, int | None]]:
        """The items up to `end`: where each starts and ends, and where its comma is."""
        spans: list[tuple[int, int, int | None]] = []
        self._at += 1
        self._skip(_GAP)
        while not self._peek(end):
            start = self._at
            item(len(spans))
            stop = self._at
            comma = self._skip(_GAP)
            last = self._peek(end)
            spans.append((start, stop, None if last else comma))
            if not last:
                self._take(",")
            self._skip(_GAP)
        self._at += 1
        return spans

    def _note(self, path: FieldPath, line: int, *, explicit: bool) -> None:
        (self.explicit if explicit else self.implied).setdefault(path, line)

    def _line(self) -> int:
        return bisect_right(self._line_ends, self._at - 1) + 1

    def _peek(self, text: str) -> bool:
        return self._text.startswith(text, self._at)

    def _take(self, text: str) -> None:
        if not self._peek(text):
            raise _NotToml
        self._at += len(text)

    def _skip(self, pattern: re.Pattern[str]) -> int:
        match = pattern.match(self._text, self._at)
        self._at = match.end() if match is not None else self._at
        return self._at
