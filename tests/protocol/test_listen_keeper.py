"""One stream that follows what is watched: how it is replaced, lost and opened again."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

import pytest

from mcp_host.core.subscriptions import ListenFilter, ListenPace
from mcp_host.core.tasks import TASKS_EXTENSION
from mcp_host.protocol.listen_keeper import PATIENCE
from mcp_host.protocol.watched import WATCHED_CAP
from tests.protocol.listen_script import (
    AT_ONCE,
    SUBSCRIPTION_ID,
    Heard,
    acknowledge,
    cancelled,
    listening,
    opened,
    replaced,
    settled,
    tell,
    until,
)
from tests.protocol.scripted import Peer

pytestmark = pytest.mark.anyio


async def test_a_server_that_tells_of_tasks_alone_is_listened_to_while_there_are_some() -> None:
    async with listening(extensions={TASKS_EXTENSION: {}}) as (made, peer, _):
        assert await settled(peer) == 0
        made.watch_task("t1")
        request = await opened(peer)
        assert request["params"]["notifications"] == {"taskIds": ["t1"]}
        made.forget_task("t1")
        assert cancelled(await peer.receive()) == request["id"]
        made.watch_task("t2")
        assert (await opened(peer))["params"]["notifications"] == {"taskIds": ["t2"]}


@pytest.mark.behaviour("listening.one-stream")
@pytest.mark.behaviour("listening.overlap")
async def test_another_filter_gets_a_new_stream_before_the_old_one_ends() -> None:
    async with listening() as (made, peer, _):
        first = await opened(peer)
        made.watch_resource("a:")
        second = await peer.request("subscriptions/listen")
        assert second["id"] == "listen-2"
        assert second["params"]["notifications"] == {"toolsListChanged": True, "resourceSubscriptions": ["a:"]}
        assert await settled(peer) == 0  # the old one stands as long as the new one does not
        await acknowledge(peer, second)
        assert cancelled(await peer.receive()) == first["id"]
        assert await settled(peer) == 0
        assert made.honoured == ListenFilter(lists=frozenset({"tools"}), uris=frozenset({"a:"}))


@pytest.mark.behaviour("listening.overlap")
async def test_what_is_told_on_either_stream_while_they_overlap_is_heard() -> None:
    heard = Heard()
    async with listening(heard=heard) as (made, peer, _):
        first = await opened(peer)
        made.watch_resource("a:")
        second = await peer.request("subscriptions/listen")
        await tell(peer, first, "notifications/tools/list_changed")
        await acknowledge(peer, second)
        await tell(peer, second, "notifications/resources/updated", uri="a:")
        await until(lambda: heard.uris == ["a:"])
    assert heard.lists == ["tools"]


async def test_several_changes_at_once_need_one_new_stream() -> None:
    async with listening() as (made, peer, _):
        first = await opened(peer)
        for uri in ("a:", "b:", "c:"):
            made.watch_resource(uri)
        made.forget_resource("b:")
        second = await replaced(peer, first)
        assert second["params"]["notifications"]["resourceSubscriptions"] == ["a:", "c:"]
        made.watch_resource("d:")
        third = await peer.request("subscriptions/listen")
        made.watch_resource("e:")  # while the third is on its way
        made.watch_resource("f:")
        await acknowledge(peer, third)
        assert cancelled(await peer.receive()) == second["id"]
        assert (await opened(peer))["params"]["notifications"]["resourceSubscriptions"] == [
            "a:",
            "c:",
            "d:",
            "e:",
            "f:",
        ]


async def test_a_change_that_is_taken_back_at_once_needs_none() -> None:
    async with listening() as (made, peer, _):
        await opened(peer)
        made.watch_resource("a:")
        made.forget_resource("a:")
        made.watch_task("t1")
        made.forget_task("t1")
        assert await settled(peer) == 0


async def test_only_the_newest_resources_are_watched() -> None:
    async with listening() as (made, peer, _):
        first = await opened(peer)
        for number in range(WATCHED_CAP):
            made.watch_resource(f"r:{number:03}")
        made.watch_resource("r:000")  # read again: it is among the newest
        made.watch_resource("r:new")
        second = await replaced(peer, first)
        uris = second["params"]["notifications"]["resourceSubscriptions"]
        assert (len(uris), uris[:2], uris[-1]) == (WATCHED_CAP, ["r:000", "r:002"], "r:new")


@pytest.mark.behaviour("listening.honoured-subset")
async def test_what_a_server_does_not_agree_to_is_known() -> None:
    async with listening() as (made, peer, _):
        made.watch_task("t1")
        request = await peer.request("subscriptions/listen")
        assert made.honoured == ListenFilter()
        await acknowledge(peer, request, {"toolsListChanged": True, "taskIds": []})
        await until(lambda: made.honoured != ListenFilter())
        assert made.honoured == ListenFilter(lists=frozenset({"tools"}))
        assert made.refused == ListenFilter(task_ids=frozenset({"t1"}))
        assert await settled(peer) == 0  # and that is no reason to ask again


@pytest.mark.parametrize("odd", [None, {"notifications": []}, {"notifications": {}, "_meta": {SUBSCRIPTION_ID: ["x"]}}])
async def test_an_acknowledgement_that_cannot_be_read_is_none(odd: Any) -> None:
    async with listening() as (made, peer, _):
        request = await peer.request("subscriptions/listen")
        await peer.say("notifications/subscriptions/acknowledged", odd)
        await peer.say("notifications/subscriptions/acknowledged", {"_meta": {SUBSCRIPTION_ID: "listen-7"}})
        assert await settled(peer) == 0
        await acknowledge(peer, request)
        await until(lambda: made.honoured == ListenFilter(lists=frozenset({"tools"})))


async def test_what_a_server_has_agreed_to_first_counts() -> None:
    async with listening() as (made, peer, _):
        request = await opened(peer)
        await acknowledge(peer, request, {})
        assert await settled(peer) == 0
        assert made.honoured == ListenFilter(lists=frozenset({"tools"}))


# --- when it ends -----------------------------------------------------------------------------------------------------

ENDS: dict[str, Callable[[Peer, Mapping[str, Any]], Any]] = {
    "in good order": lambda peer, request: peer.answer(
        request, resultType="complete", _meta={SUBSCRIPTION_ID: request["id"]}
    ),
    "with an error": lambda peer, request: peer.refuse(request, -32603, "shutting down"),
    "by being torn down": lambda peer, request: peer.say("notifications/cancelled", {"requestId": request["id"]}),
}


@pytest.mark.behaviour("listening.again-after-loss")
@pytest.mark.behaviour("listening.missed")
@pytest.mark.parametrize("how", ENDS)
async def test_a_stream_that_ended_is_opened_again_and_what_may_have_been_missed_counts_as_changed(how: str) -> None:
    heard = Heard()
    async with listening(heard=heard) as (made, peer, connection):
        made.watch_resource("a:")
        first = await opened(peer)
        await until(lambda: not made.honoured.is_empty)
        await ENDS[how](peer, first)
        if how == "by being torn down":
            assert cancelled(await peer.receive()) == first["id"]  # it is given up here, too
        second = await peer.request("subscriptions/listen")
        assert second["params"]["notifications"] == first["params"]["notifications"]
        assert (heard.lists, heard.uris, connection.lists_stale) == ([], [], False)
        await acknowledge(peer, second)
        await until(lambda: not made.honoured.is_empty)
        assert (heard.lists, heard.uris, connection.lists_stale) == (["tools"], ["a:"], True)


@pytest.mark.behaviour("listening.again-after-loss")
async def test_a_server_that_ends_streams_at_once_is_asked_more_and_more_rarely() -> None:
    pace = ListenPace(first_retry_seconds=1, longest_retry_seconds=60)
    async with listening(pace) as (made, peer, _):
        request = await opened(peer)
        await peer.answer(request)
        await until(lambda: made.honoured.is_empty)
        assert await settled(peer) == 0  # the first pause is a second


@pytest.mark.behaviour("listening.unsupported")
async def test_a_server_that_does_not_know_listening_is_not_asked_again() -> None:
    async with listening() as (made, peer, connection):
        await peer.refuse(await peer.request("subscriptions/listen"), -32601, "Method not found")
        made.watch_resource("a:")
        assert await settled(peer) == 0
        assert not connection.ended.is_set()


@pytest.mark.parametrize("code", [-32602, -32021, -32600])
async def test_a_filter_that_is_refused_for_good_is_not_asked_for_again_but_another_is(code: int) -> None:
    async with listening() as (made, peer, _):
        await peer.refuse(await peer.request("subscriptions/listen"), code)
        made.forget_resource("a:")
        assert await settled(peer) == 0
        made.watch_resource("a:")
        wanted = (await opened(peer))["params"]["notifications"]
        assert wanted == {"toolsListChanged": True, "resourceSubscriptions": ["a:"]}


@pytest.mark.behaviour("listening.one-refused")
async def test_a_resource_that_cannot_be_subscribed_to_costs_neither_the_stream_that_stands_nor_another_resource() -> (
    None
):
    heard = Heard()
    async with listening(heard=heard) as (made, peer, _):
        made.watch_resource("a:")
        first = await opened(peer)
        made.watch_resource("bad:")
        await peer.refuse(await peer.request("subscriptions/listen"), -32602, "no such resource")
        assert await settled(peer) == 0  # the stream is not ended, and the same is not asked for again
        assert made.honoured.uris == {"a:"}
        made.watch_resource("c:")
        second = await replaced(peer, first)
        assert second["params"]["notifications"]["resourceSubscriptions"] == ["a:", "c:"]
        made.forget_resource("bad:")
        assert await settled(peer) == 0
        made.watch_resource("bad:")
        third = await peer.request("subscriptions/listen")
        assert third["params"]["notifications"]["resourceSubscriptions"] == ["a:", "bad:", "c:"]
    assert heard.uris == []  # there was no gap


@pytest.mark.behaviour("listening.one-refused")
async def test_the_lists_are_listened_for_when_what_is_watched_is_refused_from_the_start() -> None:
    async with listening() as (made, peer, _):
        made.watch_task("t1")
        await peer.refuse(await peer.request("subscriptions/listen"), -32602)
        assert (await opened(peer))["params"]["notifications"] == {"toolsListChanged": True}
        assert await settled(peer) == 0


async def test_a_server_that_never_agrees_is_left_alone_in_the_end() -> None:
    async with listening() as (made, peer, _):
        for _attempt in range(PATIENCE):
            await peer.refuse(await peer.request("subscriptions/listen"), -32603)
        assert await settled(peer) == 0
        made.watch_resource("a:")
        await peer.request("subscriptions/listen")


async def test_a_server_that_says_nothing_is_not_waited_for() -> None:
    pace = replace(AT_ONCE, acknowledge_seconds=0.05)
    async with listening(pace) as (_, peer, _connection):
        request = await peer.request("subscriptions/listen")
        assert cancelled(await peer.receive()) == request["id"]
        await peer.request("subscriptions/listen")


@pytest.mark.behaviour("listening.missed")
async def test_a_server_that_takes_one_stream_at_a_time_gets_one_and_the_gap_is_known() -> None:
    heard = Heard()
    async with listening(heard=heard) as (made, peer, _):
        first = await opened(peer)
        made.watch_resource("a:")
        for _attempt in range(2):
            await peer.refuse(await peer.request("subscriptions/listen"), -32603, "one subscription only")
        assert cancelled(await peer.receive()) == first["id"]
        assert heard.lists == []
        await opened(peer)
        await until(lambda: not made.honoured.is_empty)
        assert heard.lists == ["tools"]


async def test_one_refusal_does_not_cost_the_stream_that_stands() -> None:
    async with listening() as (made, peer, _):
        first = await opened(peer)
        made.watch_resource("a:")
        await peer.refuse(await peer.request("subscriptions/listen"), -32603, "busy")
        await replaced(peer, first)


async def test_listening_ends_with_the_connection_and_says_so_to_nobody() -> None:
    async with listening() as (made, peer, connection):
        await opened(peer)
        await until(lambda: not made.honoured.is_empty)
        connection.ended.set()
        await peer.to_client.aclose()
        await until(lambda: made.honoured.is_empty)
        made.watch_resource("a:")
        assert await settled(peer) == 0


async def test_a_hook_that_fails_ends_the_listening_and_not_the_connection() -> None:
    def fail(_kind: object) -> None:
        raise ValueError("a fault of our own")

    heard = Heard()
    async with listening(heard=heard) as (made, peer, connection):
        connection.side = replace(connection.side, on_list_changed=fail)
        await peer.answer(await opened(peer))
        await opened(peer)
        made.watch_resource("a:")
        assert await settled(peer) == 0
        assert not connection.ended.is_set()
