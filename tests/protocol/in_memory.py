"""Connections to the SDK's own servers in this process, on either era, through our negotiation and envelope."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Mapping
from contextlib import asynccontextmanager
from typing import Any

import anyio
from mcp.client._memory import InMemoryTransport
from mcp.server import Server
from mcp.server.mcpserver import MCPServer
from mcp.server.runner import modern_on_request
from mcp.shared.direct_dispatcher import create_direct_dispatcher_pair
from mcp.shared.jsonrpc_dispatcher import JSONRPCDispatcher

from mcp_host.core.catalog.catalog import Era
from mcp_host.protocol.client_side import ClientSide
from mcp_host.protocol.connecting import NOBODY, connect_dispatcher
from mcp_host.protocol.connection import Connection


@asynccontextmanager
async def in_memory(
    server: MCPServer, era: Era, *, alias: str = "memory", side: ClientSide = NOBODY
) -> AsyncGenerator[Connection]:
    """A negotiated connection to a server that lives in this task."""
    if era == "legacy":
        async with (
            InMemoryTransport(server) as (read, write),
            connect_dispatcher(
                alias, JSONRPCDispatcher(read, write), ended=anyio.Event(), legacy=True, side=side
            ) as connection,
        ):
            yield connection
        return
    low: Server[Any] = server._lowlevel_server  # pyright: ignore[reportPrivateUsage] (the SDK has no public name yet)
    async with low.lifespan(low) as state, anyio.create_task_group() as tasks:
        ours, theirs = create_direct_dispatcher_pair(raise_handler_exceptions=False)
        await tasks.start(theirs.run, modern_on_request(low, state), _no_notifications)
        async with connect_dispatcher(alias, ours, ended=anyio.Event(), side=side) as connection:
            yield connection
        theirs.close()


async def _no_notifications(_context: Any, _method: str, _params: Mapping[str, Any] | None) -> None:
    """The modern era knows no notifications from a client."""
