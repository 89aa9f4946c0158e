"""A deadline stands still while a person is asked, and goes on with what was left."""

from __future__ import annotations

from collections.abc import Generator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass

import anyio
import pytest

from mcp_host.protocol.deadlines import Deadlines

pytestmark = pytest.mark.anyio

FAR = 1e12
"""A time that the loop's own clock never reaches, so that nothing is cancelled by it."""


@dataclass
class Clock:
    now: float = FAR

    def __call__(self) -> float:
        return self.now


@contextmanager
def running(deadlines: Deadlines, seconds: float) -> Generator[anyio.CancelScope]:
    with deadlines.limit(seconds) as deadline:
        yield deadline.scope


@pytest.mark.behaviour("deadlines.person-off-the-clock")
async def test_a_deadline_goes_on_with_what_was_left_when_a_person_was_asked() -> None:
    clock = Clock()
    deadlines = Deadlines(clock)
    with running(deadlines, 60) as scope:
        assert scope.deadline == FAR + 60
        clock.now += 20
        with deadlines.standing_still():
            assert scope.deadline == float("inf")
            clock.now += 3600
        assert scope.deadline == clock.now + 40
        clock.now += 10
        with deadlines.standing_still():
            clock.now += 5
        assert scope.deadline == clock.now + 30


@pytest.mark.behaviour("deadlines.overlapping-questions-count-once")
async def test_two_questions_at_once_count_once() -> None:
    clock = Clock()
    deadlines = Deadlines(clock)
    with running(deadlines, 60) as scope, ExitStack() as first, ExitStack() as second:
        first.enter_context(deadlines.standing_still())
        clock.now += 100
        second.enter_context(deadlines.standing_still())
        clock.now += 100
        first.close()
        assert scope.deadline == float("inf")
        clock.now += 100
        second.close()
        assert scope.deadline == clock.now + 60


async def test_what_begins_while_a_person_is_asked_has_its_own_time() -> None:
    clock = Clock()
    deadlines = Deadlines(clock)
    with running(deadlines, 60) as older, deadlines.standing_still():
        with running(deadlines, 30) as newer:
            assert (older.deadline, newer.deadline) == (float("inf"), FAR + 30)
        with running(deadlines, 30) as third:
            assert third.deadline == FAR + 30


async def test_what_has_ended_meanwhile_is_left_alone() -> None:
    clock = Clock()
    deadlines = Deadlines(clock)
    with ExitStack() as question:
        with running(deadlines, 60) as scope:
            question.enter_context(deadlines.standing_still())
        assert scope.deadline == float("inf")
    with running(deadlines, 5) as later, deadlines.standing_still():
        assert later.deadline == float("inf")


async def test_a_time_that_is_over_is_a_timeout_and_a_cancellation_from_outside_is_none() -> None:
    deadlines = Deadlines()
    with pytest.raises(TimeoutError), deadlines.limit(0):
        await anyio.sleep_forever()
    with anyio.CancelScope() as outside:
        outside.cancel()
        with deadlines.limit(60):
            await anyio.sleep_forever()
    assert outside.cancelled_caught
