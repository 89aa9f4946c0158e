"""Listening to a server that a test plays by hand, and what it can do on its streams."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Callable, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace
from typing import Any

import anyio

from mcp_host.core.subscriptions import ListenPace
from mcp_host.core.tasks import TASKS_EXTENSION
from mcp_host.protocol.client_side import ClientSide
from mcp_host.protocol.connection import Connection
from mcp_host.protocol.listening import Listening
from tests.protocol.scripted import EVERYTHING, Peer, scripted

SUBSCRIPTION_ID = "io.modelcontextprotocol/subscriptionId"
TOLD: dict[str, Any] = {
    "tools": {"listChanged": True},
    "resources": {"subscribe": True},
    "extensions": {TASKS_EXTENSION: {}},
}
AT_ONCE = ListenPace(first_retry_seconds=0, longest_retry_seconds=0)


@dataclass
class Heard:
    """What reached our side."""

    lists: list[str] = field(default_factory=list[str])
    uris: list[str] = field(default_factory=list[str])
    something: anyio.Event = field(default_factory=anyio.Event)

    def side(self) -> ClientSide:
        return ClientSide(offer=EVERYTHING, on_list_changed=self._hear_list, on_resource_updated=self._hear_uri)

    def _hear_list(self, kind: str) -> None:
        self.lists.append(kind)
        self.something.set()

    def _hear_uri(self, uri: str) -> None:
        self.uris.append(uri)
        self.something.set()


@asynccontextmanager
async def listening(
    pace: ListenPace = AT_ONCE, *, heard: Heard | None = None, **told: Any
) -> AsyncGenerator[tuple[Listening, Peer, Connection]]:
    """A modern server that tells these changes (`TOLD` by default) and is listened to at this pace."""
    with anyio.fail_after(10):
        # Declared afterwards, so that the connection's own listening, at its own pace, has nothing to do.
        async with scripted("modern", side=(heard or Heard()).side()) as (connection, peer):
            identity = replace(connection.identity, capabilities=told or TOLD)
            connection.envelope = replace(connection.envelope, identity=identity)
            made = Listening(connection, pace=pace)
            made.start()
            yield made, peer, connection


async def acknowledge(peer: Peer, request: Mapping[str, Any], notifications: object = None) -> None:
    """The server agrees: to all that was asked for unless something else is given."""
    agreed = request["params"]["notifications"] if notifications is None else notifications
    await tell(peer, request, "notifications/subscriptions/acknowledged", notifications=agreed)


async def tell(peer: Peer, request: Mapping[str, Any], method: str, **params: Any) -> None:
    """Something comes on the stream that this request has opened."""
    await peer.say(method, {**params, "_meta": {SUBSCRIPTION_ID: request["id"]}})


async def opened(peer: Peer) -> dict[str, Any]:
    """The request of a stream to which the server has agreed."""
    request = await peer.request("subscriptions/listen")
    await acknowledge(peer, request)
    return request


async def replaced(peer: Peer, old: Mapping[str, Any]) -> dict[str, Any]:
    """The request of the stream that took the place of the old one."""
    request = await opened(peer)
    assert cancelled(await peer.receive()) == old["id"]
    return request


def cancelled(message: Mapping[str, Any]) -> object:
    """The id of the request that was cancelled."""
    assert message["method"] == "notifications/cancelled", message
    return message["params"]["requestId"]


async def until(condition: Callable[[], bool]) -> None:
    while not condition():
        await anyio.lowlevel.checkpoint()


async def settled(peer: Peer) -> int:
    """How many messages wait for the server after everybody had many a chance to send one."""
    for _ in range(100):
        await anyio.lowlevel.checkpoint()
    return peer.waiting()
