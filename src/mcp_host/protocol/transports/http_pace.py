"""How fast event streams may be opened again: one that closes each at once would be asked hundreds of times a second.

The SDK waits as long as the server's `retry` says, which may be 0. Times are handed in; nothing here waits.
"""

from __future__ import annotations

from typing import Final

FLOOR_SECONDS: Final = 1.0
"""Between two openings, at the least: what the SDK waits where the server says nothing."""
CEILING_SECONDS: Final = 30.0
"""The longest pause; a server that holds its streams again is back to the floor after one of them."""


class StreamPace:
    """The pause owed before each opening; it doubles while streams do not last."""

    def __init__(self) -> None:
        self._next_at = 0.0
        self._pause = FLOOR_SECONDS

    def delay(self, now: float) -> float:
        """Seconds to wait before a stream is opened that is asked for at `now`."""
        start = max(now, self._next_at)
        lasted = now - (self._next_at - self._pause)  # since the last one was opened
        self._pause = FLOOR_SECONDS if lasted > 2 * self._pause else min(self._pause * 2, CEILING_SECONDS)
        self._next_at = start + self._pause
        return start - now
