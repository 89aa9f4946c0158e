"""Servers and tools as rows."""

from __future__ import annotations

import json

from mcp_host.core.catalog.entries import parse_tool
from mcp_host.problems import Problem
from mcp_host.views.rows import ServerFacts, server_row, servers_view, tool_row
from mcp_host.views.view import Item
from tests.views.samples import CONVERT, DEFINITION, HOSTILE, NOW, assert_safe, text_of

TIME = ServerFacts(
    alias="time",
    layer="user",
    file="~/.config/nvim/mcp.toml",
    line=3,
    transport="stdio",
    status="ready",
    era="modern",
    revision="2026-07-28",
    server_name="mcp-time",
    server_version="1.2.3",
    tools_listed=3,
    tools_enabled=2,
    summary="Clock and time zones",
)

PROBLEM = Problem(
    type="server-unavailable",
    title="The server git could not be started.",
    detail="~/.config/nvim/mcp.toml:9: command\nmcp-server-git: not found",
    hint="Install it, then :McpEnable git.",
)

GIT = ServerFacts(
    alias="git", layer="user", file="~/.config/nvim/mcp.toml", transport="stdio", status="failed", problem=PROBLEM
)

SERVERS = """\
Servers (3)
  time    ready   modern 2026-07-28  2 of 3 tools  Clock and time zones
    mcp-time 1.2.3 · stdio · user ~/.config/nvim/mcp.toml:3
  git     failed
    stdio · user ~/.config/nvim/mcp.toml
    ! The server git could not be started.
      ~/.config/nvim/mcp.toml:9: command
      mcp-server-git: not found
      → Install it, then :McpEnable git.
  remote  off     A remote
    http · user mcp.toml:1

Problems (1)
  ! The server git could not be started.
    ~/.config/nvim/mcp.toml:9: command
    mcp-server-git: not found
    → Install it, then :McpEnable git."""


def test_the_servers_buffer_says_what_each_one_is_and_what_is_wrong() -> None:
    remote = ServerFacts(
        alias="remote", layer="user", file="mcp.toml", line=1, transport="http", status="off", summary="A remote"
    )
    view = servers_view([TIME, GIT, remote], [PROBLEM])
    assert text_of(view) == SERVERS
    assert view.items[0] == Item(row=1, kind="server", alias="time", name="time")
    assert [item.row for item in view.items if item.name == "git"] == [3, 4, 5]
    assert view.filetype == "mcp-servers"


def test_without_servers_the_buffer_says_where_to_define_one() -> None:
    assert servers_view([], config_file="~/mcp.toml").lines == (
        "Servers (0)",
        "  No server is defined in ~/mcp.toml yet.",
        "",
        "  Write one there, for example:",
        "    [servers.time]",
        '    command = "uvx"',
        '    args = ["mcp-server-time"]',
        '    read = ["get_current_time"]   # the tools that run without review',
        "  then R here reads it, and <CR> on its line shows what it offers. See :help mcp-host-definitions.",
    )


def test_a_server_row_is_the_documented_document() -> None:
    assert server_row(TIME) == {
        "alias": "time",
        "layer": "user",
        "file": "~/.config/nvim/mcp.toml",
        "line": 3,
        "transport": "stdio",
        "status": "ready",
        "era": "modern",
        "revision": "2026-07-28",
        "server": {"name": "mcp-time", "version": "1.2.3"},
        "tools": {"enabled": 2, "listed": 3},
        "summary": "Clock and time zones",
    }
    assert server_row(GIT)["problem"] == {
        "type": "server-unavailable",
        "title": "The server git could not be started.",
        "detail": "~/.config/nvim/mcp.toml:9: command\nmcp-server-git: not found",
        "hint": "Install it, then :McpEnable git.",
        "alias": None,
        "tool": None,
        "retryable": False,
        "causes": [],
    }


def test_a_tool_row_is_the_documented_document() -> None:
    assert tool_row("time", parse_tool(NOW), DEFINITION) == {
        "alias": "time",
        "name": "get_current_time",
        "callableName": "time__get_current_time",
        "summary": "Current time",
        "signature": '{"timezone": string}',
        "effect": "read",
    }
    row = tool_row("time", parse_tool(CONVERT), DEFINITION)
    assert (row["summary"], row["effect"]) == ("Convert a time between zones", "host")


def test_hostile_words_of_a_server_stay_words() -> None:
    problem = Problem(type="internal", title=HOSTILE, detail=HOSTILE, hint=HOSTILE)
    facts = ServerFacts(
        alias=HOSTILE,
        layer=HOSTILE,
        file=HOSTILE,
        transport=HOSTILE,
        status=HOSTILE,
        era=HOSTILE,
        revision=HOSTILE,
        server_name=HOSTILE,
        server_version=HOSTILE,
        tools_listed=1,
        summary=HOSTILE,
    )
    assert_safe(servers_view([facts], [problem], config_file=HOSTILE))
    row = server_row(facts)
    json.dumps([row["server"], row["summary"]], ensure_ascii=False).encode()
    tool = parse_tool({"name": "t", "title": HOSTILE, "description": HOSTILE, "inputSchema": {"required": [HOSTILE]}})
    json.dumps(tool_row("a", tool, DEFINITION), ensure_ascii=False).encode()
