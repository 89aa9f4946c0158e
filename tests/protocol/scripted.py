"""A server that a test plays by hand, message by message, at the other end of a wire that carries JSON lines.

What crosses is what crosses a process's pipes: our messages are encoded and its own are parsed by the transport's code.
"""

from __future__ import annotations

import json
import math
from collections.abc import AsyncGenerator, Mapping
from contextlib import AbstractContextManager, asynccontextmanager
from dataclasses import dataclass, field
from typing import Any, Final

import anyio
from anyio.streams.memory import MemoryObjectReceiveStream, MemoryObjectSendStream
from mcp.shared.jsonrpc_dispatcher import JSONRPCDispatcher
from mcp.shared.message import SessionMessage

from mcp_host.core.catalog.catalog import Era
from mcp_host.core.catalog.entries import parse_tool
from mcp_host.core.interactions.requests import Asked
from mcp_host.core.offers import Offer
from mcp_host.protocol.client_side import ClientSide
from mcp_host.protocol.connecting import connect_dispatcher
from mcp_host.protocol.connection import Connection
from mcp_host.protocol.deadlines import Deadline
from mcp_host.protocol.errors import RequestFailed
from mcp_host.protocol.transports.messages import parse_line
from mcp_host.protocol.transports.streams import LineWriter, UnreadAnswers
from tests.protocol.over_http import discovered, initialized

ECHO: Final = parse_tool({"name": "echo", "inputSchema": {"type": "object"}})
EVERYTHING: Final = Offer(elicitation=True, sampling=True, legacy_roots=True, modern_roots=True, tasks=True)
LATEST_HANDSHAKE: Final = "2025-11-25"
ACCEPTED: Final[Mapping[str, Any]] = {"action": "accept", "content": {"name": "Ada"}}
FORM: Final[Mapping[str, Any]] = {
    "message": "Your name?",
    "requestedSchema": {"type": "object", "properties": {"name": {"type": "string"}}},
}

SAMPLING: Final[Mapping[str, Any]] = {
    "messages": [{"role": "user", "content": {"type": "text", "text": "hi"}}],
    "maxTokens": 10,
}
SAMPLED: Final[Mapping[str, Any]] = {"role": "assistant", "content": {"type": "text", "text": "hi"}, "model": "m"}


@dataclass(kw_only=True)
class Peer:
    """The server's end."""

    greeting: list[dict[str, Any]] = field(default_factory=list[dict[str, Any]])
    """What it was sent while the revision was negotiated."""
    to_client: MemoryObjectSendStream[SessionMessage | Exception]
    from_client: MemoryObjectReceiveStream[bytes]

    async def receive(self) -> dict[str, Any]:
        """The next message that was sent to it."""
        return json.loads(await self.from_client.receive())

    def waiting(self) -> int:
        """How many messages it was sent and has not received."""
        return self.from_client.statistics().current_buffer_used

    async def request(self, method: str) -> dict[str, Any]:
        """The next message, which must be a request of this method."""
        message = await self.receive()
        assert message.get("method") == method, message
        return message

    async def send(self, **members: Any) -> None:
        """A message of these members is on its way to the client."""
        parsed = parse_line(json.dumps({"jsonrpc": "2.0", **members}).encode())
        assert parsed is not None
        await self.to_client.send(SessionMessage(parsed))

    async def answer(self, request: Mapping[str, Any], **result: Any) -> None:
        """The request is answered with these members."""
        await self.send(id=request["id"], result=result)

    async def refuse(self, request: Mapping[str, Any], code: int, message: str = "no", data: object = None) -> None:
        """The request is answered with an error."""
        error = {"code": code, "message": message, **({} if data is None else {"data": data})}
        await self.send(id=request["id"], error=error)

    async def ask(self, method: str, params: Mapping[str, Any] | None = None, request_id: object = "s1") -> None:
        """The client is sent a request."""
        await self.send(id=request_id, method=method, **({} if params is None else {"params": params}))

    async def say(self, method: str, params: Mapping[str, Any] | None = None) -> None:
        """The client is sent a notification."""
        await self.send(method=method, **({} if params is None else {"params": params}))

    async def greet(self, era: Era, revision: str, capabilities: Mapping[str, Any]) -> None:
        """The revision is negotiated."""
        self.greeting.append(await self.receive())
        if era == "modern":
            await self.answer(self.greeting[0], **discovered(**capabilities))
            return
        await self.answer(self.greeting[0], **initialized(revision, **capabilities))
        self.greeting.append(await self.receive())


@dataclass(kw_only=True)
class Person:
    """Answers what is asked, in the order in which the answers were given to it."""

    answers: list[Mapping[str, Mapping[str, Any]] | Exception] = field(
        default_factory=list[Mapping[str, Mapping[str, Any]] | Exception]
    )
    asked: list[Asked] = field(default_factory=list[Asked])
    turned: anyio.Event = field(default_factory=anyio.Event)
    """Set when something is asked."""
    given_up: int = 0
    """How often a question was withdrawn."""

    async def respond(self, asked: Asked) -> Mapping[str, Mapping[str, Any]]:
        self.asked.append(asked)
        self.turned.set()
        if not self.answers:
            try:
                await anyio.sleep_forever()
            finally:
                self.given_up += 1
        answer = self.answers.pop(0)
        if isinstance(answer, Exception):
            raise answer
        return answer


@dataclass(kw_only=True)
class Habits:
    """Answers every request of a method in the same way, whatever its key."""

    answers: Mapping[str, Mapping[str, Any]]
    asked: list[Asked] = field(default_factory=list[Asked])

    async def respond(self, asked: Asked) -> Mapping[str, Mapping[str, Any]]:
        self.asked.append(asked)
        return {request.key: self.answers[request.method] for request in asked.requests}


@asynccontextmanager
async def scripted(
    era: Era,
    *,
    person: Person | None = None,
    side: ClientSide | None = None,
    revision: str = LATEST_HANDSHAKE,
    **capabilities: Any,
) -> AsyncGenerator[tuple[Connection, Peer]]:
    """A negotiated connection and the server at its other end; everything is offered unless another side is given."""
    side = side or ClientSide(offer=EVERYTHING, respond=(person or Person()).respond)
    to_client, at_client = anyio.create_memory_object_stream[SessionMessage | Exception](math.inf)
    to_server, at_server = anyio.create_memory_object_stream[bytes](math.inf)
    peer = Peer(to_client=to_client, from_client=at_server)
    with to_client, at_client, to_server, at_server:
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(peer.greet, era, revision, capabilities)
            dispatcher = JSONRPCDispatcher(at_client, LineWriter(to_server, UnreadAnswers()))
            async with connect_dispatcher(
                "played", dispatcher, ended=anyio.Event(), legacy=era == "legacy", side=side
            ) as connection:
                yield connection, peer


@dataclass
class Ended:
    """How a call ended."""

    result: Mapping[str, Any] | None = None
    failure: RequestFailed | None = None
    done: anyio.Event = field(default_factory=anyio.Event)
    scope: anyio.CancelScope = field(default_factory=anyio.CancelScope)


@asynccontextmanager
async def called(connection: Connection, *, seconds: float = 5, call: str | None = None) -> AsyncGenerator[Ended]:
    """A call of `echo` runs meanwhile, and has ended afterwards."""
    ended = Ended()

    async def run() -> None:
        with ended.scope:
            try:
                ended.result = await connection.call_tool(ECHO, {"n": 1}, timeout_seconds=seconds, call=call)
            except RequestFailed as failure:
                ended.failure = failure
        ended.done.set()

    with anyio.fail_after(10):
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(run)
            yield ended


@dataclass
class Clock:
    """Far beyond the loop's own clock, so that no deadline passes by itself; and the seconds of each that was set."""

    now: float = 1e12
    limits: list[float] = field(default_factory=list[float])

    def wind(self, connection: Connection) -> None:
        limit = connection.deadlines.limit

        def noted(seconds: float) -> AbstractContextManager[Deadline]:
            self.limits.append(seconds)
            return limit(seconds)

        connection.deadlines.now = lambda: self.now
        setattr(connection.deadlines, "limit", noted)  # noqa: B010 (its type is a detail of contextlib)
