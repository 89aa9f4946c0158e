"""A legacy server that forgets the session: one new handshake, a read tried once more, an effect never."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path

import anyio
import pytest

from tests.host.support import Desk, open_desk
from tests.protocol.over_http import answers, initialized, methods, refuses, replies
from tests.protocol.transports.raw_http import Handler, RawHttpServer, Request, serving

pytestmark = pytest.mark.anyio

TOOLS = [{"name": name, "inputSchema": {"type": "object"}} for name in ("look", "change")]
RESULT = {"content": [{"type": "text", "text": "done"}]}


async def unknown_session(request: Request) -> None:
    """In JSON-RPC, as the SDKs say it: with an id that is none of ours."""
    body = b'{"jsonrpc":"2.0","id":null,"error":{"code":-32001,"message":"Session not found"}}'
    await request.reply(404, body)


FORGETTING: Mapping[str, Handler] = {
    "404": replies(404, b"", "text/plain"),
    "404 in JSON-RPC": unknown_session,
    "400 in JSON-RPC": refuses(-32000, "Bad Request: Server not initialized", status=400),
    "400 in words": replies(400, b"No valid session ID provided", "text/plain"),
    "410 in JSON-RPC": refuses(-32001, "Session not found", status=410),
    "410 in words": replies(410, b"Session expired", "text/plain"),
    "503 in JSON-RPC": refuses(-32001, "Session not found", status=503),
}
OPEN: Mapping[str, Handler] = {"503 in words": replies(503, b"Session not found", "text/plain")}
"""Words under a status that does not say that nothing was done."""


@dataclass(kw_only=True)
class Forgetful:
    """Knows only the session that it gave last."""

    says: Handler
    http: RawHttpServer = field(default_factory=lambda: RawHttpServer(handlers={}))
    sessions: int = 0
    knows: bool = True
    """False once it has forgotten that one too."""
    forgets_at_calls: bool = False

    async def initialize(self, request: Request) -> None:
        self.sessions += 1
        self.knows = True
        assert "mcp-session-id" not in request.headers
        await request.answer(initialized(tools={}), mcp_session_id=f"s-{self.sessions}")

    def within_session(self, result: Mapping[str, object]) -> Handler:
        async def handler(request: Request) -> None:
            if self.forgets_at_calls and request.message["method"] == "tools/call":
                self.knows = False
            known = self.knows and request.headers.get("mcp-session-id") == f"s-{self.sessions}"
            await (answers(result) if known else self.says)(request)

        return handler


@asynccontextmanager
async def desk_and_server(folder: Path, says: Handler) -> AsyncGenerator[tuple[Desk, Forgetful]]:
    server = Forgetful(says=says)
    server.http.handlers |= {
        "server/discover": refuses(-32601),
        "initialize": server.initialize,
        "tools/list": server.within_session({"tools": TOOLS}),
        "tools/call": server.within_session(RESULT),
        "GET": replies(405),
        "DELETE": replies(200),
    }
    async with serving(server.http):
        text = f'[servers.web]\nurl = "{server.http.url}"\nread = ["look"]\n'
        async with open_desk(folder, text) as desk:
            yield desk, server


@pytest.mark.behaviour("transports.session-forgotten")
@pytest.mark.parametrize("how", FORGETTING)
async def test_a_read_is_tried_once_more_after_one_new_handshake(tmp_path: Path, how: str) -> None:
    with anyio.fail_after(20):
        async with desk_and_server(tmp_path, FORGETTING[how]) as (desk, server):
            await desk.ask("exec", alias="web", tool="look")
            server.knows = False
            seen = len(methods(server.http))
            answer = await desk.document("exec", alias="web", tool="look")
            assert answer["content"] == RESULT["content"]
            after = [method for method in methods(server.http)[seen:] if method != "notifications/initialized"]
            assert after == ["tools/call", "server/discover", "initialize", "tools/list", "tools/call"]


@pytest.mark.behaviour("transports.session-forgotten-effect")
@pytest.mark.parametrize("how", [*FORGETTING, *OPEN])
async def test_an_effect_is_not_sent_again_and_the_next_use_connects_anew(tmp_path: Path, how: str) -> None:
    with anyio.fail_after(20):
        async with desk_and_server(tmp_path, {**FORGETTING, **OPEN}[how]) as (desk, server):
            await desk.ask("exec", alias="web", tool="look")
            server.forgets_at_calls = True
            seen = len(methods(server.http))
            problem = await desk.problem("exec", alias="web", tool="change", accept=True)
            server.forgets_at_calls = False
            assert methods(server.http)[seen:].count("tools/call") == 1
            assert ("was not carried out" in problem.detail) == (how in FORGETTING)
            assert (problem.type == "outcome-unknown") == (how in OPEN)
            assert not problem.retryable
            await desk.ask("exec", alias="web", tool="look")
            assert methods(server.http)[seen:].count("initialize") == 1


async def test_a_session_that_is_forgotten_again_at_once_is_not_tried_for_ever(tmp_path: Path) -> None:
    with anyio.fail_after(20):
        async with desk_and_server(tmp_path, unknown_session) as (desk, server):
            await desk.ask("exec", alias="web", tool="look")
            server.forgets_at_calls = True
            seen = len(methods(server.http))
            problem = await desk.problem("exec", alias="web", tool="look")
            assert problem.type == "server-unavailable"
            after = methods(server.http)[seen:]
            assert (after.count("tools/call"), after.count("initialize")) == (2, 1)
