"""Our end of a wire while it is open: the task that reads it, and what is heard on it, handed on in its order.

The SDK's own client session reads whole answers into its types, and refuses one for a single odd part. This one hands
everything on as it came and keeps no state of the protocol: that is in `connection.py`.
"""

from __future__ import annotations

from collections.abc import AsyncGenerator, Callable, Mapping
from contextlib import asynccontextmanager
from typing import Any, TypeAlias

import anyio
from anyio.abc import TaskGroup
from mcp.shared.dispatcher import DispatchContext, Dispatcher, OnRequest
from mcp.shared.transport_context import TransportContext

from mcp_host.protocol.errors import log_fault

NotificationHandler: TypeAlias = Callable[[Mapping[str, Any]], None]
"""Gets the params of a notification, an empty object where it had none. Must not wait."""


class Notifications:
    """Who hears what a server says unasked."""

    def __init__(self) -> None:
        self._handlers: dict[str, list[NotificationHandler]] = {}

    def listen(self, method: str, handler: NotificationHandler) -> Callable[[], None]:
        """The handler is called with each notification of this method from now on, until what is returned is called."""
        handlers = self._handlers.setdefault(method, [])
        handlers.append(handler)

        def undo() -> None:
            if handler in handlers:
                handlers.remove(handler)

        return undo

    def hear(self, method: str, params: Mapping[str, Any] | None) -> bool:
        """The handlers of the method have been called. Always true: nothing is left for anybody else."""
        for handler in tuple(self._handlers.get(method, ())):
            try:
                handler(params or {})
            except Exception as error:  # boundary: one that fails must not keep the notification from the others
                log_fault(error, f"in a handler of {method}")
        return True


@asynccontextmanager
async def open_session(
    dispatcher: Dispatcher[TransportContext], notifications: Notifications, answer: OnRequest
) -> AsyncGenerator[TaskGroup]:
    """The wire is read until the context is left, which waits for nothing. Yields the group that the reader runs in.

    When the other side closes the wire, the requests that wait end with an error and the group goes on.

    Args:
        answer: Answers the server's own requests, each in a task of its own.
    """
    async with anyio.create_task_group() as tasks:
        await tasks.start(dispatcher.run, answer, _nothing_left, notifications.hear)
        try:
            yield tasks
        finally:
            tasks.cancel_scope.cancel()


async def _nothing_left(
    _context: DispatchContext[TransportContext], _method: str, _params: Mapping[str, Any] | None
) -> None:
    """Never called: `Notifications.hear` takes everything, in the order in which it came."""
