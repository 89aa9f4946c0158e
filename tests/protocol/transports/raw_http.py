"""A raw HTTP server on a loopback socket, inside the test's own loop: each JSON-RPC method misbehaves in its own way.

A handler writes bytes, so it can stop in the middle of whatever it likes. Returning closes nothing unless it says so.
"""

from __future__ import annotations

import json
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any

import anyio
from anyio.abc import SocketAttribute, SocketStream
from anyio.streams.buffered import BufferedByteReceiveStream


@dataclass(kw_only=True)
class Request:
    """One request as it came, and the way to answer it."""

    stream: SocketStream
    method: str
    path: str
    headers: dict[str, str]
    message: dict[str, Any]

    async def raw(self, data: bytes) -> None:
        await self.stream.send(data)

    async def reply(self, status: int, body: bytes, content_type: str = "application/json", **headers: str) -> None:
        lines = [f"HTTP/1.1 {status} Word", f"content-type: {content_type}", f"content-length: {len(body)}"]
        lines += [f"{name.replace('_', '-')}: {value}" for name, value in headers.items()]
        await self.raw("\r\n".join([*lines, "", ""]).encode() + body)

    async def answer(self, result: object, **headers: str) -> None:
        body = json.dumps({"jsonrpc": "2.0", "id": self.message["id"], "result": result}).encode()
        await self.reply(200, body, **headers)

    async def events(self, *data: bytes) -> None:
        """An event stream that ends with its connection."""
        await self.raw(b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\nconnection: close\r\n\r\n")
        for event in data:
            await self.raw(b"event: message\ndata: " + event + b"\n\n")
        await self.stream.aclose()


Handler = Callable[[Request], Awaitable[None]]


@dataclass(kw_only=True)
class RawHttpServer:
    """The requests that came in, and the handlers by JSON-RPC method (or HTTP method where there is no message)."""

    handlers: dict[str, Handler]
    port: int = 0
    seen: list[Request] = field(default_factory=list[Request])

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}/mcp"

    async def serve_connection(self, stream: SocketStream) -> None:
        buffered = BufferedByteReceiveStream(stream)
        async with stream:
            try:
                while True:
                    await self._serve_request(stream, buffered)
            except (anyio.EndOfStream, anyio.IncompleteRead, anyio.BrokenResourceError, anyio.ClosedResourceError):
                return

    async def _serve_request(self, stream: SocketStream, buffered: BufferedByteReceiveStream) -> None:
        head = (await buffered.receive_until(b"\r\n\r\n", 65_536)).decode("latin-1").split("\r\n")
        headers = {name.lower(): value.strip() for name, _, value in (line.partition(":") for line in head[1:])}
        length = int(headers.get("content-length", "0"))
        body = await buffered.receive_exactly(length) if length else b""
        message: dict[str, Any] = json.loads(body) if body else {}
        method, path, _ = head[0].split(" ")
        request = Request(stream=stream, method=method, path=path, headers=headers, message=message)
        self.seen.append(request)
        if message and "id" not in message and message["method"] not in self.handlers:
            await request.raw(b"HTTP/1.1 202 Accepted\r\ncontent-length: 0\r\n\r\n")
            return
        await self.handlers[message.get("method", request.method)](request)


@asynccontextmanager
async def serving(server: RawHttpServer) -> AsyncGenerator[RawHttpServer, None]:
    """The server listens, on `server.port` if that is set."""
    listener = await anyio.create_tcp_listener(local_host="127.0.0.1", local_port=server.port)
    server.port = listener.extra(SocketAttribute.local_port)
    async with listener, anyio.create_task_group() as tasks:
        tasks.start_soon(listener.serve, server.serve_connection)
        yield server
        tasks.cancel_scope.cancel()
