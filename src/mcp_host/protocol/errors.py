"""The one border where SDK, HTTP, anyio and OS exceptions become problems.

A failed request also carries what a person needs before daring to repeat it: whether the message left this host and
whether the server answered. Text from a server is quoted as its own words, and is escaped where it is drawn.
"""

from __future__ import annotations

from typing import Final, cast

import anyio
from mcp.shared.exceptions import MCPError
from mcp_types import (
    CONNECTION_CLOSED,
    HEADER_MISMATCH,
    INVALID_PARAMS,
    METHOD_NOT_FOUND,
    MISSING_REQUIRED_CLIENT_CAPABILITY,
    REQUEST_TIMEOUT,
    UNSUPPORTED_PROTOCOL_VERSION,
)
from pydantic import ValidationError

from mcp_host.problems import Problem, ProblemError
from mcp_host.protocol.transports.faults import WireFault, fault_of

__all__ = [
    "CONNECTION_CLOSED",
    "HEADER_MISMATCH",
    "METHOD_NOT_FOUND",
    "UNSUPPORTED_PROTOCOL_VERSION",
    "RequestFailed",
    "problem_from",
    "request_failed",
    "unwrap",
    "wire_fault",
]

_CLOSED_WORDS: Final = ("Connection closed", "SSE stream ended", "SSE stream failed")
"""What the SDK writes into the -32000 errors it makes up itself; a server's own -32000 has other words."""

_SERVER_WORDS_CAP: Final = 2000
"""Characters of a server's error message that are quoted: some put a whole page of HTML there."""


class RequestFailed(ProblemError):
    """A request that got no result."""

    def __init__(self, problem: Problem, *, sent: bool, answered: bool, code: int | None = None) -> None:
        super().__init__(problem)
        self.sent = sent
        self.answered = answered
        """True where the server itself refused: then the outcome is known."""
        self.code = code
        """The JSON-RPC error code, None where no JSON-RPC error was involved."""


def unwrap(error: BaseException) -> BaseException:
    """The first leaf of nested exception groups, a cancellation only where nothing else is in there."""
    leaves = _leaves(error)
    cancelled = anyio.get_cancelled_exc_class() if _in_event_loop() else ()
    return next((leaf for leaf in leaves if not isinstance(leaf, cancelled)), leaves[0])


def wire_fault(error: BaseException) -> WireFault | None:
    """What the wire said of this request, None where the error came from somewhere else."""
    return fault_of(error.data) if isinstance(error, MCPError) else None


def request_failed(error: BaseException, *, alias: str, doing: str, tool: str | None = None) -> RequestFailed:
    """The failure of one request, with what is known about how far it got."""
    if isinstance(error, RequestFailed):
        return error
    leaf = unwrap(error)
    problem = problem_from(leaf, alias=alias, doing=doing, tool=tool)
    fault = wire_fault(leaf)
    if fault is not None:
        return RequestFailed(problem, sent=fault.sent, answered=fault.status is not None and fault.status < 500)
    if isinstance(leaf, MCPError):
        lost = leaf.code == REQUEST_TIMEOUT or _is_closed(leaf)
        return RequestFailed(problem, sent=True, answered=not lost, code=leaf.code)
    return RequestFailed(problem, sent=True, answered=False)


def problem_from(error: BaseException, *, alias: str, doing: str, tool: str | None = None) -> Problem:
    """What went wrong for a person, whatever library raised it.

    Args:
        alias: The server that was talked to.
        doing: What was being done, to follow "while": "connecting", "calling git_log".
        tool: The raw name of the tool, where one was called.
    """
    leaf = unwrap(error)
    if isinstance(leaf, ProblemError):
        return leaf.problem
    fault = wire_fault(leaf)
    if fault is not None and isinstance(leaf, MCPError):
        return _fault_problem(fault, leaf.message, alias=alias, doing=doing, tool=tool)
    if isinstance(leaf, MCPError):
        return _answer_problem(leaf, alias=alias, doing=doing, tool=tool)
    if isinstance(leaf, TimeoutError):
        return _timed_out(alias=alias, doing=doing, tool=tool)
    if isinstance(leaf, ValidationError):
        # The input is left out: it may hold what the server was told to keep secret.
        detail = "; ".join(f"{_path(e['loc'])}: {e['msg']}" for e in leaf.errors(include_input=False)[:5])
        return _violated(alias, doing, tool, f"Its answer does not follow the specification: {detail}")
    if isinstance(leaf, OSError):
        words = leaf.strerror or type(leaf).__name__
        return _unavailable(alias, doing, tool, f"The operating system said: {words}.")
    if isinstance(leaf, (anyio.BrokenResourceError, anyio.ClosedResourceError, anyio.EndOfStream)):
        return _unavailable(alias, doing, tool, "The connection was closed.")
    if isinstance(leaf, RuntimeError) and "protocol version" in str(leaf):
        return _violated(alias, doing, tool, f"{leaf}.")
    return Problem(
        type="internal",
        title=f"Something unexpected happened while {doing} ({alias})",
        detail=f"{type(leaf).__name__} (see the host's log for where)",
        hint="Please report this with the host's log; :checkhealth mcp_host names its path.",
        alias=alias,
        tool=tool,
    )


def _answer_problem(error: MCPError, *, alias: str, doing: str, tool: str | None) -> Problem:
    if error.code == REQUEST_TIMEOUT:
        return _timed_out(alias=alias, doing=doing, tool=tool)
    if _is_closed(error):
        return _unavailable(alias, doing, tool, "The connection ended before an answer came.")
    detail = f"Error {error.code}: {error.message[:_SERVER_WORDS_CAP]}"
    if error.code == MISSING_REQUIRED_CLIENT_CAPABILITY:
        detail += "\nThe server asks for a capability that this host does not offer on this connection."
    if error.code == UNSUPPORTED_PROTOCOL_VERSION:
        return _violated(alias, doing, tool, f"{detail}\nIt speaks no protocol revision that this host knows.")
    hint = "The words above are the server's own; they say what it objects to."
    if error.code == INVALID_PARAMS and tool is not None:
        hint = "Compare the arguments with the tool's card (K on its line in the survey)."
    return Problem(
        type="request-refused",
        title=f"{alias} refused while {doing}",
        detail=detail,
        hint=hint,
        alias=alias,
        tool=tool,
    )


def _fault_problem(fault: WireFault, words: str, *, alias: str, doing: str, tool: str | None) -> Problem:
    if fault.status in (401, 403):
        return Problem(
            type="authorization-required",
            title=f"{alias} asks for an authorization",
            detail=f"It answered HTTP {fault.status} while {doing}.",
            hint=f'Give its definition `authorization = {{ type = "bearer", token = "${{NAME}}" }}` for {alias}.',
            alias=alias,
            tool=tool,
        )
    if fault.fault == "timeout":
        return _timed_out(alias=alias, doing=doing, tool=tool)
    if fault.fault in ("too-large", "unreadable", "encode"):
        return _violated(alias, doing, tool, words[:_SERVER_WORDS_CAP])
    detail = words[:_SERVER_WORDS_CAP]
    if fault.body:
        detail += f"\nIt said: {fault.body[:_SERVER_WORDS_CAP]}"
    if fault.retry_after is not None:
        detail += f"\nIt asks to wait: Retry-After {fault.retry_after}."
    return _unavailable(alias, doing, tool, detail)


def _unavailable(alias: str, doing: str, tool: str | None, detail: str) -> Problem:
    return Problem(
        type="server-unavailable",
        title=f"{alias} is not reachable (while {doing})",
        detail=detail,
        hint=f"See what it wrote with :McpList, then :McpEnable {alias} tries again.",
        alias=alias,
        tool=tool,
        retryable=True,
    )


def _violated(alias: str, doing: str, tool: str | None, detail: str) -> Problem:
    return Problem(
        type="protocol-violated",
        title=f"{alias} broke the protocol while {doing}",
        detail=detail,
        hint="This is for the server's authors; a newer version of it may help.",
        alias=alias,
        tool=tool,
    )


def _timed_out(*, alias: str, doing: str, tool: str | None) -> Problem:
    return Problem(
        type="request-timed-out",
        title=f"{alias} did not answer in time while {doing}",
        detail="The deadline of its definition passed and the request was cancelled.",
        hint="Raise request_timeout_seconds (or connect_timeout_seconds) in its definition if it needs longer.",
        alias=alias,
        tool=tool,
        retryable=True,
    )


def _is_closed(error: MCPError) -> bool:
    return error.code == CONNECTION_CLOSED and error.message.startswith(_CLOSED_WORDS)


def _path(location: tuple[int | str, ...]) -> str:
    return ".".join(str(part) for part in location) or "(whole answer)"


def _leaves(error: BaseException) -> list[BaseException]:
    nested = getattr(error, "exceptions", None)
    if not isinstance(nested, tuple):
        return [error]
    return [leaf for child in cast("tuple[BaseException, ...]", nested) for leaf in _leaves(child)]


def _in_event_loop() -> bool:
    try:
        anyio.get_current_task()
    except (RuntimeError, anyio.NoEventLoopError):
        return False
    return True
