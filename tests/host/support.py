"""What the tests of the host share: definitions in a file, servers in memory or as processes, and the events told."""

from __future__ import annotations

import os
import sys
from collections.abc import AsyncGenerator, Callable, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import anyio
import pytest
from mcp.server.mcpserver import MCPServer
from mcp.shared.direct_dispatcher import create_direct_dispatcher_pair

from mcp_host.core.catalog.catalog import Catalog, Era, ServerIdentity
from mcp_host.core.definitions.document import Defined, read_document
from mcp_host.demo.server import build_server
from mcp_host.host.answers import Answer
from mcp_host.host.client_sides import ClientSides
from mcp_host.host.events import EventName
from mcp_host.host.host import Host, open_host
from mcp_host.host.interactions import Interactions
from mcp_host.host.live_server import LiveServer
from mcp_host.host.opening import Launch, Opening, opening
from mcp_host.host.settings import Settings
from mcp_host.problems import Problem, ProblemError
from mcp_host.protocol.client_side import ClientSide
from mcp_host.protocol.connection import Connection
from mcp_host.protocol.envelope import Envelope
from mcp_host.protocol.transports.server_log import ServerLog
from tests.protocol.in_memory import in_memory

ERAS: tuple[Era, ...] = ("modern", "legacy")
SERVERS = Path(__file__).parents[1] / "servers"
IDENTITY = ServerIdentity(name="idle", version="1", era="modern", revision="2026-07-28")


@dataclass(kw_only=True)
class Events:
    """Everything that was told, in its order."""

    told: list[tuple[EventName, Mapping[str, object]]] = field(
        default_factory=list[tuple[EventName, Mapping[str, object]]]
    )
    fault: Exception | None = None
    """Raised instead of taking the next event."""
    _changed: anyio.Event = field(default_factory=anyio.Event)

    def emit(self, name: EventName, data: Mapping[str, object]) -> None:
        if self.fault is not None:
            raise self.fault
        self.told.append((name, data))
        self._changed.set()
        self._changed = anyio.Event()

    def of(self, name: EventName) -> list[Mapping[str, object]]:
        return [data for told, data in self.told if told == name]

    async def wait_for(self, name: EventName, wanted: Callable[[Mapping[str, object]], bool]) -> Mapping[str, object]:
        """The first event of this name that is wanted; bounded by the caller."""
        while True:
            for data in self.of(name):
                if wanted(data):
                    return data
            await self._changed.wait()


@dataclass(kw_only=True)
class Memory:
    """An opening: a new connection to the alias's server in this process, each time it is asked for one."""

    servers: Mapping[str, MCPServer]
    era: Era = "modern"
    connections: list[Connection] = field(default_factory=list[Connection])

    @asynccontextmanager
    async def __call__(
        self, alias: str, launch: Launch, log: ServerLog, side: ClientSide
    ) -> AsyncGenerator[Connection]:
        async with in_memory(self.servers[alias], self.era, alias=alias, side=side) as connection:
            self.connections.append(connection)
            yield connection


@dataclass(kw_only=True)
class Desk:
    """An open host with its definition file."""

    host: Host
    events: Events
    file: Path
    state: Path
    logs: Path

    def define(self, text: str) -> None:
        self.file.write_text(text)

    async def ask(self, verb: str, **params: Any) -> Answer:
        return await self.host.answer(verb, params)

    async def document(self, verb: str, **params: Any) -> dict[str, Any]:
        return dict((await self.ask(verb, **params)).document)

    async def problem(self, verb: str, **params: Any) -> Problem:
        return await problem_of(lambda: self.ask(verb, **params))


async def problem_of(asked: Callable[[], Any]) -> Problem:
    with pytest.raises(ProblemError) as caught:
        await asked()
    return caught.value.problem


@asynccontextmanager
async def open_desk(folder: Path, definitions: str, opened_by: Opening = opening, **start: Any) -> AsyncGenerator[Desk]:
    """A host over these definitions, opened by the real opening or another; `start` adds to its start message."""
    file = folder / "mcp.toml"
    file.write_text(definitions)
    state, logs, events = folder / "state", folder / "logs", Events()
    message = {"config_file": str(file), "state_dir": str(state), "log_dir": str(logs), "cwd": str(folder), **start}
    async with open_host(message, emit=events.emit, opening=opened_by) as host:
        yield Desk(host=host, events=events, file=file, state=state, logs=logs)


def sides(events: Events, *, attended: bool = True) -> ClientSides:
    """Our half of connections that nobody asks anything on."""
    interactions = Interactions(emit=events.emit, attended=attended, roots=lambda: (), find_call=lambda _: None)
    nowhere = Path("/nonexistent")
    settings = Settings(
        config_file=nowhere, state_dir=nowhere, log_dir=nowhere, cwd=nowhere, headless=not attended, environment={}
    )
    return ClientSides(settings=settings, interactions=interactions, emit=events.emit, clock=lambda: 0.0)


def script(alias: str, name: str, *args: str, more: str = "", env: Mapping[str, str] | None = None) -> str:
    """The definition of one of `tests/servers`."""
    arguments = ", ".join(f'"{arg}"' for arg in ("-S", str(SERVERS / f"{name}.py"), *args))
    variables = ", ".join(f'{key} = "{value}"' for key, value in (env or {}).items())
    return f'[servers.{alias}]\ncommand = "{sys.executable}"\nargs = [{arguments}]\nenv = {{ {variables} }}\n{more}\n'


def demo(alias: str = "demo", more: str = "") -> str:
    """The definition of the demo server: a process, or in memory where `demo_in_memory` is the opening."""
    return f'[servers.{alias}]\ncommand = "{sys.executable}"\nargs = ["-m", "mcp_host.demo"]\n{more}\n'


def demo_in_memory(era: Era = "modern") -> Memory:
    """An opening for the alias `demo`; its notes outlive a connection."""
    return Memory(servers={"demo": build_server()}, era=era)


def defined(alias: str, more: str = "") -> Defined:
    """The sound definition of a server that is never started."""
    document = read_document(f'[servers.{alias}]\ncommand = "never-run"\n{more}', "mcp.toml", layer="user")
    return document.definitions[alias]


def idle_live(alias: str = "demo", more: str = "") -> LiveServer:
    """A live server for what never sends anything to it."""
    connection = Connection(
        alias=alias,
        envelope=Envelope(identity=IDENTITY, client_info={}, capabilities={}),
        dispatcher=create_direct_dispatcher_pair()[0],
        ended=anyio.Event(),
    )
    catalog = Catalog(alias=alias, generation=1, identity=IDENTITY)
    return LiveServer(
        alias=alias, defined=defined(alias, more), identity="none", connection=connection, catalog=catalog
    )


@asynccontextmanager
async def live_in_memory(
    server: MCPServer, era: Era, *, alias: str = "demo", more: str = ""
) -> AsyncGenerator[LiveServer]:
    """A live server in this process, without a supervisor."""
    from mcp_host.protocol.listing import list_everything

    async with in_memory(server, era, alias=alias) as connection:
        catalog = await list_everything(connection, generation=1, timeout_seconds=5)
        yield LiveServer(
            alias=alias, defined=defined(alias, more), identity="none", connection=connection, catalog=catalog
        )


def pids_in(file: Path) -> list[int]:
    """The processes that noted themselves in `MCP_PIDS`, the first one first."""
    return [int(line) for line in file.read_text().split()] if file.exists() else []


def is_alive(pid: int) -> bool:
    """Whether the process runs; a zombie does not."""
    try:
        stat = Path(f"/proc/{pid}/stat").read_text(errors="replace")
    except (FileNotFoundError, ProcessLookupError):
        return False
    return stat.rpartition(")")[2].split()[0] not in "ZX"


def alive_in(file: Path) -> list[int]:
    return [pid for pid in pids_in(file) if is_alive(pid)]


def kill(pid: int) -> None:
    os.kill(pid, 9)
