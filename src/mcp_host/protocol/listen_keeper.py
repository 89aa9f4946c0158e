"""Keeps one `subscriptions/listen` open whose filter is what is watched now.

Another filter needs another stream. The new one is asked for while the old one stands, and takes its place when the
server has agreed: nothing is lost between them, and what is told twice does no harm, because a change only says "look
again". Where there was a gap, everything counts as changed.
"""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING, Final

import anyio

from mcp_host.core.subscriptions import Listenable, ListenFilter, ListenPace
from mcp_host.protocol.errors import METHOD_NOT_FOUND
from mcp_host.protocol.listen_streams import ListenStream, ListenStreams
from mcp_host.protocol.watched import Watched, first_of

if TYPE_CHECKING:
    from mcp_host.protocol.connection import Connection

logger = logging.getLogger(__name__)

PATIENCE: Final = 5
"""Failures in a row after which a server that never agreed to anything is not asked again for the same."""
_DEFINITE: Final = frozenset({-32600, -32602, -32021})
"""Codes with which a server says no to this very filter: invalid, or a capability that it misses."""


class ListenKeeper:
    """The one current stream of a connection."""

    def __init__(self, connection: Connection, listenable: Listenable, watched: Watched, pace: ListenPace) -> None:
        self._connection = connection
        self._listenable = listenable
        self._watched = watched
        self._pace = pace
        self._streams = ListenStreams(connection)
        self._current: ListenStream | None = None
        self._failures = 0
        self._left_out = ListenFilter()
        """The resources and tasks, of those that are watched, for which the server has refused to open a stream."""
        self._has_missed = False
        """Something may have been told while nobody listened."""

    @property
    def honoured(self) -> ListenFilter:
        """What the server agreed to tell on the stream that is open; nothing while there is none."""
        current = self._current
        return current.honoured if current is not None and not current.ended.is_set() else ListenFilter()

    @property
    def refused(self) -> ListenFilter:
        """What was asked for on the current stream and not agreed to."""
        current = self._current
        return current.wanted.without(current.honoured) if current is not None else ListenFilter()

    async def run(self) -> None:
        """Changes are listened for until the connection ends, or until the server turns out not to know how."""
        self._streams.hear()
        while not self._connection.ended.is_set():
            wanted = await self._next_filter()
            if wanted.is_empty:
                self._end_current()
                continue
            stream = self._streams.open(wanted)
            with anyio.move_on_after(self._pace.acknowledge_seconds):
                await stream.settled.wait()
            if stream.acknowledged_at is not None:
                self._adopt(stream)
                continue
            stream.end()
            if not await self._may_try_again(stream):
                return

    async def _next_filter(self) -> ListenFilter:
        """Returns when another stream is needed, with what it is for; an empty one where none is needed any more."""
        while not self._connection.ended.is_set():
            change = self._watched.change()
            current, wanted = self._current, self._wanted()
            if current is None:
                if not wanted.is_empty:
                    return wanted
                await first_of(change, self._connection.ended)
            elif current.ended.is_set():
                await self._bear_loss(current)
            elif wanted == current.wanted:
                await first_of(change, current.ended, self._connection.ended)
            else:
                # At once: a change of what is watched newly is told only when the server has agreed to it. Whatever
                # else changes meanwhile goes together into the next one.
                return wanted
        return ListenFilter()

    def _adopt(self, stream: ListenStream) -> None:
        if self._current is not None and self._current.ended.is_set():
            self._has_missed = True
        elif self._current is not None:
            self._failures = 0
        self._end_current()
        self._current = stream
        if not (refused := self.refused).is_empty:
            parts = (refused.lists, refused.uris, refused.task_ids)
            words = "%s does not tell all that was asked for: %d kinds of lists, %d resources, %d tasks less"
            logger.info(words, self._connection.alias, *map(len, parts))
        if self._has_missed:
            self._has_missed = False
            self._catch_up()

    def _catch_up(self) -> None:
        for kind in sorted(self._listenable.lists):
            self._connection.note_list_change(kind)
        for uri in tuple(self._watched.uris):
            self._connection.side.on_resource_updated(uri)

    def _end_current(self) -> None:
        if self._current is not None:
            self._current.end()
        self._current = None

    async def _bear_loss(self, stream: ListenStream) -> None:
        """The current stream is gone. Returns when another is to be tried: later each time, unless this one had been
        good for long."""
        self._current = None
        self._has_missed = True
        self._failures = 1 if stream.lasted_seconds >= self._pace.lasting_seconds else self._failures + 1
        await anyio.sleep(self._pace.retry_seconds(self._failures))

    async def _may_try_again(self, stream: ListenStream) -> bool:
        """The stream did not come to be. Returns when another is to be tried, or false: never on this connection."""
        failure = stream.failure
        code = failure.code if failure is not None else None
        if code == METHOD_NOT_FOUND:
            logger.info("%s does not know subscriptions/listen", self._connection.alias)
            return False
        if code in _DEFINITE and self._leave_out(stream.wanted):
            return True
        self._failures += 1
        if self._failures > 1 and self._current is not None:
            # It may be one of those that take only one stream at a time.
            self._end_current()
            self._has_missed = True
        if code in _DEFINITE or (self._failures >= PATIENCE and not self._streams.ever_acknowledged):
            change = self._watched.change()
            while self._wanted() == stream.wanted and not self._connection.ended.is_set():
                await first_of(change, self._connection.ended)
                change = self._watched.change()
        else:
            await anyio.sleep(self._pace.retry_seconds(self._failures))
        return True

    def _leave_out(self, refused: ListenFilter) -> bool:
        """One resource that cannot be subscribed to does not cost the others, nor the lists: what this filter has
        beyond the stream that stands, or beyond the lists, is not asked for again while it is watched. False where
        that is nothing."""
        current = self._current
        stands = current is not None and not current.ended.is_set()
        beyond = refused.without(
            current.wanted if current is not None and stands else ListenFilter(lists=refused.lists)
        )
        self._left_out = self._left_out.joined(beyond)
        words = "%s refuses to tell changes of %d resources and %d tasks"
        logger.info(words, self._connection.alias, len(beyond.uris), len(beyond.task_ids))
        return not beyond.is_empty

    def _wanted(self) -> ListenFilter:
        watched = self._listenable.filter_for(uris=self._watched.uris, task_ids=self._watched.task_ids)
        self._left_out = self._left_out.within(watched)
        return watched.without(self._left_out)
