"""The host's side of the guard: a small process that outlives the host by a moment and kills what it leaves behind.

It is started with the first server, told of every process group, and started again with all of them should it be gone.
Not thread-safe: whoever keeps the groups holds a lock.
"""

from __future__ import annotations

import logging
import os
import subprocess
import sys
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path
from typing import Final

logger = logging.getLogger(__name__)

KILLED_SECONDS: Final = 0.5
"""For a guard that is replaced to die. Only one that is stuck in the kernel runs this out."""

_SCRIPT: Final = Path(__file__).with_name("guard_process.py")


class Guard:
    """Tells the guard process of groups."""

    def __init__(self) -> None:
        self._process: subprocess.Popen[bytes] | None = None
        self._told: set[int] = set()

    @property
    def pid(self) -> int | None:
        """The guard process, None where none was needed yet."""
        return self._process.pid if self._process is not None else None

    def begin(self) -> None:
        """A guard runs. To be called before a server is started: between its start and `add` nothing must wait."""
        if self._process is None or self._process.poll() is not None:
            self._start()

    def add(self, groups: Iterable[int]) -> None:
        """The groups are killed when this process ends."""
        for group in groups:
            self._told.add(group)
            self._tell(f"+{group}\n")

    def drop(self, group: int) -> None:
        """The group is gone, and its number may soon be a stranger's."""
        if group in self._told:
            self._told.discard(group)
            self._tell(f"-{group}\n")

    def close(self) -> None:
        """The guard does as if this process had ended."""
        if self._process is not None and self._process.stdin is not None:
            self._process.stdin.close()
            self._process.wait()
        self._process = None

    def _tell(self, line: str) -> None:
        if self._process is None or not self._write(line):
            self._start()  # which tells of all

    def _write(self, line: str) -> bool:
        assert self._process is not None
        assert self._process.stdin is not None
        try:
            os.write(self._process.stdin.fileno(), line.encode("ascii"))
        except OSError:  # it is gone, or was stopped for so long that the pipe is full
            return False
        return True

    def _start(self) -> None:
        if self._process is not None:
            assert self._process.stdin is not None
            # Killed first: one that was only stopped would take the end of its stdin for ours.
            self._process.kill()
            self._process.stdin.close()
            with suppress(subprocess.TimeoutExpired):
                self._process.wait(KILLED_SECONDS)
        try:
            self._process = subprocess.Popen(
                [sys.executable, "-I", "-S", str(_SCRIPT)],
                bufsize=0,
                stdin=subprocess.PIPE,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                cwd="/",
                env={},
                start_new_session=True,
            )
        except OSError as error:
            self._process = None
            logger.warning("no guard could be started (%s): a host that is killed may leave servers", error.strerror)
            return
        assert self._process.stdin is not None
        os.set_blocking(self._process.stdin.fileno(), False)
        for group in sorted(self._told):
            self._write(f"+{group}\n")
