"""Requests over a negotiated connection, on both eras."""

from __future__ import annotations

import anyio
import pytest
from mcp.server.mcpserver import Context, MCPServer
from mcp.shared.jsonrpc_dispatcher import JSONRPCDispatcher
from mcp.shared.message import SessionMessage
from mcp_types import JSONRPCRequest, JSONRPCResponse

from mcp_host.core.catalog.catalog import Era
from mcp_host.core.catalog.entries import parse_tool
from mcp_host.protocol.connecting import connect_dispatcher
from mcp_host.protocol.connection import Connection
from mcp_host.protocol.errors import RequestFailed
from mcp_host.protocol.listing import fetch_tool, list_everything
from mcp_host.protocol.wording import Attempt, not_connected
from tests.protocol.in_memory import in_memory
from tests.protocol.over_http import (
    answers,
    connected,
    connecting,
    discovered,
    hang_up,
    in_turn,
    initialized,
    refuses,
    replies,
    shaking_hands,
    switched_on,
)
from tests.protocol.transports.raw_http import Request

pytestmark = pytest.mark.anyio

ERAS: tuple[Era, ...] = ("modern", "legacy")


def server() -> MCPServer:
    """Two tools: one that answers, one that only ends when it is cancelled."""
    made = MCPServer("small", version="1.2", instructions="Adds numbers. Nothing else.")

    @made.tool()
    def add(left: int, right: int = 2) -> int:
        """Add two numbers."""
        return left + right

    @made.tool()
    async def report(context: Context) -> str:
        """Report progress once."""
        await context.report_progress(1, 4, "a quarter")
        return "reported"

    @made.tool()
    async def never() -> str:
        """Wait for ever."""
        await anyio.sleep_forever()
        return "unreachable"

    return made


async def _call(
    connection: Connection, name: str, arguments: dict[str, object], seconds: float = 5
) -> dict[str, object]:
    tool = await fetch_tool(connection, name, timeout_seconds=5)
    assert tool is not None
    return await connection.call_tool(tool, arguments, timeout_seconds=seconds)


@pytest.mark.parametrize("era", ERAS)
async def test_a_connection_knows_who_answered_and_at_which_revision(era: Era) -> None:
    with anyio.fail_after(5):
        async with in_memory(server(), era) as connection:
            identity = connection.identity
            revision = {"modern": "2026-07-28", "legacy": "2025-11-25"}[era]
            assert (identity.name, identity.version, identity.era, identity.revision) == ("small", "1.2", era, revision)
            assert identity.instructions == "Adds numbers. Nothing else."


@pytest.mark.parametrize("era", ERAS)
async def test_a_call_returns_the_raw_result(era: Era) -> None:
    with anyio.fail_after(5):
        async with in_memory(server(), era) as connection:
            raw = await _call(connection, "add", {"left": 3})
    assert raw["structuredContent"] == {"result": 5}
    assert raw["content"] == [{"type": "text", "text": "5"}]


@pytest.mark.behaviour("progress.reaches-the-caller")
@pytest.mark.parametrize("era", ERAS)
async def test_progress_reaches_whoever_called(era: Era) -> None:
    seen: list[tuple[float, float | None, str | None]] = []
    told = anyio.Event()

    async def on_progress(progress: float, total: float | None, message: str | None) -> None:
        seen.append((progress, total, message))
        told.set()

    with anyio.fail_after(5):
        async with in_memory(server(), era) as connection:
            tool = await fetch_tool(connection, "report", timeout_seconds=5)
            assert tool is not None
            await connection.call_tool(tool, {}, timeout_seconds=5, on_progress=on_progress)
            await told.wait()
    assert seen == [(1.0, 4.0, "a quarter")]


@pytest.mark.parametrize("era", ERAS)
async def test_a_call_that_outlasts_its_deadline_was_sent_and_not_answered(era: Era) -> None:
    with anyio.fail_after(5):
        async with in_memory(server(), era) as connection:
            with pytest.raises(RequestFailed) as caught:
                await _call(connection, "never", {}, seconds=0.05)
    failure = caught.value
    assert (failure.problem.type, failure.problem.retryable) == ("request-timed-out", False)
    assert (failure.sent, failure.answered) == (True, False)


@pytest.mark.parametrize("era", ERAS)
async def test_a_request_on_an_ended_connection_is_not_sent(era: Era) -> None:
    with anyio.fail_after(5):
        async with in_memory(server(), era) as connection:
            connection.ended.set()
            with pytest.raises(RequestFailed) as caught:
                await connection.request("tools/call", {}, doing="calling it", timeout_seconds=5)
    assert caught.value.problem == not_connected(Attempt(alias="memory", doing="calling it"))
    assert (caught.value.problem.retryable, caught.value.sent) == (True, False)


@pytest.mark.parametrize("era", ERAS)
async def test_a_refusal_of_the_server_is_an_answer(era: Era) -> None:
    with anyio.fail_after(5):
        async with in_memory(server(), era) as connection:
            with pytest.raises(RequestFailed) as caught:
                await connection.request("nobody/knows", {}, doing="asking nonsense", timeout_seconds=5)
    problem = caught.value.problem
    assert (problem.type, problem.alias, caught.value.answered, caught.value.code) == (
        "request-refused",
        "memory",
        True,
        -32601,
    )


@pytest.mark.parametrize("era", ERAS)
async def test_the_catalog_holds_everything_that_is_listed(era: Era) -> None:
    with anyio.fail_after(5):
        async with in_memory(server(), era) as connection:
            catalog = await list_everything(connection, generation=7, timeout_seconds=5)
    assert [tool.name for tool in catalog.tools] == ["add", "report", "never"]
    assert (catalog.alias, catalog.generation, catalog.dropped, catalog.warnings) == ("memory", 7, (), ())


ECHO = parse_tool({"name": "echo", "inputSchema": {"type": "object"}})
MODERN_SERVER = {"server/discover": answers(discovered(tools={}))}
COUNT = 10


@pytest.mark.behaviour("results.absent-is-complete")
async def test_a_result_without_a_result_type_is_taken_as_it_is() -> None:
    result: dict[str, object] = {"content": [{"type": "hologram"}], "extra": 1}
    with anyio.fail_after(5):
        async with connected({**MODERN_SERVER, "tools/call": answers(result)}) as (connection, _):
            assert await connection.call_tool(ECHO, {}, timeout_seconds=5) == result


async def test_a_server_that_asks_a_person_although_it_was_offered_nobody_is_answered_nothing() -> None:
    asks = answers({"resultType": "input_required", "inputRequests": {"name": {"method": "elicitation/create"}}})
    with anyio.fail_after(5):
        async with connected({**MODERN_SERVER, "tools/call": asks}) as (connection, server):
            with pytest.raises(RequestFailed) as caught:
                await connection.call_tool(ECHO, {}, timeout_seconds=5)
    failure = caught.value
    assert (failure.problem.type, failure.problem.tool, failure.sent, failure.answered) == (
        "protocol-violated",
        "echo",
        True,
        False,
    )
    assert len(server.seen) == 2


async def _call_each(connection: Connection) -> dict[int, dict[str, object]]:
    """What each of ten calls at once was answered."""
    results: dict[int, dict[str, object]] = {}

    async def call(number: int) -> None:
        results[number] = await connection.call_tool(ECHO, {"number": number}, timeout_seconds=5)

    async with anyio.create_task_group() as tasks:
        for number in range(COUNT):
            tasks.start_soon(call, number)
    return results


async def test_ten_calls_answered_in_reverse_reach_their_callers() -> None:
    waiting: list[Request] = []
    turns = [anyio.Event() for _ in range(COUNT + 1)]

    async def last_first(request: Request) -> None:
        place = len(waiting)
        waiting.append(request)
        if len(waiting) == COUNT:
            turns[COUNT].set()
        await turns[place + 1].wait()
        await request.answer({"number": request.message["params"]["arguments"]["number"]})
        turns[place].set()

    with anyio.fail_after(10):
        async with connected({**MODERN_SERVER, "tools/call": last_first}) as (connection, _):
            results = await _call_each(connection)
    assert results == {number: {"number": number} for number in range(COUNT)}


@pytest.mark.parametrize("era", ERAS)
async def test_ten_calls_at_once_in_memory_reach_their_callers(era: Era) -> None:
    made = MCPServer("parallel")
    arrived: list[int] = []
    everybody = anyio.Event()

    @made.tool()
    async def echo(number: int) -> int:
        arrived.append(number)
        if len(arrived) == COUNT:
            everybody.set()
        await everybody.wait()
        return number

    with anyio.fail_after(5):
        async with in_memory(made, era) as connection:
            results = await _call_each(connection)
    assert {number: raw["structuredContent"] for number, raw in results.items()} == {
        number: {"result": number} for number in range(COUNT)
    }


async def test_an_http_server_that_dies_in_a_call_fails_that_call_and_serves_the_next_when_it_is_back() -> None:
    called = anyio.Event()

    async def stays(_: Request) -> None:
        called.set()
        await anyio.sleep_forever()

    failures: list[RequestFailed] = []

    async def call(connection: Connection) -> None:
        with pytest.raises(RequestFailed) as caught:
            await connection.call_tool(ECHO, {}, timeout_seconds=5)
        failures.append(caught.value)

    handlers = {**MODERN_SERVER, "tools/call": in_turn(stays, answers({"content": []}))}
    with anyio.fail_after(10):
        async with switched_on(handlers) as server, connecting(server.url) as connection:
            async with anyio.create_task_group() as tasks:
                tasks.start_soon(call, connection)
                await called.wait()
                await server.off()
            assert not connection.ended.is_set()
            await server.on()
            assert await connection.call_tool(ECHO, {}, timeout_seconds=5) == {"content": []}
    assert [(failure.problem.type, failure.sent, failure.answered) for failure in failures] == [
        ("server-unavailable", True, False)
    ]


@pytest.mark.behaviour("legacy.session-forgotten")
async def test_a_restarted_server_that_forgot_the_session_ends_the_connection() -> None:
    with anyio.fail_after(20):
        async with switched_on(server()) as sdk, shaking_hands(sdk.url) as connection:
            assert await _call(connection, "add", {"left": 1})
            await sdk.off()
            await sdk.on()
            with pytest.raises(RequestFailed) as caught:
                await connection.request("tools/list", {}, doing="listing", timeout_seconds=5)
            assert connection.ended.is_set()
    failure = caught.value
    assert (failure.problem.type, failure.sent, failure.answered) == ("server-unavailable", True, True)
    assert "connects anew" in failure.problem.hint


@pytest.mark.behaviour("errors.header-mismatch")
async def test_a_header_mismatch_makes_the_lists_stale() -> None:
    with anyio.fail_after(5):
        async with connected({**MODERN_SERVER, "tools/call": refuses(-32020, status=400)}) as (connection, server):
            with pytest.raises(RequestFailed) as caught:
                await connection.call_tool(ECHO, {}, timeout_seconds=5)
            assert (caught.value.problem.type, caught.value.answered) == ("request-refused", True)
            assert connection.lists_stale
            assert len(server.seen) == 2


async def test_a_server_that_reads_no_more_cannot_hold_a_call_beyond_its_deadline() -> None:
    to_server, at_server = anyio.create_memory_object_stream[SessionMessage](0)
    to_us, from_server = anyio.create_memory_object_stream[SessionMessage | Exception](0)

    async def shake_hands_and_read_no_more() -> None:
        message = (await at_server.receive()).message
        assert isinstance(message, JSONRPCRequest)
        answer = JSONRPCResponse(jsonrpc="2.0", id=message.id, result=initialized(tools={}))
        await to_us.send(SessionMessage(answer))
        await at_server.receive()

    with anyio.fail_after(10), to_server, at_server, to_us, from_server:
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(shake_hands_and_read_no_more)
            dispatcher = JSONRPCDispatcher(from_server, to_server)
            async with connect_dispatcher("stuck", dispatcher, ended=anyio.Event(), legacy=True) as connection:
                with pytest.raises(RequestFailed) as caught:
                    await connection.request("tools/list", {}, doing="listing", timeout_seconds=0.05)
                failure = caught.value
                assert (failure.problem.type, failure.sent, failure.answered) == ("request-timed-out", True, False)


LOSSES = {
    "hung up": (hang_up, True),
    "429": (replies(429), True),
    "500": (replies(500), True),
    "408": (replies(408), True),
    "404": (replies(404), False),
    "413": (replies(413), False),
    "redirected": (replies(303, location="/done"), False),
    "refused": (refuses(-32603), False),
}


@pytest.mark.parametrize("name", LOSSES)
async def test_a_listing_may_be_retried_and_a_call_that_was_sent_may_not(name: str) -> None:
    handler, retryable = LOSSES[name]
    handlers = {**MODERN_SERVER, "tools/list": handler, "tools/call": handler}
    told: list[bool] = []
    with anyio.fail_after(5):
        for method in ("tools/list", "tools/call"):
            async with connected(handlers) as (connection, _):
                with pytest.raises(RequestFailed) as caught:
                    await connection.request(method, {"name": "echo"}, doing="doing it", timeout_seconds=5)
                told.append(caught.value.problem.retryable)
    assert told == [retryable, False]


async def test_a_call_that_never_left_may_be_retried() -> None:
    with anyio.fail_after(5):
        async with switched_on({**MODERN_SERVER}) as server, connecting(server.url) as connection:
            await server.off()
            with pytest.raises(RequestFailed) as caught:
                await connection.call_tool(ECHO, {}, timeout_seconds=5)
    assert (caught.value.problem.retryable, caught.value.sent) == (True, False)
