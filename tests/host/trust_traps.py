"""The traps that an unapproved definition would spring, the ways in to it, and what the tests ask of both."""

from __future__ import annotations

import os
import sys
from collections.abc import AsyncGenerator, Iterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from anyio.abc import SocketStream

from mcp_host.core.definitions.references import reference_names
from mcp_host.core.definitions.toml_text import server_toml
from mcp_host.host.host import open_host
from mcp_host.host.launches import Ask, ask_nobody
from mcp_host.problems import ProblemError
from tests.host.project_support import ProjectDesk
from tests.host.support import SERVERS, Events, is_alive, pids_in
from tests.host.trust_matrix import VARIABLES, Table
from tests.protocol.over_http import answers, discovered
from tests.protocol.transports.raw_http import RawHttpServer, Request, serving

ALIAS: Final = "trap"
CALL: Final = {"alias": ALIAS, "tool": "echo", "arguments": {"text": "x"}}

NAMING: Final[tuple[tuple[str, dict[str, Any]], ...]] = (
    ("enable", {"alias": ALIAS}),
    ("survey", {"alias": ALIAS}),
    ("tools", {"alias": ALIAS}),
    ("card", {"alias": ALIAS, "tool": "echo"}),
    ("exec", {"alias": ALIAS, "tool": "process"}),
    ("exec", {**CALL, "accept": True}),
    ("exec", {**CALL, "interactive": True}),
    ("preview", CALL),
    ("read", {"alias": ALIAS, "uri": "case://any"}),
    ("prompt", {"alias": ALIAS, "prompt": "any"}),
    ("complete", {"alias": ALIAS, "kind": "template", "name": "case://{any}", "argument": "any"}),
    ("capabilities", {"alias": ALIAS}),
    ("accept", {}),
    ("disable", {"alias": ALIAS}),
)
"""The ways in that name the server: each is refused. `accept` is of a receipt from before the change."""

OTHERS: Final[tuple[tuple[tuple[str, dict[str, Any]], ...], ...]] = (
    (("list", {}),),
    (("tools", {}),),
    (("trust", {}),),
    (("doctor", {}),),
    (("discover", {}),),
    (("add", {"alias": "other", "target": "https://example.test/mcp"}), ("remove", {"alias": "other"})),
    (("add", {"alias": "other", "target": "never-run", "layer": "session"}), ("remove", {"alias": "other"})),
    (("template", {}),),
    (("proposals", {}),),
    (("interactions", {}),),
    (("capabilities", {}),),
    (("workspace", {"cwd": "@work@"}),),
)
"""The ways in that do not, one or two steps each: all are answered."""

IN_MEMORY: Final = {
    "answer",
    "candidates",
    "cancel",
    "decline",
    "dismiss",
    "interaction",
    "proposal",
    "reject",
    "result",
}
"""The verbs about what an earlier one has left in memory."""

VERDICTS: Final = {"untrust"}
"""The verbs that decide about the file; they have a test of their own."""


class Environment(Mapping[str, str]):
    """Variables that note each one that is looked up, also by those who look at all of them."""

    def __init__(self, variables: Mapping[str, str]) -> None:
        self.looked_up: set[str] = set()
        self._variables = variables

    def __getitem__(self, name: str) -> str:
        self.looked_up.add(name)
        return self._variables[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._variables)

    def __len__(self) -> int:
        return len(self._variables)


class _Remote(RawHttpServer):
    """A server that counts the connections, whether or not anything is sent on them."""

    connections = 0

    async def serve_connection(self, stream: SocketStream) -> None:
        self.connections += 1
        await super().serve_connection(stream)


@dataclass(kw_only=True)
class Traps:
    """Programs and an address that every definition of the matrix leads to. Nothing reaches them unseen."""

    folder: Path
    remote: _Remote
    variables: dict[str, str] = field(default_factory=dict[str, str])

    @property
    def ran(self) -> list[int]:
        """The processes that were started of a trap: noted before anything else happens in them."""
        return pids_in(self.folder / "ran")

    def seen(self) -> tuple[int, int, int, int]:
        """How many processes, messages to them, connections and requests there were."""
        wire = self.folder / "wire"
        messages = len(wire.read_text().splitlines()) if wire.exists() else 0
        return len(self.ran), messages, self.remote.connections, len(self.remote.seen)

    def text(self, table: Table, alias: str = ALIAS) -> str:
        """The definition as a file's text."""
        located = server_toml(alias, table).replace("@folder@", str(self.folder))
        return located.replace("@port@", str(self.remote.port))

    def environment(self) -> Environment:
        return Environment(self.variables)


async def no_stream(request: Request) -> None:
    """The answer of a server without the old HTTP+SSE binding."""
    await request.raw(b"HTTP/1.1 405 Method Not Allowed\r\ncontent-length: 0\r\n\r\n")


@asynccontextmanager
async def set_traps(folder: Path) -> AsyncGenerator[Traps]:
    """The traps are set in the folder, which is also the home."""
    named = {"TRAP_FOLDER": "there", "TRAP_OTHER_FOLDER": "elsewhere"}
    for name in named.values():
        (folder / name).mkdir()
    for name in ("trap", "other-trap"):
        lines = ("#!/bin/sh", f"echo $$ >>'{folder}/ran'", f"exec '{sys.executable}' -S '{SERVERS}/polite.py' \"$@\"")
        (folder / name).write_text("\n".join((*lines, "")))
        (folder / name).chmod(0o755)
    tool = {"inputSchema": {"type": "object", "properties": {"text": {"type": "string"}}}}
    listed = {"resultType": "complete", "tools": [{"name": name, **tool} for name in ("echo", "process")]}
    handlers = {
        "server/discover": answers(discovered(tools={})),
        "tools/list": answers(listed),
        "tools/call": answers({"resultType": "complete", "content": []}),
        "GET": no_stream,
    }
    async with serving(_Remote(handlers=handlers)) as remote:
        assert isinstance(remote, _Remote)
        folders = {name: str(folder / where) for name, where in named.items()}
        variables = {"HOME": str(folder), "PATH": os.environ["PATH"], **VARIABLES, **folders}
        yield Traps(folder=folder, remote=remote, variables=variables)


@asynccontextmanager
async def open_host_at(
    traps: Traps, environment: Mapping[str, str], *, headless: bool = False, ask: Ask = ask_nobody
) -> AsyncGenerator[ProjectDesk]:
    """A host in the traps' workspace; what an earlier one kept is still there."""
    folder, work, events = traps.folder, traps.folder / "work", Events()
    work.mkdir(exist_ok=True)
    start = {
        "config_file": str(folder / "mcp.toml"),
        "state_dir": str(folder / "state"),
        "log_dir": str(folder / "logs"),
        "cwd": str(work),
        "headless": headless,
    }
    async with open_host(start, emit=events.emit, ask=ask, environment=environment) as host:
        yield ProjectDesk(
            host=host,
            events=events,
            file=folder / "mcp.toml",
            state=folder / "state",
            logs=folder / "logs",
            work=work,
        )


def names_in(text: str) -> set[str]:
    """The variables that a file refers to anywhere."""
    return set(reference_names(text))


async def refused(desk: ProjectDesk, verb: str, params: Mapping[str, Any]) -> None:
    problem = await desk.problem(verb, **params)
    assert (problem.type, problem.exit_code, problem.alias) == ("definition-untrusted", 2, ALIAS), (verb, problem)


async def answered(desk: ProjectDesk, verb: str, params: Mapping[str, Any]) -> None:
    given = {name: str(desk.work) if value == "@work@" else value for name, value in params.items()}
    answer = await desk.ask(verb, **given)
    assert answer.exit == (3 if verb == "discover" else 0), verb  # 3: there is no file of another client


async def refused_everywhere(desk: ProjectDesk, *, first: int = 0, receipt: bool = True) -> None:
    """Every way in, beginning with the `first`, so that each can be the one that meets the change."""
    ways = [*((one,) for one in NAMING if receipt or one[0] != "accept"), *OTHERS]
    first %= len(ways)
    for way in (*ways[first:], *ways[:first]):
        for verb, params in way:
            await (answered if way in OTHERS else refused)(desk, verb, params)


async def enabled(desk: ProjectDesk) -> str:
    """What enabling the server comes to: its status, or the type of the problem."""
    try:
        return str((await desk.document("enable", alias=ALIAS))["server"]["status"])
    except ProblemError as error:
        return error.problem.type


async def stopped(desk: ProjectDesk, traps: Traps) -> None:
    """Once no server of before is left."""
    await desk.events.wait_for("McpServerStatus", lambda _: desk.events.of("McpServerStatus")[-1]["status"] == "off")
    assert not any(is_alive(pid) for pid in traps.ran)


def untouched(environment: Environment) -> bool:
    """Nothing was looked up but where the files of other clients are."""
    return environment.looked_up <= {"HOME"}
