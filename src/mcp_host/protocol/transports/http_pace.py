"""How fast one event stream may be opened again: one that always closes would be asked for hundreds of times a second.

The SDK waits as long as the server's `retry` says, which may be 0. A server that gives the stream of a slow call up now
and then (specification 2025-11-25, "Polling") is followed at its own pace the first few times, and no server more than
thirty times a minute. Times are handed in; nothing here waits.
"""

from __future__ import annotations

from typing import Final

FREE_OPENINGS: Final = 4
"""At the server's own pace. They are regained once a stream has lasted for the longest pause."""
FLOOR_SECONDS: Final = 2.5
"""Between two openings after those, at the least."""
LASTING_SECONDS: Final = 1.0
"""What ends sooner was not meant to last: the pause doubles."""
CEILING_SECONDS: Final = 30.0
"""The longest pause."""


class StreamPace:
    """The pause owed before each opening of one stream."""

    def __init__(self) -> None:
        self._opened_at = 0.0
        self._openings = 0
        self._pause = FLOOR_SECONDS

    def delay(self, now: float) -> float:
        """Seconds to wait before the stream is opened that is asked for at `now`."""
        lasted = now - self._opened_at
        if lasted >= CEILING_SECONDS:
            self._openings, self._pause = 0, FLOOR_SECONDS
        self._openings += 1
        wait = max(self._pause - lasted, 0) if self._openings > FREE_OPENINGS else 0.0
        if self._openings > FREE_OPENINGS and lasted < LASTING_SECONDS:
            self._pause = min(self._pause * 2, CEILING_SECONDS)
        self._opened_at = now + wait
        return wait
