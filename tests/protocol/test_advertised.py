"""What a server sees of our capabilities is what the matrix makes of the offer: nothing is added or lost on the way."""

from __future__ import annotations

from typing import Any

import anyio
import pytest
from mcp.server.mcpserver import Context, MCPServer
from mcp_types import CLIENT_CAPABILITIES_META_KEY

from mcp_host.core.capabilities.advertising import advertisement
from mcp_host.core.catalog.catalog import Era
from mcp_host.core.catalog.entries import parse_tool
from mcp_host.core.definitions.launch import HttpLaunch
from mcp_host.core.offers import Offer
from mcp_host.protocol.client_side import NOTHING_OFFERED, ClientSide
from mcp_host.protocol.connecting import connect_http
from tests.protocol.in_memory import in_memory
from tests.protocol.over_http import answers, discovered, initialized, refuses
from tests.protocol.transports.raw_http import Handler, RawHttpServer, serving

pytestmark = pytest.mark.anyio

ERAS: tuple[Era, ...] = ("modern", "legacy")
OFFERS = (NOTHING_OFFERED, Offer(), Offer(sampling=True, modern_roots=True), Offer(elicitation=False, tasks=False))
TOOL = parse_tool({"name": "seen", "inputSchema": {"type": "object"}})


def witness(seen: list[dict[str, Any] | None]) -> MCPServer:
    """A server that notes what its client can do whenever its tool is called."""
    made = MCPServer("witness")

    @made.tool()
    async def seen_capabilities(context: Context) -> str:
        """Look at the client."""
        capabilities = context.client_capabilities
        seen.append(capabilities.model_dump(by_alias=True, mode="json", exclude_none=True) if capabilities else None)
        return "noted"

    return made


@pytest.mark.behaviour("capabilities.as-offered")
@pytest.mark.parametrize("offer", OFFERS)
@pytest.mark.parametrize("era", ERAS)
async def test_the_server_sees_what_the_matrix_makes_of_the_offer(era: Era, offer: Offer) -> None:
    seen: list[dict[str, Any] | None] = []
    tool = parse_tool({"name": "seen_capabilities", "inputSchema": {"type": "object"}})
    with anyio.fail_after(5):
        async with in_memory(witness(seen), era, side=ClientSide(offer=offer)) as connection:
            await connection.call_tool(tool, {}, timeout_seconds=5)
    assert seen == [advertisement(era, offer)]


async def _messages(handlers: dict[str, Handler], offer: Offer) -> list[dict[str, Any]]:
    """All requests of a connection with one call, as they came over the wire."""
    answered = answers({"resultType": "complete", "content": []})
    refused = {method: refuses(-32601, status=404) for method in ("subscriptions/listen", "GET", "DELETE")}
    server = RawHttpServer(handlers={**refused, "tools/call": answered, **handlers})
    with anyio.fail_after(5):
        async with serving(server):
            launch = HttpLaunch(url=server.url, headers={}, secrets=frozenset())
            side = ClientSide(offer=offer)
            async with connect_http("web", launch, connect_timeout=5, read_timeout=5, side=side) as connection:
                await connection.call_tool(TOOL, {}, timeout_seconds=5)
    return [seen.message for seen in server.seen if "id" in seen.message]


@pytest.mark.behaviour("capabilities.every-request")
async def test_a_modern_server_is_told_with_every_request_from_the_first() -> None:
    offer = Offer(sampling=True)
    sent = await _messages({"server/discover": answers(discovered(tools={}))}, offer)
    assert {"server/discover", "tools/call"} <= {message["method"] for message in sent}
    told = [message["params"]["_meta"][CLIENT_CAPABILITIES_META_KEY] for message in sent]
    assert told == [advertisement("modern", offer)] * len(sent)


@pytest.mark.behaviour("capabilities.handshake")
async def test_a_legacy_server_is_told_once_in_its_own_shape() -> None:
    offer = Offer(sampling=True)
    handlers = {"server/discover": refuses(-32601), "initialize": answers(initialized())}
    sent = await _messages(handlers, offer)
    after = [message for message in sent if message["method"] != "server/discover"]
    assert after[0]["method"] == "initialize"
    assert after[0]["params"]["capabilities"] == advertisement("legacy", offer)
    assert [message for message in after if CLIENT_CAPABILITIES_META_KEY in str(message)] == []
    assert "tasks" not in str(after[0])
