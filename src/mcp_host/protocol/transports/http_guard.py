"""Keeps a fault of one HTTP request from ending every other call of its connection.

The SDK lets transport errors out of its task group, which ends the whole connection (python-sdk #3560). This guard sits
under the HTTP client and answers in the server's stead: a request that got no response, a body that broke off, a
refusal without a JSON-RPC body each become a JSON-RPC error for that request's id, with a `WireFault` in its data. The
opening of an event stream gets such an answer too. Status and headers of a real response stay, so that redirects,
authorization and the SDK's reading of 404 go on as they would. Requests that carry no JSON-RPC and ask for no events
(metadata, tokens) pass untouched.
"""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from contextlib import aclosing
from contextvars import ContextVar
from http import HTTPStatus
from typing import Any, Final, cast

import anyio
import httpx2
from mcp.shared.inbound import MCP_METHOD_HEADER, MCP_PROTOCOL_VERSION_HEADER
from mcp_types.version import MODERN_PROTOCOL_VERSIONS

from mcp_host.protocol.transports.event_fields import EventFields
from mcp_host.protocol.transports.faults import WireFault
from mcp_host.protocol.transports.http_answers import (
    EVENT_STREAM,
    Posted,
    answer_body,
    fault_kind,
    fault_response,
    fault_words,
    kept_headers,
    media_type,
    refusal_response,
)
from mcp_host.protocol.transports.http_pace import StreamPace
from mcp_host.protocol.transports.lines import LINE_CAP_BYTES
from mcp_host.protocol.transports.surrogates import SurrogateMender

BODY_CAP_BYTES: Final = LINE_CAP_BYTES
"""The longest body taken from a server, as it is after decompression: what one message may be, whatever the wire."""
NOTIFICATION_SECONDS: Final = 10.0
"""For a message that expects no answer. The SDK sends such messages one by one, and every request waits behind them."""
GOODBYE_SECONDS: Final = 0.5
"""For the DELETE that ends a session: a courtesy, and the editor may be waiting to leave."""

_OPEN_ENDED: Final = "subscriptions/listen"
"""The one request whose stream is silent for hours when all is well."""


class HttpGuard(httpx2.AsyncBaseTransport):
    """Wraps the transport that meets the network.

    Args:
        posts_in_session: The address to which messages are posted names a session, as in the HTTP+SSE binding;
            otherwise a header does, where there is one.
    """

    def __init__(
        self,
        inner: httpx2.AsyncBaseTransport,
        *,
        posts_in_session: bool = False,
        body_cap_bytes: int = BODY_CAP_BYTES,
    ) -> None:
        self._inner = inner
        self._posts_in_session = posts_in_session
        self._body_cap_bytes = body_cap_bytes

    async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
        """As the wrapped transport, but a JSON-RPC message and the opening of a stream always get a response."""
        if request.method == "DELETE":
            return await self._say_goodbye(request)
        if request.method == "GET" and EVENT_STREAM in request.headers.get("accept", ""):
            await anyio.sleep(self._pace().delay(anyio.current_time()))
            _wait_for_ever(request)
            return await self._exchange(request, Posted(request_id=None, in_session=_in_session(request)))
        if request.headers.get(MCP_METHOD_HEADER) == _OPEN_ENDED:
            _wait_for_ever(request)
        posted = await self._posted(request)
        if posted is None:
            return await self._inner.handle_async_request(request)
        if posted.request_id is not None:
            return await self._exchange(request, posted)
        with anyio.move_on_after(NOTIFICATION_SECONDS):
            return await self._exchange(request, posted)
        return fault_response(posted, WireFault(fault="timeout", sent=True), "The message was not taken in time.")

    async def _posted(self, request: httpx2.Request) -> Posted | None:
        """What the request carries, if that is a JSON-RPC message."""
        if request.method != "POST" or not request.headers.get("content-type", "").startswith("application/json"):
            return None
        try:
            # Read, because a request that follows a redirect has its content as a stream alone.
            message: object = json.loads(await request.aread())
        except (ValueError, RecursionError):
            return None
        if not isinstance(message, dict) or "jsonrpc" not in message:
            return None
        members = cast("dict[str, Any]", message)
        return Posted(
            request_id=members.get("id") if "method" in members else None,
            in_session=self._posts_in_session or _in_session(request),
        )

    async def aclose(self) -> None:
        """The wrapped transport is closed."""
        await self._inner.aclose()

    def _pace(self) -> StreamPace:
        """That of the stream which this task opens again and again: of the server's own, or of one slow answer."""
        kept = _PACE.get()
        if kept is None or kept[0] is not self:
            kept = (self, StreamPace())
            _PACE.set(kept)
        return kept[1]

    async def _say_goodbye(self, request: httpx2.Request) -> httpx2.Response:
        # Shielded: the SDK sends it while it is being cancelled, and a session left open costs the server.
        with anyio.move_on_after(GOODBYE_SECONDS, shield=True):
            return await self._inner.handle_async_request(request)
        return httpx2.Response(HTTPStatus.GATEWAY_TIMEOUT)

    async def _exchange(self, request: httpx2.Request, posted: Posted) -> httpx2.Response:
        trace = _SentTrace()
        request.extensions = {**request.extensions, "trace": trace.note}
        try:
            response = await self._inner.handle_async_request(request)
        except Exception as error:  # boundary: whatever fails one request must not end the others
            fault = WireFault(fault=fault_kind(error, answering=False), sent=trace.sent)
            return fault_response(posted, fault, f"The request failed: {fault_words(error)}.")
        if media_type(response) == EVENT_STREAM and response.is_success:
            resumable = request.headers.get(MCP_PROTOCOL_VERSION_HEADER) not in MODERN_PROTOCOL_VERSIONS
            return _rebuilt(response, stream=_EventStream(response, resumable=resumable))
        return await self._read_whole(response, posted)

    async def _read_whole(self, response: httpx2.Response, posted: Posted) -> httpx2.Response:
        body = bytearray()
        try:
            async with aclosing(response.aiter_bytes()) as chunks:
                async for chunk in chunks:
                    body += chunk
                    if len(body) > self._body_cap_bytes:
                        fault = WireFault(fault="too-large", sent=True, status=response.status_code)
                        return fault_response(posted, fault, f"The answer is larger than {self._body_cap_bytes} bytes.")
        except Exception as error:  # boundary: as above, and a decoder may raise what it likes
            fault = WireFault(fault=fault_kind(error, answering=True), sent=True, status=response.status_code)
            return fault_response(posted, fault, f"The answer broke off: {fault_words(error)}.")
        if response.status_code >= HTTPStatus.BAD_REQUEST:
            return refusal_response(posted, response, bytes(body))
        # Nothing that a redirect says beside its headers is an answer; the SDK would take it for one.
        content = answer_body(posted, body) if response.is_success else b""
        if content is None:
            fault = WireFault(fault="unreadable", sent=True, status=response.status_code)
            return fault_response(posted, fault, "The message that it answered with is no answer.")
        return _rebuilt(response, content=content)


_PACE: Final[ContextVar[tuple[HttpGuard, StreamPace] | None]] = ContextVar("_PACE", default=None)
"""The SDK opens each stream in a task of its own, and again in the same. With the guard, for a task inherits values."""


class _EventStream(httpx2.AsyncByteStream):
    """The decoded body of an event stream. Its faults stay as they are: in the SDK they end one call only."""

    def __init__(self, response: httpx2.Response, *, resumable: bool) -> None:
        self._response = response
        self._resumable = resumable

    async def __aiter__(self) -> AsyncIterator[bytes]:
        mender, fields = SurrogateMender(), EventFields(resumable=self._resumable)
        async for chunk in self._response.aiter_bytes():
            yield fields.feed(mender.feed(chunk))
        yield fields.feed(mender.take_rest()) + fields.take_rest()

    async def aclose(self) -> None:
        await self._response.aclose()


class _SentTrace:
    """Whether the message had begun to leave; until then the server cannot have acted on it."""

    def __init__(self) -> None:
        self.sent = False

    async def note(self, event: str, _: dict[str, Any]) -> None:
        self.sent = self.sent or event.endswith("send_request_body.started")


def _rebuilt(
    response: httpx2.Response, *, content: bytes | None = None, stream: httpx2.AsyncByteStream | None = None
) -> httpx2.Response:
    headers = kept_headers(response)
    if "content-type" in response.headers:
        # Events are UTF-8 whatever charset the server may name, and JSON is read as bytes.
        headers["content-type"] = media_type(response)
    return httpx2.Response(
        response.status_code, headers=headers, content=content, stream=stream, extensions=response.extensions
    )


def _wait_for_ever(request: httpx2.Request) -> None:
    timeout = cast("dict[str, float | None]", request.extensions.get("timeout", {}))
    request.extensions = {**request.extensions, "timeout": {**timeout, "read": None}}


def _in_session(request: httpx2.Request) -> bool:
    return "mcp-session-id" in request.headers
