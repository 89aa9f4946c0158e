"""What a server tells unasked, kept up for as long as the connection stands: lists, resources and tasks that change.

A modern server is listened to by one `subscriptions/listen` at a time, a legacy one gets a `resources/subscribe` for
each resource and tells the changes of its lists by itself. What is told reaches our side through the connection's
notifications, whichever way it was asked for. Nothing that fails in here ends the connection: the worst is that a
change is seen late.
"""

from __future__ import annotations

import logging
from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING

from mcp_host.core.subscriptions import ListenFilter, ListenPace, listenable
from mcp_host.protocol.listen_keeper import ListenKeeper
from mcp_host.protocol.offering import offers_tasks
from mcp_host.protocol.resource_subscriptions import keep_subscribed
from mcp_host.protocol.watched import Watched

if TYPE_CHECKING:
    from mcp_host.protocol.connection import Connection

logger = logging.getLogger(__name__)


class Listening:
    """The subscriptions of one connection."""

    def __init__(self, connection: Connection, *, pace: ListenPace | None = None) -> None:
        self._connection = connection
        self._listenable = listenable(connection.identity.capabilities, tasks_offered=offers_tasks(connection.envelope))
        self._watched = Watched()
        self._keeper = ListenKeeper(connection, self._listenable, self._watched, pace or ListenPace())

    @property
    def honoured(self) -> ListenFilter:
        """What a modern server agreed to tell on the stream that is open now."""
        return self._keeper.honoured

    @property
    def refused(self) -> ListenFilter:
        """What was asked for on that stream and not agreed to."""
        return self._keeper.refused

    @property
    def watched_resources(self) -> tuple[str, ...]:
        """The resources whose changes are of interest, the newest last."""
        return tuple(self._watched.uris)

    def start(self) -> None:
        """From here on changes are listened for, until the connection is closed. Does nothing where none are told."""
        connection = self._connection
        if connection.identity.era == "modern":
            if self._listenable.is_anything:
                connection.tasks.start_soon(self._guarded, self._keeper.run)
        elif self._listenable.resources:
            connection.tasks.start_soon(self._guarded, lambda: keep_subscribed(connection, self._watched))

    def watch_resource(self, uri: str) -> None:
        """Changes of this resource are told from soon on. To be called before it is read."""
        self._watched.add(self._watched.uris, uri)

    def forget_resource(self, uri: str) -> None:
        """Changes of this resource are of no more interest."""
        self._watched.drop(self._watched.uris, uri)

    def watch_task(self, task_id: str) -> None:
        """The states of this task are told as `notifications/tasks` from soon on, where the server does that."""
        self._watched.add(self._watched.task_ids, task_id)

    def forget_task(self, task_id: str) -> None:
        """The task is over."""
        self._watched.drop(self._watched.task_ids, task_id)

    async def _guarded(self, keep: Callable[[], Awaitable[None]]) -> None:
        try:
            await keep()
        except Exception:  # boundary: what is raised in the connection's group would close the connection
            logger.exception("listening to %s failed", self._connection.alias)
