"""What a task asks for while it runs: put to the same people as what a call asks for, each request once.

The task is followed meanwhile, so that a question is withdrawn when it has become pointless.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final

import anyio
from anyio.abc import TaskGroup

from mcp_host.core.catalog.entries import Tool
from mcp_host.core.interactions.requests import Asked, InputRequest
from mcp_host.core.tasks import MalformedTask, Task, unasked
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
    _asked: set[str] = field(default_factory=set[str])

    def ask(self, task: Task, answering: TaskGroup) -> None:
        """Whatever is new in this state is put to somebody and answered, in the group.

        Raises:
            RequestFailed: The server asks for what it must not.
        """
        try:
            new = unasked(task, self._asked)
        except MalformedTask as fault:
            raise broken(self.attempt, f"Its task cannot be followed: {fault.reason}.") from fault
        if new:
            requests = read_requests(new, envelope=self.connection.envelope, attempt=self.attempt)
            self._asked.update(new)
            answering.start_soon(self._answer, task.task_id, requests)

    async def _answer(self, task_id: str, requests: tuple[InputRequest, ...]) -> None:
        asked = Asked(
            alias=self.attempt.alias,
            requests=requests,
            doing=self.attempt.doing,
            tool=self.attempt.tool,
            call=self.call,
        )
        try:
            answers = await self.connection.side.respond(asked)
            given = {request.key: dict(answers[request.key]) for request in requests if request.key in answers}
            if given:
                await self._update(task_id, given)
        except RequestFailed as failure:
            self.on_failure(failure)
        except NotAnswered as refusal:
            # The server waits for it and has not finished: that much is known.
            self.on_failure(RequestFailed(refusal.problem, sent=True, answered=True))
        except Exception as error:  # boundary: whatever fails here must end this call and no other
            problem = problem_from(error, alias=self.attempt.alias, doing=self.attempt.doing, tool=self.attempt.tool)
            self.on_failure(RequestFailed(problem, sent=True, answered=True))

    async def _update(self, task_id: str, given: Mapping[str, Any]) -> None:
        for attempts in range(1, UPDATE_PATIENCE + 1):
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
                if failure.answered or self.connection.ended.is_set() or attempts == UPDATE_PATIENCE:
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
