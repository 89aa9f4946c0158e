"""What is said of a call that did not come to a result: cancelled, interrupted, lost, or never known."""

from __future__ import annotations

from typing import Final, Protocol

from mcp_host.core.outcomes import Outcome
from mcp_host.core.policy import Effect
from mcp_host.problems import Problem, ProblemError


class Named(Protocol):
    """What these problems need to know of a call."""

    alias: str
    name: str
    effect: Effect

    @property
    def tool(self) -> str | None: ...


_AGAIN: Final[dict[Effect, str]] = {
    "read": "Run it again when you want it.",
    "host": "Look at what it would have changed before doing it again; this host never repeats it by itself.",
}


def unanswered(problem: Problem, call: Named) -> Outcome:
    """What a call without an answer means: a read simply failed, of an effect nobody knows whether it happened.

    Raises:
        ProblemError: The call was a read.
    """
    if call.effect == "read":
        raise ProblemError(problem)
    return lost(problem, call)


def lost(problem: Problem, call: Named) -> Outcome:
    """The outcome of a call that nothing more will be heard of."""
    if call.effect == "read":
        return Outcome(kind="failed", problem=problem)
    return Outcome(
        kind="unknown",
        problem=Problem(
            type="outcome-unknown",
            title=f"Nobody knows whether {call.alias}.{call.name} took effect",
            detail=f"The call was sent, and no answer came: {problem.title}.",
            hint=_AGAIN["host"],
            alias=call.alias,
            tool=call.tool,
            causes=(problem,),
        ),
    )


def cancelled(call: Named) -> Problem:
    """A person stopped it."""
    return _stopped(call, "was cancelled", "The server was told to stop.")


def interrupted(call: Named) -> Problem:
    """Whoever asked for it went away, or the host stops."""
    return _stopped(call, "was interrupted", "The host stopped waiting for its answer.")


def unknown_call(call_id: str, what: str) -> Problem:
    """There is no such call: "is running", "has a result that is still kept"."""
    return Problem(
        type="call-unknown",
        title=f"No call {call_id} {what}",
        detail="Calls are counted from c1 in each editor, and only the last results are kept.",
        hint="Tab after :McpCancel completes the calls that run.",
    )


def _stopped(call: Named, happened: str, detail: str) -> Problem:
    return Problem(
        type="cancelled",
        title=f"{call.alias}.{call.name} {happened}",
        detail=detail,
        hint=_AGAIN[call.effect],
        alias=call.alias,
        tool=call.tool,
    )
