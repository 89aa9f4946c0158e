"""A candidate is a block that says exactly what would be written and what has to be done besides."""

from __future__ import annotations

import json
from dataclasses import replace

from mcp_host.core.definitions.toml_text import server_toml
from mcp_host.core.importing.candidates import Candidate, NeededSecret
from mcp_host.problems import Problem
from mcp_host.views.candidates import CandidateFacts, candidates_document, candidates_view
from mcp_host.views.view import Item
from tests.views.samples import HOSTILE, assert_safe, text_of

SOURCE = "/home/me/app/.mcp.json"

GITHUB_TABLE: dict[str, object] = {
    "command": "npx",
    "args": ["-y", "@modelcontextprotocol/server-github"],
    "env": {"GITHUB_TOKEN": "${GITHUB_TOKEN}"},
}

GITHUB = CandidateFacts(
    id="1",
    candidate=Candidate(
        alias="github",
        table=GITHUB_TABLE,
        client="Claude Code",
        origin=f"{SOURCE}:3",
        notes=("It is called GitHub there.", "disabled is left out: `:McpEnable` connects it."),
        secrets=(
            NeededSecret(
                reference="GITHUB_TOKEN",
                place=f"{SOURCE}:7",
                line='export GITHUB_TOKEN="…"  # the value is in .mcp.json:7',
            ),
        ),
    ),
    toml=server_toml("github", GITHUB_TABLE),
)

DOCS = CandidateFacts(
    id="2",
    candidate=Candidate(
        alias="docs", table={"url": "https://mcp.example.com/mcp"}, client="Claude Code", origin=f"{SOURCE}:12"
    ),
    toml=server_toml("docs", {"url": "https://mcp.example.com/mcp"}),
    is_defined=True,
    identity="docs-server 1.2, modern 2026-07-28",
    tools=(("search", "Search the docs"), ("fetch_page", "fetch_page")),
)

OLD = CandidateFacts(
    id="3",
    candidate=Candidate(
        alias="old",
        table={},
        client="Claude Code",
        origin=f"{SOURCE}:20",
        faults=(".mcp.json:21: command must be one executable",),
    ),
    toml="",
)

TIME = CandidateFacts(
    id="4",
    candidate=Candidate(alias="time", table={"command": "uvx"}, client="the command line", origin="the command line"),
    toml=server_toml("time", {"command": "uvx"}),
    problem=Problem(type="server-unavailable", title="It did not answer.", detail="uvx: not found", hint="Install it."),
)

CANDIDATES = """\
Candidates (4) · /home/me/app/.mcp.json
<CR> on one adds it to your own mcp.toml, as shown · q leaves them
It was tried out once and let go of. Nothing is enabled or kept.

1 github · Claude Code · /home/me/app/.mcp.json:3
    [servers.github]
    command = "npx"
    args = ["-y", "@modelcontextprotocol/server-github"]
    env = { GITHUB_TOKEN = "${GITHUB_TOKEN}" }
  Set this variable where Neovim is started, else it cannot connect:
    export GITHUB_TOKEN="…"  # the value is in .mcp.json:7
  · It is called GitHub there.
  · disabled is left out: `:McpEnable` connects it.

2 docs · Claude Code · /home/me/app/.mcp.json:12
  ! docs is defined already and stays as it is. :McpRemove docs makes room.
    [servers.docs]
    url = "https://mcp.example.com/mcp"
  ✓ answered: docs-server 1.2, modern 2026-07-28 · 2 tools
    search      Search the docs
    fetch_page

3 old · Claude Code · /home/me/app/.mcp.json:20
  ! cannot be added as it is: .mcp.json:21: command must be one executable

4 time · the command line
    [servers.time]
    command = "uvx"
  ! It did not answer.
    uvx: not found
    → Install it."""


def test_each_candidate_is_a_block_with_everything_about_it() -> None:
    view = candidates_view("d-1", SOURCE, [GITHUB, DOCS, OLD, TIME])
    assert text_of(view) == CANDIDATES
    assert_safe(view)
    assert (view.filetype, view.title) == ("mcp-candidates", f"candidates · {SOURCE}")


def test_every_line_of_a_block_stands_for_its_candidate() -> None:
    view = candidates_view("d-1", SOURCE, [GITHUB, DOCS, OLD, TIME])
    rows = [row for row, line in enumerate(view.lines) if row > 3 and line]
    assert [item.row for item in view.items] == rows
    assert view.items[0] == Item(row=4, kind="candidate", alias="github", name="1")
    assert {item.name for item in view.items} == {"1", "2", "3", "4"}


def test_a_source_without_servers_says_so_and_why() -> None:
    problem = Problem(type="definition-unparsable", title="It is not JSON", detail="3:1", hint="Mend it.")
    assert candidates_view("d", "x.json", [], [problem]).lines == (
        "Candidates (0) · x.json",
        "! It is not JSON",
        "  3:1",
        "  → Mend it.",
        "  There is no server in it that could be added.",
    )


def test_what_would_be_written_is_shown_whole_and_with_what_is_invisible_in_it() -> None:
    table: dict[str, object] = {"command": "x", "args": ["a" * 20_000, "\u202e"]}
    view = candidates_view("d", SOURCE, [replace(TIME, toml=server_toml("time", table), problem=None)])
    assert_safe(view)
    assert "  ! holds invisible characters: U+202E" in view.lines
    shown = "".join(line[4:] for line in view.lines if "aaa" in line)
    assert shown.startswith(f'args = ["{"a" * 20_000}"')


def test_a_server_with_many_tools_shows_some_and_counts_the_rest() -> None:
    tools = tuple((f"tool_{number}", "s" * 500) for number in range(500))
    lines = candidates_view("d", SOURCE, [replace(DOCS, tools=tools)]).lines
    assert len(lines) == 22
    assert lines[-1] == "    … and 488 more"


def test_the_document_is_the_documented_one() -> None:
    problem = Problem(type="usage", title="t", detail="d", hint="h")
    document = candidates_document("d-1", SOURCE, [GITHUB, DOCS, TIME], [problem])
    assert (document["discovery"], document["source"]) == ("d-1", SOURCE)
    assert document["problems"] == [problem.model_dump(mode="json", exclude_none=True)]
    github: dict[str, object] = {
        "id": "1",
        "alias": "github",
        "client": "Claude Code",
        "origin": f"{SOURCE}:3",
        "toml": GITHUB.toml,
        "table": GITHUB_TABLE,
        "notes": list(GITHUB.candidate.notes),
        "secrets": [
            {
                "reference": "GITHUB_TOKEN",
                "place": f"{SOURCE}:7",
                "line": 'export GITHUB_TOKEN="…"  # the value is in .mcp.json:7',
            }
        ],
        "faults": [],
        "isDefined": False,
        "isAdded": False,
    }
    docs: dict[str, object] = {
        "id": "2",
        "alias": "docs",
        "client": "Claude Code",
        "origin": f"{SOURCE}:12",
        "toml": DOCS.toml,
        "table": {"url": "https://mcp.example.com/mcp"},
        "notes": [],
        "secrets": [],
        "faults": [],
        "isDefined": True,
        "isAdded": False,
        "identity": "docs-server 1.2, modern 2026-07-28",
        "tools": [
            {"name": "search", "summary": "Search the docs"},
            {"name": "fetch_page", "summary": "fetch_page"},
        ],
    }
    assert TIME.problem is not None
    time: dict[str, object] = {
        "id": "4",
        "alias": "time",
        "client": "the command line",
        "origin": "the command line",
        "toml": TIME.toml,
        "table": {"command": "uvx"},
        "notes": [],
        "secrets": [],
        "faults": [],
        "isDefined": False,
        "isAdded": False,
        "problem": TIME.problem.model_dump(mode="json", exclude_none=True),
    }
    assert document["candidates"] == [github, docs, time]


def test_hostile_words_everywhere_stay_words() -> None:
    problem = Problem(type="internal", title=HOSTILE, detail=HOSTILE, hint=HOSTILE)
    candidate = Candidate(
        alias=HOSTILE,
        table={HOSTILE: HOSTILE},
        client=HOSTILE,
        origin=HOSTILE,
        notes=(HOSTILE,),
        secrets=(NeededSecret(reference=HOSTILE, place=HOSTILE, line=HOSTILE),),
        faults=(HOSTILE,),
    )
    facts = CandidateFacts(
        id=HOSTILE,
        candidate=candidate,
        toml=HOSTILE,
        is_defined=True,
        identity=HOSTILE,
        tools=((HOSTILE, HOSTILE),),
        problem=problem,
    )
    assert_safe(candidates_view(HOSTILE, HOSTILE, [facts], [problem]))
    document = candidates_document(HOSTILE, HOSTILE, [facts])
    json.dumps([document["source"], document["candidates"]], ensure_ascii=False)


def test_what_the_persons_own_file_has_as_shown_is_marked_as_added() -> None:
    shown = candidates_view("d1", SOURCE, [replace(GITHUB, is_defined=True, is_added=True)]).lines
    assert "Nothing was started, stored or enabled." in shown
    assert "  ✓ added: your own mcp.toml has it, as shown" in shown
    assert not any("stays as it is" in line for line in shown)
