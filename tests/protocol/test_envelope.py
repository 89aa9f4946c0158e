"""What a server sees around each request: the modern members and headers, or the legacy header alone."""

from __future__ import annotations

import base64
from dataclasses import replace

import anyio
import pytest
from mcp_types import CLIENT_CAPABILITIES_META_KEY, CLIENT_INFO_META_KEY, LOG_LEVEL_META_KEY, PROTOCOL_VERSION_META_KEY

from mcp_host.core.catalog.catalog import Era, ServerIdentity
from mcp_host.core.catalog.entries import parse_tool
from mcp_host.protocol.connecting import CLIENT_INFO
from mcp_host.protocol.envelope import Envelope
from tests.protocol.over_http import LEGACY, MODERN, answers, connected, discovered, initialized, refuses

SCHEMA = {
    "type": "object",
    "properties": {
        "region": {"type": "string", "x-mcp-header": "Region"},
        "limit": {"type": "integer", "x-mcp-header": "Limit"},
        "dry": {"type": "boolean", "x-mcp-header": "Dry"},
        "deep": {"type": "object", "properties": {"zone": {"type": "string", "x-mcp-header": "Zone"}}},
        "query": {"type": "string"},
    },
}
QUERY = parse_tool({"name": "query", "inputSchema": SCHEMA})
INFO = {"name": "host", "version": "1"}


def envelope(era: Era) -> Envelope:
    revision = MODERN if era == "modern" else LEGACY
    return Envelope(identity=ServerIdentity(era=era, revision=revision), client_info=INFO, capabilities={"x": {}})


@pytest.mark.behaviour("envelope.members")
@pytest.mark.behaviour("envelope.headers")
def test_a_modern_request_carries_its_members_beside_those_of_the_caller() -> None:
    params = {"uri": "a://b", "_meta": {"own": 1, PROTOCOL_VERSION_META_KEY: "1999"}}
    sealed, options = envelope("modern").seal("resources/read", params)
    assert sealed == {
        "uri": "a://b",
        "_meta": {
            "own": 1,
            PROTOCOL_VERSION_META_KEY: MODERN,
            CLIENT_INFO_META_KEY: INFO,
            CLIENT_CAPABILITIES_META_KEY: {"x": {}},
        },
    }
    headers = {name.lower(): value for name, value in options.get("headers", {}).items()}
    assert headers == {"mcp-protocol-version": MODERN, "mcp-method": "resources/read", "mcp-name": "a://b"}
    assert params["_meta"] == {"own": 1, PROTOCOL_VERSION_META_KEY: "1999"}


def test_a_legacy_request_carries_the_version_header_alone() -> None:
    params = {"name": "query", "arguments": {"region": "eu"}}
    sealed, options = envelope("legacy").seal("tools/call", params, input_schema=SCHEMA)
    assert sealed == params
    assert [*options.get("headers", {}).values()] == [LEGACY]


@pytest.mark.parametrize("params", [{}, {"name": 7}, {"name": None}])
def test_a_request_without_a_usable_name_has_no_name_header(params: dict[str, object]) -> None:
    _, options = envelope("modern").seal("tools/call", params)
    assert sorted(name.lower() for name in options.get("headers", {})) == ["mcp-method", "mcp-protocol-version"]


@pytest.mark.behaviour("logging.modern-level")
def test_a_modern_server_is_asked_for_log_messages_with_every_request_and_a_legacy_one_is_not() -> None:
    for method in ("tools/call", "tools/list"):
        sealed, _ = replace(envelope("modern"), log_level="warning").seal(method, {})
        assert sealed["_meta"][LOG_LEVEL_META_KEY] == "warning"
        assert LOG_LEVEL_META_KEY not in envelope("modern").seal(method, {})[0]["_meta"]
        assert replace(envelope("legacy"), log_level="warning").seal(method, {})[0] == {}


@pytest.mark.parametrize("method", ["tasks/get", "tasks/update", "tasks/cancel"])
def test_a_request_about_a_task_is_named_by_it(method: str) -> None:
    _, options = envelope("modern").seal(method, {"taskId": "t-9f"})
    headers = {name.lower(): value for name, value in options.get("headers", {}).items()}
    assert headers == {"mcp-protocol-version": MODERN, "mcp-method": method, "mcp-name": "t-9f"}


def _encoded(text: str) -> str:
    return f"=?base64?{base64.b64encode(text.encode()).decode()}?="


@pytest.mark.anyio
async def test_a_modern_server_sees_the_headers_of_a_call() -> None:
    arguments = {"region": "Zürich\n", "limit": 7, "dry": False, "deep": {"zone": "b"}, "query": "secret"}
    handlers = {"server/discover": answers(discovered()), "tools/call": answers({"content": []})}
    with anyio.fail_after(5):
        async with connected(handlers, authorization="Bearer t0ken") as (connection, server):
            await connection.call_tool(QUERY, arguments, timeout_seconds=5)
            await connection.call_tool(QUERY, {"query": "only"}, timeout_seconds=5)
    _, full, small = server.seen
    headers = {name: value for name, value in full.headers.items() if name.startswith("mcp-")}
    assert headers == {
        "mcp-protocol-version": MODERN,
        "mcp-method": "tools/call",
        "mcp-name": "query",
        "mcp-param-region": _encoded("Zürich\n"),
        "mcp-param-limit": "7",
        "mcp-param-dry": "false",
        "mcp-param-zone": "b",
    }
    assert full.headers["authorization"] == "Bearer t0ken"
    assert full.message["params"]["arguments"] == arguments
    assert full.message["params"]["_meta"][CLIENT_INFO_META_KEY]["name"] == CLIENT_INFO.name
    assert full.message["params"]["_meta"][CLIENT_CAPABILITIES_META_KEY] == {}
    assert not [name for name in small.headers if name.startswith("mcp-param")]


@pytest.mark.behaviour("envelope.encoded-names")
@pytest.mark.anyio
async def test_a_name_that_no_header_can_hold_is_encoded() -> None:
    tool = parse_tool({"name": "日本 tool", "inputSchema": {"type": "object"}})
    handlers = {"server/discover": answers(discovered()), "tools/call": answers({"content": []})}
    with anyio.fail_after(5):
        async with connected(handlers) as (connection, server):
            await connection.call_tool(tool, {}, timeout_seconds=5)
    assert server.seen[1].headers["mcp-name"] == _encoded("日本 tool")
    assert server.seen[1].message["params"]["name"] == "日本 tool"


@pytest.mark.behaviour("envelope.legacy-bare")
@pytest.mark.anyio
async def test_a_legacy_server_sees_no_modern_header_and_no_modern_member() -> None:
    handlers = {
        "server/discover": refuses(-32601),
        "initialize": answers(initialized()),
        "tools/call": answers({"content": []}),
    }
    with anyio.fail_after(5):
        async with connected(handlers) as (connection, server):
            await connection.call_tool(QUERY, {"region": "eu"}, timeout_seconds=5)
            called = next(seen for seen in server.seen if seen.message["method"] == "tools/call")
    assert {name: value for name, value in called.headers.items() if name.startswith("mcp-")} == {
        "mcp-protocol-version": LEGACY
    }
    assert called.message["params"] == {"name": "query", "arguments": {"region": "eu"}}
