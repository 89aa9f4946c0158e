"""An independent peer hears that a call was cancelled, on both wires."""

from __future__ import annotations

import json
from pathlib import Path

import anyio
import pytest

from mcp_host.core.catalog.entries import Tool, parse_tool
from mcp_host.protocol.client_side import ClientSide
from mcp_host.protocol.connection import Connection
from tests.peers.connected import connected
from tests.peers.using import WIRES, Wire

pytestmark = [pytest.mark.servers, pytest.mark.anyio]

STEPS = 100_000


@pytest.mark.behaviour("peers.cancelled-call-stops")
@pytest.mark.parametrize("wire", WIRES)
async def test_a_cancelled_call_stops_at_the_peer(tmp_path: Path, wire: Wire) -> None:
    # No progress is asked for: over HTTP this peer no longer sees that a stream was closed once it has written to it.
    with anyio.fail_after(20):
        async with connected(tmp_path, "ts", wire, ClientSide()) as connection:
            while not (aborted := await _aborted(connection)):
                await _begin_and_cancel(connection)
            assert all(steps < STEPS for steps in aborted)


async def _begin_and_cancel(connection: Connection) -> None:
    async with anyio.create_task_group() as tasks:
        tasks.start_soon(_count, connection)
        await _aborted(connection)  # the peer works on the other call meanwhile
        tasks.cancel_scope.cancel()


async def _count(connection: Connection) -> None:
    await connection.call_tool(_tool("count"), {"n": STEPS, "ms": 1}, timeout_seconds=20)


async def _aborted(connection: Connection) -> list[int]:
    """How far each call had come that the peer has stopped."""
    result = await connection.call_tool(_tool("aborts"), {}, timeout_seconds=5)
    return json.loads(result["content"][0]["text"])


def _tool(name: str) -> Tool:
    return parse_tool({"name": name, "inputSchema": {"type": "object"}})
