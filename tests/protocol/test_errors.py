"""The border: what each failure of a request says to a person, and what it says about how far the request got."""

from __future__ import annotations

import errno
import logging
from dataclasses import dataclass

import anyio
import mcp_types
import pytest
from mcp.shared.exceptions import MCPError
from pydantic import ValidationError

from mcp_host.problems import Problem, ProblemError, ProblemType
from mcp_host.protocol.errors import RequestFailed, problem_from, request_failed, unwrap
from mcp_host.protocol.transports.faults import WireFault, fault_data
from tests.protocol.over_http import (
    answers,
    connected,
    connecting,
    discovered,
    error_body,
    hang_up,
    refuses,
    replies,
    switched_on,
)
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


async def redirects(request: Request) -> None:
    """To another origin."""
    await request.reply(307, b"", location="http://192.0.2.1/mcp")


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
        handler=replies(429, retry_after="9" * 500), type="server-unavailable", words="Retry-After 99", answered=True
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
    "404": Failure(handler=replies(404), type="server-unavailable", words="HTTP 404", answered=True, ended=True),
    "session not found": Failure(
        handler=refuses(-32001, "Session not found", status=404),
        type="server-unavailable",
        words="Session not found",
        answered=True,
        code=-32001,
        ended=True,
    ),
    "no valid session": Failure(
        handler=refuses(-32000, "Bad Request: No valid session ID provided", status=400),
        type="server-unavailable",
        words="No valid session",
        answered=True,
        code=-32000,
        ended=True,
    ),
    "400 of a session in words": Failure(
        handler=replies(400, b"unknown session", "text/plain"),
        type="server-unavailable",
        words="unknown session",
        answered=True,
        ended=True,
    ),
    "400": Failure(handler=replies(400), type="server-unavailable", words="HTTP 400", answered=True),
    "500": Failure(handler=replies(500), type="server-unavailable", words="HTTP 500", answered=False),
    "502 page": Failure(
        handler=replies(502, b"<html>", "text/html"), type="server-unavailable", words="HTTP 502", answered=False
    ),
    "503": Failure(
        handler=replies(503, retry_after="30"), type="server-unavailable", words="Retry-After 30.", answered=False
    ),
    "redirected": Failure(handler=redirects, type="server-unavailable", words="192.0.2.1", answered=True),
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


@pytest.mark.anyio
@pytest.mark.parametrize("name", FAILURES)
async def test_a_failed_request_says_why_and_how_far_it_got(name: str) -> None:
    expected = FAILURES[name]
    handlers = {"server/discover": answers(discovered()), "do/it": expected.handler}
    with anyio.fail_after(5):
        async with connected(handlers) as (connection, _):
            with pytest.raises(RequestFailed) as caught:
                await connection.request("do/it", {}, doing="doing it", timeout_seconds=5)
            assert connection.ended.is_set() == expected.ended
    failure = caught.value
    assert (failure.problem.type, failure.sent, failure.answered, failure.code, failure.ended) == (
        expected.type,
        True,
        expected.answered,
        expected.code,
        expected.ended,
    )
    assert failure.problem.alias == "web"
    assert "doing it" in failure.problem.title + failure.problem.detail
    assert expected.words in failure.problem.detail
    assert len(failure.problem.detail) < 500
    assert SECRET not in failure.problem.model_dump_json()


@pytest.mark.anyio
async def test_a_request_that_found_no_server_was_not_sent_and_the_connection_lives_on() -> None:
    handlers = {"server/discover": answers(discovered(), connection="close"), "do/it": answers({"done": True})}
    with anyio.fail_after(5):
        async with switched_on(handlers) as server, connecting(server.url) as connection:
            await server.off()
            with pytest.raises(RequestFailed) as caught:
                await connection.request("do/it", {}, doing="doing it", timeout_seconds=5)
            assert not connection.ended.is_set()
            await server.on()
            assert await connection.request("do/it", {}, doing="doing it", timeout_seconds=5) == {"done": True}
    failure = caught.value
    assert (failure.problem.type, failure.sent, failure.answered) == ("server-unavailable", False, False)


@pytest.mark.anyio
async def test_text_that_no_wire_carries_is_not_sent() -> None:
    with anyio.fail_after(5):
        async with connected({"server/discover": answers(discovered())}) as (connection, server):
            with pytest.raises(RequestFailed) as caught:
                await connection.request("do/it", {"text": "\ud800"}, doing="doing it", timeout_seconds=5)
    assert (caught.value.problem.type, caught.value.sent, caught.value.answered) == ("protocol-violated", False, False)
    assert len(server.seen) == 1


@pytest.mark.parametrize(
    ("fault", "kind", "sent", "answered"),
    [
        (WireFault(fault="connect", sent=False), "server-unavailable", False, False),
        (WireFault(fault="timeout", sent=True), "request-timed-out", True, False),
        (WireFault(fault="timeout", sent=False), "request-timed-out", False, False),
        (WireFault(fault="write", sent=True), "server-unavailable", True, False),
        (WireFault(fault="read", sent=True, status=200), "server-unavailable", True, False),
        (WireFault(fault="too-large", sent=True, status=200), "protocol-violated", True, False),
        (WireFault(fault="unreadable", sent=True), "protocol-violated", True, False),
        (WireFault(fault="refused-by-http", sent=True, status=418), "server-unavailable", True, True),
        (WireFault(fault="refused-by-http", sent=True, status=504), "server-unavailable", True, False),
    ],
)
def test_each_fault_of_the_wire_is_told_apart(fault: WireFault, kind: ProblemType, sent: bool, answered: bool) -> None:
    error = MCPError(code=-32603, message=f"HTTP {fault.status}", data=fault_data(fault))
    failure = request_failed(error, alias="a", doing="doing it")
    assert (failure.problem.type, failure.sent, failure.answered, failure.code) == (kind, sent, answered, None)


def _validation_error() -> ValidationError:
    with pytest.raises(ValidationError) as caught:
        mcp_types.InitializeResult.model_validate({"protocolVersion": {"token": SECRET}, "capabilities": SECRET})
    return caught.value


@pytest.mark.anyio
@pytest.mark.parametrize(
    ("error", "kind", "words"),
    [
        (TimeoutError(SECRET), "request-timed-out", "deadline"),
        (_validation_error(), "protocol-violated", "protocolVersion: Input should be a valid string; capabilities"),
        (OSError(errno.ENOSPC, "No space left on device", SECRET), "server-unavailable", "No space left on device"),
        (OSError(), "server-unavailable", "OSError"),
        (anyio.BrokenResourceError(SECRET), "server-unavailable", "closed"),
        (anyio.ClosedResourceError(SECRET), "server-unavailable", "closed"),
        (anyio.EndOfStream(SECRET), "server-unavailable", "closed"),
        (RuntimeError("Unsupported protocol version from the server: 1"), "protocol-violated", "server: 1."),
        (MCPError(code=-32000, message="Connection closed"), "server-unavailable", "ended before an answer"),
        (MCPError(code=-32001, message="Request 'x' timed out"), "request-timed-out", "deadline"),
        (MCPError(code=-32602, message="x" * 9000), "request-refused", "Error -32602: xxx"),
        (KeyError(SECRET), "internal", "KeyError"),
        (RuntimeError(SECRET), "internal", "RuntimeError"),
    ],
)
async def test_every_exception_becomes_a_problem_without_its_secrets(
    error: Exception, kind: ProblemType, words: str, caplog: pytest.LogCaptureFixture
) -> None:
    with caplog.at_level(logging.DEBUG):
        problem = problem_from(await _raised_in_groups(error), alias="a", doing="doing it")
    assert (problem.type, problem.alias) == (kind, "a")
    assert words in problem.detail
    assert len(problem.detail) < 2500
    assert SECRET not in problem.model_dump_json() + caplog.text
    assert bool(caplog.records) == (kind == "internal")  # its hint sends people to the log


def test_what_was_refused_about_arguments_points_to_the_tools_card() -> None:
    error = MCPError(code=-32602, message="no city")
    with_tool = problem_from(error, alias="a", doing="calling weather", tool="weather")
    assert (with_tool.tool, "card" in with_tool.hint) == ("weather", True)
    assert "card" not in problem_from(error, alias="a", doing="listing").hint


@pytest.mark.anyio
async def test_a_problem_stays_what_it_is() -> None:
    ours = Problem(type="usage", title="t", detail="d", hint="h")
    failed = RequestFailed(ours, sent=False, answered=False)
    assert problem_from(await _raised_in_groups(ProblemError(ours)), alias="a", doing="x") is ours
    assert request_failed(failed, alias="a", doing="x") is failed


@pytest.mark.parametrize("error", [TimeoutError(), KeyError(), anyio.EndOfStream()])
def test_what_no_server_answered_counts_as_sent(error: Exception) -> None:
    failure = request_failed(error, alias="a", doing="x")
    assert (failure.sent, failure.answered, failure.code, failure.ended) == (True, False, None, False)


@pytest.mark.anyio
async def test_a_cancellation_is_the_cause_only_where_nothing_else_is() -> None:
    cause = KeyError("cause")
    cancelled = anyio.get_cancelled_exc_class()()
    assert unwrap(cancelled) is cancelled
    assert unwrap(cause) is cause
    assert unwrap(await _raised_in_groups(cancelled, cause)) is cause


async def _raise(error: BaseException) -> None:
    raise error


async def _raised_in_groups(*errors: BaseException) -> BaseException:
    """The errors as they leave a task group in a task group, which is how the SDK lets them out."""

    async def groups() -> None:
        async with anyio.create_task_group(), anyio.create_task_group() as inner:
            for error in errors:
                inner.start_soon(_raise, error)

    with pytest.raises(Exception, match="TaskGroup") as caught:
        await groups()
    return caught.value
