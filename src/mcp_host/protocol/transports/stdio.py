"""The stream pair over a server process's pipes, and the reason it ended.

Owns the tasks at the three pipes, and the stop of the process when the context is left. The process itself was started
before (`process.py`). Lines that are no message cost a note in the server's log, and a server that asks and asks but
reads no answers is not read any further; only an endless line, a closed pipe or the process's own end close the
connection, and then every call waiting on it ends at once.
"""

from __future__ import annotations

from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager, suppress
from dataclasses import dataclass
from types import TracebackType
from typing import Final, Literal

import anyio
from mcp.client._transport import TransportStreams
from mcp.shared.message import SessionMessage

from mcp_host.protocol.transports.lines import LINE_CAP_BYTES, LineSplitter, LineTooLong
from mcp_host.protocol.transports.messages import parse_line
from mcp_host.protocol.transports.process import ServerProcess
from mcp_host.protocol.transports.server_log import REDACTION_MARGIN_BYTES, ServerLog
from mcp_host.protocol.transports.streams import LineWriter, UnreadAnswers

FLUSH_SECONDS: Final = 0.1
"""For the last accepted message (a cancellation, an answer) to reach a server that still reads."""
DRAIN_SECONDS: Final = 0.4
"""After the process's end, for what it last wrote to be read. Calls that wait must end within a second."""
LAST_WORDS_SECONDS: Final = 0.1
"""After the group's end, for the rest of its stderr; only a survivor outside the group runs this out."""
CHUNK_BYTES: Final = 256 * 1024
JUNK_NOTES: Final = 20
"""Ignored lines that are quoted in the log; the rest are only counted."""
JUNK_CHARS: Final = 200
JUNK_WORDS: Final = "ignored a line that is no message: "

_PIPE_GONE: Final = (anyio.EndOfStream, anyio.ClosedResourceError, anyio.BrokenResourceError, OSError)


@dataclass(frozen=True, kw_only=True)
class EndReason:
    """Why a connection over stdio is over."""

    kind: Literal["exited", "line-too-long", "stdin-broken", "stopped"]
    detail: str
    """One sentence for people."""
    exit_words: str | None = None
    """How the process ended; None where it was still running when the connection ended."""
    stderr_tail: tuple[str, ...] = ()


def stdio_transport(process: ServerProcess, log: ServerLog, *, line_cap_bytes: int = LINE_CAP_BYTES) -> StdioTransport:
    """A context manager that yields the stream pair and, when left, has stopped the process. To be entered once."""
    return StdioTransport(process, log, line_cap_bytes=line_cap_bytes)


class StdioTransport(AbstractAsyncContextManager[TransportStreams]):
    """One connection over one process's pipes."""

    def __init__(self, process: ServerProcess, log: ServerLog, *, line_cap_bytes: int) -> None:
        self.ended = anyio.Event()
        """Set when no message can come or go any more; `reason` is then known."""
        self.reason: EndReason | None = None
        self.ignored_lines = 0
        """Lines on stdout that were no messages."""
        self._process = process
        self._log = log
        self._splitter = LineSplitter(line_cap_bytes)
        self._stdout_done = anyio.Event()
        self._stderr_done = anyio.Event()
        self._stdin_done = anyio.Event()
        self._unread = UnreadAnswers()
        self._pipe_scopes: list[anyio.CancelScope] = []
        self._context = self._opened()

    async def __aenter__(self) -> TransportStreams:
        return await self._context.__aenter__()

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> bool | None:
        return await self._context.__aexit__(kind, error, traceback)

    @asynccontextmanager
    async def _opened(self) -> AsyncGenerator[TransportStreams, None]:
        # No buffer: a session that does not read holds the server back, as a pipe would.
        self._to_session, from_server = anyio.create_memory_object_stream[SessionMessage | Exception](0)
        to_server, self._from_session = anyio.create_memory_object_stream[bytes](0)
        failure: Exception | None = None
        with self._to_session, from_server, to_server, self._from_session:
            async with anyio.create_task_group() as tasks:
                for task in (self._read_stdout, self._read_stderr, self._write_stdin, self._watch_exit):
                    tasks.start_soon(self._outlive_cancellation, task)
                try:
                    yield from_server, LineWriter(to_server, self._unread)
                except Exception as error:  # boundary: carried past the task group, which would wrap it in a group
                    failure = error
                finally:
                    with anyio.CancelScope(shield=True):
                        self._end("stopped", "The host closed the connection.")
                        # The order matters: a server stuck on a full stdout reads no stdin, so delivering must turn
                        # into draining (by the closed stream) before the last message can be flushed.
                        from_server.close()
                        to_server.close()
                        await self._shut_down()
                    tasks.cancel_scope.cancel()
        if failure is not None:
            raise failure

    async def _outlive_cancellation(self, task: Callable[[], Awaitable[None]]) -> None:
        """A cancelled caller must not take the reader away from a server that has yet to finish writing and leave."""
        with anyio.CancelScope(shield=True) as scope:
            self._pipe_scopes.append(scope)
            await task()

    async def _shut_down(self) -> None:
        with anyio.move_on_after(FLUSH_SECONDS):
            await self._stdin_done.wait()
        await self._process.end_group()
        with anyio.move_on_after(LAST_WORDS_SECONDS):
            await self._stdout_done.wait()
            await self._stderr_done.wait()
        await self._process.stop()
        for scope in self._pipe_scopes:
            scope.cancel()
        if self.ignored_lines > JUNK_NOTES:
            self._log.note(f"{self.ignored_lines} lines on stdout were ignored in all")
        self._log.flush()

    async def _read_stdout(self) -> None:
        try:
            await self._deliver_lines()
        except LineTooLong as error:
            # Killed at once: reading on only to throw it away would cost as much as the flood itself.
            self._process.kill()
            self._end("line-too-long", f"The server wrote a line of more than {error.cap_bytes} bytes.")
        finally:
            self._stdout_done.set()
        with anyio.move_on_after(DRAIN_SECONDS):
            await self._process.wait_exited()
            return  # `_watch_exit` knows more to say
        self._end("exited", "The server closed its output and went on running.")

    async def _deliver_lines(self) -> None:
        with suppress(*_PIPE_GONE):
            while True:
                for line in self._splitter.feed(await self._process.stdout.receive(CHUNK_BYTES)):
                    await self._deliver(line)
        await self._deliver(self._splitter.take_rest())

    async def _deliver(self, line: bytes | bytearray) -> None:
        if not line.strip():
            return
        if self._unread.too_many and not self._unread.told:
            self._unread.told = True
            self._log.note("the server reads no answers to its own requests: nothing is read from it until it does")
        await self._unread.wait_for_room()
        if self.reason is not None:
            return  # draining
        message = parse_line(line)
        if message is None:
            self._ignore(line)
            return
        with suppress(anyio.ClosedResourceError, anyio.BrokenResourceError):
            await self._to_session.send(SessionMessage(message))

    def _ignore(self, line: bytes | bytearray) -> None:
        self.ignored_lines += 1
        if self.ignored_lines > JUNK_NOTES:
            return
        words = bytes(line[: JUNK_CHARS * 4 + REDACTION_MARGIN_BYTES]).decode("utf-8", "backslashreplace")
        self._log.note(JUNK_WORDS + words, limit=len(JUNK_WORDS) + JUNK_CHARS)
        if self.ignored_lines == 1:
            self._log.note("the server prints to stdout, which is for messages alone; its remarks belong on stderr")

    async def _read_stderr(self) -> None:
        try:
            with suppress(*_PIPE_GONE):
                while True:
                    self._log.write_stderr(await self._process.stderr.receive(CHUNK_BYTES))
        finally:
            self._stderr_done.set()

    async def _write_stdin(self) -> None:
        try:
            async for line in self._from_session:
                await self._process.stdin.send(line)
        except _PIPE_GONE:
            # Mostly the first sign of the process's death: let that be told, with what it last wrote.
            with anyio.move_on_after(DRAIN_SECONDS):
                await self._process.wait_exited()
                return
            self._end("stdin-broken", "The server closed its input.")
        finally:
            self._stdin_done.set()

    async def _watch_exit(self) -> None:
        await self._process.wait_exited()
        # The connection is over. A child left behind would hold the pipes open and keep the waiting calls waiting.
        self._process.kill()
        with anyio.move_on_after(DRAIN_SECONDS):
            await self._stdout_done.wait()
            await self._stderr_done.wait()
        self._end("exited", f"The server process ended: {self._process.exit_words}.")

    def _end(self, kind: Literal["exited", "line-too-long", "stdin-broken", "stopped"], detail: str) -> None:
        """The first reason stands. It is known before the session sees the end, so that a failed call can tell it."""
        if self.reason is not None:
            return
        self.reason = EndReason(
            kind=kind, detail=detail, exit_words=self._process.exit_words, stderr_tail=self._log.tail
        )
        self._to_session.close()
        self._unread.give_up()
        if kind != "stopped":  # else the last message is still to be flushed
            self._log.note(detail)
            self._from_session.close()
        self.ended.set()
