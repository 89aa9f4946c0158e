"""Fifty slow calls at once on one connection, of which one is cancelled and one meets a fault of the server.

The server answers nothing before all calls have come and the cancellation too. So what is seen here rests on no clock:
every call was in flight when the one was cancelled, and every answer came after the cancellation had arrived.
"""

from __future__ import annotations

import json
import time
from collections.abc import AsyncGenerator, Callable, Mapping
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

import anyio

from mcp_host.core.catalog.catalog import Era
from mcp_host.problems import Problem, ProblemError
from tests.host.support import open_desk, script
from tests.protocol.over_http import MODERN, answers, discovered
from tests.protocol.transports.raw_http import RawHttpServer, Request, serving

COUNT: Final = 50
GIVES_UP: Final = 17
FAILS: Final = 31
READS: Final = 'read = ["wait", "give_up", "fail"]'
CLOSED: Final = "(closed)"
"""Stands in a capture for a request whose connection the host closed: the modern way to cancel over HTTP."""


@dataclass(frozen=True, kw_only=True)
class Seen:
    """One message as the server saw it."""

    at: float
    """Seconds of the system's monotonic clock."""
    direction: str
    method: str | None
    """None for an answer."""
    id: object


@dataclass(kw_only=True)
class Told:
    """What came of the calls, and what was on the wire."""

    texts: dict[int, object] = field(default_factory=dict[int, object])
    problems: dict[int, Problem] = field(default_factory=dict[int, Problem])
    cancelled_at: float = 0.0
    """When the verb `cancel` was given, by the same clock as the capture."""
    capture: list[Seen] = field(default_factory=list[Seen])

    @property
    def arrival(self) -> Seen:
        """The cancellation at the server."""
        (seen,) = (one for one in self.capture if one.method in ("notifications/cancelled", CLOSED))
        return seen


@dataclass(frozen=True, kw_only=True)
class Wire:
    """A definition of the server, as `slow`, and the way to what it saw."""

    definition: str
    read: Callable[[], list[Seen]]


Wires = Callable[[Path], AbstractAsyncContextManager[Wire]]


def over_stdio(era: Era) -> Wires:
    """The server as a process."""

    @asynccontextmanager
    async def opened(folder: Path) -> AsyncGenerator[Wire]:
        capture = folder / "capture"

        def read() -> list[Seen]:
            return [Seen(**json.loads(line)) for line in capture.read_text().splitlines()]

        env = {"MCP_CAPTURE": str(capture)}
        yield Wire(definition=script("slow", "slow_calls", era, str(COUNT), more=READS, env=env), read=read)

    return opened


@asynccontextmanager
async def over_http(_folder: Path) -> AsyncGenerator[Wire]:
    """The server on a loopback socket, of the modern era. What fails hangs up without an answer."""
    slow = _SlowCalls()
    async with serving(slow.http):
        yield Wire(definition=f'[servers.slow]\nurl = "{slow.http.url}"\n{READS}\n', read=lambda: slow.capture)


async def fifty_calls(folder: Path, wires: Wires) -> Told:
    """Everything that came of them."""
    told = Told()

    async def call(number: int) -> None:
        tool = {GIVES_UP: "give_up", FAILS: "fail"}.get(number, "wait")
        try:
            answer = await desk.document("exec", alias="slow", tool=tool, arguments={"number": number})
        except ProblemError as error:
            told.problems[number] = error.problem
        else:
            told.texts[number] = answer["content"][0]["text"]

    async with wires(folder) as wire:
        async with open_desk(folder, wire.definition) as desk:
            await desk.ask("tools", alias="slow")
            async with anyio.create_task_group() as tasks:
                for number in range(COUNT):
                    tasks.start_soon(call, number)
                one = await desk.events.wait_for("McpProgress", lambda data: data.get("tool") == "give_up")
                told.cancelled_at = time.monotonic()
                await desk.ask("cancel", call=one["call"])
        told.capture = wire.read()
    return told


@dataclass(kw_only=True)
class _SlowCalls:
    """As `tests/servers/slow_calls.py`, over HTTP."""

    capture: list[Seen] = field(default_factory=list[Seen])
    http: RawHttpServer = field(default_factory=lambda: RawHttpServer(handlers={}))
    calls: int = 0
    all_came: anyio.Event = field(default_factory=anyio.Event)
    one_left: anyio.Event = field(default_factory=anyio.Event)

    def __post_init__(self) -> None:
        tools = [{"name": name, "inputSchema": {"type": "object"}} for name in ("wait", "give_up", "fail")]
        self.http.handlers |= {
            "server/discover": answers(discovered(MODERN, tools={})),
            "tools/list": answers({"resultType": "complete", "tools": tools}),
            "tools/call": self._call,
        }

    async def _call(self, request: Request) -> None:
        message = request.message
        self._note("to server", "tools/call", message)
        self.calls += 1
        if self.calls == COUNT:
            self.all_came.set()
        await request.raw(b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\nconnection: close\r\n\r\n")
        if message["params"]["name"] == "give_up":
            await self._be_given_up(request)
            return
        await self.one_left.wait()
        if message["params"]["name"] == "wait":
            text = {"type": "text", "text": str(message["params"]["arguments"]["number"])}
            result = {"resultType": "complete", "content": [text]}
            self._note("from server", None, message)
            await self._say(request, {"id": message["id"], "result": result})
        await request.stream.aclose()

    async def _be_given_up(self, request: Request) -> None:
        message = request.message
        await self.all_came.wait()
        token = message["params"]["_meta"]["progressToken"]
        self._note("from server", "notifications/progress", message)
        told = {"method": "notifications/progress", "params": {"progressToken": token, "progress": 1}}
        await self._say(request, told)
        try:
            await request.stream.receive()
        except (anyio.EndOfStream, anyio.BrokenResourceError):
            self._note("to server", CLOSED, message)
            self.one_left.set()

    async def _say(self, request: Request, message: Mapping[str, object]) -> None:
        await request.raw(b"data: " + json.dumps({"jsonrpc": "2.0", **message}).encode() + b"\n\n")

    def _note(self, direction: str, method: str | None, message: Mapping[str, Any]) -> None:
        self.capture.append(Seen(at=time.monotonic(), direction=direction, method=method, id=message["id"]))
