"""How names and values that are not ours are spelled in a TOML text: exactly, visibly, and in lines of bounded length.

Whatever cannot be seen is its escape, so that no text can hide anything, end its string or begin a line of ours. A
text with line breaks is written over several lines, as a person would; a long line is broken with TOML's own `\\`.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Final, cast

from mcp_host.core.rendering.text import INVISIBLE
from mcp_host.core.strict_json import is_encodable

WIDTH: Final = 78
"""Columns of the lines that are folded: what fits beside a sign column in 80."""

KEY_LIMIT: Final = 200
"""Characters of a spelled key: TOML has it on one line."""

VALUE_LIMIT: Final = 65_536
"""Characters of one spelled value: nobody edits more, and an editor is slow with it."""

TEXT_LIMIT: Final = 1_000_000
"""Characters of a text that is spelled at all; a model may write more than a server's default may have."""

_PIECE: Final = 700
"""Characters of a text on one line, before their escapes."""

_LINE_LIMIT: Final = 8_000
_DEPTH_LIMIT: Final = 40

_BARE: Final = re.compile(r"[A-Za-z0-9_-]+")
_SHORT_ESCAPES: Final = {"\\": "\\\\", '"': '\\"', "\b": "\\b", "\t": "\\t", "\n": "\\n", "\f": "\\f", "\r": "\\r"}
_HIDDEN: Final = re.compile(f"[{INVISIBLE}]")
_MISLEADING: Final = re.compile(r"#\S.* = |\[.+\][ \t]*$")
"""A line of a text that would pass for a field or for the head of a table."""

_NAME_CAP: Final = 60


class Unspelled(Exception):
    """TOML has no way to write this, or none that anybody would read."""


def toml_key(name: str) -> str:
    """The name as it stands before a `=` or in brackets.

    Raises:
        Unspelled: it is too long for a line, or no text.
    """
    if len(name) > KEY_LIMIT:
        raise Unspelled
    text = name if _BARE.fullmatch(name) else _quoted(name)
    if len(text) > KEY_LIMIT:
        raise Unspelled
    return text


def toml_value(value: object) -> tuple[str, ...]:
    """The value in lines, the first of which stands behind the `=`. Read again, it is this value.

    Raises:
        Unspelled: it is too long, or holds what TOML has no word for, such as null.
    """
    lines = _value(value, depth=0)
    if sum(map(len, lines)) > VALUE_LIMIT or max(map(len, lines)) > _LINE_LIMIT:
        raise Unspelled
    return lines


def spoken_key(name: str) -> str:
    """The name as it is spoken of: as TOML spells it, cut where it is long."""
    shown = name if len(name) <= _NAME_CAP else name[: _NAME_CAP - 1] + "…"
    return shown if _BARE.fullmatch(shown) else f'"{_escaped(shown)}"'


def text_lines(text: str) -> tuple[str, ...]:
    """A text over several lines, its quotes on lines of their own where it ends in a line break.

    Raises:
        Unspelled: it is no text, or too long.
    """
    _require_text(text)
    has_breaks = "\n" in text
    lines = ['"""' if has_breaks else '"""\\']  # a line break is no part of the text behind either of them
    for line in text.split("\n"):
        pieces = [line[at : at + _PIECE] for at in range(0, len(line), _PIECE)] or [""]
        spelled = [_piece(piece, is_trimmed=at > 0 or not has_breaks) for at, piece in enumerate(pieces)]
        if _MISLEADING.match(line):
            spelled[0] = f"\\u{ord(line[0]):04x}{spelled[0][1:]}"
        lines += [*(f"{piece}\\" for piece in spelled[:-1]), spelled[-1]]
    lines[-1] += '"""'
    return tuple(lines)


def _value(value: object, *, depth: int) -> tuple[str, ...]:
    if depth > _DEPTH_LIMIT:
        raise Unspelled
    if isinstance(value, str):
        if len(value) > VALUE_LIMIT:
            raise Unspelled
        return text_lines(value) if "\n" in value or len(value) > _PIECE else (_quoted(value),)
    if isinstance(value, bool):
        return ("true" if value else "false",)
    if isinstance(value, (int, float)):
        return (_number(value),)
    if isinstance(value, Mapping):
        return (_table(cast("Mapping[str, object]", value), depth=depth),)
    if isinstance(value, (list, tuple)):
        return _array(cast("Sequence[object]", value), depth=depth)
    raise Unspelled


def _number(value: float) -> str:
    try:
        return repr(value)
    except ValueError:  # an integer of more digits than Python writes
        raise Unspelled from None


def _array(items: Sequence[object], *, depth: int) -> tuple[str, ...]:
    spelled = [_value(item, depth=depth + 1) for item in items]
    line = f"[{', '.join(lines[0] for lines in spelled)}]"
    if len(line) <= WIDTH and all(len(lines) == 1 for lines in spelled):
        return (line,)
    return ("[", *(line for lines in spelled for line in (*lines[:-1], f"{lines[-1]},")), "]")


def _table(members: Mapping[str, object], *, depth: int) -> str:
    """On one line, as inline tables are; a text with line breaks has their escapes."""
    return f"{{ {', '.join(_pair(*member, depth=depth + 1) for member in members.items())} }}" if members else "{}"


def _pair(name: str, value: object, *, depth: int) -> str:
    if isinstance(value, str):
        return f"{toml_key(name)} = {_quoted(value)}"
    return f"{toml_key(name)} = {''.join(_one_line(value, depth=depth))}"


def _one_line(value: object, *, depth: int) -> str:
    if depth > _DEPTH_LIMIT:
        raise Unspelled
    if isinstance(value, str):
        return _quoted(value)
    if isinstance(value, (list, tuple)):
        return f"[{', '.join(_one_line(item, depth=depth + 1) for item in cast('Sequence[object]', value))}]"
    return _value(value, depth=depth)[0]


def _piece(text: str, *, is_trimmed: bool) -> str:
    """A piece of a line of a text: a blank at its edge would be lost to a `\\` before it, or to whoever trims lines."""
    if is_trimmed and text.startswith(" "):
        return f"\\u0020{_piece(text[1:], is_trimmed=False)}"
    return f"{_escaped(text[:-1])}\\u0020" if text.endswith(" ") else _escaped(text)


def _quoted(text: str) -> str:
    _require_text(text)
    return f'"{_escaped(text)}"'


def _require_text(text: str) -> None:
    if len(text) > TEXT_LIMIT or not is_encodable(text):
        raise Unspelled


def _escaped(text: str) -> str:
    if text.isascii() and text.isprintable() and '"' not in text and "\\" not in text:
        return text
    return "".join(map(_escape, text))


def _escape(character: str) -> str:
    if character in _SHORT_ESCAPES:
        return _SHORT_ESCAPES[character]
    if character.isprintable() and not _HIDDEN.match(character):
        return character
    code = ord(character)
    return f"\\u{code:04x}" if code <= 0xFFFF else f"\\U{code:08x}"
