"""The stream pair over the old HTTP+SSE binding of revision 2024-11-05.

One event stream (GET) brings everything that the server says; its first event names the address to which each message
is posted. The stream is the connection: when it ends, all that waits ends. A POST that fails costs the request that it
carried and nothing else, which is why the SDK's client for this binding is not used: it stops sending for good.
"""

from __future__ import annotations

import logging
from collections.abc import AsyncGenerator, AsyncIterator, Mapping
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field
from typing import Final

import anyio
import httpx2
import mcp_types
from anyio.abc import TaskGroup
from anyio.streams.memory import MemoryObjectReceiveStream, MemoryObjectSendStream
from httpx2 import ServerSentEvent
from mcp.client._transport import TransportStreams
from mcp.shared._httpx_utils import request_within_origin, sse_within_origin
from mcp.shared.dispatcher import coerce_request_id
from mcp.shared.exceptions import MCPError
from mcp.shared.jsonrpc_dispatcher import cancelled_request_id_from_params
from mcp.shared.message import ClientMessageMetadata, SessionMessage

from mcp_host.protocol.transports.faults import WireFault, fault_data
from mcp_host.protocol.transports.http_answers import EVENT_STREAM, error_in, fault_words, media_type
from mcp_host.protocol.transports.http_client import HttpLaunchable, http_client
from mcp_host.protocol.transports.http_guard import BODY_CAP_BYTES
from mcp_host.protocol.transports.messages import encode_message, parse_line
from mcp_host.protocol.transports.streams import CheckingWriter, UnreadAnswers

logger = logging.getLogger(__name__)

PRECEDENCE_SECONDS: Final = 0.5
"""How long a cancellation waits for the request that it names to be taken; servers take a message in milliseconds."""


@asynccontextmanager
async def sse_transport(
    launch: HttpLaunchable,
    *,
    connect_timeout: float,
    read_timeout: float,
    auth: httpx2.Auth | None = None,
    environment: Mapping[str, str] | None = None,
    ended: anyio.Event | None = None,
) -> AsyncGenerator[TransportStreams, None]:
    """Yields the stream pair once the server has named its address; how long that may take, its caller decides.

    A fault of one request is an error answer to it, with a `WireFault` in its data.

    Args:
        read_timeout: Bounds a silence while a message is taken; the event stream may be silent for hours.
        environment: Where proxies are looked up, the process's own by default.
        ended: Set when the event stream is over, however that came about.

    Raises:
        MCPError: There is no event stream to be had, or it names no address of its own origin.
        ProblemError: `server-unavailable`, when the environment names a proxy that cannot be used.
    """
    client = http_client(
        launch,
        connect_timeout=connect_timeout,
        read_timeout=read_timeout,
        auth=auth,
        environment=environment,
        posts_in_session=True,
    )
    # No buffer: a session that does not read holds the server back.
    to_session, from_server = anyio.create_memory_object_stream[SessionMessage | Exception](0)
    to_server, from_session = anyio.create_memory_object_stream[SessionMessage](0)
    unread = UnreadAnswers()
    with to_session, from_server, to_server, from_session:
        async with client, sse_within_origin(client, launch.url, max_event_size=BODY_CAP_BYTES) as source:
            if media_type(source.response) != EVENT_STREAM:
                await source.response.aread()
                raise _raised(error_in(source.response))
            events = aiter(source)
            endpoint = await _named_endpoint(events, source.response.url)
            async with anyio.create_task_group() as tasks:
                binding = _Binding(client=client, endpoint=endpoint, tasks=tasks, to_session=to_session, unread=unread)

                async def read() -> None:
                    try:
                        await binding.read(events)
                    finally:
                        # The order matters: those who wait learn of the end before anybody sends once more.
                        to_session.close()
                        from_session.close()
                        if ended is not None:
                            ended.set()

                tasks.start_soon(read)
                tasks.start_soon(binding.write, from_session)
                yield from_server, CheckingWriter(to_server, unread)
                tasks.cancel_scope.cancel()


@dataclass(kw_only=True)
class _Asked:
    """A request that has no answer yet."""

    scope: anyio.CancelScope = field(default_factory=anyio.CancelScope)
    """Of its POST."""
    posted: anyio.Event = field(default_factory=anyio.Event)
    """Set when its POST is over."""


@dataclass(kw_only=True)
class _Binding:
    """Both directions of one connection."""

    client: httpx2.AsyncClient
    endpoint: httpx2.URL
    tasks: TaskGroup
    to_session: MemoryObjectSendStream[SessionMessage | Exception]
    unread: UnreadAnswers
    asked: dict[mcp_types.RequestId, _Asked] = field(default_factory=dict[mcp_types.RequestId, _Asked])

    async def read(self, events: AsyncIterator[ServerSentEvent]) -> None:
        """Returns when the stream is over. Other events than messages, and keep-alives, say nothing."""
        try:
            async for event in events:
                if event.event == "message" and event.data:
                    await self.unread.wait_for_room()
                    await self._hear(event.data)
        except httpx2.SSEError:  # nothing else is raised in the middle of a stream
            fault = WireFault(fault="too-large", sent=True)
            for request_id in tuple(self.asked):
                await self._fail(request_id, _fault(fault, f"An event is larger than {BODY_CAP_BYTES} bytes."))
        except Exception as error:  # boundary: a decoder may raise what it likes, and the stream is over either way
            logger.info("an event stream broke off: %s", fault_words(error))

    async def write(self, from_session: MemoryObjectReceiveStream[SessionMessage]) -> None:
        """Requests are posted at the same time; what expects no answer, one by one, and what follows waits for it."""
        with suppress(anyio.ClosedResourceError):
            async for item in from_session:
                if isinstance(item.message, mcp_types.JSONRPCRequest):
                    asked = self.asked[coerce_request_id(item.message.id)] = _Asked()
                    self.tasks.start_soon(self._ask, item, item.message.id, asked)
                    continue
                if isinstance(item.message, mcp_types.JSONRPCNotification):
                    await self._let_go_first(item.message)
                error = await self._post(item)
                if error is not None:
                    logger.info("a message that expects no answer was not taken: error %d", error.code)

    async def _ask(self, item: SessionMessage, request_id: mcp_types.RequestId, asked: _Asked) -> None:
        error: mcp_types.ErrorData | None = None
        with asked.scope:
            error = await self._post(item)
        asked.posted.set()
        if error is not None:
            await self._fail(request_id, error)

    async def _let_go_first(self, notification: mcp_types.JSONRPCNotification) -> None:
        """The request that a cancellation names has reached the server, or never will."""
        if notification.method != "notifications/cancelled":
            return
        request_id = cancelled_request_id_from_params(notification.params)
        asked = None if request_id is None else self.asked.pop(coerce_request_id(request_id), None)
        if asked is not None:
            with anyio.move_on_after(PRECEDENCE_SECONDS):
                await asked.posted.wait()
            asked.scope.cancel()

    async def _post(self, item: SessionMessage) -> mcp_types.ErrorData | None:
        """None when the server took the message."""
        metadata = item.metadata
        headers = metadata.headers if isinstance(metadata, ClientMessageMetadata) else None
        try:
            response = await request_within_origin(
                self.client,
                "POST",
                self.endpoint,
                content=encode_message(item.message),
                headers={**(headers or {}), "content-type": "application/json"},
            )
        except Exception as error:  # boundary: an authorization may raise what it likes, and costs this request alone
            return _fault(WireFault(fault="connect", sent=True), f"The request failed: {fault_words(error)}.")
        return None if response.is_success else error_in(response)

    async def _hear(self, data: str) -> None:
        message = parse_line(data.encode())
        if message is None:
            logger.info("an event held no message: %d characters", len(data))
            return
        if isinstance(message, mcp_types.JSONRPCResponse | mcp_types.JSONRPCError) and message.id is not None:
            self.asked.pop(coerce_request_id(message.id), None)
        await self._deliver(message)

    async def _fail(self, request_id: mcp_types.RequestId, error: mcp_types.ErrorData) -> None:
        """The request is answered with this error, unless it has an answer already."""
        if self.asked.pop(coerce_request_id(request_id), None) is not None:
            await self._deliver(mcp_types.JSONRPCError(jsonrpc="2.0", id=request_id, error=error))

    async def _deliver(self, message: mcp_types.JSONRPCMessage) -> None:
        with suppress(anyio.BrokenResourceError, anyio.ClosedResourceError):
            await self.to_session.send(SessionMessage(message))


async def _named_endpoint(events: AsyncIterator[ServerSentEvent], base: httpx2.URL) -> httpx2.URL:
    try:
        async for event in events:
            if event.event == "endpoint":
                return _own_address(event.data.strip(), base)
    except MCPError:
        raise
    except Exception as error:  # boundary: as in `read`
        raise _raised(
            _fault(WireFault(fault="read", sent=True), f"The event stream broke off: {fault_words(error)}.")
        ) from error
    words = "The event stream ended before it named the address for messages."
    raise _raised(_fault(WireFault(fault="read", sent=True), words))


def _own_address(named: str, base: httpx2.URL) -> httpx2.URL:
    """The address for messages, which carry the headers of the definition: to no other origin than the stream's."""
    try:
        address = base.join(named).copy_with(fragment=None)
    except (httpx2.InvalidURL, ValueError) as error:
        words = "The address for messages that it named is no URL."
        raise _raised(_fault(WireFault(fault="unreadable", sent=False), words)) from error
    if _origin(address) != _origin(base):
        words = (
            f"The address for messages that it named is at {address.scheme}://{address.netloc.decode()}, not its own."
        )
        raise _raised(_fault(WireFault(fault="unreadable", sent=False), words))
    return address


def _origin(url: httpx2.URL) -> tuple[str, str, int | None, bytes]:
    return url.scheme, url.host, url.port, url.userinfo


def _fault(fault: WireFault, words: str) -> mcp_types.ErrorData:
    return mcp_types.ErrorData(code=mcp_types.INTERNAL_ERROR, message=words, data=fault_data(fault))


def _raised(error: mcp_types.ErrorData) -> MCPError:
    return MCPError(code=error.code, message=error.message, data=error.data)
