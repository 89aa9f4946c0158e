"""What the host follows by itself: lists that change, log messages, resources kept for a while."""

from __future__ import annotations

from contextlib import AbstractAsyncContextManager
from pathlib import Path
from typing import Any

import anyio
import pytest
from mcp.server.mcpserver import Context, MCPServer
from mcp.shared.exceptions import MCPDeprecationWarning

from mcp_host.core.catalog.catalog import Era
from tests.host.support import ERAS, Desk, Memory, demo, open_desk
from tests.protocol.over_http import answers, discovered, methods
from tests.protocol.transports.raw_http import RawHttpServer, serving

pytestmark = pytest.mark.anyio


def growing_server(changes: int = 1) -> MCPServer:
    """Its tool `grow` adds one more tool, and says so several times."""
    server = MCPServer("growing")

    @server.tool()
    async def grow(context: Context) -> str:
        server.add_tool(lambda: "grown", name=f"grown_{len(await server.list_tools())}")
        for _ in range(changes):
            await context.session.send_tool_list_changed()
        return "done"

    return server


def legacy_of(server: MCPServer) -> Memory:
    return Memory(servers={"demo": server}, era="legacy")


@pytest.mark.behaviour("lists.read-again-in-bursts")
async def test_a_changed_list_is_read_again_without_anybody_asking(tmp_path: Path) -> None:
    with anyio.fail_after(10):
        async with open_desk(tmp_path, demo(more='read = ["grow"]'), legacy_of(growing_server())) as desk:
            await desk.ask("exec", alias="demo", tool="grow")
            told = await desk.events.wait_for("McpCatalogChanged", lambda data: data["generation"] == 2)
            assert told["tools"] == ["grow", "grown_1"]


async def test_a_proposal_for_a_tool_that_changed_is_stale_at_once(tmp_path: Path) -> None:
    server = growing_server()

    @server.tool()
    async def act() -> str:
        """Do it."""
        return "acted"

    @server.tool()
    async def change(context: Context) -> str:
        server.remove_tool("act")
        await context.session.send_tool_list_changed()
        return "changed"

    with anyio.fail_after(10):
        async with open_desk(tmp_path, demo(more='read = ["change"]'), legacy_of(server)) as desk:
            receipt = (await desk.document("preview", alias="demo", tool="act"))["host"]["receipt"]
            await desk.ask("exec", alias="demo", tool="change")
            await desk.events.wait_for("McpReceipt", lambda data: data["state"] == "stale")
            assert (await desk.problem("accept", receipt=receipt)).type == "receipt-stale"


@pytest.mark.behaviour("lists.read-again-in-bursts")
async def test_a_thousand_changes_at_once_are_at_most_two_lists(tmp_path: Path) -> None:
    server = growing_server(changes=1000)
    asked: list[str] = []
    listed = server.list_tools

    async def list_tools() -> Any:
        asked.append("tools/list")
        return await listed()

    server.list_tools = list_tools
    with anyio.fail_after(10):
        async with open_desk(tmp_path, demo(more='read = ["grow"]'), legacy_of(server)) as desk:
            await desk.ask("exec", alias="demo", tool="grow")
            asked.clear()
            await desk.events.wait_for("McpCatalogChanged", lambda data: data["generation"] == 2)
            await desk.ask("survey", alias="demo")
            assert 1 <= len(asked) <= 2


@pytest.mark.parametrize("era", ERAS)
async def test_log_messages_are_told_and_kept_in_the_server_s_log(tmp_path: Path, era: Era) -> None:
    server = MCPServer("talking")

    @server.tool()
    async def talk(context: Context) -> str:
        with pytest.warns(MCPDeprecationWarning):  # as logging is, since 2026-07-28
            await context.info("a remark")  # pyright: ignore[reportDeprecated]
        return "done"

    with anyio.fail_after(10):
        async with open_desk(tmp_path, demo(more='read = ["talk"]'), Memory(servers={"demo": server}, era=era)) as desk:
            await desk.ask("exec", alias="demo", tool="talk")
            told = await desk.events.wait_for("McpLog", lambda _: True)
            assert (told["alias"], told["level"], told["text"]) == ("demo", "info", "a remark")
        assert "[info]" in (desk.logs / "servers" / "demo.log").read_text()


def web_desk(folder: Path, server: RawHttpServer) -> AbstractAsyncContextManager[Desk]:
    return open_desk(folder, f'[servers.web]\nurl = "{server.url}"\n')


async def test_a_resource_is_read_once_for_as_long_as_its_server_said(tmp_path: Path) -> None:
    contents = {"contents": [{"uri": "case://one", "text": "x"}]}
    handlers = {
        "server/discover": answers(discovered(resources={})),
        "resources/list": answers({"resultType": "complete", "resources": []}),
        "resources/templates/list": answers({"resultType": "complete", "resourceTemplates": []}),
        "resources/read": answers({"resultType": "complete", "ttlMs": 60_000, "cacheScope": "private", **contents}),
    }
    with anyio.fail_after(10):
        async with serving(RawHttpServer(handlers=handlers)) as server, web_desk(tmp_path, server) as desk:
            first = await desk.document("read", alias="web", uri="case://one")
            again = await desk.document("read", alias="web", uri="case://one")
            assert ("ageSeconds" in first["host"], "ageSeconds" in again["host"]) == (False, True)
            assert methods(server).count("resources/read") == 1
            await desk.ask("read", alias="web", uri="case://one", fresh=True)
            assert methods(server).count("resources/read") == 2
