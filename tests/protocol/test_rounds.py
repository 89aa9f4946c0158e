"""Rounds of any request that may ask, and what of them is kept and kept apart."""

from __future__ import annotations

from typing import Any

import anyio
import pytest

from mcp_host.protocol.connection import Connection
from tests.protocol.asking_rounds import ASKS_FORM, asks, no_pause, without_meta
from tests.protocol.scripted import ACCEPTED, Person, called, scripted

pytestmark = pytest.mark.anyio


@pytest.mark.behaviour("mrtr.three-requests-may-ask")
@pytest.mark.parametrize(("method", "params"), [("prompts/get", {"name": "p"}), ("resources/read", {"uri": "a://b"})])
async def test_prompts_and_resources_may_ask_as_tools_do(method: str, params: dict[str, Any]) -> None:
    person = Person(answers=[{"who": ACCEPTED}])
    results: list[dict[str, Any]] = []
    again: dict[str, Any] = {}

    async def run(connection: Connection) -> None:
        results.append(await connection.request(method, params, doing="trying it", timeout_seconds=5))

    with anyio.fail_after(5):
        async with scripted("modern", person=person) as (connection, peer), anyio.create_task_group() as tasks:
            tasks.start_soon(run, connection)
            await peer.answer(await peer.request(method), resultType="input_required", inputRequests=ASKS_FORM)
            again = await peer.request(method)
            await peer.answer(again, resultType="complete", done=True)
    assert results == [{"resultType": "complete", "done": True}]
    assert without_meta(again["params"]) == {**params, "inputResponses": {"who": ACCEPTED}}
    assert [(asked.doing, asked.tool) for asked in person.asked] == [("trying it", None)]


@pytest.mark.behaviour("mrtr.never-cached")
@pytest.mark.parametrize("question", [{"inputRequests": ASKS_FORM}, {"requestState": "again"}])
async def test_a_result_that_came_after_a_question_does_not_say_how_long_it_may_be_kept(
    question: dict[str, Any],
) -> None:
    person = Person(answers=[{"who": ACCEPTED}])
    kept: dict[str, Any] = {"contents": [], "ttlMs": 60_000, "cacheScope": "private"}
    results: list[dict[str, Any]] = []

    async def read(connection: Connection) -> None:
        results.append(await connection.request("resources/read", {"uri": "a://b"}, doing="reading", timeout_seconds=5))

    with anyio.fail_after(5):
        async with scripted("modern", person=person) as (connection, peer):
            connection.pause = no_pause
            async with anyio.create_task_group() as tasks:
                tasks.start_soon(read, connection)
                await peer.answer(await peer.request("resources/read"), resultType="input_required", **question)
                await peer.answer(await peer.request("resources/read"), **kept)
            async with anyio.create_task_group() as tasks:
                tasks.start_soon(read, connection)
                await peer.answer(await peer.request("resources/read"), **kept)
    assert results == [{"contents": []}, kept]


@pytest.mark.behaviour("mrtr.rounds-of-one-request-only")
async def test_the_answers_and_the_state_of_one_call_are_not_sent_with_another() -> None:
    person = Person(answers=[{"who": ACCEPTED}])
    async with scripted("modern", person=person) as (connection, peer), called(connection):
        await asks(peer, ASKS_FORM, requestState="mine")
        again = await peer.request("tools/call")
        async with called(connection):
            other = await peer.request("tools/call")
            await peer.answer(other, content=[])
        await peer.answer(again, content=[])
    assert without_meta(other["params"]) == {"name": "echo", "arguments": {"n": 1}}
