"""One server in the trust buffer: what runs, what it is given, and what it may do without being asked."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from mcp_host.core.definitions.models import HttpDefinition, StdioDefinition, is_alias
from mcp_host.problems import Problem
from mcp_host.views.cautions import cautions, handed_over, is_of_weight, spoken_path, value_cautions
from mcp_host.views.exact import add_exact, entry_pieces, line_pieces, list_pieces, string_pieces, value_pieces
from mcp_host.views.layers import spoken_place
from mcp_host.views.trust_facts import Leaf, Said, TrustServer, TrustTarget, leaves, said_fields
from mcp_host.views.view import Group, Page, Span

_COLUMN: Final = 14
"""Where values begin."""

_TARGETS: Final[dict[TrustTarget, tuple[str, str]]] = {
    "stdio": ("starts", "a program"),
    "http": ("connects to", "an address"),
    "sse": ("connects to", "an address (over SSE)"),
    "unknown": ("may reach", "what cannot be told"),
}

_LABELS: Final = {
    "command": "Runs",
    "args": "  args",
    "cwd": "In",
    "env": "With env",
    "url": "Sends to",
    "headers": "Headers",
    "authorization": "Signs in",
}
"""What runs, in this order. Every other field is called by its name in the file, and comes below."""

_LISTS: Final[dict[str, tuple[str, Group, str, str]]] = {
    "read": ("runs without review: ", "McpEffectHost", "nothing runs without review", "nothing runs without review"),
    "tools": ("only ", "McpSignature", "every tool that it offers", "none of its tools"),
}
"""Fields that name tools: the word before the names and their colour; what it means that there is none, and no name."""

_KNOWN: Final = frozenset({*StdioDefinition.model_fields, *HttpDefinition.model_fields})


def add_server(page: Page, server: TrustServer) -> None:
    """Add everything that a yes would make of one server."""
    said = said_fields(server)
    page.blank()
    would = " ".join(_TARGETS[server.target]) if server.problem is None else "faulty, stays off"
    add_exact(page, _alias_pieces(server), column=2, group="McpAlias", tail=(" · ", (would, "McpTitle")))
    for caution in cautions(server):
        add_caution(page, caution, indent="  ")
    if server.problem is not None:
        add_fault(page, server.problem, indent="  ")
    for name in _LABELS:
        if name in said:
            _add_field(page, name, said[name])
        elif name == "cwd" and "command" in said:
            is_own = any(name in said and not said[name].place for name in ("command", "args"))
            page.field("In", ("this project's folder" if is_own else "the editor's folder", "McpMuted"))
    _add_handed_over(page, said)
    for name in _LISTS:
        _add_list(page, name, said.get(name))
    rest = {name: one for name, one in said.items() if name not in _LABELS and name not in _LISTS}
    _add_entries(page, "Also", {name: one for name, one in rest.items() if name in _KNOWN})
    # Under a label of its own: what nobody reads may have any name.
    _add_entries(page, "Unread", {name: one for name, one in rest.items() if name not in _KNOWN})
    for hidden in server.hides:
        if not is_of_weight(hidden):
            place = spoken_place(hidden.layer, hidden.file, hidden.line)
            page.line("  ", (f"replaces your {', '.join(hidden.fields)} ({place})", "McpMuted"))


def add_reach(page: Page, server: TrustServer, *, indent: str) -> None:
    """Add a line with the server and exactly what it starts or connects to."""
    said = said_fields(server)
    targets = [said[name].value for name in ("command", "url") if name in said]
    target = string_pieces(targets[0]) if targets and isinstance(targets[0], str) else (_TARGETS[server.target][1],)
    *alias, last = _alias_pieces(server)
    is_off = "faulty, " if server.problem is not None else ""
    pieces = (*alias, f"{last} · {is_off}{_TARGETS[server.target][0]} {target[0]}", *target[1:])
    add_exact(page, pieces, lead=(indent,), column=len(indent) + 2, group="McpAlias")


def add_caution(page: Page, text: str, *, indent: str) -> None:
    """Add a `! …` line, whole."""
    add_exact(page, line_pieces(text), lead=(indent, ("! ", "McpProblem")), column=len(indent) + 2, group="McpProblem")


def add_fault(page: Page, problem: Problem, *, indent: str) -> None:
    """Add a problem, each further line behind a mark: a name in it, out of the file, may hold breaks."""
    column = len(indent) + 4
    add_caution(page, problem.title, indent=indent)
    if problem.detail:
        add_exact(page, line_pieces(problem.detail), lead=(" " * column,), column=column, group="McpMuted")
    if problem.hint:
        lead: tuple[Span, ...] = (" " * (column - 2), ("→ ", "McpMuted"))
        add_exact(page, line_pieces(problem.hint), lead=lead, column=column, group="McpSummary")


def _alias_pieces(server: TrustServer) -> tuple[str, ...]:
    return (server.alias,) if is_alias(server.alias) else string_pieces(server.alias)


def _add_field(page: Page, name: str, said: Said) -> None:
    """Add what runs: a single value with its place behind it, several of them one a line with the place above."""
    label = _LABELS[name]
    group: Group = "McpTool" if name in ("command", "url") else "McpSignature"
    parts = list(leaves(said.value, (name,)))
    if said.place and len(parts[0].path) > 1:
        page.line(*_lead(label), (f"from {said.place}:", "McpMuted"))
        label = ""
    for part in parts:
        is_item = len(part.path) > 1 and isinstance(part.path[1], int)
        lead = _lead(f"  {spoken_path(part.path[:2])}" if is_item else label)
        pieces = entry_pieces(part.path[2 if is_item else 1 :], value_pieces(part.value))
        is_placed = said.place and len(part.path) == 1
        tail: tuple[Span, ...] = ((f"  (from {said.place})", "McpMuted"),) if is_placed else ()
        add_exact(page, pieces, lead=lead, column=_COLUMN, group=group, tail=tail)
        _add_value_cautions(page, part)
        label = ""


def _add_handed_over(page: Page, said: Mapping[str, Said]) -> None:
    label = "Hands over"
    for name, places in handed_over(said).items():
        tail = (f"  in {', '.join(places)}", "McpMuted")
        add_exact(page, (f"${name}",), lead=_lead(label), column=_COLUMN, group="McpEffectHost", tail=(tail,))
        label = ""


def _add_list(page: Page, name: str, said: Said | None) -> None:
    """Add the names of tools that a field lists, and what it means that it lists none."""
    word, group, absent, empty = _LISTS[name]
    tail: tuple[Span, ...] = ((f"  (from {said.place})", "McpMuted"),) if said is not None and said.place else ()
    parts = list(leaves(said.value, (name,))) if said is not None else []
    names = [part.value for part in parts if isinstance(part.value, str)]
    if not parts or (said is not None and said.value == []):
        page.line(*_lead(name), (empty if parts else absent, "McpMuted"), *tail)
    elif len(names) == len(parts):
        lead: tuple[Span, ...] = (*_lead(name), (word, group))
        add_exact(page, list_pieces(names), lead=lead, column=_COLUMN, group=group, tail=tail)
        for part in parts:
            _add_value_cautions(page, part)
    elif said is not None:
        _add_entries(page, name, {name: said})


def _add_entries(page: Page, label: str, said: Mapping[str, Said]) -> None:
    """Add fields as one would write them, below one label."""
    for name, one in said.items():
        tail: tuple[Span, ...] = ((f"  (from {one.place})", "McpMuted"),) if one.place else ()
        for part in leaves(one.value, (name,)):
            pieces = entry_pieces(part.path, value_pieces(part.value))
            add_exact(page, pieces, lead=_lead(label), column=_COLUMN, group="McpSignature", tail=tail)
            _add_value_cautions(page, part)
            label = ""


def _add_value_cautions(page: Page, leaf: Leaf) -> None:
    for caution in value_cautions(leaf):
        add_caution(page, f"{spoken_path(leaf.path)} {caution}", indent=" " * _COLUMN)


def _lead(label: str) -> tuple[Span, ...]:
    """A label and the blanks up to where values begin."""
    return "  ", (label, "McpKey"), " " * max(1, _COLUMN - 2 - len(label))
