"""Texts shown whole and in one reading only: strings as TOML writes them, over as many lines as they need.

What a person agrees to must not be hideable by its form. So nothing is cut here, a line break in a text is its escape
(`\\n`) and never a line that could pass for one of ours, and each further line of a text begins with a mark that no
text can put at the beginning of a line. Pieces joined without their marks are the text again.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Final

from mcp_host.core.definitions.faults import FieldPath, field_name
from mcp_host.core.rendering.text import INVISIBLE, safe_text
from mcp_host.views.view import Group, Page, Span, Target

CONTINUED: Final = "↪ "

_PIECE: Final = 800
"""Characters a line of one text has at most: a line that is taller than its window is hard to scroll through. An
escape takes up to ten characters, and two pieces may share a line, within what a page shows of a span."""

_SHORT_ESCAPES: Final = {"\\": "\\\\", '"': '\\"', "\b": "\\b", "\t": "\\t", "\n": "\\n", "\f": "\\f", "\r": "\\r"}
_HIDDEN: Final = re.compile(f"[{INVISIBLE}\ud800-\udfff]")
_LINE: Final = re.compile(r"[^\n]*\n|[^\n]+")
_PLAIN: Final = re.compile(r"[^\s\"\\]+(?: [^\s\"\\]+)*")
_BARE_PATH: Final = re.compile(r"[A-Za-z0-9_.\[\]-]+")


def quoted(text: str) -> str:
    """The text as a basic string of TOML, on one line; what cannot be seen is `\\uXXXX`."""
    return f'"{_escaped(text)}"'


def string_pieces(text: str) -> tuple[str, ...]:
    """The quoted text in pieces, one a line: a new one after each line break in it and wherever one gets long."""
    *before, last = map(_escaped, _parts(text) or [""])
    # A page drops blanks at the end of a line.
    pieces = [*(f"{piece[:-1]}\\u0020" if piece.endswith(" ") else piece for piece in before), f'{last}"']
    pieces[0] = f'"{pieces[0]}'
    return tuple(pieces)


def word_pieces(text: str) -> tuple[str, ...]:
    """A name or a path, without quotes where it can be read in one way only."""
    is_plain = len(text) <= _PIECE and _PLAIN.fullmatch(text) and not any(map(_is_hidden, text))
    return (text,) if is_plain else string_pieces(text)


def value_pieces(value: object) -> tuple[str, ...]:
    """A value of TOML that has no parts, or an empty array or table."""
    if isinstance(value, str):
        return string_pieces(value)
    if isinstance(value, bool):
        return ("true" if value else "false",)
    if isinstance(value, (list, Mapping)):
        return ("[]" if isinstance(value, list) else "{}",)
    return (str(value),)


def list_pieces(texts: Sequence[str]) -> tuple[str, ...]:
    """Quoted texts with commas between them, filled into lines."""
    lines: list[str] = []
    for position, text in enumerate(texts):
        first, *rest = string_pieces(text)
        if lines and len(lines[-1]) + len(first) < _PIECE:
            lines[-1] += f" {first}"
        else:
            lines.append(first)
        lines += rest
        lines[-1] += "," if position < len(texts) - 1 else ""
    return tuple(lines)


def entry_pieces(path: FieldPath, value: Sequence[str]) -> tuple[str, ...]:
    """`key = value`, where the key is quoted as TOML needs it; without a path the value alone."""
    if not path:
        return tuple(value)
    name = field_name(path)
    if len(name) <= _PIECE and _BARE_PATH.fullmatch(name):
        key: tuple[str, ...] = (name,)
    else:
        key = string_pieces(str(path[0]) if len(path) == 1 else name)
    return (*key[:-1], f"{key[-1]} = {value[0]}", *value[1:])


def line_pieces(line: str) -> tuple[str, ...]:
    """A line of a file as it stands there, made safe; tabs are seen, and so are blanks that a line would end with."""
    pieces = (safe_text(part.removesuffix("\n")).replace("\t", "^I") for part in _parts(line))
    return tuple(f"{piece[:-1]}·" if piece.endswith(" ") else piece for piece in pieces) or ("",)


def hidden_characters(text: str) -> tuple[str, ...]:
    """The code points of a text that an eye would miss, as `U+202E`; breaks and tabs are seen by their escapes.

    The selector that makes an emoji coloured is not among them: many people type it, and it is shown escaped anyway.
    """
    if text.isascii() and text.isprintable():
        return ()
    found = (character for character in text if character not in "\t\n\r\ufe0f" and _is_hidden(character))
    return tuple(f"U+{ord(character):04X}" for character in dict.fromkeys(found))


def add_exact(
    page: Page,
    pieces: Sequence[str],
    *,
    lead: Sequence[Span] = (),
    column: int,
    group: Group,
    tail: Sequence[Span] = (),
    target: Target | None = None,
) -> None:
    """Add the first piece behind the lead, which is `column` wide, and the others below it behind their mark."""
    further: tuple[Span, ...] = (" " * (column - len(CONTINUED)), (CONTINUED, "McpMuted"))
    last = len(pieces) - 1
    for position, piece in enumerate(pieces):
        page.line(*(further if position else lead), (piece, group), *(tail if position == last else ()), target=target)


def _parts(text: str) -> list[str]:
    """The text cut behind each line break and wherever a line gets long."""
    return [line[at : at + _PIECE] for line in _LINE.findall(text) for at in range(0, len(line), _PIECE)]


def _escaped(text: str) -> str:
    if text.isascii() and text.isprintable() and '"' not in text and "\\" not in text:
        return text
    return "".join(map(_escape, text))


def _escape(character: str) -> str:
    if character in _SHORT_ESCAPES:
        return _SHORT_ESCAPES[character]
    if not _is_hidden(character):
        return character
    code = ord(character)
    return f"\\u{code:04x}" if code <= 0xFFFF else f"\\U{code:08x}"


def _is_hidden(character: str) -> bool:
    return not character.isprintable() or _HIDDEN.match(character) is not None
