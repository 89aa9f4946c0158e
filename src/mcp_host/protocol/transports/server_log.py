"""The log file of one server: what it wrote on stderr and what the host remarks about it, within a fixed size.

Holds no more than one unfinished line and the last few lines in memory. A disk that fails costs the log, never the
server: its stderr must be read on, or the server blocks.
"""

from __future__ import annotations

import os
import re
from collections import deque
from collections.abc import Callable
from datetime import datetime
from pathlib import Path
from typing import Final

LOG_CAP_BYTES: Final = 4 * 1024 * 1024
"""When the file is moved to `.log.1`: two files of 4 MiB hold days of ordinary chatter, and a flood costs 8 MiB."""
TAIL_LINES: Final = 40
"""Enough for a traceback, which is what a connection problem needs to show."""
TAIL_LINE_CHARS: Final = 500
LINE_CAP_BYTES: Final = 16 * 1024
"""Of an endless line, as much as this is kept; the rest is counted and dropped."""
REDACTION_MARGIN_BYTES: Final = 4 * 1024
"""Read over the cap before redacting, so that a secret that lies across the cut is seen whole."""

_CONTROL: Final = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f]")


class ServerLog:
    """Writes `<folder>/<alias>.log`, readable by its owner alone, and remembers the tail of stderr."""

    def __init__(
        self, folder: Path, alias: str, *, clock: Callable[[], datetime], redact: Callable[[str], str]
    ) -> None:
        self.path = folder / f"{alias}.log"
        self._clock = clock
        self._redact = redact
        self._tail: deque[str] = deque(maxlen=TAIL_LINES)
        self._unfinished = bytearray()
        self._dropped_bytes = 0
        self._file: int | None = None
        self._broken = False

    @property
    def tail(self) -> tuple[str, ...]:
        """The last lines of stderr, redacted and escaped, an unfinished one included."""
        unfinished = self._printable(bytes(self._unfinished)).split("\n") if self._unfinished else []
        return (*self._tail, *(line[:TAIL_LINE_CHARS] for line in unfinished))[-TAIL_LINES:]

    def write_stderr(self, data: bytes) -> None:
        """The finished lines of `data` are in the file; the unfinished one is kept for the next call."""
        finished, newline, rest = data.rpartition(b"\n")
        if newline:
            self._finish(finished)
        self._keep(rest)

    def note(self, text: str, *, limit: int | None = None) -> None:
        """The remark is in the file, each of its lines marked as the host's.

        `limit` cuts it to so many characters after redacting: whoever cuts before may leave half a secret. Where a cut
        must come first, hand over `REDACTION_MARGIN_BYTES` more than the limit.
        """
        moment = self._clock().isoformat(timespec="seconds")
        lines = self._printable(text.encode("utf-8", "replace"))[:limit].split("\n")
        self._append("".join(f"{moment} [host] {line}\n" for line in lines))

    def flush(self) -> None:
        """What stderr ended with is in the file even if it lacked an LF: the server is gone, no more will come."""
        if self._unfinished:
            self._finish(b"")

    def close(self) -> None:
        """The file is closed. Later writes open it again."""
        self.flush()
        self._let_go()

    def _finish(self, finished: bytes) -> None:
        """Writes whole chunks rather than lines: a flood must cost the loop as little as it can."""
        if self._unfinished:
            end_of_line, newline, others = finished.partition(b"\n")
            self._keep(end_of_line)
            text = self._take_unfinished() + (self._printable(others) + "\n" if newline else "")
        else:
            text = self._printable(finished) + "\n"
        self._append(text)
        # At most one chunk's worth of text is split, and of a chunk only the last lines matter.
        for line in text.removesuffix("\n").rsplit("\n", TAIL_LINES)[-TAIL_LINES:]:
            self._tail.append(line[:TAIL_LINE_CHARS])

    def _keep(self, part: bytes) -> None:
        room = LINE_CAP_BYTES + REDACTION_MARGIN_BYTES - len(self._unfinished)
        self._unfinished += part[:room]
        self._dropped_bytes += max(0, len(part) - room)

    def _take_unfinished(self) -> str:
        line, self._unfinished = bytes(self._unfinished), bytearray()
        dropped, self._dropped_bytes = self._dropped_bytes, 0
        text = self._printable(line)
        return f"{text[:LINE_CAP_BYTES]} [host: {dropped} bytes more, dropped]\n" if dropped else f"{text}\n"

    def _printable(self, data: bytes) -> str:
        text = self._redact(data.removesuffix(b"\r").decode("utf-8", "replace"))
        text = text.replace("\r\n", "\n").replace("\r", "\n")  # a progress bar redraws one line for ever
        return _CONTROL.sub(_escaped, text)

    def _append(self, text: str) -> None:
        if self._broken:
            return
        try:
            data = text.encode("utf-8", "replace")
            file = self._file_for(len(data))
            while data:
                data = data[os.write(file, data) :]
        except OSError:
            self._broken = True  # a full or read-only disk: said by the missing file, not by a dead server

    def _file_for(self, more_bytes: int) -> int:
        """The open file, after moving a full one aside. Moved aside or deleted by others, it is made anew."""
        if self._file is not None and not self._is_current(self._file):
            self._let_go()
        file = self._opened()
        size = os.fstat(file).st_size
        if size and size + more_bytes > LOG_CAP_BYTES:
            os.replace(self.path, self.path.with_name(self.path.name + ".1"))
            self._let_go()
            file = self._opened()
        return file

    def _opened(self) -> int:
        if self._file is not None:
            return self._file
        self.path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        flags = os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC
        file = os.open(self.path, flags, 0o600)
        os.fchmod(file, 0o600)  # one left over from elsewhere may be open to others
        self._file = file
        return file

    def _let_go(self) -> None:
        if self._file is not None:
            os.close(self._file)
            self._file = None

    def _is_current(self, file: int) -> bool:
        try:
            return os.path.samestat(os.stat(self.path), os.fstat(file))
        except FileNotFoundError:
            return False


def _escaped(found: re.Match[str]) -> str:
    code = ord(found.group())
    if code == 0x7F:
        return "^?"
    return f"^{chr(code + 0x40)}" if code < 0x20 else f"<{code:02x}>"
