"""The `subscriptions/listen` requests of one connection: each is a stream that is open until its answer comes.

What comes on a stream is heard with all other notifications. Here it is only followed whether one stands: the server's
agreement, its end, and what ended it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final

import anyio

from mcp_host.core.catalog.json_values import as_object
from mcp_host.core.subscriptions import ListenFilter, read_filter
from mcp_host.protocol.errors import RequestFailed, request_failed

if TYPE_CHECKING:
    from mcp_host.protocol.connection import Connection

LISTEN: Final = "subscriptions/listen"
CANCEL_SECONDS: Final = 30.0
"""For a server to take in that a stream is of no more use. Nobody waits for it."""
_SUBSCRIPTION_ID: Final = "io.modelcontextprotocol/subscriptionId"
"""The member of a notification's `_meta` that says on which stream it came: the id of the request that opened it."""


@dataclass(eq=False, kw_only=True)
class ListenStream:
    """One of them."""

    id: str
    wanted: ListenFilter
    honoured: ListenFilter = field(default_factory=ListenFilter)
    """What the server agreed to."""
    acknowledged_at: float | None = None
    """None until it agreed."""
    lasted_seconds: float = 0.0
    """From then to its end."""
    settled: anyio.Event = field(default_factory=anyio.Event)
    """Agreed to, or over."""
    ended: anyio.Event = field(default_factory=anyio.Event)
    failure: RequestFailed | None = None
    """What ended it; None for an end in good order, and one that we made."""
    scope: anyio.CancelScope = field(default_factory=anyio.CancelScope, repr=False)

    def end(self) -> None:
        """The server is told that nobody listens here any more."""
        self.scope.cancel()


class ListenStreams:
    """Opens streams and follows them."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection
        self._open: dict[str, ListenStream] = {}
        self._count = 0
        self.ever_acknowledged = False
        """The server agreed to one of them."""

    def hear(self) -> None:
        """What the server says about the streams is followed. To be called once, before the first is opened."""
        self._connection.on_notification("notifications/subscriptions/acknowledged", self._hear_acknowledged)
        self._connection.on_notification("notifications/cancelled", self._hear_cancelled)

    def open(self, wanted: ListenFilter) -> ListenStream:
        """A stream that has been asked for; it runs in the connection's own group."""
        self._count += 1
        # A text that is no number, so that it is never an id that the dispatcher gives to another request.
        stream = ListenStream(id=f"listen-{self._count}", wanted=wanted)
        self._open[stream.id] = stream
        self._connection.tasks.start_soon(self._run, stream)
        return stream

    async def _run(self, stream: ListenStream) -> None:
        connection = self._connection
        params, options = connection.envelope.seal(LISTEN, {"notifications": stream.wanted.to_wire()})
        options["request_id"] = stream.id
        # We say ourselves when a stream ends. Otherwise closing the connection would first wait for a server that does
        # not read to take that in, although it is about to learn it anyway.
        options["cancel_on_abandon"] = False
        try:
            with stream.scope:
                # Without a deadline: the answer comes when the stream ends, after hours of silence if all is well.
                await connection.dispatcher.send_raw_request(LISTEN, params, options)
        except Exception as error:  # boundary: the SDK lets through whatever its transports raise
            stream.failure = request_failed(
                error, alias=connection.alias, doing="listening for changes", repeatable=True
            )
        finally:
            del self._open[stream.id]
            if stream.acknowledged_at is not None:
                stream.lasted_seconds = anyio.current_time() - stream.acknowledged_at
            stream.ended.set()
            stream.settled.set()
        if stream.scope.cancelled_caught:
            with anyio.move_on_after(CANCEL_SECONDS):
                await connection.notify("notifications/cancelled", {"requestId": stream.id})

    def _hear_acknowledged(self, params: Mapping[str, Any]) -> None:
        stream = self._named((as_object(params.get("_meta")) or {}).get(_SUBSCRIPTION_ID))
        honoured = read_filter(params.get("notifications"))
        if stream is not None and honoured is not None and stream.acknowledged_at is None:
            stream.honoured = honoured
            stream.acknowledged_at = anyio.current_time()
            self.ever_acknowledged = True
            stream.settled.set()

    def _hear_cancelled(self, params: Mapping[str, Any]) -> None:
        # The server tears a stream down, and may leave it at that without an answer.
        stream = self._named(params.get("requestId"))
        if stream is not None:
            stream.end()

    def _named(self, stream_id: object) -> ListenStream | None:
        return self._open.get(stream_id) if isinstance(stream_id, str) else None
