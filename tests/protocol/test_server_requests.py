"""What a legacy server asks of us, at every revision of the handshake, and what becomes of a modern one that asks."""

from __future__ import annotations

import logging
from collections.abc import Mapping
from typing import Any

import anyio
import pytest

from mcp_host.core.interactions.requests import Asked, InputRequest
from mcp_host.core.offers import Offer
from mcp_host.problems import Problem
from mcp_host.protocol.client_side import ClientSide, NotAnswered
from mcp_host.protocol.connection import Connection
from mcp_host.protocol.errors import RequestFailed
from mcp_host.protocol.server_requests import OPEN_CAP
from tests.protocol.scripted import ACCEPTED, EVERYTHING, FORM, SAMPLED, SAMPLING, Person, called, scripted

pytestmark = pytest.mark.anyio

REVISIONS = ("2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25")
URL = {"mode": "url", "message": "Sign in", "url": "https://example.com", "elicitationId": "e1"}
ROOTS = {"roots": [{"uri": "file:///work"}]}
OURS = Problem(type="input-required", title="t", detail="s3cret words for the person", hint="h")

METHOD_NOT_FOUND, INVALID_PARAMS, INTERNAL_ERROR = -32601, -32602, -32603


@pytest.mark.behaviour("legacy.ping")
@pytest.mark.parametrize("revision", REVISIONS)
async def test_a_ping_is_answered_at_every_revision(revision: str) -> None:
    with anyio.fail_after(5):
        async with scripted("legacy", revision=revision) as (connection, peer):
            await peer.ask("ping", request_id="p")
            assert await peer.receive() == {"jsonrpc": "2.0", "id": "p", "result": {}}
    assert connection.identity.revision == revision


REQUESTS: dict[str, tuple[str, Mapping[str, Any] | None, Mapping[str, Any], tuple[str, ...]]] = {
    "roots": ("roots/list", None, ROOTS, REVISIONS),
    "sampling": ("sampling/createMessage", SAMPLING, SAMPLED, REVISIONS),
    "form": ("elicitation/create", FORM, ACCEPTED, REVISIONS[2:]),
    "form by name": ("elicitation/create", {**FORM, "mode": "form"}, ACCEPTED, REVISIONS[2:]),
    "url": ("elicitation/create", URL, {"action": "accept"}, REVISIONS[3:]),
}


@pytest.mark.behaviour("legacy.server-requests")
@pytest.mark.behaviour("legacy.requests-of-later-revisions")
@pytest.mark.parametrize("revision", REVISIONS)
@pytest.mark.parametrize("name", REQUESTS)
async def test_each_request_is_answered_where_its_revision_has_it(name: str, revision: str) -> None:
    method, params, result, revisions = REQUESTS[name]
    person = Person(answers=[{"request": result}])
    with anyio.fail_after(5):
        async with scripted("legacy", person=person, revision=revision) as (_, peer):
            await peer.ask(method, params, request_id=7)
            answer = await peer.receive()
    if revision in revisions:
        assert answer == {"jsonrpc": "2.0", "id": 7, "result": result}
        assert [asked.requests for asked in person.asked] == [
            (InputRequest(key="request", method=method, params=params or {}),)
        ]
    else:
        code = INVALID_PARAMS if name == "url" and revision == "2025-06-18" else METHOD_NOT_FOUND
        assert (answer["id"], answer["error"]["code"], person.asked) == (7, code, [])


REFUSED: dict[str, tuple[Offer, str, Mapping[str, Any] | None, int]] = {
    "sampling": (Offer(), "sampling/createMessage", SAMPLING, METHOD_NOT_FOUND),
    "sampling with tools": (EVERYTHING, "sampling/createMessage", {**SAMPLING, "tools": []}, INVALID_PARAMS),
    "roots": (Offer(legacy_roots=False), "roots/list", None, METHOD_NOT_FOUND),
    "elicitation": (Offer(elicitation=False), "elicitation/create", FORM, METHOD_NOT_FOUND),
    "an unknown mode": (EVERYTHING, "elicitation/create", {**FORM, "mode": "voice"}, INVALID_PARAMS),
    "a request of ours": (EVERYTHING, "tools/list", None, METHOD_NOT_FOUND),
    "nonsense": (EVERYTHING, "no/such", {}, METHOD_NOT_FOUND),
}


@pytest.mark.behaviour("legacy.only-what-was-offered")
@pytest.mark.parametrize("name", REFUSED)
async def test_what_was_not_offered_is_refused_and_asks_nobody(name: str) -> None:
    offer, method, params, code = REFUSED[name]
    person = Person()
    with anyio.fail_after(5):
        async with scripted("legacy", side=ClientSide(offer=offer, respond=person.respond)) as (_, peer):
            await peer.ask(method, params)
            answer = await peer.receive()
    assert (answer["id"], answer["error"]["code"], person.asked) == ("s1", code, [])


@pytest.mark.behaviour("legacy.refusal-by-a-person")
@pytest.mark.parametrize("code", [-1, -32603])
async def test_a_request_without_an_answer_is_refused_with_its_code_and_without_our_words(code: int) -> None:
    person = Person(answers=[NotAnswered(OURS, code=code)])
    with anyio.fail_after(5):
        async with scripted("legacy", person=person) as (_, peer):
            await peer.ask("sampling/createMessage", SAMPLING)
            answer = await peer.receive()
    assert answer == {
        "jsonrpc": "2.0",
        "id": "s1",
        "error": {"code": code, "message": "The request was not answered"},
    }


async def test_a_fault_of_our_own_while_answering_is_told_without_its_words(caplog: pytest.LogCaptureFixture) -> None:
    person = Person(answers=[RuntimeError("s3cret"), {"request": ROOTS}])
    with anyio.fail_after(5):
        async with scripted("legacy", person=person) as (_, peer):
            await peer.ask("roots/list")
            answer = await peer.receive()
            await peer.ask("roots/list")
            assert (await peer.receive())["result"] == ROOTS
    assert answer["error"] == {"code": INTERNAL_ERROR, "message": "The client failed to answer"}
    assert "RuntimeError while answering played" in caplog.text
    assert "s3cret" not in caplog.text


@pytest.mark.behaviour("legacy.cancelled-by-the-server")
async def test_a_request_that_the_server_takes_back_is_withdrawn_and_not_answered() -> None:
    person = Person()
    with anyio.fail_after(5):
        async with scripted("legacy", person=person) as (_, peer):
            await peer.ask("elicitation/create", FORM, request_id=3)
            await person.turned.wait()
            await peer.say("notifications/cancelled", {"requestId": 3, "reason": "never mind"})
            await peer.ask("ping", request_id="p")
            assert (await peer.receive())["id"] == "p"
            assert (person.given_up, peer.waiting()) == (1, 0)


@pytest.mark.behaviour("legacy.requests-bounded")
async def test_a_server_that_asks_for_too_much_at_once_is_refused_the_rest() -> None:
    person = Person()
    with anyio.fail_after(5):
        async with scripted("legacy", person=person) as (_, peer):
            for number in range(OPEN_CAP + 1):
                await peer.ask("elicitation/create", FORM, request_id=number)
            answer = await peer.receive()
            assert (answer["id"], answer["error"]["code"]) == (OPEN_CAP, INTERNAL_ERROR)
            assert len(person.asked) == OPEN_CAP
            await peer.say("notifications/cancelled", {"requestId": 0})
            await peer.ask("ping")
            await peer.receive()
            person.answers = [{"request": ACCEPTED}]
            await peer.ask("elicitation/create", FORM, request_id="room again")
            assert await peer.receive() == {"jsonrpc": "2.0", "id": "room again", "result": ACCEPTED}


@pytest.mark.behaviour("legacy.names-the-call")
async def test_a_question_names_the_only_call_that_runs() -> None:
    person = Person(answers=[{"request": ACCEPTED}] * 3)
    async with scripted("legacy", person=person) as (connection, peer):
        await peer.ask("elicitation/create", FORM)
        await peer.receive()
        async with called(connection, call="c1"):
            first = await peer.request("tools/call")
            await peer.ask("elicitation/create", FORM)
            await peer.receive()
            async with called(connection, call="c2"):
                second = await peer.request("tools/call")
                await peer.ask("elicitation/create", FORM)
                await peer.receive()
                await peer.answer(second, content=[])
            await peer.answer(first, content=[])
    request = InputRequest(key="request", method="elicitation/create", params=FORM)
    assert person.asked == [
        Asked(alias="played", requests=(request,), doing="it runs on its own"),
        Asked(alias="played", requests=(request,), doing="calling echo", tool="echo", call="c1"),
        Asked(alias="played", requests=(request,), doing="2 calls of it run"),
    ]


@pytest.mark.behaviour("legacy.names-the-call")
async def test_what_this_host_reads_for_itself_is_no_reason_to_ask() -> None:
    person = Person(answers=[{"request": ACCEPTED}] * 2)

    async def read_lists(connection: Connection) -> None:
        await connection.request("tools/list", {}, doing="reading tools/list", timeout_seconds=5)

    with anyio.fail_after(5):
        async with scripted("legacy", person=person) as (connection, peer), anyio.create_task_group() as tasks:
            tasks.start_soon(read_lists, connection)
            listing = await peer.request("tools/list")
            await peer.ask("elicitation/create", FORM)
            await peer.receive()
            async with called(connection, call="c1"):
                request = await peer.request("tools/call")
                await peer.ask("elicitation/create", FORM)
                await peer.receive()
                await peer.answer(request, content=[])
            await peer.answer(listing, tools=[])
    assert [(asked.doing, asked.call) for asked in person.asked] == [
        ("it runs on its own", None),
        ("calling echo", "c1"),
    ]


@pytest.mark.behaviour("legacy.withdrawn-with-its-call")
async def test_a_question_of_a_call_that_is_cancelled_is_withdrawn_with_it() -> None:
    person = Person()
    async with scripted("legacy", person=person) as (connection, peer), called(connection) as ended:
        request = await peer.request("tools/call")
        await peer.ask("elicitation/create", FORM, request_id=9)
        await person.turned.wait()
        ended.scope.cancel()
        told = [await peer.receive(), await peer.receive()]
    assert person.given_up == 1
    cancelled = next(message for message in told if "method" in message)
    answer = next(message for message in told if "method" not in message)
    assert (cancelled["method"], cancelled["params"]["requestId"]) == ("notifications/cancelled", request["id"])
    assert (answer["id"], answer["error"]["code"]) == (9, -1)


@pytest.mark.behaviour("legacy.person-off-the-clock")
async def test_a_call_does_not_time_out_while_a_person_is_asked_for_it() -> None:
    person = Person()
    async with scripted("legacy", person=person) as (connection, peer), called(connection, seconds=60):
        request = await peer.request("tools/call")
        (deadline,) = connection.deadlines.running()
        assert deadline.scope.deadline < float("inf")
        await peer.ask("elicitation/create", FORM)
        await person.turned.wait()
        assert deadline.scope.deadline == float("inf")
        await peer.say("notifications/cancelled", {"requestId": "s1"})
        await peer.ask("ping")
        await peer.receive()
        assert deadline.scope.deadline < float("inf")
        await peer.answer(request, content=[])


@pytest.mark.behaviour("modern.no-responses")
async def test_a_modern_server_that_sends_a_request_gets_no_response_and_the_connection_goes_on(
    caplog: pytest.LogCaptureFixture,
) -> None:
    person = Person()
    async with scripted("modern", person=person) as (connection, peer), called(connection) as ended:
        with caplog.at_level(logging.WARNING):
            for method, params in (("ping", None), ("elicitation/create", FORM), ("roots/list", None)):
                await peer.ask(method, params)
            await anyio.wait_all_tasks_blocked()
        request = await peer.request("tools/call")
        assert peer.waiting() == 0
        await peer.answer(request, content=[])
        await ended.done.wait()
    assert (ended.result, person.asked) == ({"content": []}, [])
    assert caplog.text.count("played sends requests") == 1


async def test_a_connection_that_is_closed_withdraws_what_is_asked() -> None:
    person = Person()
    with anyio.fail_after(5):
        async with scripted("legacy", person=person) as (_, peer):
            await peer.ask("elicitation/create", FORM)
            await person.turned.wait()
    assert person.given_up == 1


async def test_a_wire_that_the_server_closes_withdraws_what_is_asked_and_ends_the_call() -> None:
    person = Person()
    async with scripted("legacy", person=person) as (connection, peer), called(connection) as ended:
        await peer.request("tools/call")
        await peer.ask("elicitation/create", FORM)
        await person.turned.wait()
        peer.to_client.close()
        await ended.done.wait()
    assert person.given_up == 1
    assert isinstance(ended.failure, RequestFailed)
    assert (ended.failure.problem.type, ended.failure.answered) == ("server-unavailable", False)


async def test_a_session_that_is_lost_withdraws_also_what_is_asked_for_one_of_several_calls() -> None:
    person = Person()
    async with (
        scripted("legacy", person=person) as (connection, peer),
        called(connection) as first,
        called(connection) as second,
    ):
        for _call in range(2):
            await peer.request("tools/call")
        await peer.ask("elicitation/create", FORM)
        await person.turned.wait()
        connection.ended.set()  # the wire stands, as it does over HTTP
        while not person.given_up:
            await anyio.lowlevel.checkpoint()
        first.scope.cancel()
        second.scope.cancel()
    assert person.given_up == 1
