"""The calls that run now and the results of the last ones: ids, progress, cancelling, keeping.

Reading a resource and getting a prompt are calls too while they run: they have progress, can be cancelled and may ask a
person something. Only tools leave a result behind.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Final, Literal

from mcp_host.core.catalog.entries import Tool
from mcp_host.core.interactions.given_answers import GivenAnswers
from mcp_host.core.outcomes import Outcome, judge_result
from mcp_host.core.policy import Effect
from mcp_host.core.receipts import Receipt
from mcp_host.host.call import Call, Progress, subject_of
from mcp_host.host.call_problems import cancelled, interrupted, lost, unanswered, unknown_call
from mcp_host.host.events import Emit
from mcp_host.host.live_server import LiveServer
from mcp_host.problems import Problem, ProblemError

KEPT_RESULTS: Final = 50
"""Results that `mcp://result/{call}` can still show. Each may be tens of megabytes, so the number is small."""


class Calls:
    """Runs calls, each in the task that asked for it."""

    def __init__(self, *, emit: Emit, clock: Callable[[], float]) -> None:
        self._emit = emit
        self._clock = clock
        self._running: dict[str, Call] = {}
        self._ended: OrderedDict[str, Call] = OrderedDict()
        self._count = 0

    def new_id(self) -> str:
        """The id of a call to come: `c1`, `c2` and so on in each editor."""
        self._count += 1
        return f"c{self._count}"

    async def run(
        self,
        live: LiveServer,
        tool: Tool,
        arguments: Mapping[str, object],
        *,
        effect: Effect,
        receipt: Receipt | None = None,
        call_id: str | None = None,
        answers: GivenAnswers | None = None,
    ) -> Call:
        """The ended call. Its outcome says what happened; nothing is raised for a call that was sent.

        Args:
            call_id: From `new_id`, where somebody had to know it beforehand.
            answers: What to say to whatever the server asks.

        Raises:
            ProblemError: Nothing was sent, or a read was cancelled or got no answer.
        """
        call = self._begun(
            Call(
                id=call_id or self.new_id(),
                alias=live.alias,
                name=tool.name,
                effect=effect,
                started_at=self._clock(),
                receipt=receipt,
                answers=answers,
            )
        )
        try:
            with call.scope:
                call.outcome = await self._outcome(live, tool, arguments, call)
            if call.outcome is None:
                call.outcome = unanswered(cancelled(call), call)
            return call
        except ProblemError as error:
            call.outcome = Outcome(kind="failed", problem=error.problem)
            raise
        finally:
            if call.outcome is None:
                # The asking task was cancelled, or a fault of our own came up: either way it may have been sent.
                call.outcome = lost(interrupted(call), call)
            self._end(call)

    async def read(
        self,
        live: LiveServer,
        kind: Literal["resource", "prompt"],
        name: str,
        params: Mapping[str, Any],
        *,
        answers: GivenAnswers | None = None,
    ) -> tuple[Call, Mapping[str, object]]:
        """The ended call and the raw result of `resources/read` or `prompts/get`.

        Raises:
            ProblemError: It was cancelled, or there is no result.
        """
        method = "resources/read" if kind == "resource" else "prompts/get"
        doing = f"reading {name}" if kind == "resource" else f"getting the prompt {name}"
        call = self._begun(
            Call(
                id=self.new_id(),
                alias=live.alias,
                name=name,
                kind=kind,
                effect="read",
                started_at=self._clock(),
                answers=answers,
            )
        )
        raw: Mapping[str, object] | None = None
        try:
            with call.scope:
                raw = await live.connection.request(
                    method,
                    params,
                    doing=doing,
                    timeout_seconds=live.defined.definition.request_timeout_seconds,
                    on_progress=self._watcher(call),
                    call=call.id,
                )
            if raw is None:
                raise ProblemError(cancelled(call))
            return call, raw
        finally:
            call.outcome = Outcome(kind="failed" if raw is None else "succeeded")
            self._end(call)

    def cancel(self, call_id: str) -> Call:
        """The call is being cancelled at its server; it ends in the task that runs it.

        Raises:
            ProblemError: `call-unknown`: no such call runs.
        """
        call = self._running.get(call_id)
        if call is None:
            raise ProblemError(unknown_call(call_id, "is running"))
        call.scope.cancel()
        return call

    def running(self) -> tuple[Call, ...]:
        """The calls that run now, the oldest first."""
        return tuple(self._running.values())

    def find_running(self, call_id: str | None) -> Call | None:
        """A call that runs now; None where it does not, and for no id at all."""
        return None if call_id is None else self._running.get(call_id)

    def ended(self, call_id: str) -> Call:
        """A kept call.

        Raises:
            ProblemError: `call-unknown`: no such result is kept any more.
        """
        call = self._ended.get(call_id)
        if call is None:
            raise ProblemError(unknown_call(call_id, "has a result that is still kept"))
        return call

    async def _outcome(self, live: LiveServer, tool: Tool, arguments: Mapping[str, object], call: Call) -> Outcome:
        # Imported here because the protocol floor costs a second to import; a live server has paid it already.
        from mcp_host.protocol.errors import RequestFailed

        try:
            raw = await live.connection.call_tool(
                tool,
                arguments,
                timeout_seconds=live.defined.definition.request_timeout_seconds,
                on_progress=self._watcher(call),
                call=call.id,
            )
        except RequestFailed as failure:
            if not failure.sent:
                raise
            if failure.answered:
                if failure.problem.type != "request-refused":
                    raise
                return Outcome(kind="failed", problem=failure.problem)
            return unanswered(_why(live, failure.problem, call), call)
        return judge_result(raw, tool, alias=live.alias, era=live.connection.identity.era)

    def _watcher(self, call: Call) -> _Watcher:
        return _Watcher(call=call, emit=self._emit)

    def _begun(self, call: Call) -> Call:
        self._running[call.id] = call
        self._tell(call, "started")
        return call

    def _end(self, call: Call) -> None:
        self._running.pop(call.id, None)
        call.duration_seconds = self._clock() - call.started_at
        assert call.outcome is not None, "set before"
        call.state = call.outcome.kind
        if call.kind == "tool":
            self._ended[call.id] = call
        while len(self._ended) > KEPT_RESULTS:
            self._ended.popitem(last=False)
        self._tell(call, call.state)

    def _tell(self, call: Call, state: str) -> None:
        self._emit("McpCall", {**subject_of(call), "state": state})


@dataclass(frozen=True, kw_only=True)
class _Watcher:
    """Keeps and tells how far a call has come."""

    call: Call
    emit: Emit

    async def __call__(self, progress: float, total: float | None, message: str | None) -> None:
        self.call.progress = Progress(progress=progress, total=total, message=message)
        data: dict[str, object] = {**subject_of(self.call), "progress": progress}
        if total is not None:
            data["total"] = total
        if message is not None:
            data["message"] = message
        self.emit("McpProgress", data)


def _why(live: LiveServer, problem: Problem, call: Call) -> Problem:
    """Where the server is gone, how it ended and what it wrote last: more than that no answer came."""
    ended = live.connection.end_problem() if live.connection.ended.is_set() else None
    if ended is None:
        return problem
    return ended.model_copy(update={"tool": call.tool, "retryable": call.effect == "read"})
