"""The verbs that only read: a resource, a prompt."""

from __future__ import annotations

from dataclasses import dataclass

from mcp_host.core.arguments import parse_arguments
from mcp_host.host.answers import Answer
from mcp_host.host.fleet import Fleet
from mcp_host.host.naming_faults import unknown_prompt
from mcp_host.host.params import PromptParams, ReadParams
from mcp_host.host.showing import Showing
from mcp_host.problems import Problem, ProblemError

RESOURCE_NOT_FOUND = (-32602, -32002)
"""How a server says that it has no such resource: since 2026-07-28, and before."""


@dataclass(kw_only=True)
class Reading:
    """Reads resources and gets prompts."""

    fleet: Fleet
    showing: Showing

    async def read(self, params: ReadParams) -> Answer:
        """The contents of one resource.

        Raises:
            ProblemError: `resource-unknown`, or why it could not be read.
        """
        live = await self.fleet.live(params.alias)
        # Not before: while a worker thread imports the floor, a second import of it here would break both.
        from mcp_host.protocol.errors import RequestFailed

        try:
            raw = await live.connection.request(
                "resources/read",
                {"uri": params.uri},
                doing=f"reading {params.uri}",
                timeout_seconds=live.defined.definition.request_timeout_seconds,
            )
        except RequestFailed as failure:
            if failure.code in RESOURCE_NOT_FOUND:
                raise ProblemError(_unknown_resource(params, failure.problem)) from failure
            raise
        return self.showing.read("resource", live.alias, params.uri, raw)

    async def prompt(self, params: PromptParams) -> Answer:
        """One prompt with its arguments filled in by the server.

        Raises:
            ProblemError: `prompt-unknown`, `arguments-invalid`, or why it could not be got.
        """
        live = await self.fleet.live(params.alias)
        prompt = live.catalog.prompt(params.prompt)
        if prompt is None:
            raise unknown_prompt(live, params.prompt)
        arguments = parse_arguments(params.arguments, alias=live.alias)
        missing = [one.name for one in prompt.arguments if one.required and one.name not in arguments]
        wrong = [name for name, value in arguments.items() if not isinstance(value, str)]
        if missing or wrong:
            raise ProblemError(_unfit(params, missing, wrong))
        raw = await live.connection.request(
            "prompts/get",
            {"name": prompt.name, "arguments": arguments},
            doing=f"getting the prompt {prompt.name}",
            timeout_seconds=live.defined.definition.request_timeout_seconds,
        )
        return self.showing.read("prompt", live.alias, prompt.name, raw)


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
