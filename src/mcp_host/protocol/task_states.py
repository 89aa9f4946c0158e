"""Waiting for the next state of a task: asked for at the server's interval, or told by the server before.

A single poll that fails ends nothing, because the work goes on without being looked at.
"""

from __future__ import annotations

import logging
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final

import anyio

from mcp_host.core.catalog.entries import Tool
from mcp_host.core.tasks import MalformedTask, Task, ends_at, parse_task, poll_seconds
from mcp_host.protocol.errors import METHOD_NOT_FOUND, RequestFailed
from mcp_host.protocol.result_types import broken
from mcp_host.protocol.task_problems import connection_lost, forgotten, outlived
from mcp_host.protocol.task_questions import request_about_task
from mcp_host.protocol.wording import Attempt

if TYPE_CHECKING:
    from mcp_host.protocol.connection import Connection

logger = logging.getLogger(__name__)

POLL_PATIENCE: Final = 5
"""Polls in a row that may fail."""
AGAIN_SECONDS: Final = 1.0
"""How much longer the pause becomes with each of them."""
_GONE: Final = frozenset({-32602, METHOD_NOT_FOUND, -32021})
"""Codes with which a server says that it does not know this task, or no tasks at all: asking again is of no use."""


class TaskGone(Exception):
    """There will be no other state, and nothing is left to cancel at the server."""

    def __init__(self, failure: RequestFailed) -> None:
        super().__init__(str(failure))
        self.failure = failure


@dataclass(kw_only=True, eq=False)
class TaskStates:
    """Those of one task."""

    connection: Connection
    attempt: Attempt
    tool: Tool
    task_id: str
    timeout_seconds: float
    created_at_seconds: float
    _told: Task | None = None
    """What the server told unasked and nobody has looked at yet."""
    _failure: RequestFailed | None = None
    _wake: anyio.Event = field(default_factory=anyio.Event)
    _failed_polls: int = 0
    _is_doubted: bool = False
    """Only the end of the task, or a state that is asked for from now on, is of use."""

    def fail(self, failure: RequestFailed) -> None:
        """Whoever waits for the next state gets this instead."""
        self._failure = self._failure or failure
        self._wake.set()

    def doubt(self) -> None:
        """What is known may be out of date: whoever waits gets a state that is asked for from now on, or the end."""
        self._is_doubted = True
        self._wake.set()

    def hear(self, params: Mapping[str, Any]) -> None:
        """The server tells the state of some task. One that cannot be read is not missed: it is asked for, too."""
        if params.get("taskId") != self.task_id:
            return
        try:
            self._told = parse_task(params)
        except MalformedTask as fault:
            logger.info("%s told of a task what cannot be read: %s", self.attempt.alias, fault.reason)
            return
        self._wake.set()

    async def watch_connection(self) -> None:
        """The end of the connection is not slept through."""
        await self.connection.ended.wait()
        self._wake.set()

    async def next(self, task: Task) -> Task:
        """The state after this one.

        Raises:
            RequestFailed: There will be none, or something could not be answered.
            TaskGone: There is no task, or nobody to ask for it.
        """
        end = ends_at(task, created_at_seconds=self.created_at_seconds)
        while True:
            now, doubted = anyio.current_time(), self._is_doubted
            # Neither a doubt nor the task's end is a reason to ask a server faster that just failed to answer.
            shortest = self._failed_polls * AGAIN_SECONDS
            pause = max(0.0 if doubted else poll_seconds(task), shortest)
            is_last = end is not None and now + pause >= end
            if end is not None and is_last:
                pause = max(end - now, shortest)
            told = await self._told_within(pause)
            if told is not None and (told.is_ended or not self._is_doubted):
                return told
            if self._is_doubted and not doubted:
                continue  # it came while waiting: ask at once, which is not at the end of the task's time
            self._is_doubted = False
            polled = await self._poll()
            if polled is None:
                self._is_doubted = self._is_doubted or doubted
                continue
            if self._is_doubted and not polled.is_ended:
                continue  # the doubt is about what the server said meanwhile
            if is_last and not polled.is_ended and not _has_longer(polled, task):
                raise outlived(self.attempt, polled)
            return polled

    async def _told_within(self, seconds: float) -> Task | None:
        if self._told is None and self._failure is None and not self.connection.ended.is_set():
            with anyio.move_on_after(seconds):
                await self._wake.wait()
        self._wake = anyio.Event()
        told, self._told = self._told, None
        if told is not None:
            self._failed_polls = 0
            return told
        if self.connection.ended.is_set():
            raise TaskGone(connection_lost(self.attempt, self.connection.end_problem()))
        if self._failure is not None:
            raise self._failure
        return None

    async def _poll(self) -> Task | None:
        try:
            raw = await request_about_task(
                self.connection,
                "tasks/get",
                {"taskId": self.task_id},
                tool=self.tool,
                timeout_seconds=self.timeout_seconds,
            )
            task = parse_task(raw, task_id=self.task_id)
        except MalformedTask as fault:
            raise broken(self.attempt, f"What it says of its task cannot be read: {fault.reason}.") from fault
        except RequestFailed as failure:
            if failure.code in _GONE:
                raise TaskGone(forgotten(self.attempt, failure)) from failure
            self._failed_polls += 1
            if self._failed_polls >= POLL_PATIENCE and not self.connection.ended.is_set():
                raise RequestFailed(failure.problem, sent=True, answered=False) from failure
            logger.info("a task of %s could not be asked for: %s", self.attempt.alias, failure.problem.type)
            return None
        self._failed_polls = 0
        return task


def _has_longer(task: Task, before: Task) -> bool:
    """The server has given the task more time than it had."""
    return task.ttl_ms is None or (before.ttl_ms is not None and task.ttl_ms > before.ttl_ms)
