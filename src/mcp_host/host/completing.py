"""The verb that completes one argument of a prompt or one variable of a template, by the server's own suggestions."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from mcp_host.core.arguments import parse_arguments
from mcp_host.core.catalog.json_values import as_array, as_object
from mcp_host.host.answers import Answer
from mcp_host.host.fleet import Fleet
from mcp_host.host.live_server import LiveServer
from mcp_host.host.naming_faults import unknown_prompt
from mcp_host.host.params import CompleteParams
from mcp_host.host.reconnecting import once_more

VALUES_LIMIT: Final = 100
"""The specification's own: "Completion Results", at most 100 values."""

VALUE_CHARS: Final = 1_000
"""Of one suggestion; a longer one is none that anybody chooses from a menu."""

_SECONDS: Final = 10.0
"""Suggestions that take longer come too late for whoever is typing."""


@dataclass(kw_only=True)
class Completing:
    """Asks servers for suggestions."""

    fleet: Fleet

    async def complete(self, params: CompleteParams) -> Answer:
        """`{"completion": {"values": […], "total"?, "hasMore"?}}`; no values where the server gives no suggestions.

        Raises:
            ProblemError: `prompt-unknown`, or why it could not be asked.
        """
        known = parse_arguments(params.arguments, alias=params.alias)

        async def attempt(live: LiveServer) -> Answer:
            if params.kind == "prompt" and live.catalog.prompt(params.name) is None:
                raise unknown_prompt(live, params.name)
            if "completions" not in live.connection.identity.capabilities:
                return _answer(params, {})
            raw = await live.connection.request(
                "completion/complete",
                _wanted(params, known),
                doing=f"completing {params.argument}",
                timeout_seconds=_SECONDS,
            )
            return _answer(params, self.fleet.redactions.value(live.alias, raw))

        return await once_more(lambda: self.fleet.live(params.alias), attempt)


def _wanted(params: CompleteParams, known: Mapping[str, object]) -> dict[str, Any]:
    """The parameters of the request; the other arguments' texts go along as context."""
    reference = (
        {"type": "ref/prompt", "name": params.name}
        if params.kind == "prompt"
        else {"type": "ref/resource", "uri": params.name}
    )
    wanted: dict[str, Any] = {"ref": reference, "argument": {"name": params.argument, "value": params.value}}
    context = {name: value for name, value in known.items() if isinstance(value, str) and name != params.argument}
    if context:
        wanted["context"] = {"arguments": context}
    return wanted


def _answer(params: CompleteParams, raw: Mapping[str, object]) -> Answer:
    completion = as_object(raw.get("completion")) or {}
    values = as_array(completion.get("values")) or ()
    fitting = [value for value in values if isinstance(value, str) and len(value) <= VALUE_CHARS]
    kept: dict[str, object] = {"values": fitting[:VALUES_LIMIT]}
    total, has_more = completion.get("total"), completion.get("hasMore")
    if isinstance(total, int) and not isinstance(total, bool):
        kept["total"] = total
    if isinstance(has_more, bool):
        kept["hasMore"] = has_more
    return Answer(kind="completion", document={"completion": kept, "host": {"alias": params.alias}})
