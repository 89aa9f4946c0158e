"""The guard: what a host leaves behind is killed, whatever became of the host, and nothing else is."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Generator
from pathlib import Path
from subprocess import PIPE, Popen

import anyio
import pytest
from anyio.streams.buffered import BufferedByteReceiveStream

from mcp_host.protocol.transports import guard_process
from mcp_host.protocol.transports.guard import Guard
from mcp_host.protocol.transports.process import ServerProcess
from mcp_host.protocol.transports.process_groups import guard_pid
from tests.protocol.transports.support import none_left, raw_server

pytestmark = pytest.mark.anyio

DEAF = "trap '' TERM INT HUP; echo up; while :; do read x || sleep 60; done"
"""A shell that leaves for nothing but KILL."""


@pytest.fixture
def groups() -> Generator[list[Popen[bytes]]]:
    """Two deaf process groups."""
    started = [Popen(["sh", "-c", DEAF], stdin=PIPE, stdout=PIPE, start_new_session=True) for _ in range(2)]
    for process in started:
        assert process.stdout is not None
        assert process.stdout.readline() == b"up\n"
    yield started
    for process in started:
        process.kill()
        with process:
            process.wait()


def running(told: bytes) -> Popen[bytes]:
    """A guard that has read what it was told."""
    script = str(Path(guard_process.__file__))
    process = Popen([sys.executable, "-I", "-S", script], stdin=PIPE, start_new_session=True)
    assert process.stdin is not None
    process.stdin.write(told)
    process.stdin.flush()
    return process


def ended(guard: Popen[bytes]) -> int:
    """The guard's exit code, after the end of its stdin."""
    assert guard.stdin is not None
    guard.stdin.close()
    return guard.wait(timeout=10)


def test_at_the_end_of_stdin_the_groups_that_are_left_are_killed(groups: list[Popen[bytes]]) -> None:
    guard = running(b"".join(b"+%d\n" % one.pid for one in groups))
    assert ended(guard) == 0
    assert [one.wait(timeout=10) for one in groups] == [-signal.SIGKILL] * 2


def test_a_group_that_was_dropped_is_left_alone_also_when_the_host_is_cut_off_in_a_word(
    groups: list[Popen[bytes]],
) -> None:
    kept, dropped = groups
    guard = running(b"+%d\n+%d\n-%d\n+12" % (dropped.pid, kept.pid, dropped.pid))
    assert ended(guard) == 0
    assert kept.wait(timeout=10) == -signal.SIGKILL
    assert dropped.poll() is None


def test_a_polite_group_gets_its_moment_to_leave() -> None:
    script = "trap 'echo tidied; exit 0' TERM; echo up; while :; do sleep 0.01; done"
    with Popen(["sh", "-c", script], stdout=PIPE, start_new_session=True) as polite:
        assert polite.stdout is not None
        assert polite.stdout.readline() == b"up\n"
        assert ended(running(b"+%d\n" % polite.pid)) == 0
        assert polite.stdout.read() == b"tidied\n"
        assert polite.wait(timeout=10) == 0


@pytest.mark.parametrize("number", [0, 1])
def test_what_would_reach_everybody_is_never_signalled(number: int) -> None:
    assert not guard_process.reached(number, 0)


def test_signals_of_the_terminal_do_not_end_the_guard(groups: list[Popen[bytes]]) -> None:
    script = str(Path(guard_process.__file__))
    # Its own words are the sign that the signals are ignored by now.
    wrapped = f"import runpy, signal; signal.signal = lambda *_: None; runpy.run_path({script!r}, run_name='__main__')"
    ignoring = {signal.SIGTERM: signal.SIG_IGN, signal.SIGINT: signal.SIG_IGN, signal.SIGHUP: signal.SIG_IGN}
    before = {number: signal.signal(number, handler) for number, handler in ignoring.items()}
    try:
        guard = Popen([sys.executable, "-I", "-S", "-c", wrapped], stdin=PIPE, start_new_session=True)
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
    for number in ignoring:
        os.kill(guard.pid, number)
    assert guard.stdin is not None
    guard.stdin.write(b"+%d\n" % groups[0].pid)
    assert ended(guard) == 0
    assert groups[0].wait(timeout=10) == -signal.SIGKILL


@pytest.mark.parametrize("end", [signal.SIGKILL, signal.SIGSTOP])
def test_a_guard_that_is_gone_or_stuck_is_replaced_and_told_everything(
    groups: list[Popen[bytes]], end: signal.Signals
) -> None:
    guard = Guard()
    guard.begin()
    first = guard.pid
    assert first is not None
    guard.add([groups[0].pid])
    os.kill(first, end)
    if end == signal.SIGKILL:
        os.waitid(os.P_PID, first, os.WEXITED | os.WNOWAIT)
    for _ in range(20_000):  # more than a pipe holds
        guard.add([groups[1].pid])
    second = guard.pid
    assert second != first
    assert [one.poll() for one in groups] == [None, None]
    guard.close()
    assert [one.wait(timeout=10) for one in groups] == [-signal.SIGKILL] * 2


HOST = """
import anyio, sys
from mcp_host.protocol.transports.process import ServerProcess
from mcp_host.protocol.transports.process_groups import guard_pid
from tests.protocol.transports.support import raw_server

async def main():
    process = await ServerProcess.start(raw_server("process_server.py", sys.argv[1]), alias="raw")
    line = await process.stdout.receive()
    print(process.pid, guard_pid(), flush=True)
    await anyio.sleep_forever()

anyio.run(main)
"""


@pytest.mark.parametrize("mode", ["polite", "stubborn", "parent"])
async def test_a_killed_host_leaves_neither_servers_nor_its_guard(mode: str) -> None:
    with anyio.fail_after(20):
        async with await anyio.open_process([sys.executable, "-c", HOST, mode], stdin=subprocess.DEVNULL) as host:
            assert host.stdout is not None
            line = await BufferedByteReceiveStream(host.stdout).receive_until(b"\n", 100)
            server, guard = map(int, line.split())
            host.kill()
        await none_left(server)
        await none_left(guard)


async def test_the_guard_of_this_process_is_started_with_its_first_server() -> None:
    with anyio.fail_after(5):
        process = await ServerProcess.start(raw_server("process_server.py", "polite"), alias="raw")
        assert json.loads(await process.stdout.receive())["params"]
        pid = guard_pid()
        assert pid is not None
        os.kill(pid, 0)
        await process.stop()
        assert guard_pid() == pid
