"""An edit of a file counts without a restart and without a verb: it reconnects what it is about, and nothing else."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import anyio
import pytest

from mcp_host.host.fleet import WATCH_SECONDS
from tests.host.project_support import Opened, ProjectDesk, open_project
from tests.host.support import alive_in, is_alive, pids_in, script

pytestmark = pytest.mark.anyio

SECONDS = 15
COMING = ("starting", "ready")


def noting(folder: Path, alias: str, *args: str, more: str = "", env: Mapping[str, str] | None = None) -> str:
    """A definition whose processes note themselves in `<folder>/<alias>.pids`."""
    variables = {"MCP_PIDS": str(folder / f"{alias}.pids"), **(env or {})}
    return script(alias, "polite", *args, more=more, env=variables)


def alive(folder: Path, *aliases: str) -> dict[str, list[int]]:
    return {alias: alive_in(folder / f"{alias}.pids") for alias in aliases}


async def connect(desk: ProjectDesk, *aliases: str) -> None:
    for alias in aliases:
        await desk.ask("survey", alias=alias)


async def until(told: Callable[[], bool], desk: ProjectDesk) -> None:
    """Some event after which it is so; bounded by the caller."""
    await desk.events.wait_for("McpServerStatus", lambda _: told())


async def looked_at(desk: ProjectDesk, *, unasked: bool) -> None:
    """The files are, at the next list or, where nobody asks for anything, by the watch in its time."""
    if not unasked:
        await desk.ask("list")


def statuses_of(desk: ProjectDesk, alias: str) -> list[object]:
    return [data["status"] for data in desk.events.of("McpServerStatus") if data["alias"] == alias]


async def process(desk: ProjectDesk, alias: str) -> dict[str, Any]:
    """What the server says about its own process."""
    document = await desk.document("exec", alias=alias, tool="process", accept=True)
    return json.loads(document["content"][0]["text"])


# --- labels and policy --------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "edit",
    [
        'read = ["echo"]',
        'tools = ["echo"]',
        'summary = "edited"',
        'tool_summaries = { echo = "edited" }',
        "connect_timeout_seconds = 7\nrequest_timeout_seconds = 8",
        'always_listed = ["echo"]',
        "autostart = true",
        "[servers.one.reconnect]\nmax_attempts = 1",
        '[[servers.one.pairs]]\npreview = "echo"\nexecute = "process"',
        "# only a comment",
        "enabled = true",
    ],
)
async def test_an_edit_of_policy_or_labels_reconnects_nothing(tmp_path: Path, edit: str) -> None:
    opened = Opened()
    with anyio.fail_after(SECONDS):
        async with open_project(tmp_path, '[servers.one]\ncommand = "one"\n', opened_by=opened) as desk:
            await connect(desk, "one")
            before = opened.connections["one"]
            desk.define(f'[servers.one]\ncommand = "one"\n{edit}\n')
            assert await desk.statuses() == {"one": "ready"}
            await connect(desk, "one")
            assert (opened.aliases, opened.connections["one"] is before) == (["one"], True)
            assert statuses_of(desk, "one") == list(COMING)


async def test_all_policy_edited_at_once_leaves_the_process_and_counts_at_the_next_verb(tmp_path: Path) -> None:
    edited = (
        'summary = "edited"\ntools = ["echo", "process"]\nread = ["echo"]\nalways_listed = ["echo"]\n'
        'tool_summaries = { echo = "edited too" }\nrequest_timeout_seconds = 5\n'
    )
    with anyio.fail_after(SECONDS):
        async with open_project(tmp_path, noting(tmp_path, "one")) as desk:
            before = await process(desk, "one")
            desk.define(noting(tmp_path, "one", more=edited))
            assert (await desk.document("exec", alias="one", tool="echo"))["host"]["effect"] == "read"
            rows = (await desk.document("tools", alias="one"))["tools"]
            assert {row["name"]: row["summary"] for row in rows}["echo"] == "edited too"
            assert (await process(desk, "one"))["pid"] == before["pid"]
            assert pids_in(tmp_path / "one.pids") == [before["pid"]]


# --- what a connection is made of ---------------------------------------------------------------------------------


@pytest.mark.parametrize("edit", ["args", "env", "cwd", "command"])
async def test_an_edit_of_what_a_process_is_made_of_reconnects_that_alias_alone(tmp_path: Path, edit: str) -> None:
    (tmp_path / "elsewhere").mkdir()
    first, other = noting(tmp_path, "one"), noting(tmp_path, "two")
    second = {
        "args": noting(tmp_path, "one", "edited"),
        "env": noting(tmp_path, "one", env={"EDITED": "yes"}),
        "cwd": noting(tmp_path, "one", more=f'cwd = "{tmp_path}/elsewhere"'),
        "command": first.replace('command = "', 'command = "/usr/bin/env"\nargs = ["').replace(
            '"\nargs = ["-S"', '", "-S"'
        ),
    }[edit]
    with anyio.fail_after(SECONDS):
        async with open_project(tmp_path, first + other) as desk:
            await connect(desk, "one", "two")
            before = alive(tmp_path, "one", "two")
            desk.define(second + other)
            await looked_at(desk, unasked=edit == "args")
            await until(lambda: statuses_of(desk, "one") == [*COMING, "stopping", "off", *COMING], desk)
            after = alive(tmp_path, "one", "two")
            assert (len(after["one"]), after["one"] != before["one"], after["two"]) == (1, True, before["two"])
            seen = await process(desk, "one")
            assert seen["pid"] == after["one"][0]
            assert {
                "args": seen["arguments"] == ["edited"],
                "env": seen["environment"].get("EDITED") == "yes",
                "cwd": seen["directory"] == f"{tmp_path}/elsewhere",
                "command": True,
            }[edit]


@pytest.mark.parametrize("edit", ["removed", "enabled = false", "broken"])
async def test_a_definition_that_is_gone_ends_its_server(tmp_path: Path, edit: str) -> None:
    other = noting(tmp_path, "two")
    second = {
        "removed": "",
        "enabled = false": noting(tmp_path, "one", more="enabled = false"),
        "broken": noting(tmp_path, "one", more="comand = 1"),
    }[edit]
    with anyio.fail_after(SECONDS):
        async with open_project(tmp_path, noting(tmp_path, "one") + other) as desk:
            await connect(desk, "one", "two")
            before = alive(tmp_path, "one", "two")
            desk.define(second + other)
            await looked_at(desk, unasked=edit == "removed")
            await until(lambda: statuses_of(desk, "one")[-1] == "off", desk)
            assert alive(tmp_path, "one", "two") == {"one": [], "two": before["two"]}
            desk.define(noting(tmp_path, "one") + other)
            assert await desk.statuses() == {"one": "off", "two": "ready"}  # it was not asked for again


async def test_a_file_is_looked_at_before_anybody_has_lost_patience() -> None:
    assert WATCH_SECONDS <= 2


async def test_a_server_that_was_never_needed_is_not_started_by_an_edit(tmp_path: Path) -> None:
    opened = Opened()
    with anyio.fail_after(SECONDS):
        async with open_project(tmp_path, '[servers.one]\ncommand = "one"\n', opened_by=opened) as desk:
            for word in ("two", "three"):
                desk.define(f'[servers.one]\ncommand = "{word}"\n')
                assert await desk.statuses() == {"one": "off"}
            assert opened.aliases == []


async def test_an_edit_to_a_launch_that_lacks_a_reference_stops_the_server_and_says_so(tmp_path: Path) -> None:
    opened = Opened()
    with anyio.fail_after(SECONDS):
        async with open_project(tmp_path, '[servers.one]\ncommand = "one"\n', opened_by=opened) as desk:
            await connect(desk, "one")
            desk.define('[servers.one]\ncommand = "one"\nenv = { TOKEN = "${NEVER_SET}" }\n')
            await looked_at(desk, unasked=False)
            await until(lambda: desk.events.of("McpServerStatus")[-1]["status"] == "off", desk)
            row = (await desk.rows())["one"]
            assert (row["status"], row["problem"]["type"]) == ("off", "reference-missing")
            desk.define('[servers.one]\ncommand = "one"\n')
            row = (await desk.rows())["one"]
            assert (row["status"], "problem" in row, opened.aliases) == ("off", False, ["one"])


async def test_each_changed_set_of_definitions_is_told_once(tmp_path: Path) -> None:
    with anyio.fail_after(SECONDS):
        async with open_project(tmp_path, '[servers.one]\ncommand = "one"\n', opened_by=Opened()) as desk:
            await connect(desk, "one")
            assert desk.events.of("McpDefinitions") == []
            desk.define('[servers.one]\ncommand = "one"\n[servers.two]\ncommand = "two"\n')
            for _ in range(3):
                await desk.ask("list")
            assert desk.events.of("McpDefinitions") == [{"servers": {"one": "ready", "two": "off"}}]


# --- disabled and enabled -----------------------------------------------------------------------------------------


async def test_what_a_person_disabled_stays_so_in_the_next_editor_and_is_enabled_for_all(tmp_path: Path) -> None:
    definitions = noting(tmp_path, "one")
    with anyio.fail_after(SECONDS):
        async with open_project(tmp_path, definitions) as desk:
            await connect(desk, "one")
            (first,) = pids_in(tmp_path / "one.pids")
            await desk.ask("disable", alias="one")
            assert not is_alive(first)
        async with open_project(tmp_path, definitions, work="elsewhere") as desk:
            await connect(desk, "one")
        async with open_project(tmp_path, definitions) as desk:
            assert (await desk.problem("survey", alias="one")).type == "server-disabled"
            assert (await desk.document("tools"))["tools"] == []
            desk.define(definitions + "# edited\n")
            assert (await desk.problem("exec", alias="one", tool="echo")).type == "server-disabled"
            await desk.ask("enable", alias="one")
        async with open_project(tmp_path, definitions) as desk:
            await connect(desk, "one")
        assert (len(pids_in(tmp_path / "one.pids")), alive_in(tmp_path / "one.pids")) == (4, [])


async def test_another_editor_that_disables_a_server_stops_it_here(tmp_path: Path) -> None:
    definitions = '[servers.one]\ncommand = "one"\n'
    with anyio.fail_after(SECONDS):
        async with (
            open_project(tmp_path, definitions, opened_by=Opened()) as here,
            open_project(tmp_path, definitions, opened_by=Opened()) as there,
        ):
            await connect(here, "one")
            await there.ask("disable", alias="one")
            await looked_at(here, unasked=False)
            await until(lambda: here.events.of("McpServerStatus")[-1]["status"] == "off", here)
            assert (await here.problem("survey", alias="one")).type == "server-disabled"


async def test_enabling_does_not_override_what_a_definition_says(tmp_path: Path) -> None:
    opened = Opened()
    text = '[servers.one]\ncommand = "one"\nenabled = false\n'
    with anyio.fail_after(SECONDS):
        async with open_project(tmp_path, text, opened_by=opened) as desk:
            for _ in range(2):
                problem = await desk.problem("enable", alias="one")
                assert (problem.type, problem.exit_code) == ("server-disabled", 4)
                assert problem.detail == f"{desk.file}:3 says enabled = false."
            assert (opened.aliases, await desk.statuses()) == ([], {"one": "off"})


async def test_the_layer_that_says_not_enabled_is_named(tmp_path: Path) -> None:
    with anyio.fail_after(SECONDS):
        variables = {"NVIM_MCP_ENABLED": '["other"]'}
        text = '[servers.one]\ncommand = "one"\n'
        async with open_project(tmp_path, text, environment=variables, opened_by=Opened()) as desk:
            problem = await desk.problem("enable", alias="one")
            assert problem.detail == "the environment variable NVIM_MCP_ENABLED says enabled = false."
