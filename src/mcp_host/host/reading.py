"""The verbs that only read: a resource, a prompt."""

from __future__ import annotations

from dataclasses import dataclass

from mcp_host.core.arguments import parse_arguments
from mcp_host.host.answers import Answer
from mcp_host.host.calls import Calls
from mcp_host.host.fleet import Fleet
from mcp_host.host.given_files import Given
from mcp_host.host.live_server import LiveServer
from mcp_host.host.naming_faults import unknown_prompt
from mcp_host.host.params import PromptParams, ReadParams
from mcp_host.host.read_cache import ReadCache
from mcp_host.host.reconnecting import once_more
from mcp_host.host.showing import Showing
from mcp_host.problems import Problem, ProblemError

RESOURCE_NOT_FOUND = (-32602, -32002)
"""How a server says that it has no such resource: since 2026-07-28, and before."""


@dataclass(kw_only=True)
class Reading:
    """Reads resources and gets prompts."""

    fleet: Fleet
    calls: Calls
    showing: Showing
    given: Given
    cache: ReadCache

    async def read(self, params: ReadParams) -> Answer:
        """The contents of one resource: the server's, or what it said a while ago where that is still good.

        Raises:
            ProblemError: `resource-unknown`, or why it could not be read.
        """
        given = await self.given.read(params.answers)

        async def attempt(live: LiveServer) -> Answer:
            place = _place(live)
            kept = None if params.fresh else self.cache.get(live.alias, params.uri, live.identity, place=place)
            if kept is not None:
                return self.showing.read("resource", live.alias, params.uri, kept.raw, age_seconds=kept.age_seconds)
            # Before it is read: what changes meanwhile is told too.
            if live.connection.listening is not None:
                live.connection.listening.watch_resource(params.uri)
            mark = self.cache.mark()
            call, raw = await self.calls.read(live, "resource", params.uri, {"uri": params.uri}, answers=given)
            # One that came after a question is for that answer alone.
            if live.connection.identity.era == "modern" and not call.responded:
                self.cache.put(live.alias, params.uri, live.identity, raw, place=place, mark=mark)
            return self.showing.read("resource", live.alias, params.uri, raw, call=call)

        live = await self.fleet.live(params.alias)
        # Not before: while a worker thread imports the floor, a second import of it here would break both.
        from mcp_host.protocol.errors import RequestFailed

        try:
            return await once_more(lambda: self.fleet.live(live.alias), attempt)
        except RequestFailed as failure:
            if failure.code in RESOURCE_NOT_FOUND:
                self.cache.forget(live.alias, params.uri)
                if live.connection.listening is not None:
                    live.connection.listening.forget_resource(params.uri)
                raise ProblemError(_unknown_resource(params, failure.problem)) from failure
            raise

    async def prompt(self, params: PromptParams) -> Answer:
        """One prompt with its arguments filled in by the server.

        Raises:
            ProblemError: `prompt-unknown`, `arguments-invalid`, or why it could not be got.
        """
        given = await self.given.read(params.answers)

        async def attempt(live: LiveServer) -> Answer:
            prompt = live.catalog.prompt(params.prompt)
            if prompt is None:
                raise unknown_prompt(live, params.prompt)
            arguments = parse_arguments(params.arguments, alias=live.alias)
            missing = [one.name for one in prompt.arguments if one.required and one.name not in arguments]
            wrong = [name for name, value in arguments.items() if not isinstance(value, str)]
            if missing or wrong:
                raise ProblemError(_unfit(params, missing, wrong))
            wanted = {"name": prompt.name, "arguments": arguments}
            call, raw = await self.calls.read(live, "prompt", prompt.name, wanted, answers=given)
            return self.showing.read("prompt", live.alias, prompt.name, raw, call=call)

        return await once_more(lambda: self.fleet.live(params.alias), attempt)


def _place(live: LiveServer) -> str | None:
    """Where others reach the same server, as it is written; a process is started for one connection alone."""
    definition = live.defined.definition
    return definition.url if definition.transport != "stdio" else None


def _unknown_resource(params: ReadParams, cause: Problem) -> Problem:
    return Problem(
        type="resource-unknown",
        title=f"{params.alias} has no resource {params.uri}",
        detail=cause.detail,
        hint=f":edit mcp://{params.alias}/survey lists its resources and templates.",
        alias=params.alias,
    )


def _unfit(params: PromptParams, missing: list[str], wrong: list[str]) -> Problem:
    faults = [f"$.{name}: is required and missing" for name in missing]
    faults += [f"$.{name}: must be a string, as all arguments of prompts are" for name in wrong]
    return Problem(
        type="arguments-invalid",
        title=f"The arguments do not fit the prompt {params.prompt} of {params.alias}; nothing was sent",
        detail="\n".join(faults),
        hint=f':McpPrompt {params.alias} {params.prompt} {{"name": "value"}}',
        alias=params.alias,
    )
