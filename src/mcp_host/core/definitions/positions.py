"""On which line of a TOML text a key, a table or an element of an array stands.

The parser gives values without their places, so this walks the text once more. It reads strings, comments, dotted and
quoted keys, inline tables and arrays of tables as TOML does, and decodes no value. It never complains: where a text
is not TOML it stops, and a path it did not reach gets the line of the nearest thing around it.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Callable
from typing import Final

import tomli

from mcp_host.core.definitions.faults import FieldPath


def line_of(text: str, path: FieldPath) -> int | None:
    """The line (from 1) where `path` is written, or else the line of the nearest thing that encloses it.

    None where nothing of the path is in the text.
    """
    return Positions(text).line_of(path)


class Positions:
    """The lines of everything in one text, for looking up more than one path."""

    def __init__(self, text: str) -> None:
        scan = _Scan(text)
        scan.document()
        self._explicit = scan.explicit
        self._implied = scan.implied

    def line_of(self, path: FieldPath) -> int | None:
        """As the function of this name."""
        for length in range(len(path), 0, -1):
            prefix = path[:length]
            line = self._explicit.get(prefix) or self._implied.get(prefix)
            if line is not None:
                return line
        return None


_DEPTH_LIMIT: Final = 64
"""No definition nests deeper than a few levels; the walk recurses, and Python bounds that."""

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
_SCALAR: Final = re.compile(r"[^\s,\]}#=\"'\[{][^,\]}#\n=\"'\[{]*")


class _NotToml(Exception):
    """The text stops making sense here; what was found before stands."""


class _Scan:
    """One walk over a text. `explicit` has the places where a path is written, `implied` its first mention."""

    def __init__(self, text: str) -> None:
        self.explicit: dict[FieldPath, int] = {}
        self.implied: dict[FieldPath, int] = {}
        self._text = text
        self._at = 1 if text.startswith("\ufeff") else 0
        self._line_ends = [match.start() for match in re.finditer("\n", text)]
        self._array_sizes: dict[FieldPath, int] = {}

    def document(self) -> None:
        table: FieldPath = ()
        try:
            while self._skip(_GAP) < len(self._text):
                if self._peek("["):
                    table = self._header()
                else:
                    self._pair(table, depth=0)
        except _NotToml:
            return

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

    def _pair(self, table: FieldPath, *, depth: int) -> None:
        line = self._line()
        keys = self._keys()
        for length in range(1, len(keys) + 1):
            self._note(table + keys[:length], line, explicit=length == len(keys))
        self._take("=")
        self._value(table + keys, depth=depth)

    def _keys(self) -> tuple[str, ...]:
        keys: list[str] = []
        while True:
            self._skip(_BLANK)
            keys.append(self._key())
            self._skip(_BLANK)
            if not self._peek("."):
                return tuple(keys)
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
            self._items("}", lambda _: self._pair(path, depth=depth + 1))
        else:
            match = _STRING.match(self._text, self._at) or _SCALAR.match(self._text, self._at)
            if match is None:
                raise _NotToml
            self._at = match.end()

    def _element(self, path: FieldPath, *, depth: int) -> None:
        self._note(path, self._line(), explicit=True)
        self._value(path, depth=depth)

    def _items(self, end: str, item: Callable[[int], None]) -> None:
        self._at += 1
        index = 0
        self._skip(_GAP)
        while not self._peek(end):
            item(index)
            index += 1
            self._skip(_GAP)
            if not self._peek(end):
                self._take(",")
            self._skip(_GAP)
        self._at += 1

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
