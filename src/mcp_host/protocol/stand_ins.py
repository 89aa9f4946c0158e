"""Which errors are a server's own answer, and which stand in for an answer that did not come.

The SDK and our guard (`transports/http_guard.py`) make JSON-RPC errors themselves where there is nothing to hand on.
What they say must not pass for the server's word: an outcome would count as known that nobody knows. Where only the
words can tell, a server that uses the same ones is taken for the SDK, which errs on the side of "unknown".
"""

from __future__ import annotations

from typing import Final

from mcp.shared.exceptions import MCPError
from mcp_types import (
    CONNECTION_CLOSED,
    INTERNAL_ERROR,
    INVALID_REQUEST,
    METHOD_NOT_FOUND,
    PARSE_ERROR,
    REQUEST_TIMEOUT,
    UNSUPPORTED_PROTOCOL_VERSION,
)

from mcp_host.protocol.transports.faults import WireFault, fault_of

_CLOSED_WORDS: Final = ("Connection closed", "SSE stream ended", "SSE stream failed")
"""What the SDK writes into the -32000 errors it makes up itself; a server's own -32000 has other words."""

_UNREAD_WORDS: Final = {
    (PARSE_ERROR, "Failed to parse "): "Its answer is no valid JSON-RPC message.",  # goes on with the answer itself
    (INVALID_REQUEST, "Unexpected content type: "): "Its answer is neither JSON nor an event stream.",
    (INVALID_REQUEST, "server answered a request with 202"): "It accepted the request (HTTP 202) without answering it.",
}
"""By code and first words of an SDK error: ours for an answer that came and could not be read."""

_REDIRECT_WORDS: Final = "Redirect to "

_BARE_CODES: Final = (INTERNAL_ERROR, INVALID_REQUEST, METHOD_NOT_FOUND)
_SESSION_ENDED: Final = "Session terminated"

_SESSION_STATUSES: Final = (400, 404, 410, 503)
_SESSION_CODES: Final = (CONNECTION_CLOSED, REQUEST_TIMEOUT, INVALID_REQUEST)
"""With which servers refuse a session they do not know: -32000 and -32001 (TypeScript), -32600 (Python)."""
_SESSION_WORDS: Final = ("session", "not initialized")


def wire_fault(error: BaseException) -> WireFault | None:
    """What the wire said of this request, None where the error came from somewhere else."""
    return fault_of(error.data) if isinstance(error, MCPError) else None


def is_own_answer(error: MCPError) -> bool:
    """The server itself answered with this JSON-RPC error, under whatever HTTP status."""
    fault = wire_fault(error)
    if fault is not None and (fault.fault != "refused-by-http" or _is_bare(error, fault)):
        return False
    return not (is_closed(error) or is_timeout(error) or is_redirect(error) or unread_answer(error))


def is_closed(error: MCPError) -> bool:
    """The connection ended while an answer was awaited, or before the request."""
    return error.code == CONNECTION_CLOSED and error.message.startswith(_CLOSED_WORDS)


def is_timeout(error: MCPError) -> bool:
    """A deadline of the SDK passed."""
    return error.code == REQUEST_TIMEOUT and "timed out" in error.message.lower()


def is_redirect(error: MCPError) -> bool:
    """The server sent us to a place where credentials must not follow, or with a status that drops the message."""
    return error.code == INVALID_REQUEST and error.message.startswith(_REDIRECT_WORDS)


def unread_answer(error: MCPError) -> str | None:
    """What was wrong with an answer that came and could not be read; None for other errors."""
    for (code, words), ours in _UNREAD_WORDS.items():
        if error.code == code and error.message.startswith(words):
            return ours
    return None


def ends_connection(error: MCPError) -> bool:
    """No later request on the same connection can be answered: it must be opened anew.

    A session that the server does not know any more (404, with many servers 400, with some 410 or 503), a server that
    has come to speak other revisions, and streams that are closed. Where the request named no session, none has ended,
    whatever status and words its server has for what it refuses.
    """
    fault = wire_fault(error)
    if fault is None:
        return error.code == UNSUPPORTED_PROTOCOL_VERSION or is_closed(error)
    if error.code == UNSUPPORTED_PROTOCOL_VERSION:
        return True
    if not fault.in_session or fault.fault != "refused-by-http" or fault.status not in _SESSION_STATUSES:
        return False
    if _is_bare(error, fault):
        return fault.status == 404 or _speaks_of_session(fault.body or "")
    return error.code in _SESSION_CODES and _speaks_of_session(error.message)


def _is_bare(error: MCPError, fault: WireFault) -> bool:
    """The refusal had no JSON-RPC error in it: the words are the guard's."""
    return error.code in _BARE_CODES and error.message.startswith((f"HTTP {fault.status}", _SESSION_ENDED))


def _speaks_of_session(words: str) -> bool:
    return any(word in words.lower() for word in _SESSION_WORDS)
