"""A request that is given up is given up at the server too, in the way of each wire and era."""

from __future__ import annotations

import json
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import anyio
import pytest
from mcp.shared.jsonrpc_dispatcher import JSONRPCDispatcher
from mcp.shared.message import SessionMessage

from mcp_host.core.catalog.catalog import Era
from mcp_host.core.catalog.entries import parse_tool
from mcp_host.protocol.client_side import ClientSide
from mcp_host.protocol.connecting import connect_dispatcher
from mcp_host.protocol.connection import Connection
from mcp_host.protocol.errors import RequestFailed
from tests.protocol.over_http import answers, connecting, discovered, initialized, methods, refuses
from tests.protocol.scripted import called, scripted
from tests.protocol.test_connecting import started
from tests.protocol.transports.raw_http import RawHttpServer, Request, serving

pytestmark = pytest.mark.anyio

ERAS: tuple[Era, ...] = ("modern", "legacy")
NEVER, SEEN = (parse_tool({"name": name, "inputSchema": {"type": "object"}}) for name in ("never", "seen"))


async def by_its_caller(_connection: Connection, scope: anyio.CancelScope) -> None:
    scope.cancel()


async def by_its_deadline(connection: Connection, _scope: anyio.CancelScope) -> None:
    (deadline,) = connection.deadlines.running()
    deadline.scope.deadline = float("-inf")


GIVEN_UP: dict[str, Callable[[Connection, anyio.CancelScope], Awaitable[None]]] = {
    "by its caller": by_its_caller,
    "by its deadline": by_its_deadline,
}


@asynccontextmanager
async def given_up(connection: Connection, arrived: anyio.Event, how: str) -> AsyncGenerator[list[RequestFailed]]:
    """A call of `never` has arrived at the server and was given up; how it ended, if it was not cancelled."""
    failures: list[RequestFailed] = []
    scope = anyio.CancelScope()

    async def call() -> None:
        with scope:
            try:
                await connection.call_tool(NEVER, {}, timeout_seconds=60)
            except RequestFailed as failure:
                failures.append(failure)

    async with anyio.create_task_group() as tasks:
        tasks.start_soon(call)
        await arrived.wait()
        await GIVEN_UP[how](connection, scope)
    yield failures


@pytest.mark.behaviour("cancel.notified-over-stdio")
@pytest.mark.parametrize("how", GIVEN_UP)
@pytest.mark.parametrize("era", ERAS)
async def test_a_process_is_told_which_of_its_requests_was_given_up(era: Era, how: str, tmp_path: Path) -> None:
    arrived = anyio.Event()
    side = ClientSide(on_log=lambda _level, _logger, _data: arrived.set())
    arguments = ("modern",) if era == "modern" else ()
    with anyio.fail_after(20):
        async with started(tmp_path, "unanswering.py", *arguments, side=side) as (connection, _):
            assert connection.identity.era == era
            async with given_up(connection, arrived, how) as failures:
                raw = await connection.call_tool(SEEN, {}, timeout_seconds=10)
    seen: list[dict[str, Any]] = json.loads(raw["content"][0]["text"])
    call = next(message for message in seen if message.get("params", {}).get("name") == "never")
    cancelled = [message["params"]["requestId"] for message in seen if message["method"] == "notifications/cancelled"]
    assert cancelled == [call["id"]]
    assert [failure.problem.type for failure in failures] == ["request-timed-out"] * (how == "by its deadline")


@pytest.mark.behaviour("cancel.closes-the-post")
@pytest.mark.parametrize("how", GIVEN_UP)
@pytest.mark.parametrize("streamed", [False, True])
async def test_a_modern_http_server_sees_the_request_of_a_call_that_was_given_up_close(
    streamed: bool, how: str
) -> None:
    arrived, closed = anyio.Event(), anyio.Event()

    async def never(request: Request) -> None:
        if streamed:
            await request.raw(b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\n\r\n: waiting\n\n")
        arrived.set()
        try:
            await request.stream.receive()
        except (anyio.EndOfStream, anyio.BrokenResourceError):
            closed.set()
            raise

    handlers = {"server/discover": answers(discovered(tools={})), "tools/call": never}
    with anyio.fail_after(10):
        async with serving(RawHttpServer(handlers=handlers)) as server, connecting(server.url) as connection:
            async with given_up(connection, arrived, how):
                await closed.wait()
            assert methods(server) == ["server/discover", "tools/call"]


@pytest.mark.behaviour("cancel.notified-over-legacy-http")
@pytest.mark.parametrize("how", GIVEN_UP)
async def test_a_legacy_http_server_is_told_which_of_its_requests_was_given_up(how: str) -> None:
    arrived, told = anyio.Event(), anyio.Event()

    async def never(_: Request) -> None:
        arrived.set()
        await anyio.sleep_forever()

    async def hear(request: Request) -> None:
        await request.raw(b"HTTP/1.1 202 Accepted\r\ncontent-length: 0\r\n\r\n")
        told.set()

    handlers = {
        "server/discover": refuses(-32601),
        "initialize": answers(initialized()),
        "tools/call": never,
        "notifications/cancelled": hear,
    }
    with anyio.fail_after(10):
        async with (
            serving(RawHttpServer(handlers=handlers)) as server,
            connecting(server.url) as connection,
            given_up(connection, arrived, how),
        ):
            await told.wait()
    sent = {seen.message["method"]: seen.message for seen in server.seen if seen.message}
    assert sent["notifications/cancelled"]["params"]["requestId"] == sent["tools/call"]["id"]


@pytest.mark.behaviour("cancel.never-the-negotiation")
@pytest.mark.parametrize("era", ERAS)
async def test_neither_the_probe_nor_the_handshake_is_ever_cancelled(era: Era) -> None:
    to_us, at_us = anyio.create_memory_object_stream[SessionMessage | Exception](1)
    to_server, at_server = anyio.create_memory_object_stream[SessionMessage](10)
    with anyio.fail_after(5), to_us, at_us, to_server, at_server:
        with anyio.CancelScope() as scope:
            async with anyio.create_task_group() as tasks:

                async def give_up() -> None:
                    await at_server.receive()
                    scope.cancel()

                tasks.start_soon(give_up)
                dispatcher = JSONRPCDispatcher(at_us, to_server)
                async with connect_dispatcher("mute", dispatcher, ended=anyio.Event(), legacy=era == "legacy"):
                    raise AssertionError("nobody answered")
        assert scope.cancelled_caught
        assert at_server.statistics().current_buffer_used == 0


@pytest.mark.behaviour("cancel.late-answer-ignored")
@pytest.mark.parametrize("era", ERAS)
async def test_an_answer_that_comes_after_all_is_passed_over(era: Era) -> None:
    async with scripted(era) as (connection, peer):
        async with called(connection) as first:
            request = await peer.request("tools/call")
            first.scope.cancel()
        assert (await peer.receive())["method"] == "notifications/cancelled"
        await peer.answer(request, content=[])
        async with called(connection) as second:
            await peer.answer(await peer.request("tools/call"), content=[{"type": "text", "text": "second"}])
    assert (first.result, second.result) == (None, {"content": [{"type": "text", "text": "second"}]})
