"""The responses that the guard gives in a server's stead: a JSON-RPC error for the request, with the fault in its data.

The texts are our own or name kinds of errors. What an HTTP library says about a request may quote a header of it.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from http import HTTPStatus
from typing import Final

import httpx2
import mcp_types
from mcp.shared._httpx_utils import redirect_location
from pydantic import ValidationError

from mcp_host.protocol.transports.faults import FaultKind, WireFault, fault_data, mark_fault, trusted_error
from mcp_host.protocol.transports.surrogates import replace_lone_surrogates

EVENT_STREAM: Final = "text/event-stream"
WORDS_CHARS: Final = 300
"""Of a refusal's body, as much as a person needs to see: whoever shows it redacts it and then cuts it to this."""
WORDS_MARGIN_CHARS: Final = 4 * 1024
"""Handed on beyond that, so that a secret which lies across the cut is seen whole by whoever redacts."""

_SHORT_BYTES: Final = 64 * 1024
"""Above this a body is read twice only where it does not look like the answer, because reading it would be felt."""
_END_BYTES: Final = 256
"""Where a message whose result comes first says whose answer it is."""

_FAULT_WORDS: Final[dict[type[Exception], str]] = {
    httpx2.RemoteProtocolError: "it hung up, or what it sent is no HTTP",
    httpx2.NetworkError: "the connection broke",
    httpx2.ReadTimeout: "nothing came for too long",
    httpx2.DecodingError: "its compression cannot be undone",
}

_REMADE_HEADERS: Final = ("content-length", "content-encoding", "transfer-encoding", "content-type")


@dataclass(frozen=True, kw_only=True)
class Posted:
    """What the guard needs to know of the message that a request carries."""

    request_id: mcp_types.RequestId | None
    """None where no answer is expected: the SDK then reads no body."""
    in_session: bool
    """The request names a legacy session, so that 404 means its end."""


def fault_response(posted: Posted, fault: WireFault, words: str) -> httpx2.Response:
    """Stands for a response that did not come, or not whole."""
    error = mcp_types.ErrorData(code=mcp_types.INTERNAL_ERROR, message=words)
    # An error status also where the server's was 200: the SDK would take a session's id from a good one.
    return _error_response(HTTPStatus.SERVICE_UNAVAILABLE, posted, error, fault=fault)


def refusal_response(posted: Posted, refused: httpx2.Response, body: bytes) -> httpx2.Response:
    """The server's refusal with its status and headers, and its own JSON-RPC error where it sent one."""
    fault = WireFault(
        fault="refused-by-http",
        sent=True,
        status=refused.status_code,
        retry_after=refused.headers.get("retry-after"),
        body=_body_words(refused, body),
        in_session=posted.in_session,
    )
    error = _said_error(body) or mcp_types.ErrorData(
        code=_code(posted, refused), message=_status_words(posted, refused)
    )
    return _error_response(refused.status_code, posted, error, fault=fault, headers=kept_headers(refused))


def answer_body(posted: Posted, body: bytes | bytearray) -> bytes | None:
    """The body of a good response as the SDK can read it, None where the message in it is no answer at all.

    Only one request was posted, so an answer is its answer, whatever id the server gives it: an error without one
    ("request not understood", JSON-RPC 2.0) would let the call wait, and so would a request or a notification.
    """
    mended = replace_lone_surrogates(body)
    if posted.request_id is None or (len(mended) > _SHORT_BYTES and _names(mended, posted.request_id)):
        return mended
    try:
        said = mcp_types.jsonrpc_message_adapter.validate_json(mended, by_name=False)
    except ValidationError:
        return mended  # the SDK says so
    if not isinstance(said, mcp_types.JSONRPCResponse | mcp_types.JSONRPCError):
        return None
    if said.id == posted.request_id:
        return mended
    return said.model_copy(update={"id": posted.request_id}).model_dump_json(by_alias=True, exclude_unset=True).encode()


def error_in(response: httpx2.Response) -> mcp_types.ErrorData:
    """What was wrong with a response that came through the guard and is not what was asked for. Its body was read."""
    said = _said_error(response.content) if response.is_error else None
    if said is not None:
        return trusted_error(said)
    location = redirect_location(response)
    words = f"Unexpected content type: {media_type(response)}"
    if location is not None:
        words = f"Redirect to {location} not followed"
    return mcp_types.ErrorData(code=mcp_types.INVALID_REQUEST, message=words)


def kept_headers(response: httpx2.Response) -> httpx2.Headers:
    """The response's headers without those that speak of the body as it was on the wire."""
    headers = httpx2.Headers(response.headers)
    for name in _REMADE_HEADERS:
        headers.pop(name, None)
    return headers


def media_type(response: httpx2.Response) -> str:
    """The content type without its parameters; empty where none was sent."""
    content_type: str = response.headers.get("content-type", "")
    return content_type.partition(";")[0].strip().lower()


def fault_kind(error: Exception, *, answering: bool) -> FaultKind:
    """`answering`: the headers of the response had come."""
    match error:
        case httpx2.ConnectTimeout() | httpx2.ConnectError() | httpx2.ProxyError() | httpx2.UnsupportedProtocol():
            return "connect"
        case httpx2.TimeoutException():
            return "timeout"
        case httpx2.WriteError() | httpx2.LocalProtocolError():
            return "write"
        case httpx2.RequestError():
            return "read"
        case _:
            return "read" if answering else "connect"


def fault_words(error: Exception) -> str:
    """The kind of the error, in words where there are some; its own text only where it is the operating system's."""
    name = type(error).__name__
    if isinstance(error, httpx2.ConnectError) and str(error):
        return f"{name}: {error}"
    words = next((words for kind, words in _FAULT_WORDS.items() if isinstance(error, kind)), None)
    return name if words is None else f"{words} ({name})"


def _names(body: bytes | bytearray, request_id: mcp_types.RequestId) -> bool:
    """Whether a long message names the request where servers do: before its result, or behind it."""
    said = rb'"id"\s*:\s*' + re.escape(json.dumps(request_id).encode())
    version = rb'"jsonrpc"\s*:\s*"2\.0"'
    begins = re.compile(rb"\s*\{\s*(?:%s\s*,\s*)?%s\s*," % (version, said))
    ends = re.compile(rb",\s*%s\s*(?:,\s*%s\s*)?\}\s*\Z" % (said, version))
    return begins.match(body) is not None or ends.search(body, len(body) - _END_BYTES) is not None


def _error_response(
    status: int,
    posted: Posted,
    error: mcp_types.ErrorData,
    *,
    fault: WireFault,
    headers: httpx2.Headers | None = None,
) -> httpx2.Response:
    data = mark_fault(fault_data(fault, error.data))
    answer = mcp_types.JSONRPCError(
        jsonrpc="2.0",
        id=posted.request_id,
        error=mcp_types.ErrorData(code=error.code, message=error.message, data=data),
    )
    headers = httpx2.Headers() if headers is None else headers
    headers["content-type"] = "application/json"
    return httpx2.Response(status, headers=headers, content=answer.model_dump_json(by_alias=True).encode())


def _said_error(body: bytes) -> mcp_types.ErrorData | None:
    try:
        said = mcp_types.jsonrpc_message_adapter.validate_json(body, by_name=False)
    except ValidationError:
        return None
    return said.error if isinstance(said, mcp_types.JSONRPCError) else None


def _code(posted: Posted, refused: httpx2.Response) -> int:
    """The codes that the SDK gives to bare statuses: negotiation reads a legacy server in them, a session its end."""
    if refused.status_code != HTTPStatus.NOT_FOUND:
        return mcp_types.INTERNAL_ERROR
    return mcp_types.INVALID_REQUEST if posted.in_session else mcp_types.METHOD_NOT_FOUND


def _status_words(posted: Posted, refused: httpx2.Response) -> str:
    if refused.status_code == HTTPStatus.NOT_FOUND and posted.in_session:
        return "Session terminated"
    return f"HTTP {refused.status_code} {refused.reason_phrase}".rstrip()


def _body_words(refused: httpx2.Response, body: bytes) -> str | None:
    """A page of HTML says nothing in its first words; text and JSON do."""
    if media_type(refused) not in ("text/plain", "application/json", "application/problem+json"):
        return None
    kept = WORDS_CHARS + WORDS_MARGIN_CHARS
    return body[: kept * 4].decode("utf-8", "replace").strip()[:kept] or None
