"""Which kind of result each request may have, in either era."""

from __future__ import annotations

from typing import Any

import anyio
import pytest

from mcp_host.core.catalog.catalog import Era, ServerIdentity
from mcp_host.core.offers import Offer
from mcp_host.protocol.client_side import ClientSide
from mcp_host.protocol.connection import Connection
from mcp_host.protocol.envelope import Envelope
from mcp_host.protocol.errors import RequestFailed
from mcp_host.protocol.result_types import kind_of
from mcp_host.protocol.wording import Attempt
from tests.protocol.scripted import called, scripted

TASKS: dict[str, Any] = {"extensions": {"io.modelcontextprotocol/tasks": {}}}
ATTEMPT = Attempt(alias="a", doing="doing it")
UNKNOWN: list[Any] = ["weird", "", "Complete", None, 1, True, {"kind": "complete"}, ["complete"]]


def envelope(era: Era = "modern", capabilities: dict[str, Any] = TASKS) -> Envelope:
    revision = "2026-07-28" if era == "modern" else "2025-11-25"
    return Envelope(identity=ServerIdentity(era=era, revision=revision), client_info={}, capabilities=capabilities)


@pytest.mark.behaviour("results.absent-is-complete")
@pytest.mark.parametrize("raw", [{}, {"resultType": "complete"}])
def test_a_result_without_a_kind_is_complete(raw: dict[str, Any]) -> None:
    assert kind_of(raw, "tools/list", envelope=envelope(), attempt=ATTEMPT) == "complete"


@pytest.mark.behaviour("results.unknown-is-invalid")
@pytest.mark.parametrize("kind", UNKNOWN)
def test_an_unknown_kind_is_a_violation_that_leaves_the_outcome_open(kind: Any) -> None:
    with pytest.raises(RequestFailed) as caught:
        kind_of({"resultType": kind, "content": []}, "tools/call", envelope=envelope(), attempt=ATTEMPT)
    failure = caught.value
    assert (failure.problem.type, failure.sent, failure.answered) == ("protocol-violated", True, False)
    assert not failure.problem.retryable


@pytest.mark.behaviour("mrtr.three-requests-may-ask")
@pytest.mark.parametrize("method", ["tools/list", "resources/list", "prompts/list", "completion/complete", "tasks/get"])
def test_no_other_request_may_be_answered_with_a_question(method: str) -> None:
    with pytest.raises(RequestFailed):
        kind_of({"resultType": "input_required"}, method, envelope=envelope(), attempt=ATTEMPT)


@pytest.mark.behaviour("results.task-only-where-offered")
def test_a_task_is_an_answer_to_a_call_alone_and_where_tasks_were_offered() -> None:
    raw = {"resultType": "task"}
    assert kind_of(raw, "tools/call", envelope=envelope(), attempt=ATTEMPT) == "task"
    assert kind_of(raw, "tasks/get", envelope=envelope(), attempt=ATTEMPT) == "complete"
    for method, capabilities in (("tools/call", {}), ("resources/read", TASKS), ("tasks/get", {})):
        with pytest.raises(RequestFailed):
            kind_of(raw, method, envelope=envelope(capabilities=capabilities), attempt=ATTEMPT)


@pytest.mark.parametrize("kind", ["complete", "input_required", "task", *UNKNOWN])
def test_a_legacy_result_has_no_kind(kind: Any) -> None:
    assert kind_of({"resultType": kind}, "tools/call", envelope=envelope("legacy"), attempt=ATTEMPT) == "complete"


def test_a_long_kind_is_not_told() -> None:
    with pytest.raises(RequestFailed) as caught:
        kind_of({"resultType": "x" * 101}, "tools/call", envelope=envelope(), attempt=ATTEMPT)
    assert "xx" not in caught.value.problem.detail


@pytest.mark.anyio
@pytest.mark.behaviour("results.unknown-is-invalid")
@pytest.mark.parametrize("kind", ["weird", "task"])
async def test_a_call_that_is_answered_with_such_a_result_has_no_result_however_complete_it_looks(kind: str) -> None:
    side = ClientSide(offer=Offer(tasks=False))
    async with scripted("modern", side=side) as (connection, peer), called(connection) as ended:
        await peer.answer(await peer.request("tools/call"), resultType=kind, content=[])
        await ended.done.wait()
    assert ended.failure is not None
    assert (ended.failure.problem.type, ended.failure.answered) == ("protocol-violated", False)


@pytest.mark.anyio
async def test_a_legacy_call_is_answered_with_whatever_it_is_answered_with() -> None:
    async with scripted("legacy") as (connection, peer), called(connection) as ended:
        await peer.answer(await peer.request("tools/call"), resultType="weird", content=[])
        await ended.done.wait()
    assert ended.result == {"resultType": "weird", "content": []}


@pytest.mark.anyio
@pytest.mark.behaviour("results.unknown-is-invalid")
async def test_a_list_of_an_unknown_kind_is_no_list() -> None:
    failures: list[RequestFailed] = []

    async def ask(connection: Connection) -> None:
        with pytest.raises(RequestFailed) as caught:
            await connection.request("tools/list", {}, doing="listing", timeout_seconds=5)
        failures.append(caught.value)

    with anyio.fail_after(5):
        async with scripted("modern") as (connection, peer), anyio.create_task_group() as tasks:
            tasks.start_soon(ask, connection)
            await peer.answer(await peer.request("tools/list"), resultType="partial", tools=[])
    assert [failure.problem.type for failure in failures] == ["protocol-violated"]
