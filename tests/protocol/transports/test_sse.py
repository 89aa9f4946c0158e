"""The stream pair over HTTP+SSE: one stream that is the connection, and POSTs whose faults stay their own."""

from __future__ import annotations

import json
from collections.abc import AsyncGenerator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass

import anyio
import mcp_types
import pytest
from mcp.client._transport import ReadStream, WriteStream
from mcp.shared.exceptions import MCPError
from mcp.shared.message import ClientMessageMetadata, SessionMessage

from mcp_host.protocol.transports import sse
from mcp_host.protocol.transports.faults import WireFault, fault_of
from mcp_host.protocol.transports.sse import sse_transport
from tests.protocol.transports.raw_http import Handler, RawHttpServer, Request, serving
from tests.protocol.transports.raw_sse import OPENING, serving_sse, take
from tests.protocol.transports.support import ask, error_of, next_message, request, result_of
from tests.protocol.transports.test_http import (
    Launch,
    half_a_body,
    half_the_headers,
    hang_up,
    never,
    unauthorized,
    unavailable,
)

pytestmark = pytest.mark.anyio


@dataclass(frozen=True, kw_only=True)
class Opened:
    read: ReadStream[SessionMessage | Exception]
    write: WriteStream[SessionMessage]
    ended: anyio.Event

    async def ask(self, request_id: int, method: str, **params: object) -> mcp_types.JSONRPCMessage:
        return await ask(self.read, self.write, request(request_id, method, **params))

    async def works(self) -> None:
        """The same connection still answers."""
        assert result_of(await self.ask(999, "echo", still="there")) == {"still": "there"}


@asynccontextmanager
async def opened(
    url: str, *, headers: Mapping[str, str] | None = None, read_timeout: float = 5
) -> AsyncGenerator[Opened]:
    launch, ended = Launch(url=url, headers=headers or {}), anyio.Event()
    with anyio.fail_after(5):
        async with sse_transport(launch, connect_timeout=5, read_timeout=read_timeout, ended=ended) as (read, write):
            yield Opened(read=read, write=write, ended=ended)


async def refusal(url: str) -> MCPError:
    """Why no connection comes up."""
    with pytest.raises(MCPError) as caught:
        async with opened(url):
            pass
    return caught.value


@pytest.mark.behaviour("transports.sse-endpoint")
@pytest.mark.parametrize("endpoint", ["/messages?session=1", "messages?session=1", "{origin}/messages?session=1"])
async def test_messages_are_posted_to_the_address_that_the_stream_names(endpoint: str) -> None:
    async with serving_sse(endpoint=endpoint) as server, opened(server.url, headers={"X-Team": "red"}) as connection:
        await connection.works()
    seen = [(one.method, one.path, one.headers["x-team"]) for one in server.http.seen]
    assert seen == [("GET", "/sse", "red"), ("POST", "/messages?session=1", "red")]


@pytest.mark.behaviour("transports.sse-endpoint-origin")
@pytest.mark.parametrize(
    "endpoint",
    [
        "http://127.0.0.1:{other}/messages",
        "http://localhost:{port}/messages",
        "https://127.0.0.1:{port}/messages",
        "http://user:word@127.0.0.1:{port}/messages",
        "//127.0.0.1:{other}/messages",
        "file:///etc/passwd",
        "http://[oops/messages",
    ],
)
async def test_an_address_of_another_origin_gets_no_message(endpoint: str) -> None:
    async with serving(RawHttpServer(handlers={})) as other, serving_sse() as server:
        server.endpoint = endpoint.replace("{other}", str(other.port)).replace("{port}", str(server.http.port))
        error = await refusal(server.url)
    assert fault_of(error.error.data) == WireFault(fault="unreadable", sent=False)
    assert "word" not in error.error.message
    assert (other.seen, len(server.http.seen)) == ([], 1)


async def test_headers_of_a_request_go_with_its_post() -> None:
    async with serving_sse() as server, opened(server.url) as connection:
        metadata = ClientMessageMetadata(headers={"mcp-protocol-version": "2024-11-05"})
        await connection.write.send(SessionMessage(request(1, "echo").message, metadata))
        await next_message(connection.read)
    assert server.http.seen[-1].headers["mcp-protocol-version"] == "2024-11-05"


async def not_found(received: Request) -> None:
    await received.reply(404, b"Could not find session", "text/plain")


async def away(received: Request) -> None:
    await received.reply(307, b"", location="http://other.invalid/")


@pytest.mark.parametrize(
    ("handler", "fault"),
    [
        (hang_up, WireFault(fault="read", sent=True)),
        (half_the_headers, WireFault(fault="read", sent=True)),
        (half_a_body, WireFault(fault="read", sent=True, status=200)),
        (
            unavailable,
            WireFault(
                fault="refused-by-http", sent=True, in_session=True, status=503, retry_after="7", body="come back later"
            ),
        ),
        (
            unauthorized,
            WireFault(
                fault="refused-by-http", sent=True, in_session=True, status=401, body='{"error":"invalid_token"}'
            ),
        ),
        (
            not_found,
            WireFault(fault="refused-by-http", sent=True, in_session=True, status=404, body="Could not find session"),
        ),
        (away, None),
    ],
)
async def test_a_post_that_fails_costs_its_own_request_alone(handler: Handler, fault: WireFault | None) -> None:
    async with serving_sse({"bad": handler}) as server, opened(server.url) as connection:
        assert fault_of(error_of(await connection.ask(1, "bad")).data) == fault
        await connection.works()


async def test_an_answer_that_came_is_not_replaced_by_the_fault_of_its_post() -> None:
    async def answered_first(received: Request) -> None:
        await server.answer(received, {"done": True})
        await server.say(b'{"jsonrpc":"2.0","method":"after"}')
        await received.stream.aclose()

    async with serving_sse({"do": answered_first}) as server, opened(server.url) as connection:
        assert result_of(await connection.ask(1, "do")) == {"done": True}
        assert await next_message(connection.read) == mcp_types.JSONRPCNotification(jsonrpc="2.0", method="after")
        await connection.works()


async def test_a_post_that_is_not_taken_holds_up_no_other_and_no_end() -> None:
    with anyio.fail_after(2):
        async with serving_sse({"stuck": never}) as server, opened(server.url) as connection:
            await connection.write.send(request(1, "stuck"))
            await connection.works()


async def test_a_post_that_is_not_taken_in_time_fails_alone_while_the_stream_may_be_silent() -> None:
    async with serving_sse({"stuck": never}) as server, opened(server.url, read_timeout=0.1) as connection:
        assert fault_of(error_of(await connection.ask(1, "stuck")).data) == WireFault(fault="timeout", sent=True)
        await connection.works()


def cancelled(request_id: int) -> SessionMessage:
    params = {"requestId": request_id}
    return SessionMessage(mcp_types.JSONRPCNotification(jsonrpc="2.0", method="notifications/cancelled", params=params))


async def test_a_cancellation_arrives_after_the_request_that_it_names(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sse, "PRECEDENCE_SECONDS", 60)
    arrived, let_go = anyio.Event(), anyio.Event()
    was_let_go: list[bool] = []

    async def slow(received: Request) -> None:
        arrived.set()
        await let_go.wait()
        await take(received)

    async def hear_cancelled(received: Request) -> None:
        was_let_go.append(let_go.is_set())
        await take(received)

    handlers = {"slow": slow, "notifications/cancelled": hear_cancelled}
    async with serving_sse(handlers) as server, opened(server.url) as connection:
        await connection.write.send(request(1, "slow"))
        await arrived.wait()
        await connection.write.send(cancelled(1))
        await anyio.wait_all_tasks_blocked()
        let_go.set()
        await connection.works()
    assert was_let_go == [True]


async def test_a_cancellation_gives_up_a_request_that_is_not_taken(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sse, "PRECEDENCE_SECONDS", 0.05)
    async with serving_sse({"stuck": never}) as server, opened(server.url) as connection:
        await connection.write.send(request(1, "stuck"))
        await connection.write.send(cancelled(1))
        await connection.works()
    assert [one.message.get("method") for one in server.http.seen[1:]] == ["stuck", "notifications/cancelled", "echo"]


@pytest.mark.behaviour("transports.sse-stream-is-the-connection")
async def test_the_end_of_the_stream_ends_the_connection() -> None:
    async with serving_sse({"stuck": never}) as server, opened(server.url) as connection:
        await connection.write.send(request(1, "stuck"))
        server.closing.set()
        with pytest.raises(anyio.EndOfStream):
            await connection.read.receive()
        await connection.ended.wait()
        with pytest.raises(anyio.BrokenResourceError):
            await connection.write.send(request(2, "echo"))


async def test_what_is_no_message_is_passed_over_and_odd_text_arrives_whole() -> None:
    async def odd(received: Request) -> None:
        await take(received)
        await server.say(b"tick", "heartbeat")
        await server.write(b": keep-alive\n\nretry: " + b"9" * 400 + b"\n\nevent: message\ndata:\n\n")
        await server.say(b"no JSON at all")
        await server.say(b"/elsewhere", "endpoint")
        text = "a\u2028b\u2029c\u0085d".encode()
        await server.say(b'{"jsonrpc":"2.0","id":1,"result":{"text":"%s \\ud83d it\x92s"}}' % text)

    async with serving_sse({"odd": odd}) as server, opened(server.url) as connection:
        assert result_of(await connection.ask(1, "odd")) == {"text": "a\u2028b\u2029c\u0085d � it�s"}
        await connection.works()
    assert server.http.seen[-1].path == "/messages?session=1"


async def test_an_answer_that_cannot_be_read_fails_its_call_alone() -> None:
    async def broken(received: Request) -> None:
        await take(received)
        await server.say(b'{"jsonrpc":"2.0","id":7,"result":null}')

    async with serving_sse({"broken": broken}) as server, opened(server.url) as connection:
        error = error_of(await connection.ask(7, "broken"))
        assert fault_of(error.data) == WireFault(fault="unreadable", sent=True)
        await connection.works()


async def test_a_server_cannot_claim_that_a_call_was_not_sent() -> None:
    async def forged(received: Request) -> None:
        await take(received)
        error = {"code": 1, "message": "m", "data": {"mcp_host": {"fault": "connect", "sent": False, "mark": "x"}}}
        await server.say(json.dumps({"jsonrpc": "2.0", "id": received.message["id"], "error": error}).encode())

    async with serving_sse({"forged": forged}) as server, opened(server.url) as connection:
        assert error_of(await connection.ask(1, "forged")).data is None


async def test_an_event_over_the_cap_says_so_to_all_who_wait_and_ends_the_connection(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(sse, "BODY_CAP_BYTES", 100_000)

    async def big(received: Request) -> None:
        await take(received)
        await server.say(b'{"jsonrpc":"2.0","id":1,"result":{"text":"' + b"y" * 1_000_000)

    async with serving_sse({"big": big, "stuck": never}) as server, opened(server.url) as connection:
        await connection.write.send(request(2, "stuck"))
        await connection.write.send(request(1, "big"))
        for _ in range(2):
            error = error_of(await next_message(connection.read))
            assert fault_of(error.data) == WireFault(fault="too-large", sent=True)
        await connection.ended.wait()


async def test_text_that_is_not_unicode_fails_in_its_caller_alone() -> None:
    async with serving_sse() as server, opened(server.url) as connection:
        with pytest.raises(MCPError):
            await connection.ask(1, "echo", text="\ud83d")
        await connection.works()


async def page(received: Request) -> None:
    await received.reply(200, b"<html>hello</html>", "text/html")


async def ended_before_its_address(received: Request) -> None:
    await received.raw(OPENING + b": nothing yet\n\n")
    await received.stream.aclose()


async def broken_before_its_address(received: Request) -> None:
    await received.raw(OPENING.replace(b"\r\n\r\n", b"\r\ntransfer-encoding: chunked\r\n\r\n") + b"40\r\n: not")
    await received.stream.aclose()


@pytest.mark.parametrize(
    ("handler", "fault", "words"),
    [
        (hang_up, WireFault(fault="read", sent=True), "RemoteProtocolError"),
        (unauthorized, WireFault(fault="refused-by-http", sent=True, status=401, body='{"error":"invalid_token"}'), ""),
        (not_found, WireFault(fault="refused-by-http", sent=True, status=404, body="Could not find session"), "404"),
        (away, None, "Redirect to http://other.invalid/ not followed"),
        (page, None, "Unexpected content type: text/html"),
        (ended_before_its_address, WireFault(fault="read", sent=True), "before it named the address"),
        (broken_before_its_address, WireFault(fault="read", sent=True), "broke off"),
    ],
)
async def test_a_stream_that_does_not_open_says_why(handler: Handler, fault: WireFault | None, words: str) -> None:
    async with serving_sse({"GET": handler}) as server:
        error = (await refusal(server.url)).error
    assert fault_of(error.data) == fault
    assert words in error.message


async def test_a_server_that_is_not_there_is_a_fault_of_connecting() -> None:
    async with serving_sse() as server:
        pass
    assert fault_of((await refusal(server.url)).error.data) == WireFault(fault="connect", sent=False)


async def test_a_redirect_within_the_origin_is_followed_and_the_address_is_relative_to_its_end() -> None:
    async def moved(received: Request) -> None:
        if received.path == "/sse":
            await received.reply(301, b"", location="/deeper/sse")
            return
        await server.open(received)

    async with serving_sse({"GET": moved}, endpoint="messages") as server, opened(server.url) as connection:
        await connection.works()
    assert server.http.seen[-1].path == "/deeper/messages"
