"""Event streams over Streamable HTTP that close, are asked for again, or say how they are to be asked for."""

from __future__ import annotations

import anyio
import httpx2
import mcp_types
import pytest
from mcp.shared.message import ClientMessageMetadata, SessionMessage

from mcp_host.protocol.transports.faults import WireFault, fault_of
from mcp_host.protocol.transports.http_guard import HttpGuard
from mcp_host.protocol.transports.http_pace import FREE_OPENINGS
from tests.protocol.over_http import answers, replies
from tests.protocol.transports.raw_http import Request, serving
from tests.protocol.transports.support import error_of, next_message, request, result_of
from tests.protocol.transports.test_http import Opened, never, opened, standard

pytestmark = pytest.mark.anyio

OPENING = b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\nconnection: close\r\n\r\n"
IN_SESSION = answers({}, mcp_session_id="s-1")


def gets(connection: Opened) -> list[Request]:
    return [one for one in connection.server.seen if one.method == "GET"]


async def open_session(connection: Opened) -> None:
    """The session stands, and with it the server's own stream."""
    result_of(await connection.ask(1, "initialize"))
    initialized = mcp_types.JSONRPCNotification(jsonrpc="2.0", method="notifications/initialized")
    await connection.write.send(SessionMessage(initialized))


@pytest.mark.behaviour("transports.stream-storm")
async def test_a_server_that_closes_its_stream_at_once_is_not_asked_again_and_again() -> None:
    async def close(received: Request) -> None:
        await received.raw(OPENING + b"retry: 0\nid: 1\ndata:\n\n")
        await received.stream.aclose()

    handlers = standard(initialize=IN_SESSION, GET=close, DELETE=replies(200))
    async with serving(handlers) as server, opened(server) as connection:
        await open_session(connection)
        for _ in range(100):
            await connection.works()
        # One more where the machine took seconds for this; unpaced there would be as many as there were calls.
        assert len(gets(connection)) in (FREE_OPENINGS, FREE_OPENINGS + 1)


@pytest.mark.behaviour("transports.modern-stream-is-over")
async def test_a_modern_stream_that_broke_off_is_not_asked_for_again() -> None:
    async def broken(received: Request) -> None:
        await received.raw(OPENING + b'id: 5\nretry: 0\ndata: {"jsonrpc":"2.0","method":"notifications/x"}\n\n')
        await received.stream.aclose()

    async with serving(standard(broken=broken)) as server, opened(server) as connection:
        metadata = ClientMessageMetadata(headers={"mcp-protocol-version": "2026-07-28"})
        await connection.write.send(SessionMessage(request(1, "broken").message, metadata))
        assert isinstance(await next_message(connection.read), mcp_types.JSONRPCNotification)
        error = error_of(await next_message(connection.read))
        assert fault_of(error.data) == WireFault(fault="read", sent=True)
        await connection.works()
        assert gets(connection) == []


@pytest.mark.behaviour("transports.legacy-stream-resumed")
async def test_a_legacy_stream_that_closed_is_taken_up_where_it_ended() -> None:
    async def given_up(received: Request) -> None:
        await received.raw(OPENING + b"retry: 0\nid: e-1\ndata:\n\n")
        await received.stream.aclose()

    async def resumed(received: Request) -> None:
        if received.headers.get("last-event-id") == "e-1":
            await received.events(b'{"jsonrpc":"2.0","id":2,"result":{"text":"\\ud83d"}}')
        else:
            await received.reply(405, b"")

    handlers = standard(initialize=IN_SESSION, slow=given_up, GET=resumed, DELETE=replies(200))
    async with serving(handlers) as server, opened(server) as connection:
        await open_session(connection)
        assert result_of(await connection.ask(2, "slow")) == {"text": "�"}
        assert [one.headers["mcp-session-id"] for one in gets(connection)] == ["s-1"] * 2


@pytest.mark.behaviour("transports.keep-alive")
async def test_keep_alives_and_unknown_events_say_nothing() -> None:
    async def chatty(received: Request) -> None:
        await received.raw(OPENING + b":\r\n\r\n: still there\n\nevent: tick\ndata: 1\n\ndata:\n\n")
        await received.raw(b'event: message\r\ndata: {"jsonrpc":"2.0",\r\ndata: "id":1,"result":{"a":1}}\r\n\r\n')
        await received.stream.aclose()

    async with serving(standard(chatty=chatty)) as server, opened(server) as connection:
        assert result_of(await connection.ask(1, "chatty")) == {"a": 1}


async def test_a_wait_that_nobody_can_mean_does_not_end_the_connection() -> None:
    async def odd(received: Request) -> None:
        await received.raw(OPENING + b"retry: " + b"9" * 400 + b"\n")
        await received.raw(b'data: {"jsonrpc":"2.0","id":2,"result":{"odd":true}}\n\n')
        await received.stream.aclose()

    async def closing(received: Request) -> None:
        await received.raw(OPENING + b"id: 1\nretry: " + b"9" * 400 + b"\ndata:\n\n")
        await received.stream.aclose()

    handlers = standard(initialize=IN_SESSION, odd=odd, GET=closing, DELETE=replies(200))
    async with serving(handlers) as server, opened(server) as connection:
        await open_session(connection)
        assert result_of(await connection.ask(2, "odd")) == {"odd": True}
        while not gets(connection):
            await anyio.lowlevel.checkpoint()
        await anyio.wait_all_tasks_blocked()
        await connection.works()


async def test_a_stream_that_is_refused_costs_nothing_else() -> None:
    async def refuse(received: Request) -> None:
        await received.stream.aclose()

    handlers = standard(initialize=IN_SESSION, GET=refuse, DELETE=replies(200))
    async with serving(handlers) as server, opened(server) as connection:
        await open_session(connection)
        while not gets(connection):
            await anyio.lowlevel.checkpoint()
        await connection.works()


async def test_what_is_fetched_for_an_authorization_is_not_paced() -> None:
    guard = HttpGuard(httpx2.AsyncHTTPTransport())
    with anyio.fail_after(2):
        async with serving(standard(GET=replies(200, b"{}"))) as server:
            for _ in range(2 * FREE_OPENINGS):
                response = await guard.handle_async_request(httpx2.Request("GET", server.url))
                assert (await response.aread(), response.status_code) == (b"{}", 200)
            await guard.aclose()


@pytest.mark.behaviour("transports.cancelled-over-http")
async def test_a_cancelled_modern_request_closes_its_own_connection_alone() -> None:
    gone = anyio.Event()

    async def slow(received: Request) -> None:
        with pytest.raises((anyio.EndOfStream, anyio.BrokenResourceError)):
            await received.stream.receive()
        gone.set()
        raise anyio.EndOfStream

    async with serving(standard(slow=slow, stuck=never)) as server, opened(server) as connection:
        metadata = ClientMessageMetadata(headers={"mcp-protocol-version": "2026-07-28"})
        await connection.write.send(SessionMessage(request(1, "slow").message, metadata))
        await connection.works()
        params = {"requestId": 1}
        cancelled = mcp_types.JSONRPCNotification(jsonrpc="2.0", method="notifications/cancelled", params=params)
        await connection.write.send(SessionMessage(cancelled))
        await gone.wait()
        await connection.works()
        assert "notifications/cancelled" not in [one.message.get("method") for one in server.seen]
