"""The card of one tool: everything that can be known about it before it is called."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final

from mcp_host.core.catalog.constraints import PropertyFacts, property_facts
from mcp_host.core.catalog.entries import Tool
from mcp_host.core.catalog.literals import literal
from mcp_host.core.catalog.naming import callable_name
from mcp_host.core.catalog.signatures import output_signature, signature
from mcp_host.core.definitions.models import Definition
from mcp_host.core.rendering.caps import capped
from mcp_host.core.rendering.text import clipped, encodable, encodable_text, safe_lines
from mcp_host.views.rows import Effect, tool_effect, tool_row, tool_summary
from mcp_host.views.view import Page, Target, View, column, column_width

_PATH_WIDTH: Final = 28
_ANNOTATION_WIDTH: Final = 20
_DESCRIPTION_LIMIT: Final = 4_000
"""Characters of what is said about one argument; a card has up to 500 of them and must stay within a buffer."""

EFFECT_REASONS: Final[dict[Effect, str]] = {
    "read": "runs without review: the definition's `read` names it",
    "host": "each call is reviewed first: the definition's `read` does not name it",
}


def tool_view(*, alias: str, tool: Tool, definition: Definition) -> View:
    """The `mcp://{alias}/tool/{name}` buffer."""
    page = Page()
    target = Target(kind="tool", alias=alias, name=tool.name)
    page.line((alias, "McpAlias"), " · ", (tool.name, "McpTool"), target=target)
    summary = tool_summary(tool, definition)
    titles = dict.fromkeys(text for text in (tool.title, summary) if text and text != tool.name)
    for text in titles:
        page.line((text, "McpSummary"))
    page.blank()
    effect = tool_effect(tool.name, definition)
    page.field("Callable", callable_name(alias, tool.name))
    page.field(
        "Effect", (effect, "McpEffectRead" if effect == "read" else "McpEffectHost"), " · ", EFFECT_REASONS[effect]
    )
    page.field("Takes", (signature(tool.input_schema), "McpSignature"), target=target)
    if returns := output_signature(tool.output_schema):
        page.field("Returns", (returns, "McpSignature"))
    if tool.description and tool.description.strip() not in titles:
        page.heading("Description")
        page.block(capped(safe_lines(tool.description.strip())).lines, indent="  ")
    _argument_lines(page, tool)
    annotation_lines(page, tool.annotations)
    return page.view(filetype="mcp-tool", title=f"{alias} · {tool.name}")


def tool_document(*, alias: str, tool: Tool, definition: Definition) -> dict[str, object]:
    """The card for scripts: the definition as the server sent it, and what the host says about it."""
    row = tool_row(alias, tool, definition)
    returns = output_signature(tool.output_schema)
    host = {key: value for key, value in row.items() if key != "name"}
    host |= {"tool": tool.name, "outputSignature": returns if returns is None else encodable_text(returns)}
    return {"tool": encodable(tool.raw), "host": host}


def annotation_lines(page: Page, annotations: Mapping[str, object]) -> None:
    """What the server claims about its tool, under a heading that says so; nothing where it claims nothing."""
    if not annotations:
        return
    page.heading("Annotations", (" (claimed by the server, not verified)", "McpMuted"))
    width = column_width(annotations, _ANNOTATION_WIDTH)
    for name, value in annotations.items():
        page.line("  ", *column(name, "McpKey", width), literal(value))


def _argument_lines(page: Page, tool: Tool) -> None:
    facts = property_facts(tool.input_schema)
    if not facts.properties:
        page.heading("Arguments", (" (none)", "McpMuted"))
        return
    page.heading(f"Arguments ({len(facts.properties)})")
    width = column_width((row.path for row in facts.properties), _PATH_WIDTH)
    for row in facts.properties:
        need = "required" if row.required else ""
        page.line("  ", *column(row.path, "McpKey", width), (row.type, "McpSignature"), "  ", need)
        description = clipped((row.description or "").strip(), _DESCRIPTION_LIMIT)
        page.block(safe_lines(description) if description else (), indent="      ")
        if limits := " · ".join(_limits(row)):
            page.line("      ", (limits, "McpMuted"))
    if facts.cut:
        page.line("  ", ("… more than are shown here: see the server's own definition", "McpMuted"))


def _limits(row: PropertyFacts) -> Iterator[str]:
    named = (
        ("", row.range),
        ("", row.length),
        ("format ", row.format),
        ("pattern ", row.pattern),
        ("one of ", ", ".join(row.enum)),
        ("always ", row.const),
        ("default ", row.default),
        ("for example ", ", ".join(row.examples)),
    )
    return (f"{word}{value}" for word, value in named if value)
