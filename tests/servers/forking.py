"""A server with a child of its own, which outlives it: the child keeps the pipes open and does not read them.

`--deaf` makes the child ignore SIGTERM, SIGINT and SIGHUP. `--leave` makes the server exit right after it has
listed its tools, so that the leader of the process group is gone and the child is not.
"""

from __future__ import annotations

import argparse
import signal
import subprocess

from wire import ECHO, Json, LastAnswer, note_process, serve

LAST_RESORT_SECONDS = 600
"""The child leaves after this by itself, so that a failing test does not leave it on the machine for good."""


def leave(_: Json) -> Json:
    """List the tools as the last thing this process does."""
    raise LastAnswer({"tools": [ECHO]})


def start_child(*, deaf: bool) -> None:
    """Start the child. It inherits what it ignores, also across `exec`."""
    signals = (signal.SIGTERM, signal.SIGINT, signal.SIGHUP) if deaf else ()
    before = [(name, signal.signal(name, signal.SIG_IGN)) for name in signals]
    child = subprocess.Popen(["sleep", str(LAST_RESORT_SECONDS)])
    for name, handler in before:
        signal.signal(name, handler)
    note_process(child.pid)


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--deaf", action="store_true")
    parser.add_argument("--leave", action="store_true")
    options = parser.parse_args()
    start_child(deaf=options.deaf)
    serve({"tools/list": leave} if options.leave else {})
