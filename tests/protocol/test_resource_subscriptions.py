"""The subscriptions of a legacy server, which a test plays by hand."""

from __future__ import annotations

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager

import anyio
import pytest

from mcp_host.protocol.listening import Listening
from mcp_host.protocol.watched import WATCHED_CAP
from tests.protocol.listen_script import settled
from tests.protocol.scripted import Peer, Person, scripted

pytestmark = pytest.mark.anyio


@asynccontextmanager
async def legacy() -> AsyncGenerator[tuple[Listening, Peer]]:
    """A legacy server that has subscriptions."""
    with anyio.fail_after(10):
        async with scripted("legacy", resources={"subscribe": True}) as (connection, peer):
            assert connection.listening is not None
            yield connection.listening, peer


@pytest.mark.behaviour("listening.legacy-subscribe")
async def test_a_legacy_server_gets_a_request_for_each_resource_and_one_when_it_is_forgotten() -> None:
    async with legacy() as (made, peer):
        made.watch_resource("a:")
        made.watch_resource("b:")
        newest = await peer.request("resources/subscribe")
        await peer.answer(newest)
        older = await peer.request("resources/subscribe")
        await peer.answer(older)
        assert [request["params"]["uri"] for request in (newest, older)] == ["b:", "a:"]
        made.watch_resource("a:")
        assert await settled(peer) == 0
        made.forget_resource("b:")
        gone = await peer.request("resources/unsubscribe")
        await peer.answer(gone)
        assert gone["params"]["uri"] == "b:"
        made.watch_resource("b:")
        assert (await peer.request("resources/subscribe"))["params"]["uri"] == "b:"


async def test_a_resource_that_cannot_be_subscribed_to_is_not_tried_again_while_it_is_watched() -> None:
    async with legacy() as (made, peer):
        made.watch_resource("a:")
        await peer.refuse(await peer.request("resources/subscribe"), -32602, "no such resource")
        made.watch_resource("a:")
        assert await settled(peer) == 0
        made.forget_resource("a:")
        assert await settled(peer) == 0  # nothing is there to unsubscribe from
        made.watch_resource("a:")
        await peer.request("resources/subscribe")


async def test_nobody_is_asked_to_visit_a_url_for_a_subscription() -> None:
    person = Person()
    with anyio.fail_after(10):
        async with scripted("legacy", person=person, resources={"subscribe": True}) as (connection, peer):
            assert connection.listening is not None
            connection.listening.watch_resource("a:")
            url = {"mode": "url", "elicitationId": "e1", "url": "https://example.com/", "message": "Sign in"}
            request = await peer.request("resources/subscribe")
            await peer.refuse(request, -32042, "first this", {"elicitations": [url]})
            assert await settled(peer) == 0
    assert person.asked == []


async def test_a_legacy_server_that_does_not_know_subscriptions_is_not_asked_again() -> None:
    async with legacy() as (made, peer):
        made.watch_resource("a:")
        await peer.refuse(await peer.request("resources/subscribe"), -32601)
        made.watch_resource("b:")
        assert await settled(peer) == 0


async def test_the_resource_that_was_read_longest_ago_makes_room_at_a_legacy_server() -> None:
    async with legacy() as (made, peer):
        for number in range(WATCHED_CAP):
            made.watch_resource(f"r:{number}")
            await peer.answer(await peer.request("resources/subscribe"))
        made.watch_resource("r:new")
        assert (await peer.request("resources/unsubscribe"))["params"]["uri"] == "r:0"
