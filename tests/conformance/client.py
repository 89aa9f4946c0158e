"""The program that the conformance suite runs as the client under test: our own host, asked through its verbs.

The suite starts it as `python -m tests.conformance.client URL`. The name of the scenario decides only which verbs are
asked and with what; everything that is checked happens in the host. It prints what every step came to and ends with
`FINISHED`, by which `tests.conformance.run` knows that no step was left out.
"""

from __future__ import annotations

import json
import os
import sys
import tempfile
from collections.abc import AsyncGenerator, Awaitable, Callable, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, Final

import anyio

from mcp_host.host.events import EventName
from mcp_host.host.host import Host, open_host
from mcp_host.problems import ProblemError, ProblemType

ALIAS: Final = "suite"
FINISHED: Final = "all steps done"
CONTEXT: Final = "MCP_CONFORMANCE_CONTEXT"
"""The variable in which some scenarios say what to call."""


@dataclass(frozen=True, kw_only=True)
class Session:
    """The host with the suite's server as its only one."""

    host: Host
    context: Mapping[str, Any]

    async def ask(self, verb: str, **params: Any) -> dict[str, Any]:
        """The printed document of one verb.

        Raises:
            ProblemError: What the host says is wrong.
            StepFailed: The tool answered `isError`.
        """
        answer = await self.host.answer(verb, {"alias": ALIAS, **params})
        print(json.dumps({"verb": verb, **params, "document": answer.document}), flush=True)
        if answer.exit != 0:
            raise StepFailed(f"{verb} {params} ended with {answer.exit}")
        return dict(answer.document)

    async def call(self, tool: str, arguments: Mapping[str, Any] | None = None, **params: Any) -> dict[str, Any]:
        """The result of one call, accepted unseen."""
        return await self.ask("exec", tool=tool, arguments=dict(arguments or {}), accept=True, **params)

    async def refused(self, kind: ProblemType, step: Callable[[], Awaitable[object]]) -> None:
        """The step ended in this problem, as it shall."""
        try:
            await step()
        except ProblemError as error:
            if error.problem.type != kind:
                raise
            print(json.dumps({"problem": error.problem.model_dump(mode="json")}), flush=True)
        else:
            raise StepFailed(f"this was not refused with {kind}")


class StepFailed(Exception):
    """A step went through and came to something else than it shall."""


async def list_everything(session: Session) -> None:
    """Connect and list."""
    await session.ask("survey")


async def add_numbers(session: Session) -> None:
    """One call."""
    await session.call("add_numbers", {"a": 5, "b": 3})


async def reconnect_a_stream(session: Session) -> None:
    """One call whose event stream ends before its result has come."""
    await session.call("test_reconnection")


async def accept_defaults(session: Session) -> None:
    """A form that is accepted as it stands."""
    await session.call("test_client_elicitation_defaults", answers=[{"kind": "form", "content": "defaults"}])


async def answer_in_rounds(session: Session) -> None:
    """Calls that ask before they answer, with another call meanwhile."""
    answers = [{"kind": "form", "content": {"confirmed": True}}]
    async with anyio.create_task_group() as calls:
        calls.start_soon(partial(session.call, "test_mrtr_echo_state", answers=answers))
        calls.start_soon(session.call, "test_mrtr_unrelated")
    await session.call("test_mrtr_no_state", answers=answers)
    await session.call("test_mrtr_no_result_type")


async def use_everything(session: Session) -> None:
    """Each tool called, each resource read, each prompt got."""
    offered = await session.ask("survey")
    for tool in offered["tools"]:
        await session.call(tool["name"])
    for resource in offered["resources"]:
        await session.ask("read", uri=resource["uri"])
    for prompt in offered["prompts"]:
        await session.ask("prompt", prompt=prompt["name"])


async def call_as_told(session: Session) -> None:
    """The calls that the suite wants, word by word, as far as their tools' schemas allow that.

    One of them gives null for a boolean: the host refuses that, sends nothing, and sends the call without it.
    """
    for told in session.context["toolCalls"]:
        tool, arguments = told["name"], told["arguments"]
        given = {name: value for name, value in arguments.items() if value is not None}
        if given != arguments:
            await session.refused("arguments-invalid", partial(session.call, tool, arguments))
        await session.call(tool, given)


async def call_every_tool(session: Session) -> None:
    """Each tool that the host offers, called with text for what it requires."""
    for row in (await session.ask("tools"))["tools"]:
        schema = (await session.ask("card", tool=row["name"]))["tool"]["inputSchema"]
        await session.call(row["name"], dict.fromkeys(schema.get("required", []), "eu"))


async def look_at_a_remote_reference(session: Session) -> None:
    """A schema that points elsewhere, listed and met by a call: nobody follows it."""
    await session.ask("card", tool="lookup_user")
    # The suite's server answers no call, so that is what the call is refused with, by the server.
    call = partial(session.call, "lookup_user", {"id": "ada", "profile": {"displayName": 7}})
    await session.refused("request-refused", call)


async def send_a_schema_back(session: Session) -> None:
    """The schema of one tool as the host keeps it, sent as the argument of another."""
    card = await session.ask("card", tool="json_schema_2020_12_tool")
    await session.call("json_schema_echo", {"schema": card["tool"]["inputSchema"]})


STEPS: Final[Mapping[str, Callable[[Session], Awaitable[None]]]] = {
    "initialize": list_everything,
    "tools_call": add_numbers,
    "elicitation-sep1034-client-defaults": accept_defaults,
    "sse-retry": reconnect_a_stream,
    "request-metadata": list_everything,
    "sep-2322-client-request-state": answer_in_rounds,
    "http-standard-headers": use_everything,
    "http-custom-headers": call_as_told,
    "http-invalid-tool-headers": call_every_tool,
    "json-schema-ref-no-deref": look_at_a_remote_reference,
    "json-schema-2020-12-preservation": send_a_schema_back,
}
"""What is asked of the host in each scenario."""


async def run(url: str, scenario: str, context: Mapping[str, Any]) -> None:
    """Every step of the scenario went through."""
    with tempfile.TemporaryDirectory() as folder:
        async with _open_session(Path(folder), url, context) as session:
            await STEPS[scenario](session)
    print(FINISHED, flush=True)


@asynccontextmanager
async def _open_session(folder: Path, url: str, context: Mapping[str, Any]) -> AsyncGenerator[Session]:
    definitions = folder / "mcp.toml"
    definitions.write_text(f"[servers.{ALIAS}]\nurl = {json.dumps(url)}\n")
    start = {
        "config_file": str(definitions),
        "state_dir": str(folder / "state"),
        "log_dir": str(folder / "logs"),
        "cwd": str(folder),
        "headless": True,
        # Everything is offered, so that all of what is declared is looked at.
        "sampling": True,
        "roots": {"folders": [str(folder)], "modern": True},
    }
    async with open_host(start, emit=_tell) as host:
        yield Session(host=host, context=context)


def _tell(name: EventName, data: Mapping[str, object]) -> None:
    print(json.dumps({"event": name, **data}, default=str), flush=True)


if __name__ == "__main__":
    anyio.run(run, sys.argv[1], os.environ["MCP_CONFORMANCE_SCENARIO"], json.loads(os.environ.get(CONTEXT, "{}")))
