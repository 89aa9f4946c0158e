"""From streams to a negotiated connection and back: what ends it, and how its end is told."""

from __future__ import annotations

import os
import sys
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from pathlib import Path

import anyio
import pytest
from mcp.server.mcpserver import Context, MCPServer

from mcp_host.problems import Problem, ProblemError
from mcp_host.protocol.client_side import ClientSide
from mcp_host.protocol.connecting import NOBODY, EndedByProbe, connect_process
from mcp_host.protocol.connection import Connection
from mcp_host.protocol.errors import RequestFailed
from mcp_host.protocol.listing import fetch_tool, list_everything
from mcp_host.protocol.transports.process import ServerProcess
from tests.protocol.in_memory import in_memory
from tests.protocol.over_http import answers, connecting, discovered, initialized, refuses
from tests.protocol.transports.raw_http import RawHttpServer, serving
from tests.protocol.transports.support import Launch, living_members, server_log

pytestmark = pytest.mark.anyio

SERVERS = Path(__file__).parents[1] / "servers"
OURS = Problem(type="usage", title="ours", detail="ours", hint="ours")


@asynccontextmanager
async def started(
    folder: Path, file: str, *args: str, legacy: bool = False, side: ClientSide = NOBODY
) -> AsyncGenerator[tuple[Connection, ServerProcess]]:
    """A connection to a server beside the tests (or `-m module`), and its process."""
    env = {"PATH": os.environ["PATH"], "HOME": str(folder), "MCP_PIDS": str(folder / "pids")}
    script = ("-m", file) if not file.endswith(".py") else (str(SERVERS / file),)
    process = await ServerProcess.start(Launch(command=sys.executable, args=(*script, *args), env=env), alias="raw")
    try:
        async with connect_process("raw", process, server_log(folder), legacy=legacy, side=side) as connection:
            yield connection, process
    finally:
        await process.stop()


async def test_a_legacy_process_is_negotiated_with_and_gone_afterwards(tmp_path: Path) -> None:
    with anyio.fail_after(10):
        async with started(tmp_path, "polite.py") as (connection, process):
            assert (connection.identity.era, connection.identity.name) == ("legacy", "polite")
            assert not connection.ended.is_set()
            assert connection.end_problem() is None
    assert connection.ended.is_set()
    assert connection.end_problem() is None  # we ended it
    assert not living_members(process.pid)


async def test_the_sdks_server_over_stdio_is_modern(tmp_path: Path) -> None:
    with anyio.fail_after(20):
        async with started(tmp_path, "mcp_host.demo") as (connection, _):
            catalog = await list_everything(connection, generation=1, timeout_seconds=5)
    assert connection.identity.era == "modern"
    assert catalog.tools


async def test_a_process_that_ends_on_the_probe_is_told_from_one_that_ends_later(tmp_path: Path) -> None:
    with anyio.fail_after(10), pytest.raises(EndedByProbe) as caught:
        async with started(tmp_path, "first_word.py", "exits"):
            pass
    assert caught.value.problem == Problem(
        type="server-unavailable",
        title="raw exited with code 4",
        detail="The server process ended: exited with code 4.\nIts stderr ended with:\nfirst_word: process 1 leaves",
        hint="Run its command in a shell to see why; :McpEnable raw tries again.",
        alias="raw",
        retryable=True,
    )


async def test_a_process_that_ends_on_the_handshake_did_not_end_by_the_probe(tmp_path: Path) -> None:
    with anyio.fail_after(10), pytest.raises(ProblemError) as caught:
        async with started(tmp_path, "first_word.py", "always", legacy=True):
            pass
    assert (type(caught.value), caught.value.problem.type) == (ProblemError, "server-unavailable")


async def test_a_process_that_dies_in_a_call_sets_ended_and_says_why(tmp_path: Path) -> None:
    with anyio.fail_after(10):
        async with started(tmp_path, "crash_in_call.py") as (connection, _):
            tool = await fetch_tool(connection, "crash", timeout_seconds=5)
            assert tool is not None
            with pytest.raises(RequestFailed) as caught:
                await connection.call_tool(tool, {"how": "exit"}, timeout_seconds=5)
            await connection.ended.wait()
    failure, problem = caught.value, connection.end_problem()
    assert (failure.problem.type, failure.sent, failure.answered) == ("server-unavailable", True, False)
    assert problem is not None
    assert "out of paper" in problem.detail


async def test_the_end_of_a_process_is_the_cause_of_what_its_user_raises(tmp_path: Path) -> None:
    async def use() -> None:
        async with started(tmp_path, "first_word.py", "late", legacy=True) as (connection, _):
            await list_everything(connection, generation=1, timeout_seconds=5)

    with anyio.fail_after(10), pytest.raises(ProblemError) as caught:
        await use()
    assert (type(caught.value), caught.value.problem.title) == (ProblemError, "raw exited with code 4")


async def test_what_the_user_of_a_connection_raises_comes_out_as_a_problem(tmp_path: Path) -> None:
    with anyio.fail_after(10), pytest.raises(ProblemError) as caught:
        async with started(tmp_path, "polite.py"):
            raise ProblemError(OURS)
    assert caught.value.problem == OURS
    async with serving(RawHttpServer(handlers={"server/discover": answers(discovered())})) as server:
        with anyio.fail_after(5), pytest.raises(ProblemError) as caught:
            async with connecting(server.url):
                raise ProblemError(OURS)
    assert caught.value.problem == OURS


async def test_a_handshake_answer_that_breaks_the_specification_says_where() -> None:
    broken = {**initialized(), "serverInfo": {"name": "raw", "version": {"token": "s3cret"}}}
    handlers = {"server/discover": refuses(-32601), "initialize": answers(broken)}
    async with serving(RawHttpServer(handlers=handlers)) as server:
        with anyio.fail_after(5), pytest.raises(ProblemError) as caught:
            async with connecting(server.url):
                pass
    problem = caught.value.problem
    assert problem.type == "protocol-violated"
    assert "serverInfo.version" in problem.detail
    assert "s3cret" not in problem.model_dump_json()


async def test_a_server_that_says_that_a_list_changed_makes_the_lists_stale() -> None:
    made = MCPServer("changing")

    @made.tool()
    async def change(context: Context) -> str:
        await context.session.send_tool_list_changed()
        return "changed"

    with anyio.fail_after(5):
        async with in_memory(made, "legacy") as connection:
            tool = await fetch_tool(connection, "change", timeout_seconds=5)
            assert tool is not None
            assert not connection.lists_stale
            await connection.call_tool(tool, {}, timeout_seconds=5)
            while not connection.lists_stale:
                await anyio.lowlevel.checkpoint()
            await list_everything(connection, generation=2, timeout_seconds=5)
            assert not connection.lists_stale
