"""The border: what each failure of a request says to a person, and what it says about how far the request got."""

from __future__ import annotations

import errno
import logging

import anyio
import mcp_types
import pytest
from mcp.shared.exceptions import MCPError
from pydantic import ValidationError

from mcp_host.problems import Problem, ProblemError, ProblemType
from mcp_host.protocol.errors import RequestFailed, problem_from, request_failed, unwrap
from mcp_host.protocol.transports.faults import WireFault, fault_data
from tests.protocol.failures import FAILURES, LOST_SESSIONS, SECRET
from tests.protocol.over_http import (
    LEGACY,
    answers,
    connected,
    connecting,
    discovered,
    initialized,
    replies,
    shaking_hands,
    switched_on,
)
from tests.protocol.transports.raw_http import RawHttpServer, Request, serving


@pytest.mark.behaviour("errors.told-apart")
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
    assert (len(failure.problem.detail) < 500, failure.problem.retryable) == (True, False)
    assert SECRET not in failure.problem.model_dump_json()


@pytest.mark.anyio
@pytest.mark.parametrize("name", LOST_SESSIONS)
async def test_a_session_that_the_server_does_not_know_ends_the_connection(name: str) -> None:
    expected = LOST_SESSIONS[name]
    opening = answers(initialized(LEGACY), mcp_session_id="s-1")
    no_stream = {"GET": replies(405), "DELETE": replies(200)}
    handlers = {"initialize": opening, "do/it": expected.handler, **no_stream}
    with anyio.fail_after(5):
        async with serving(RawHttpServer(handlers=handlers)) as server, shaking_hands(server.url) as connection:
            with pytest.raises(RequestFailed) as caught:
                await connection.request("do/it", {}, doing="doing it", timeout_seconds=5)
            assert connection.ended.is_set()
    failure = caught.value
    assert (failure.problem.type, failure.answered, failure.code, failure.ended) == (
        expected.type,
        expected.answered,
        expected.code,
        True,
    )
    assert expected.words in failure.problem.detail


@pytest.mark.behaviour("errors.no-session-to-lose")
@pytest.mark.anyio
@pytest.mark.parametrize("name", LOST_SESSIONS)
async def test_where_a_request_names_no_session_the_same_words_end_no_other_call(name: str) -> None:
    in_time = anyio.Event()

    async def slow(request: Request) -> None:
        await in_time.wait()
        await request.answer({"slow": True})

    handlers = {"server/discover": answers(discovered()), "do/slow": slow, "do/it": LOST_SESSIONS[name].handler}
    others: list[object] = []
    with anyio.fail_after(5):
        async with connected(handlers) as (connection, _), anyio.create_task_group() as tasks:

            async def other() -> None:
                others.append(await connection.request("do/slow", {}, doing="waiting", timeout_seconds=5))

            tasks.start_soon(other)
            with pytest.raises(RequestFailed) as caught:
                await connection.request("do/it", {}, doing="doing it", timeout_seconds=5)
            assert (caught.value.ended, caught.value.code) == (False, LOST_SESSIONS[name].code)
            assert not connection.ended.is_set()
            in_time.set()
    assert others == [{"slow": True}]


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
        (MCPError(code=-32000, message="Connection closed"), "server-unavailable", "ended before an answer"),
        (MCPError(code=-32001, message="Request 'x' timed out"), "request-timed-out", "deadline"),
        (MCPError(code=-32602, message="x" * 90_000), "request-refused", "Error -32602: xxx"),
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
    assert len(problem.detail) < 8500
    assert SECRET not in problem.model_dump_json() + caplog.text
    assert bool(caplog.records) == (kind == "internal")  # its hint sends people to the log


def _words_behind(length: int) -> str:
    return "." * (length - len(SECRET)) + SECRET


@pytest.mark.parametrize(
    "error",
    [
        MCPError(code=-32602, message=_words_behind(8192)),
        MCPError(code=-32600, message="Redirect to " + _words_behind(8180)),
        MCPError(
            code=-32603,
            message="HTTP 500",
            data=fault_data(WireFault(fault="refused-by-http", sent=True, status=500, body=_words_behind(8192))),
        ),
    ],
)
def test_a_servers_words_are_whole_as_far_as_the_redaction_of_the_host_looks(error: Exception) -> None:
    assert SECRET in problem_from(error, alias="a", doing="doing it").detail


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


@pytest.mark.anyio
async def test_a_problem_is_the_cause_before_the_noise_of_closing() -> None:
    found = RequestFailed(Problem(type="usage", title="t", detail="d", hint="h"), sent=True, answered=False)
    assert unwrap(await _raised_in_groups(anyio.BrokenResourceError(), found)) is found


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
