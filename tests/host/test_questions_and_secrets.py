"""A question is shown without what the server was told in confidence, and its answer is what the server meant."""

from __future__ import annotations

import json
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Annotated

import anyio
import pytest
from mcp.server.mcpserver import MCPServer
from mcp.server.mcpserver.resolve import Elicit, Resolve
from pydantic import BaseModel, Field

from mcp_host.core.catalog.catalog import Era
from mcp_host.host.answers import Answer
from tests.host.support import ERAS, Desk, Memory, demo, open_desk

pytestmark = [pytest.mark.anyio, pytest.mark.parametrize("era", ERAS)]

SITE = "https://jira.example.com"


class Place(BaseModel):
    base: str = Field(default=f"{SITE}/projects/7")


class Name(BaseModel):
    name: str


def need_place() -> Elicit[Place]:
    return Elicit(f"Which project of {SITE}?", Place)


def need_name() -> Elicit[Name]:
    return Elicit("Who is it?", Name)


def asking_server(got: list[str]) -> MCPServer:
    server = MCPServer("asking")

    @server.tool()
    async def ask(place: Annotated[Place, Resolve(need_place)]) -> str:
        got.append(place.base)
        return "done"

    @server.tool()
    async def send_preview(who: Annotated[Name, Resolve(need_name)]) -> dict[str, str]:
        return {"receipt": f"r-{who.name}"}

    @server.tool()
    async def send_execute(receipt: str) -> str:
        return f"sent {receipt}"

    return server


MORE = """read = ["ask"]
env = { JIRA_URL = "${JIRA_URL}" }
pairs = [{ preview = "send_preview", execute = "send_execute", receipt = "receipt" }]
"""


@asynccontextmanager
async def asking_desk(folder: Path, era: Era, got: list[str], *, headless: bool = False) -> AsyncGenerator[Desk]:
    opened_by = Memory(servers={"demo": asking_server(got)}, era=era)
    with anyio.fail_after(20):
        async with open_desk(folder, demo(more=MORE), opened_by, headless=headless) as desk:
            yield desk


async def test_a_form_that_is_sent_as_it_came_sends_the_servers_own_default(
    tmp_path: Path, era: Era, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("JIRA_URL", SITE)
    got: list[str] = []
    async with asking_desk(tmp_path, era, got) as desk, anyio.create_task_group() as tasks:
        tasks.start_soon(lambda: desk.document("exec", alias="demo", tool="ask"))
        await desk.events.wait_for("McpInteraction", lambda data: data["state"] == "open")
        question = await desk.ask("interaction")
        assert SITE not in everything_shown(question)
        assert question.view is not None
        await desk.ask("answer", text="\n".join(question.view().lines))
    assert got == [f"{SITE}/projects/7"]


async def test_the_answers_of_a_command_count_for_the_preview_of_its_tool(
    tmp_path: Path, era: Era, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("JIRA_URL", SITE)
    async with asking_desk(tmp_path, era, [], headless=True) as desk:
        answers = [{"content": {"name": "Ada"}}]
        document = await desk.document("exec", alias="demo", tool="send_execute", accept=True, answers=answers)
        assert document["content"][0]["text"] == "sent r-Ada"


def everything_shown(answer: Answer) -> str:
    assert answer.view is not None
    return "\n".join([*answer.view().lines, json.dumps(answer.document)])
