"""Answers over Streamable HTTP that are well-formed and wrong: each fails its own call, and the connection works on."""

from __future__ import annotations

import mcp_types
import pytest

from mcp_host.protocol.transports.faults import WireFault, fault_of
from tests.protocol.over_http import replies
from tests.protocol.transports.raw_http import Handler, Request, serving
from tests.protocol.transports.support import error_of, result_of
from tests.protocol.transports.test_http import half_a_body, hang_up, opened, standard, unavailable

pytestmark = pytest.mark.anyio


@pytest.mark.parametrize(
    ("handler", "fault"),
    [
        (hang_up, WireFault(fault="read", sent=True)),
        (half_a_body, WireFault(fault="read", sent=True, status=200)),
        (
            unavailable,
            WireFault(fault="refused-by-http", sent=True, status=503, retry_after="7", body="come back later"),
        ),
    ],
)
async def test_a_fault_behind_a_redirect_fails_its_own_call(handler: Handler, fault: WireFault) -> None:
    async def moved(received: Request) -> None:
        if received.path == "/mcp":
            await received.reply(307, b"", location="/mcp/")
        else:
            await handler(received)

    async with serving(standard(moved=moved)) as server, opened(server) as connection:
        assert fault_of(error_of(await connection.ask(1, "moved")).data) == fault
        await connection.works()
        assert server.seen[1].message == server.seen[0].message


EVENTS = b"content-type: text/event-stream\r\n"
BROKEN = b"transfer-encoding: chunked\r\n\r\nzz\r\n"
HOSTILE = b'connection: close\r\n\r\nretry: -1\nid: 1\n\ndata: {"jsonrpc":"2.0","id":1,"result":{}}\n\n'


@pytest.mark.parametrize(
    "response",
    [
        b"HTTP/1.1 307 R\r\nlocation: /mcp/\r\n" + EVENTS + BROKEN,
        b"HTTP/1.1 300 R\r\n" + EVENTS + HOSTILE,
        b"HTTP/1.1 303 R\r\nlocation: /mcp/\r\n" + EVENTS + HOSTILE,
        b"HTTP/1.1 307 R\r\nlocation: http://[oops\r\n" + EVENTS + HOSTILE,
        b'HTTP/1.1 304 R\r\ncontent-type: application/json\r\n\r\n{"jsonrpc":"2.0","id":1,"result":{}}',
    ],
)
async def test_nothing_but_the_address_of_a_redirect_is_taken(response: bytes) -> None:
    async def redirect(received: Request) -> None:
        await received.raw(response)
        await received.stream.aclose()

    async with serving(standard(redirect=redirect)) as server, opened(server) as connection:
        error_of(await connection.ask(1, "redirect"))
        await connection.works()


@pytest.mark.parametrize(
    "body", [b'{"jsonrpc":"2.0","method":"notifications/x"}', b'{"jsonrpc":"2.0","id":1,"method":"ping"}']
)
async def test_a_message_that_is_no_answer_ends_the_call(body: bytes) -> None:
    async with serving(standard(odd=replies(200, body))) as server, opened(server) as connection:
        error = error_of(await connection.ask(1, "odd"))
        assert fault_of(error.data) == WireFault(fault="unreadable", sent=True, status=200)
        await connection.works()


async def test_an_answer_answers_the_request_that_it_came_for_whatever_its_id() -> None:
    body = b'{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"what?"}}'
    handlers = standard(nameless=replies(200, body), other=replies(200, b'{"jsonrpc":"2.0","id":77,"result":{}}'))
    async with serving(handlers) as server, opened(server) as connection:
        error = error_of(await connection.ask(1, "nameless"))
        assert (error.code, error.message) == (mcp_types.PARSE_ERROR, "what?")
        assert result_of(await connection.ask(2, "other")) == {}
