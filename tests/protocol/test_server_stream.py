"""The stream that a legacy HTTP server keeps open for words of its own."""

from __future__ import annotations

import anyio
import pytest

from mcp_host.protocol.client_side import ClientSide
from tests.protocol.over_http import answers, initialized, replies, shaking_hands
from tests.protocol.transports.raw_http import RawHttpServer, Request, serving

pytestmark = pytest.mark.anyio


async def test_what_a_server_says_on_its_own_stream_is_heard() -> None:
    heard: list[str] = []
    something = anyio.Event()

    def hear(kind: str) -> None:
        heard.append(kind)
        something.set()

    async def stream(request: Request) -> None:
        message = b'{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}'
        await request.raw(b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\nconnection: close\r\n\r\n")
        await request.raw(b"data: " + message + b"\n\n")
        await anyio.sleep_forever()

    initialize = answers(initialized(tools={"listChanged": True}), mcp_session_id="s-1")
    server = RawHttpServer(handlers={"initialize": initialize, "GET": stream, "DELETE": replies(200)})
    with anyio.fail_after(5):
        async with serving(server), shaking_hands(server.url, ClientSide(on_list_changed=hear)) as connection:
            await something.wait()
            assert (heard, connection.lists_stale) == (["tools"], True)
    [opened] = [request for request in server.seen if request.method == "GET"]
    assert opened.headers["mcp-session-id"] == "s-1"
