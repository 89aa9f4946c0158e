"""The stream pair over a process's pipes, against servers that misbehave one way each."""

from __future__ import annotations

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

import anyio
import mcp_types
import pytest
from mcp.client._transport import ReadStream, WriteStream
from mcp.shared.exceptions import MCPError
from mcp.shared.message import SessionMessage

from mcp_host.protocol.transports.faults import WireFault, fault_of
from mcp_host.protocol.transports.process import ServerProcess, registered_groups
from mcp_host.protocol.transports.server_log import ServerLog
from mcp_host.protocol.transports.stdio import StdioTransport, stdio_transport
from mcp_host.protocol.transports.streams import UNREAD_ANSWERS
from tests.protocol.transports.support import (
    ask,
    bytes_in,
    error_of,
    next_message,
    none_left,
    raw_server,
    request,
    result_of,
    server_log,
)

pytestmark = pytest.mark.anyio


@dataclass(frozen=True, kw_only=True)
class Opened:
    transport: StdioTransport
    process: ServerProcess
    log: ServerLog
    read: ReadStream[SessionMessage | Exception]
    write: WriteStream[SessionMessage]

    async def ask(self, request_id: int, method: str, **params: object) -> mcp_types.JSONRPCMessage:
        return await ask(self.read, self.write, request(request_id, method, **params))

    async def end(self) -> None:
        """Returns when the session would see the end."""
        with pytest.raises(anyio.EndOfStream):
            await self.read.receive()
        assert self.transport.ended.is_set()


@asynccontextmanager
async def opened(
    folder: Path, file: str = "line_server.py", *args: str, line_cap_bytes: int = 64 << 20, secret: str | None = None
) -> AsyncGenerator[Opened, None]:
    """A connection, checked to leave no process when it is over."""
    log = server_log(folder, secret=secret)
    process = await ServerProcess.start(raw_server(file, *args), alias="raw")
    transport = stdio_transport(process, log, line_cap_bytes=line_cap_bytes)
    try:
        with anyio.fail_after(5):
            async with transport as (read, write):
                yield Opened(transport=transport, process=process, log=log, read=read, write=write)
    finally:
        log.close()
        with anyio.fail_after(5, shield=True):
            await none_left(process.pid)
        assert process.pid not in registered_groups()


async def test_requests_are_answered_and_leaving_stops_the_server(tmp_path: Path) -> None:
    async with opened(tmp_path) as server:
        assert result_of(await server.ask(1, "echo", text="ü\u2028")) == {"text": "ü\u2028"}
        assert server.transport.reason is None
    assert server.transport.reason is not None
    assert server.transport.reason.kind == "stopped"
    assert server.process.exit_words == "exited with code 0"


@pytest.mark.behaviour("transports.stdio-junk")
async def test_lines_that_are_no_messages_are_ignored_and_noted(tmp_path: Path) -> None:
    async with opened(tmp_path) as server:
        assert result_of(await server.ask(1, "junk", a=1)) == {"a": 1}
        assert server.transport.ignored_lines == 9
    log = server.log.path.read_text()
    assert "🖥️ mode STDIO" in log
    assert log.count("prints to stdout") == 1


@pytest.mark.parametrize("before", [0, 150, 195, 199, 799])
async def test_a_long_line_that_is_no_message_leaves_no_half_of_a_secret(tmp_path: Path, before: int) -> None:
    secret = "s3cret-" + "token" * 200
    async with opened(tmp_path, secret=secret) as server:
        line = "." * before + secret + " and more"
        assert isinstance(await server.ask(1, "print_line", line=line), mcp_types.JSONRPCResponse)
    log = server.log.path.read_text()
    assert "s3c" not in log
    assert max(map(len, log.splitlines())) < 300


@pytest.mark.parametrize(
    ("method", "text"),
    [
        ("bad_bytes", "it�s"),
        ("surrogate", "\U0001f600 � \\ud83d"),
        ("separators", "a\u2028b\u2029c\u0085d"),
    ],
)
async def test_text_that_is_not_tidy_still_answers_its_call(tmp_path: Path, method: str, text: str) -> None:
    async with opened(tmp_path) as server:
        assert result_of(await server.ask(1, method)) == {"text": text}
        assert result_of(await server.ask(2, "echo")) == {}


@pytest.mark.parametrize("method", ["broken_answer", "odd_answer", "deep_answer"])
async def test_an_answer_that_cannot_be_read_fails_its_call_alone(tmp_path: Path, method: str) -> None:
    async with opened(tmp_path) as server:
        answer = await server.ask(7, method)
        assert isinstance(answer, mcp_types.JSONRPCError)
        assert answer.id == 7
        assert fault_of(answer.error.data) == WireFault(fault="unreadable", sent=True)
        assert result_of(await server.ask(8, "echo")) == {}


async def test_a_server_cannot_claim_that_a_call_was_not_sent(tmp_path: Path) -> None:
    async with opened(tmp_path) as server:
        assert error_of(await server.ask(1, "forged_fault")).data == {"other": 1}


async def test_a_message_that_cannot_be_encoded_fails_in_its_caller_alone(tmp_path: Path) -> None:
    async with opened(tmp_path) as server:
        with pytest.raises(MCPError):
            await server.ask(1, "echo", text="\ud83d")
        assert result_of(await server.ask(2, "echo")) == {}


async def test_a_server_that_dies_in_a_call_ends_it_within_a_second_and_says_why(tmp_path: Path) -> None:
    async with opened(tmp_path) as server:
        with anyio.fail_after(1):
            await server.write.send(request(1, "kill_itself"))
            await server.end()
        reason = server.transport.reason
        assert reason is not None
        assert reason.kind == "exited"
        assert reason.exit_words == "killed by signal 9"
        assert reason.stderr_tail == ("about to fail", "no newline at the end")
        with pytest.raises(anyio.BrokenResourceError):
            await server.write.send(request(2, "echo"))


async def test_a_child_that_holds_the_pipes_open_does_not_keep_calls_waiting(tmp_path: Path) -> None:
    async with opened(tmp_path, "process_server.py", "abandoning") as server:
        assert isinstance(await next_message(server.read), mcp_types.JSONRPCNotification)
        with anyio.fail_after(1):
            await server.write.send(request(1, "leave"))
            await server.end()
        assert server.transport.reason is not None
        assert server.transport.reason.exit_words == "exited with code 3"


async def test_an_answer_written_just_before_the_end_is_delivered(tmp_path: Path) -> None:
    async with opened(tmp_path) as server:
        assert result_of(await server.ask(1, "exit_with_last_word")) == {"last": True}
        await server.end()


async def test_a_closed_stdin_ends_the_connection(tmp_path: Path) -> None:
    async with opened(tmp_path) as server:
        assert result_of(await server.ask(1, "close_stdin")) == {}
        await server.write.send(request(2, "echo"))
        await server.end()
        assert server.transport.reason is not None
        assert server.transport.reason.kind == "stdin-broken"


async def test_a_closed_stdout_ends_the_connection(tmp_path: Path) -> None:
    async with opened(tmp_path) as server:
        await server.write.send(request(1, "close_stdout"))
        await server.end()
        assert server.transport.reason is not None
        assert server.transport.reason.kind == "exited"
        assert server.transport.reason.exit_words is None


async def test_an_endless_line_closes_the_connection_after_the_messages_before_it(tmp_path: Path) -> None:
    async with opened(tmp_path, line_cap_bytes=4 << 20) as server:
        await server.write.send(request(1, "endless"))
        assert await next_message(server.read) == mcp_types.JSONRPCNotification(jsonrpc="2.0", method="before")
        await server.end()
        assert server.transport.reason is not None
        assert server.transport.reason.kind == "line-too-long"


async def test_fifty_megabytes_in_while_sixteen_go_out_do_not_deadlock(tmp_path: Path) -> None:
    async with opened(tmp_path) as server, anyio.create_task_group() as tasks:
        tasks.start_soon(server.write.send, request(1, "write_before_reading", bytes=50_000_000))
        tasks.start_soon(server.write.send, request(2, "size", text="x" * 16_000_000))
        text = result_of(await next_message(server.read))["text"]
        assert isinstance(text, str)
        assert len(text) == 50_000_000
        assert result_of(await next_message(server.read)) == {"size": 16_000_012}


async def test_a_flood_on_stderr_neither_blocks_the_server_nor_fills_the_disk(tmp_path: Path) -> None:
    async with opened(tmp_path) as server:
        assert result_of(await server.ask(1, "flood_stderr", bytes=100_000_000)) == {"bytes": 100_000_000}
    assert bytes_in(tmp_path) <= 8 * 1024 * 1024


@pytest.mark.parametrize("mode", ["polite", "stubborn", "parent", "abandoning", "chatty"])
async def test_a_cancelled_connection_leaves_no_process(tmp_path: Path, mode: str) -> None:
    with anyio.CancelScope() as scope:
        async with opened(tmp_path, "process_server.py", mode) as server:
            await next_message(server.read)
            scope.cancel()
            await server.read.receive()
    assert scope.cancelled_caught


async def test_a_server_that_still_writes_when_it_is_stopped_may_finish(tmp_path: Path) -> None:
    async with opened(tmp_path, "process_server.py", "chatty") as server:
        await next_message(server.read)
    assert server.process.exit_words == "exited with code 0"
    assert server.log.tail == ("said goodbye",)


async def test_a_connection_cancelled_before_it_is_entered_leaves_no_process(tmp_path: Path) -> None:
    with anyio.CancelScope() as scope:
        scope.cancel()
        async with opened(tmp_path, "process_server.py", "stubborn"):
            await anyio.sleep_forever()
    assert scope.cancelled_caught


async def test_an_error_of_the_caller_comes_out_as_it_is(tmp_path: Path) -> None:
    with pytest.raises(KeyError):
        async with opened(tmp_path):
            raise KeyError


async def answer_pings(server: Opened, taken: list[int], calls: list[mcp_types.JSONRPCMessage]) -> None:
    """As the SDK's session does: one task for each request, which waits until its answer is written."""

    async def answer(request_id: mcp_types.RequestId) -> None:
        # The connection's end ends the waiting too.
        with suppress(anyio.BrokenResourceError, anyio.ClosedResourceError):
            reply = mcp_types.JSONRPCResponse(jsonrpc="2.0", id=request_id, result={"pad": "x" * 1000})
            await server.write.send(SessionMessage(reply))

    async with anyio.create_task_group() as tasks:
        async for item in server.read:
            assert isinstance(item, SessionMessage)
            if isinstance(item.message, mcp_types.JSONRPCRequest):
                taken.append(1)
                tasks.start_soon(answer, item.message.id)
            else:
                calls.append(item.message)


async def test_a_server_that_asks_without_end_and_reads_nothing_is_read_no_further(tmp_path: Path) -> None:
    taken: list[int] = []
    calls: list[mcp_types.JSONRPCMessage] = []
    async with (
        opened(tmp_path / "flood") as flooding,
        opened(tmp_path / "other") as other,
        anyio.create_task_group() as tasks,
    ):
        tasks.start_soon(answer_pings, flooding, taken, calls)
        await flooding.write.send(request(1, "flood"))
        # Returns when nothing moves any more; while the flood is read, something always does.
        await anyio.wait_all_tasks_blocked()
        while "nothing is read from it" not in _text(flooding.log.path):
            await anyio.lowlevel.checkpoint()
        await anyio.wait_all_tasks_blocked()
        count = len(taken)
        assert UNREAD_ANSWERS <= count < 2 * UNREAD_ANSWERS
        assert result_of(await other.ask(1, "echo", a=1)) == {"a": 1}
        await anyio.wait_all_tasks_blocked()
        assert len(taken) == count
        tasks.cancel_scope.cancel()


async def test_a_server_that_asks_much_and_then_reads_is_read_on(tmp_path: Path) -> None:
    taken: list[int] = []
    calls: list[mcp_types.JSONRPCMessage] = []
    async with opened(tmp_path) as server, anyio.create_task_group() as tasks:
        tasks.start_soon(answer_pings, server, taken, calls)
        await server.write.send(request(1, "ask_much_then_read", count=1_000))
        while not calls:
            await anyio.lowlevel.checkpoint()
        assert [result_of(call) for call in calls] == [{"read": 1_000}]
        assert len(taken) == 1_000
        tasks.cancel_scope.cancel()


async def test_many_calls_of_ours_that_wait_do_not_stop_a_busy_server_from_being_read(tmp_path: Path) -> None:
    async with opened(tmp_path) as server, anyio.create_task_group() as tasks:
        for number in range(2 * UNREAD_ANSWERS):
            tasks.start_soon(server.write.send, request(number, "big", bytes=20_000, pad="x" * 2_000))
        answered = {(await next_message(server.read)).id for _ in range(2 * UNREAD_ANSWERS)}  # type: ignore[union-attr]
        assert answered == set(range(2 * UNREAD_ANSWERS))


def _text(path: Path) -> str:
    return path.read_text() if path.exists() else ""
