"""A view: what a buffer shows, as plain data, and the page on which one is laid out.

A page makes every line safe itself, whatever it is given, so no view can forget to. Marks are byte columns, as Neovim
counts them. Items say what a line stands for, with raw names, so that a key on the line can act on it.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final, Literal

from mcp_host.core.rendering.caps import LINE_CAP_BYTES, byte_length
from mcp_host.core.rendering.text import clipped, display_width, encodable_text, safe_line, safe_text

Group = Literal[
    "McpTitle",
    "McpAlias",
    "McpTool",
    "McpSignature",
    "McpSummary",
    "McpEffectRead",
    "McpEffectHost",
    "McpProblem",
    "McpMuted",
    "McpKey",
    "McpOk",
    "McpAdded",
    "McpRemoved",
]
"""Highlight groups; Lua links them to the colour scheme."""

ItemKind = Literal[
    "tool",
    "resource",
    "template",
    "prompt",
    "server",
    "receipt",
    "path",
    "link",
    "candidate",
    "layer",
    "url",
    "interaction",
]

Span = str | tuple[str, Group]
"""A piece of a line, with or without a colour."""

_KEY_WIDTH: Final = 10

_SPAN_LIMIT: Final = LINE_CAP_BYTES // 4
"""Characters of one piece of a line; a title of a megabyte is an attack and not a title."""


@dataclass(frozen=True, kw_only=True)
class Mark:
    """A coloured piece of a line. The row counts from 0; start and end are byte columns."""

    row: int
    start: int
    end: int
    group: Group


@dataclass(frozen=True, kw_only=True)
class Target:
    """What a line stands for."""

    kind: ItemKind
    alias: str
    name: str
    """Raw: a tool's or prompt's name, a uri, a receipt's id, a path."""


@dataclass(frozen=True, kw_only=True)
class Item:
    """What the line in this row (from 0) stands for. One row has at most one item."""

    row: int
    kind: ItemKind
    alias: str
    name: str


@dataclass(frozen=True, kw_only=True)
class View:
    """Everything a buffer needs. All lines are safe and can be encoded as UTF-8."""

    lines: tuple[str, ...]
    marks: tuple[Mark, ...]
    items: tuple[Item, ...]
    filetype: str
    """One of our own (`mcp-survey` and so on), never one that a highlighter follows links or embedded code for."""
    title: str
    """One safe line for a window's title or bar."""

    def to_message(self) -> dict[str, object]:
        """The view without its lines, which travel on their own in slices: a mark is `[row, start, end, group]`."""
        return {
            "marks": [[mark.row, mark.start, mark.end, mark.group] for mark in self.marks],
            "items": [
                {"row": item.row, "kind": item.kind, "alias": item.alias, "name": item.name} for item in self.items
            ],
            "filetype": self.filetype,
            "title": self.title,
            "line_count": len(self.lines),
        }


class Page:
    """Collects lines from the top down. A page never holds an unsafe line."""

    def __init__(self) -> None:
        self._lines: list[str] = []
        self._marks: list[Mark] = []
        self._items: list[Item] = []
        self._gap = False

    def line(self, *spans: Span, target: Target | None = None) -> None:
        """Add one line made of these pieces; blanks at its end are dropped."""
        row, column = self._next_row(), 0
        texts: list[str] = []
        coloured: list[tuple[int, int, Group]] = []
        for span in spans:
            plain = isinstance(span, str)
            text = safe_line(span if plain else span[0])
            if len(text) > _SPAN_LIMIT:
                text = clipped(text, _SPAN_LIMIT)
            texts.append(text)
            start, column = column, column + byte_length(text)
            if not plain and text:
                coloured.append((start, column, span[1]))
        line = "".join(texts).rstrip(" ")
        length = byte_length(line)
        for start, end, group in coloured:
            if start < length:
                self._marks.append(Mark(row=row, start=start, end=min(end, length), group=group))
        self._lines.append(line)
        self._stands_for(row, target)

    def blank(self) -> None:
        """Set the next line apart from the ones above; nothing where none follows."""
        self._gap = True

    def heading(self, text: str, *rest: Span) -> None:
        """Add a heading, set apart from what stands above."""
        self.blank()
        self.line((text, "McpTitle"), *rest)

    def field(self, key: str, *spans: Span, target: Target | None = None) -> None:
        """Add an indented `key  value` line."""
        self.line("  ", (key, "McpKey"), " " * max(1, _KEY_WIDTH + 2 - len(key)), *spans, target=target)

    def text(self, text: str, *, indent: str = "", group: Group | None = None, target: Target | None = None) -> None:
        """Add the lines of a text behind the indent; tabs and blanks stay. The target belongs to the first of them."""
        for line in safe_text(text).split("\n"):
            row = self._next_row()
            self._lines.append(indent + line if line else indent.rstrip(" "))
            if group is not None and line:
                start = len(indent)
                self._marks.append(Mark(row=row, start=start, end=start + byte_length(line), group=group))
            self._stands_for(row, target)
            target = None

    def block(self, lines: Sequence[str], *, indent: str = "", group: Group | None = None) -> None:
        """Add several texts, each as `text` does."""
        if group is not None:
            for line in lines:
                self.text(line, indent=indent, group=group)
        elif lines:
            self._next_row()
            blank = indent.rstrip(" ")
            # All at once: a result may have 50,000 lines.
            safe = safe_text("\n".join(lines)).split("\n")
            self._lines.extend(indent + line if line else blank for line in safe)

    def problem(self, text: str, *, indent: str = "") -> None:
        """Add a `! …` line."""
        self.line(indent, (f"! {text}", "McpProblem"))

    def view(self, *, filetype: str, title: str) -> View:
        """The page as it stands."""
        return View(
            lines=tuple(self._lines),
            marks=tuple(self._marks),
            items=tuple(self._items),
            filetype=filetype,
            title=safe_line(title),
        )

    def _next_row(self) -> int:
        if self._gap and self._lines and self._lines[-1]:
            self._lines.append("")
        self._gap = False
        return len(self._lines)

    def _stands_for(self, row: int, target: Target | None) -> None:
        if target is not None:
            alias, name = encodable_text(target.alias), encodable_text(target.name)
            self._items.append(Item(row=row, kind=target.kind, alias=alias, name=name))


def column_width(texts: Iterable[str], limit: int) -> int:
    """How wide a column must be for these texts; the ones over the limit stick out and do not push the others."""
    widths = (display_width(safe_line(text)) for text in texts)
    return max((width for width in widths if width <= limit), default=0)


def column(text: str, group: Group, width: int) -> tuple[Span, Span]:
    """The text in its colour and the blanks that fill its column, with a gap of two to the next one."""
    shown = safe_line(text)
    return (shown, group), " " * (max(width - display_width(shown), 0) + 2)
