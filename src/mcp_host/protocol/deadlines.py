"""Deadlines of requests, which stand still while a person is asked."""

from __future__ import annotations

from collections.abc import Callable, Generator
from contextlib import contextmanager
from dataclasses import dataclass, field

import anyio


@dataclass(kw_only=True, eq=False)
class Deadline:
    """One running request's."""

    scope: anyio.CancelScope = field(repr=False)
    _holds: int = 0
    _left: float = 0.0

    def hold(self, now: float) -> None:
        """It stands still until it was released as often as it was held: what overlaps counts once."""
        if self._holds == 0:
            self._left = self.scope.deadline - now
            self.scope.deadline = float("inf")
        self._holds += 1

    def release(self, now: float) -> None:
        """It goes on with what was left, unless something else still holds it."""
        self._holds -= 1
        if self._holds == 0:
            self.scope.deadline = now + self._left


class Deadlines:
    """Those of one connection."""

    def __init__(self, now: Callable[[], float] = anyio.current_time) -> None:
        self.now = now
        self._running: list[Deadline] = []

    def running(self) -> tuple[Deadline, ...]:
        """Those of the requests that wait for an answer now."""
        return tuple(self._running)

    @contextmanager
    def limit(self, seconds: float) -> Generator[Deadline]:
        """Bounds what is done inside.

        Raises:
            TimeoutError: The time was over first; what was done inside has been cancelled.
        """
        with anyio.CancelScope(deadline=self.now() + seconds) as scope:
            deadline = Deadline(scope=scope)
            self._running.append(deadline)
            try:
                yield deadline
            finally:
                self._running.remove(deadline)
        if scope.cancelled_caught:  # by its deadline: nobody else has it
            raise TimeoutError

    @contextmanager
    def standing_still(self) -> Generator[None]:
        """The deadlines that run now stand still meanwhile. Later ones run: what began later asked for nothing yet."""
        held = self.running()
        for deadline in held:
            deadline.hold(self.now())
        try:
            yield
        finally:
            for deadline in held:
                deadline.release(self.now())
