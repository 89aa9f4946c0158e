"""Negotiated connections over real sockets: to raw servers that misbehave, and to the SDK's own servers."""

from __future__ import annotations

import json
import socket
from collections.abc import AsyncGenerator, Callable, Mapping
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from typing import Any

import anyio
import httpx2
import uvicorn
from anyio.abc import TaskGroup, TaskStatus
from mcp.server.mcpserver import MCPServer
from mcp.shared.jsonrpc_dispatcher import JSONRPCDispatcher

from mcp_host.core.definitions.launch import HttpLaunch
from mcp_host.protocol.client_side import ClientSide
from mcp_host.protocol.connecting import NOBODY, connect_dispatcher, connect_http
from mcp_host.protocol.connection import Connection
from mcp_host.protocol.transports.http import http_transport
from tests.protocol.transports.raw_http import Handler, RawHttpServer, Request, serving

MODERN = "2026-07-28"
LEGACY = "2025-06-18"


def connecting(url: str, side: ClientSide = NOBODY, /, **headers: str) -> AbstractAsyncContextManager[Connection]:
    """The context of a connection to this address."""
    launch = HttpLaunch(url=url, headers=headers, secrets=frozenset())
    return connect_http("web", launch, connect_timeout=5, read_timeout=5, side=side)


@asynccontextmanager
async def shaking_hands(url: str, side: ClientSide = NOBODY) -> AsyncGenerator[Connection]:
    """A connection of the handshake revisions to a server that would speak the modern one too."""
    launch = HttpLaunch(url=url, headers={}, secrets=frozenset())
    async with (
        http_transport(launch, connect_timeout=5, read_timeout=5) as streams,
        connect_dispatcher(
            "web", JSONRPCDispatcher(*streams), ended=anyio.Event(), legacy=True, side=side
        ) as connection,
    ):
        yield connection


@asynccontextmanager
async def connected(
    handlers: Mapping[str, Handler], **headers: str
) -> AsyncGenerator[tuple[Connection, RawHttpServer]]:
    """A connection to a raw server with these handlers, and that server."""
    async with (
        serving(RawHttpServer(handlers=dict(handlers))) as server,
        connecting(server.url, **headers) as connection,
    ):
        yield connection, server


@asynccontextmanager
async def sdk_server(made: MCPServer, *, port: int = 0, **options: Any) -> AsyncGenerator[str]:
    """The SDK's own Streamable HTTP server on a loopback socket; its URL. It speaks both eras."""
    with socket.socket() as listener:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind(("127.0.0.1", port))
        config = uvicorn.Config(made.streamable_http_app(**options), log_level="error", timeout_graceful_shutdown=1)
        server = uvicorn.Server(config)
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(server.serve, [listener])
            while not server.started:
                await anyio.lowlevel.checkpoint()
            yield f"http://127.0.0.1:{listener.getsockname()[1]}/mcp"
            server.should_exit = True


class Switched:
    """A server that can be switched off and on again, at one port."""

    def __init__(self, serve: Callable[[int], AbstractAsyncContextManager[str]], tasks: TaskGroup) -> None:
        self.url = ""
        self._serve = serve
        self._tasks = tasks
        self._off = anyio.Event()
        self._gone = anyio.Event()

    async def on(self) -> None:
        """It listens, and takes connections anew."""
        self._off, self._gone = anyio.Event(), anyio.Event()
        self.url = await self._tasks.start(self._run)

    async def off(self) -> None:
        """All its connections are closed and nobody listens."""
        self._off.set()
        await self._gone.wait()

    async def _run(self, *, task_status: TaskStatus[str]) -> None:
        async with self._serve(httpx2.URL(self.url).port or 0) as url:
            task_status.started(url)
            await self._off.wait()
        self._gone.set()


@asynccontextmanager
async def switched_on(made: MCPServer | Mapping[str, Handler]) -> AsyncGenerator[Switched]:
    """The SDK's server, or a raw one with these handlers, runs."""

    @asynccontextmanager
    async def raw(port: int) -> AsyncGenerator[str]:
        assert not isinstance(made, MCPServer)
        async with serving(RawHttpServer(handlers=dict(made), port=port)) as server:
            yield server.url

    def sdk(port: int) -> AbstractAsyncContextManager[str]:
        assert isinstance(made, MCPServer)
        return sdk_server(made, port=port)

    async with anyio.create_task_group() as tasks:
        switched = Switched(sdk if isinstance(made, MCPServer) else raw, tasks)
        await switched.on()
        yield switched
        await switched.off()


def methods(server: RawHttpServer) -> list[str]:
    """The JSON-RPC methods that arrived, in their order."""
    return [seen.message["method"] for seen in server.seen if seen.message]


def answers(result: Mapping[str, object], **headers: str) -> Handler:
    """Answers with the result."""

    async def handler(request: Request) -> None:
        await request.answer(result, **headers)

    return handler


def replies(status: int, body: bytes = b"", content_type: str = "application/json", **headers: str) -> Handler:
    """Answers with a bare HTTP response."""

    async def handler(request: Request) -> None:
        await request.reply(status, body, content_type, **headers)

    return handler


def refuses(code: int, message: str = "no", *, status: int = 200, data: object = None) -> Handler:
    """Answers with a JSON-RPC error, under this HTTP status."""

    async def handler(request: Request) -> None:
        await request.reply(status, error_body(request.message["id"], code, message, data))

    return handler


def error_body(request_id: object, code: int, message: str, data: object = None) -> bytes:
    """The JSON text of a JSON-RPC error."""
    error = {"code": code, "message": message, **({} if data is None else {"data": data})}
    return json.dumps({"jsonrpc": "2.0", "id": request_id, "error": error}).encode()


def in_turn(*handlers: Handler) -> Handler:
    """Each request gets the next handler; the last one stays."""
    left = list(handlers)

    async def handler(request: Request) -> None:
        await (left.pop(0) if len(left) > 1 else left[0])(request)

    return handler


async def hang_up(request: Request) -> None:
    """Closes the connection without a word."""
    await request.stream.aclose()


def discovered(*versions: str, **capabilities: object) -> dict[str, object]:
    """A discover result that offers these revisions."""
    return {
        "resultType": "complete",
        "supportedVersions": list(versions or (MODERN,)),
        "capabilities": capabilities,
        "_meta": {"io.modelcontextprotocol/serverInfo": {"name": "raw", "version": "1"}},
    }


def initialized(version: str = LEGACY, /, **capabilities: object) -> dict[str, object]:
    """An initialize result at this revision."""
    return {"protocolVersion": version, "capabilities": capabilities, "serverInfo": {"name": "raw", "version": "1"}}
