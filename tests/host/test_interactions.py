"""What servers ask, from both eras' servers to the answer: a person's, one given beforehand, or nobody's."""

from __future__ import annotations

import json
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Annotated, Any

import anyio
import pytest
from mcp.server.mcpserver import MCPServer
from mcp.server.mcpserver.resolve import Elicit, ListRoots, Resolve, Sample
from mcp_types import CreateMessageResult, ListRootsResult, SamplingMessage, TextContent
from pydantic import BaseModel

from mcp_host.core.catalog.catalog import Era
from mcp_host.problems import Problem, ProblemError
from tests.host.support import ERAS, Desk, Memory, demo, demo_in_memory, open_desk

pytestmark = [pytest.mark.anyio, pytest.mark.parametrize("era", ERAS)]

READS = 'read = ["ask_name"]'
ADA = {"action": "accept", "content": {"name": "Ada", "tone": "cheerful"}}


class Name(BaseModel):
    name: str


def need_name() -> Elicit[Name]:
    return Elicit("Who is it?", Name)


def want_roots() -> ListRoots:
    return ListRoots()


def say_hi() -> Sample:
    return Sample([SamplingMessage(role="user", content=TextContent(type="text", text="say hi"))], max_tokens=10)


def asking_server() -> MCPServer:
    """Its tools ask for a completion and for the folders."""
    server = MCPServer("asking")

    @server.tool()
    async def must_know(name: Annotated[Name, Resolve(need_name)]) -> str:
        return name.name

    @server.tool()
    async def sample(said: Annotated[CreateMessageResult, Resolve(say_hi)]) -> str:
        return said.model_dump_json(by_alias=True, include={"content", "model"}, exclude_none=True)

    @server.tool()
    async def roots(found: Annotated[ListRootsResult, Resolve(want_roots)]) -> str:
        return json.dumps([str(root.uri) for root in found.roots])

    return server


@asynccontextmanager
async def asked_desk(folder: Path, era: Era, **start: Any) -> AsyncGenerator[Desk]:
    with anyio.fail_after(20):
        async with open_desk(folder, demo(more=READS), demo_in_memory(era), **start) as desk:
            yield desk


@asynccontextmanager
async def asking_desk(folder: Path, era: Era, **start: Any) -> AsyncGenerator[Desk]:
    opened_by = Memory(servers={"demo": asking_server()}, era=era)
    with anyio.fail_after(20):
        async with open_desk(folder, demo(more='read = ["must_know", "sample", "roots"]'), opened_by, **start) as desk:
            yield desk


async def while_asked(desk: Desk, tool: str, *decide: tuple[str, dict[str, Any]]) -> dict[str, Any] | Problem:
    """What a call came to during which each of these verbs was used once its server asked."""
    ended: list[dict[str, Any] | Problem] = []

    async def call() -> None:
        try:
            ended.append(await desk.document("exec", alias="demo", tool=tool))
        except ProblemError as error:
            ended.append(error.problem)

    async with anyio.create_task_group() as tasks:
        tasks.start_soon(call)
        await desk.events.wait_for("McpInteraction", lambda data: data["state"] == "open")
        for verb, params in decide:
            await desk.ask(verb, **params)
    return ended[0]


def text_of(document: dict[str, Any] | Problem) -> str:
    assert isinstance(document, dict), document
    return document["content"][0]["text"]


@pytest.mark.behaviour("elicitation.told-to-the-person-and-the-server")
async def test_a_person_answers_a_form_and_the_call_goes_on(tmp_path: Path, era: Era) -> None:
    async with asked_desk(tmp_path, era) as desk:
        document = await while_asked(desk, "ask_name", ("answer", {"answers": ADA}))
        assert "Ada" in text_of(document)
        assert isinstance(document, dict)
        said = {"kinds": ["form"], "message": "Who is there?", "action": "accept", "by": "person"}
        assert document["host"]["interactions"] == [said]
        told = {"interaction": "q1", "alias": "demo", "kinds": ["form"], "tool": "ask_name", "call": "c1"}
        assert desk.events.of("McpInteraction") == [told | {"state": "open"}, told | {"state": "answered"}]


@pytest.mark.behaviour("elicitation.told-to-the-person-and-the-server")
async def test_an_answer_that_does_not_fit_is_refused_and_the_server_still_waits(tmp_path: Path, era: Era) -> None:
    async with asked_desk(tmp_path, era) as desk:
        problems: list[Problem] = []
        document: dict[str, Any] = {}

        async def answer_twice() -> None:
            await desk.events.wait_for("McpInteraction", lambda data: data["state"] == "open")
            wrong = {"action": "accept", "content": {"name": "", "tone": "angry"}}
            problems.append(await desk.problem("answer", answers=wrong))
            await desk.ask("answer", answers=ADA)

        async with anyio.create_task_group() as tasks:
            tasks.start_soon(answer_twice)
            document = await desk.document("exec", alias="demo", tool="ask_name")
        assert "Ada" in text_of(document)
        (problem,) = problems
        assert problem.type == "arguments-invalid"
        assert "name" in problem.detail
        assert "tone" in problem.detail


NOES = {"decline": ("declined", "decline"), "dismiss": ("cancelled", "cancel")}
"""By verb: the state of the interaction, and the action that the server is told of."""


@pytest.mark.behaviour("elicitation.told-to-the-person-and-the-server")
@pytest.mark.parametrize("verb", NOES)
async def test_a_no_is_told_to_the_server(tmp_path: Path, era: Era, verb: str) -> None:
    state, action = NOES[verb]
    async with asked_desk(tmp_path, era) as desk:
        document = await while_asked(desk, "ask_name", (verb, {}))
        assert isinstance(document, dict)
        assert [one["action"] for one in document["host"]["interactions"]] == [action]
        assert desk.events.of("McpInteraction")[-1]["state"] == state
        closed = await desk.problem("answer", interaction="q1", answers=ADA)
        assert closed.type == "interaction-closed"


async def test_a_cancelled_call_withdraws_its_question(tmp_path: Path, era: Era) -> None:
    async with asked_desk(tmp_path, era) as desk:
        ended = await while_asked(desk, "ask_name", ("cancel", {"call": "c1"}))
        assert isinstance(ended, Problem)
        assert ended.type == "cancelled"
        assert desk.events.of("McpInteraction")[-1]["state"] == "withdrawn"


async def test_where_nobody_sits_the_answer_is_no_at_once_with_what_to_do(tmp_path: Path, era: Era) -> None:
    async with asking_desk(tmp_path, era, headless=True) as desk:
        answer = await desk.ask("exec", alias="demo", tool="must_know")
        assert (answer.exit, answer.document["isError"]) == (4, True)
        host: Any = answer.document["host"]
        (said,) = host["interactions"]
        assert (said["action"], said["by"], said["problem"]["type"]) == ("decline", "nobody", "input-required")
        assert "--answers" in said["problem"]["hint"]
        assert desk.events.of("McpInteraction") == []


async def test_answers_of_a_file_are_used_and_what_they_lack_is_named(tmp_path: Path, era: Era) -> None:
    (tmp_path / "answers.json").write_text(json.dumps({"answers": [{"tool": "ask_name", "content": ADA["content"]}]}))
    (tmp_path / "others.json").write_text('[{"tool": "another", "content": {}}]')
    async with asked_desk(tmp_path, era, headless=True) as desk:
        answered = await desk.ask("exec", alias="demo", tool="ask_name", answers="answers.json")
        assert ("Ada" in text_of(dict(answered.document)), answered.exit) == (True, 0)
        lacking = await desk.document("exec", alias="demo", tool="ask_name", answers="others.json")
        (said,) = lacking["host"]["interactions"]
        assert (said["action"], said["by"], said["problem"]["type"]) == ("decline", "nobody", "input-required")


async def test_answers_that_cannot_be_read_are_a_problem_before_anything_is_sent(tmp_path: Path, era: Era) -> None:
    (tmp_path / "broken.json").write_text('{"answers": [')
    async with asked_desk(tmp_path, era) as desk:
        for answers in ("broken.json", "missing.json", [{"nonsense": 1}]):
            problem = await desk.problem("exec", alias="demo", tool="ask_name", answers=answers)
            assert problem.type == "usage"
        assert desk.events.of("McpCall") == []


@pytest.mark.behaviour("roots.workspace-folder")
async def test_folders_are_told_to_whom_they_are_offered_without_asking_anybody(tmp_path: Path, era: Era) -> None:
    async with asking_desk(tmp_path, era, roots={"modern": True}) as desk:
        document = await desk.document("exec", alias="demo", tool="roots")
        assert json.loads(text_of(document)) == [tmp_path.as_uri()]
        assert desk.events.of("McpInteraction") == []


async def test_a_completion_is_offered_only_where_somebody_is_configured_to_give_it(tmp_path: Path, era: Era) -> None:
    async with asking_desk(tmp_path, era) as desk:
        try:
            refused = await desk.document("exec", alias="demo", tool="sample")
        except ProblemError as error:
            assert error.problem.type in ("request-refused", "protocol-violated")  # noqa: PT017 (either is a refusal)
        else:
            assert refused["isError"] is True
        assert desk.events.of("McpInteraction") == []
    async with asking_desk(tmp_path, era, sampling=True) as desk:
        said = {"role": "assistant", "content": {"type": "text", "text": "hi"}, "model": "human"}
        document = await while_asked(desk, "sample", ("answer", {"answers": said}))
        assert json.loads(text_of(document)) == {"content": {"type": "text", "text": "hi"}, "model": "human"}


async def test_a_declined_completion_ends_the_call(tmp_path: Path, era: Era) -> None:
    async with asking_desk(tmp_path, era, sampling=True) as desk:
        ended = await while_asked(desk, "sample", ("decline", {}))
        assert isinstance(ended, Problem)
        assert ended.type == "input-required"


async def test_the_open_question_is_found_without_its_name(tmp_path: Path, era: Era) -> None:
    async with asked_desk(tmp_path, era) as desk:
        assert (await desk.problem("interaction")).type == "interaction-unknown"
        shown: list[dict[str, Any]] = []

        async def look_and_answer() -> None:
            await desk.events.wait_for("McpInteraction", lambda data: data["state"] == "open")
            shown.append(await desk.document("interaction"))
            shown.append(await desk.document("interactions"))
            await desk.ask("answer", answers=ADA)

        async with anyio.create_task_group() as tasks:
            tasks.start_soon(look_and_answer)
            await desk.document("exec", alias="demo", tool="ask_name")
        one, all_of_them = shown
        assert one["interaction"]["interaction"] == "q1"
        assert [each["interaction"] for each in all_of_them["interactions"]] == ["q1"]


async def test_the_text_of_the_buffer_answers_too(tmp_path: Path, era: Era) -> None:
    async with asked_desk(tmp_path, era) as desk:
        filled = 'name = "Ada"\ntone = "cheerful"\n'
        assert "Ada" in text_of(await while_asked(desk, "ask_name", ("answer", {"text": filled})))
