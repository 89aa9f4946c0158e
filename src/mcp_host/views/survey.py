"""The survey: everything one server offers on one page, a line a thing, and the same as a document."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from mcp_host.core.catalog.catalog import Catalog, ServerIdentity, enabled_tools, missing_tools
from mcp_host.core.catalog.entries import Prompt, Resource, ResourceTemplate, Tool
from mcp_host.core.catalog.signatures import signature
from mcp_host.core.catalog.summaries import first_sentence, orientation
from mcp_host.core.definitions.models import Definition
from mcp_host.core.rendering.text import clipped, encodable, encodable_text
from mcp_host.views.rows import tool_effect, tool_row, tool_summary
from mcp_host.views.view import Page, Span, Target, View, column, column_width

_NAME_WIDTH: Final = 26
"""Where the names' column ends at the latest: with the effect, 46 of 80 columns are left to say what a tool does."""
_SUMMARY_LIMIT: Final = 100
_SIGNATURE_LIMIT: Final = 300
"""The card shows a signature in full; here it is the tail of a line."""
_NAMES_LIMIT: Final = 20
"""How many left out tools are named."""


def survey_view(*, catalog: Catalog, definition: Definition, status: str) -> View:
    """The `mcp://{alias}/survey` buffer. Every tool, resource, template and prompt line has its item."""
    page = Page()
    page.line(
        (catalog.alias, "McpAlias"),
        " · ",
        (status, "McpOk" if status == "ready" else "McpProblem"),
        " · ",
        (spoken_identity(catalog.identity), "McpMuted"),
    )
    if status != "ready":
        page.problem("it cannot be called now: this is what it offered before it was lost")
    page.line((clipped(orientation(catalog, definition.summary), 400), "McpSummary"))
    for warning in catalog.warnings:
        page.problem(warning)
    _tool_lines(page, catalog, definition)
    _resource_lines(page, catalog)
    _prompt_lines(page, catalog)
    if catalog.dropped:
        page.heading(f"Dropped ({len(catalog.dropped)})")
    for dropped in catalog.dropped:
        page.problem(f"{dropped.kind} {clipped(dropped.label, 200)} {dropped.reason}", indent="  ")
    return page.view(filetype="mcp-survey", title=f"{catalog.alias} · survey")


def survey_document(*, catalog: Catalog, definition: Definition) -> dict[str, object]:
    """The survey for scripts: enabled tools as rows, the other entries as the server listed them."""
    return {
        "orientation": encodable_text(orientation(catalog, definition.summary)),
        "tools": [tool_row(catalog.alias, tool, definition) for tool in enabled_tools(catalog, definition.tools)],
        "resources": [encodable(resource.raw) for resource in catalog.resources],
        "resourceTemplates": [encodable(template.raw) for template in catalog.templates],
        "prompts": [encodable(prompt.raw) for prompt in catalog.prompts],
        "dropped": [
            {"kind": dropped.kind, "label": encodable_text(dropped.label), "reason": encodable_text(dropped.reason)}
            for dropped in catalog.dropped
        ],
        "warnings": [encodable_text(warning) for warning in catalog.warnings],
    }


def spoken_identity(identity: ServerIdentity) -> str:
    """What was negotiated and with whom: `modern 2026-07-28 · mcp-time 1.2.3`."""
    name = " ".join(word for word in (identity.name, identity.version) if word)
    return f"{identity.era} {identity.revision} · {clipped(name, 200) or '(no name)'}"


def _tool_lines(page: Page, catalog: Catalog, definition: Definition) -> None:
    enabled = enabled_tools(catalog, definition.tools)
    missing = dict.fromkeys(missing_tools(catalog, definition.tools), "tools")
    missing |= {name: "read" for name in missing_tools(catalog, definition.read) if name not in missing}
    if not catalog.tools and not missing:
        return
    everything = len(enabled) == len(catalog.tools)
    page.heading(f"Tools ({len(enabled)})" if everything else f"Tools ({len(enabled)} of {len(catalog.tools)})")
    width = column_width((tool.name for tool in enabled), _NAME_WIDTH)
    for tool in enabled:
        effect = tool_effect(tool.name, definition)
        page.line(
            *_name_column(tool.name, width),
            (effect, "McpEffectRead" if effect == "read" else "McpEffectHost"),
            "  ",
            (_summary(tool, definition), "McpSummary"),
            "  ",
            (clipped(signature(tool.input_schema), _SIGNATURE_LIMIT), "McpSignature"),
            target=Target(kind="tool", alias=catalog.alias, name=tool.name),
        )
    for name, field in missing.items():
        page.problem(f"{name} is named in the definition's {field} and not offered by the server", indent="  ")
    if not everything:
        kept = frozenset(tool.name for tool in enabled)
        left_out = _names([tool.name for tool in catalog.tools if tool.name not in kept])
        page.line("  ", (f"left out by the definition: {left_out}", "McpMuted"))


def _summary(tool: Tool, definition: Definition) -> str:
    summary = tool_summary(tool, definition)
    return "" if summary == tool.name else clipped(summary, _SUMMARY_LIMIT)


def _resource_lines(page: Page, catalog: Catalog) -> None:
    if catalog.resources:
        page.heading(f"Resources ({len(catalog.resources)})")
    width = column_width((resource.name for resource in catalog.resources), _NAME_WIDTH)
    for resource in catalog.resources:
        target = Target(kind="resource", alias=catalog.alias, name=resource.uri)
        page.line(*_name_column(resource.name, width), *_described(resource, resource.uri), target=target)
    if catalog.templates:
        page.heading(f"Templates ({len(catalog.templates)})")
    width = column_width((template.name for template in catalog.templates), _NAME_WIDTH)
    for template in catalog.templates:
        target = Target(kind="template", alias=catalog.alias, name=template.uri_template)
        page.line(*_name_column(template.name, width), *_described(template, template.uri_template), target=target)


def _described(entry: Resource | ResourceTemplate, uri: str) -> tuple[Span, ...]:
    about = _about(entry)
    address = [word for word in (uri if uri != entry.name else "", entry.mime_type or "") if word]
    return (about, "McpSummary"), "  " if about else "", ("  ".join(clipped(word, 200) for word in address), "McpMuted")


def _prompt_lines(page: Page, catalog: Catalog) -> None:
    if catalog.prompts:
        page.heading(f"Prompts ({len(catalog.prompts)})")
    width = column_width((prompt.name for prompt in catalog.prompts), _NAME_WIDTH)
    for prompt in catalog.prompts:
        about = _about(prompt)
        arguments = ", ".join(f'"{one.name}"{"" if one.required else "?"}' for one in prompt.arguments)
        page.line(
            *_name_column(prompt.name, width),
            (about, "McpSummary"),
            "  " if about else "",
            ("{" + clipped(arguments, _SIGNATURE_LIMIT) + "}", "McpSignature"),
            target=Target(kind="prompt", alias=catalog.alias, name=prompt.name),
        )


def _about(entry: Resource | ResourceTemplate | Prompt) -> str:
    title = entry.title if entry.title != entry.name else None
    return title or first_sentence(entry.description or "", _SUMMARY_LIMIT)


def _name_column(name: str, width: int) -> tuple[Span, ...]:
    return "  ", *column(clipped(name, 200), "McpTool", width)


def _names(names: Sequence[str]) -> str:
    shown = ", ".join(clipped(name, 60) for name in names[:_NAMES_LIMIT])
    return shown if len(names) <= _NAMES_LIMIT else f"{shown} and {len(names) - _NAMES_LIMIT} more"
