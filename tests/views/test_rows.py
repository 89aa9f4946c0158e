"""Servers and tools as rows."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest

from mcp_host.core.catalog.entries import parse_tool
from mcp_host.core.definitions.layers import Hidden
from mcp_host.core.definitions.models import StdioDefinition
from mcp_host.problems import Problem
from mcp_host.views.layers import LayerFacts
from mcp_host.views.rows import RetryFacts, ServerFacts, server_row, servers_view, tool_row, tool_summary
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
    assert [item.row for item in view.items if item.name == "git"] == [3, 4, 5, 6, 7, 8]
    assert view.filetype == "mcp-servers"


@pytest.mark.parametrize(
    ("attempt", "words"),
    [
        (3, "    attempt 3 of 10 to get it back at 14:03:07"),
        (11, "    given up after 10 attempts; tried again at 14:03:07, and at the next use"),
    ],
)
def test_a_server_that_is_tried_again_says_when(attempt: int, words: str) -> None:
    facts = replace(TIME, retry=RetryFacts(attempt=attempt, most=10, in_seconds=4.2504, at="14:03:07"))
    assert servers_view([facts]).lines[3] == words
    assert server_row(facts)["retry"] == {"attempt": attempt, "of": 10, "inSeconds": 4.25}


def test_a_server_that_waits_for_a_yes_says_only_that() -> None:
    problem = Problem(type="definition-untrusted", title="waits", detail="detail", hint="hint")
    shown = servers_view([replace(GIT, problem=problem)]).lines
    assert [line.strip() for line in shown[2:]] == ["stdio · user ~/.config/nvim/mcp.toml", "! waits for :McpTrust"]


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
        "enabled": True,
        "era": "modern",
        "revision": "2026-07-28",
        "server": {"name": "mcp-time", "version": "1.2.3"},
        "tools": {"enabled": 2, "listed": 3},
        "summary": "Clock and time zones",
        "hides": [],
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


def test_what_a_server_hides_is_said_below_it_and_in_its_row() -> None:
    hides = (
        Hidden(layer="environment", file="the environment", line=None, fields=("url",)),
        Hidden(layer="user", file="~/mcp.toml\ud800", line=3, fields=("command", "args")),
    )
    facts = replace(TIME, layer="project", file=".nvim/mcp.toml", hides=hides)
    view = servers_view([facts])
    assert view.lines[2:] == (
        "    mcp-time 1.2.3 · stdio · project .nvim/mcp.toml:3",
        "    hides the environment (url)",
        "    hides user ~/mcp.toml<U+D800>:3 (command, args)",
    )
    assert [item.row for item in view.items] == [1, 2, 3, 4]
    assert server_row(facts)["hides"] == [
        {"layer": "environment", "file": "the environment", "line": None, "fields": ["url"]},
        {"layer": "user", "file": "~/mcp.toml\ufffd", "line": 3, "fields": ["command", "args"]},
    ]


def test_a_project_file_that_waits_for_trust_is_one_line_on_top() -> None:
    layers = (
        LayerFacts(layer="user", file="~/mcp.toml", state="read", servers=1),
        LayerFacts(layer="project", file="/app/.nvim/mcp.toml", state="untrusted"),
    )
    view = servers_view([TIME], layers=layers)
    assert view.lines[:3] == (
        "! /app/.nvim/mcp.toml waits for your yes: :McpTrust shows it. Until then nothing in it counts.",
        "",
        "Servers (1)",
    )
    assert view.items[0] == Item(row=0, kind="layer", alias="", name="project")
    assert servers_view([TIME], layers=layers[:1]) == servers_view([TIME])


def test_an_authored_summary_is_found_by_the_tools_name_or_by_its_folded_name() -> None:
    tool = parse_tool({**NOW, "name": "Get-Time.now"})
    for key in ("Get-Time.now", "get_time_now"):
        assert tool_summary(tool, StdioDefinition(command="x", tool_summaries={key: "Ours"})) == "Ours"
    both = {"get_time_now": "Folded", "Get-Time.now": "Exact"}
    assert tool_summary(tool, StdioDefinition(command="x", tool_summaries=both)) == "Exact"
    assert tool_summary(tool, StdioDefinition(command="x", tool_summaries={"get-time.now": "No"})) == "Current time"


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
        hides=(Hidden(layer="user", file=HOSTILE, line=1, fields=(HOSTILE,)),),
        problem=problem,
    )
    layer = LayerFacts(layer=HOSTILE, file=HOSTILE, state="untrusted")
    assert_safe(servers_view([facts], [problem], config_file=HOSTILE, layers=(layer,)))
    row = server_row(facts)
    json.dumps([row["server"], row["summary"], row["hides"]], ensure_ascii=False).encode()
    tool = parse_tool({"name": "t", "title": HOSTILE, "description": HOSTILE, "inputSchema": {"required": [HOSTILE]}})
    json.dumps(tool_row("a", tool, DEFINITION), ensure_ascii=False).encode()
