"""The capability matrix as people and scripts see it, and what came of it with each server that is asked about."""

from __future__ import annotations

import textwrap
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

from mcp_host.core.capabilities.capability import BOTH, Capability, Disposition
from mcp_host.core.capabilities.negotiated import Negotiated, negotiate_capabilities
from mcp_host.core.catalog.catalog import Era
from mcp_host.core.catalog.json_values import as_object
from mcp_host.core.rendering.text import clipped, display_width, encodable, safe_line
from mcp_host.views.rows import STATUS_GROUPS
from mcp_host.views.view import Group, Page, Span, Target, View, column

COLUMNS: Final = 80
"""What every line of ours fits into."""

_ID_WIDTH: Final = 24
_ERA_WIDTH: Final = 6
_ADVERTISED_WIDTH: Final = 11
_KEY_WIDTH: Final = 12

_NAME_LIMIT: Final = 60
"""Characters of one name that a server made up."""
_NAMES_LIMIT: Final = 40
"""How many of a server's names are shown in one place; the document has them all."""

_GROUPS: Final[Mapping[Disposition, tuple[str, Group]]] = {
    "supported": ("Supported", "McpOk"),
    "partial": ("In part", "McpEffectHost"),
    "deferred": ("Not in this version", "McpMuted"),
    "excluded": ("Left out", "McpMuted"),
}
"""In the order in which they are shown."""


@dataclass(frozen=True, kw_only=True)
class ServerCapabilityFacts:
    """What is known of one server's capabilities, connected or not."""

    alias: str
    status: str
    era: Era | None = None
    """None, as the rest is empty, while no connection stands."""
    revision: str = ""
    declared: Mapping[str, object] = field(default_factory=dict[str, object])
    """The server's own ServerCapabilities object: its words."""
    told: Mapping[str, object] = field(default_factory=dict[str, object])
    """The ClientCapabilities object that it got from us."""


def capabilities_document(
    rows: Sequence[Capability], servers: Sequence[ServerCapabilityFacts] = ()
) -> dict[str, object]:
    """The same for scripts: `{"capabilities": […], "servers": […]}`."""
    return {
        "capabilities": [_row_document(row) for row in rows],
        "servers": [encodable(_server_document(facts, rows)) for facts in servers],
    }


def capabilities_view(rows: Sequence[Capability], servers: Sequence[ServerCapabilityFacts] = ()) -> View:
    """The `mcp://capabilities` buffer: what was negotiated with each of these servers, then the whole matrix."""
    page = Page()
    page.line(("Capabilities", "McpTitle"), f" · {_counts(rows)}")
    for facts in servers:
        _add_server(page, facts, rows)
    header = ("  capability".ljust(_ID_WIDTH + 4), "eras".ljust(_ERA_WIDTH + 2), "told".ljust(_ADVERTISED_WIDTH + 2))
    for disposition, (title, group) in _GROUPS.items():
        these = [row for row in rows if row.disposition == disposition]
        if these:
            page.heading(f"{title} ({len(these)})")
            page.line(("".join(header), "McpMuted"))
        for row in these:
            _add_row(page, row, group)
    title = f"{servers[0].alias} · capabilities" if len(servers) == 1 else "capabilities"
    return page.view(filetype="mcp-capabilities", title=title)


def _counts(rows: Sequence[Capability]) -> str:
    numbers = {
        title: sum(row.disposition == disposition for row in rows) for disposition, (title, _) in _GROUPS.items()
    }
    return " · ".join(f"{number} {title.lower()}" for title, number in numbers.items() if number)


def _add_row(page: Page, row: Capability, group: Group) -> None:
    page.line(
        "  ",
        *column(row.id, group, _ID_WIDTH),
        *column("both" if row.eras == BOTH else "".join(row.eras), "McpMuted", _ERA_WIDTH),
        *column(row.advertised, "McpMuted" if row.advertised == "never" else "McpKey", _ADVERTISED_WIDTH),
        row.title,
    )
    note = " ".join(text for text in ("May wait for you." if row.is_interactive else "", row.note) if text)
    for line in textwrap.wrap(note, COLUMNS - 6):
        page.line("      ", (line, "McpSummary"))


def _add_server(page: Page, facts: ServerCapabilityFacts, rows: Sequence[Capability]) -> None:
    page.blank()
    page.line(
        (facts.alias, "McpAlias"),
        " · ",
        (facts.status, STATUS_GROUPS.get(facts.status, "McpKey")),
        (f" · {facts.era} {facts.revision}" if facts.era else "", "McpMuted"),
        target=Target(kind="server", alias=facts.alias, name=facts.alias),
    )
    if facts.era is None:
        page.line("  ", ("It is not connected, so nothing is negotiated.", "McpMuted"))
        return
    result = _negotiated(facts.era, facts, rows)
    _add_words(page, "it declares", _spoken(facts.declared))
    _add_words(page, "it was told", _spoken(facts.told))
    _add_words(page, "both have", (row.id for row in result.shared), group="McpOk")
    _add_words(page, "it may use", (row.id for row in result.usable), group="McpOk")
    if result.unused:
        _add_words(page, "not used", (f"{row.id} ({_why_unused(row)})" for row in result.unused))
    if result.unknown:
        _add_words(page, "unknown", map(_shown, result.unknown), group="McpMuted")


def _negotiated(era: Era, facts: ServerCapabilityFacts, rows: Sequence[Capability]) -> Negotiated:
    return negotiate_capabilities(era, declared=facts.declared, told=facts.told, matrix=rows)


def _why_unused(row: Capability) -> str:
    return row.disposition if row.disposition in ("excluded", "deferred") else "not offered"


def _spoken(capabilities: Mapping[str, object]) -> Iterator[str]:
    """Each capability, with what is in it: `tools · resources.subscribe`; what is said to be false is not there."""
    for name, value in _there(capabilities):
        members = [key for key, _ in _there(as_object(value) or {})]
        yield from (f"{_shown(name)}.{_shown(key)}" for key in members)
        if not members:
            yield _shown(name)


def _there(capabilities: Mapping[str, object]) -> Iterator[tuple[str, object]]:
    return ((key, value) for key, value in capabilities.items() if value is not None and value is not False)


def _shown(name: str) -> str:
    return clipped(safe_line(name), _NAME_LIMIT)


def _add_words(page: Page, key: str, words: Iterable[str], *, group: Group | None = None) -> None:
    """Add the words behind the key, filled into lines that are as wide as ours may be."""
    lead: tuple[Span, ...] = ("  ", *column(key, "McpKey", _KEY_WIDTH))
    for line in _filled(words, COLUMNS - _KEY_WIDTH - 6):
        page.line(*lead, line if group is None else (line, group))
        lead = (" " * (_KEY_WIDTH + 4),)


def _filled(words: Iterable[str], width: int) -> Iterator[str]:
    """The words with dots between them, as many on a line as fit; a single dash where there are none."""
    line = ""
    for count, word in enumerate(words):
        if count == _NAMES_LIMIT:
            yield f"{line} ·"
            line = "… and more"
            break
        if line and display_width(f"{line} · {word}") > width:
            yield f"{line} ·"
            line = word
        else:
            line = f"{line} · {word}" if line else word
    yield line or "—"


def _row_document(row: Capability) -> dict[str, object]:
    return {
        "id": row.id,
        "title": row.title,
        "eras": list(row.eras),
        "authority": row.authority,
        "spec": row.spec,
        "disposition": row.disposition,
        "advertised": row.advertised,
        "interactive": row.is_interactive,
        "note": row.note,
    }


def _server_document(facts: ServerCapabilityFacts, rows: Sequence[Capability]) -> dict[str, object]:
    document: dict[str, object] = {"alias": facts.alias, "status": facts.status, "era": facts.era}
    if facts.era is None:
        return document
    result = _negotiated(facts.era, facts, rows)
    return document | {
        "revision": facts.revision,
        "serverCapabilities": facts.declared,
        "clientCapabilities": facts.told,
        "shared": [row.id for row in result.shared],
        "usable": [row.id for row in result.usable],
        "unused": [row.id for row in result.unused],
        "unknown": list(result.unknown),
    }
