"""When a server that was lost is tried again: later each time, never in a storm, and seldom once the budget is spent.

Two measures at once. The delay grows with each attempt as the definition's `reconnect` says. And however short its
delays are, a server is not started more than six times in the first minute and once a minute after that: one that does
everything right and then exits would otherwise be started thousands of times (can1357/oh-my-pi#1596). Both forget
only when a connection was stable, which is more than to have come up.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Final, Protocol

BURST_STARTS: Final = 6
"""Starts that a server has to begin with, and again after a stable connection."""

SLOW_SECONDS: Final = 60.0
"""Between two starts once those are used up, and between two attempts after the budget."""

_STEPS: Final = 60
"""Doublings after which a delay is past any maximum; beyond it numbers only grow unwieldy."""


class Policy(Protocol):
    """What a definition says under `reconnect`."""

    @property
    def initial_delay_seconds(self) -> float: ...
    @property
    def max_delay_seconds(self) -> float: ...
    @property
    def max_attempts(self) -> int: ...


@dataclass(frozen=True, kw_only=True)
class Retry:
    """An attempt that will be made."""

    attempt: int
    """From 1, since the last stable connection."""
    at: float
    """On the clock that the moments were given in, seconds."""
    is_slow: bool
    """The budget is spent: the server counts as failed meanwhile."""


@dataclass(frozen=True, kw_only=True)
class Backoff:
    """How often a server was started and tried again lately. Moments are seconds on one monotonic clock."""

    attempts: int = 0
    _starts: float = BURST_STARTS
    """Starts that are left at `_counted_at`; a new one comes every `SLOW_SECONDS`."""
    _counted_at: float = 0.0

    def started(self, now: float) -> Backoff:
        """The server is being started, for whatever reason."""
        return replace(self, _starts=self._left(now) - 1, _counted_at=now)

    def tried(self) -> Backoff:
        """It is an attempt to get it back."""
        return replace(self, attempts=self.attempts + 1)

    def may_start(self, now: float) -> bool:
        """Whether a start now would be no storm."""
        return self._left(now) >= 1

    def start_at(self, now: float) -> float:
        """The next moment at which a start would be no storm."""
        return now + max(0.0, 1 - self._left(now)) * SLOW_SECONDS

    def following(self, policy: Policy, now: float, chance: float) -> Retry:
        """The next attempt.

        Args:
            policy: The definition's `reconnect`.
            now: This moment.
            chance: From 0 to 1, drawn anew each time: servers that were lost together should not come back together.
        """
        attempt = self.attempts + 1
        is_slow = attempt > policy.max_attempts
        if is_slow:
            delay = SLOW_SECONDS
        else:
            whole = min(policy.initial_delay_seconds * 2 ** min(attempt - 1, _STEPS), policy.max_delay_seconds)
            delay = whole * (1 - chance / 2)
        return Retry(attempt=attempt, at=max(now + delay, self.start_at(now)), is_slow=is_slow)

    def _left(self, now: float) -> float:
        return min(BURST_STARTS, self._starts + (now - self._counted_at) / SLOW_SECONDS)
