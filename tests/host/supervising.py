"""A supervisor alone, with a server in memory, a gate before its connections and a clock that stands still."""

from __future__ import annotations

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from datetime import datetime, timezone
from pathlib import Path
from typing import Any

import anyio
from mcp.server.mcpserver import Context, MCPServer

from mcp_host.core.catalog.catalog import Era
from mcp_host.core.definitions.launch import HttpLaunch, StdioLaunch
from mcp_host.host.launches import Prepared
from mcp_host.host.live_server import Followers, LiveServer
from mcp_host.host.opening import Launch, Opening
from mcp_host.host.pace import Pace
from mcp_host.host.supervisor import Supervisor
from mcp_host.problems import Problem, ProblemError
from mcp_host.protocol.client_side import ClientSide
from mcp_host.protocol.connection import Connection
from mcp_host.protocol.transports.server_log import ServerLog
from tests.host.support import Events, Memory, defined, sides

LAUNCH = StdioLaunch(command="never-run", args=(), cwd=None, env={}, secrets=frozenset())
HTTP_LAUNCH = HttpLaunch(url="http://never.invalid/", headers={}, secrets=frozenset())


def changing_server() -> MCPServer:
    """Its tool `grow` adds one more tool and says so."""
    server = MCPServer("changing")

    @server.tool()
    async def grow(context: Context) -> str:
        server.add_tool(lambda: "grown", name=f"grown_{len(await server.list_tools())}")
        await context.session.send_tool_list_changed()
        return "done"

    return server


@dataclass(kw_only=True)
class Gate:
    """An opening that comes as far as it is let: every connection waits until `open` is set."""

    memory: Memory
    open: anyio.Event = field(default_factory=anyio.Event)
    entered: int = 0
    left: int = 0
    fault: Exception | None = None

    @asynccontextmanager
    async def __call__(
        self, alias: str, launch: Launch, log: ServerLog, side: ClientSide
    ) -> AsyncGenerator[Connection]:
        self.entered += 1
        try:
            await self.open.wait()
            if self.fault is not None:
                raise self.fault
            async with self.memory(alias, launch, log, side) as connection:
                yield connection
        finally:
            self.left += 1


@dataclass(kw_only=True)
class Clock:
    """Stands still until it is told how far to go."""

    time: float = 1_000.0
    waiting: list[tuple[float, anyio.Event]] = field(default_factory=list[tuple[float, anyio.Event]])

    @property
    def pace(self) -> Pace:
        return Pace(now=lambda: self.time, pause=self.pause, chance=lambda: 0.0)

    async def pause(self, seconds: float) -> None:
        over = anyio.Event()
        self.waiting.append((self.time + seconds, over))
        await over.wait()

    async def go(self, seconds: float) -> None:
        """So much time has passed, and what it brought about has happened."""
        self.time += seconds
        for at, over in self.waiting:
            if at <= self.time + 1e-6:
                over.set()
        self.waiting = [one for one in self.waiting if not one[1].is_set()]
        await anyio.wait_all_tasks_blocked()


@dataclass(kw_only=True)
class Defining:
    """What a reconnect begins with."""

    now: Prepared
    fault: Problem | None = None

    async def prepare(self) -> Prepared:
        if self.fault is not None:
            raise ProblemError(self.fault)
        return self.now


@dataclass(kw_only=True)
class Bench:
    supervisor: Supervisor
    events: Events
    server: MCPServer
    gate: Gate
    tasks: anyio.abc.TaskGroup
    clock: Clock
    defining: Defining
    changed: list[str] = field(default_factory=list[str])
    """The resources that were said to have changed."""

    async def ready(
        self, identity: str = "one", *, more: str = "", launch: Launch = LAUNCH, asked_for: bool = False
    ) -> LiveServer:
        self.defining.now = prepared(identity, more=more, launch=launch)
        return await self.supervisor.ready(self.defining.now, asked_for=asked_for)

    async def lose(self, live: LiveServer) -> None:
        """The connection is gone, and that was noticed."""
        live.connection.ended.set()
        await anyio.wait_all_tasks_blocked()

    def use(self, **how: Any) -> list[LiveServer | Problem]:
        """Somebody needs the server; the list has what came of it once that is known."""
        found: list[LiveServer | Problem] = []

        async def ready() -> None:
            try:
                found.append(await self.ready(**how))
            except ProblemError as error:
                found.append(error.problem)

        self.tasks.start_soon(ready)
        return found

    def statuses(self) -> list[object]:
        return [data["status"] for data in self.events.of("McpServerStatus")]


def prepared(identity: str, *, more: str = "", launch: Launch = LAUNCH) -> Prepared:
    return Prepared(
        defined=defined("demo", more), launch=launch, identity=identity, fields={}, is_fed=False, folder="/"
    )


@asynccontextmanager
async def bench_in(folder: Path, era: Era = "legacy", *, shut: bool = False) -> AsyncGenerator[Bench]:
    events = Events()
    server = changing_server()
    gate = Gate(memory=Memory(servers={"demo": server}, era=era))
    if not shut:
        gate.open.set()
    async with anyio.create_task_group() as tasks:
        clock, defining, changed = Clock(), Defining(now=prepared("one")), list[str]()
        followers = Followers(resource=lambda _, uri: changed.append(uri))
        supervisor = supervisor_with(folder, tasks, gate, events, clock=clock, defining=defining, followers=followers)
        yield Bench(
            supervisor=supervisor,
            events=events,
            server=server,
            gate=gate,
            tasks=tasks,
            clock=clock,
            defining=defining,
            changed=changed,
        )
        await supervisor.stop()


def supervisor_with(
    folder: Path,
    tasks: anyio.abc.TaskGroup,
    opening: Opening,
    events: Events,
    *,
    clock: Clock,
    defining: Defining,
    followers: Followers | None = None,
) -> Supervisor:
    def open_log(alias: str) -> ServerLog:
        moment = datetime(2026, 8, 1, tzinfo=timezone.utc)
        return ServerLog(folder, alias, clock=lambda: moment, redact=lambda text: text)

    return Supervisor(
        "demo",
        tasks=tasks,
        opening=opening,
        prepare=defining.prepare,
        emit=events.emit,
        open_log=open_log,
        places=anyio.Semaphore(2),
        sides=sides(events),
        followers=followers or Followers(),
        pace=clock.pace,
    )
