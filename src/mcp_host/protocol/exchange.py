"""One request until its result: its rounds, the people who are asked between them, and its deadline.

The policy for calls that have effects: what a person was asked for and did not give ends the call as one that the
server has answered, because a server that waits for an answer has not finished. What comes in a form that says nothing
of what happened ends it as one that was not.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final

import anyio
from mcp.shared.dispatcher import ProgressFnT
from mcp_types import RequestId

from mcp_host.core.catalog.entries import Tool
from mcp_host.core.interactions.requests import Asked, InputRequest
from mcp_host.problems import Problem
from mcp_host.protocol.client_side import NotAnswered
from mcp_host.protocol.errors import RequestFailed, problem_from, request_failed
from mcp_host.protocol.multi_round_trip import Rounds, read_input_required, retry_params, without_hints
from mcp_host.protocol.result_types import ASKING_METHODS, kind_of
from mcp_host.protocol.url_elicitations import URL_ROUND_CAP, all_accepted, urls_required
from mcp_host.protocol.wording import Attempt, gone_while_asking

if TYPE_CHECKING:
    from mcp_host.protocol.connection import Connection

_READING_METHODS: Final = frozenset(
    {
        "tools/list",
        "resources/list",
        "resources/templates/list",
        "resources/read",
        "resources/subscribe",
        "resources/unsubscribe",
        "prompts/list",
        "prompts/get",
        "completion/complete",
        "subscriptions/listen",
        "tasks/get",
        "logging/setLevel",
    }
)
"""What may be asked twice without having to know what became of the first time."""


@dataclass(frozen=True, kw_only=True)
class Exchange:
    """What is asked of the server."""

    connection: Connection
    method: str
    params: Mapping[str, Any] = field(repr=False)
    attempt: Attempt
    timeout_seconds: float
    """For what the server does between two questions to a person."""
    tool: Tool | None = None
    on_progress: ProgressFnT | None = None
    call: str | None = None
    request_id: RequestId | None = None
    leave_on_cancel: bool = False
    questions: set[anyio.CancelScope] = field(default_factory=set[anyio.CancelScope], repr=False)
    """What a person is being asked, each to be withdrawn when the connection ends."""

    async def run(self) -> dict[str, Any]:
        """The raw result: complete, or a task that was created.

        Raises:
            RequestFailed: No result; says whether the request was sent and answered.
        """
        rounds = Rounds()
        url_rounds = 0
        params, ends_at = self.params, self._fresh_end()
        while True:
            try:
                raw = await self._send(params, ends_at - self._now())
            except RequestFailed as refusal:
                may_ask = self.method in ASKING_METHODS
                urls = urls_required(refusal, self.connection.envelope) if may_ask else ()
                url_rounds += 1
                if not urls or url_rounds > URL_ROUND_CAP or not all_accepted(await self._answers(urls)):
                    raise
                ends_at = self._fresh_end()
                continue
            envelope = self.connection.envelope
            if kind_of(raw, self.method, envelope=envelope, attempt=self.attempt) != "input_required":
                return without_hints(raw) if rounds.all else raw
            needed = read_input_required(raw, envelope=envelope, attempt=self.attempt)
            rounds.count(needed, self.attempt)
            answers: Mapping[str, Any] = {}
            if needed.requests:
                answers = await self._answers(needed.requests)
                ends_at = self._fresh_end()
            else:
                await self.connection.pause(rounds.pause_seconds)
            params = retry_params(self.params, needed, answers)

    async def _send(self, params: Mapping[str, Any], seconds: float) -> dict[str, Any]:
        connection = self.connection
        schema = self.tool.input_schema if self.tool is not None else None
        sealed, options = connection.envelope.seal(self.method, params, input_schema=schema)
        if self.on_progress is not None:
            options["on_progress"] = self.on_progress
        if self.leave_on_cancel:
            options["cancel_on_abandon"] = False
        if self.request_id is not None:
            options["request_id"] = self.request_id
        try:
            # Not by the dispatcher's own timeout, whose clock starts after the write: a server that reads no more
            # would hold up the write for ever.
            with connection.deadlines.limit(seconds):
                return await connection.dispatcher.send_raw_request(self.method, sealed, options)
        except Exception as error:  # boundary: the SDK lets through whatever its transports raise
            failure = request_failed(
                error,
                alias=self.attempt.alias,
                doing=self.attempt.doing,
                tool=self.attempt.tool,
                repeatable=self.method in _READING_METHODS,
            )
            if failure.ended:
                connection.ended.set()
            raise failure from error

    async def _answers(self, requests: tuple[InputRequest, ...]) -> Mapping[str, Mapping[str, Any]]:
        asked = Asked(
            alias=self.attempt.alias,
            requests=requests,
            doing=self.attempt.doing,
            tool=self.attempt.tool,
            call=self.call,
        )
        with anyio.CancelScope() as question:
            self.questions.add(question)
            try:
                answers = await self.connection.side.respond(asked)
                return {request.key: dict(answers[request.key]) for request in requests}
            except NotAnswered as refusal:
                raise RequestFailed(refusal.problem, sent=True, answered=True) from refusal
            except Exception as error:  # boundary: whatever fails here, the server is waiting and has not finished
                raise RequestFailed(self._problem(error), sent=True, answered=True) from error
            finally:
                self.questions.discard(question)
        raise RequestFailed(gone_while_asking(self.attempt), sent=True, answered=True)

    def _problem(self, error: Exception) -> Problem:
        attempt = self.attempt
        return problem_from(error, alias=attempt.alias, doing=attempt.doing, tool=attempt.tool)

    def _fresh_end(self) -> float:
        return self._now() + self.timeout_seconds

    def _now(self) -> float:
        return self.connection.deadlines.now()
