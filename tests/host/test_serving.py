"""The verbs about servers: what each one's document says of the demo server."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import anyio
import pytest

from mcp_host import __version__
from mcp_host.core.catalog.catalog import Era
from tests.host.support import ERAS, demo, demo_in_memory, open_desk, script

pytestmark = pytest.mark.anyio

REVISIONS = {"modern": "2026-07-28", "legacy": "2025-11-25"}
READS = 'tools = ["note_read", "fail"]\nread = ["note_read"]\nsummary = "Notes"'


def off_row(file: Path) -> dict[str, Any]:
    return {
        "alias": "demo",
        "layer": "user",
        "file": str(file),
        "line": 1,
        "transport": "stdio",
        "status": "off",
        "enabled": True,
        "era": None,
        "revision": None,
        "server": {"name": None, "version": None},
        "tools": {"enabled": None, "listed": None},
        "summary": "Notes",
        "hides": [],
    }


def ready_row(file: Path, era: Era) -> dict[str, Any]:
    return off_row(file) | {
        "status": "ready",
        "era": era,
        "revision": REVISIONS[era],
        "server": {"name": "mcp-host-demo", "version": __version__},
        "tools": {"enabled": 2, "listed": 12},
    }


NOTE_READ = {
    "alias": "demo",
    "name": "note_read",
    "callableName": "demo__note_read",
    "summary": "Read a note",
    "signature": '{"id": string}',
    "effect": "read",
}


@pytest.mark.parametrize("era", ERAS)
async def test_a_list_connects_nothing_and_shows_what_is_connected(tmp_path: Path, era: Era) -> None:
    with anyio.fail_after(5):
        async with open_desk(tmp_path, demo(more=READS), demo_in_memory(era)) as desk:
            before = await desk.document("list")
            assert (before["servers"], before["problems"]) == ([off_row(desk.file)], [])
            layers = [(one["layer"], one["state"], one["servers"]) for one in before["layers"]]
            assert layers == [("environment", "absent", 0), ("user", "read", 1), ("project", "absent", 0)]
            assert await desk.document("enable", alias="demo") == {"server": ready_row(desk.file, era)}
            assert await desk.document("list") == {**before, "servers": [ready_row(desk.file, era)]}
            assert await desk.document("disable", alias="demo") == {"server": off_row(desk.file) | {"enabled": False}}


async def test_a_list_names_what_is_wrong_with_the_file_by_its_line(tmp_path: Path) -> None:
    with anyio.fail_after(5):
        async with open_desk(tmp_path, '[servers.two]\ncomand = "x"\n', demo_in_memory()) as desk:
            answer = await desk.ask("list")
            assert answer.document["servers"] == []
            (problem,) = (await desk.document("list"))["problems"]
            assert (problem["type"], problem["alias"]) == ("definition-invalid", "two")
            assert f"{desk.file}:2" in problem["detail"]
            assert answer.view is not None
            assert any("Problems (1)" in line for line in answer.view().lines)


async def test_tools_say_why_there_are_none_while_the_file_does_not_parse(tmp_path: Path) -> None:
    with anyio.fail_after(5):
        async with open_desk(tmp_path, "[servers.two", demo_in_memory()) as desk:
            tools = await desk.document("tools")
            assert tools["tools"] == []
            assert [problem["type"] for problem in tools["problems"]] == ["definition-unparsable"]


@pytest.mark.parametrize("era", ERAS)
async def test_tools_are_the_enabled_ones_with_both_names(tmp_path: Path, era: Era) -> None:
    with anyio.fail_after(5):
        async with open_desk(tmp_path, demo(more=READS), demo_in_memory(era)) as desk:
            named, everywhere = await desk.document("tools", alias="demo"), await desk.document("tools")
            assert named == everywhere
            assert named["problems"] == []
            rows = {row["name"]: row for row in named["tools"]}
            assert list(rows) == ["note_read", "fail"]
            assert rows["note_read"] == NOTE_READ
            assert (rows["fail"]["effect"], rows["fail"]["callableName"]) == ("host", "demo__fail")


@pytest.mark.parametrize("era", ERAS)
async def test_a_survey_holds_everything_that_is_offered(tmp_path: Path, era: Era) -> None:
    with anyio.fail_after(5):
        async with open_desk(tmp_path, demo(more=READS), demo_in_memory(era)) as desk:
            answer = await desk.ask("survey", alias="demo")
            document = dict(answer.document)
            tools = (await desk.document("tools"))["tools"]
            about = ["demo://about", *(f"note://note-{number}" for number in range(1, 5))]
            entries = ("resources", "resourceTemplates", "prompts")
            assert {name: value for name, value in document.items() if name not in entries} == {
                "server": ready_row(desk.file, era),
                "orientation": "Notes",
                "tools": tools,
                "dropped": [],
                "warnings": [],
                "host": {"alias": "demo", "generation": 1},
            }
            survey = await desk.document("survey", alias="demo")
            assert [resource["uri"] for resource in survey["resources"]] == about
            assert [template["uriTemplate"] for template in survey["resourceTemplates"]] == ["note://{id}"]
            assert [prompt["name"] for prompt in survey["prompts"]] == ["summarize_note"]
            assert answer.view is not None
            assert answer.view().lines[0] == f"demo · ready · {era} {REVISIONS[era]} · mcp-host-demo {__version__}"


@pytest.mark.parametrize("era", ERAS)
async def test_a_card_is_the_tool_as_the_server_defined_it(tmp_path: Path, era: Era) -> None:
    with anyio.fail_after(5):
        async with open_desk(tmp_path, demo(more=READS), demo_in_memory(era)) as desk:
            card = await desk.document("card", alias="demo", tool="note_read")
            rows = {row["name"]: row for row in (await desk.document("tools"))["tools"]}
            row = {name: value for name, value in rows["note_read"].items() if name != "name"}
            returns = '{"id": string, "title": string, "text": string, "tags"?: [string], "written": string}'
            assert card["host"] == {**row, "tool": "note_read", "outputSignature": returns}
            assert sorted(card) == ["host", "tool"]
            assert card["tool"]["title"] == "Read a note"
            assert card["tool"]["inputSchema"]["required"] == ["id"]


@pytest.mark.parametrize(
    ("verb", "params", "said"),
    [
        (
            "card",
            {"alias": "demo", "tool": "note_raed"},
            ("tool-unknown", "Close to it: note_read, note_add, note_append."),
        ),
        ("exec", {"alias": "demo", "tool": "xyzzy"}, ("tool-unknown", "It lists 12 tools.")),
        ("card", {"alias": "demo", "tool": "note_add"}, ("tool-disabled", "")),
        ("preview", {"alias": "demo", "tool": "note_add"}, ("tool-disabled", "")),
        ("survey", {"alias": "dmeo"}, ("server-unknown", "")),
        ("disable", {"alias": "dmeo"}, ("server-unknown", "")),
    ],
)
async def test_what_is_not_there_is_told_with_what_is(
    tmp_path: Path, verb: str, params: dict[str, Any], said: tuple[str, str]
) -> None:
    with anyio.fail_after(5):
        async with open_desk(tmp_path, demo(more=READS), demo_in_memory()) as desk:
            found = await desk.problem(verb, **params)
            assert (found.type, found.detail[: len(said[1])]) == said


async def test_tools_of_all_servers_name_those_that_could_not_be_connected(tmp_path: Path) -> None:
    absent = '[servers.absent]\ncommand = "no-such-program-anywhere"\n'
    with anyio.fail_after(10):
        async with open_desk(tmp_path, script("one", "polite") + absent) as desk:
            tools = await desk.document("tools")
            assert [(row["alias"], row["name"]) for row in tools["tools"]] == [("one", "echo"), ("one", "process")]
            assert [(one["alias"], one["type"]) for one in tools["problems"]] == [("absent", "server-unavailable")]
            assert (await desk.problem("tools", alias="absent")).type == "server-unavailable"


async def test_malformed_entries_are_dropped_by_name_and_the_others_are_there(tmp_path: Path) -> None:
    with anyio.fail_after(10):
        async with open_desk(tmp_path, script("odd", "bad_entries", "malformed")) as desk:
            survey = await desk.document("survey", alias="odd")
            assert [row["name"] for row in survey["tools"]] == ["echo", "good"]
            assert {one["kind"] for one in survey["dropped"]} == {"tool", "resource", "template", "prompt"}
            assert sys.executable not in str(survey["dropped"])


async def test_a_reference_that_is_not_set_shows_in_the_list_once_it_was_missed(tmp_path: Path) -> None:
    definitions = '[servers.unset]\ncommand = "true"\nargs = ["${NOWHERE_TO_BE_FOUND}"]\n'
    with anyio.fail_after(5):
        async with open_desk(tmp_path, definitions) as desk:
            (row,) = (await desk.document("list"))["servers"]
            assert "problem" not in row
            assert (await desk.problem("enable", alias="unset")).type == "reference-missing"
            (row,) = (await desk.document("list"))["servers"]
            assert (row["status"], row["problem"]["type"]) == ("off", "reference-missing")
