"""A process that behaves as its one argument says when it is to end. Standard library only.

Says a notification `ready` on stdout once it stands, with the process id of its child if it has one.
"""

from __future__ import annotations

import json
import signal
import subprocess
import sys

SLEEPER = "import signal, time; signal.signal(signal.SIGTERM, signal.SIG_IGN); print(flush=True); time.sleep(600)"


def ready(child: int | None = None) -> None:
    say({"jsonrpc": "2.0", "method": "ready", "params": {"child": child}})


def say(message: object) -> None:
    sys.stdout.write(json.dumps(message) + "\n")
    sys.stdout.flush()


def stubborn_child(*, holds_pipes: bool) -> int:
    """A child that ignores TERM, from the moment on at which this returns."""
    child = subprocess.Popen(
        [sys.executable, "-I", "-S", "-c", SLEEPER if not holds_pipes else SLEEPER.replace("print(flush=True); ", "")],
        stdout=None if holds_pipes else subprocess.PIPE,
    )
    if child.stdout is not None:
        child.stdout.readline()
    return child.pid


def polite() -> None:
    ready()
    for _ in sys.stdin:
        pass


def stubborn() -> None:
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    ready()
    while True:
        signal.pause()


def parent() -> None:
    ready(stubborn_child(holds_pipes=False))
    for _ in sys.stdin:
        pass


def abandoning() -> None:
    ready(stubborn_child(holds_pipes=True))
    sys.stdin.readline()
    sys.exit(3)


def chatty() -> None:
    """Has more to write than a pipe holds before it looks at its stdin's end."""
    ready()
    for _ in sys.stdin:
        pass
    sys.stdout.write("x" * 1_000_000 + "\n")
    sys.stdout.flush()
    sys.stderr.write("said goodbye\n")


if __name__ == "__main__":
    globals()[sys.argv[1]]()
