"""One line that says what a server or a tool is for: the author's words first, then the server's.

The lines may still hold hostile characters; whoever draws them makes them safe.
"""

from __future__ import annotations

import re
from typing import Final

from mcp_host.core.catalog.catalog import Catalog
from mcp_host.core.catalog.entries import Tool
from mcp_host.core.catalog.json_values import as_text

SENTENCE_LIMIT: Final = 120
"""Characters of a sentence taken from a description: beside a name and a signature more is not read."""
ORIENTATION_LIMIT: Final = 240
"""Characters of a server's orientation line: three rows of an 80 column screen."""

_READ_LIMIT: Final = 2000
"""How far into a text the first sentence is looked for; a description can be a megabyte."""

_MARKER: Final = re.compile(r"(#{1,6}\s+|[-*+•]\s+|\d{1,3}[.)]\s+|>\s*)")
_FENCE_OR_RULE: Final = re.compile(r"(```|~~~|[-=*_]{3,}\s*\Z)")
_SECTION: Final = re.compile(
    r"(args|arguments|params|parameters|returns?|raises|yields|examples?|notes?|usage)\s*:", re.I
)
_END: Final = re.compile(r"""[.!?…]+["'”’)\]*_`]*(?=\s|\Z)|[。！？]""")
_NO_END: Final = re.compile(
    r"(?<![^\W_])(?:e\.g|i\.e|vs|cf|approx|incl|excl|esp|resp|fig|vol|ca|al|dr|mrs?|ms|prof|inc|ltd|(?:[a-z]\.)*[a-hj-z])\Z",
    re.I,
)
"""What stands before a full stop that ends no sentence: abbreviations and initials (but not the word I)."""
_LONGEST_ABBREVIATION: Final = 16


def one_liner(tool: Tool, authored: str | None = None) -> str:
    """What a tool is for: the authored summary, its title, the first sentence of its description, else its name."""
    if authored and authored.strip():
        return _on_one_line(authored)
    for title in (tool.title, as_text(tool.annotations.get("title"))):
        # A title that only repeats the name says less than any description.
        if title and title.strip() != tool.name:
            return cut_at_word(_on_one_line(title), SENTENCE_LIMIT)
    return first_sentence(tool.description or "") or tool.name


def orientation(catalog: Catalog, authored: str | None = None) -> str:
    """What a server is for: the authored summary, its description, title, first instruction, else its tools' names."""
    identity = catalog.identity
    if authored and authored.strip():
        return _on_one_line(authored)
    for text in (identity.description, identity.title):
        if text and text.strip():
            return cut_at_word(_on_one_line(text), ORIENTATION_LIMIT)
    return (
        first_sentence(identity.instructions or "", ORIENTATION_LIMIT)
        or cut_at_word(", ".join(_names(catalog)), ORIENTATION_LIMIT)
        or identity.name
        or catalog.alias
    )


def first_sentence(text: str, limit: int = SENTENCE_LIMIT) -> str:
    """The first sentence of a text on one line, without markdown in front; cut at a word and ended with `…`."""
    paragraph = _first_paragraph(text[:_READ_LIMIT])
    for match in _END.finditer(paragraph[: limit + 1]):
        if not _is_inside_sentence(paragraph, match.start(), match.end()):
            paragraph = paragraph[: match.end()]
            break
    return cut_at_word(paragraph, limit)


def cut_at_word(text: str, limit: int) -> str:
    """The text, or as many whole words of it as fit with the `…` that says so."""
    if len(text) <= limit:
        return text
    room = text[:limit]
    space = room.rfind(" ")
    # One long word, or a script without spaces: cutting in the middle loses less than dropping it.
    kept = room[:space] if space > limit // 2 else room[: limit - 1]
    return kept.rstrip(" ,;:") + "…"


def _names(catalog: Catalog) -> list[str]:
    tools = [tool.name for tool in catalog.tools[:ORIENTATION_LIMIT]]
    return tools or [entry.name for entry in (*catalog.prompts, *catalog.resources)[:ORIENTATION_LIMIT]]


def _first_paragraph(text: str) -> str:
    """The first lines that belong together; a heading or a fence counts only when nothing else follows."""
    heading = ""
    lines: list[str] = []
    for raw in text.splitlines():
        line = raw.strip()
        marker = _MARKER.match(line)
        ends = not line or _FENCE_OR_RULE.match(line) or marker or _SECTION.match(line)
        if lines and ends:
            break
        if not line or _FENCE_OR_RULE.match(line):
            continue
        body = line[marker.end() :].rstrip("# ") if marker else line
        if line.startswith("#") and marker:
            heading = heading or body
        else:
            lines.append(body)
    return _on_one_line(" ".join(lines) or heading)


def _is_inside_sentence(paragraph: str, start: int, end: int) -> bool:
    if paragraph[start] != "." or end == len(paragraph):
        return False
    if paragraph[end : end + 2].lstrip()[:1].islower():
        return True
    return _NO_END.search(paragraph[max(0, start - _LONGEST_ABBREVIATION) : start]) is not None


def _on_one_line(text: str) -> str:
    return " ".join(text.split())
