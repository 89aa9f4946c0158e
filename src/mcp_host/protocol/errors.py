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
from mcp_host.protocol.missing_capabilities import missing_capabilities
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
from mcp_host.protocol.wording import (
    Attempt,
    authorization_required,
    not_reachable,
    redirected,
    refused,
    request_lost,
    session_over,
    timed_out,
    turned_away,
    unexpected,
    violated,
)

__all__ = [
    "HEADER_MISMATCH",
    "METHOD_NOT_FOUND",
    "RequestFailed",
    "log_fault",
    "problem_from",
    "request_failed",
    "unwrap",
]

logger = logging.getLogger(__name__)

_SERVER_WORDS_CAP: Final = 8192
"""Characters of a server's words that a problem takes along: some send a whole page of HTML. The host shows 2000 of
them, cut after its redaction: a secret that lies across this cut is far behind that one."""

_RETRY_AFTER_CAP: Final = 100
"""Characters of a Retry-After header, which is a number or a date: a longer one is none and is left out."""

_OPEN_STATUSES: Final = frozenset({408, 409, 425, 499})
"""Refusals that do not say that nothing was done: a gateway's or a server's patience ended in the middle, or the
request met an earlier one of the same kind."""


class RequestFailed(ProblemError):
    """A request that got no result."""

    def __init__(
        self,
        problem: Problem,
        *,
        sent: bool,
        answered: bool,
        code: int | None = None,
        data: object = None,
        ended: bool = False,
    ) -> None:
        super().__init__(problem)
        self.sent = sent
        self.answered = answered
        """True where the server itself refused: then the outcome is known."""
        self.code = code
        """The code of the server's own JSON-RPC error, None where it sent none."""
        self.data = data
        """What else that error holds. The server's words: never shown or logged as they are."""
        self.ended = ended
        """True where no later request on the same connection can be answered."""


def unwrap(error: BaseException) -> BaseException:
    """The leaf of nested exception groups that says most: a problem that was found already, else the first one.

    A connection that closes because of a problem may meet closed streams on its way; those are noise beside it. A
    cancellation counts only where nothing else is in there.
    """
    leaves = _leaves(error)
    cancelled = anyio.get_cancelled_exc_class() if _in_event_loop() else ()
    others = [leaf for leaf in leaves if not isinstance(leaf, cancelled)]
    return next((leaf for leaf in others if isinstance(leaf, ProblemError)), (others or leaves)[0])


def request_failed(
    error: BaseException, *, alias: str, doing: str, tool: str | None = None, repeatable: bool = False
) -> RequestFailed:
    """The failure of one request, with what is known about how far it got.

    Args:
        repeatable: The request only reads. Anything else that was sent is never called retryable, whoever failed: it
            may have had its effect, and a script that takes the word for it would have it twice.
    """
    if isinstance(error, RequestFailed):
        return error
    leaf = unwrap(error)
    problem = problem_from(leaf, alias=alias, doing=doing, tool=tool)
    fault = wire_fault(leaf)
    sent = fault is None or fault.sent
    if sent and not repeatable:
        problem = problem.model_copy(update={"retryable": False})
    if not isinstance(leaf, MCPError):
        return RequestFailed(problem, sent=sent, answered=False)
    own = is_own_answer(leaf)
    return RequestFailed(
        problem,
        sent=sent,
        # Not by a redirect: the SDK follows the 307 and 308 of one origin, and of any other it does not tell the
        # status. A 301, 302 or 303 may come from a server that has acted and shows where the result is.
        answered=own or (fault is not None and _is_refusal(fault)),
        code=leaf.code if own else None,
        data=cast("object", leaf.data) if own else None,
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
    attempt = Attempt(alias=alias, doing=doing, tool=tool)
    if isinstance(leaf, ProblemError):
        return leaf.problem
    if isinstance(leaf, MCPError):
        return _answer_problem(leaf, attempt)
    if isinstance(leaf, TimeoutError):
        return timed_out(attempt)
    if isinstance(leaf, ValidationError):
        # The input is left out: it may hold what the server was told to keep secret.
        detail = "; ".join(f"{_path(e['loc'])}: {e['msg']}" for e in leaf.errors(include_input=False)[:5])
        return violated(attempt, _quoted(f"Its answer does not follow the specification: {detail}"))
    if isinstance(leaf, OSError):
        words = leaf.strerror or type(leaf).__name__
        return not_reachable(attempt, f"The operating system said: {words}.")
    if isinstance(leaf, (anyio.BrokenResourceError, anyio.ClosedResourceError, anyio.EndOfStream)):
        return not_reachable(attempt, "The connection was closed.")
    log_fault(leaf, f"while {doing} ({alias})")
    return unexpected(attempt, leaf)


def log_fault(fault: BaseException, words: str) -> None:
    """The log says where a fault of our own came up, without its words: whatever it was handed may stand in them."""
    where = "".join(traceback.format_tb(fault.__traceback__))
    logger.error("%s %s\n%s", type(fault).__name__, words, where)


def _answer_problem(error: MCPError, attempt: Attempt) -> Problem:
    fault = wire_fault(error)
    if fault is not None and (fault.status in (401, 403) or not is_own_answer(error)):
        return _fault_problem(fault, error, attempt)
    if ends_connection(error) and fault is not None and error.code != UNSUPPORTED_PROTOCOL_VERSION:
        return session_over(attempt, _quoted(error.message))
    if is_timeout(error):
        return timed_out(attempt)
    if is_closed(error):
        return not_reachable(attempt, "The connection ended before an answer came.")
    if is_redirect(error):
        return redirected(attempt, _quoted(error.message))
    if (words := unread_answer(error)) is not None:
        return violated(attempt, words)
    return _refusal_problem(error, fault, attempt)


def _refusal_problem(error: MCPError, fault: WireFault | None, attempt: Attempt) -> Problem:
    detail = f"Error {error.code}: {_quoted(error.message)}"
    if fault is not None:
        detail += _wait_words(fault)
    if error.code == MISSING_REQUIRED_CLIENT_CAPABILITY:
        return missing_capabilities(attempt, detail, cast("object", error.data))
    if error.code == UNSUPPORTED_PROTOCOL_VERSION:
        return violated(attempt, f"{detail}\nIt speaks no protocol revision that this host knows.")
    hint = "The words above are the server's own; they say what it objects to."
    if error.code == INVALID_PARAMS and attempt.tool is not None:
        hint = "Compare the arguments with the tool's card (K on its line in the survey)."
    return refused(attempt, detail, hint=hint)


def _fault_problem(fault: WireFault, error: MCPError, attempt: Attempt) -> Problem:
    if fault.status == 401 or fault.status == 403:
        return authorization_required(attempt, fault.status)
    if fault.fault == "timeout":
        return timed_out(attempt)
    detail = _quoted(error.message)
    if fault.fault in ("too-large", "unreadable", "encode"):
        return violated(attempt, detail)
    if fault.body:
        detail += f"\nIt said: {_quoted(fault.body)}"
    detail += _wait_words(fault)
    if ends_connection(error):
        return session_over(attempt, detail, certain=_is_refusal(fault))
    if fault.fault == "refused-by-http" and fault.status is not None:
        return turned_away(attempt, fault.status, detail, may_pass=fault.status == 429 or not _is_refusal(fault))
    return request_lost(attempt, detail)


def _wait_words(fault: WireFault) -> str:
    if fault.retry_after is None or len(fault.retry_after) > _RETRY_AFTER_CAP:
        return ""
    return f"\nIt asks to wait: Retry-After {fault.retry_after}."


def _is_refusal(fault: WireFault) -> bool:
    """A 4xx mostly says that the request was not carried out. A 5xx, or a body that broke off, leaves that open."""
    if fault.fault != "refused-by-http" or fault.status is None:
        return False
    return 400 <= fault.status < 500 and fault.status not in _OPEN_STATUSES


def _quoted(words: str) -> str:
    return words[:_SERVER_WORDS_CAP]


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
