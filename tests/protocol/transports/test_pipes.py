"""The ends of pipes: bytes in order whatever their number, and an end for everybody who waits."""

from __future__ import annotations

import os
from collections.abc import Generator

import anyio
import pytest

from mcp_host.protocol.transports.pipes import PipeReader, PipeWriter

pytestmark = pytest.mark.anyio


@pytest.fixture
def pipe() -> Generator[tuple[PipeReader, PipeWriter]]:
    reading, writing = os.pipe()
    with os.fdopen(reading, "rb", buffering=0) as reader, os.fdopen(writing, "wb", buffering=0) as writer:
        yield PipeReader(reader), PipeWriter(writer)


async def test_more_than_a_pipe_holds_arrives_whole_and_in_order(pipe: tuple[PipeReader, PipeWriter]) -> None:
    reader, writer = pipe
    sent = bytes(range(256)) * 4096
    received = bytearray()
    with anyio.fail_after(5):
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(writer.send, sent)
            while len(received) < len(sent):
                received += await reader.receive(10_000)
    assert received == sent


async def test_a_reader_that_waits_is_told_when_its_end_is_closed(pipe: tuple[PipeReader, PipeWriter]) -> None:
    reader, _ = pipe
    told = anyio.Event()

    async def wait() -> None:
        with pytest.raises(anyio.ClosedResourceError):
            await reader.receive()
        told.set()

    with anyio.fail_after(5):
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(wait)
            await anyio.wait_all_tasks_blocked()
            await reader.aclose()
            await told.wait()
    await reader.aclose()
    with pytest.raises(anyio.ClosedResourceError):
        await reader.receive()


async def test_a_writer_that_waits_is_told_when_its_end_is_closed(pipe: tuple[PipeReader, PipeWriter]) -> None:
    _, writer = pipe
    told = anyio.Event()

    async def fill() -> None:
        with pytest.raises(anyio.ClosedResourceError):
            await writer.send(b"x" * 1_000_000)
        told.set()

    with anyio.fail_after(5):
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(fill)
            await anyio.wait_all_tasks_blocked()
            await writer.aclose()
            await told.wait()


async def test_the_other_ends_close_is_an_end(pipe: tuple[PipeReader, PipeWriter]) -> None:
    reader, writer = pipe
    await writer.send(b"last")
    await writer.aclose()
    assert await reader.receive() == b"last"
    with pytest.raises(anyio.EndOfStream):
        await reader.receive()


async def test_nobody_who_reads_is_a_broken_pipe(pipe: tuple[PipeReader, PipeWriter]) -> None:
    reader, writer = pipe
    await reader.aclose()
    with pytest.raises(anyio.BrokenResourceError):
        await writer.send(b"x")


async def test_a_cancelled_receive_loses_nothing(pipe: tuple[PipeReader, PipeWriter]) -> None:
    reader, writer = pipe
    await writer.send(b"kept")
    with anyio.CancelScope() as scope:
        scope.cancel()
        await reader.receive()
    with anyio.fail_after(5):
        assert await reader.receive() == b"kept"


async def test_a_flood_leaves_others_their_turn() -> None:
    others = 0

    async def take_turns() -> None:
        nonlocal others
        while True:
            others += 1
            await anyio.lowlevel.checkpoint()

    with open("/dev/zero", "rb", buffering=0) as flood:  # noqa: ASYNC230 - it is never empty, and opens at once
        reader = PipeReader(flood)
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(take_turns)
            for _ in range(1_000):
                await reader.receive(1)
            tasks.cancel_scope.cancel()
    assert others >= 999
