"""The proposal: everything a person needs to decide about one call, and nothing that could be taken for something else.

The arguments are laid out from the very JSON text that will be sent, whole, and every text that is not the host's own
stands behind an indent, so that none of it can pass for a line of the host. The definition is shown as written:
references stay unresolved.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final, cast

from mcp_host.core.catalog.catalog import ServerIdentity
from mcp_host.core.catalog.literals import literal
from mcp_host.core.definitions.models import Definition, StdioDefinition
from mcp_host.core.rendering.caps import BUFFER_CAP_BYTES, Capped, capped, wrapped
from mcp_host.core.rendering.content import Part
from mcp_host.core.rendering.json_text import indented_json
from mcp_host.core.rendering.text import clipped, safe_lines
from mcp_host.views.card import EFFECT_REASONS, annotation_lines
from mcp_host.views.parts import add_cut_notice, add_parts, shown_parts
from mcp_host.views.rows import Effect
from mcp_host.views.survey import spoken_identity
from mcp_host.views.view import Page, Target, View, column, column_width

_PLAIN_WORD: Final = re.compile(r"[\w@%+=:,./${}?&#~-]+\Z", re.ASCII)
"""An argument of a command that is read in one way without quotes around it."""

_TEXT_LINES_LIMIT: Final = 2_000
"""How many lines of a string are repeated as text; the JSON above it has them all."""

_WHAT_KEYS_DO: Final = ":write runs it once, exactly as shown · :quit discards it"


@dataclass(frozen=True, kw_only=True)
class ProposalFacts:
    """One call that waits for a verdict."""

    receipt: str
    state: str = "pending"
    alias: str
    tool: str
    """Raw."""
    summary: str = ""
    effect: Effect
    arguments: str
    """The canonical JSON text, exactly as it will be sent."""
    identity: ServerIdentity
    definition: Definition
    """Unexpanded."""
    origin: str
    """The layer, file and line of the definition."""
    expires_at: str
    """Ready to read; views know no clock."""
    warnings: tuple[str, ...] = ()
    """What should give pause, such as a tool that changed since it was last accepted. Each may span lines."""
    annotations: Mapping[str, object] = field(default_factory=dict[str, object])
    preview_tool: str | None = None
    preview: tuple[Part, ...] = ()
    """What the server's own preview tool answered."""
    full_path: str | None = None
    """The file with the whole arguments, where `arguments_overflow` said that the view shows a part of them."""


@dataclass(frozen=True, kw_only=True)
class ReceiptFacts:
    """One line of the review queue."""

    receipt: str
    alias: str
    tool: str
    state: str
    expires_at: str
    arguments: str


def proposal_view(facts: ProposalFacts) -> View:
    """The `mcp://proposal/{receipt}` buffer."""
    page = Page()
    target = Target(kind="receipt", alias=facts.alias, name=facts.receipt)
    page.line(("Proposal", "McpTitle"), " · ", (f"{facts.alias}.{facts.tool}", "McpTool"), target=target)
    page.line(
        (
            _what_keys_do(facts) if facts.state == "pending" else f"It is {facts.state}: :write does nothing.",
            "McpMuted",
        )
    )
    for warning in facts.warnings:
        first, *rest = safe_lines(warning)
        page.problem(first)
        page.block(rest, indent="  ")
    arguments = _shown_arguments(facts.arguments)
    add_cut_notice(page, arguments.note, facts.full_path)
    page.blank()
    _fact_lines(page, facts, target)
    page.heading("Arguments", (" (all of the JSON that is sent)", "McpMuted"))
    page.block(arguments.lines, indent="  ")
    _text_blocks(page, facts.arguments)
    if facts.preview_tool is not None:
        page.heading("Preview", (f" (what the server's {facts.preview_tool} answered)", "McpMuted"))
        add_parts(page, shown_parts(facts.alias, facts.preview), indent="  ")
    annotation_lines(page, facts.annotations)
    return page.view(filetype="mcp-proposal", title=f"proposal · {facts.alias}.{facts.tool}")


def proposals_view(receipts: Sequence[ReceiptFacts]) -> View:
    """The review queue: a line for each receipt, in the order given."""
    page = Page()
    page.heading(f"Proposals ({len(receipts)})")
    width = column_width((f"{facts.alias}.{facts.tool}" for facts in receipts), 40)
    for facts in receipts:
        page.line(
            "  ",
            *column(f"{facts.alias}.{facts.tool}", "McpTool", width),
            (facts.state, "McpKey"),
            f"  expires {facts.expires_at}" if facts.state == "pending" else "",
            (f"  {facts.receipt}", "McpMuted"),
            "  ",
            (clipped(facts.arguments, 200), "McpSignature"),
            target=Target(kind="receipt", alias=facts.alias, name=facts.receipt),
        )
    if not receipts:
        page.line("  ", ("Nothing waits for review.", "McpMuted"))
    return page.view(filetype="mcp-proposals", title="proposals")


def arguments_overflow(arguments: str) -> str | None:
    """The whole arguments where they are more than a view shows, to be saved and given as `full_path`; else None."""
    return arguments if _shown_arguments(arguments).cut else None


def _what_keys_do(facts: ProposalFacts) -> str:
    ran = "nothing has run yet" if facts.preview_tool is None else "only its preview has run"
    return f"{_WHAT_KEYS_DO} · {ran}"


def _fact_lines(page: Page, facts: ProposalFacts, target: Target) -> None:
    page.field("Server", (facts.alias, "McpAlias"), " · ", spoken_identity(facts.identity))
    tool = Target(kind="tool", alias=facts.alias, name=facts.tool)
    about = f" · {clipped(facts.summary, 200)}" if facts.summary and facts.summary != facts.tool else ""
    page.field("Tool", (facts.tool, "McpTool"), (about, "McpSummary"), target=tool)
    page.field(
        "Effect",
        (facts.effect, "McpEffectRead" if facts.effect == "read" else "McpEffectHost"),
        (f" · {EFFECT_REASONS[facts.effect]}", "McpMuted"),
    )
    for key, value in _places(facts.definition):
        page.field(key, value)
    page.field("Defined in", facts.origin)
    page.field("Receipt", facts.receipt, target=target)
    page.field("State", facts.state, f" · expires {facts.expires_at}" if facts.state == "pending" else "")


def _places(definition: Definition) -> Iterator[tuple[str, str]]:
    """Where the call runs, in the definition's own words. Values of `env` and headers stay out: only their names."""
    if isinstance(definition, StdioDefinition):
        yield "Runs", " ".join(_word(word) for word in (definition.command, *definition.args))
        if definition.cwd is not None:
            yield "In", definition.cwd
        if definition.env:
            yield "With env", ", ".join(definition.env)
        return
    yield "Sent to", definition.url
    if definition.headers:
        yield "Headers", ", ".join(definition.headers)


def _word(word: str) -> str:
    return word if _PLAIN_WORD.match(word) else literal(word)


def _shown_arguments(arguments: str) -> Capped:
    return capped(wrapped(indented_json(arguments)))


def _text_blocks(page: Page, arguments: str) -> None:
    """Repeat each string of several lines as text: a patch or a script cannot be reviewed with `\\n` in it."""
    left = _TEXT_LINES_LIMIT
    for path, text in _texts(_parsed(arguments), ""):
        lines = safe_lines(text)
        page.heading(path, (" (as text)", "McpMuted"))
        page.block(capped(lines[:left]).lines, indent="  │ ")
        if len(lines) > left:
            page.line("  ", (f"… {len(lines) - left:,} lines more: the JSON above has them", "McpMuted"))
            return
        left -= len(lines)


def _parsed(arguments: str) -> object:
    if len(arguments) > BUFFER_CAP_BYTES:
        return None
    try:
        return json.loads(arguments)
    except (RecursionError, ValueError):
        return None


def _texts(value: object, path: str) -> Iterator[tuple[str, str]]:
    if isinstance(value, str):
        if "\n" in value.rstrip("\n"):
            yield path or "(the whole value)", value
    elif isinstance(value, dict):
        for name, member in cast("dict[str, object]", value).items():
            yield from _texts(member, f"{path}.{name}" if path else name)
    elif isinstance(value, list):
        for position, member in enumerate(cast("list[object]", value)):
            yield from _texts(member, f"{path}[{position}]")
