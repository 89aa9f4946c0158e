"""Suggestions for arguments: the server's own, for prompts and templates, on both eras."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import anyio
import pytest
from mcp.server.mcpserver import MCPServer

from mcp_host.core.catalog.catalog import Era
from tests.host.support import ERAS, Memory, demo, demo_in_memory, open_desk

pytestmark = [pytest.mark.anyio, pytest.mark.parametrize("era", ERAS)]

PROMPT = {"alias": "demo", "kind": "prompt", "name": "summarize_note"}
TEMPLATE = {"alias": "demo", "kind": "template", "name": "note://{id}"}


@pytest.mark.behaviour("completion.values-and-context")
@pytest.mark.parametrize(
    ("asked", "values"),
    [
        (PROMPT | {"argument": "id", "value": "note-2"}, ["note-2"]),
        (PROMPT | {"argument": "style", "value": "one", "arguments": {"id": "note-1"}}, ["one sentence"]),
        (TEMPLATE | {"argument": "id"}, ["note-1", "note-2", "note-3", "note-4"]),
        (TEMPLATE | {"argument": "id", "value": "zebra"}, []),
    ],
)
async def test_the_server_suggests_what_an_argument_may_be(
    tmp_path: Path, era: Era, asked: dict[str, Any], values: list[str]
) -> None:
    with anyio.fail_after(20):
        async with open_desk(tmp_path, demo(), demo_in_memory(era)) as desk:
            document = await desk.document("complete", **asked)
            assert document["completion"] == {"values": values, "total": len(values), "hasMore": False}


@pytest.mark.behaviour("completion.values-and-context")
async def test_a_server_without_suggestions_is_not_asked(tmp_path: Path, era: Era) -> None:
    with anyio.fail_after(20):
        async with open_desk(tmp_path, demo(), Memory(servers={"demo": MCPServer("plain")}, era=era)) as desk:
            document = await desk.document("complete", **TEMPLATE, argument="id")
            assert document["completion"] == {"values": []}


async def test_a_prompt_that_is_not_there_is_unknown(tmp_path: Path, era: Era) -> None:
    with anyio.fail_after(20):
        async with open_desk(tmp_path, demo(), demo_in_memory(era)) as desk:
            problem = await desk.problem("complete", **PROMPT | {"name": "summarise"}, argument="id")
            assert problem.type == "prompt-unknown"
