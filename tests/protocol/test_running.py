"""Which running calls a legacy server's question may be for, what ends it, and what a refusal explains."""

from __future__ import annotations

import anyio
import pytest

from mcp_host.problems import Problem
from mcp_host.protocol.client_side import NotAnswered
from mcp_host.protocol.running import NOT_ANSWERED
from tests.protocol.scripted import ACCEPTED, FORM, SAMPLING, Person, called, scripted

pytestmark = pytest.mark.anyio

OURS = Problem(type="input-required", title="refused", detail="You declined it.", hint="h")


async def test_a_question_of_a_call_that_has_its_result_is_withdrawn() -> None:
    person = Person()
    async with scripted("legacy", person=person) as (connection, peer), called(connection, call="c1") as ended:
        request = await peer.request("tools/call")
        await peer.ask("elicitation/create", FORM, request_id=9)
        await person.turned.wait()
        await peer.answer(request, content=[])
        answer = await peer.receive()
        await ended.done.wait()
    assert (ended.result, person.given_up) == ({"content": []}, 1)
    assert (answer["id"], answer["error"]["code"]) == (9, -1)


async def test_a_question_asked_while_several_calls_ran_is_withdrawn_when_the_last_of_them_has_ended() -> None:
    person = Person()
    async with (
        scripted("legacy", person=person) as (connection, peer),
        called(connection) as first,
        called(connection) as second,
    ):
        requests = [await peer.request("tools/call"), await peer.request("tools/call")]
        await peer.ask("elicitation/create", FORM, request_id=9)
        await person.turned.wait()
        async with called(connection) as later:  # it is not what the question is for
            unrelated = await peer.request("tools/call")
            await peer.answer(requests[0], content=[])
            await first.done.wait()
            await anyio.wait_all_tasks_blocked()
            assert (person.given_up, peer.waiting()) == (0, 0)
            second.scope.cancel()
            told = [await peer.receive(), await peer.receive()]
            assert person.given_up == 1
            assert {message.get("id") for message in told} == {None, 9}
            await peer.answer(unrelated, content=[])
            await later.done.wait()
    assert later.result == {"content": []}


async def test_a_question_asked_while_no_call_ran_outlives_the_next_one() -> None:
    person = Person()
    async with scripted("legacy", person=person) as (connection, peer):
        await peer.ask("elicitation/create", FORM, request_id=9)
        await person.turned.wait()
        async with called(connection) as ended:
            await peer.answer(await peer.request("tools/call"), content=[])
            await ended.done.wait()
        await anyio.wait_all_tasks_blocked()
        assert (person.given_up, peer.waiting()) == (0, 0)


async def test_a_server_that_hands_a_refusal_back_fails_for_the_reason_of_the_refusal() -> None:
    person = Person(answers=[NotAnswered(OURS)])
    async with scripted("legacy", person=person) as (connection, peer), called(connection) as ended:
        request = await peer.request("tools/call")
        await peer.ask("sampling/createMessage", SAMPLING)
        await peer.receive()
        await peer.refuse(request, -1, f"MCP error -1: {NOT_ANSWERED}")
        await ended.done.wait()
    failure = ended.failure
    assert failure is not None
    assert (failure.problem, failure.sent, failure.answered, failure.code) == (OURS, True, True, -1)


@pytest.mark.parametrize("code", [-1, -32603])
async def test_a_failure_after_a_refusal_keeps_the_servers_words_and_has_the_refusal_as_its_cause(code: int) -> None:
    person = Person(answers=[NotAnswered(OURS), {"request": ACCEPTED}])
    async with scripted("legacy", person=person) as (connection, peer), called(connection) as ended:
        request = await peer.request("tools/call")
        await peer.ask("sampling/createMessage", SAMPLING)
        await peer.receive()
        await peer.refuse(request, code, "wrote 3 of 5 files, then the disk was full", {"files": 3})
        await ended.done.wait()
    failure = ended.failure
    assert failure is not None
    assert "the disk was full" in failure.problem.detail
    assert (failure.problem.type, failure.problem.causes) == ("request-refused", (OURS,))
    assert (failure.sent, failure.answered, failure.code, failure.data) == (True, True, code, {"files": 3})
