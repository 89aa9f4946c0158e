"""Splits a byte stream into lines, in time linear in its length and within a fixed bound of memory.

Only LF ends a line: U+2028, U+0085 and the like are text inside a JSON string. What a line means is not known here.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

LINE_CAP_BYTES: Final = 64 * 1024 * 1024
"""The longest line taken from a server: a 50 MB result passes, a line without end stops before it fills the memory."""


class LineTooLong(Exception):
    """A line grew over the cap. The lines before it have been delivered; nothing after it can be trusted."""

    def __init__(self, cap_bytes: int) -> None:
        super().__init__(f"a line is longer than {cap_bytes} bytes")
        self.cap_bytes = cap_bytes


class LineSplitter:
    """Takes chunks in, gives lines out; holds at most one unfinished line, never more than the cap."""

    def __init__(self, cap_bytes: int = LINE_CAP_BYTES) -> None:
        self._cap_bytes = cap_bytes
        self._unfinished = bytearray()

    def feed(self, chunk: bytes) -> Iterator[bytes | bytearray]:
        """Yields the lines that `chunk` finishes, without their LF. Exhaust it before the next `feed`.

        The buffer itself is handed out as the line: a copy of a 50 MB line would double what it costs.

        Raises:
            LineTooLong: After the good lines of this chunk. The splitter is then of no more use.
        """
        start = 0
        while (end := chunk.find(b"\n", start)) >= 0:
            self._check(end - start)
            if self._unfinished:
                self._unfinished += memoryview(chunk)[start:end]
                line, self._unfinished = self._unfinished, bytearray()
                yield line
            else:
                yield chunk[start:end]
            start = end + 1
        self._check(len(chunk) - start)
        self._unfinished += memoryview(chunk)[start:]

    def take_rest(self) -> bytes | bytearray:
        """What the stream ended with after its last LF; empty for a tidy stream."""
        rest, self._unfinished = self._unfinished, bytearray()
        return rest

    def _check(self, more_bytes: int) -> None:
        if len(self._unfinished) + more_bytes > self._cap_bytes:
            self._unfinished = bytearray()  # the memory goes at once, not when the connection does
            raise LineTooLong(self._cap_bytes)
