"""A raw server of the HTTP+SSE binding, inside the test's own loop: one event stream, and a handler for each method."""

from __future__ import annotations

import json
from collections.abc import AsyncGenerator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field

import anyio

from tests.protocol.transports.raw_http import Handler, RawHttpServer, Request, serving

OPENING = b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream; charset=latin-1\r\n\r\n"


@dataclass(kw_only=True)
class RawSseServer:
    """The event stream that was opened last, and what came in over HTTP."""

    http: RawHttpServer
    endpoint: str = "/messages?session=1"
    """As it is sent; `{origin}` stands for the server's own."""
    opened: anyio.Event = field(default_factory=anyio.Event)
    closing: anyio.Event = field(default_factory=anyio.Event)
    """To be set where the stream is to end."""
    _stream: Request | None = None
    _writing: anyio.Lock = field(default_factory=anyio.Lock)

    @property
    def url(self) -> str:
        return f"{self.origin}/sse"

    @property
    def origin(self) -> str:
        return f"http://127.0.0.1:{self.http.port}"

    async def say(self, data: bytes, event: str = "message") -> None:
        """One event."""
        await self.write(f"event: {event}\n".encode() + b"data: " + data + b"\n\n")

    async def write(self, data: bytes) -> None:
        """Bytes on the event stream."""
        assert self._stream is not None
        async with self._writing:
            await self._stream.raw(data)

    async def answer(self, request: Request, result: Mapping[str, object]) -> None:
        """The answer to a request, on the stream."""
        await self.say(json.dumps({"jsonrpc": "2.0", "id": request.message["id"], "result": result}).encode())

    async def open(self, request: Request) -> None:
        """The handler of GET: the stream opens and stays."""
        self._stream, self.closing = request, anyio.Event()
        await request.raw(OPENING + b": hello\n\n")
        await self.say(self.endpoint.format(origin=self.origin).encode(), "endpoint")
        self.opened.set()
        await self.closing.wait()
        await request.stream.aclose()


async def take(request: Request) -> None:
    """Says that the message arrived."""
    await request.reply(202, b"Accepted", "text/plain")


@asynccontextmanager
async def serving_sse(
    handlers: Mapping[str, Handler] | None = None, *, endpoint: str = "/messages?session=1"
) -> AsyncGenerator[RawSseServer]:
    """The server listens; `echo` answers with the params."""
    server = RawSseServer(http=RawHttpServer(handlers={}), endpoint=endpoint)

    async def echo(request: Request) -> None:
        await take(request)
        await server.answer(request, request.message.get("params", {}))

    server.http.handlers.update({"GET": server.open, "POST": take, "echo": echo, **(handlers or {})})
    async with serving(server.http):
        yield server
