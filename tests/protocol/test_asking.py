"""The SDK's own server asks while it serves a call, on either era: the same tool, the same answers, the same result."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any

import anyio
import pytest
from mcp.server.mcpserver import Elicit, ElicitationResult, ListRoots, MCPServer, Resolve, Sample
from mcp_types import CreateMessageResult, ListRootsResult, SamplingMessage, TextContent
from pydantic import BaseModel

from mcp_host.core.catalog.catalog import Era
from mcp_host.core.offers import Offer
from mcp_host.problems import Problem
from mcp_host.protocol.client_side import ClientSide, NotAnswered
from mcp_host.protocol.connection import Connection
from mcp_host.protocol.errors import RequestFailed
from mcp_host.protocol.listing import fetch_tool
from tests.protocol.in_memory import in_memory
from tests.protocol.over_http import connecting, sdk_server, shaking_hands
from tests.protocol.scripted import EVERYTHING, SAMPLED, Habits, Person

pytestmark = pytest.mark.anyio

ERAS: tuple[Era, ...] = ("modern", "legacy")
ANSWERS: Mapping[str, Mapping[str, Any]] = {
    "elicitation/create": {"action": "accept", "content": {"name": "Ada"}},
    "sampling/createMessage": SAMPLED,
    "roots/list": {"roots": [{"uri": "file:///work", "name": "work"}]},
}


class Who(BaseModel):
    name: str


def ask_name() -> Elicit[Who]:
    return Elicit("Your name?", Who)


def ask_model() -> Sample:
    return Sample([SamplingMessage(role="user", content=TextContent(type="text", text="say hi"))], max_tokens=10)


def ask_roots() -> ListRoots:
    return ListRoots()


def server() -> MCPServer:
    made = MCPServer("asking")

    @made.tool()
    async def form(who: Annotated[ElicitationResult[Who], Resolve(ask_name)]) -> str:
        return f"hello {who.data.name}" if who.action == "accept" else who.action

    @made.tool()
    async def everything(
        who: Annotated[Who, Resolve(ask_name)],
        said: Annotated[CreateMessageResult, Resolve(ask_model)],
        where: Annotated[ListRootsResult, Resolve(ask_roots)],
    ) -> str:
        assert isinstance(said.content, TextContent)
        return f"{who.name} {said.content.text} {where.roots[0].uri}"

    return made


async def text_of(connection: Connection, name: str) -> str:
    tool = await fetch_tool(connection, name, timeout_seconds=5)
    assert tool is not None
    raw = await connection.call_tool(tool, {}, timeout_seconds=5, call="c1")
    return raw["content"][0]["text"]


@pytest.mark.behaviour("asking.both-eras")
@pytest.mark.parametrize("era", ERAS)
async def test_all_that_a_tool_asks_for_is_answered(era: Era) -> None:
    habits = Habits(answers=ANSWERS)
    side = ClientSide(offer=EVERYTHING, respond=habits.respond)
    with anyio.fail_after(5):
        async with in_memory(server(), era, side=side) as connection:
            assert await text_of(connection, "everything") == "Ada hi file:///work"
    assert {(asked.doing, asked.tool, asked.call) for asked in habits.asked} == {
        ("calling everything", "everything", "c1")
    }
    kinds = [{request.kind for request in asked.requests} for asked in habits.asked]
    assert set().union(*kinds) == {"form", "sampling", "roots"}
    assert len(kinds) == (1 if era == "modern" else 3)


@pytest.mark.behaviour("asking.both-eras")
@pytest.mark.parametrize("how", ["modern", "legacy"])
async def test_the_same_over_http(how: Era) -> None:
    side = ClientSide(offer=EVERYTHING, respond=Habits(answers=ANSWERS).respond)
    connect = connecting if how == "modern" else shaking_hands
    with anyio.fail_after(20):
        async with sdk_server(server()) as url, connect(url, side) as connection:
            assert connection.identity.era == how
            assert await text_of(connection, "everything") == "Ada hi file:///work"


@pytest.mark.behaviour("asking.decline-and-cancel-are-answers")
@pytest.mark.parametrize("era", ERAS)
@pytest.mark.parametrize("action", ["decline", "cancel"])
async def test_a_no_is_an_answer_that_the_tool_hears(era: Era, action: str) -> None:
    side = ClientSide(offer=EVERYTHING, respond=Habits(answers={"elicitation/create": {"action": action}}).respond)
    with anyio.fail_after(5):
        async with in_memory(server(), era, side=side) as connection:
            assert await text_of(connection, "form") == action


@pytest.mark.behaviour("mrtr.not-answered-ends-the-call")
@pytest.mark.behaviour("legacy.refusal-by-a-person")
@pytest.mark.parametrize("era", ERAS)
async def test_a_call_that_fails_for_want_of_an_answer_says_why_there_was_none(era: Era) -> None:
    ours = Problem(type="input-required", title="t", detail="d", hint="h")
    side = ClientSide(offer=EVERYTHING, respond=Person(answers=[NotAnswered(ours)]).respond)
    with anyio.fail_after(5):
        async with in_memory(server(), era, side=side) as connection:
            with pytest.raises(RequestFailed) as caught:
                await text_of(connection, "form")
    assert (caught.value.problem, caught.value.sent, caught.value.answered) == (ours, True, True)


@pytest.mark.behaviour("errors.missing-capability-named")
async def test_a_capability_that_a_server_needs_and_was_not_offered_is_named_with_the_way_to_offer_it() -> None:
    side = ClientSide(offer=Offer(), respond=Habits(answers=ANSWERS).respond)
    with anyio.fail_after(5):
        async with in_memory(server(), "modern", side=side) as connection:
            with pytest.raises(RequestFailed) as caught:
                await text_of(connection, "everything")
    problem = caught.value.problem
    assert (problem.type, caught.value.answered, caught.value.code) == ("request-refused", True, -32021)
    assert "sampling" in problem.detail
    assert "setup{ sampling = … }" in problem.hint
