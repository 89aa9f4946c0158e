"""What a task asks for while it runs: asked once, answered once, withdrawn, refused."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import anyio
import pytest

from mcp_host.core.interactions.requests import Asked, InputRequest
from mcp_host.core.offers import Offer
from mcp_host.problems import Problem
from mcp_host.protocol import task_questions, task_states
from mcp_host.protocol.client_side import ClientSide, NotAnswered
from tests.protocol.scripted import ACCEPTED, EVERYTHING, FORM, Person, called, scripted
from tests.protocol.task_script import ASKS, DONE, SOON_MS, acknowledged, created, nothing_more, polled, state, told

pytestmark = pytest.mark.anyio


@dataclass(kw_only=True)
class SlowPerson:
    """Answers what is asked once it is told to."""

    answers: Mapping[str, Mapping[str, Any]]
    turned: anyio.Event = field(default_factory=anyio.Event)
    ready: anyio.Event = field(default_factory=anyio.Event)

    async def respond(self, _asked: Asked) -> Mapping[str, Mapping[str, Any]]:
        self.turned.set()
        await self.ready.wait()
        return self.answers


# --- asked and answered -----------------------------------------------------------------------------------------------


@pytest.mark.behaviour("tasks.update")
async def test_what_a_task_asks_for_is_asked_for_the_call_and_its_answer_goes_back() -> None:
    person = Person(answers=[{"who": ACCEPTED}])
    async with scripted("modern", person=person) as (connection, peer), called(connection, call="c7") as ended:
        await created(peer, pollIntervalMs=SOON_MS)
        await polled(peer, "input_required", inputRequests={"who": ASKS})
        assert await acknowledged(peer, "tasks/update") == {"taskId": "t1", "inputResponses": {"who": ACCEPTED}}
        await told(peer, "completed", result=DONE)
        await ended.done.wait()
    assert ended.result == DONE
    assert person.asked == [
        Asked(
            alias="played",
            requests=(InputRequest(key="who", method="elicitation/create", params=FORM),),
            doing="calling echo",
            tool="echo",
            call="c7",
        )
    ]


@pytest.mark.behaviour("tasks.keys-once")
async def test_a_request_that_is_seen_again_is_neither_asked_nor_answered_again() -> None:
    person = Person(answers=[{"one": ACCEPTED, "two": ACCEPTED}, {"three": {"action": "decline"}}])
    async with scripted("modern", person=person) as (connection, peer), called(connection) as ended:
        await created(peer, "input_required", inputRequests={"one": ASKS, "two": ASKS})
        first = await acknowledged(peer, "tasks/update")
        for keys in (("one", "two"), ("two",), ("two", "three")):
            await told(peer, "input_required", inputRequests=dict.fromkeys(keys, ASKS))
            assert keys == ("two", "three") or await nothing_more(peer)
        second = await acknowledged(peer, "tasks/update")
        await told(peer, "working")
        await told(peer, "input_required", inputRequests={"one": ASKS, "three": ASKS})
        assert await nothing_more(peer)
        await told(peer, "completed", result=DONE)
        await ended.done.wait()
    assert first["inputResponses"] == {"one": ACCEPTED, "two": ACCEPTED}
    assert second["inputResponses"] == {"three": {"action": "decline"}}
    assert [[request.key for request in asked.requests] for asked in person.asked] == [["one", "two"], ["three"]]


async def test_an_answer_to_a_part_of_what_is_asked_is_sent_as_that_part() -> None:
    person = Person(answers=[{"two": ACCEPTED, "never asked": ACCEPTED}])
    async with scripted("modern", person=person) as (connection, peer), called(connection) as ended:
        await created(peer, "input_required", inputRequests={"one": ASKS, "two": ASKS})
        assert (await acknowledged(peer, "tasks/update"))["inputResponses"] == {"two": ACCEPTED}
        await told(peer, "completed", result=DONE)
        await ended.done.wait()
    assert ended.result == DONE


async def test_a_question_is_withdrawn_when_the_task_ends_without_it_and_the_task_is_followed_meanwhile() -> None:
    person = Person()
    async with scripted("modern", person=person) as (connection, peer), called(connection, seconds=0.2) as ended:
        await created(peer, "input_required", inputRequests={"who": ASKS}, pollIntervalMs=SOON_MS)
        await person.turned.wait()
        await polled(peer, "input_required", inputRequests={"who": ASKS}, pollIntervalMs=SOON_MS)
        await polled(peer, "completed", result=DONE)
        await ended.done.wait()
    assert (ended.result, person.given_up, len(person.asked)) == (DONE, 1, 1)


async def test_what_nobody_answers_ends_the_call_and_cancels_the_task() -> None:
    problem = Problem(type="input-required", title="nobody", detail="is here", hint="come")
    person = Person(answers=[NotAnswered(problem)])
    async with scripted("modern", person=person) as (connection, peer), called(connection) as ended:
        await created(peer, "input_required", inputRequests={"who": ASKS})
        assert await acknowledged(peer, "tasks/cancel") == {"taskId": "t1"}
        await ended.done.wait()
    failure = ended.failure
    assert failure is not None
    assert (failure.problem, failure.sent, failure.answered) == (problem, True, True)


async def test_what_was_not_offered_is_asked_of_nobody_and_ends_the_call() -> None:
    person = Person(answers=[{"where": {"roots": []}}])
    side = ClientSide(offer=Offer(modern_roots=False), respond=person.respond)
    async with scripted("modern", side=side) as (connection, peer), called(connection) as ended:
        await created(peer, "input_required", inputRequests={"where": {"method": "roots/list"}})
        await acknowledged(peer, "tasks/cancel")
        await ended.done.wait()
    failure = ended.failure
    assert failure is not None
    assert (failure.problem.type, failure.answered, person.asked) == ("protocol-violated", False, [])


async def test_answers_that_the_server_refuses_end_the_call_with_its_words() -> None:
    person = Person(answers=[{"who": ACCEPTED}])
    async with scripted("modern", person=person) as (connection, peer), called(connection) as ended:
        await created(peer, "input_required", inputRequests={"who": ASKS})
        await peer.refuse(await peer.request("tasks/update"), -32603, "I broke")
        await polled(peer, "input_required", inputRequests={"who": ASKS})
        await acknowledged(peer, "tasks/cancel")
        await ended.done.wait()
    failure = ended.failure
    assert failure is not None
    assert (failure.sent, failure.answered) == (True, False)
    assert "I broke" in failure.problem.detail


async def test_answers_of_which_nobody_knows_whether_they_arrived_are_sent_again(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(task_questions, "AGAIN_SECONDS", 0)
    person = Person(answers=[{"who": ACCEPTED}])
    async with scripted("modern", person=person) as (connection, peer), called(connection, seconds=0.05) as ended:
        await created(peer, "input_required", inputRequests={"who": ASKS})
        lost = await peer.request("tasks/update")
        again = await acknowledged(peer, "tasks/update")
        await told(peer, "completed", result=DONE)
        await ended.done.wait()
    assert again == {name: value for name, value in lost["params"].items() if name != "_meta"}
    assert (ended.result, len(person.asked)) == (DONE, 1)


# --- answered too late ------------------------------------------------------------------------------------------------


async def test_an_answer_that_is_refused_because_the_task_has_ended_does_not_lose_the_result() -> None:
    person = Person(answers=[{"who": ACCEPTED}])
    async with scripted("modern", person=person) as (connection, peer), called(connection) as ended:
        await created(peer, "input_required", inputRequests={"who": ASKS})
        await peer.refuse(await peer.request("tasks/update"), -32602, "task is already completed")
        await polled(peer, "completed", result=DONE)
        await ended.done.wait()
        assert await nothing_more(peer)
    assert ended.result == DONE


@pytest.mark.parametrize("ttl_ms", [None, 200_000])  # which is over before a next poll would be due
async def test_a_task_that_has_gone_on_without_the_answer_that_it_refuses_is_followed(ttl_ms: int | None) -> None:
    person = Person(answers=[{"who": ACCEPTED}, {"who": ACCEPTED, "else": ACCEPTED}])
    async with scripted("modern", person=person) as (connection, peer), called(connection) as ended:
        await created(peer, "input_required", inputRequests={"who": ASKS}, ttlMs=ttl_ms)
        await peer.refuse(await peer.request("tasks/update"), -32602, "nobody waits for that")
        await polled(peer, "working", ttlMs=ttl_ms)
        assert await nothing_more(peer)
        await told(peer, "input_required", inputRequests={"who": ASKS, "else": ASKS})
        again = await acknowledged(peer, "tasks/update")
        await told(peer, "completed", result=DONE)
        await ended.done.wait()
    assert again["inputResponses"] == {"who": ACCEPTED, "else": ACCEPTED}
    assert ended.result == DONE


async def test_a_state_from_before_the_refusal_is_not_taken_for_the_one_after_it() -> None:
    person = Person(answers=[{"who": ACCEPTED}])
    asks: dict[str, Any] = {"inputRequests": {"who": ASKS}, "pollIntervalMs": SOON_MS}
    async with scripted("modern", person=person) as (connection, peer), called(connection) as ended:
        await created(peer, "input_required", **asks)
        update, poll = await peer.request("tasks/update"), await peer.request("tasks/get")
        await peer.refuse(update, -32602, "task is already completed")
        assert await nothing_more(peer)
        await peer.answer(poll, resultType="complete", **state("input_required", **asks))
        await polled(peer, "completed", result=DONE)
        await ended.done.wait()
    assert ended.result == DONE


async def test_after_a_refusal_a_poll_without_an_answer_decides_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(task_states, "AGAIN_SECONDS", 0)
    person = Person(answers=[{"who": ACCEPTED}])
    async with scripted("modern", person=person) as (connection, peer), called(connection) as ended:
        await created(peer, "input_required", inputRequests={"who": ASKS})
        await peer.refuse(await peer.request("tasks/update"), -32602, "task is already completed")
        await peer.refuse(await peer.request("tasks/get"), -32603, "busy")
        await polled(peer, "completed", result=DONE)
        await ended.done.wait()
    assert ended.result == DONE


# --- asked for no more ------------------------------------------------------------------------------------------------


async def test_a_question_that_the_task_asks_no_more_is_withdrawn_and_asked_again_when_it_does() -> None:
    person = Person()
    async with scripted("modern", person=person) as (connection, peer), called(connection) as ended:
        await created(peer, "input_required", inputRequests={"who": ASKS})
        await person.turned.wait()
        await told(peer, "working", statusMessage="nobody answered, going on without")
        assert await nothing_more(peer)
        assert (person.given_up, len(person.asked)) == (1, 1)
        person.answers = [{"who": ACCEPTED}]
        await told(peer, "input_required", inputRequests={"who": ASKS})
        assert (await acknowledged(peer, "tasks/update"))["inputResponses"] == {"who": ACCEPTED}
        await told(peer, "completed", result=DONE)
        await ended.done.wait()
    assert (ended.result, person.given_up, len(person.asked)) == (DONE, 1, 2)


async def test_an_answer_to_what_the_task_asks_no_more_is_not_sent_and_the_rest_is() -> None:
    person = SlowPerson(answers={"one": ACCEPTED, "two": ACCEPTED})
    side = ClientSide(offer=EVERYTHING, respond=person.respond)
    async with scripted("modern", side=side) as (connection, peer), called(connection) as ended:
        await created(peer, "input_required", inputRequests={"one": ASKS, "two": ASKS})
        await person.turned.wait()
        await told(peer, "input_required", inputRequests={"two": ASKS})
        assert await nothing_more(peer)
        person.ready.set()
        assert (await acknowledged(peer, "tasks/update"))["inputResponses"] == {"two": ACCEPTED}
        await told(peer, "completed", result=DONE)
        await ended.done.wait()
    assert ended.result == DONE


async def test_answers_that_may_be_lost_are_not_sent_again_to_a_task_that_goes_on(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(task_questions, "AGAIN_SECONDS", 0)
    person = Person(answers=[{"who": ACCEPTED}])
    async with scripted("modern", person=person) as (connection, peer), called(connection) as ended:
        await created(peer, "input_required", inputRequests={"who": ASKS})
        await peer.request("tasks/update")  # and no answer
        await told(peer, "working")
        assert await nothing_more(peer)
        (deadline,) = connection.deadlines.running()
        deadline.scope.deadline = float("-inf")
        assert await nothing_more(peer)
        await told(peer, "completed", result=DONE)
        await ended.done.wait()
    assert ended.result == DONE


async def test_a_task_that_asks_and_takes_back_without_end_is_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(task_questions, "KEY_CAP", 2)
    person = Person()
    async with scripted("modern", person=person) as (connection, peer), called(connection) as ended:
        await created(peer)
        for _ in range(3):
            await told(peer, "input_required", inputRequests={"who": ASKS})
            while peer.waiting() == 0 and person.given_up == len(person.asked):
                await anyio.lowlevel.checkpoint()
            await told(peer, "working")
            while person.given_up < len(person.asked):
                await anyio.lowlevel.checkpoint()
        await acknowledged(peer, "tasks/cancel")
        await ended.done.wait()
    assert ended.failure is not None
    assert (ended.failure.problem.type, len(person.asked)) == ("protocol-violated", 2)
