"""A connection to a peer on one wire, below the host: for what only a connection shows."""

from __future__ import annotations

import os
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from pathlib import Path

from mcp_host.protocol.client_side import ClientSide
from mcp_host.protocol.connecting import connect_process
from mcp_host.protocol.connection import Connection
from mcp_host.protocol.transports.process import ServerProcess
from tests.peers.found import PeerName, require, serving
from tests.peers.using import Wire
from tests.protocol.over_http import connecting
from tests.protocol.transports.support import Launch, server_log


@asynccontextmanager
async def connected(folder: Path, name: PeerName, wire: Wire, side: ClientSide) -> AsyncGenerator[Connection]:
    """The peer, which is started for it and gone afterwards."""
    if wire == "http":
        with serving(name) as url:
            async with connecting(url, side) as connection:
                yield connection
        return
    peer = require(name)
    launch = Launch(command=peer.command, args=peer.stdio, env={"PATH": os.environ["PATH"]})
    process = await ServerProcess.start(launch, alias=name)
    try:
        async with connect_process(name, process, server_log(folder), side=side) as connection:
            yield connection
    finally:
        await process.stop()
