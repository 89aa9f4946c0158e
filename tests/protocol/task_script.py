"""The states of a task as a server that a test plays by hand has them."""

from __future__ import annotations

from typing import Any, Final

import anyio

from tests.protocol.scripted import FORM, Peer

ASKS: Final[dict[str, Any]] = {"method": "elicitation/create", "params": FORM}
DONE: Final[dict[str, Any]] = {"content": [{"type": "text", "text": "done"}], "isError": False}
NEVER_MS: Final = 10**9
"""An interval that no test waits for: the next state is told."""
SOON_MS: Final = 0


def state(status: str = "working", /, task_id: str = "t1", **more: Any) -> dict[str, Any]:
    """A task as the extension's document has it."""
    times = {"createdAt": "2026-11-30T10:00:00Z", "lastUpdatedAt": "2026-11-30T10:00:00Z"}
    return {"taskId": task_id, "status": status, **times, "ttlMs": None, "pollIntervalMs": NEVER_MS, **more}


async def created(peer: Peer, status: str = "working", /, **more: Any) -> dict[str, Any]:
    """The call is answered with a task; what it was sent with."""
    request = await peer.request("tools/call")
    await peer.answer(request, **{"resultType": "task", **state(status, **more)})
    return request["params"]


async def polled(peer: Peer, status: str, /, **more: Any) -> dict[str, Any]:
    """The task is asked for and this is the answer; the request."""
    request = await peer.request("tasks/get")
    await peer.answer(request, **{"resultType": "complete", **state(status, **more)})
    return request


async def told(peer: Peer, status: str, /, **more: Any) -> None:
    """The server tells a state unasked."""
    await peer.say("notifications/tasks", state(status, **more))


async def acknowledged(peer: Peer, method: str) -> dict[str, Any]:
    """The request is answered with nothing; its params without what every request has."""
    request = await peer.request(method)
    await peer.answer(request, resultType="complete")
    return {name: value for name, value in request["params"].items() if name != "_meta"}


async def nothing_more(peer: Peer) -> bool:
    """Nothing else was sent, after everybody had many a chance to."""
    for _ in range(100):
        await anyio.lowlevel.checkpoint()
    return peer.waiting() == 0
