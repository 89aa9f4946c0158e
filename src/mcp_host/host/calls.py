"""The calls that run now and the results of the last ones: ids, progress, cancelling, keeping."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Final, Literal

import anyio

from mcp_host.core.catalog.entries import Tool
from mcp_host.core.outcomes import Outcome, judge_result
from mcp_host.core.policy import Effect
from mcp_host.core.receipts import Receipt
from mcp_host.host.events import Emit
from mcp_host.host.supervisor import LiveServer
from mcp_host.problems import Problem, ProblemError

KEPT_RESULTS: Final = 50
"""Results that `mcp://result/{call}` can still show. Each may be tens of megabytes, so the number is small."""

CallState = Literal["running", "succeeded", "failed", "unknown"]


@dataclass(kw_only=True)
class Call:
    """One tools/call, running or ended."""

    id: str
    alias: str
    tool: str
    effect: Effect
    started_at: float
    """Seconds of the host's monotonic clock."""
    receipt: Receipt | None = None
    """The receipt it ran under; None for a read."""
    state: CallState = "running"
    duration_seconds: float = 0.0
    outcome: Outcome | None = None
    """None while it runs."""
    scope: anyio.CancelScope = field(default_factory=anyio.CancelScope, repr=False)
    cancelled: bool = False
    """A person asked to cancel it."""


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
    ) -> Call:
        """The ended call. Its outcome says what happened; nothing is raised for a call that was sent.

        Args:
            call_id: From `new_id`, where somebody had to know it beforehand.

        Raises:
            ProblemError: Nothing was sent, or a read was cancelled or got no answer.
        """
        call = Call(
            id=call_id or self.new_id(),
            alias=live.alias,
            tool=tool.name,
            effect=effect,
            started_at=self._clock(),
            receipt=receipt,
        )
        self._running[call.id] = call
        self._tell(call, "started")
        try:
            with call.scope:
                call.outcome = await self._outcome(live, tool, arguments, call)
            if call.outcome is None:
                call.outcome = _unanswered(_cancelled(call), call)
            return call
        except ProblemError as error:
            call.outcome = Outcome(kind="failed", problem=error.problem)
            raise
        finally:
            if call.outcome is None:
                # The asking task was cancelled, or a fault of our own came up: either way it may have been sent.
                call.outcome = _lost(_interrupted(call), call)
            self._end(call)

    def cancel(self, call_id: str) -> Call:
        """The call is being cancelled at its server; it ends in the task that runs it.

        Raises:
            ProblemError: `call-unknown`: no such call runs.
        """
        call = self._running.get(call_id)
        if call is None:
            raise ProblemError(_unknown(call_id, "is running"))
        call.cancelled = True
        call.scope.cancel()
        return call

    def running(self) -> tuple[Call, ...]:
        """The calls that run now, the oldest first."""
        return tuple(self._running.values())

    def ended(self, call_id: str) -> Call:
        """A kept call.

        Raises:
            ProblemError: `call-unknown`: no such result is kept any more.
        """
        call = self._ended.get(call_id)
        if call is None:
            raise ProblemError(_unknown(call_id, "has a result that is still kept"))
        return call

    async def _outcome(self, live: LiveServer, tool: Tool, arguments: Mapping[str, object], call: Call) -> Outcome:
        # Imported here because the protocol floor costs a second to import; a live server has paid it already.
        from mcp_host.protocol.errors import RequestFailed

        async def on_progress(progress: float, total: float | None, message: str | None) -> None:
            self._progress(call, progress, total, message)

        try:
            raw = await live.connection.call_tool(
                tool,
                arguments,
                timeout_seconds=live.defined.definition.request_timeout_seconds,
                on_progress=on_progress,
            )
        except RequestFailed as failure:
            if not failure.sent:
                raise
            if failure.answered:
                if failure.problem.type != "request-refused":
                    raise
                return Outcome(kind="failed", problem=failure.problem)
            return _unanswered(_why(live, failure.problem, call), call)
        return judge_result(raw, tool, alias=live.alias, era=live.connection.identity.era)

    def _progress(self, call: Call, progress: float, total: float | None, message: str | None) -> None:
        data: dict[str, object] = {"call": call.id, "alias": call.alias, "tool": call.tool, "progress": progress}
        if total is not None:
            data["total"] = total
        if message is not None:
            data["message"] = message
        self._emit("McpProgress", data)

    def _end(self, call: Call) -> None:
        self._running.pop(call.id, None)
        call.duration_seconds = self._clock() - call.started_at
        assert call.outcome is not None, "set before"
        call.state = call.outcome.kind
        self._ended[call.id] = call
        while len(self._ended) > KEPT_RESULTS:
            self._ended.popitem(last=False)
        self._tell(call, call.state)

    def _tell(self, call: Call, state: str) -> None:
        self._emit("McpCall", {"call": call.id, "alias": call.alias, "tool": call.tool, "state": state})


def _unanswered(problem: Problem, call: Call) -> Outcome:
    """What a call without an answer means: a read simply failed, of an effect nobody knows whether it happened.

    Raises:
        ProblemError: The call was a read.
    """
    if call.effect == "read":
        raise ProblemError(problem)
    return _lost(problem, call)


def _why(live: LiveServer, problem: Problem, call: Call) -> Problem:
    """Where the server is gone, how it ended and what it wrote last: more than that no answer came."""
    ended = live.connection.end_problem() if live.connection.ended.is_set() else None
    if ended is None:
        return problem
    return ended.model_copy(update={"tool": call.tool, "retryable": call.effect == "read"})


_AGAIN: Final[dict[Effect, str]] = {
    "read": "Run it again when you want it.",
    "host": "Look at what it would have changed before doing it again; this host never repeats it by itself.",
}


def _lost(problem: Problem, call: Call) -> Outcome:
    if call.effect == "read":
        return Outcome(kind="failed", problem=problem)
    return Outcome(
        kind="unknown",
        problem=Problem(
            type="outcome-unknown",
            title=f"Nobody knows whether {call.alias}.{call.tool} took effect",
            detail=f"The call was sent, and no answer came: {problem.title}.",
            hint=_AGAIN["host"],
            alias=call.alias,
            tool=call.tool,
            causes=(problem,),
        ),
    )


def _cancelled(call: Call) -> Problem:
    return Problem(
        type="cancelled",
        title=f"{call.alias}.{call.tool} was cancelled",
        detail="The server was told to stop.",
        hint=_AGAIN[call.effect],
        alias=call.alias,
        tool=call.tool,
    )


def _interrupted(call: Call) -> Problem:
    return Problem(
        type="cancelled",
        title=f"{call.alias}.{call.tool} was interrupted",
        detail="The host stopped waiting for its answer.",
        hint=_AGAIN[call.effect],
        alias=call.alias,
        tool=call.tool,
    )


def _unknown(call_id: str, what: str) -> Problem:
    return Problem(
        type="call-unknown",
        title=f"No call {call_id} {what}",
        detail="Calls are counted from c1 in each editor, and only the last results are kept.",
        hint="Tab after :McpCancel completes the calls that run.",
    )
