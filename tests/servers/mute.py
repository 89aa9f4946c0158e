"""A server that reads and never answers: a host stays in the middle of connecting to it."""

from __future__ import annotations

import os
import sys

from wire import note_process

if __name__ == "__main__":
    note_process(os.getpid())
    for _ in sys.stdin.buffer:
        pass
