"""The lines of an interaction's text: pieces with what they are, and foreign words folded to fit behind an indent."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Final, Literal

from mcp_host.core.interactions.toml_spelling import WIDTH
from mcp_host.core.rendering.text import display_width, safe_line, safe_lines

Role = Literal["alias", "tool", "host", "rule", "caution"]
"""What a piece of a line is, where that is to be seen. A server's free words never have one."""

Piece = str | tuple[str, Role]

INDENT: Final = "  "
"""Before each line of a server's words, so that none of them passes for one of ours."""


@dataclass(frozen=True, kw_only=True)
class TextLine:
    """One safe line."""

    pieces: tuple[Piece, ...]
    url: str | None = None
    """Raw: the address that the line stands for, where it may be opened."""

    @property
    def text(self) -> str:
        return "".join(piece if isinstance(piece, str) else piece[0] for piece in self.pieces)


def line(*pieces: Piece, url: str | None = None) -> TextLine:
    """A line of these pieces."""
    return TextLine(pieces=tuple(pieces), url=url)


def caution(words: str) -> Iterator[TextLine]:
    """A `! …` line, and the lines that it goes on in."""
    for at, piece in enumerate(folded(safe_line(words), WIDTH - 4)):
        yield line((f"  {piece}" if at else f"! {piece}", "caution"))


def commented(lines: Iterable[TextLine]) -> Iterator[TextLine]:
    """The lines as comments of TOML."""
    for one in lines:
        yield TextLine(pieces=("# ", *one.pieces) if one.text else ("#",), url=one.url)


def words_of_server(text: str, *, indent: str = INDENT, most_lines: int, most_characters: int) -> Iterator[TextLine]:
    """Foreign words, safe and folded behind the indent; the last line says how much of them is left out."""
    shown = text[:most_characters]
    lines = [piece for one in safe_lines(shown.strip("\r\n")) for piece in folded(one, WIDTH - 2 - len(indent))]
    for one in lines[:most_lines]:
        yield line(f"{indent}{one}" if one else "")
    left = [
        f"{len(text) - len(shown):,} characters" if len(shown) < len(text) else "",
        f"{len(lines) - most_lines:,} lines" if len(lines) > most_lines else "",
    ]
    if any(left):
        yield line((f"{indent}… {' and '.join(filter(None, left))} more", "rule"))


def folded(text: str, width: int) -> tuple[str, ...]:
    """A safe line in pieces no wider than this, between words where it can be; blanks within stay."""
    text = text.replace("\t", "    ").rstrip(" ")
    if display_width(text) <= width and len(text) <= _HEAPED * width:
        return (text,)
    lines: list[str] = []
    current, used = "", 0
    for token in _TOKEN.findall(text):
        size = display_width(token)
        if current and used + size > width:
            lines.append(current)
            current, used, rest = "", 0, token.lstrip(" ")
        else:
            rest = token
        if size > width or len(rest) > _HEAPED * width:
            *whole, rest = _cut(rest, width)
            lines += whole
        current, used = current + rest, used + display_width(rest)
    return (*lines, current) if current else tuple(lines)


_TOKEN: Final = re.compile(r" *[^ ]+")

_HEAPED: Final = 2
"""Characters for each column at most: combining marks take no room, and still must not heap up."""


def _cut(token: str, width: int) -> list[str]:
    """The token in pieces, each as wide as it may be."""
    starts, used = [0], 0
    for at, character in enumerate(token):
        size = display_width(character)
        if used + size > width or at - starts[-1] >= _HEAPED * width:
            starts.append(at)
            used = 0
        used += size
    return [token[start:end] for start, end in zip(starts, [*starts[1:], len(token)], strict=True)]
