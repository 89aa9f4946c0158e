"""Reads that are tried once more where a server had forgotten who we are: restarted, or tired of our session."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import TypeVar

from mcp_host.host.live_server import LiveServer

T = TypeVar("T")


async def once_more(live: Callable[[], Awaitable[LiveServer]], attempt: Callable[[LiveServer], Awaitable[T]]) -> T:
    """What the attempt gives. For reads only: an effect is never tried twice, whatever the server says.

    It is tried again, on a new connection, where the server refused the first time because it does not know the session
    (any more), so that nothing was carried out (specification 2025-11-25, "Session Management").

    Raises:
        ProblemError: See the attempt.
    """
    first = await live()
    from mcp_host.protocol.errors import RequestFailed  # a live server has paid for the import already

    try:
        return await attempt(first)
    except RequestFailed as failure:
        if not failure.ended or (failure.sent and not failure.answered):
            raise
    return await attempt(await live())
