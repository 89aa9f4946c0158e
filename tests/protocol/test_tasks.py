"""A call that a server makes a task of: followed to its end, answered, cancelled, lost."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import anyio
import pytest

from mcp_host.core.offers import Offer
from mcp_host.core.tasks import TASKS_EXTENSION, RunningTask, Task
from mcp_host.protocol import task_states
from mcp_host.protocol.client_side import ClientSide
from tests.protocol.over_http import answers, connecting, discovered, in_turn
from tests.protocol.scripted import ACCEPTED, ECHO, Person, called, scripted
from tests.protocol.task_script import (
    ASKS,
    DONE,
    NEVER_MS,
    SOON_MS,
    acknowledged,
    created,
    nothing_more,
    polled,
    state,
    told,
)
from tests.protocol.transports.raw_http import RawHttpServer, serving

pytestmark = pytest.mark.anyio

# --- to its end -------------------------------------------------------------------------------------------------------


@pytest.mark.behaviour("tasks.polled")
@pytest.mark.behaviour("tasks.result")
async def test_a_task_is_asked_for_until_it_has_the_result_of_the_call() -> None:
    async with scripted("modern") as (connection, peer), called(connection) as ended:
        await created(peer, pollIntervalMs=SOON_MS)
        requests = [
            await polled(peer, "working", pollIntervalMs=SOON_MS),
            await polled(peer, "completed", result=DONE),
        ]
        await ended.done.wait()
        assert await nothing_more(peer)
    assert ended.result == DONE
    assert [request["params"]["taskId"] for request in requests] == ["t1", "t1"]
    declared = requests[0]["params"]["_meta"]["io.modelcontextprotocol/clientCapabilities"]["extensions"]
    assert declared == {TASKS_EXTENSION: {}}


@pytest.mark.behaviour("tasks.lenient-result-type")
async def test_an_answer_that_calls_itself_a_task_again_is_taken() -> None:
    async with scripted("modern") as (connection, peer), called(connection) as ended:
        await created(peer, pollIntervalMs=SOON_MS)
        await polled(peer, "completed", resultType="task", result=DONE)
        await ended.done.wait()
    assert ended.result == DONE


@pytest.mark.behaviour("tasks.result")
async def test_a_tool_that_says_no_in_a_task_has_a_result_as_ever() -> None:
    async with scripted("modern") as (connection, peer), called(connection) as ended:
        await created(peer)
        await told(peer, "completed", result={"content": [], "isError": True})
        await ended.done.wait()
    assert ended.result == {"content": [], "isError": True}


async def test_a_task_that_is_over_when_it_is_created_is_not_asked_for() -> None:
    async with scripted("modern") as (connection, peer), called(connection) as ended:
        await created(peer, "completed", result=DONE)
        await ended.done.wait()
        assert await nothing_more(peer)
    assert ended.result == DONE


async def test_a_task_that_is_over_when_it_is_created_and_keeps_its_result_is_asked_for_at_once() -> None:
    async with scripted("modern") as (connection, peer), called(connection) as ended:
        await created(peer, "completed")
        await polled(peer, "completed", result=DONE)
        await ended.done.wait()
    assert ended.result == DONE


@pytest.mark.behaviour("tasks.failed")
async def test_a_task_that_failed_keeps_its_error() -> None:
    async with scripted("modern") as (connection, peer), called(connection) as ended:
        await created(peer)
        error = {"code": -32000, "message": "Connection closed"}  # also the SDK's words for something else
        await told(peer, "failed", error=error, statusMessage="The disk is full")
        await ended.done.wait()
        assert not connection.ended.is_set()
        assert await nothing_more(peer)
    failure = ended.failure
    assert failure is not None
    assert (failure.sent, failure.answered, failure.code) == (True, True, -32000)
    assert (failure.problem.type, failure.problem.tool) == ("request-refused", "echo")
    assert failure.problem.detail == "Error -32000: Connection closed\nThe disk is full"


async def test_a_task_that_its_server_cancelled_is_a_refusal() -> None:
    async with scripted("modern") as (connection, peer), called(connection) as ended:
        await created(peer)
        await told(peer, "cancelled", statusMessage="Maintenance")
        await ended.done.wait()
        assert await nothing_more(peer)
    failure = ended.failure
    assert failure is not None
    assert (failure.problem.type, failure.answered, failure.code) == ("request-refused", True, None)
    assert failure.problem.title == "played cancelled its task while calling echo"
    assert "Maintenance" in failure.problem.detail


async def test_what_is_said_of_another_task_or_cannot_be_read_changes_nothing() -> None:
    async with scripted("modern") as (connection, peer), called(connection) as ended:
        await created(peer)
        await told(peer, "completed", task_id="t2", result={"content": ["of another"]})
        await told(peer, "completed")
        await peer.say("notifications/tasks")
        await told(peer, "completed", result=DONE)
        await ended.done.wait()
    assert ended.result == DONE


async def test_tasks_at_the_same_time_do_not_meet() -> None:
    async with (
        scripted("modern") as (connection, peer),
        called(connection, call="c1") as one,
        called(connection, call="c2") as two,
    ):
        await created(peer, task_id="t1")
        await created(peer, task_id="t2")
        while len(connection.tasks_running) < 2:
            await anyio.lowlevel.checkpoint()
        assert [running.call for running in connection.tasks_running.values()] == ["c1", "c2"]
        await told(peer, "completed", task_id="t2", result={"content": [2]})
        await two.done.wait()
        await told(peer, "completed", task_id="t1", result={"content": [1]})
        await one.done.wait()
    assert (one.result, two.result) == ({"content": [1]}, {"content": [2]})


async def test_what_runs_can_be_seen_with_what_the_server_says_of_it() -> None:
    progress: list[tuple[float, float | None, str | None]] = []

    async def on_progress(number: float, total: float | None, message: str | None) -> None:
        progress.append((number, total, message))

    async with scripted("modern") as (connection, peer):
        with anyio.fail_after(5):
            async with anyio.create_task_group() as tasks:
                tasks.start_soon(_call, connection, on_progress)
                await created(peer)
                for words in ("Reading", "Reading", "Writing"):
                    await told(peer, "working", statusMessage=words)
                    while connection.tasks_running.get("t1") != _running(words):
                        await anyio.lowlevel.checkpoint()
                await told(peer, "completed", result=DONE, statusMessage="Ready")
        assert connection.tasks_running == {}
    assert progress == [(1, None, "task working"), (2, None, "Reading"), (3, None, "Writing")]


async def _call(connection: Any, on_progress: Any) -> None:
    await connection.call_tool(ECHO, {}, timeout_seconds=5, on_progress=on_progress)


def _running(words: str) -> RunningTask:
    return RunningTask(
        tool="echo",
        call=None,
        task=Task(
            task_id="t1",
            status="working",
            message=words,
            created_at="2026-11-30T10:00:00Z",
            updated_at="2026-11-30T10:00:00Z",
            poll_interval_ms=NEVER_MS,
        ),
    )


# --- told instead of asked --------------------------------------------------------------------------------------------


@pytest.mark.behaviour("tasks.notified")
async def test_the_states_of_a_running_task_are_listened_for_as_long_as_it_runs() -> None:
    async with scripted("modern", extensions={TASKS_EXTENSION: {}}) as (connection, peer), called(connection) as ended:
        await created(peer)
        listen = await peer.request("subscriptions/listen")
        assert listen["params"]["notifications"] == {"taskIds": ["t1"]}
        meta = {"io.modelcontextprotocol/subscriptionId": listen["id"]}
        await peer.say(
            "notifications/subscriptions/acknowledged", {"notifications": {"taskIds": ["t1"]}, "_meta": meta}
        )
        await told(peer, "completed", result=DONE, _meta=meta)
        await ended.done.wait()
        over = await peer.receive()
        assert (over["method"], over["params"]["requestId"]) == ("notifications/cancelled", listen["id"])
    assert ended.result == DONE


# --- given up, or lost ------------------------------------------------------------------------------------------------


@pytest.mark.behaviour("tasks.cancel")
@pytest.mark.parametrize("when", ["between two polls", "during a poll", "during a question"])
async def test_a_call_that_is_given_up_cancels_its_task_and_no_request(when: str) -> None:
    person = Person()
    async with scripted("modern", person=person) as (connection, peer), called(connection) as ended:
        if when == "during a question":
            await created(peer, "input_required", inputRequests={"who": ASKS})
            await person.turned.wait()
        else:
            await created(peer, pollIntervalMs=NEVER_MS if when == "between two polls" else SOON_MS)
        if when == "during a poll":
            await peer.request("tasks/get")
        else:
            assert await nothing_more(peer)
        ended.scope.cancel()
        assert await acknowledged(peer, "tasks/cancel") == {"taskId": "t1"}
        await ended.done.wait()
        assert await nothing_more(peer)  # no notifications/cancelled: of tasks, the extension forbids it
        assert connection.tasks_running == {}
    assert (ended.result, ended.failure) == (None, None)
    assert person.given_up == len(person.asked)


async def test_a_server_that_does_not_answer_to_a_cancellation_holds_nobody_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("mcp_host.protocol.tasks.CANCEL_SECONDS", 0.05)
    async with scripted("modern") as (connection, peer), called(connection) as ended:
        await created(peer)
        assert await nothing_more(peer)
        ended.scope.cancel()
        await ended.done.wait()
        await peer.request("tasks/cancel")
        assert await nothing_more(peer)  # a cancellation is not cancelled
    assert ended.failure is None


@pytest.mark.behaviour("tasks.unknown-id")
async def test_a_task_that_the_server_does_not_know_any_more_leaves_its_outcome_open() -> None:
    async with scripted("modern") as (connection, peer), called(connection) as ended:
        await created(peer, pollIntervalMs=SOON_MS)
        await peer.refuse(await peer.request("tasks/get"), -32602, "Task has expired")
        await ended.done.wait()
        assert await nothing_more(peer)  # there is nothing to cancel
    failure = ended.failure
    assert failure is not None
    assert (failure.sent, failure.answered, failure.problem.type) == (True, False, "request-refused")
    assert failure.problem.title == "played does not know its task any more (while calling echo)"
    assert "Task has expired" in failure.problem.detail


@pytest.mark.behaviour("tasks.ttl")
async def test_a_task_that_outlives_its_time_is_asked_for_once_more_and_then_given_up() -> None:
    async with scripted("modern") as (connection, peer), called(connection) as ended:
        await created(peer, ttlMs=50)
        await polled(peer, "working", ttlMs=100)  # it was given more time
        await polled(peer, "working", ttlMs=100)
        await acknowledged(peer, "tasks/cancel")
        await ended.done.wait()
    failure = ended.failure
    assert failure is not None
    assert (failure.sent, failure.answered, failure.problem.type) == (True, False, "request-timed-out")
    assert failure.problem.detail == "The server gave it 0.1 s, and it is still working."


async def test_a_task_that_ends_with_its_time_has_its_result() -> None:
    async with scripted("modern") as (connection, peer), called(connection) as ended:
        await created(peer, ttlMs=20)
        await polled(peer, "completed", ttlMs=20, result=DONE)
        await ended.done.wait()
    assert ended.result == DONE


async def test_the_end_of_its_time_makes_nobody_ask_a_failing_server_faster(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(task_states, "AGAIN_SECONDS", 10**6)
    async with scripted("modern") as (connection, peer), called(connection) as ended:
        await created(peer, ttlMs=20)
        await peer.refuse(await peer.request("tasks/get"), -32603, "busy")
        assert await nothing_more(peer)
        await told(peer, "completed", result=DONE)
        await ended.done.wait()
    assert ended.result == DONE


async def test_a_poll_that_gets_no_answer_ends_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(task_states, "AGAIN_SECONDS", 0)
    async with scripted("modern") as (connection, peer), called(connection, seconds=0.05) as ended:
        await created(peer, pollIntervalMs=SOON_MS)
        await peer.request("tasks/get")  # and no answer
        await peer.refuse(await peer.request("tasks/get"), -32603, "busy")
        await polled(peer, "completed", result=DONE)
        await ended.done.wait()
    assert ended.result == DONE


async def test_a_server_that_answers_no_poll_leaves_the_outcome_open(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(task_states, "AGAIN_SECONDS", 0)
    async with scripted("modern") as (connection, peer), called(connection) as ended:
        await created(peer, pollIntervalMs=SOON_MS)
        for _ in range(task_states.POLL_PATIENCE):
            await peer.refuse(await peer.request("tasks/get"), -32603, "busy")
        await acknowledged(peer, "tasks/cancel")
        await ended.done.wait()
    failure = ended.failure
    assert failure is not None
    assert (failure.sent, failure.answered, failure.code) == (True, False, None)
    assert "busy" in failure.problem.detail


async def test_a_connection_that_ends_leaves_the_outcome_open() -> None:
    async with scripted("modern") as (connection, peer), called(connection) as ended:
        await created(peer)
        assert await nothing_more(peer)
        connection.ended.set()
        await ended.done.wait()
        assert await nothing_more(peer)
        assert connection.tasks_running == {}
    failure = ended.failure
    assert failure is not None
    assert (failure.sent, failure.answered, failure.problem.type) == (True, False, "server-unavailable")
    assert failure.problem.retryable is False


@pytest.mark.parametrize(
    "odd", [{"taskId": None}, {"taskId": ""}, {"status": "submitted"}, {"status": "completed", "result": []}]
)
async def test_a_task_that_cannot_be_followed_leaves_the_outcome_open(odd: Mapping[str, Any]) -> None:
    async with scripted("modern") as (connection, peer), called(connection) as ended:
        request = await peer.request("tools/call")
        await peer.answer(request, **{"resultType": "task", **state(), **odd})
        await ended.done.wait()
    failure = ended.failure
    assert failure is not None
    assert (failure.problem.type, failure.sent, failure.answered) == ("protocol-violated", True, False)


@pytest.mark.behaviour("tasks.result")
@pytest.mark.parametrize("kind", ["task", "input_required", "odd", 1])
async def test_a_task_cannot_end_with_what_is_no_result_of_a_call(kind: object) -> None:
    async with scripted("modern") as (connection, peer), called(connection) as ended:
        await created(peer)
        await told(peer, "completed", result={**DONE, "resultType": kind})
        await ended.done.wait()
    failure = ended.failure
    assert failure is not None
    assert (failure.problem.type, failure.sent, failure.answered) == ("protocol-violated", True, False)


async def test_an_answer_about_another_task_ends_the_call() -> None:
    async with scripted("modern") as (connection, peer), called(connection) as ended:
        await created(peer, pollIntervalMs=SOON_MS)
        await polled(peer, "completed", task_id="t2", result={"content": ["of another"]})
        assert await acknowledged(peer, "tasks/cancel") == {"taskId": "t1"}
        await ended.done.wait()
    failure = ended.failure
    assert failure is not None
    assert (failure.problem.type, failure.answered) == ("protocol-violated", False)
    assert "it is about another task" in failure.problem.detail


# --- over HTTP --------------------------------------------------------------------------------------------------------


@pytest.mark.behaviour("tasks.name-header")
async def test_over_http_every_request_about_a_task_is_named_by_it() -> None:
    side = ClientSide(offer=Offer(), respond=Person(answers=[{"who": ACCEPTED}]).respond)
    soon: dict[str, Any] = {"pollIntervalMs": SOON_MS}
    handlers = {
        "server/discover": answers(discovered(tools={})),
        "tools/call": in_turn(
            answers({"resultType": "task", **state(**soon)}),
            answers({"resultType": "task", **state("input_required", inputRequests={"x": {"method": "y"}}, **soon)}),
        ),
        "tasks/get": in_turn(
            answers(state("input_required", inputRequests={"who": ASKS}, **soon)),
            answers(state("completed", result=DONE)),
        ),
        "tasks/update": answers({}),
        "tasks/cancel": answers({}),
    }
    with anyio.fail_after(10):
        async with serving(RawHttpServer(handlers=handlers)) as server, connecting(server.url, side) as connection:
            assert await connection.call_tool(ECHO, {}, timeout_seconds=5) == DONE
            async with called(connection):
                pass  # it asks for something unheard of, and is cancelled
    about_tasks = [seen for seen in server.seen if seen.message["method"].startswith("tasks/")]
    assert {seen.message["method"] for seen in about_tasks} == {"tasks/get", "tasks/update", "tasks/cancel"}
    named = [(seen.headers["mcp-method"], seen.headers["mcp-name"]) for seen in about_tasks]
    assert named == [(seen.message["method"], "t1") for seen in about_tasks]
