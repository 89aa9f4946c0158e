"""The subscriptions of a legacy server: one request for each resource that is watched, one when it no longer is."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING, Final

from mcp_host.protocol.errors import METHOD_NOT_FOUND, RequestFailed
from mcp_host.protocol.watched import Watched, first_of

if TYPE_CHECKING:
    from mcp_host.protocol.connection import Connection

logger = logging.getLogger(__name__)

SUBSCRIBE_SECONDS: Final = 30.0
"""For one request. Nobody waits for it."""
_SUBSCRIBE: Final = "resources/subscribe"
_UNSUBSCRIBE: Final = "resources/unsubscribe"


async def keep_subscribed(connection: Connection, watched: Watched) -> None:
    """The server is asked to tell the changes of what is watched, one resource after the other. Ends with the
    connection, or when the server turns out not to know these requests."""
    asked: dict[str, bool] = {}  # what the server was asked to tell, and whether it does
    while not connection.ended.is_set():
        change = watched.change()
        step = _next_step(asked, watched)
        if step is None:
            await first_of(change, connection.ended)
            continue
        method, uri = step
        try:
            await connection.request(
                method, {"uri": uri}, doing="subscribing to a resource", timeout_seconds=SUBSCRIBE_SECONDS
            )
            asked[uri] = True
        except RequestFailed as failure:
            if failure.code == METHOD_NOT_FOUND:
                logger.info("%s declares subscriptions and does not know %s", connection.alias, method)
                return
            # Not tried again while it is watched: all that is lost is to be told of its changes.
            asked[uri] = False
        if method == _UNSUBSCRIBE:
            del asked[uri]


def _next_step(asked: dict[str, bool], watched: Watched) -> tuple[str, str] | None:
    for uri, is_told in tuple(asked.items()):
        if uri not in watched.uris:
            if is_told:
                return _UNSUBSCRIBE, uri
            del asked[uri]
    return next(((_SUBSCRIBE, uri) for uri in reversed(watched.uris) if uri not in asked), None)
