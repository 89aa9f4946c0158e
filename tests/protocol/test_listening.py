"""Listening to whole servers: whether it begins, and what is heard."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import anyio
import pytest
from mcp.server.mcpserver import Context, MCPServer
from mcp.server.subscriptions import InMemorySubscriptionBus, ServerEvent

from mcp_host.core.catalog.catalog import Era
from mcp_host.core.catalog.entries import parse_tool
from mcp_host.core.subscriptions import ListenFilter
from mcp_host.protocol.connection import Connection
from tests.protocol.in_memory import in_memory
from tests.protocol.listen_script import Heard, settled, until
from tests.protocol.over_http import connecting, sdk_server, switched_on
from tests.protocol.scripted import scripted

pytestmark = pytest.mark.anyio

ERAS: tuple[Era, ...] = ("modern", "legacy")


@pytest.mark.behaviour("listening.declared-only")
async def test_a_connection_listens_from_its_start_for_the_lists_that_the_server_tells() -> None:
    told: dict[str, Any] = {"tools": {"listChanged": True}, "prompts": {}, "resources": {"listChanged": True}}
    with anyio.fail_after(5):
        async with scripted("modern", **told) as (_, peer):
            request = await peer.request("subscriptions/listen")
    assert request["id"] == "listen-1"
    assert request["params"]["notifications"] == {"toolsListChanged": True, "resourcesListChanged": True}
    assert "io.modelcontextprotocol/protocolVersion" in request["params"]["_meta"]


@pytest.mark.behaviour("listening.declared-only")
@pytest.mark.parametrize("era", ERAS)
async def test_a_server_that_tells_nothing_is_not_asked(era: Era) -> None:
    with anyio.fail_after(5):
        async with scripted(era, tools={}, resources={}) as (connection, peer):
            assert connection.listening is not None
            connection.listening.watch_resource("a:")
            connection.listening.watch_task("t1")
            assert await settled(peer) == 0


@pytest.mark.behaviour("listening.heard")
@pytest.mark.parametrize("era", ERAS)
async def test_a_list_that_changes_in_the_middle_is_heard_in_both_eras(era: Era) -> None:
    heard = Heard()
    server = MCPServer("changing")

    @server.tool()
    async def change(context: Context) -> str:
        """Say that the list of tools has changed."""
        if era == "modern":
            await context.notify_tools_changed()
        else:
            await context.session.send_tool_list_changed()
        return "changed"

    tool = parse_tool({"name": "change", "inputSchema": {"type": "object"}})
    with anyio.fail_after(5):
        async with in_memory(server, era, side=heard.side()) as connection:
            if era == "modern":
                await until(lambda: _honoured(connection).lists == frozenset({"tools", "prompts", "resources"}))
            await connection.call_tool(tool, {}, timeout_seconds=5)
            await heard.something.wait()
            assert (heard.lists, connection.lists_stale) == (["tools"], True)


@pytest.mark.behaviour("listening.heard")
async def test_a_watched_resource_that_changes_is_heard_and_another_one_is_not() -> None:
    heard = Heard()
    server = MCPServer("changing")

    @server.tool()
    async def change(context: Context) -> str:
        """Say that two resources have changed."""
        await context.notify_resource_updated("config://other")
        await context.notify_resource_updated("config://app")
        return "changed"

    tool = parse_tool({"name": "change", "inputSchema": {"type": "object"}})
    with anyio.fail_after(5):
        async with in_memory(server, "modern", side=heard.side()) as connection:
            assert connection.listening is not None
            connection.listening.watch_resource("config://app")
            await until(lambda: _honoured(connection).uris == frozenset({"config://app"}))
            await connection.call_tool(tool, {}, timeout_seconds=5)
            await heard.something.wait()
            assert heard.uris == ["config://app"]


class Streams(InMemorySubscriptionBus):
    """Knows how many streams a server has open, and how many it ever had."""

    def __init__(self) -> None:
        super().__init__()
        self.open = 0
        self.ever = 0

    def subscribe(self, listener: Callable[[ServerEvent], None]) -> Callable[[], None]:
        undo = super().subscribe(listener)
        self.open += 1
        self.ever += 1

        def unsubscribe() -> None:
            self.open -= 1
            undo()

        return unsubscribe


@pytest.mark.behaviour("listening.one-stream")
async def test_over_http_the_old_stream_is_closed_when_the_new_one_stands() -> None:
    streams = Streams()
    with anyio.fail_after(10):
        async with (
            sdk_server(MCPServer("listened to", subscriptions=streams)) as url,
            connecting(url, Heard().side()) as connection,
        ):
            assert connection.listening is not None
            await until(lambda: streams.open == 1)
            connection.listening.watch_resource("config://app")
            await until(lambda: _honoured(connection).uris == frozenset({"config://app"}))
            await until(lambda: (streams.open, streams.ever) == (1, 2))


@pytest.mark.behaviour("listening.again-after-loss")
@pytest.mark.behaviour("listening.missed")
async def test_a_server_that_was_restarted_is_listened_to_again_on_the_same_connection() -> None:
    heard = Heard()
    with anyio.fail_after(20):
        async with (
            switched_on(MCPServer("restarted")) as switched,
            connecting(switched.url, heard.side()) as connection,
        ):
            await until(lambda: not _honoured(connection).is_empty)
            await switched.off()
            await until(lambda: _honoured(connection).is_empty)
            assert heard.lists == []
            await switched.on()
            await until(lambda: not _honoured(connection).is_empty)
            assert (heard.lists, connection.lists_stale) == (["prompts", "resources", "tools"], True)
            assert not connection.ended.is_set()


def _honoured(connection: Connection) -> ListenFilter:
    assert connection.listening is not None
    return connection.listening.honoured
