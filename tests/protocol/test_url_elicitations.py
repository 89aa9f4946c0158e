"""The refusal of revision 2025-11-25 that asks for visits to URLs first."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest

from mcp_host.core.interactions.requests import Asked, InputRequest
from mcp_host.core.offers import Offer
from mcp_host.problems import Problem
from mcp_host.protocol.client_side import ClientSide, NotAnswered
from mcp_host.protocol.url_elicitations import URL_ROUND_CAP
from tests.protocol.scripted import EVERYTHING, Clock, Peer, Person, called, scripted

pytestmark = pytest.mark.anyio

FIRST = {"mode": "url", "elicitationId": "e1", "url": "https://example.com/one", "message": "Sign in"}
SECOND = {"mode": "url", "elicitationId": "e2", "url": "https://example.com/two", "message": "Pay"}
YES = {"action": "accept"}


async def wants_urls(peer: Peer, *entries: Any) -> dict[str, Any]:
    request = await peer.request("tools/call")
    await peer.refuse(request, -32042, "first this", {"elicitations": list(entries)})
    return request


@pytest.mark.behaviour("url.required-then-again")
async def test_the_request_is_sent_again_once_all_its_urls_were_visited() -> None:
    person = Person(answers=[{"e1": YES, "e2": YES}])
    async with scripted("legacy", person=person) as (connection, peer), called(connection, call="c3") as ended:
        first = await wants_urls(peer, FIRST, SECOND)
        again = await peer.request("tools/call")
        await peer.answer(again, content=[])
        await ended.done.wait()
    assert ended.result == {"content": []}
    assert (again["params"], again["id"] != first["id"]) == (first["params"], True)
    assert person.asked == [
        Asked(
            alias="played",
            requests=(
                InputRequest(key="e1", method="elicitation/create", params=FIRST),
                InputRequest(key="e2", method="elicitation/create", params=SECOND),
            ),
            doing="calling echo",
            tool="echo",
            call="c3",
        )
    ]
    assert [request.kind for request in person.asked[0].requests] == ["url", "url"]


@pytest.mark.behaviour("url.declined-is-refused")
@pytest.mark.parametrize("action", ["decline", "cancel"])
async def test_one_url_that_is_not_visited_leaves_the_refusal_as_it_is(action: str) -> None:
    person = Person(answers=[{"e1": YES, "e2": {"action": action}}])
    async with scripted("legacy", person=person) as (connection, peer), called(connection) as ended:
        await wants_urls(peer, FIRST, SECOND)
        await ended.done.wait()
        assert peer.waiting() == 0
    assert ended.failure is not None
    assert (ended.failure.problem.type, ended.failure.code, ended.failure.answered) == ("request-refused", -32042, True)
    assert "first this" in ended.failure.problem.detail


async def test_urls_that_nobody_can_be_shown_end_the_call_with_that_problem() -> None:
    ours = Problem(type="input-required", title="t", detail="d", hint="h")
    person = Person(answers=[NotAnswered(ours)])
    async with scripted("legacy", person=person) as (connection, peer), called(connection) as ended:
        await wants_urls(peer, FIRST)
        await ended.done.wait()
    assert ended.failure is not None
    assert (ended.failure.problem, ended.failure.answered) == (ours, True)


@pytest.mark.behaviour("url.rounds-bounded")
async def test_a_server_that_never_has_enough_is_refused_the_sixth_time() -> None:
    person = Person(answers=[{"e1": YES}] * URL_ROUND_CAP)
    async with scripted("legacy", person=person) as (connection, peer), called(connection) as ended:
        for _ in range(URL_ROUND_CAP + 1):
            await wants_urls(peer, FIRST)
        await ended.done.wait()
    assert ended.failure is not None
    assert (ended.failure.code, len(person.asked)) == (-32042, URL_ROUND_CAP)


MALFORMED: dict[str, list[Any]] = {
    "none": [],
    "no object": ["https://example.com"],
    "a form": [{**FIRST, "mode": "form"}],
    "no url": [{"mode": "url", "elicitationId": "e1", "message": "Sign in"}],
    "no id": [{"mode": "url", "url": "https://example.com", "message": "Sign in"}],
    "one good, one bad": [FIRST, {}],
    "one id twice": [FIRST, {**SECOND, "elicitationId": "e1"}],
    "too many": [{**FIRST, "elicitationId": str(number)} for number in range(51)],
}


@pytest.mark.parametrize("name", MALFORMED)
async def test_a_refusal_that_names_no_urls_properly_is_a_refusal_like_others(name: str) -> None:
    person = Person()
    async with scripted("legacy", person=person) as (connection, peer), called(connection) as ended:
        await wants_urls(peer, *MALFORMED[name])
        await ended.done.wait()
    assert ended.failure is not None
    assert (ended.failure.problem.type, ended.failure.code, person.asked) == ("request-refused", -32042, [])


@pytest.mark.behaviour("url.only-where-offered")
@pytest.mark.parametrize(
    ("era", "revision", "offer"),
    [
        ("legacy", "2025-06-18", EVERYTHING),
        ("legacy", "2025-11-25", Offer(elicitation=False)),
        ("modern", "2026-07-28", EVERYTHING),
    ],
)
async def test_where_no_urls_were_offered_nobody_is_asked(era: Any, revision: str, offer: Offer) -> None:
    person = Person()
    side = ClientSide(offer=offer, respond=person.respond)
    async with scripted(era, revision=revision, side=side) as (connection, peer), called(connection) as ended:
        await wants_urls(peer, FIRST)
        await ended.done.wait()
    assert ended.failure is not None
    assert (ended.failure.code, person.asked) == (-32042, [])


@pytest.mark.behaviour("url.person-off-the-clock")
async def test_the_time_that_a_visit_takes_counts_for_no_deadline() -> None:
    clock = Clock()

    async def visit(_: Asked) -> Mapping[str, Mapping[str, Any]]:
        clock.now += 3600
        return {"e1": YES}

    async with scripted("legacy", side=ClientSide(offer=EVERYTHING, respond=visit)) as (connection, peer):
        clock.wind(connection)
        async with called(connection, seconds=60):
            await wants_urls(peer, FIRST)
            await peer.answer(await peer.request("tools/call"), content=[])
    assert clock.limits == [60, 60]
