"""Results that ask for input, on a modern connection: what is asked, what goes back, and when it is over."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import anyio
import pytest

from mcp_host.core.interactions.requests import Asked, InputRequest
from mcp_host.core.offers import Offer
from mcp_host.problems import Problem
from mcp_host.protocol.client_side import ClientSide, NotAnswered, answer_nobody
from mcp_host.protocol.connection import Connection
from mcp_host.protocol.errors import RequestFailed
from mcp_host.protocol.multi_round_trip import REQUEST_CAP, ROUND_CAP, UNATTENDED_CAP
from tests.protocol.asking_rounds import ASKS_FORM, asks, no_pause, without_meta
from tests.protocol.over_http import answers, connecting, discovered, in_turn
from tests.protocol.scripted import (
    ACCEPTED,
    ECHO,
    EVERYTHING,
    FORM,
    SAMPLED,
    SAMPLING,
    Clock,
    Person,
    called,
    scripted,
)
from tests.protocol.transports.raw_http import RawHttpServer, serving

pytestmark = pytest.mark.anyio

ODD = 'é e\u0301 \u2028\u2029 \x00\x1f"\\/ \U0001f600 \ufeff\u202e =={}[] \uffff'
STATES = {
    "plain": "AEAD-protected blob",
    "empty": "",
    "odd characters": ODD,
    "looks like JSON": '{"a": 1,  "b":\t[ ]}',
    "long": ODD * 5000,
}


@pytest.mark.behaviour("mrtr.retry-with-answers")
@pytest.mark.behaviour("mrtr.fresh-id")
async def test_the_request_is_sent_again_with_the_answers_under_another_id() -> None:
    person = Person(answers=[{"who": ACCEPTED}])
    async with scripted("modern", person=person) as (connection, peer), called(connection, call="c7") as ended:
        first = await peer.request("tools/call")
        await peer.answer(first, resultType="input_required", inputRequests=ASKS_FORM, requestState="s")
        second = await peer.request("tools/call")
        await peer.answer(second, resultType="complete", content=[])
        await ended.done.wait()
    assert ended.result == {"resultType": "complete", "content": []}
    assert first["id"] != second["id"]
    assert second["params"] == {**first["params"], "inputResponses": {"who": ACCEPTED}, "requestState": "s"}
    assert person.asked == [
        Asked(
            alias="played",
            requests=(InputRequest(key="who", method="elicitation/create", params=FORM),),
            doing="calling echo",
            tool="echo",
            call="c7",
        )
    ]


@pytest.mark.behaviour("mrtr.state-byte-exact")
@pytest.mark.parametrize("name", STATES)
async def test_the_state_comes_back_as_it_was(name: str) -> None:
    person = Person(answers=[{"who": ACCEPTED}])
    async with scripted("modern", person=person) as (connection, peer), called(connection):
        await asks(peer, ASKS_FORM, requestState=STATES[name])
        again = await peer.request("tools/call")
        await peer.answer(again, content=[])
    assert again["params"]["requestState"] == STATES[name]


@pytest.mark.behaviour("mrtr.state-byte-exact")
async def test_the_state_comes_back_as_it_was_over_http() -> None:
    state = STATES["long"]
    asking = {"resultType": "input_required", "inputRequests": ASKS_FORM, "requestState": state}
    handlers = {
        "server/discover": answers(discovered(tools={})),
        "tools/call": in_turn(answers(asking), answers({"content": []})),
    }
    side = ClientSide(offer=EVERYTHING, respond=Person(answers=[{"who": ACCEPTED}]).respond)
    with anyio.fail_after(10):
        async with serving(RawHttpServer(handlers=handlers)) as server, connecting(server.url, side) as connection:
            await connection.call_tool(ECHO, {}, timeout_seconds=5)
    assert server.seen[2].message["params"]["requestState"] == state
    assert server.seen[2].headers["mcp-name"] == "echo"


@pytest.mark.behaviour("mrtr.state-of-the-last-round")
async def test_only_the_state_and_the_answers_of_the_last_round_go_back() -> None:
    person = Person(answers=[{"who": ACCEPTED}, {"two": {"action": "decline"}}, {"three": ACCEPTED}])
    sent: list[dict[str, Any]] = []
    async with scripted("modern", person=person) as (connection, peer), called(connection):
        sent.append(await asks(peer, ASKS_FORM, requestState="one"))
        sent.append(await asks(peer, {"two": ASKS_FORM["who"]}, requestState="two"))
        sent.append(await asks(peer, {"three": ASKS_FORM["who"]}))
        last = await peer.request("tools/call")
        sent.append(last["params"])
        await peer.answer(last, content=[])
    added = [{key: params[key] for key in ("inputResponses", "requestState") if key in params} for params in sent]
    assert added == [
        {},
        {"inputResponses": {"who": ACCEPTED}, "requestState": "one"},
        {"inputResponses": {"two": {"action": "decline"}}, "requestState": "two"},
        {"inputResponses": {"three": ACCEPTED}},
    ]


@pytest.mark.behaviour("mrtr.answered-at-once")
async def test_several_requests_of_one_result_are_one_question_and_are_answered_together() -> None:
    given: dict[str, Mapping[str, Any]] = {
        "who": ACCEPTED,
        "sum": SAMPLED,
        "where": {"roots": []},
        "link": {"action": "accept"},
    }
    person = Person(answers=[given])
    requests = {
        "sum": {"method": "sampling/createMessage", "params": SAMPLING},
        "where": {"method": "roots/list"},
        **ASKS_FORM,
        "link": {
            "method": "elicitation/create",
            "params": {"mode": "url", "message": "Sign in", "url": "https://example.com/a?b=c"},
        },
    }
    async with scripted("modern", person=person) as (connection, peer), called(connection):
        await asks(peer, requests)
        again = await peer.request("tools/call")
        await peer.answer(again, content=[])
    assert [[(one.key, one.kind) for one in asked.requests] for asked in person.asked] == [
        [("sum", "sampling"), ("where", "roots"), ("who", "form"), ("link", "url")]
    ]
    assert again["params"]["inputResponses"] == given


@pytest.mark.behaviour("mrtr.state-only")
async def test_a_result_with_nothing_but_a_state_is_asked_again_after_a_pause() -> None:
    pauses: list[float] = []

    async def pause(seconds: float) -> None:
        pauses.append(seconds)

    person = Person()
    async with scripted("modern", person=person) as (connection, peer):
        connection.pause = pause
        async with called(connection):
            for number in range(4):
                await asks(peer, requestState=f"state {number}", **({"inputRequests": None} if number else {}))
            last = await peer.request("tools/call")
            await peer.answer(last, content=[])
    assert (person.asked, pauses) == ([], [0.05, 0.1, 0.2, 0.25])
    assert without_meta(last["params"]) == {"name": "echo", "arguments": {"n": 1}, "requestState": "state 3"}


@pytest.mark.behaviour("mrtr.rounds-bounded")
async def test_a_server_that_says_come_back_for_ever_is_left_and_nobody_knows_what_it_did() -> None:
    async with scripted("modern") as (connection, peer):
        connection.pause = no_pause
        async with called(connection) as ended:
            for _ in range(UNATTENDED_CAP + 1):
                await asks(peer, requestState="again")
            await ended.done.wait()
    assert ended.failure is not None
    assert (ended.failure.problem.type, ended.failure.sent, ended.failure.answered) == (
        "protocol-violated",
        True,
        False,
    )


@pytest.mark.behaviour("mrtr.rounds-bounded")
async def test_a_server_that_asks_and_asks_is_left_while_it_waits() -> None:
    person = Person(answers=[{"who": ACCEPTED}] * ROUND_CAP)
    async with scripted("modern", person=person) as (connection, peer), called(connection) as ended:
        for _ in range(ROUND_CAP + 1):
            await asks(peer, ASKS_FORM)
        await ended.done.wait()
    assert ended.failure is not None
    assert (ended.failure.problem.type, ended.failure.answered) == ("protocol-violated", True)
    assert len(person.asked) == ROUND_CAP


async def test_a_person_in_between_makes_the_unattended_rounds_count_from_the_start() -> None:
    person = Person(answers=[{"who": ACCEPTED}])
    async with scripted("modern", person=person) as (connection, peer):
        connection.pause = no_pause
        async with called(connection) as ended:
            for _ in range(UNATTENDED_CAP):
                await asks(peer, requestState="again")
            await asks(peer, ASKS_FORM)
            for _ in range(UNATTENDED_CAP):
                await asks(peer, requestState="again")
            await peer.answer(await peer.request("tools/call"), content=[])
    assert ended.result == {"content": []}


OURS = Problem(type="input-required", title="t", detail="d", hint="h")


@pytest.mark.behaviour("mrtr.not-answered-ends-the-call")
async def test_a_call_that_a_person_gave_no_answer_for_ends_with_the_problem_and_has_not_run_to_its_end() -> None:
    person = Person(answers=[NotAnswered(OURS)])
    async with scripted("modern", person=person) as (connection, peer), called(connection) as ended:
        await asks(peer, ASKS_FORM, requestState="s")
        await ended.done.wait()
        assert peer.waiting() == 0
    assert ended.failure is not None
    assert (ended.failure.problem, ended.failure.sent, ended.failure.answered) == (OURS, True, True)


async def test_where_nobody_can_be_asked_the_problem_says_so() -> None:
    side = ClientSide(offer=EVERYTHING, respond=answer_nobody)
    async with scripted("modern", side=side) as (connection, peer), called(connection) as ended:
        await asks(peer, ASKS_FORM)
        await ended.done.wait()
    assert ended.failure is not None
    problem = ended.failure.problem
    assert (problem.type, problem.title, problem.tool) == (
        "input-required",
        "played wants to ask a person something while calling echo",
        "echo",
    )


@pytest.mark.parametrize("fault", [RuntimeError("s3cret"), KeyError("who"), {"other": ACCEPTED}])
async def test_a_fault_of_our_own_while_answering_ends_that_call_alone(fault: Any) -> None:
    person = Person(answers=[fault])
    async with scripted("modern", person=person) as (connection, peer):
        async with called(connection) as ended:
            await asks(peer, ASKS_FORM)
            await ended.done.wait()
        assert ended.failure is not None
        assert (ended.failure.problem.type, ended.failure.answered) == ("internal", True)
        assert "s3cret" not in ended.failure.problem.model_dump_json()
        async with called(connection) as after:
            await peer.answer(await peer.request("tools/call"), content=[])
        assert after.result == {"content": []}


BROKEN: Mapping[str, Mapping[str, Any]] = {
    "no requests and no state": {},
    "empty requests and no state": {"inputRequests": {}},
    "requests that are no object": {"inputRequests": [ASKS_FORM]},
    "a request that is no object": {"inputRequests": {"who": "elicitation/create"}},
    "a request without a method": {"inputRequests": {"who": {"params": FORM}}},
    "params that are no object": {"inputRequests": {"who": {"method": "elicitation/create", "params": [1]}}},
    "another method": {"inputRequests": {"who": {"method": "tools/call", "params": {}}}},
    "one good, one bad": {"inputRequests": {**ASKS_FORM, "what": {"method": "ping"}}},
    "an unknown mode": {
        "inputRequests": {"who": {"method": "elicitation/create", "params": {**FORM, "mode": "voice"}}}
    },
    "sampling with tools": {
        "inputRequests": {"who": {"method": "sampling/createMessage", "params": {**SAMPLING, "tools": []}}}
    },
    "a state that is no text": {"inputRequests": ASKS_FORM, "requestState": {"a": 1}},
    "too much at once": {"inputRequests": {str(number): ASKS_FORM["who"] for number in range(REQUEST_CAP + 1)}},
}


@pytest.mark.behaviour("mrtr.malformed-refused")
@pytest.mark.parametrize("name", BROKEN)
async def test_what_is_asked_in_another_form_asks_nobody_and_leaves_the_outcome_open(name: str) -> None:
    person = Person()
    async with scripted("modern", person=person) as (connection, peer), called(connection) as ended:
        await asks(peer, **BROKEN[name])
        await ended.done.wait()
        assert peer.waiting() == 0
    assert ended.failure is not None
    assert (ended.failure.problem.type, ended.failure.sent, ended.failure.answered) == (
        "protocol-violated",
        True,
        False,
    )
    assert person.asked == []


UNOFFERED = {
    "elicitation": (Offer(elicitation=False, sampling=True), ASKS_FORM),
    "sampling": (Offer(), {"sum": {"method": "sampling/createMessage", "params": SAMPLING}}),
    "roots": (Offer(), {"where": {"method": "roots/list"}}),
}


@pytest.mark.behaviour("mrtr.only-what-was-offered")
@pytest.mark.parametrize("name", UNOFFERED)
async def test_what_was_not_offered_is_a_violation_and_asks_nobody(name: str) -> None:
    offer, requests = UNOFFERED[name]
    person = Person()
    side = ClientSide(offer=offer, respond=person.respond)
    async with scripted("modern", side=side) as (connection, peer), called(connection) as ended:
        await asks(peer, requests)
        await ended.done.wait()
    assert ended.failure is not None
    assert (ended.failure.problem.type, ended.failure.answered, person.asked) == ("protocol-violated", False, [])
    assert "not offered" in ended.failure.problem.detail


@pytest.mark.behaviour("mrtr.person-off-the-clock")
async def test_the_time_that_a_person_takes_counts_for_no_round() -> None:
    clock = Clock()

    async def slowly(_: Asked) -> Mapping[str, Mapping[str, Any]]:
        clock.now += 3600
        return {"who": ACCEPTED}

    side = ClientSide(offer=EVERYTHING, respond=slowly)
    async with scripted("modern", side=side) as (connection, peer):
        clock.wind(connection)
        async with called(connection, seconds=60) as ended:
            await asks(peer, ASKS_FORM)
            await peer.answer(await peer.request("tools/call"), content=[])
    assert (ended.result, clock.limits) == ({"content": []}, [60, 60])


@pytest.mark.behaviour("mrtr.unattended-rounds-share-the-time")
async def test_rounds_without_a_person_have_one_deadline_together() -> None:
    clock = Clock()

    async def pause(_seconds: float) -> None:
        clock.now += 40

    async with scripted("modern") as (connection, peer):
        connection.pause = pause
        clock.wind(connection)
        async with called(connection, seconds=60):
            await asks(peer, requestState="again")
            await peer.answer(await peer.request("tools/call"), content=[])
    assert clock.limits == [60, 20]


@pytest.mark.behaviour("mrtr.cancelled-while-asked")
async def test_a_call_that_is_cancelled_while_a_person_is_asked_takes_the_question_back_and_sends_nothing() -> None:
    person = Person()
    async with scripted("modern", person=person) as (connection, peer), called(connection) as ended:
        await asks(peer, ASKS_FORM)
        await person.turned.wait()
        ended.scope.cancel()
        await ended.done.wait()
        assert (person.given_up, peer.waiting()) == (1, 0)


@pytest.mark.behaviour("mrtr.withdrawn-with-its-connection")
async def test_a_question_of_a_server_that_is_gone_is_withdrawn_and_its_call_has_not_finished() -> None:
    person = Person()
    async with scripted("modern", person=person) as (connection, peer), called(connection) as ended:
        await asks(peer, ASKS_FORM)
        await person.turned.wait()
        connection.ended.set()
        await ended.done.wait()
    assert person.given_up == 1
    assert ended.failure is not None
    assert (ended.failure.problem.type, ended.failure.sent, ended.failure.answered) == (
        "server-unavailable",
        True,
        True,
    )


async def test_a_question_ends_with_the_connection_that_is_closed_under_it() -> None:
    person = Person()
    ended: list[RequestFailed] = []

    async def call(connection: Connection) -> None:
        with pytest.raises(RequestFailed) as caught:
            await connection.call_tool(ECHO, {}, timeout_seconds=5)
        ended.append(caught.value)

    with anyio.fail_after(5):
        async with anyio.create_task_group() as tasks, scripted("modern", person=person) as (connection, peer):
            tasks.start_soon(call, connection)
            await asks(peer, ASKS_FORM)
            await person.turned.wait()
    assert (person.given_up, [failure.problem.type for failure in ended]) == (1, ["server-unavailable"])
