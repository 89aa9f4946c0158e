"""A server that has forgotten the session: initialised once more, reads repeated, effects never."""

from __future__ import annotations

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from pathlib import Path

import anyio
import pytest

from tests.host.support import Desk, open_desk
from tests.protocol.over_http import answers, in_turn, initialized, methods, refuses, replies
from tests.protocol.transports.raw_http import Handler, RawHttpServer, Request, serving

pytestmark = pytest.mark.anyio

REFUSALS = {
    "bare 404": replies(404),
    "404 with words": refuses(-32001, "Session not found", status=404),
    "400 with words": refuses(-32000, "Bad Request: No valid session ID provided", status=400),
    "410 with words": refuses(-32001, "Session not found", status=410),
}
"""How servers say that they do not know a session."""

ECHO = {"name": "echo", "inputSchema": {"type": "object"}}


@asynccontextmanager
async def forgetful(folder: Path, refusal: Handler) -> AsyncGenerator[tuple[Desk, RawHttpServer]]:
    """A legacy server that gives a session out at each initialize, and forgets the first one before any call."""
    sessions: list[str] = []

    async def initialize(request: Request) -> None:
        sessions.append(f"s{len(sessions) + 1}")
        await request.answer(initialized(tools={}, completions={}), mcp_session_id=sessions[-1])

    async def call(request: Request) -> None:
        if request.headers.get("mcp-session-id") == "s1":
            await refusal(request)
        else:
            await request.answer({"content": [{"type": "text", "text": "called"}]})

    async def complete(request: Request) -> None:
        if request.headers.get("mcp-session-id") == "s1":
            await refusal(request)
        else:
            await request.answer({"completion": {"values": ["a.txt"]}})

    handlers = {
        "server/discover": refuses(-32601),
        "initialize": initialize,
        "completion/complete": complete,
        "notifications/initialized": replies(202),
        "tools/list": answers({"tools": [ECHO]}),
        "tools/call": call,
        "GET": replies(405),
        "DELETE": replies(200),
    }
    async with serving(RawHttpServer(handlers=handlers)) as server:
        definition = f'[servers.old]\nurl = "{server.url}"\nread = ["echo"]\n'
        with anyio.fail_after(20):
            async with open_desk(folder, definition) as desk:
                yield desk, server


@pytest.mark.parametrize("refusal", REFUSALS)
@pytest.mark.behaviour("sessions.reinitialized-once-for-reads")
async def test_a_read_is_repeated_once_after_one_new_initialize_without_the_old_session(
    tmp_path: Path, refusal: str
) -> None:
    async with forgetful(tmp_path, REFUSALS[refusal]) as (desk, server):
        document = await desk.document("exec", alias="old", tool="echo")
        assert document["content"] == [{"type": "text", "text": "called"}]
        asked = methods(server)
        assert (asked.count("initialize"), asked.count("tools/list"), asked.count("tools/call")) == (2, 2, 2)
        second = [one for one in server.seen if one.message.get("method") == "initialize"][1]
        assert "mcp-session-id" not in second.headers


@pytest.mark.parametrize("refusal", REFUSALS)
@pytest.mark.behaviour("sessions.effects-never-repeated")
async def test_an_effect_is_not_repeated_and_the_next_use_connects_anew(tmp_path: Path, refusal: str) -> None:
    async with forgetful(tmp_path, REFUSALS[refusal]) as (desk, server):
        desk.define(desk.file.read_text().replace('read = ["echo"]', ""))
        problem = await desk.problem("exec", alias="old", tool="echo", accept=True)
        assert (problem.type, problem.retryable) == ("server-unavailable", False)
        assert "not carried out" in problem.detail
        assert methods(server).count("tools/call") == 1
        await desk.ask("exec", alias="old", tool="echo", accept=True)
        asked = methods(server)
        assert (asked.count("initialize"), asked.count("tools/call")) == (2, 2)


async def test_a_read_that_is_refused_again_is_a_problem_and_no_loop(tmp_path: Path) -> None:
    async with forgetful(tmp_path, replies(404)) as (desk, server):
        server.handlers["tools/call"] = replies(404)
        problem = await desk.problem("exec", alias="old", tool="echo")
        assert problem.type == "server-unavailable"
        assert methods(server).count("tools/call") == 2


async def test_evidence_is_a_read_so_an_accept_finds_out_about_the_lost_session_and_runs(tmp_path: Path) -> None:
    async with forgetful(tmp_path, replies(404)) as (desk, server):
        desk.define(desk.file.read_text().replace('read = ["echo"]', ""))
        receipt = (await desk.document("preview", alias="old", tool="echo"))["host"]["receipt"]
        server.handlers["tools/list"] = in_turn(replies(404), answers({"tools": [ECHO]}))
        document = await desk.document("accept", receipt=receipt)
        assert document["content"] == [{"type": "text", "text": "called"}]
        assert methods(server).count("tools/call") == 1


@pytest.mark.parametrize("refusal", REFUSALS)
async def test_suggestions_are_asked_for_again_after_one_new_initialize(tmp_path: Path, refusal: str) -> None:
    async with forgetful(tmp_path, REFUSALS[refusal]) as (desk, server):
        document = await desk.document("complete", alias="old", kind="template", name="file:///{path}", argument="path")
        assert document["completion"] == {"values": ["a.txt"]}
        assert (methods(server).count("initialize"), methods(server).count("completion/complete")) == (2, 2)
