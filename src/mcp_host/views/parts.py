"""The parts of a result as lines of a view, within the caps of a buffer."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from mcp_host.core.rendering.caps import capped
from mcp_host.core.rendering.content import Part
from mcp_host.core.rendering.text import safe_line
from mcp_host.views.view import Group, Page, Target

_ONE_LINERS: Final = frozenset(("attachment", "link"))
"""Kinds that stand below one another without a gap."""


@dataclass(frozen=True, kw_only=True)
class PartLines:
    """Lines, and what is special about a few of them. Results can have a million lines, so a line is a bare string."""

    lines: tuple[str, ...]
    special: Mapping[int, Special]
    """By the position of the line."""
    cut: str = ""
    """What is not shown, in words; empty when everything is."""


@dataclass(frozen=True, kw_only=True)
class Special:
    """A line that is the host's own word about a part."""

    group: Group
    target: Target | None = None


def shown_parts(alias: str, parts: Sequence[Part]) -> PartLines:
    """Lay the parts out, as far as a buffer shows them, one blank line between two of them."""
    whole = _laid_out(alias, parts)
    shown = capped(whole.lines)
    return PartLines(lines=shown.lines, special=whole.special, cut=shown.note)


def overflow(parts: Sequence[Part]) -> str | None:
    """The whole text where it is more than a view shows, to be saved and its path given as `full_path`; else None."""
    whole = _laid_out("", parts)
    return "\n".join((*whole.lines, "")) if capped(whole.lines).cut else None


def add_parts(page: Page, shown: PartLines, *, indent: str = "") -> None:
    """Add the lines to the page, and at their end once more what was cut."""
    at = 0
    for position, special in sorted(shown.special.items()):
        page.block(shown.lines[at:position], indent=indent)
        at = position + 1
        for line in shown.lines[position:at]:
            page.text(line, indent=indent, group=special.group, target=special.target)
    page.block(shown.lines[at:], indent=indent)
    if shown.cut:
        page.line(indent, (f"… {shown.cut}", "McpProblem"))


def add_cut_notice(page: Page, cut: str, full_path: str | None) -> None:
    """Say what is not shown, and in which file it is; nothing where nothing was cut."""
    if not cut:
        return
    page.problem(f"too big to be shown in full: {cut}")
    if full_path is not None:
        target = Target(kind="path", alias="", name=full_path)
        page.line("  the whole text: ", (full_path, "McpKey"), target=target)


def _laid_out(alias: str, parts: Sequence[Part]) -> PartLines:
    lines: list[str] = []
    special: dict[int, Special] = {}
    for position, part in enumerate(parts):
        if position and not (part.kind in _ONE_LINERS and parts[position - 1].kind in _ONE_LINERS):
            lines.append("")
        for text, how in _announced(alias, part):
            special[len(lines)] = how
            lines.append(text)
        if part.kind not in _ONE_LINERS:
            lines.extend(part.lines)
    return PartLines(lines=tuple(lines), special=special)


def _announced(alias: str, part: Part) -> Iterator[tuple[str, Special]]:
    link = Target(kind="link", alias=alias, name=part.uri) if part.uri is not None else None
    if part.label:
        yield part.label, Special(group="McpKey", target=link)
    if part.fault:
        yield f"! {part.fault}", Special(group="McpProblem")
    if part.kind == "attachment":
        where = f"→ {safe_line(part.path)}" if part.path else "(not saved)"
        path = Target(kind="path", alias=alias, name=part.path) if part.path else None
        yield f"[{' '.join(part.lines)}] {where}", Special(group="McpTool", target=path)
    elif part.kind == "link":
        yield f"→ {' '.join(part.lines)}", Special(group="McpTool", target=link)
