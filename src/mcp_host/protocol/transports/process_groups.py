"""Every process group that this host has started and not yet killed, and the way to kill them all at once.

What is known here the guard knows too (`guard.py`), for the ends in which nothing of the host runs any more. Plain and
synchronous: it is called from `atexit`, from a signal's aftermath and from threads that run no event loop.
"""

from __future__ import annotations

import os
import signal
import threading
from collections.abc import Generator
from contextlib import contextmanager, suppress
from typing import Final

from mcp_host.protocol.transports.guard import Guard

SPAWN_WAIT_SECONDS: Final = 0.25
"""How long `kill_all_groups` waits for a process that is being started right now; starting one takes milliseconds."""


class _Registry:
    def __init__(self) -> None:
        self.changed = threading.Condition()
        self.groups: set[int] = set()
        self.guard = Guard()
        self.spawning = 0
        self.sweeps = 0

    def kill_all(self) -> None:
        for group in self.groups:
            with suppress(OSError):
                signal_group(group, signal.SIGKILL)
        self.groups.clear()


_registry: Final = _Registry()


@contextmanager
def spawning() -> Generator[list[int], None, None]:
    """Brackets the start of one process; the process id put into the list is registered when the bracket closes.

    To be closed as soon as the id is known: a host that is killed in between leaves the process to itself. A sweep that
    came in between could not know the process, so it is killed here.
    """
    started: list[int] = []
    with _registry.changed:
        _registry.guard.begin()
        _registry.spawning += 1
        sweeps = _registry.sweeps
    try:
        yield started
    finally:
        with _registry.changed:
            _registry.spawning -= 1
            _registry.groups.update(started)
            _registry.guard.add(started)
            swept = _registry.sweeps != sweeps
            _registry.changed.notify_all()
        if swept:
            for group in started:
                signal_group(group, signal.SIGKILL)


def forget_group(group: int) -> None:
    """Drops a group that has been killed: its number may soon belong to somebody else."""
    with _registry.changed:
        _registry.groups.discard(group)
        _registry.guard.drop(group)


def registered_groups() -> frozenset[int]:
    """The groups that `kill_all_groups` would kill."""
    with _registry.changed:
        return frozenset(_registry.groups)


def guard_pid() -> int | None:
    """The process that kills the registered groups should this one be killed; None before the first server."""
    with _registry.changed:
        return _registry.guard.pid


def signal_group(group: int, signal_number: int) -> bool:
    """Signals every member of the group; false where it has none any more. Signal 0 only asks."""
    try:
        os.killpg(group, signal_number)
    except ProcessLookupError:
        return False
    except PermissionError:
        pass  # macOS says so of a group of zombies, and a set-uid child may be beyond us
    return True


def kill_all_groups() -> None:
    """Kills every registered group at once, those whose leader is gone too. Safe to call twice, from any thread."""
    with _registry.changed:
        _registry.sweeps += 1
        _registry.kill_all()
        # A start in progress on this very thread could never finish while we wait: hence the bound.
        _registry.changed.wait_for(lambda: _registry.spawning == 0, SPAWN_WAIT_SECONDS)
        _registry.kill_all()
