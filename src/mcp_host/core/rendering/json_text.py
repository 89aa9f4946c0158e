"""JSON as people read it: indented, one member a line, and still exactly the same JSON.

The text is laid out token by token and never parsed into values, so numbers keep their digits, doubled keys stay and
members keep their order. What is unsafe to show appears as JSON's own escapes (`\\u001b`), so a shown document can be
copied out and means what it meant. `arguments` in a proposal rest on this: what is shown is what is sent.
"""

from __future__ import annotations

import json
import re
from typing import Final

from mcp_host.core.rendering.text import INVISIBLE, safe_lines

INDENT_DEPTH_CAP: Final = 40
"""Deeper levels are indented no further: a small document of deep brackets would else become gigabytes of blanks."""

LINES_CAP: Final = 60_000
"""After this many lines the rest stays compact on one line: no buffer shows more, and the time spent stays bounded."""

_TOKEN: Final = re.compile(r'"[^"\\]*(?:\\.[^"\\]*)*"|[\[\]{},:]|[^\s"\[\]{},:]+', re.DOTALL)
_BLANK: Final = re.compile(r"[ \t\r\n]*")
_UNSAFE: Final = re.compile(f"[\x00-\x1f\x7f-\x9f{INVISIBLE}\ud800-\udfff]")
_BREAKS_TO_BLANKS: Final = str.maketrans("\t\r\n", "   ")
_CLOSED_BY: Final = {"{": "}", "[": "]"}


def json_text(value: object) -> str:
    """The value as compact JSON text; what JSON has no word for is written as its `repr` in quotes."""
    try:
        return json.dumps(value, ensure_ascii=False, separators=(",", ":"), default=repr)
    except (RecursionError, TypeError, ValueError):
        return '"(this value cannot be written as JSON)"'


def safe_json(value: object) -> tuple[str, ...]:
    """The value as safe, indented lines of JSON."""
    return _laid_out(json_text(value))


def indented_json(text: str) -> tuple[str, ...]:
    """A JSON text as safe lines with an indent of two; apart from blanks and escapes the text is not changed.

    A text that is not JSON comes back as plain safe lines.
    """
    try:
        json.loads(text)
    except (RecursionError, ValueError):
        return safe_lines(text)
    return _laid_out(text)


def _json_escape(match: re.Match[str]) -> str:
    character = match.group()
    if character in "\t\r\n":
        return character
    units = character.encode("utf-16-be", "surrogatepass")
    return "".join(f"\\u{units[at]:02x}{units[at + 1]:02x}" for at in range(0, len(units), 2))


def _laid_out(text: str) -> tuple[str, ...]:
    if not (text.isascii() and text.isprintable()):
        text = _UNSAFE.sub(_json_escape, text)
    lines: list[str] = []
    line = ""
    depth = at = 0
    while token := _next_token(text, at):
        word, at = token.group(), token.end()
        if word in _CLOSED_BY:
            closing = _next_token(text, at)
            if closing is not None and closing.group() == _CLOSED_BY[word]:
                line, at = line + word + closing.group(), closing.end()
                continue
            depth += 1
            lines.append(line + word)
            line = _indent(depth)
        elif word in ("}", "]"):
            depth -= 1
            lines.append(line)
            line = _indent(depth) + word
        elif word == ",":
            lines.append(line + word)
            line = _indent(depth)
            if len(lines) >= LINES_CAP:
                line += text[at:].translate(_BREAKS_TO_BLANKS).strip()
                break
        else:
            line += ": " if word == ":" else word
    return (*lines, line)


def _next_token(text: str, at: int) -> re.Match[str] | None:
    start = _BLANK.match(text, at)
    return _TOKEN.match(text, start.end() if start else at)


def _indent(depth: int) -> str:
    return "  " * max(0, min(depth, INDENT_DEPTH_CAP))
