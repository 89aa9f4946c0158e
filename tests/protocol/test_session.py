"""The wire while it is open: what is heard comes in its order, and nothing holds up the end."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import anyio
import pytest

from mcp_host.protocol.session import Notifications
from tests.protocol.scripted import Person, called, scripted

pytestmark = pytest.mark.anyio

ERAS = ("modern", "legacy")
SECRET = "s3cret"


@pytest.mark.behaviour("notifications.in-order")
@pytest.mark.parametrize("era", ERAS)
async def test_notifications_are_heard_in_the_order_in_which_they_came_and_before_a_later_answer(era: Any) -> None:
    heard: list[object] = []
    async with scripted(era) as (connection, peer), called(connection) as ended:
        for method in ("notifications/a", "notifications/b"):
            connection.on_notification(method, lambda params, method=method: heard.append((method, params["n"])))
        request = await peer.request("tools/call")
        for number in range(20):
            await peer.say("notifications/a" if number % 3 else "notifications/b", {"n": number})
        await peer.answer(request, content=[])
        await ended.done.wait()
        assert heard == [("notifications/a" if number % 3 else "notifications/b", number) for number in range(20)]


async def test_a_handler_that_was_taken_back_hears_no_more_and_others_do() -> None:
    first: list[Mapping[str, Any]] = []
    second: list[Mapping[str, Any]] = []
    notifications = Notifications()
    undo = notifications.listen("x", first.append)
    notifications.listen("x", second.append)
    assert notifications.hear("x", {"n": 1})
    undo()
    undo()
    assert notifications.hear("x", None)
    assert notifications.hear("nobody/listens", None)
    assert (first, second) == ([{"n": 1}], [{"n": 1}, {}])


async def test_a_handler_may_take_itself_back_while_it_hears() -> None:
    heard: list[str] = []
    notifications = Notifications()

    def once(_params: Mapping[str, Any]) -> None:
        heard.append("once")
        undo()

    undo = notifications.listen("x", once)
    notifications.listen("x", lambda _: heard.append("ever"))
    notifications.hear("x", {})
    notifications.hear("x", {})
    assert heard == ["once", "ever", "ever"]


async def test_a_handler_that_fails_costs_its_own_hearing_alone(caplog: pytest.LogCaptureFixture) -> None:
    heard: list[object] = []

    def fails(_params: Mapping[str, Any]) -> None:
        raise KeyError(SECRET)

    async with scripted("modern") as (connection, peer), called(connection) as ended:
        connection.on_notification("notifications/x", fails)
        connection.on_notification("notifications/x", heard.append)
        request = await peer.request("tools/call")
        await peer.say("notifications/x", {"n": 1})
        await peer.answer(request, content=[])
        await ended.done.wait()
    assert (heard, ended.result) == ([{"n": 1}], {"content": []})
    assert "KeyError in a handler of notifications/x" in caplog.text
    assert SECRET not in caplog.text


@pytest.mark.parametrize("era", ERAS)
async def test_what_is_no_message_and_what_nobody_knows_is_passed_over(era: Any) -> None:
    async with scripted(era) as (connection, peer), called(connection) as ended:
        request = await peer.request("tools/call")
        await peer.to_client.send(ValueError("no message"))
        await peer.say("notifications/nobody/knows", {"deep": [{}]})
        await peer.send(id="never asked", result={})
        await peer.answer(request, content=[])
        await ended.done.wait()
    assert ended.result == {"content": []}


@pytest.mark.parametrize("era", ERAS)
async def test_leaving_waits_neither_for_answers_nor_for_people_nor_for_long_work(era: Any) -> None:
    stopped = anyio.Event()

    async def work() -> None:
        try:
            await anyio.sleep_forever()
        finally:
            stopped.set()

    person = Person()
    with anyio.fail_after(5):
        async with scripted(era, person=person) as (connection, peer):
            connection.tasks.start_soon(work)
            if era == "legacy":
                await peer.ask("roots/list")
                await person.turned.wait()
            await anyio.wait_all_tasks_blocked()
        assert stopped.is_set()


@pytest.mark.parametrize("era", ERAS)
async def test_a_wire_that_the_server_closes_ends_what_waits_and_what_comes_after(era: Any) -> None:
    async with scripted(era) as (connection, peer):
        async with called(connection) as waiting:
            await peer.request("tools/call")
            peer.to_client.close()
            await waiting.done.wait()
        async with called(connection) as later:
            await later.done.wait()
    assert waiting.failure is not None
    assert later.failure is not None
    assert (waiting.failure.problem.type, waiting.failure.sent) == ("server-unavailable", True)
    assert (later.failure.problem.type, later.failure.sent) == ("server-unavailable", False)
