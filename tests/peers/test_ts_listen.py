"""An independent peer is listened to: one stream after the other, and what comes on each, on both wires."""

from __future__ import annotations

from pathlib import Path

import anyio
import pytest

from mcp_host.core.catalog.entries import Tool, parse_tool
from mcp_host.core.subscriptions import ListenFilter
from tests.peers.connected import connected
from tests.peers.using import WIRES, Wire
from tests.protocol.listen_script import Heard, until

pytestmark = [pytest.mark.servers, pytest.mark.anyio]

RESOURCE = "config://app"


@pytest.mark.parametrize("wire", WIRES)
async def test_a_stream_that_takes_the_place_of_another_tells_what_is_watched_since(tmp_path: Path, wire: Wire) -> None:
    heard = Heard()
    with anyio.fail_after(20):
        async with connected(tmp_path, "ts", wire, heard.side()) as connection:
            listening = connection.listening
            assert listening is not None
            everything = ListenFilter(lists=frozenset({"tools", "resources", "prompts"}))
            await until(lambda: listening.honoured == everything)
            await connection.call_tool(_tool("flip"), {}, timeout_seconds=5)
            await until(lambda: "tools" in heard.lists)
            listening.watch_resource(RESOURCE)
            await until(lambda: listening.honoured.uris == frozenset({RESOURCE}))
            listening.watch_task("t1")  # which this peer's library does not know how to tell
            await until(lambda: listening.refused == ListenFilter(task_ids=frozenset({"t1"})))
            await connection.call_tool(_tool("touch"), {}, timeout_seconds=5)
            await until(lambda: RESOURCE in heard.uris)  # twice where the old stream has not ended yet
            heard.lists.clear()
            await connection.call_tool(_tool("flip"), {}, timeout_seconds=5)
            await until(lambda: "tools" in heard.lists)


def _tool(name: str) -> Tool:
    return parse_tool({"name": name, "inputSchema": {"type": "object"}})
