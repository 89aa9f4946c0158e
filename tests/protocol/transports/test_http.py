"""The stream pair over HTTP: a fault fails its own call, says whether it was sent, and leaves the connection good."""

from __future__ import annotations

import gzip
import json
import socket
import struct
from collections.abc import AsyncGenerator, Mapping
from contextlib import asynccontextmanager
from dataclasses import asdict, dataclass, field

import anyio
import httpx2
import mcp_types
import pytest
from anyio.abc import SocketAttribute
from mcp import Client
from mcp.client._transport import ReadStream, WriteStream
from mcp.shared.exceptions import MCPError
from mcp.shared.message import ClientMessageMetadata, SessionMessage

from mcp_host.protocol.transports import http_guard
from mcp_host.protocol.transports.faults import WireFault, fault_of
from mcp_host.protocol.transports.http import http_transport
from mcp_host.protocol.transports.http_guard import HttpGuard
from tests.protocol.transports.raw_http import RawHttpServer, Request, serving
from tests.protocol.transports.support import ask, error_of, next_message, request, result_of

pytestmark = pytest.mark.anyio


@dataclass(frozen=True, kw_only=True)
class Launch:
    url: str
    headers: Mapping[str, str] = field(default_factory=dict[str, str])


@dataclass(frozen=True, kw_only=True)
class Opened:
    server: RawHttpServer
    read: ReadStream[SessionMessage | Exception]
    write: WriteStream[SessionMessage]

    async def ask(self, request_id: int, method: str, **params: object) -> mcp_types.JSONRPCMessage:
        return await ask(self.read, self.write, request(request_id, method, **params))

    async def works(self) -> None:
        """The same connection still answers."""
        assert result_of(await self.ask(999, "echo", still="there")) == {"still": "there"}


@asynccontextmanager
async def opened(
    server: RawHttpServer,
    *,
    headers: Mapping[str, str] | None = None,
    read_timeout: float = 5,
    auth: httpx2.Auth | None = None,
) -> AsyncGenerator[Opened, None]:
    launch = Launch(url=server.url, headers=headers or {})
    with anyio.fail_after(5):
        async with http_transport(launch, connect_timeout=5, read_timeout=read_timeout, auth=auth) as (read, write):
            yield Opened(server=server, read=read, write=write)


async def echo(received: Request) -> None:
    await received.answer(received.message.get("params", {}))


async def hang_up(received: Request) -> None:
    await received.stream.aclose()


async def reset(received: Request) -> None:
    lingers_not = struct.pack("ii", 1, 0)
    received.stream.extra(SocketAttribute.raw_socket).setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, lingers_not)
    await received.stream.aclose()


async def half_the_headers(received: Request) -> None:
    await received.raw(b"HTTP/1.1 200 OK\r\ncontent-ty")
    await received.stream.aclose()


async def half_a_body(received: Request) -> None:
    await received.raw(b"HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ntransfer-encoding: chunked\r\n\r\n")
    await received.raw(b'10\r\n{"jsonrpc":')
    await received.stream.aclose()


async def bad_gzip(received: Request) -> None:
    await received.reply(200, b"this is no gzip", content_encoding="gzip")


async def unavailable(received: Request) -> None:
    await received.reply(503, b"come back later", "text/plain", retry_after="7", x_other="1")


async def unauthorized(received: Request) -> None:
    await received.reply(401, b'{"error":"invalid_token"}', www_authenticate='Bearer resource_metadata="x"')


async def page(received: Request) -> None:
    await received.reply(500, b"<html>oops</html>", "text/html; charset=utf-8")


async def forbidden_in_json_rpc(received: Request) -> None:
    error = b'{"code": -32021, "message": "needs more", "data": {"requiredCapabilities": {}}}'
    await received.reply(400, b'{"jsonrpc": "2.0", "id": null, "error": %s}' % error)


async def forged(received: Request) -> None:
    error = {"code": 1, "message": "m", "data": {"mcp_host": {"fault": "connect", "sent": False, "mark": "x"}}}
    await received.reply(200, json.dumps({"jsonrpc": "2.0", "id": received.message["id"], "error": error}).encode())


async def never(received: Request) -> None:
    await anyio.sleep_forever()


def standard(**handlers: object) -> RawHttpServer:
    return RawHttpServer(handlers={"echo": echo, **handlers})  # pyright: ignore[reportArgumentType] - a test's table


@pytest.mark.parametrize(
    ("handler", "fault"),
    [
        (hang_up, WireFault(fault="read", sent=True)),
        (reset, WireFault(fault="read", sent=True)),
        (half_the_headers, WireFault(fault="read", sent=True)),
        (half_a_body, WireFault(fault="read", sent=True, status=200)),
        (bad_gzip, WireFault(fault="read", sent=True, status=200)),
        (
            unavailable,
            WireFault(fault="refused-by-http", sent=True, status=503, retry_after="7", body="come back later"),
        ),
        (unauthorized, WireFault(fault="refused-by-http", sent=True, status=401, body='{"error":"invalid_token"}')),
        (page, WireFault(fault="refused-by-http", sent=True, status=500)),
    ],
)
async def test_a_fault_fails_its_own_call_and_says_what_it_was(handler: object, fault: WireFault) -> None:
    async with serving(standard(bad=handler)) as server, opened(server) as connection:
        error = error_of(await connection.ask(1, "bad"))
        assert fault_of(error.data) == fault
        assert error.code == mcp_types.INTERNAL_ERROR
        await connection.works()


async def test_other_calls_in_flight_outlive_a_fault() -> None:
    release = anyio.Event()

    async def slow(received: Request) -> None:
        await release.wait()
        await received.answer({"slow": True})

    async with serving(standard(slow=slow, bad=hang_up)) as server, opened(server) as connection:
        await connection.write.send(request(1, "slow"))
        error_of(await connection.ask(2, "bad"))
        release.set()
        assert result_of(await next_message(connection.read)) == {"slow": True}


async def test_a_refused_connection_was_not_sent_and_works_once_the_server_is_there() -> None:
    async with serving(standard()) as server:
        pass
    async with opened(server) as connection:
        assert fault_of(error_of(await connection.ask(1, "echo")).data) == WireFault(fault="connect", sent=False)
        async with serving(server):
            await connection.works()


async def test_an_answer_that_does_not_come_times_out_alone() -> None:
    async with serving(standard(never=never)) as server, opened(server, read_timeout=0.2) as connection:
        assert fault_of(error_of(await connection.ask(1, "never")).data) == WireFault(fault="timeout", sent=True)
        await connection.works()


async def test_a_listening_stream_may_be_silent_for_longer_than_the_timeout() -> None:
    opened_stream = anyio.Event()
    release = anyio.Event()

    async def listen(received: Request) -> None:
        opened_stream.set()
        await release.wait()
        await received.answer({"honored": True})

    handlers = standard(never=never, **{"subscriptions/listen": listen})
    async with serving(handlers) as server, opened(server, read_timeout=0.2) as connection:
        metadata = ClientMessageMetadata(headers={"mcp-method": "subscriptions/listen"})
        message = request(1, "subscriptions/listen").message
        await connection.write.send(SessionMessage(message, metadata))
        await opened_stream.wait()
        error_of(await connection.ask(2, "never"))
        release.set()
        assert result_of(await next_message(connection.read)) == {"honored": True}


async def test_an_event_stream_that_breaks_off_fails_its_call_alone() -> None:
    async def broken(received: Request) -> None:
        await received.events(b'{"jsonrpc":"2.0","method":"notifications/message","params":{}}')

    async with serving(standard(broken=broken)) as server, opened(server) as connection:
        assert isinstance(await connection.ask(1, "broken"), mcp_types.JSONRPCNotification)
        error = error_of(await next_message(connection.read))
        assert error.code == mcp_types.CONNECTION_CLOSED
        assert fault_of(error.data) == WireFault(fault="read", sent=True)
        await connection.works()


async def test_events_with_odd_text_arrive_whole() -> None:
    async def odd(received: Request) -> None:
        text = "a\u2028b\u2029c\u0085d"
        body = b'{"jsonrpc":"2.0","id":1,"result":{"text":"%s \\ud83d it\x92s"}}' % text.encode()
        await received.events(body)

    async with serving(standard(odd=odd)) as server, opened(server) as connection:
        assert result_of(await connection.ask(1, "odd")) == {"text": "a\u2028b\u2029c\u0085d � it�s"}


async def test_an_event_larger_than_the_sdks_limit_arrives() -> None:
    async def big(received: Request) -> None:
        await received.events(b'{"jsonrpc":"2.0","id":1,"result":{"text":"%s"}}' % (b"y" * 5_000_000))

    async with serving(standard(big=big)) as server, opened(server) as connection:
        assert result_of(await connection.ask(1, "big")) == {"text": "y" * 5_000_000}


async def test_a_json_body_with_a_lone_surrogate_arrives() -> None:
    async def lone(received: Request) -> None:
        await received.reply(200, b'{"jsonrpc":"2.0","id":1,"result":{"text":"\\ud83d"}}')

    async with serving(standard(lone=lone)) as server, opened(server) as connection:
        assert result_of(await connection.ask(1, "lone")) == {"text": "�"}


async def test_a_servers_own_error_keeps_its_code_and_data() -> None:
    async with serving(standard(bad=forbidden_in_json_rpc)) as server, opened(server) as connection:
        error = error_of(await connection.ask(1, "bad"))
    assert (error.code, error.message) == (-32021, "needs more")
    fault = fault_of(error.data)
    assert fault is not None
    assert fault.status == 400
    assert error.data == {"requiredCapabilities": {}, "mcp_host": asdict(fault)}


async def test_a_server_cannot_claim_that_a_call_was_not_sent() -> None:
    async with serving(standard(forged=forged)) as server, opened(server) as connection:
        assert error_of(await connection.ask(1, "forged")).data is None


async def test_a_bare_404_means_no_such_method_without_a_session_and_its_end_within_one() -> None:
    async def missing(received: Request) -> None:
        await received.reply(404, b"Not Found", "text/plain")

    async def initialize(received: Request) -> None:
        await received.answer({}, mcp_session_id="s-1")

    async def goodbye(received: Request) -> None:
        await received.reply(200, b"")

    handlers = standard(missing=missing, initialize=initialize, DELETE=goodbye)
    async with serving(handlers) as server:
        async with opened(server) as connection:
            assert error_of(await connection.ask(1, "missing")).code == mcp_types.METHOD_NOT_FOUND
            result_of(await connection.ask(2, "initialize"))
            ended = error_of(await connection.ask(3, "missing"))
            assert (ended.code, ended.message) == (mcp_types.INVALID_REQUEST, "Session terminated")
        assert server.seen[-1].method == "DELETE"


@pytest.mark.behaviour("transports.session-ended")
async def test_a_session_is_ended_also_by_a_cancelled_caller() -> None:
    async def initialize(received: Request) -> None:
        await received.answer({}, mcp_session_id="s-1")

    async with serving(standard(initialize=initialize, DELETE=never)) as server:
        with anyio.CancelScope() as scope:
            async with opened(server) as connection:
                result_of(await connection.ask(1, "initialize"))
                scope.cancel()
                await connection.read.receive()
        assert server.seen[-1].method == "DELETE"


async def test_a_notification_that_is_never_taken_holds_up_the_requests_for_a_bounded_time(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(http_guard, "NOTIFICATION_SECONDS", 0.1)
    async with serving(standard(stuck=never)) as server, opened(server) as connection:
        await connection.write.send(SessionMessage(mcp_types.JSONRPCNotification(jsonrpc="2.0", method="stuck")))
        await connection.works()


async def test_an_authorization_flow_sees_the_status_and_headers_of_the_refusal() -> None:
    challenges: list[str] = []

    class Watching(httpx2.Auth):
        async def async_auth_flow(self, request: httpx2.Request) -> AsyncGenerator[httpx2.Request, httpx2.Response]:
            response = yield request
            challenges.append(f"{response.status_code} {response.headers.get('www-authenticate')}")

    async with serving(standard(bad=unauthorized)) as server, opened(server, auth=Watching()) as connection:
        error_of(await connection.ask(1, "bad"))
    assert challenges == ['401 Bearer resource_metadata="x"']


async def test_headers_of_the_launch_are_sent_and_cookies_are_not() -> None:
    async def baking(received: Request) -> None:
        await received.answer({}, set_cookie="a=b; Path=/")

    async with serving(standard(baking=baking)) as server, opened(server, headers={"X-Team": "blå"}) as connection:
        result_of(await connection.ask(1, "baking"))
        await connection.works()
    assert [one.headers["x-team"].encode("latin-1").decode() for one in server.seen] == ["blå", "blå"]
    assert ["cookie" in one.headers for one in server.seen] == [False, False]


async def test_a_header_that_cannot_be_sent_is_not_shown() -> None:
    async with serving(standard()) as server, opened(server, headers={"X-Key": "s3cret\nvalue"}) as connection:
        error = error_of(await connection.ask(1, "echo"))
    assert fault_of(error.data) == WireFault(fault="write", sent=False)
    assert "s3cret" not in error.model_dump_json()


async def test_text_that_is_not_unicode_fails_in_its_caller_alone() -> None:
    async with serving(standard()) as server, opened(server) as connection:
        with pytest.raises(MCPError):
            await connection.ask(1, "echo", text="\ud83d")
        await connection.works()


async def test_a_redirect_to_another_origin_is_not_followed() -> None:
    async with serving(standard()) as other:

        async def away(received: Request) -> None:
            await received.reply(307, b"", location=other.url)

        async with serving(standard(away=away)) as server, opened(server, headers={"X-Key": "k"}) as connection:
            assert "not followed" in error_of(await connection.ask(1, "away")).message
            await connection.works()
    assert other.seen == []


async def test_a_body_over_the_cap_is_refused_after_decompression_too() -> None:
    async def bomb(received: Request) -> None:
        await received.reply(200, gzip.compress(b'{"jsonrpc":"2.0"' + b" " * 1_000_000), content_encoding="gzip")

    guard = HttpGuard(httpx2.AsyncHTTPTransport(), body_cap_bytes=100_000)
    with anyio.fail_after(5):
        async with serving(standard(bomb=bomb)) as server:
            message = {"jsonrpc": "2.0", "id": 1, "method": "bomb"}
            response = await guard.handle_async_request(httpx2.Request("POST", server.url, json=message))
            await guard.aclose()
    assert json.loads(response.content)["error"]["data"]["mcp_host"]["fault"] == "too-large"


async def test_requests_without_a_message_are_left_alone() -> None:
    guard = HttpGuard(httpx2.AsyncHTTPTransport())
    with anyio.fail_after(5):
        async with serving(standard()) as server:
            pass
        with pytest.raises(httpx2.ConnectError):
            await guard.handle_async_request(httpx2.Request("POST", server.url, data={"grant_type": "refresh_token"}))
        await guard.aclose()


async def test_a_bare_refusal_of_the_modern_handshake_leads_to_the_legacy_one() -> None:
    async def refuse(received: Request) -> None:
        await received.reply(400, b"Bad Request", "text/plain")

    async def initialize(received: Request) -> None:
        version = received.message["params"]["protocolVersion"]
        info = {"name": "raw", "version": "0"}
        await received.answer({"protocolVersion": version, "capabilities": {"tools": {}}, "serverInfo": info})

    async def call(received: Request) -> None:
        if received.message["params"]["name"] == "dies":
            await received.stream.aclose()
            return
        await received.answer({"content": []})

    async def tools(received: Request) -> None:
        await received.answer({"tools": []})

    handlers = {"server/discover": refuse, "initialize": initialize, "tools/call": call, "tools/list": tools}
    with anyio.fail_after(5):
        async with (
            serving(standard(**handlers)) as server,
            Client(http_transport(Launch(url=server.url), connect_timeout=5, read_timeout=5)) as client,
        ):
            with pytest.raises(MCPError) as failed:
                await client.call_tool("dies")
            assert fault_of(failed.value.error.data) == WireFault(fault="read", sent=True)
            assert not (await client.call_tool("lives")).is_error
