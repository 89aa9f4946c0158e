"""The session's ends of a wire, where they do more than hand a message on."""

from __future__ import annotations

import contextvars
from collections.abc import Generator
from contextlib import contextmanager
from typing import Final

import anyio
import mcp_types
from anyio.abc import AsyncResource
from anyio.streams.memory import MemoryObjectSendStream
from mcp.client._transport import ReadStream, WriteStream
from mcp.shared.message import SessionMessage

from mcp_host.protocol.transports.faults import WireFault, fault_data, trusted_error
from mcp_host.protocol.transports.messages import encode_message

UNREAD_ANSWERS: Final = 200
"""Far more requests than an honest server has open at once, and a few hundred kilobytes of ours."""

_BROKEN_OFF: Final = ("SSE stream ended", "SSE stream failed")
"""The SDK's words for an event stream that broke off before the answer; a server's own -32000 has others."""


class UnreadAnswers:
    """Our answers that wait until the server reads them, and the end of our own reading while they are too many.

    A server that floods us with requests and reads nothing would have us hold an answer to each. Only answers count:
    with our own requests among them, an honest server that is busy writing could be stopped from ever reading on.
    """

    def __init__(self, limit: int = UNREAD_ANSWERS) -> None:
        self.told = False
        """Whether somebody has said so in the log."""
        self.waiting = 0
        self._limit = limit
        self._room = anyio.Event()
        self._given_up = False

    @property
    def too_many(self) -> bool:
        return self.waiting >= self._limit and not self._given_up

    @contextmanager
    def counted(self, message: mcp_types.JSONRPCMessage) -> Generator[None, None, None]:
        """Around the sending of a message."""
        if not isinstance(message, mcp_types.JSONRPCResponse | mcp_types.JSONRPCError):
            yield
            return
        self.waiting += 1
        try:
            yield
        finally:
            self.waiting -= 1
            if not self.too_many:
                self._room.set()

    async def wait_for_room(self) -> None:
        """Returns when fewer than the limit wait. Not bounded: the connection's end gives it up."""
        while self.too_many:
            self._room = anyio.Event()
            await self._room.wait()

    def give_up(self) -> None:
        """The connection is over: nothing waits for room any more."""
        self._given_up = True
        self._room.set()


class LineWriter(AsyncResource):
    """Makes lines: encodes in the caller's task, where a fault is that call's alone."""

    def __init__(self, inner: MemoryObjectSendStream[bytes], unread: UnreadAnswers) -> None:
        self._inner = inner
        self._unread = unread

    async def send(self, item: SessionMessage, /) -> None:
        with self._unread.counted(item.message):
            await self._inner.send(encode_message(item.message) + b"\n")

    async def aclose(self) -> None:
        self._inner.close()


class CheckingWriter(AsyncResource):
    """Refuses what cannot be encoded before the SDK's HTTP client meets it, where it would end every other call."""

    def __init__(self, inner: WriteStream[SessionMessage], unread: UnreadAnswers) -> None:
        self._inner = inner
        self._unread = unread

    async def send(self, item: SessionMessage, /) -> None:
        encode_message(item.message)
        with self._unread.counted(item.message):
            await self._inner.send(item)

    async def aclose(self) -> None:
        await self._inner.aclose()


class TrustingReader(AsyncResource):
    """Hands messages on with the faults that the guard made, and without those that a server claims.

    Nothing is read from a server that asks and asks while too many of our answers wait.
    """

    def __init__(self, inner: ReadStream[SessionMessage | Exception], unread: UnreadAnswers) -> None:
        self._inner = inner
        self._unread = unread

    @property
    def last_context(self) -> contextvars.Context | None:
        """The sender's context of the last message, which the SDK's dispatcher looks for."""
        return getattr(self._inner, "last_context", None)

    async def receive(self) -> SessionMessage | Exception:
        await self._unread.wait_for_room()
        item = await self._inner.receive()
        if isinstance(item, SessionMessage) and isinstance(item.message, mcp_types.JSONRPCError):
            error = trusted_error(item.message.error)
            if error.code == mcp_types.CONNECTION_CLOSED and error.message.startswith(_BROKEN_OFF):
                error.data = fault_data(WireFault(fault="read", sent=True))
            item.message.error = error
        return item

    async def aclose(self) -> None:
        await self._inner.aclose()

    def __aiter__(self) -> TrustingReader:
        return self

    async def __anext__(self) -> SessionMessage | Exception:
        try:
            return await self.receive()
        except anyio.EndOfStream:
            raise StopAsyncIteration from None
