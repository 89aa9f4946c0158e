"""The doctor: what a stuck person needs to find the cause, problems first. Of variables it tells the names only."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final, Literal

from mcp_host.core.rendering.text import encodable
from mcp_host.problems import Problem
from mcp_host.views.layers import LayerFacts, LayerState, layer_document
from mcp_host.views.problems import add_problem
from mcp_host.views.rows import STATUS_GROUPS
from mcp_host.views.view import Group, Page, Span, Target, View, column, column_width

ReferenceState = Literal["set", "fallback", "missing", "not looked at"]


@dataclass(frozen=True, kw_only=True)
class ReferenceCheck:
    """One reference, by name only."""

    field: str
    """`env.TOKEN`, `args[1]`."""
    name: str
    state: ReferenceState
    """`not looked at`: nothing of the environment is read for a file that nobody trusted yet."""


@dataclass(frozen=True, kw_only=True)
class ServerCheck:
    """One server as the doctor found it; nothing was started for it."""

    alias: str
    status: str
    target: str
    """The command or URL as written."""
    executable: str | None = None
    """Where the command was found; None where it was not, and for a URL."""
    searched: tuple[str, ...] = ()
    """Where the command was looked for in vain: the entries of PATH, or the path itself."""
    references: tuple[ReferenceCheck, ...] = ()
    warnings: tuple[str, ...] = ()
    problem: Problem | None = None
    log: str = ""


@dataclass(frozen=True, kw_only=True)
class DoctorFacts:
    """Everything that was looked at."""

    python: str
    versions: tuple[tuple[str, str], ...] = ()
    """Package and version."""
    workspace: str
    layers: tuple[LayerFacts, ...] = ()
    servers: tuple[ServerCheck, ...] = ()
    logs: tuple[tuple[str, str], ...] = ()
    """What and where."""
    resolver: bool | None = None
    """Whether the person's `setup` feeds names; None where that is not known."""


_WIDTH: Final = 24
"""Where a column of aliases or versions ends at the latest."""

_KEY_WIDTH: Final = 12
"""Of the labels below a server."""

_LAYER_GROUPS: Final[dict[LayerState, Group]] = {
    "read": "McpOk",
    "absent": "McpMuted",
    "unparsable": "McpProblem",
    "unreadable": "McpProblem",
    "untrusted": "McpEffectHost",
    "ignored": "McpMuted",
}

_REFERENCES: Final[dict[ReferenceState, tuple[str, Group]]] = {
    "set": ("is set", "McpOk"),
    "fallback": ("is not set, its fallback is used", "McpMuted"),
    "missing": ("is not set", "McpProblem"),
    "not looked at": ("was not looked at: the file waits for your yes", "McpMuted"),
}


@dataclass(frozen=True, kw_only=True)
class _Finding:
    """Something that a server or a layer stands still for."""

    title: str
    hint: str
    target: Target


def doctor_document(facts: DoctorFacts) -> dict[str, object]:
    """The same for scripts: `{"doctor": {…}}`."""
    document: dict[str, object] = {
        "python": facts.python,
        "versions": dict(facts.versions),
        "workspace": facts.workspace,
        "layers": [layer_document(layer) for layer in facts.layers],
        "servers": [_server_document(server) for server in facts.servers],
        "logs": dict(facts.logs),
        "resolver": facts.resolver,
    }
    return {"doctor": encodable(document)}


def doctor_view(facts: DoctorFacts) -> View:
    """The `mcp://doctor` buffer."""
    page = Page()
    _add_causes(page, facts)
    _add_layers(page, facts)
    if facts.servers:
        page.heading(f"Servers ({len(facts.servers)})")
    width = column_width((server.alias for server in facts.servers), _WIDTH)
    status_width = column_width((server.status for server in facts.servers), _WIDTH)
    for server in facts.servers:
        _add_server(page, server, (width, status_width), bool(facts.resolver))
    _add_host(page, facts)
    return page.view(filetype="mcp-doctor", title="doctor")


def _add_causes(page: Page, facts: DoctorFacts) -> None:
    """Add everything that needs a person, each with its next step."""
    problems = [(problem, _of_layer(layer)) for layer in facts.layers for problem in layer.problems]
    known = [problem for problem, _ in problems]
    problems += [(one.problem, _of_server(one)) for one in facts.servers if one.problem and one.problem not in known]
    findings = [*_layer_findings(facts), *_server_findings(facts)]
    warnings = sum(len(server.warnings) for server in facts.servers)
    found = [_count(len(problems) + len(findings), "problem"), _count(warnings, "warning")]
    page.line(("Doctor", "McpTitle"), f" · {', '.join(found)}")
    page.line(("Nothing was started or connected for this.", "McpMuted"))
    if not problems and not findings:
        page.line(("✓ nothing stands in the way of a server", "McpOk"))
        return
    page.heading(f"Problems ({len(problems) + len(findings)})")
    for problem, target in problems:
        add_problem(page, problem, indent="  ", target=target)
    for finding in findings:
        page.line("  ", (f"! {finding.title}", "McpProblem"), target=finding.target)
        page.line("    → ", finding.hint, target=finding.target)


def _layer_findings(facts: DoctorFacts) -> Iterator[_Finding]:
    for layer in facts.layers:
        if layer.problems:
            continue
        if layer.state == "untrusted":
            title = f"{layer.file} waits for your yes: nothing in it counts"
            yield _Finding(title=title, hint=":McpTrust shows what it would run.", target=_of_layer(layer))
        elif layer.state in ("unparsable", "unreadable"):
            hint = "Mend the file; the last text that could be read stays in force."
            yield _Finding(title=f"{layer.file} is {layer.state}", hint=hint, target=_of_layer(layer))


def _server_findings(facts: DoctorFacts) -> Iterator[_Finding]:
    """What no problem says yet, because nobody tried to connect."""
    for server in facts.servers:
        target = _of_server(server)
        if server.searched and (server.problem is None or server.problem.type != "server-unavailable"):
            hint = "Install it, or write its absolute path as `command`."
            yield _Finding(title=f"{server.alias}: {server.target} was not found", hint=hint, target=target)
        missing = dict.fromkeys(one.name for one in server.references if one.state == "missing")
        is_said = server.problem is not None and server.problem.type == "reference-missing"
        if missing and not is_said and not facts.resolver:
            title = f"{server.alias}: {', '.join(missing)} {'is' if len(missing) == 1 else 'are'} not set"
            hint = "Set it where Neovim is started, or feed it with setup{ resolve }."
            yield _Finding(title=title, hint=hint, target=target)


def _add_layers(page: Page, facts: DoctorFacts) -> None:
    page.heading("Definitions", (" (the lower line wins)", "McpMuted"))
    for layer in facts.layers:
        page.line(
            "  ",
            *column(layer.layer, "McpKey", 11),
            *column(layer.state, _LAYER_GROUPS[layer.state], 10),
            f"{_count(layer.servers, 'server')}  " if layer.state == "read" else "",
            layer.file,
            target=_of_layer(layer),
        )


def _add_server(page: Page, server: ServerCheck, widths: tuple[int, int], has_resolver: bool) -> None:
    target = _of_server(server)
    page.line(
        "  ",
        *column(server.alias, "McpAlias", widths[0]),
        *column(server.status, STATUS_GROUPS.get(server.status, "McpKey"), widths[1]),
        (server.target, "McpSignature"),
        target=target,
    )
    if server.executable is not None:
        _add_fact(page, "found at", server.executable, target=target)
    for position, folder in enumerate(server.searched):
        _add_fact(page, "" if position else "not found in", (folder, "McpProblem"), target=target)
    label = "references"
    for reference in server.references:
        words, group = _REFERENCES[reference.state]
        if reference.state == "missing" and has_resolver:
            words, group = "is not set, so setup{ resolve } is asked", "McpMuted"
        field = (f"  ({reference.field})", "McpMuted")
        _add_fact(page, label, (reference.name, "McpKey"), " ", (words, group), field, target=target)
        label = ""
    for warning in server.warnings:
        page.line("    ", (f"! {warning}", "McpEffectHost"), target=target)
    if server.log:
        _add_fact(page, "log", server.log, target=Target(kind="path", alias=server.alias, name=server.log))


def _add_host(page: Page, facts: DoctorFacts) -> None:
    page.heading("Host")
    rows = [("Python", facts.python), *facts.versions, ("workspace", facts.workspace)]
    if facts.resolver is not None:
        rows.append(("resolve", "setup{ resolve } is asked" if facts.resolver else "no setup{ resolve }"))
    width = column_width((name for name, _ in (*rows, *facts.logs)), _WIDTH)
    for name, value in rows:
        page.line("  ", *column(name, "McpKey", width), value)
    if facts.logs:
        page.heading("Logs")
    for name, path in facts.logs:
        page.line("  ", *column(name, "McpKey", width), path, target=Target(kind="path", alias="", name=path))


def _add_fact(page: Page, label: str, *spans: Span, target: Target) -> None:
    page.line("    ", (label, "McpKey"), " " * (_KEY_WIDTH + 2 - len(label)), *spans, target=target)


def _of_server(server: ServerCheck) -> Target:
    return Target(kind="server", alias=server.alias, name=server.alias)


def _of_layer(layer: LayerFacts) -> Target:
    """The file itself where there is one to open; what waits for a yes is opened as what it would run."""
    if layer.state == "untrusted" or not layer.file.startswith(("/", "~")):
        return Target(kind="layer", alias="", name=layer.layer)
    return Target(kind="path", alias="", name=layer.file)


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


def _server_document(server: ServerCheck) -> dict[str, object]:
    document: dict[str, object] = {
        "alias": server.alias,
        "status": server.status,
        "target": server.target,
        "executable": server.executable,
        "searched": list(server.searched),
        "references": [{"field": one.field, "name": one.name, "state": one.state} for one in server.references],
        "warnings": list(server.warnings),
        "log": server.log,
    }
    if server.problem is not None:
        document["problem"] = server.problem.model_dump(mode="json", exclude_none=True)
    return document
