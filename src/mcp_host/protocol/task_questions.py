"""What a task asks for while it runs: put to the same people as what a call asks for, each request once.

The task is followed meanwhile, so that a question is withdrawn when it has become pointless. The policy: what the task
asks for no more is asked of nobody and answered by nothing; what it asks for again without having an answer is asked
again. Answers that the server refuses may have come too late, so what the task says next decides what that means.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final, TypeAlias

import anyio
from anyio.abc import TaskGroup

from mcp_host.core.catalog.entries import Tool
from mcp_host.core.interactions.requests import Asked, InputRequest
from mcp_host.core.tasks import KEY_CAP, MalformedTask, Task, unasked
from mcp_host.protocol.client_side import NotAnswered
from mcp_host.protocol.errors import RequestFailed, problem_from
from mcp_host.protocol.multi_round_trip import read_requests
from mcp_host.protocol.result_types import broken
from mcp_host.protocol.wording import Attempt

if TYPE_CHECKING:
    from mcp_host.protocol.connection import Connection

UPDATE_PATIENCE: Final = 3
"""How often the same answers are sent where nobody knows whether they arrived. A server ignores an answer to a key that
it has an answer to."""
AGAIN_SECONDS: Final = 1.0

_Refused: TypeAlias = tuple[frozenset[str], RequestFailed]
"""The keys of answers that the server did not take, and how it said so."""


@dataclass(kw_only=True, eq=False)
class TaskQuestions:
    """Those of one task, over its whole life."""

    connection: Connection
    attempt: Attempt
    tool: Tool
    call: str | None
    timeout_seconds: float
    on_failure: Callable[[RequestFailed], None]
    """Something could not be answered: the task will not go on."""
    on_refusal: Callable[[], None]
    """Answers were refused: `ask` is to get a state that was asked for since, unless the task has ended."""
    _asked: set[str] = field(default_factory=set[str])
    """The keys that need nothing more: somebody is being asked, or has answered."""
    _asked_count: int = 0
    """Each time that a key was asked for."""
    _wanted: Collection[str] = ()
    """The keys that the task asks for now."""
    _open: dict[anyio.CancelScope, frozenset[str]] = field(default_factory=dict[anyio.CancelScope, frozenset[str]])
    """What somebody is being asked, and the keys in it."""
    _refused: list[_Refused] = field(default_factory=list[_Refused])

    def ask(self, task: Task, answering: TaskGroup) -> None:
        """Whatever is new in this state is put to somebody and answered, in the group; what it asks for no more is
        withdrawn.

        Raises:
            RequestFailed: The server asks for what it must not, or still for what it refused the answers to.
        """
        self._wanted = task.input_requests
        self._judge_refusals()
        self._withdraw()
        try:
            new = unasked(task, self._asked)
            self._asked_count += len(new)
            if self._asked_count > KEY_CAP:
                raise MalformedTask(f"it asked for input more than {KEY_CAP} times")
        except MalformedTask as fault:
            raise broken(self.attempt, f"Its task cannot be followed: {fault.reason}.") from fault
        if new:
            requests = read_requests(new, envelope=self.connection.envelope, attempt=self.attempt)
            self._asked.update(new)
            question = anyio.CancelScope()
            self._open[question] = frozenset(new)
            answering.start_soon(self._answer, task.task_id, requests, question)

    def _judge_refusals(self) -> None:
        refused, self._refused = self._refused, []
        for keys, failure in refused:
            if self._is_any_wanted(keys):
                raise RequestFailed(failure.problem, sent=True, answered=False) from failure
            self._asked -= keys

    def _withdraw(self) -> None:
        for question, keys in tuple(self._open.items()):
            if not self._is_any_wanted(keys):
                del self._open[question]
                self._asked -= keys
                question.cancel()

    def _is_any_wanted(self, keys: Collection[str]) -> bool:
        return any(key in self._wanted for key in keys)

    async def _answer(self, task_id: str, requests: tuple[InputRequest, ...], question: anyio.CancelScope) -> None:
        asked = Asked(
            alias=self.attempt.alias,
            requests=requests,
            doing=self.attempt.doing,
            tool=self.attempt.tool,
            call=self.call,
        )
        try:
            answers = await self._answers(asked, question)
            given = {request.key: dict(answers[request.key]) for request in requests if request.key in answers}
            # Not sent, and not asked for twice if they are wanted again.
            self._asked.difference_update(key for key in given if key not in self._wanted)
            await self._update(task_id, given)
        except RequestFailed as failure:
            self.on_failure(failure)
        except NotAnswered as refusal:
            # The server waits for it and has not finished: that much is known.
            self.on_failure(RequestFailed(refusal.problem, sent=True, answered=True))
        except Exception as error:  # boundary: whatever fails here must end this call and no other
            problem = problem_from(error, alias=self.attempt.alias, doing=self.attempt.doing, tool=self.attempt.tool)
            self.on_failure(RequestFailed(problem, sent=True, answered=True))

    async def _answers(self, asked: Asked, question: anyio.CancelScope) -> Mapping[str, Mapping[str, Any]]:
        """Without any where the question was withdrawn."""
        with question:
            await anyio.lowlevel.checkpoint_if_cancelled()
            answers = await self.connection.side.respond(asked)
            if self._open.pop(question, None) is not None:
                return answers
        return {}

    async def _update(self, task_id: str, given: Mapping[str, Any]) -> None:
        for attempts in range(1, UPDATE_PATIENCE + 1):
            given = {key: answer for key, answer in given.items() if key in self._wanted}
            if not given:
                return
            try:
                await request_about_task(
                    self.connection,
                    "tasks/update",
                    {"taskId": task_id, "inputResponses": given},
                    tool=self.tool,
                    timeout_seconds=self.timeout_seconds,
                )
                return
            except RequestFailed as failure:
                if failure.answered:
                    self._refused.append((frozenset(given), failure))
                    self.on_refusal()
                    return
                is_lost = attempts == UPDATE_PATIENCE and self._is_any_wanted(given)
                if is_lost or self.connection.ended.is_set():
                    raise RequestFailed(failure.problem, sent=True, answered=False) from failure
            await anyio.sleep(AGAIN_SECONDS)


async def request_about_task(
    connection: Connection, method: str, params: Mapping[str, Any], *, tool: Tool, timeout_seconds: float
) -> dict[str, Any]:
    """The raw result of `tasks/get`, `tasks/update` or `tasks/cancel`.

    Whoever gives it up does not have it cancelled at the server: that could be taken for an end of the task.

    Raises:
        RequestFailed: See `Connection.request`.
    """
    return await connection.request(
        method,
        params,
        doing=f"calling {tool.name}",
        timeout_seconds=timeout_seconds,
        tool=tool,
        leave_on_cancel=True,
    )
