"""Connections over the old HTTP+SSE binding: to the SDK's own server, and to one that goes away."""

from __future__ import annotations

import socket
from collections.abc import AsyncGenerator, Mapping
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from pathlib import Path

import anyio
import pytest
import uvicorn
from mcp.server.mcpserver import Context, MCPServer

from mcp_host.core.definitions.launch import HttpLaunch
from mcp_host.problems import ProblemError
from mcp_host.protocol.connecting import connect_sse
from mcp_host.protocol.connection import Connection
from mcp_host.protocol.errors import RequestFailed
from mcp_host.protocol.listing import list_everything
from tests.host.support import open_desk
from tests.protocol.over_http import initialized
from tests.protocol.transports.raw_http import Handler, Request
from tests.protocol.transports.raw_sse import RawSseServer, serving_sse, take

pytestmark = pytest.mark.anyio

TOOL = {"name": "look", "inputSchema": {"type": "object"}}


def connecting(url: str) -> AbstractAsyncContextManager[Connection]:
    launch = HttpLaunch(url=url, headers={}, secrets=frozenset(), transport="sse")
    return connect_sse("old", launch, connect_timeout=5, read_timeout=5)


@asynccontextmanager
async def sdk_server(made: MCPServer) -> AsyncGenerator[str]:
    """The SDK's own server of this binding on a loopback socket; its URL."""
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        server = uvicorn.Server(uvicorn.Config(made.sse_app(), log_level="error", timeout_graceful_shutdown=1))
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(server.serve, [listener])
            while not server.started:
                await anyio.lowlevel.checkpoint()
            yield f"http://127.0.0.1:{listener.getsockname()[1]}/sse"
            server.should_exit = True


@asynccontextmanager
async def speaking(handlers: Mapping[str, Handler] | None = None) -> AsyncGenerator[RawSseServer]:
    """A raw server that shakes hands and has one tool."""

    def answers(result: Mapping[str, object]) -> Handler:
        async def handler(request: Request) -> None:
            await take(request)
            await server.answer(request, result)

        return handler

    async with serving_sse() as server:
        server.http.handlers |= {
            "initialize": answers(initialized("2024-11-05", tools={})),
            "tools/list": answers({"tools": [TOOL]}),
            "tools/call": answers({"content": [{"type": "text", "text": "seen"}]}),
            **(handlers or {}),
        }
        yield server


async def look(connection: Connection) -> RequestFailed:
    """Why the tool gave no result."""
    with pytest.raises(RequestFailed) as caught:
        await connection.request("tools/call", {"name": "look"}, doing="calling look", timeout_seconds=5)
    return caught.value


@pytest.mark.behaviour("transports.sse-spoken")
async def test_the_sdks_server_is_spoken_to_over_the_old_binding() -> None:
    made = MCPServer("old")

    @made.tool()
    async def count(context: Context) -> str:
        for done in (1, 2):
            await context.report_progress(done, 2)
        return "two"

    told: list[float] = []

    async def on_progress(progress: float, total: float | None, message: str | None) -> None:
        assert (total, message) == (2, None)
        told.append(progress)

    with anyio.fail_after(10):
        async with sdk_server(made) as url, connecting(url) as connection:
            assert (connection.identity.era, connection.identity.name) == ("legacy", "old")
            catalog = await list_everything(connection, generation=1, timeout_seconds=5)
            (tool,) = catalog.tools
            raw = await connection.call_tool(tool, {}, timeout_seconds=5, on_progress=on_progress)
            assert raw["content"] == [{"type": "text", "text": "two"}]
            assert told == [1, 2]
            assert not connection.ended.is_set()


async def test_a_stream_that_ends_while_nothing_is_asked_ends_the_connection() -> None:
    with anyio.fail_after(5):
        async with speaking() as server, connecting(server.url) as connection:
            server.closing.set()
            await connection.ended.wait()
            failure = await look(connection)
    assert (failure.problem.type, failure.sent) == ("server-unavailable", False)


async def test_a_stream_that_ends_in_a_call_leaves_open_what_became_of_it() -> None:
    async def end(request: Request) -> None:
        await take(request)
        server.closing.set()

    with anyio.fail_after(5):
        async with speaking({"tools/call": end}) as server, connecting(server.url) as connection:
            failure = await look(connection)
    assert (failure.problem.type, failure.sent, failure.answered, failure.ended) == (
        "server-unavailable",
        True,
        False,
        True,
    )


async def test_a_session_that_the_server_forgot_ends_the_connection_and_nothing_was_done() -> None:
    async def forget(request: Request) -> None:
        await request.reply(404, b"Could not find session", "text/plain")

    with anyio.fail_after(5):
        async with speaking({"tools/call": forget}) as server, connecting(server.url) as connection:
            failure = await look(connection)
            assert connection.ended.is_set()
    assert (failure.sent, failure.answered, failure.ended) == (True, True, True)
    assert "The request was not carried out." in failure.problem.detail


async def test_a_server_without_that_binding_says_what_it_answered() -> None:
    async def missing(request: Request) -> None:
        await request.reply(405, b"", allow="POST")

    with anyio.fail_after(5):
        async with serving_sse({"GET": missing}) as server:
            with pytest.raises(ProblemError) as caught:
                async with connecting(server.url):
                    pass
    assert (caught.value.problem.type, "HTTP 405" in caught.value.problem.title) == ("server-unavailable", True)


async def test_an_address_of_another_origin_is_a_broken_protocol() -> None:
    with anyio.fail_after(5):
        async with speaking() as server:
            server.endpoint = "http://other.invalid/messages?token=s3cret"
            with pytest.raises(ProblemError) as caught:
                async with connecting(server.url):
                    pass
    problem = caught.value.problem
    assert (problem.type, "other.invalid" in problem.detail) == ("protocol-violated", True)
    assert "s3cret" not in problem.model_dump_json()


async def test_a_definition_of_the_old_binding_is_connected_and_connected_anew_after_its_stream_ended(
    tmp_path: Path,
) -> None:
    with anyio.fail_after(20):  # the first connection of a process imports the protocol
        async with speaking() as server:
            text = f'[servers.old]\nurl = "{server.url}"\ntransport = "sse"\nread = ["look"]\n'
            async with open_desk(tmp_path, text) as desk:
                await desk.ask("exec", alias="old", tool="look")
                server.closing.set()
                await desk.events.wait_for("McpServerStatus", lambda data: data["status"] == "waiting")
                await desk.ask("exec", alias="old", tool="look")
    assert [one.method for one in server.http.seen].count("GET") == 2
