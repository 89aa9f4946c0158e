"""A server that answers, but takes no hint to leave: not the end of its input, not SIGTERM, SIGINT or SIGHUP."""

from __future__ import annotations

import signal
import time

from wire import serve

LAST_RESORT_SECONDS = 600
"""It leaves after this by itself, so that a failing test does not leave it on the machine for good."""

if __name__ == "__main__":
    for name in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
        signal.signal(name, signal.SIG_IGN)
    serve()
    time.sleep(LAST_RESORT_SECONDS)
