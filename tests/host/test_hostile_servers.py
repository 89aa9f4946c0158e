"""Servers that do odd things, as real processes through the whole host: what is left of them is right."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path

import anyio
import pytest

from mcp_host.protocol.listing import list_everything
from tests.host.support import Desk, open_desk, script
from tests.protocol.over_http import answers, connected, discovered, initialized, refuses
from tests.protocol.transports.raw_http import RawHttpServer, Request, serving

pytestmark = pytest.mark.anyio


def methods(wire: Path) -> list[str]:
    return [json.loads(line).get("method") for line in wire.read_text().splitlines()]


async def tools_of(desk: Desk) -> list[str]:
    return [tool["name"] for tool in (await desk.document("tools", alias="grows"))["tools"]]


async def listed(desk: Desk, last: str) -> None:
    """Returns once a catalog with this tool is told."""

    def has_it(data: Mapping[str, object]) -> bool:
        tools = data["tools"]
        return isinstance(tools, list) and last in tools

    await desk.events.wait_for("McpCatalogChanged", has_it)


def growing(wire: Path, *how: str) -> str:
    return script("grows", "changing_lists", *how, more='read = ["add"]', env={"MCP_WIRE": str(wire)})


async def test_a_server_that_prints_to_its_wire_in_long_lines_is_usable_and_its_log_says_what_it_does(
    tmp_path: Path,
) -> None:
    with anyio.fail_after(20):
        async with open_desk(tmp_path, script("noisy", "noisy", more='read = ["echo"]')) as desk:
            survey = await desk.document("survey", alias="noisy")
            answer = await desk.document("exec", alias="noisy", tool="echo")
            assert [tool["name"] for tool in survey["tools"]] == ["echo"]
            assert answer["content"] == [{"type": "text", "text": "y" * 1_000_000}]
    (log,) = desk.logs.rglob("noisy.log")
    words = log.read_text()
    assert words.count("ignored a line that is no message: ") == 9
    assert words.count("prints to stdout") == 1
    assert "\\xff\\xfe" in words


@pytest.mark.parametrize("how", [(), ("unasked",)])
async def test_a_thousand_announcements_are_one_or_two_lists(tmp_path: Path, how: tuple[str, ...]) -> None:
    wire = tmp_path / "wire"
    with anyio.fail_after(20):
        async with open_desk(tmp_path, growing(wire, *how)) as desk:
            await desk.ask("exec", alias="grows", tool="add", arguments={"times": 1000})
            await listed(desk, "late_1")
            assert await tools_of(desk) == ["add", "late_1"]
    assert methods(wire).count("tools/list") in (2, 3)


async def test_a_list_that_changes_while_it_is_read_is_read_again(tmp_path: Path) -> None:
    wire = tmp_path / "wire"
    with anyio.fail_after(20):
        async with open_desk(tmp_path, growing(wire, "meanwhile")) as desk:
            await desk.ask("exec", alias="grows", tool="add")
            await listed(desk, "late_2")
            assert await tools_of(desk) == ["add", "late_1", "late_2"]
    assert methods(wire).count("tools/list") == 3


async def test_two_cursors_that_take_turns_end_a_list() -> None:
    async def page(request: Request) -> None:
        cursor = request.message.get("params", {}).get("cursor")
        await request.answer({"tools": [], "nextCursor": "b" if cursor == "a" else "a"})

    handlers = {"server/discover": refuses(-32601), "initialize": answers(initialized(tools={})), "tools/list": page}
    with anyio.fail_after(5):
        async with connected(handlers) as (connection, server):
            catalog = await list_everything(connection, generation=1, timeout_seconds=5)
            assert len(catalog.warnings) == 1
            cursors = [one.message.get("params", {}).get("cursor") for one in server.seen]
            assert cursors[-3:] == [None, "a", "b"]


async def test_nothing_that_a_schema_points_to_is_fetched(tmp_path: Path) -> None:
    server = RawHttpServer(handlers={})
    async with serving(server):
        elsewhere = {"$ref": f"{server.url}/schema.json"}
        tool = {
            "name": "point",
            "inputSchema": {"type": "object", "properties": {"out": elsewhere, "in": {"$ref": "#/$defs/a~1b"}},
                            "required": ["in"], "$defs": {"a/b": {"type": "integer"}}},
            "outputSchema": {"type": "object", "properties": {"out": elsewhere}},
        }  # fmt: skip
        result: dict[str, object] = {"resultType": "complete", "content": [], "structuredContent": {"out": 1}}
        server.handlers |= {
            "server/discover": answers(discovered(tools={})),
            "tools/list": answers({"resultType": "complete", "tools": [tool]}),
            "tools/call": answers(result),
        }
        with anyio.fail_after(20):
            async with open_desk(tmp_path, f'[servers.web]\nurl = "{server.url}"\nread = ["point"]\n') as desk:
                wrong = await desk.problem("exec", alias="web", tool="point", arguments={"in": "x", "out": 1})
                answer = await desk.document("exec", alias="web", tool="point", arguments={"in": 1, "out": 1})
                await desk.ask("card", alias="web", tool="point")
    assert (wrong.type, "$.in must be a whole number" in wrong.detail) == ("arguments-invalid", True)
    assert answer["structuredContent"] == {"out": 1}
    assert [one.method for one in server.seen if not one.message] == []
