"""Reading a task, when to ask for it again, and what is asked for anew."""

from __future__ import annotations

import math
from typing import Any

import pytest

from mcp_host.core.tasks import (
    KEY_CAP,
    LONGEST_POLL_SECONDS,
    SHORTEST_POLL_SECONDS,
    USUAL_POLL_SECONDS,
    MalformedTask,
    Task,
    TaskError,
    ends_at,
    parse_task,
    poll_seconds,
    unasked,
)

_FORM: dict[str, Any] = {"method": "elicitation/create", "params": {"mode": "form", "message": "Name?"}}


def raw(status: str = "working", /, **more: object) -> dict[str, Any]:
    """A task as the extension's document has it."""
    return {
        "resultType": "complete",
        "taskId": "t-9f",
        "status": status,
        "createdAt": "2026-11-30T10:00:00Z",
        "lastUpdatedAt": "2026-11-30T10:00:05Z",
        "ttlMs": 60000,
        "pollIntervalMs": 500,
        **more,
    }


def task(status: str = "working", /, **more: object) -> Task:
    """The same, read."""
    return parse_task(raw(status, **more))


def _known(**more: Any) -> Task:
    times: dict[str, Any] = {"created_at": "2026-11-30T10:00:00Z", "updated_at": "2026-11-30T10:00:05Z"}
    return Task(task_id="t-9f", ttl_ms=60000, poll_interval_ms=500, **times, **more)


@pytest.mark.parametrize(
    ("given", "read"),
    [
        (raw(statusMessage="Reading"), _known(status="working", message="Reading")),
        (
            raw("input_required", inputRequests={"who": _FORM, "roots": {"method": "roots/list"}}),
            _known(status="input_required", input_requests={"who": _FORM, "roots": {"method": "roots/list"}}),
        ),
        (raw("completed", result={"content": []}), _known(status="completed", result={"content": []})),
        (
            raw("failed", error={"code": -32603, "message": "boom"}),
            _known(status="failed", error=TaskError(code=-32603, message="boom")),
        ),
        (raw("cancelled"), _known(status="cancelled")),
    ],
    ids=["working", "input_required", "completed", "failed", "cancelled"],
)
def test_a_task_is_read_with_what_belongs_to_its_status(given: dict[str, Any], read: Task) -> None:
    assert parse_task(given) == read
    assert read.is_ended == (read.status in ("completed", "failed", "cancelled"))


def test_a_member_of_another_status_counts_for_nothing() -> None:
    assert task(result={"content": []}, error={"code": 1}, inputRequests={"who": _FORM}) == task()


@pytest.mark.behaviour("tasks.lenient-result-type")
@pytest.mark.parametrize("kind", ["task", "complete", None])
def test_a_task_is_a_task_whatever_its_result_type_says(kind: str | None) -> None:
    assert task(resultType=kind) == task()


@pytest.mark.parametrize(
    ("odd", "reason"),
    [
        ({"taskId": ""}, "it has no taskId"),
        ({"taskId": 7}, "it has no taskId"),
        ({"taskId": "t-8e"}, "it is about another task"),
        ({"status": "submitted"}, "its status is missing or unknown"),
        ({"status": ["working"]}, "its status is missing or unknown"),
        ({"status": "completed"}, "it is completed and has no result"),
        ({"status": "completed", "result": None}, "its result is no object"),
        ({"status": "input_required"}, "it is input_required and has no inputRequests"),
        ({"status": "input_required", "inputRequests": [_FORM]}, "its inputRequests is no object"),
    ],
)
def test_what_cannot_be_followed_is_told_apart(odd: dict[str, object], reason: str) -> None:
    with pytest.raises(MalformedTask) as caught:
        parse_task({**raw(), **odd}, task_id="t-9f")
    assert caught.value.reason == reason


@pytest.mark.parametrize("member", ["statusMessage", "createdAt", "lastUpdatedAt", "ttlMs", "pollIntervalMs"])
@pytest.mark.parametrize("odd", [None, [], True, math.nan, math.inf, -1, ""])
def test_what_only_describes_counts_as_absent_when_it_is_odd(member: str, odd: object) -> None:
    without = {name: value for name, value in raw().items() if name != member}
    assert parse_task({**raw(), member: odd}) == parse_task(without)


@pytest.mark.parametrize("status", ["completed", "input_required"])
def test_the_answer_that_creates_a_task_may_leave_the_end_to_be_asked_for(status: str) -> None:
    created = parse_task(raw(status), created=True)
    assert (created.status, created.is_told, poll_seconds(created)) == (status, False, 0)


@pytest.mark.parametrize("error", [None, {}, {"code": "x", "message": 3}, {"code": True}, [1]])
def test_a_task_that_failed_has_failed_whatever_its_error_looks_like(error: object) -> None:
    assert task("failed", error=error).error == TaskError()


@pytest.mark.behaviour("tasks.poll-interval")
@pytest.mark.parametrize(
    ("interval", "seconds"),
    [
        (500, 0.5),
        (1500.0, 1.5),
        (0, SHORTEST_POLL_SECONDS),
        (86_400_000, LONGEST_POLL_SECONDS),
        (None, USUAL_POLL_SECONDS),
        (-5, USUAL_POLL_SECONDS),
        ("500", USUAL_POLL_SECONDS),
    ],
)
def test_the_server_says_when_to_ask_again_within_what_is_sane(interval: object, seconds: float) -> None:
    assert poll_seconds(task(pollIntervalMs=interval)) == seconds


@pytest.mark.behaviour("tasks.ttl")
@pytest.mark.parametrize(("ttl", "end"), [(60000, 160.0), (0, None), (None, None), ("1", None), (10**400, None)])
def test_a_task_ends_its_ttl_after_it_was_created(ttl: object, end: float | None) -> None:
    assert ends_at(task(ttlMs=ttl), created_at_seconds=100) == end


@pytest.mark.behaviour("tasks.keys-once")
def test_a_key_is_asked_once_over_the_life_of_a_task() -> None:
    waiting = task("input_required", inputRequests={"a": _FORM, "b": _FORM})
    assert unasked(waiting, ()) == {"a": _FORM, "b": _FORM}
    assert unasked(waiting, {"a"}) == {"b": _FORM}
    assert unasked(waiting, {"a", "b"}) == {}


def test_a_task_that_asks_without_end_is_no_honest_one() -> None:
    waiting = task("input_required", inputRequests={"last": _FORM})
    before = [f"k{number}" for number in range(KEY_CAP)]
    assert unasked(waiting, before[1:])
    with pytest.raises(MalformedTask):
        unasked(waiting, before)
