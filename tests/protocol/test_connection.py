"""Requests over a negotiated connection, on both eras."""

from __future__ import annotations

import anyio
import pytest
from mcp.server.mcpserver import Context, MCPServer

from mcp_host.core.catalog.catalog import Era
from mcp_host.protocol.connection import Connection
from mcp_host.protocol.errors import RequestFailed
from mcp_host.protocol.listing import fetch_tool, list_everything
from tests.protocol.in_memory import in_memory

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
    assert (caught.value.problem.type, caught.value.sent, caught.value.answered) == ("request-timed-out", True, False)


@pytest.mark.parametrize("era", ERAS)
async def test_a_request_on_an_ended_connection_is_not_sent(era: Era) -> None:
    with anyio.fail_after(5):
        async with in_memory(server(), era) as connection:
            connection.ended.set()
            with pytest.raises(RequestFailed) as caught:
                await connection.request("tools/list", {}, doing="listing", timeout_seconds=5)
    assert (caught.value.problem.type, caught.value.sent) == ("server-unavailable", False)


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
