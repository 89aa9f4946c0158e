"""The host's thread: it takes work from any thread, contains its faults and ends within a bound."""

from __future__ import annotations

import logging
import threading

import anyio
import pytest

from mcp_host.editor.threads import HostThread

SECONDS = 5.0


async def _until_stopped(stop: anyio.Event) -> None:
    await stop.wait()


def test_work_runs_in_the_hosts_thread_and_the_thread_ends_when_asked() -> None:
    thread = HostThread(_until_stopped)
    thread.start()
    ran = threading.Event()
    names: list[str] = []

    async def work() -> None:
        names.append(threading.current_thread().name)
        ran.set()

    thread.hand_over(work)
    assert ran.wait(SECONDS)
    assert names == ["mcp-host"]
    assert thread.stop(SECONDS)


def test_a_fault_in_one_piece_of_work_is_logged_and_leaves_the_others_alone(caplog: pytest.LogCaptureFixture) -> None:
    thread = HostThread(_until_stopped)
    thread.start()
    ran = threading.Event()

    async def fail() -> None:
        raise ValueError("out of order")

    async def work() -> None:
        ran.set()

    with caplog.at_level(logging.ERROR):
        thread.hand_over(fail)
        thread.hand_over(work)
        assert ran.wait(SECONDS)
        assert thread.stop(SECONDS)
    assert "could not be answered" in caplog.text


def test_work_that_waits_for_ever_does_not_keep_the_thread() -> None:
    thread = HostThread(_until_stopped)
    thread.start()
    waiting = threading.Event()

    async def wait_for_ever() -> None:
        waiting.set()
        await anyio.sleep_forever()

    thread.hand_over(wait_for_ever)
    assert waiting.wait(SECONDS)
    assert thread.stop(SECONDS)


def test_a_host_that_does_not_end_is_given_up_after_the_bound() -> None:
    may_end = threading.Event()

    async def stubborn(stop: anyio.Event) -> None:
        await stop.wait()
        await anyio.to_thread.run_sync(may_end.wait)

    thread = HostThread(stubborn)
    thread.start()
    assert not thread.stop(0.05)
    may_end.set()
    assert thread.stop(SECONDS)


def test_work_for_a_thread_that_has_ended_is_dropped() -> None:
    thread = HostThread(_until_stopped)
    thread.start()
    assert thread.stop(SECONDS)

    async def work() -> None:
        raise AssertionError("must not run")

    thread.hand_over(work)


def test_a_loop_that_dies_says_so_and_one_that_was_stopped_does_not() -> None:
    died = threading.Event()

    async def fail(_: anyio.Event) -> None:
        raise ValueError("out of order")

    dying = HostThread(fail, on_death=died.set)
    dying.start()
    assert died.wait(SECONDS)
    stopped = threading.Event()
    stopping = HostThread(_until_stopped, on_death=stopped.set)
    stopping.start()
    assert stopping.stop(SECONDS)
    assert not stopped.is_set()
