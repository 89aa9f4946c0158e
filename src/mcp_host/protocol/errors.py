"""The one border where SDK, HTTP, anyio and OS exceptions become problems.

A failed request also carries what a person needs before daring to repeat it: whether the message left this host and
whether the server answered. Text from a server is quoted as its own words, and is escaped where it is drawn.
"""

from __future__ import annotations

import logging
import traceback
from typing import Final, cast

import anyio
from mcp.shared.exceptions import MCPError
from mcp_types import (
    HEADER_MISMATCH,
    INVALID_PARAMS,
    METHOD_NOT_FOUND,
    MISSING_REQUIRED_CLIENT_CAPABILITY,
    UNSUPPORTED_PROTOCOL_VERSION,
)
from pydantic import ValidationError

from mcp_host.problems import Problem, ProblemError
from mcp_host.protocol.stand_ins import (
    ends_connection,
    is_closed,
    is_own_answer,
    is_redirect,
    is_timeout,
    unread_answer,
    wire_fault,
)
from mcp_host.protocol.transports.faults import WireFault

__all__ = ["HEADER_MISMATCH", "METHOD_NOT_FOUND", "RequestFailed", "problem_from", "request_failed", "unwrap"]

logger = logging.getLogger(__name__)

_SERVER_WORDS_CAP: Final = 2000
"""Characters of a server's error message that are quoted: some put a whole page of HTML there."""

_RETRY_AFTER_CAP: Final = 100
"""Characters of a Retry-After header: a number or a date."""


class RequestFailed(ProblemError):
    """A request that got no result."""

    def __init__(
        self, problem: Problem, *, sent: bool, answered: bool, code: int | None = None, ended: bool = False
    ) -> None:
        super().__init__(problem)
        self.sent = sent
        self.answered = answered
        """True where the server itself refused: then the outcome is known."""
        self.code = code
        """The code of the server's own JSON-RPC error, None where it sent none."""
        self.ended = ended
        """True where no later request on the same connection can be answered."""


def unwrap(error: BaseException) -> BaseException:
    """The first leaf of nested exception groups, a cancellation only where nothing else is in there."""
    leaves = _leaves(error)
    cancelled = anyio.get_cancelled_exc_class() if _in_event_loop() else ()
    return next((leaf for leaf in leaves if not isinstance(leaf, cancelled)), leaves[0])


def request_failed(error: BaseException, *, alias: str, doing: str, tool: str | None = None) -> RequestFailed:
    """The failure of one request, with what is known about how far it got."""
    if isinstance(error, RequestFailed):
        return error
    leaf = unwrap(error)
    problem = problem_from(leaf, alias=alias, doing=doing, tool=tool)
    if not isinstance(leaf, MCPError):
        return RequestFailed(problem, sent=True, answered=False)
    fault = wire_fault(leaf)
    own = is_own_answer(leaf)
    return RequestFailed(
        problem,
        sent=fault is None or fault.sent,
        answered=own or is_redirect(leaf) or (fault is not None and _is_refusal(fault)),
        code=leaf.code if own else None,
        ended=ends_connection(leaf),
    )


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
    if isinstance(leaf, MCPError):
        return _answer_problem(leaf, alias=alias, doing=doing, tool=tool)
    if isinstance(leaf, TimeoutError):
        return _timed_out(alias=alias, doing=doing, tool=tool)
    if isinstance(leaf, ValidationError):
        # The input is left out: it may hold what the server was told to keep secret.
        detail = "; ".join(f"{_path(e['loc'])}: {e['msg']}" for e in leaf.errors(include_input=False)[:5])
        words = f"Its answer does not follow the specification: {detail}"
        return _violated(alias, doing, tool, words[:_SERVER_WORDS_CAP])
    if isinstance(leaf, OSError):
        words = leaf.strerror or type(leaf).__name__
        return _unavailable(alias, doing, tool, f"The operating system said: {words}.")
    if isinstance(leaf, (anyio.BrokenResourceError, anyio.ClosedResourceError, anyio.EndOfStream)):
        return _unavailable(alias, doing, tool, "The connection was closed.")
    if isinstance(leaf, RuntimeError) and "protocol version" in str(leaf):
        return _violated(alias, doing, tool, f"{str(leaf)[:_SERVER_WORDS_CAP]}.")
    return _unexpected(leaf, alias=alias, doing=doing, tool=tool)


def _unexpected(error: BaseException, *, alias: str, doing: str, tool: str | None) -> Problem:
    # Without the exception's own words: whatever a library was handed may stand in them, secrets too.
    where = "".join(traceback.format_tb(error.__traceback__))
    logger.error("%s while %s (%s)\n%s", type(error).__name__, doing, alias, where)
    return Problem(
        type="internal",
        title=f"Something unexpected happened while {doing} ({alias})",
        detail=f"{type(error).__name__} (see the host's log for where)",
        hint="Please report this with the host's log; :checkhealth mcp_host names its path.",
        alias=alias,
        tool=tool,
    )


def _answer_problem(error: MCPError, *, alias: str, doing: str, tool: str | None) -> Problem:
    fault = wire_fault(error)
    if fault is not None and (fault.status in (401, 403) or not is_own_answer(error)):
        return _fault_problem(fault, error, alias=alias, doing=doing, tool=tool)
    if ends_connection(error) and fault is not None and error.code != UNSUPPORTED_PROTOCOL_VERSION:
        return _session_over(alias, doing, tool, error.message[:_SERVER_WORDS_CAP])
    if is_timeout(error):
        return _timed_out(alias=alias, doing=doing, tool=tool)
    if is_closed(error):
        return _unavailable(alias, doing, tool, "The connection ended before an answer came.")
    if is_redirect(error):
        return _unavailable(alias, doing, tool, error.message[:_SERVER_WORDS_CAP])
    if (words := unread_answer(error)) is not None:
        return _violated(alias, doing, tool, words)
    return _refused(error, alias=alias, doing=doing, tool=tool)


def _refused(error: MCPError, *, alias: str, doing: str, tool: str | None) -> Problem:
    detail = f"Error {error.code}: {error.message[:_SERVER_WORDS_CAP]}"
    if error.code == MISSING_REQUIRED_CLIENT_CAPABILITY:
        detail += "\nThe server asks for a capability that this host does not offer on this connection."
    if (fault := wire_fault(error)) is not None:
        detail += _wait_words(fault)
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


def _fault_problem(fault: WireFault, error: MCPError, *, alias: str, doing: str, tool: str | None) -> Problem:
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
    detail = error.message[:_SERVER_WORDS_CAP]
    if fault.fault in ("too-large", "unreadable", "encode"):
        return _violated(alias, doing, tool, detail)
    if fault.body:
        detail += f"\nIt said: {fault.body[:_SERVER_WORDS_CAP]}"
    detail += _wait_words(fault)
    if ends_connection(error):
        return _session_over(alias, doing, tool, detail)
    return _unavailable(alias, doing, tool, detail)


def _wait_words(fault: WireFault) -> str:
    return (
        "" if fault.retry_after is None else f"\nIt asks to wait: Retry-After {fault.retry_after[:_RETRY_AFTER_CAP]}."
    )


def _is_refusal(fault: WireFault) -> bool:
    """A 4xx says that the request was not carried out. A 5xx, or a body that broke off, leaves that open."""
    return fault.fault == "refused-by-http" and fault.status is not None and 400 <= fault.status < 500


def _session_over(alias: str, doing: str, tool: str | None, words: str) -> Problem:
    return Problem(
        type="server-unavailable",
        title=f"{alias} does not know this connection any more (while {doing})",
        detail=f"{words}\nIt was restarted, or it has let the session go. The request was not carried out.",
        hint="Do it again: the next use connects anew.",
        alias=alias,
        tool=tool,
        retryable=True,
    )


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
