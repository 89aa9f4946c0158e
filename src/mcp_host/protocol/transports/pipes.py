"""The two ends of a process's pipes, read and written without a thread and without a copy of what passes."""

from __future__ import annotations

import os
from contextlib import suppress
from typing import IO

import anyio
from anyio.abc import AsyncResource


class _PipeEnd(AsyncResource):
    def __init__(self, file: IO[bytes]) -> None:
        self._file = file
        os.set_blocking(file.fileno(), False)

    async def aclose(self) -> None:
        """Whoever waits for this end is told (`anyio.ClosedResourceError`). Safe to call twice."""
        if not self._file.closed:
            anyio.notify_closing(self._file)
            with suppress(OSError):  # nothing is left to be written; the descriptor is closed all the same
                self._file.close()

    def _descriptor(self) -> int:
        if self._file.closed:
            raise anyio.ClosedResourceError
        return self._file.fileno()


class PipeReader(_PipeEnd):
    """The end that is read."""

    async def receive(self, max_bytes: int = 65536) -> bytes:
        """The next bytes, at least one.

        Raises:
            anyio.EndOfStream: No process holds the other end any more.
            anyio.ClosedResourceError: This end was closed.
        """
        await anyio.lowlevel.checkpoint_if_cancelled()
        waited = False
        while True:
            try:
                chunk = os.read(self._descriptor(), max_bytes)
            except BlockingIOError:
                await anyio.wait_readable(self._descriptor())
                waited = True
                continue
            if not chunk:
                raise anyio.EndOfStream
            if not waited:  # a server that never stops writing must not keep everybody else from their turn
                await anyio.lowlevel.cancel_shielded_checkpoint()
            return chunk


class PipeWriter(_PipeEnd):
    """The end that is written."""

    async def send(self, item: bytes) -> None:
        """Everything has been taken by the pipe.

        Raises:
            anyio.BrokenResourceError: No process holds the other end any more.
            anyio.ClosedResourceError: This end was closed.
        """
        await anyio.lowlevel.checkpoint_if_cancelled()
        left = memoryview(item)
        while left:
            try:
                left = left[os.write(self._descriptor(), left) :]
            except BlockingIOError:
                await anyio.wait_writable(self._descriptor())
            except BrokenPipeError as error:
                raise anyio.BrokenResourceError from error
        await anyio.lowlevel.cancel_shielded_checkpoint()
