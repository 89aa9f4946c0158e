"""What a server can do to one request, and what is expected to be said of it."""

from __future__ import annotations

from dataclasses import dataclass

from mcp_host.problems import ProblemType
from tests.protocol.over_http import error_body, hang_up, refuses, replies
from tests.protocol.transports.raw_http import Handler, Request

SECRET = "s3cret-t0ken"


async def breaks_off(request: Request) -> None:
    """The answer's body ends before its length is reached."""
    head = b"HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: 5000\r\n\r\n"
    await request.raw(head + b'{"jsonrpc": "2.0", "result"')
    await request.stream.aclose()


async def ends_its_stream(request: Request) -> None:
    """An event stream without the answer."""
    await request.events(b'{"jsonrpc": "2.0", "method": "notifications/message", "params": {"level": "info"}}')


async def streams_nonsense(request: Request) -> None:
    """An event that is no message."""
    await request.events(f'{{"jsonrpc": "2.0", "token": "{SECRET}"'.encode())


async def asks_to_wait(request: Request) -> None:
    """An error of its own, and when to come back."""
    await request.reply(429, error_body(request.message["id"], -32029, "slow down"), retry_after="60")


async def refuses_anonymously(request: Request) -> None:
    """An error without the request's id."""
    await request.reply(400, error_body(None, -32602, "no city"))


@dataclass(frozen=True, kw_only=True)
class Failure:
    handler: Handler
    type: ProblemType
    words: str
    answered: bool
    code: int | None = None
    ended: bool = False


FAILURES = {
    "refused": Failure(
        handler=refuses(-32602, "no city"),
        type="request-refused",
        words="Error -32602: no city",
        answered=True,
        code=-32602,
    ),
    "refused under 400": Failure(
        handler=refuses(-32602, "no city", status=400),
        type="request-refused",
        words="Error -32602: no city",
        answered=True,
        code=-32602,
    ),
    "refused without an id": Failure(
        handler=refuses_anonymously,
        type="request-refused",
        words="Error -32602: no city",
        answered=True,
        code=-32602,
    ),
    "unknown method under 404": Failure(
        handler=refuses(-32601, "what?", status=404),
        type="request-refused",
        words="Error -32601: what?",
        answered=True,
        code=-32601,
    ),
    "failed under 500": Failure(
        handler=refuses(-32603, "boom", status=500),
        type="request-refused",
        words="Error -32603: boom",
        answered=True,
        code=-32603,
    ),
    "-32000 of its own": Failure(
        handler=refuses(-32000, "out of paper", data={"tray": 2}),
        type="request-refused",
        words="out of paper",
        answered=True,
        code=-32000,
    ),
    "-32000 of its own, without data": Failure(
        handler=refuses(-32000, "out of paper"),
        type="request-refused",
        words="out of paper",
        answered=True,
        code=-32000,
    ),
    "missing capability": Failure(
        handler=refuses(-32021, "roots", status=400),
        type="request-refused",
        words="does not offer",
        answered=True,
        code=-32021,
    ),
    "other revisions": Failure(
        handler=refuses(-32022, "upgraded", status=400, data={"supported": ["2031-01-01"], "requested": "x"}),
        type="protocol-violated",
        words="upgraded",
        answered=True,
        code=-32022,
        ended=True,
    ),
    "401": Failure(handler=replies(401), type="authorization-required", words="HTTP 401", answered=True),
    "403": Failure(handler=replies(403), type="authorization-required", words="HTTP 403", answered=True),
    "429": Failure(
        handler=replies(429, retry_after="99"),
        type="server-unavailable",
        words="HTTP 429 Word\nIt asks to wait: Retry-After 99.",
        answered=True,
    ),
    "429 with an endless header": Failure(
        handler=replies(429, retry_after="9" * 500), type="server-unavailable", words="HTTP 429 Word", answered=True
    ),
    **{
        f"{status}, which leaves it open": Failure(
            handler=replies(status), type="server-unavailable", words=f"HTTP {status}", answered=False
        )
        for status in (408, 409, 425, 499)
    },
    "409 with an error": Failure(
        handler=refuses(-32009, "taken", status=409),
        type="request-refused",
        words="Error -32009: taken",
        answered=True,
        code=-32009,
    ),
    "429 with an error": Failure(
        handler=asks_to_wait,
        type="request-refused",
        words="slow down\nIt asks to wait: Retry-After 60.",
        answered=True,
        code=-32029,
    ),
    "504 with an error": Failure(
        handler=refuses(-32001, "Request timed out", status=504),
        type="server-unavailable",
        words="Request timed out",
        answered=False,
    ),
    "413 with words": Failure(
        handler=replies(413, b"too long", "text/plain"), type="server-unavailable", words="too long", answered=True
    ),
    "400": Failure(handler=replies(400), type="server-unavailable", words="HTTP 400", answered=True),
    "500": Failure(handler=replies(500), type="server-unavailable", words="HTTP 500", answered=False),
    "502 page": Failure(
        handler=replies(502, b"<html>", "text/html"), type="server-unavailable", words="HTTP 502", answered=False
    ),
    "503": Failure(
        handler=replies(503, retry_after="30"), type="server-unavailable", words="Retry-After 30.", answered=False
    ),
    **{
        f"{status} to {place}": Failure(
            handler=replies(status, location=f"{place}/elsewhere"),
            type="server-unavailable",
            words="Redirect to http://",
            answered=False,
        )
        for status, place in ((301, ""), (302, ""), (303, ""), (303, "http://192.0.2.1"), (308, "http://192.0.2.1"))
    },
    "hung up": Failure(handler=hang_up, type="server-unavailable", words="The request failed", answered=False),
    "broken off": Failure(handler=breaks_off, type="server-unavailable", words="broke off", answered=False),
    "stream ended": Failure(handler=ends_its_stream, type="server-unavailable", words="SSE stream", answered=False),
    "202": Failure(handler=replies(202), type="protocol-violated", words="HTTP 202", answered=False),
    "a page": Failure(
        handler=replies(200, SECRET.encode(), "text/html"),
        type="protocol-violated",
        words="neither JSON nor",
        answered=False,
    ),
    "no JSON": Failure(
        handler=replies(200, f"{{{SECRET}".encode()),
        type="protocol-violated",
        words="no valid JSON-RPC message",
        answered=False,
    ),
    "no message": Failure(
        handler=replies(200, f'{{"token": "{SECRET}"}}'.encode()),
        type="protocol-violated",
        words="no valid JSON-RPC message",
        answered=False,
    ),
    "event that is no message": Failure(
        handler=streams_nonsense, type="protocol-violated", words="no valid JSON-RPC message", answered=False
    ),
}

LOST_SESSIONS = {
    "404": Failure(handler=replies(404), type="server-unavailable", words="Session terminated", answered=True),
    "session not found": Failure(
        handler=refuses(-32001, "Session not found", status=404),
        type="server-unavailable",
        words="Session not found",
        answered=True,
        code=-32001,
    ),
    "no valid session": Failure(
        handler=refuses(-32000, "Bad Request: No valid session ID provided", status=400),
        type="server-unavailable",
        words="No valid session",
        answered=True,
        code=-32000,
    ),
    "400 of a session in words": Failure(
        handler=replies(400, b"unknown session", "text/plain"),
        type="server-unavailable",
        words="unknown session",
        answered=True,
    ),
    "503 of a session in words": Failure(
        handler=replies(503, b"Session not found", "text/plain"),
        type="server-unavailable",
        words="Whether the request was carried out is not known",
        answered=False,
    ),
}
"""How servers say that they do not know the session that a request names. Where it names none, none is lost."""
