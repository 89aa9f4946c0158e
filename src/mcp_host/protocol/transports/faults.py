"""What the wire, not the server, says went wrong with one request; carried in an error's `data` under `mcp_host`.

A server may write such a member itself and claim that a call was never sent. So the transports put a mark on each fault
they make (`mark_fault`), and let nothing through to the session that carries the member without it (`trusted_error`).
"""

from __future__ import annotations

import secrets
from dataclasses import asdict, dataclass
from typing import Any, Final, Literal, cast

import mcp_types
from pydantic import TypeAdapter, ValidationError

FAULT_MEMBER: Final = "mcp_host"
"""The member of `error.data` that holds a `WireFault`."""
_MARK: Final = secrets.token_hex(16)
"""Known to this process alone: what a server sends cannot hold it."""
_MARK_MEMBER: Final = "mark"

FaultKind = Literal["connect", "timeout", "write", "read", "refused-by-http", "too-large", "encode", "unreadable"]


@dataclass(frozen=True, kw_only=True)
class WireFault:
    """Why one request has no answer of the server's own."""

    fault: FaultKind
    sent: bool
    """False only where the server cannot have acted: its message never left. True means: it may have acted."""
    status: int | None = None
    """The HTTP status, where there was a response. 401 asks for authorization."""
    retry_after: str | None = None
    """The response's Retry-After header as it came: seconds or a date."""
    body: str | None = None
    """The start of a refusal's body, where it is text. The server's words, and more than is to be shown: they are to be
    redacted, cut to `http_answers.WORDS_CHARS` and made safe, in this order."""
    in_session: bool = False
    """The refused request named a legacy session, which the server may not know any more."""


_fault_adapter: Final = TypeAdapter(WireFault)


def fault_of(data: object) -> WireFault | None:
    """The fault in an error's `data`, as this host's transports put it there; None for the server's own errors."""
    if not isinstance(data, dict):
        return None
    member = cast("dict[str, object]", data).get(FAULT_MEMBER)
    try:
        return None if member is None else _fault_adapter.validate_python(member)
    except ValidationError:
        return None


def fault_data(fault: WireFault, data: object = None) -> dict[str, Any]:
    """`error.data` with the fault in it. The server's own data is kept where it is an object."""
    kept = dict(cast("dict[str, Any]", data)) if isinstance(data, dict) else {}
    return {**kept, FAULT_MEMBER: asdict(fault)}


def mark_fault(data: dict[str, Any]) -> dict[str, Any]:
    """`error.data` with a mark on its fault, for the way through the SDK's HTTP client."""
    return {**data, FAULT_MEMBER: {**data[FAULT_MEMBER], _MARK_MEMBER: _MARK}}


def trusted_error(error: mcp_types.ErrorData) -> mcp_types.ErrorData:
    """The error without its mark; without the whole member where a server wrote it."""
    given = cast("object", error.data)
    if not isinstance(given, dict) or FAULT_MEMBER not in given:
        return error
    data = dict(cast("dict[str, Any]", given))
    member = data.pop(FAULT_MEMBER)
    if isinstance(member, dict):
        fault = dict(cast("dict[str, Any]", member))
        if fault.pop(_MARK_MEMBER, None) == _MARK:
            data[FAULT_MEMBER] = fault
    return mcp_types.ErrorData(code=error.code, message=error.message, data=data or None)
