"""Drives a call that a server answered with a task, until it has the result that the call would have had.

The policy: whoever called waits for one call. What the task asks for is asked of the same people as ever; how it stands
is told as progress; giving the call up cancels the task. Where the end stays unknown, the failure says that the call
was sent and not answered.
"""

from __future__ import annotations

import logging
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

import anyio
from anyio.abc import TaskGroup
from mcp.shared.dispatcher import ProgressFnT

from mcp_host.core.catalog.entries import Tool
from mcp_host.core.tasks import MalformedTask, RunningTask, Task, parse_task
from mcp_host.problems import ProblemError
from mcp_host.protocol.errors import unwrap
from mcp_host.protocol.result_types import broken
from mcp_host.protocol.task_problems import cancelled_by_server, failed
from mcp_host.protocol.task_questions import TaskQuestions, request_about_task
from mcp_host.protocol.task_states import TaskGone, TaskStates
from mcp_host.protocol.wording import Attempt, told_kind

if TYPE_CHECKING:
    from mcp_host.protocol.connection import Connection

logger = logging.getLogger(__name__)

CANCEL_SECONDS: Final = 2.0
"""For the server to say that it has heard of a cancellation. Somebody is waiting for the call to be over."""


async def drive_task(
    connection: Connection,
    created: Mapping[str, Any],
    *,
    tool: Tool,
    timeout_seconds: float,
    on_progress: ProgressFnT | None = None,
    call: str | None = None,
) -> dict[str, Any]:
    """The raw result of the call, when the task has come to its end. Cancelled, it cancels the task at the server.

    Args:
        created: The answer that created the task.
        timeout_seconds: For each request about it. The task has as long as its server gives it.
        call: The id of the call, for who answers what the task asks.

    Raises:
        RequestFailed: The task failed, was cancelled, or nothing more can be learnt of it.
    """
    attempt = Attempt(alias=connection.alias, doing=f"calling {tool.name}", tool=tool.name)
    try:
        seed = parse_task(created, created=True)
    except MalformedTask as fault:
        raise broken(attempt, f"It answered with a task that cannot be followed: {fault.reason}.") from fault
    states = TaskStates(
        connection=connection,
        attempt=attempt,
        tool=tool,
        task_id=seed.task_id,
        timeout_seconds=timeout_seconds,
        created_at_seconds=anyio.current_time(),
    )
    questions = TaskQuestions(
        connection=connection,
        attempt=attempt,
        tool=tool,
        call=call,
        timeout_seconds=timeout_seconds,
        on_failure=states.fail,
        on_refusal=states.doubt,
    )
    last = await _Drive(states=states, questions=questions, on_progress=on_progress).run(seed)
    if last.status == "completed":
        return _final(last, attempt)
    raise failed(attempt, last) if last.status == "failed" else cancelled_by_server(attempt, last)


def _final(task: Task, attempt: Attempt) -> dict[str, Any]:
    result = dict(task.result or {})
    kind = result.get("resultType", "complete")
    if kind != "complete":
        raise broken(attempt, f"The result of its task is of the kind {told_kind(kind)}, which a task cannot end with.")
    return result


@dataclass(kw_only=True, eq=False)
class _Drive:
    """One task on its way."""

    states: TaskStates
    questions: TaskQuestions
    on_progress: ProgressFnT | None
    _words: str | None = None
    """What was told as progress last."""
    _words_count: int = 0

    async def run(self, seed: Task) -> Task:
        """The last state. Whatever else ends it, the server is told that nobody waits for the task."""
        connection = self.states.connection
        undo = connection.on_notification("notifications/tasks", self.states.hear)
        if connection.listening is not None:
            connection.listening.watch_task(seed.task_id)
        last, is_over = seed, False
        try:
            async with anyio.create_task_group() as answering:
                answering.start_soon(self.states.watch_connection)
                last = await self._follow(seed, answering)
                is_over = True
                answering.cancel_scope.cancel()  # what is still being asked is withdrawn
            return last
        except Exception as error:  # boundary: the task group wraps what its tasks raise
            leaf = unwrap(error)
            is_over = isinstance(leaf, TaskGone)
            raise leaf.failure if isinstance(leaf, TaskGone) else leaf from error
        finally:
            undo()
            connection.tasks_running.pop(seed.task_id, None)
            if connection.listening is not None:
                connection.listening.forget_task(seed.task_id)
            if not is_over:
                await self._cancel_at_server()

    async def _follow(self, task: Task, answering: TaskGroup) -> Task:
        states = self.states
        while True:
            states.connection.tasks_running[task.task_id] = RunningTask(
                tool=states.tool.name, call=self.questions.call, task=task
            )
            if task.is_ended and task.is_told:
                return task
            # At once: while something is waited for, this state may become an old one.
            self.questions.ask(task, answering)
            await self._tell_progress(task)
            task = await states.next(task)

    async def _tell_progress(self, task: Task) -> None:
        words = task.message or f"task {task.status.replace('_', ' ')}"
        if self.on_progress is not None and words != self._words:
            self._words, self._words_count = words, self._words_count + 1
            await self.on_progress(self._words_count, None, words)

    async def _cancel_at_server(self) -> None:
        states = self.states
        # Shielded, because it is sent while the call is being cancelled. Whether the server stops is its own affair.
        with anyio.move_on_after(CANCEL_SECONDS, shield=True):
            try:
                await request_about_task(
                    states.connection,
                    "tasks/cancel",
                    {"taskId": states.task_id},
                    tool=states.tool,
                    timeout_seconds=CANCEL_SECONDS,
                )
            except ProblemError as error:
                logger.info("a task of %s could not be cancelled: %s", states.attempt.alias, error.problem.type)
