"""One line of a list: servers and tools, as documents for scripts and as the `mcp://servers` buffer."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, Literal

from mcp_host.core.catalog.entries import Tool
from mcp_host.core.catalog.naming import callable_name
from mcp_host.core.catalog.signatures import signature
from mcp_host.core.catalog.summaries import one_liner
from mcp_host.core.definitions.layers import Hidden
from mcp_host.core.definitions.models import Definition
from mcp_host.core.rendering.text import clipped, encodable_text
from mcp_host.problems import Problem
from mcp_host.views.layers import LayerFacts, spoken_place
from mcp_host.views.problems import add_problem
from mcp_host.views.view import Group, Page, Target, View, column, column_width

Effect = Literal["read", "host"]

_ALIAS_WIDTH: Final = 20
_MESSAGE_CHARS: Final = 60
_NOT_IN_VARIABLES: Final = re.compile(r"[^a-z0-9]")
_FIRST_DEFINITION: Final = (
    "[servers.time]",
    'command = "uvx"',
    'args = ["mcp-server-time"]',
    'read = ["get_current_time"]   # the tools that run without review',
)
STATUS_GROUPS: Final[dict[str, Group]] = {
    "ready": "McpOk",
    "off": "McpMuted",
    "failed": "McpProblem",
    "needs_auth": "McpProblem",
}


@dataclass(frozen=True, kw_only=True)
class RunningFacts:
    """One call under way."""

    call: str
    name: str
    """Raw: the tool's or prompt's name, or the uri."""
    kind: str
    progress: float | None = None
    """None, as the next two, while the server told of none."""
    total: float | None = None
    message: str | None = None


@dataclass(frozen=True, kw_only=True)
class RetryFacts:
    """The attempt to get a server back that will be made by itself."""

    attempt: int
    """From 1, since the last stable connection."""
    most: int
    """How many are made before it is given up."""
    in_seconds: float
    at: str
    """The time of day, as it is read: `14:03:07`."""


@dataclass(frozen=True, kw_only=True)
class ServerFacts:
    """What is known about one server, connected or not."""

    alias: str
    layer: str
    """Which layer of definitions won: `user` and so on."""
    file: str
    line: int | None = None
    transport: str
    status: str
    era: str | None = None
    """None, as the next four, until the server has been connected once."""
    revision: str | None = None
    server_name: str | None = None
    server_version: str | None = None
    tools_listed: int | None = None
    tools_enabled: int | None = None
    summary: str = ""
    problem: Problem | None = None
    """Why it is not what the definition wants it to be."""
    retry: RetryFacts | None = None
    """When it is tried again; None where nothing is waited for."""
    is_enabled: bool = True
    """Whether it may be connected in this workspace."""
    running: tuple[RunningFacts, ...] = ()
    """Its calls under way, the oldest first."""
    hides: tuple[Hidden, ...] = ()
    """What lower layers say about it in vain."""


def server_row(facts: ServerFacts) -> dict[str, object]:
    """The server as a JSON document; `problem` is there only when there is one."""
    row: dict[str, object] = {
        "alias": facts.alias,
        "layer": facts.layer,
        "file": facts.file,
        "line": facts.line,
        "transport": facts.transport,
        "status": facts.status,
        "enabled": facts.is_enabled,
        "era": facts.era,
        "revision": facts.revision,
        "server": {"name": _sendable(facts.server_name), "version": _sendable(facts.server_version)},
        "tools": {"enabled": facts.tools_enabled, "listed": facts.tools_listed},
        "summary": _sendable(facts.summary),
    }
    row["hides"] = [
        {
            "layer": one.layer,
            "file": encodable_text(one.file),
            "line": one.line,
            "fields": [*map(encodable_text, one.fields)],
        }
        for one in facts.hides
    ]
    if facts.retry is not None:
        retry = facts.retry
        row["retry"] = {"attempt": retry.attempt, "of": retry.most, "inSeconds": round(retry.in_seconds, 3)}
    if facts.running:
        row["calls"] = [_running_document(one) for one in facts.running]
    if facts.problem is not None:
        row["problem"] = facts.problem.model_dump(mode="json")
    return row


def tool_row(alias: str, tool: Tool, definition: Definition) -> dict[str, object]:
    """The tool as a JSON document. `name` is the raw one, which verbs and the wire take."""
    return {
        "alias": alias,
        "name": tool.name,
        "callableName": callable_name(alias, tool.name),
        "summary": _sendable(tool_summary(tool, definition)),
        "signature": _sendable(signature(tool.input_schema)),
        "effect": tool_effect(tool.name, definition),
    }


def tool_effect(name: str, definition: Definition) -> Effect:
    """`read` for what the definition lets run without review, `host` for everything else."""
    return "read" if name in definition.read else "host"


def tool_summary(tool: Tool, definition: Definition) -> str:
    """One line about a tool: the definition's own words, else the server's."""
    summaries = definition.tool_summaries
    # The name of an environment variable cannot spell every tool's name, so it is found by its folded form as well.
    authored = summaries.get(tool.name) or summaries.get(_NOT_IN_VARIABLES.sub("_", tool.name.lower()))
    return one_liner(tool, authored)


def servers_view(
    servers: Sequence[ServerFacts],
    problems: Sequence[Problem] = (),
    *,
    config_file: str = "",
    layers: Sequence[LayerFacts] = (),
) -> View:
    """The `mcp://servers` buffer: a line for each server, what is wrong with it below, other problems at the end.

    On top is what waits for trust. Of the layers nothing else is shown here.
    """
    page = Page()
    for layer in layers:
        if layer.state == "untrusted":
            _add_untrusted(page, layer)
    page.heading(f"Servers ({len(servers)})")
    width = column_width((facts.alias for facts in servers), _ALIAS_WIDTH)
    status_width = column_width((_status(facts) for facts in servers), _ALIAS_WIDTH)
    for facts in servers:
        _add_server(page, facts, width, status_width)
    if not servers:
        page.line("  ", (f"No server is defined{' in ' + config_file if config_file else ''} yet.", "McpMuted"))
        page.blank()
        page.line("  Write one there, for example:")
        page.block(_FIRST_DEFINITION, indent="    ", group="McpKey")
        page.line("  then R here reads it, and <CR> on its line shows what it offers. See :help mcp-host-definitions.")
    if problems:
        page.heading(f"Problems ({len(problems)})")
    for problem in problems:
        add_problem(page, problem, indent="  ")
    return page.view(filetype="mcp-servers", title="servers")


def _add_untrusted(page: Page, layer: LayerFacts) -> None:
    page.line(
        ("! ", "McpProblem"),
        (layer.file, "McpKey"),
        " waits for your yes: ",
        (":McpTrust", "McpTool"),
        " shows it. Until then nothing in it counts.",
        target=Target(kind="layer", alias="", name=layer.layer),
    )


def _add_server(page: Page, facts: ServerFacts, width: int, status_width: int) -> None:
    target = Target(kind="server", alias=facts.alias, name=facts.alias)
    talk = "  ".join(part for part in (_spoken(facts), _tool_count(facts)) if part)
    page.line(
        "  ",
        *column(facts.alias, "McpAlias", width),
        *column(_status(facts), STATUS_GROUPS.get(facts.status, "McpKey"), status_width),
        (talk, "McpMuted"),
        "  " if talk else "",
        (facts.summary, "McpSummary"),
        target=target,
    )
    page.line("    ", (_origin(facts), "McpMuted"), target=target)
    if facts.retry is not None:
        page.line("    ", (_spoken_retry(facts.retry), "McpKey"), target=target)
    for one in facts.running:
        page.line(
            "    ",
            ("▸ ", "McpOk"),
            (one.call, "McpKey"),
            " ",
            (one.name, "McpTool"),
            _spoken_progress(one),
            target=target,
        )
    for hidden in facts.hides:
        place = spoken_place(hidden.layer, hidden.file, hidden.line)
        page.line("    ", (f"hides {place} ({', '.join(hidden.fields)})", "McpMuted"), target=target)
    if facts.problem is not None and facts.problem.type == "definition-untrusted":
        page.line("    ", ("! waits for :McpTrust", "McpProblem"), target=target)  # the first line of all says why
    elif facts.problem is not None:
        add_problem(page, facts.problem, indent="    ", target=target)


def _running_document(one: RunningFacts) -> dict[str, object]:
    told = {"progress": one.progress, "total": one.total, "message": _sendable(one.message)}
    return {
        "call": one.call,
        "kind": one.kind,
        "name": _sendable(one.name),
        **{name: value for name, value in told.items() if value is not None},
    }


def _spoken_progress(one: RunningFacts) -> str:
    if one.progress is None:
        return "  running"
    part = f"{one.progress:g} of {one.total:g}" if one.total else f"{one.progress:g}"
    return f"  {part}  {clipped(one.message, _MESSAGE_CHARS)}" if one.message else f"  {part}"


def _spoken_retry(retry: RetryFacts) -> str:
    if retry.attempt > retry.most:
        return f"given up after {retry.most} attempts; tried again at {retry.at}, and at the next use"
    return f"attempt {retry.attempt} of {retry.most} to get it back at {retry.at}"


def _status(facts: ServerFacts) -> str:
    return facts.status if facts.is_enabled or facts.status != "off" else "disabled"


def _spoken(facts: ServerFacts) -> str:
    return f"{facts.era} {facts.revision}" if facts.era and facts.revision else ""


def _tool_count(facts: ServerFacts) -> str:
    if facts.tools_listed is None:
        return ""
    if facts.tools_enabled is None or facts.tools_enabled == facts.tools_listed:
        return "1 tool" if facts.tools_listed == 1 else f"{facts.tools_listed} tools"
    return f"{facts.tools_enabled} of {facts.tools_listed} tools"


def _origin(facts: ServerFacts) -> str:
    place = spoken_place(facts.layer, facts.file, facts.line)
    name = f"{facts.server_name} {facts.server_version or ''}".strip() if facts.server_name else ""
    return " · ".join(word for word in (name, facts.transport, place) if word)


def _sendable(text: str | None) -> str | None:
    return None if text is None else encodable_text(text)
