"""Which era a server is spoken to in, over real HTTP: what counts as legacy, and what must be shown as it is."""

from __future__ import annotations

import socket
from dataclasses import dataclass
from typing import Any

import anyio
import pytest
from mcp.server import Server, ServerRequestContext
from mcp.server.mcpserver import MCPServer
from mcp_types import ListRootsRequest, ListRootsResult, NotificationParams

from mcp_host.core.capabilities.advertising import advertisement
from mcp_host.core.offers import Offer
from mcp_host.problems import Problem, ProblemError, ProblemType
from mcp_host.protocol.client_side import ClientSide
from mcp_host.protocol.connecting import CLIENT_INFO
from mcp_host.protocol.listing import fetch_tool
from tests.protocol.in_memory import in_memory
from tests.protocol.over_http import (
    LEGACY,
    MODERN,
    answers,
    connected,
    connecting,
    discovered,
    in_turn,
    initialized,
    methods,
    refuses,
    replies,
    sdk_server,
)
from tests.protocol.scripted import EVERYTHING, Person, called, scripted
from tests.protocol.transports.raw_http import Handler, RawHttpServer, Request, serving

pytestmark = pytest.mark.anyio

PAGE = b"<html><body>404 page</body></html>"
FALLBACK = ["server/discover", "initialize", "notifications/initialized"]


async def _problem(server: RawHttpServer) -> Problem:
    with pytest.raises(ProblemError) as caught:
        async with connecting(server.url):
            pass
    return caught.value.problem


async def test_a_server_that_answers_discover_is_modern() -> None:
    with anyio.fail_after(5):
        async with connected({"server/discover": answers(discovered(MODERN, LEGACY, tools={}))}) as (
            connection,
            server,
        ):
            identity = connection.identity
    assert (identity.era, identity.revision, identity.name, identity.capabilities) == (
        "modern",
        MODERN,
        "raw",
        {"tools": {}},
    )
    assert methods(server) == ["server/discover"]
    assert server.seen[0].headers["mcp-protocol-version"] == MODERN
    assert server.seen[0].headers["mcp-method"] == "server/discover"


@pytest.mark.behaviour("negotiation.fall-back")
@pytest.mark.parametrize(
    "turned_away",
    [
        pytest.param(refuses(-32601), id="method not found"),
        pytest.param(refuses(-32601, status=404), id="method not found under 404"),
        pytest.param(refuses(-32601, status=500), id="method not found under 500"),
        pytest.param(refuses(-32600, "Received request before initialization was complete"), id="invalid request"),
        pytest.param(refuses(-32000, "Bad Request: Server not initialized", status=400), id="TypeScript SDK"),
        pytest.param(refuses(-32001, "Request timed out"), id="timed out"),
        pytest.param(refuses(-32022, data={"supported": [LEGACY], "requested": MODERN}), id="names handshakes only"),
        pytest.param(
            refuses(-32022, status=400, data={"supported": [LEGACY], "requested": MODERN}), id="the same under 400"
        ),
        pytest.param(refuses(-32022), id="-32022 without versions"),
        pytest.param(replies(400), id="400"),
        pytest.param(replies(404), id="404"),
        pytest.param(replies(405), id="405"),
        pytest.param(replies(406), id="406"),
        pytest.param(replies(404, PAGE, "text/html"), id="404 page"),
        pytest.param(replies(200, PAGE, "text/html"), id="200 page"),
        pytest.param(replies(202), id="202"),
        pytest.param(answers(discovered(LEGACY)), id="discover names handshakes only"),
        pytest.param(answers({"resultType": "complete"}), id="unreadable discover result"),
        pytest.param(answers({"supportedVersions": "all", "capabilities": []}), id="odd discover result"),
    ],
)
async def test_a_server_that_does_not_know_discover_gets_the_handshake(turned_away: Handler) -> None:
    handlers = {"server/discover": turned_away, "initialize": answers(initialized(tools={}))}
    with anyio.fail_after(5):
        async with connected(handlers) as (connection, server):
            identity = connection.identity
            while len(server.seen) < len(FALLBACK):
                await anyio.lowlevel.checkpoint()
    assert (identity.era, identity.revision, identity.name) == ("legacy", LEGACY, "raw")
    assert methods(server) == FALLBACK
    assert "mcp-protocol-version" not in server.seen[1].headers
    assert server.seen[2].headers["mcp-protocol-version"] == LEGACY


@dataclass(frozen=True, kw_only=True)
class Refusal:
    handler: Handler
    type: ProblemType
    words: str


REFUSALS = {
    "disjoint revisions": Refusal(
        handler=refuses(-32022, "too old", data={"supported": ["2031-01-01"], "requested": MODERN}),
        type="protocol-violated",
        words="too old",
    ),
    "disjoint revisions under 400": Refusal(
        handler=refuses(-32022, "too old", status=400, data={"supported": ["2031-01-01"], "requested": MODERN}),
        type="protocol-violated",
        words="too old",
    ),
    "header mismatch": Refusal(handler=refuses(-32020, "headers!"), type="request-refused", words="headers!"),
    "header mismatch under 400": Refusal(
        handler=refuses(-32020, "headers!", status=400), type="request-refused", words="Error -32020: headers!"
    ),
    "missing capability": Refusal(handler=refuses(-32021, "roots"), type="request-refused", words="roots"),
    "missing capability under 400": Refusal(
        handler=refuses(-32021, "roots", status=400), type="request-refused", words="Error -32021: roots"
    ),
    "401": Refusal(handler=replies(401), type="authorization-required", words="HTTP 401"),
    "401 with an error": Refusal(
        handler=refuses(-32600, "who?", status=401), type="authorization-required", words="HTTP 401"
    ),
    "403": Refusal(handler=replies(403), type="authorization-required", words="HTTP 403"),
    "429": Refusal(handler=replies(429, retry_after="7"), type="server-unavailable", words="Retry-After 7."),
    "500": Refusal(
        handler=replies(500, b"out of disk", "text/plain"), type="server-unavailable", words="It said: out of disk"
    ),
    "503": Refusal(handler=replies(503, retry_after="120"), type="server-unavailable", words="Retry-After 120."),
}


@pytest.mark.behaviour("negotiation.modern-errors-shown")
@pytest.mark.parametrize("name", REFUSALS)
async def test_what_is_no_sign_of_a_legacy_server_is_shown_and_no_handshake_is_sent(name: str) -> None:
    refusal = REFUSALS[name]
    handlers = {"server/discover": refusal.handler, "initialize": answers(initialized())}
    with anyio.fail_after(5):
        async with serving(RawHttpServer(handlers=handlers)) as server:
            problem = await _problem(server)
    assert (problem.type, problem.alias) == (refusal.type, "web")
    assert refusal.words in problem.detail
    assert methods(server) == ["server/discover"]


async def test_a_server_that_is_not_there_is_not_reachable() -> None:
    with socket.socket() as taken, anyio.fail_after(5):
        taken.bind(("127.0.0.1", 0))  # nobody listens on it
        with pytest.raises(ProblemError) as caught:
            async with connecting(f"http://127.0.0.1:{taken.getsockname()[1]}/mcp"):
                pass
    problem = caught.value.problem
    assert (problem.type, problem.retryable) == ("server-unavailable", True)
    assert "ConnectError" in problem.detail


@pytest.mark.behaviour("negotiation.mutual-revision")
@pytest.mark.parametrize("status", [200, 400])
async def test_a_mutual_revision_that_a_server_names_is_probed_once_more(status: int) -> None:
    named = refuses(-32022, status=status, data={"supported": [MODERN], "requested": MODERN})
    with anyio.fail_after(5):
        async with connected({"server/discover": in_turn(named, answers(discovered()))}) as (connection, server):
            assert connection.identity.revision == MODERN
    assert methods(server) == ["server/discover"] * 2


async def test_a_server_that_names_a_revision_and_refuses_it_is_asked_no_third_time() -> None:
    named = refuses(-32022, "not today", data={"supported": [MODERN], "requested": MODERN})
    with anyio.fail_after(5):
        async with serving(RawHttpServer(handlers={"server/discover": named})) as server:
            problem = await _problem(server)
    assert (problem.type, methods(server)) == ("protocol-violated", ["server/discover"] * 2)


async def test_a_slow_server_that_turns_out_to_be_modern_is_probed_again() -> None:
    handlers = {
        "server/discover": in_turn(refuses(-32001, "Request timed out"), answers(discovered())),
        "initialize": refuses(-32022, data={"supported": [MODERN], "requested": LEGACY}),
    }
    with anyio.fail_after(5):
        async with connected(handlers) as (connection, server):
            assert connection.identity.era == "modern"
    assert methods(server) == ["server/discover", "initialize", "server/discover"]


async def test_a_handshake_at_a_revision_nobody_knows_is_a_violation() -> None:
    handlers = {"server/discover": refuses(-32601), "initialize": answers(initialized("1999-12-31"))}
    with anyio.fail_after(5):
        async with serving(RawHttpServer(handlers=handlers)) as server:
            problem = await _problem(server)
    assert problem.type == "protocol-violated"
    assert "1999-12-31" in problem.detail
    assert "notifications/initialized" not in methods(server)


async def test_a_modern_answer_that_is_malformed_is_shown_rather_than_the_handshake_it_refuses() -> None:
    malformed = answers({**discovered(), "capabilities": {"tools": True}})
    handlers = {"server/discover": malformed, "initialize": refuses(-32601, "initialize?", status=404)}
    with anyio.fail_after(5):
        async with serving(RawHttpServer(handlers=handlers)) as server:
            problem = await _problem(server)
            assert methods(server) == ["server/discover", "initialize"]
    assert problem.type == "protocol-violated"
    assert "capabilities.tools" in problem.detail


async def test_an_address_where_nothing_speaks_mcp_says_what_it_answered() -> None:
    page = replies(404, PAGE, "text/html")
    with anyio.fail_after(5):
        async with serving(RawHttpServer(handlers={"server/discover": page, "initialize": page})) as server:
            problem = await _problem(server)
    assert (problem.type, problem.detail.split("\n")[0]) == ("server-unavailable", "HTTP 404 Word")


async def test_a_slow_answer_to_discover_is_waited_for() -> None:
    asked, go_on = anyio.Event(), anyio.Event()
    eras: list[str] = []

    async def slowly(request: Request) -> None:
        asked.set()
        await go_on.wait()
        await request.answer(discovered())

    async def connect(url: str) -> None:
        async with connecting(url) as connection:
            eras.append(connection.identity.era)

    with anyio.fail_after(5):
        async with serving(RawHttpServer(handlers={"server/discover": slowly})) as server:
            async with anyio.create_task_group() as tasks:
                tasks.start_soon(connect, server.url)
                await asked.wait()
                assert not eras
                go_on.set()
            assert (eras, methods(server)) == (["modern"], ["server/discover"])


@pytest.mark.parametrize("json_response", [True, False])
async def test_the_sdks_http_server_is_spoken_to_in_the_modern_era(json_response: bool) -> None:
    made = MCPServer("sdk")

    @made.tool()
    def add(left: int, right: int) -> int:
        return left + right

    with anyio.fail_after(10):
        async with sdk_server(made, json_response=json_response) as url, connecting(url) as connection:
            assert (connection.identity.era, connection.identity.revision) == ("modern", MODERN)
            tool = await fetch_tool(connection, "add", timeout_seconds=5)
            assert tool is not None
            raw = await connection.call_tool(tool, {"left": 20, "right": 22}, timeout_seconds=5)
    assert raw["structuredContent"] == {"result": 42}


HANDSHAKES = ("2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25")


@pytest.mark.behaviour("negotiation.handshake-revisions")
@pytest.mark.parametrize("revision", HANDSHAKES)
async def test_the_handshake_offers_the_latest_revision_and_takes_any_that_is_known(revision: str) -> None:
    side = ClientSide(offer=EVERYTHING)
    with anyio.fail_after(5):
        async with scripted("legacy", revision=revision, side=side, tools={}) as (connection, peer):
            identity = connection.identity
    first, second = peer.greeting
    assert (first["method"], first["params"]) == (
        "initialize",
        {
            "protocolVersion": "2025-11-25",
            "capabilities": advertisement("legacy", EVERYTHING),
            "clientInfo": CLIENT_INFO.model_dump(by_alias=True, mode="json", exclude_none=True),
        },
    )
    assert second == {"jsonrpc": "2.0", "method": "notifications/initialized"}
    assert (identity.era, identity.revision, identity.name, identity.capabilities) == (
        "legacy",
        revision,
        "raw",
        {"tools": {}},
    )


@pytest.mark.behaviour("negotiation.discover-first")
async def test_the_probe_says_who_we_are_and_what_we_offer() -> None:
    side = ClientSide(offer=EVERYTHING)
    with anyio.fail_after(5):
        async with scripted("modern", side=side) as (_, peer):
            pass
    (probe,) = peer.greeting
    assert (probe["method"], probe["params"]["_meta"]) == (
        "server/discover",
        {
            "io.modelcontextprotocol/protocolVersion": MODERN,
            "io.modelcontextprotocol/clientInfo": CLIENT_INFO.model_dump(by_alias=True, mode="json", exclude_none=True),
            "io.modelcontextprotocol/clientCapabilities": advertisement("modern", EVERYTHING),
        },
    )


@pytest.mark.behaviour("negotiation.ready-when-ready")
async def test_what_a_server_asks_for_at_once_after_the_handshake_is_answered() -> None:
    made = MCPServer("eager")
    roots = {"roots": [{"uri": "file:///work"}]}
    answered: list[object] = []
    person = Person(answers=[{"request": roots}])
    side = ClientSide(offer=EVERYTHING, respond=person.respond)
    low: Server[object] = made._lowlevel_server  # pyright: ignore[reportPrivateUsage] (the SDK has no public name yet)

    async def ask(context: ServerRequestContext[object], _params: object) -> None:
        answered.append(await context.session.send_request(ListRootsRequest(), ListRootsResult))

    low.add_notification_handler("notifications/initialized", NotificationParams, ask)
    with anyio.fail_after(5):
        async with in_memory(made, "legacy", side=side):
            while not answered:
                await anyio.lowlevel.checkpoint()
    assert answered == [ListRootsResult.model_validate(roots)]


@pytest.mark.behaviour("logging.legacy-level")
async def test_a_legacy_server_that_logs_is_told_the_level_and_nobody_waits_for_it() -> None:
    side = ClientSide(offer=Offer(log_level="warning"))
    with anyio.fail_after(5):
        async with scripted("legacy", side=side, logging={}) as (connection, peer):
            told = await peer.request("logging/setLevel")
            assert told["params"] == {"level": "warning"}
            await peer.refuse(told, -32601)
            async with called(connection) as ended:
                await peer.answer(await peer.request("tools/call"), content=[])
    assert ended.result == {"content": []}


@pytest.mark.parametrize(
    ("offer", "capabilities"), [(Offer(), {"logging": {}}), (Offer(log_level="debug"), {"tools": {}})]
)
async def test_no_level_is_told_where_none_is_wanted_or_nothing_is_logged(
    offer: Offer, capabilities: dict[str, Any]
) -> None:
    with anyio.fail_after(5):
        async with scripted("legacy", side=ClientSide(offer=offer), **capabilities) as (_, peer):
            await anyio.wait_all_tasks_blocked()
            assert peer.waiting() == 0


@pytest.mark.behaviour("results.unknown-is-invalid")
async def test_an_answer_to_the_probe_of_an_unknown_kind_is_a_violation_and_no_handshake_follows() -> None:
    handlers = {
        "server/discover": answers({**discovered(), "resultType": "weird"}),
        "initialize": answers(initialized()),
    }
    with anyio.fail_after(5):
        async with serving(RawHttpServer(handlers=handlers)) as server:
            problem = await _problem(server)
            assert methods(server) == ["server/discover"]
    assert (problem.type, problem.detail) == (
        "protocol-violated",
        'It answered server/discover with a result of the kind "weird".',
    )


@pytest.mark.parametrize(
    "odd",
    [{"ttlMs": -5}, {"ttlMs": "long"}, {"cacheScope": "galaxy"}, {"_meta": {"io.modelcontextprotocol/serverInfo": 3}}],
)
async def test_a_mistake_in_what_is_not_needed_of_the_probes_answer_costs_nothing(odd: dict[str, object]) -> None:
    with anyio.fail_after(5):
        async with connected({"server/discover": answers({**discovered(tools={}), **odd})}) as (connection, server):
            assert (connection.identity.era, connection.identity.capabilities) == ("modern", {"tools": {}})
            assert methods(server) == ["server/discover"]
