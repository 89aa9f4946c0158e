"""What the waiting between two attempts takes from the world."""

from __future__ import annotations

import random
from collections.abc import Awaitable, Callable
from dataclasses import dataclass

import anyio


@dataclass(frozen=True, kw_only=True)
class Pace:
    """A clock, a pause and chance; tests hand in their own."""

    now: Callable[[], float] = anyio.current_time
    """Monotonic, seconds."""
    pause: Callable[[float], Awaitable[None]] = anyio.sleep
    """Returns after so many seconds."""
    chance: Callable[[], float] = random.random
    """From 0 to 1."""

    async def pause_unless(self, event: anyio.Event, seconds: float) -> None:
        """Returns after so many seconds, or when the event is set."""
        async with anyio.create_task_group() as waiters:

            async def wait_for_event() -> None:
                await event.wait()
                waiters.cancel_scope.cancel()

            waiters.start_soon(wait_for_event)
            await self.pause(max(0.0, seconds))
            waiters.cancel_scope.cancel()
