"""Kills the process groups of a host that is gone. A process of its own, because nothing in a killed host can do it.

The host runs this file by its path, with the standard library alone, and tells it over stdin, a line each: `+GROUP` for
a group it has started, `-GROUP` for one it has ended itself. The end of stdin is the host's end, in whatever way it
came: what is left then gets TERM and, after a moment, KILL. Signals meant for the editor's terminal do not end it.
"""

from __future__ import annotations

import os
import signal
import sys
import time

TERM_SECONDS = 0.3
"""Between TERM and KILL, as in the host's own ladder: time to remove a lock file."""
POLL_SECONDS = 0.02


def main() -> None:
    """Listens until stdin ends, then leaves no group behind."""
    for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
        signal.signal(number, signal.SIG_IGN)
    groups = listen(0)
    end(groups)


def listen(descriptor: int) -> set[int]:
    """The groups that are still there when the descriptor ends."""
    groups: set[int] = set()
    rest = b""
    while True:
        try:
            chunk = os.read(descriptor, 65536)
        except OSError:
            return groups
        if not chunk:
            return groups
        *lines, rest = (rest + chunk).split(b"\n")
        for line in lines:
            group = int(line[1:])
            if line[:1] == b"+":
                groups.add(group)
            else:
                groups.discard(group)


def end(groups: set[int]) -> None:
    """TERM for every group, KILL for those that have members left a moment later."""
    left = {group for group in groups if reached(group, signal.SIGTERM)}
    deadline = time.monotonic() + TERM_SECONDS
    while left and time.monotonic() < deadline:
        time.sleep(POLL_SECONDS)
        left = {group for group in left if reached(group, 0)}
    for group in left:
        reached(group, signal.SIGKILL)


def reached(group: int, number: int) -> bool:
    """Whether the group had a member for the signal."""
    if group <= 1:
        return False  # never a group of ours, and to the system 0 and 1 mean other things
    try:
        os.killpg(group, number)
    except ProcessLookupError:
        return False
    except OSError:
        pass  # macOS refuses for a group of zombies; a set-uid member may be beyond us
    return True


if __name__ == "__main__":
    main()
    sys.exit(0)
