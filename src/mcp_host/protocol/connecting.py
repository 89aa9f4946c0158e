"""From a pair of streams to a negotiated connection, and back to nothing.

Everything that can go wrong in here leaves as a problem: this is where exception groups of the SDK's task groups end.
"""

from __future__ import annotations

import logging
from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager
from typing import Any, Final

import anyio
import mcp_types as types
from mcp.client.session import ClientSession, IncomingMessage
from mcp.shared.dispatcher import Dispatcher
from mcp.shared.jsonrpc_dispatcher import JSONRPCDispatcher
from mcp.shared.transport_context import TransportContext

from mcp_host import __version__
from mcp_host.core.definitions.launch import HttpLaunch
from mcp_host.problems import Problem, ProblemError
from mcp_host.protocol.connection import Connection
from mcp_host.protocol.envelope import Envelope
from mcp_host.protocol.errors import problem_from, unwrap
from mcp_host.protocol.negotiation import handshake, negotiate
from mcp_host.protocol.transports.http import http_transport
from mcp_host.protocol.transports.process import ServerProcess
from mcp_host.protocol.transports.server_log import ServerLog
from mcp_host.protocol.transports.stdio import EndReason, stdio_transport

logger = logging.getLogger(__name__)

CLIENT_INFO: Final = types.Implementation(name="mcp-host.nvim", title="mcp-host.nvim", version=__version__)

_LIST_CHANGES: Final = (
    types.ToolListChangedNotification,
    types.ResourceListChangedNotification,
    types.PromptListChangedNotification,
)


class EndedByProbe(ProblemError):
    """A server's process ended, or closed its output, before it had answered anything but a `server/discover`.

    Some servers of the handshake revisions do that when the first message is not `initialize`.
    """


@asynccontextmanager
async def connect_process(
    alias: str, process: ServerProcess, log: ServerLog, *, legacy: bool = False
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
    alias: str, launch: HttpLaunch, *, connect_timeout: float, read_timeout: float
) -> AsyncGenerator[Connection]:
    """A connection over Streamable HTTP.

    Raises:
        ProblemError: It cannot be reached, refuses us, or speaks no revision that this host knows.
    """
    left = False
    try:
        async with (
            http_transport(launch, connect_timeout=connect_timeout, read_timeout=read_timeout) as streams,
            connect_dispatcher(alias, JSONRPCDispatcher(*streams), ended=anyio.Event()) as connection,
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
) -> AsyncGenerator[Connection]:
    """A negotiated connection over any dispatcher, such as an in-memory one.

    Raises:
        MCPError: The server refused; what else the transport raises comes in exception groups.
    """
    connection: Connection | None = None

    async def on_message(message: IncomingMessage) -> None:
        if isinstance(message, _LIST_CHANGES) and connection is not None:
            connection.lists_stale = True

    session = ClientSession(dispatcher=dispatcher, client_info=CLIENT_INFO, message_handler=on_message)
    async with session:
        identity = await (handshake(session) if legacy else negotiate(session))
        connection = Connection(
            alias=alias,
            envelope=Envelope(identity=identity, client_info=_client_info(), capabilities={}),
            dispatcher=dispatcher,
            ended=ended,
            end_problem=end_problem,
        )
        yield connection


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
