"""The verbs about servers and what they offer: list, enable, disable, survey, tools, card."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta

from mcp_host.core.catalog.catalog import Catalog, enabled_tools
from mcp_host.core.definitions.layers import Defined
from mcp_host.host.answers import Answer
from mcp_host.host.call import Call
from mcp_host.host.calls import Calls
from mcp_host.host.definition_layers import Effective
from mcp_host.host.fleet import Fleet
from mcp_host.host.naming_faults import disabled_tool, unknown_tool
from mcp_host.host.params import AliasParams, ToolParams, ToolsParams
from mcp_host.host.supervisor import Supervisor
from mcp_host.problems import Problem
from mcp_host.views.card import tool_document, tool_view
from mcp_host.views.layers import LayerFacts, layer_document
from mcp_host.views.rows import RetryFacts, RunningFacts, ServerFacts, server_row, servers_view, tool_row
from mcp_host.views.survey import survey_document, survey_view


@dataclass(kw_only=True)
class Serving:
    """Shows servers, and connects and disconnects them."""

    fleet: Fleet
    calls: Calls

    async def list(self, _: object) -> Answer:
        """Every server that is defined, whether connected or not; connects nothing."""
        await self.fleet.reconcile()
        effective = self.fleet.definitions.current()
        facts = self._all_facts(effective)
        layers = [
            LayerFacts(layer=one.layer, file=one.file, state=one.state, servers=one.servers) for one in effective.layers
        ]
        # Above the servers stands what waits for a yes, so it is not told again below them.
        below = [problem for problem in effective.problems if problem.type != "definition-untrusted"]
        return Answer(
            kind="servers",
            document={
                "servers": [server_row(one) for one in facts],
                "layers": [layer_document(one) for one in layers],
                "problems": [problem.model_dump(mode="json", exclude_none=True) for problem in effective.problems],
            },
            view=lambda: servers_view(facts, below, config_file=str(self.fleet.definitions.user.path), layers=layers),
        )

    def row(self, alias: str) -> dict[str, object] | None:
        """What the list says about one alias; None where no layer mentions it."""
        for facts in self._all_facts(self.fleet.definitions.current()):
            if facts.alias == alias:
                return server_row(facts)
        return None

    async def enable(self, params: AliasParams) -> Answer:
        """The server, connected.

        Raises:
            ProblemError: Why it could not be.
        """
        live = await self.fleet.enable(params.alias)
        return self._server(live.defined)

    async def disable(self, params: AliasParams) -> Answer:
        """The server, disconnected.

        Raises:
            ProblemError: `server-unknown`.
        """
        await self.fleet.disable(params.alias)
        return self._server(self.fleet.definitions.defined(params.alias))

    async def survey(self, params: AliasParams) -> Answer:
        """Everything one server offers.

        Raises:
            ProblemError: Why it could not be connected.
        """
        offering = await self.fleet.offering(params.alias)
        definition, catalog = offering.defined.definition, self.fleet.redactions.catalog(offering.catalog)
        return Answer(
            kind="survey",
            document={
                "server": server_row(self._facts(offering.defined)),
                **survey_document(catalog=catalog, definition=definition),
                "host": {"alias": offering.alias, "generation": catalog.generation},
            },
            view=lambda: survey_view(catalog=catalog, definition=definition, status=offering.status),
        )

    async def tools(self, params: ToolsParams) -> Answer:
        """The enabled tools of one server, or of all that can be connected.

        Raises:
            ProblemError: The one server that was named could not be connected.
        """
        problems: tuple[Problem, ...] = ()
        if params.alias is not None:
            found = {params.alias: await self.fleet.offering(params.alias)}
        else:
            effective = self.fleet.definitions.current()
            usable = [
                alias
                for alias, defined in effective.definitions.items()
                if defined.definition.enabled and not self.fleet.is_disabled(alias)
            ]
            found, problems = await self.fleet.offerings(usable)
            problems += (*_of_files(effective), *effective.broken.values())
        rows = [
            tool_row(alias, tool, one.defined.definition)
            for alias, one in found.items()
            for tool in enabled_tools(self.fleet.redactions.catalog(one.catalog), one.defined.definition.tools)
        ]
        return Answer(
            kind="tools",
            document={
                "tools": rows,
                "problems": [
                    self.fleet.redactions.problem(problem).model_dump(mode="json", exclude_none=True)
                    for problem in problems
                ],
            },
        )

    async def card(self, params: ToolParams) -> Answer:
        """One tool in full.

        Raises:
            ProblemError: `tool-unknown`, `tool-disabled`, or why the server could not be connected.
        """
        offering = await self.fleet.offering(params.alias)
        tool = offering.catalog.tool(params.tool)
        if tool is None:
            raise unknown_tool(offering, params.tool)
        definition = offering.defined.definition
        if definition.tools is not None and params.tool not in definition.tools:
            raise disabled_tool(offering, params.tool)
        shown = self.fleet.redactions.catalog(offering.catalog).tool(params.tool)
        if shown is None:  # its very name holds what nobody may see
            raise unknown_tool(offering, params.tool)
        return Answer(
            kind="card",
            document=tool_document(alias=offering.alias, tool=shown, definition=definition),
            view=lambda: tool_view(alias=offering.alias, tool=shown, definition=definition),
        )

    def _server(self, defined: Defined) -> Answer:
        facts = self._facts(defined)
        return Answer(
            kind="server",
            document={"server": server_row(facts)},
            view=lambda: servers_view([facts], config_file=defined.file),
        )

    def _all_facts(self, effective: Effective) -> list[ServerFacts]:
        """Every alias that a layer mentions and nothing is wrong with, or that waits for a yes."""
        facts = [self._facts(defined) for defined in effective.definitions.values()]
        project = self.fleet.definitions.project.current()
        for alias, problem in effective.untrusted.items():
            table = project.source.tables.get(alias) if project.source is not None else None
            facts.append(
                ServerFacts(
                    alias=alias,
                    layer="project",
                    file=str(project.file),
                    line=project.source.line(("servers", alias)) if project.source is not None else None,
                    transport=_written_transport(table),
                    status=self.fleet.status(alias),
                    problem=problem,
                )
            )
        return facts

    def _facts(self, defined: Defined) -> ServerFacts:
        definition = defined.definition
        supervisor = self.fleet.supervisor(defined.alias)
        published = supervisor.keeper.published if supervisor is not None else None
        problem = self.fleet.fault(defined.alias) or (supervisor.problem if supervisor is not None else None)
        catalog: Catalog | None = self.fleet.redactions.catalog(published) if published is not None else None
        identity = catalog.identity if catalog is not None else None
        return ServerFacts(
            alias=defined.alias,
            layer=defined.layer,
            file=defined.file,
            line=defined.line,
            transport=definition.transport,
            status=supervisor.status if supervisor is not None else "off",
            era=identity.era if identity is not None else None,
            revision=identity.revision if identity is not None else None,
            server_name=identity.name if identity is not None else None,
            server_version=identity.version if identity is not None else None,
            tools_listed=len(catalog.tools) if catalog is not None else None,
            tools_enabled=len(enabled_tools(catalog, definition.tools)) if catalog is not None else None,
            summary=definition.summary or "",
            problem=self.fleet.redactions.problem(problem) if problem is not None else None,
            retry=_retry(supervisor, definition.reconnect.max_attempts),
            is_enabled=definition.enabled and not self.fleet.is_disabled(defined.alias),
            running=tuple(self._running(one) for one in self.calls.running() if one.alias == defined.alias),
            hides=defined.hidden,
        )

    def _running(self, call: Call) -> RunningFacts:
        text, alias = self.fleet.redactions.text, call.alias
        told = call.progress
        return RunningFacts(
            call=call.id,
            name=text(alias, call.name),
            kind=call.kind,
            progress=told.progress if told is not None else None,
            total=told.total if told is not None else None,
            message=text(alias, told.message) if told is not None and told.message is not None else None,
        )


def _retry(supervisor: Supervisor | None, most: int) -> RetryFacts | None:
    if supervisor is None or supervisor.retry is None:
        return None
    retry, seconds = supervisor.retry
    at = (datetime.now().astimezone() + timedelta(seconds=seconds)).strftime("%H:%M:%S")
    return RetryFacts(attempt=retry.attempt, most=most, in_seconds=seconds, at=at)


def _of_files(effective: Effective) -> tuple[Problem, ...]:
    """What keeps servers out of sight: files that cannot be read, and one that waits for a yes."""
    return tuple(one for one in effective.problems if one.type in ("definition-unparsable", "definition-untrusted"))


def _written_transport(table: object) -> str:
    """What a table that was not judged would be, by its target alone."""
    if isinstance(table, Mapping):
        return "stdio" if "command" in table else "http" if "url" in table else ""
    return ""
