"""A text as it was before anybody escaped it: for a URL, in JSON, in a shell or in HTML, in part or several times over.

Two texts that differ in how they are escaped alone are the same then. What is found in the unescaped text is shown in
the text that it was made of. It goes through a text a bounded number of times, whatever a server puts into it.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from dataclasses import dataclass, field
from html.entities import html5
from typing import Final
from urllib.parse import unquote

TIMES: Final = 6
"""How often a text is unescaped at most: four times over is more than anybody does, and some say one thing twice."""


@dataclass(kw_only=True)
class _Pass:
    """One time of unescaping: where the escapes were, and where that is now."""

    old: list[tuple[int, int]] = field(default_factory=list[tuple[int, int]])
    starts: list[int] = field(default_factory=list[int])
    ends: list[int] = field(default_factory=list[int])

    def start_before(self, position: int) -> int:
        at = bisect_right(self.starts, position) - 1
        if at < 0:
            return position
        return self.old[at][0] if position < self.ends[at] else self.old[at][1] + position - self.ends[at]

    def end_before(self, position: int) -> int:
        at = bisect_right(self.starts, position - 1) - 1
        if at < 0:
            return position
        return self.old[at][1] + max(0, position - self.ends[at])


class Unescaped:
    """A text without its escapes. A `+` is a blank in it, as in a form."""

    __slots__ = ("_passes", "text")

    def __init__(self, text: str) -> None:
        self._passes: list[_Pass] = []
        for _ in range(TIMES):
            text, one = _unescaped_once(text)
            if not one.starts:
                break
            self._passes.append(one)
        self.text = text.replace("+", " ")

    def span_before(self, start: int, stop: int) -> tuple[int, int]:
        """Where a part of it was in the text that it was made of, whole escapes included."""
        for one in reversed(self._passes):
            start, stop = one.start_before(start), one.end_before(stop)
        return start, stop


def is_escapable(text: str) -> bool:
    """Whether anybody would escape a part of it, or what it holds looks escaped."""
    return _ESCAPABLE.search(text) is not None


def longest_plain_run(text: str) -> str:
    """The longest part of the text that nobody escapes: it is there however the rest of it is written."""
    return max(_ESCAPABLE.split(text), key=len)


_ESCAPABLE: Final = re.compile(r"[^A-Za-z0-9_.-]")
_ESCAPE: Final = re.compile(
    r"%[0-7][0-9A-Fa-f]|(?:%[89A-Fa-f][0-9A-Fa-f])+"
    r"|\\u[dD][89abAB][0-9A-Fa-f]{2}\\u[dD][c-fC-F][0-9A-Fa-f]{2}|\\u[0-9A-Fa-f]{4}|\\[bfnrt]|\\[^A-Za-z0-9\r\n\t]"
    r"|&(?:\#[0-9]{1,7}|\#[xX][0-9A-Fa-f]{1,6}|[A-Za-z]{2,8});"
)
_LAST_CHARACTER: Final = 0x10FFFF
_SHORT: Final = {"b": "\b", "f": "\f", "n": "\n", "r": "\r", "t": "\t"}


def _unescaped_once(text: str) -> tuple[str, _Pass]:
    one = _Pass()
    pieces: list[str] = []
    at = length = 0
    for match in _ESCAPE.finditer(text):
        decoded = _decoded(match[0])
        if decoded == match[0]:
            continue
        length += match.start() - at
        pieces += (text[at : match.start()], decoded)
        one.old.append(match.span())
        one.starts.append(length)
        length += len(decoded)
        one.ends.append(length)
        at = match.end()
    return "".join([*pieces, text[at:]]) if pieces else text, one


def _decoded(escape: str) -> str:
    match escape[0]:
        case "%":
            return unquote(escape, errors="replace")
        case "&":
            return _decoded_entity(escape)
        case _ if escape[1] == "u":
            return bytes.fromhex(escape.replace("\\u", "")).decode("utf-16-be", "replace")
        case _:
            return _SHORT.get(escape[1], escape[1])


def _decoded_entity(entity: str) -> str:
    if entity[1] != "#":
        return html5.get(entity[1:], entity)
    number = int(entity[3:-1], 16) if entity[2] in "xX" else int(entity[2:-1])
    return chr(number) if number <= _LAST_CHARACTER else entity
