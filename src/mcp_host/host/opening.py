"""How a connection comes up from a launch: the server's process first, the SDK imported while it starts.

Importing the SDK takes about a second and a server takes as long to start; done one after the other they add up, done
together they do not (`doc/decisions/`). The import runs in a worker thread, so that other servers' processes, the
editor's messages and every deadline go on meanwhile.
"""

from __future__ import annotations

import gc
import importlib
import logging
from collections.abc import AsyncGenerator, Callable
from contextlib import AbstractAsyncContextManager, AsyncExitStack, asynccontextmanager
from typing import TYPE_CHECKING, Final, TypeAlias

import anyio.to_thread

from mcp_host.core.definitions.launch import HttpLaunch, StdioLaunch
from mcp_host.problems import Problem, ProblemError
from mcp_host.protocol.client_side import ClientSide
from mcp_host.protocol.transports.process import ServerProcess
from mcp_host.protocol.transports.server_log import ServerLog

if TYPE_CHECKING:
    from mcp_host.protocol.connection import Connection

logger = logging.getLogger(__name__)

Launch: TypeAlias = StdioLaunch | HttpLaunch

Opening: TypeAlias = Callable[[str, Launch, ServerLog, ClientSide], "AbstractAsyncContextManager[Connection]"]
"""Opens the connection of one alias, with our half of it. Entered and left inside one task; raises ProblemError."""


CONNECT_SECONDS: Final = 15.0
"""For one TCP and TLS handshake; the deadline of the definition bounds the whole of connecting."""

IDLE_SECONDS: Final = 3600.0
"""Between two bytes of a response: requests carry their own deadlines, and an idle stream is no failure."""


async def warm() -> None:
    """The protocol floor, and with it the SDK, is imported."""
    await anyio.to_thread.run_sync(_import_protocol)


@asynccontextmanager
async def opening(alias: str, launch: Launch, log: ServerLog, side: ClientSide) -> AsyncGenerator[Connection]:
    """A negotiated connection; the server's process, if it has one, is gone with its group afterwards.

    Raises:
        ProblemError: The server could not be started, or did not come to speak a revision of the protocol.
    """
    if isinstance(launch, StdioLaunch):
        async with _process_connection(alias, launch, log, side) as connection:
            yield connection
        return
    _refuse_unsupported(alias, launch)
    await warm()
    from mcp_host.protocol.connecting import connect_http, connect_sse  # see the module's docstring

    connect = connect_sse if launch.transport == "sse" else connect_http
    async with connect(
        alias, launch, connect_timeout=CONNECT_SECONDS, read_timeout=IDLE_SECONDS, side=side
    ) as connection:
        yield connection


@asynccontextmanager
async def _process_connection(
    alias: str, launch: StdioLaunch, log: ServerLog, side: ClientSide
) -> AsyncGenerator[Connection]:
    async with AsyncExitStack() as stack:
        process = await ServerProcess.start(launch, alias=alias)
        stack.push_async_callback(process.stop)
        await warm()
        from mcp_host.protocol.connecting import EndedByProbe, connect_process  # see the module's docstring

        try:
            connection = await stack.enter_async_context(connect_process(alias, process, log, side=side))
        except EndedByProbe as ended:
            log.note("It ended on the first message, server/discover: started once more, with initialize.")
            logger.info("%s is started once more, for the handshake: %s", alias, ended.problem.title)
            process = await ServerProcess.start(launch, alias=alias)
            stack.push_async_callback(process.stop)
            connection = await stack.enter_async_context(connect_process(alias, process, log, legacy=True, side=side))
        yield connection


def _refuse_unsupported(alias: str, launch: HttpLaunch) -> None:
    if launch.authorization is not None:
        raise ProblemError(
            Problem(
                type="authorization-required",
                title=f"{alias} wants an OAuth sign-in, which this version cannot do",
                detail=f'Its definition says authorization type = "{launch.authorization.type}".',
                hint='Use authorization = { type = "bearer", token = "${NAME}" } with a token of your own.',
                alias=alias,
            )
        )


def _import_protocol() -> None:
    # Collecting garbage while thousands of classes are being made costs a tenth of the import and frees nothing.
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        for module in ("connecting", "listing", "errors"):
            importlib.import_module(f"mcp_host.protocol.{module}")
    finally:
        if was_enabled:
            gc.enable()
