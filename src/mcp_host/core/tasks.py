"""A task of the extension `io.modelcontextprotocol/tasks`: reading one, when to ask for it again, when it is over.

The policy: what decides how the call ends (the id, the status and what belongs to it) must be right. What only
describes (a message, times, intervals) counts as absent when it is not: the work behind the task goes on all the same,
and its result must not be lost over a date.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from typing import Final, Literal, cast, get_args

from mcp_host.core.catalog.json_values import as_object, as_text

TASKS_EXTENSION: Final = "io.modelcontextprotocol/tasks"
TASK_RESULT: Final = "task"
"""The `resultType` of an answer that creates a task."""

SHORTEST_POLL_SECONDS: Final = 0.05
"""A server that asks to be asked at once must not keep this host from anything else."""
USUAL_POLL_SECONDS: Final = 1.0
"""Where the server names no interval: a person sees the end soon, and a server is not bothered."""
LONGEST_POLL_SECONDS: Final = 300.0
"""A longer interval is a mistake of units, or means somebody who is no longer waiting."""
KEY_CAP: Final = 1000
"""Requests for input over the life of one task. A person answers a few; a server that goes on and on is stopped."""

TaskStatus = Literal["working", "input_required", "completed", "failed", "cancelled"]
_STATUSES: Final = frozenset(get_args(TaskStatus))
_ENDED: Final = frozenset({"completed", "failed", "cancelled"})


class MalformedTask(Exception):
    """What was sent is no task that could be followed: why, in words for a person."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason


@dataclass(frozen=True, kw_only=True)
class TaskError:
    """The JSON-RPC error that a task failed with. A failure counts without one, too."""

    code: int | None = None
    message: str = ""


@dataclass(frozen=True, kw_only=True)
class Task:
    """One state of a task, as an answer or a notification told it."""

    task_id: str
    status: TaskStatus
    is_told: bool = True
    """False where what belongs to the status is missing, as the answer that creates a task may leave it out:
    `tasks/get` tells it."""
    message: str | None = None
    """The server's own words about the state."""
    created_at: str | None = None
    updated_at: str | None = None
    ttl_ms: int | None = None
    """None: without limit."""
    poll_interval_ms: int | None = None
    input_requests: Mapping[str, object] = field(default_factory=dict[str, object], repr=False)
    """What is asked for now, by key and unread, where the status is `input_required`."""
    result: Mapping[str, object] | None = field(default=None, repr=False)
    """Where the status is `completed`: what the call would have been answered with."""
    error: TaskError | None = None
    """Where the status is `failed`."""

    @property
    def is_ended(self) -> bool:
        """No later state follows."""
        return self.status in _ENDED


@dataclass(frozen=True, kw_only=True)
class RunningTask:
    """A call that has become a task, for whoever shows what runs."""

    tool: str
    """The raw name."""
    call: str | None
    """The id of the call, where it has one."""
    task: Task
    """As it was told last."""


def parse_task(raw: Mapping[str, object], *, task_id: str | None = None, created: bool = False) -> Task:
    """The task in an answer or in a notification's params, whatever `resultType` it has.

    Args:
        task_id: The task that was asked for; another one is no answer.
        created: The answer that creates the task, in which what belongs to its status may be missing.

    Raises:
        MalformedTask: It cannot be followed.
    """
    found = as_text(raw.get("taskId"))
    if found is None:
        raise MalformedTask("it has no taskId")
    if task_id is not None and found != task_id:
        raise MalformedTask("it is about another task")
    status = raw.get("status")
    if not isinstance(status, str) or status not in _STATUSES:
        raise MalformedTask("its status is missing or unknown")
    member = _MEMBERS.get(status)
    is_told = member is None or member in raw
    if not is_told and not created:
        raise MalformedTask(f"it is {status} and has no {member}")
    return Task(
        task_id=found,
        status=cast("TaskStatus", status),
        is_told=is_told,
        message=as_text(raw.get("statusMessage")),
        created_at=as_text(raw.get("createdAt")),
        updated_at=as_text(raw.get("lastUpdatedAt")),
        ttl_ms=_milliseconds(raw.get("ttlMs")),
        poll_interval_ms=_milliseconds(raw.get("pollIntervalMs")),
        input_requests=_object(raw, "inputRequests") if status == "input_required" and is_told else {},
        result=_object(raw, "result") if status == "completed" and is_told else None,
        error=_error(raw.get("error")) if status == "failed" else None,
    )


def poll_seconds(task: Task) -> float:
    """How long to wait before the task is asked for again: as the server wishes, within what is sane."""
    if not task.is_told:
        return 0.0
    if task.poll_interval_ms is None:
        return USUAL_POLL_SECONDS
    return min(max(task.poll_interval_ms / 1000, SHORTEST_POLL_SECONDS), LONGEST_POLL_SECONDS)


def ends_at(task: Task, *, created_at_seconds: float) -> float | None:
    """The moment after which the server may have let the task go; None where it has no limit.

    `createdAt` plus `ttlMs`, on our own clock: theirs may be hours away from it. `created_at_seconds` is when the
    answer that created the task arrived, so that a task never ends here before it does there.
    """
    # No life at all is a mistake of the server's, not a task.
    return created_at_seconds + task.ttl_ms / 1000 if task.ttl_ms else None


def unasked(task: Task, asked: Collection[str]) -> dict[str, object]:
    """What is asked for in this state and was not before: a key stands for one request over the task's whole life.

    Raises:
        MalformedTask: The server has asked for more than any honest task would.
    """
    new = {key: request for key, request in task.input_requests.items() if key not in asked}
    if len(asked) + len(new) > KEY_CAP:
        raise MalformedTask(f"it asked for input more than {KEY_CAP} times")
    return new


_MEMBERS: Final[Mapping[str, str]] = {"input_required": "inputRequests", "completed": "result"}
"""What must come with a status. A task that failed has failed without its `error`, too."""


def _milliseconds(value: object) -> int | None:
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    # Written so that no-number and infinity, which JSON parsers let through, are out.
    return int(value) if 0 <= value < _NO_LIMIT_MS else None


_NO_LIMIT_MS: Final = 1e15
"""Thirty thousand years: as good as none, and far from where floats and clocks overflow."""


def _object(raw: Mapping[str, object], member: str) -> Mapping[str, object]:
    value = as_object(raw[member])
    if value is None:
        raise MalformedTask(f"its {member} is no object")
    return value


def _error(value: object) -> TaskError:
    error = as_object(value) or {}
    code, message = error.get("code"), error.get("message")
    return TaskError(
        code=code if isinstance(code, int) and not isinstance(code, bool) else None,
        message=message if isinstance(message, str) else "",
    )
