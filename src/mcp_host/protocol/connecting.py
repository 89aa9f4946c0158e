"""From a pair of streams to a negotiated connection, and back to nothing.

Everything that can go wrong in here leaves as a problem: this is where exception groups of the SDK's task groups end.
"""

from __future__ import annotations

import logging
from collections.abc import AsyncGenerator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from typing import Any, Final

import anyio
import mcp_types as types
from mcp.client._transport import TransportStreams
from mcp.shared.dispatcher import Dispatcher
from mcp.shared.jsonrpc_dispatcher import JSONRPCDispatcher
from mcp.shared.transport_context import TransportContext

from mcp_host import __version__
from mcp_host.core.capabilities.advertising import advertisement
from mcp_host.core.definitions.launch import HttpLaunch
from mcp_host.core.offers import LogLevel
from mcp_host.problems import Problem, ProblemError
from mcp_host.protocol.client_side import ClientSide
from mcp_host.protocol.connection import Connection
from mcp_host.protocol.deadlines import Deadlines
from mcp_host.protocol.envelope import Envelope
from mcp_host.protocol.errors import RequestFailed, problem_from, unwrap
from mcp_host.protocol.hearing import hear_list_changes, hear_words
from mcp_host.protocol.listening import Listening
from mcp_host.protocol.negotiation import Greeting, handshake, negotiate
from mcp_host.protocol.running import RunningRequests
from mcp_host.protocol.server_requests import ServerRequests
from mcp_host.protocol.session import Notifications, open_session
from mcp_host.protocol.transports.http import http_transport
from mcp_host.protocol.transports.process import ServerProcess
from mcp_host.protocol.transports.server_log import ServerLog
from mcp_host.protocol.transports.sse import sse_transport
from mcp_host.protocol.transports.stdio import EndReason, stdio_transport

logger = logging.getLogger(__name__)

NOBODY: Final = ClientSide()
"""For connections that offer nothing and on which nobody is asked."""

LOG_LEVEL_SECONDS: Final = 30.0
"""For a legacy server to take the level of its log messages. Nothing waits for it."""

CLIENT_INFO: Final = types.Implementation(name="mcp-host.nvim", title="mcp-host.nvim", version=__version__)


class EndedByProbe(ProblemError):
    """A server's process ended, or closed its output, before it had answered anything but a `server/discover`.

    Some servers of the handshake revisions do that when the first message is not `initialize`.
    """


@asynccontextmanager
async def connect_process(
    alias: str, process: ServerProcess, log: ServerLog, *, legacy: bool = False, side: ClientSide = NOBODY
) -> AsyncGenerator[Connection]:
    """A connection over a process's pipes. The process has ended when the context is left.

    Args:
        legacy: Start with the handshake: for a server that exits when it is asked for its revisions.

    Raises:
        EndedByProbe: It ended while it was asked for its revisions; never with `legacy`.
        ProblemError: It ended later, or never came to speak a revision that this host knows.
    """
    transport = stdio_transport(process, log)
    negotiated = False
    try:
        async with (
            transport as streams,
            connect_dispatcher(
                alias,
                JSONRPCDispatcher(*streams),
                legacy=legacy,
                side=side,
                ended=transport.ended,
                end_problem=lambda: _end_problem(alias, transport.reason),
            ) as connection,
        ):
            negotiated = True
            yield connection
    except Exception as error:  # boundary: task groups wrap whatever ended the connection
        ended = _end_problem(alias, transport.reason)
        if ended is not None and ended.type == "server-unavailable" and not (negotiated or legacy):
            raise EndedByProbe(ended) from error
        raise ProblemError(ended or problem_from(error, alias=alias, doing="connecting")) from error


@asynccontextmanager
async def connect_http(
    alias: str, launch: HttpLaunch, *, connect_timeout: float, read_timeout: float, side: ClientSide = NOBODY
) -> AsyncGenerator[Connection]:
    """A connection over Streamable HTTP.

    Raises:
        ProblemError: It cannot be reached, refuses us, or speaks no revision that this host knows.
    """
    transport = http_transport(launch, connect_timeout=connect_timeout, read_timeout=read_timeout)
    async with connect_streams(alias, transport, side=side) as connection:
        yield connection


@asynccontextmanager
async def connect_sse(
    alias: str, launch: HttpLaunch, *, connect_timeout: float, read_timeout: float, side: ClientSide = NOBODY
) -> AsyncGenerator[Connection]:
    """A connection over the HTTP+SSE binding of revision 2024-11-05, which only servers of the handshake speak.

    Raises:
        ProblemError: As `connect_http`.
    """
    ended = anyio.Event()
    transport = sse_transport(launch, connect_timeout=connect_timeout, read_timeout=read_timeout, ended=ended)
    async with connect_streams(alias, transport, side=side, legacy=True, ended=ended) as connection:
        yield connection


@asynccontextmanager
async def connect_streams(
    alias: str,
    transport: AbstractAsyncContextManager[TransportStreams],
    *,
    side: ClientSide = NOBODY,
    legacy: bool = False,
    ended: anyio.Event | None = None,
) -> AsyncGenerator[Connection]:
    """A connection over a stream pair whose end says nothing about a process.

    Args:
        ended: What the transport sets when nothing can come or go any more; where it does not, a request learns of it.

    Raises:
        ProblemError: As `connect_http`.
    """
    left = False
    try:
        async with (
            transport as streams,
            connect_dispatcher(
                alias, JSONRPCDispatcher(*streams), ended=ended or anyio.Event(), side=side, legacy=legacy
            ) as connection,
        ):
            yield connection
            left = True
    except Exception as error:  # boundary: task groups wrap whatever ended the connection
        # While it closes, the SDK trips over its own closed streams when an answer comes that nobody waits for any
        # more. Whoever left in peace, or was cancelled, must not be told that the server cannot be reached.
        if left:
            logger.info("closing the connection of %s met %s", alias, type(unwrap(error)).__name__)
            return
        await anyio.lowlevel.checkpoint_if_cancelled()
        raise ProblemError(problem_from(error, alias=alias, doing="connecting")) from error


@asynccontextmanager
async def connect_dispatcher(
    alias: str,
    dispatcher: Dispatcher[TransportContext],
    *,
    ended: anyio.Event,
    end_problem: Callable[[], Problem | None] = lambda: None,
    legacy: bool = False,
    side: ClientSide = NOBODY,
) -> AsyncGenerator[Connection]:
    """A negotiated connection over any dispatcher, such as an in-memory one.

    Raises:
        MCPError: The server refused; what else the transport raises comes in exception groups.
    """
    notifications, running, deadlines = Notifications(), RunningRequests(), Deadlines()
    requests = ServerRequests(alias=alias, side=side, running=running, deadlines=deadlines)
    greeting = Greeting(
        alias=alias,
        dispatcher=dispatcher,
        client_info=_client_info(),
        capabilities={"modern": advertisement("modern", side.offer), "legacy": advertisement("legacy", side.offer)},
    )
    hear_words(side, notifications)
    async with open_session(dispatcher, notifications, requests.answer) as tasks:
        identity = await (handshake(greeting) if legacy else negotiate(greeting))
        envelope = requests.envelope = Envelope(
            identity=identity,
            client_info=greeting.client_info,
            capabilities=greeting.capabilities[identity.era],
            log_level=side.offer.log_level,
        )
        connection = Connection(
            alias=alias,
            envelope=envelope,
            dispatcher=dispatcher,
            ended=ended,
            end_problem=end_problem,
            side=side,
            notifications=notifications,
            running=running,
            deadlines=deadlines,
            task_group=tasks,
        )
        hear_list_changes(notifications, connection.note_list_change)
        if identity.era == "legacy":
            # Not before: a server may ask for something as soon as it knows that we are ready.
            await connection.notify("notifications/initialized")
            if side.offer.log_level is not None and "logging" in identity.capabilities:
                tasks.start_soon(_set_log_level, connection, side.offer.log_level)
        connection.listening = Listening(connection)
        connection.listening.start()
        tasks.start_soon(_withdraw_at_end, connection)
        try:
            yield connection
        finally:
            running.withdraw_questions()


async def _withdraw_at_end(connection: Connection) -> None:
    await connection.ended.wait()
    connection.running.withdraw_questions()


async def _set_log_level(connection: Connection, level: LogLevel) -> None:
    try:
        await connection.request(
            "logging/setLevel",
            {"level": level},
            doing="setting the level of its log messages",
            timeout_seconds=LOG_LEVEL_SECONDS,
        )
    except RequestFailed as failure:
        logger.info("%s did not take a level for its log messages: %s", connection.alias, failure.problem.type)


def _client_info() -> dict[str, Any]:
    return CLIENT_INFO.model_dump(by_alias=True, mode="json", exclude_none=True)


def _end_problem(alias: str, reason: EndReason | None) -> Problem | None:
    if reason is None or reason.kind == "stopped":
        return None
    tail = "\n".join(reason.stderr_tail[-8:])
    wrote = f"\nIts stderr ended with:\n{tail}" if tail else "\nIt wrote nothing to stderr."
    if reason.kind == "line-too-long":
        return Problem(
            type="line-too-long",
            title=f"{alias} sent a longer message than this host takes",
            detail=reason.detail,
            hint="Ask it for less at once: a page, a range, a filter. Its connection was closed.",
            alias=alias,
        )
    return Problem(
        type="server-unavailable",
        title=f"{alias} {reason.exit_words or 'closed its connection'}",
        detail=f"{reason.detail}{wrote}",
        hint=f"Run its command in a shell to see why; :McpEnable {alias} tries again.",
        alias=alias,
        retryable=True,
    )
