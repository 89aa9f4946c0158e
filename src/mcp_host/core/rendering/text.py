"""Makes foreign text safe to show: what a terminal would obey or an eye would miss is shown escaped.

Server text is hostile. Neovim shows most control characters by itself, but passes some on to the terminal raw and
shows many invisible code points as nothing at all; headless output has no Neovim in between. So the escaping is done
here, once, before any other floor sees the text. What comes out can always be encoded as UTF-8.

Escapes: C0 as `^X`, DEL as `^?`, C1 as `<9b>`, invisible code points and lone surrogates as `<U+202E>`. They are for
eyes: a text that holds a literal `^[` looks the same as one that holds ESC. Where exactness matters (arguments in a
proposal), `json_text.py` shows JSON's own escapes instead.
"""

from __future__ import annotations

import re
import unicodedata
from typing import Final, cast

NEWLINE_SIGN: Final = "⏎"
"""Stands for a line break in a text that must stay on one line."""

INVISIBLE: Final = (
    "\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u2028-\u202e\u2060-\u206f\u2800\u3164"
    "\ufe00-\ufe0f\ufeff\uffa0\ufff9-\ufffb\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0000-\U000e0fff"
)
"""Inside of a character class: format controls, fillers, variation selectors, tags, and the two exotic line breaks."""

_SURROGATE: Final = re.compile("[\ud800-\udfff]")
_UNSAFE: Final = re.compile(f"[\x00-\x08\x0b-\x1f\x7f-\x9f{INVISIBLE}\ud800-\udfff]")
_UNSAFE_ON_A_LINE: Final = re.compile(f"[\x00-\x1f\x7f-\x9f{INVISIBLE}\ud800-\udfff]")

_EMOJI_STYLE: Final = "\ufe0f"
_PICTOGRAPH: Final = re.compile("[\u203c\u2049\u2122\u2139\u2190-\u2bff\u3030\u303d\u3297\u3299\U0001f000-\U0001faff]")
"""A single U+FE0F after one of these is kept: everyday emoji are written so, and one selector can hide nothing else."""


class _Escapes(dict[str, str]):
    """Character to escape, made when first met."""

    def __missing__(self, character: str) -> str:
        code = ord(character)
        if code < 0x20:
            escape = "^" + chr(code + 0x40)
        elif code == 0x7F:
            escape = "^?"
        else:
            escape = f"<{code:02x}>" if code < 0xA0 else f"<U+{code:04X}>"
        self[character] = escape
        return escape


_ESCAPES: Final = _Escapes()
_ASCII_TABLE: Final = {code: _ESCAPES[chr(code)] for code in (*range(0x20), 0x7F) if code not in (0x09, 0x0A)}


def safe_text(text: str) -> str:
    """The text with everything unsafe escaped; newlines and tabs stay as they are."""
    if text.isascii():
        return text.translate(_ASCII_TABLE)
    return _UNSAFE.sub(_escape, text)


def safe_line(text: str) -> str:
    """The text on one line, safe: a line break becomes ` ⏎ `, a tab is escaped like any other control character."""
    if text.isascii() and text.isprintable():
        return text
    if "\n" in text:
        pieces = text.replace("\r\n", "\n").split("\n")
        text = f" {NEWLINE_SIGN} ".join(piece.strip(" ") for piece in pieces).strip(" ")
    return _UNSAFE_ON_A_LINE.sub(_escape, text)


def safe_lines(text: str) -> tuple[str, ...]:
    """The text as safe lines; CR LF ends a line as LF does, and a last line break adds no empty line."""
    lines = safe_text(text.replace("\r\n", "\n")).split("\n")
    return tuple(lines[:-1] if len(lines) > 1 and not lines[-1] else lines)


def encodable(value: object) -> object:
    """The JSON value with each lone surrogate replaced, in keys too, so that msgpack and UTF-8 can carry it."""
    if isinstance(value, str):
        return encodable_text(value)
    if isinstance(value, dict):
        members = cast("dict[object, object]", value)
        return {encodable(key): encodable(member) for key, member in members.items()}
    if isinstance(value, (list, tuple)):
        return [encodable(item) for item in cast("list[object]", value)]
    return value


def encodable_text(text: str) -> str:
    """The text with each lone surrogate replaced by U+FFFD; otherwise raw, for names that travel and are not shown."""
    return text if text.isascii() else _SURROGATE.sub("\ufffd", text)


def clipped(text: str, limit: int) -> str:
    """At most `limit` characters of the text, `…` in place of what was cut."""
    return text if len(text) <= limit else text[: limit - 1] + "…"


def display_width(text: str) -> int:
    """How many terminal cells a safe line takes: wide characters two, combining marks none."""
    if text.isascii():
        return len(text)
    return sum(_cells(character) for character in text)


def _cells(character: str) -> int:
    if unicodedata.combining(character):
        return 0
    return 2 if unicodedata.east_asian_width(character) in "WF" else 1


def _escape(match: re.Match[str]) -> str:
    character = match.group()
    if character == _EMOJI_STYLE and match.start() and _PICTOGRAPH.match(match.string, match.start() - 1):
        return character
    return _ESCAPES[character]
