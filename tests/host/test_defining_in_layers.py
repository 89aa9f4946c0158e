"""Adding to a project's file, which may wait for a yes, and removing, which may bring a lower layer back."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import anyio
import pytest

from mcp_host.core.definitions.launch import StdioLaunch
from mcp_host.host.atomic_files import locked
from mcp_host.problems import ProblemError
from tests.host.project_support import Opened, ProjectDesk, open_project

pytestmark = pytest.mark.anyio

USER = '# the user\'s\n[servers.one]\ncommand = "user"\n\n[servers.two]\ncommand = "two"   # kept\n'
PROJECT = '# the project\'s\n[servers.one]\ncommand = "project"   # kept\n'
VARIABLES = {"NVIM_MCP_ONE": "environment", "NVIM_MCP_THREE": "three"}


async def project_state(desk: ProjectDesk) -> str:
    return (await desk.trust())["state"]


def commands(opened: Opened) -> list[str]:
    launches = [launch for _, launch in opened.launches]
    return [launch.command for launch in launches if isinstance(launch, StdioLaunch)]


# --- adding to the project's file ---------------------------------------------------------------------------------


async def test_a_project_file_that_somebody_begins_by_a_command_is_approved_with_it(tmp_path: Path) -> None:
    opened = Opened()
    with anyio.fail_after(10):
        async with open_project(tmp_path, opened_by=opened) as desk:
            (desk.work / ".git").mkdir()
            (desk.work / "below").mkdir()
            await desk.ask("workspace", cwd=str(desk.work / "below"))
            document = await desk.document("add", alias="new", target="new", layer="project")
            added, row = document["added"], document["server"]
            assert (added["file"], added["line"], added["waits"]) == (str(desk.project), 1, False)
            assert (row["layer"], row["status"], "problem" in row) == ("project", "off", False)
            assert desk.project.read_text() == '[servers.new]\ncommand = "new"\n'
            assert (await project_state(desk), desk.events.of("McpTrustNeeded")) == ("trusted", [])
            await desk.ask("survey", alias="new")
        async with open_project(tmp_path, opened_by=opened) as desk:
            await desk.ask("survey", alias="new")
            assert commands(opened) == ["new", "new"]


async def test_what_is_added_to_an_approved_file_is_approved_with_it_and_disturbs_nobody(tmp_path: Path) -> None:
    opened, seen = Opened(), set[tuple[str, str]]()
    with anyio.fail_after(20):
        async with open_project(tmp_path, project=PROJECT, opened_by=opened) as desk:
            await desk.approve()
            await desk.ask("survey", alias="one")

            async def look_on() -> None:
                while True:
                    row = (await desk.rows())["one"]
                    seen.add((row["status"], row.get("problem", {}).get("type", "")))
                    await anyio.lowlevel.checkpoint()

            async with anyio.create_task_group() as tasks:
                tasks.start_soon(look_on)
                for number in range(5):
                    added = await desk.document("add", alias=f"new-{number}", target="new", layer="project")
                    assert added["added"]["waits"] is False
                    await desk.ask("remove", alias=f"new-{number}")
                tasks.cancel_scope.cancel()
            assert (seen, opened.aliases) == ({("ready", "")}, ["one"])
            assert (desk.project.read_text(), await project_state(desk)) == (PROJECT, "trusted")
            assert len(desk.events.of("McpTrustNeeded")) == 1  # before it was approved


async def test_two_who_add_at_once_are_both_there_and_approved(tmp_path: Path) -> None:
    with anyio.fail_after(10):
        async with open_project(tmp_path, project=PROJECT, opened_by=Opened()) as desk:
            await desk.approve()

            async def add(alias: str) -> None:
                await desk.ask("add", alias=alias, target="new", layer="project")

            async with anyio.create_task_group() as tasks:
                for alias in ("a", "b", "c"):
                    tasks.start_soon(add, alias)
            assert (sorted(await desk.rows()), await project_state(desk)) == (["a", "b", "c", "one"], "trusted")


@pytest.mark.parametrize("state", ["untrusted", "changed", "ignored"])
async def test_what_is_added_to_a_file_without_a_yes_waits_with_it(tmp_path: Path, state: str) -> None:
    opened = Opened()
    with anyio.fail_after(10):
        async with open_project(tmp_path, USER, project=PROJECT, opened_by=opened) as desk:
            if state == "changed":
                await desk.approve()
                desk.define_project(PROJECT + "# edited\n")
            if state == "ignored":
                await desk.ask("untrust")
            before = desk.project.read_text()
            document = await desk.document("add", alias="new", target="new", layer="project")
            assert (document["added"]["waits"], await project_state(desk)) == (True, state)
            assert desk.project.read_text() == before + '\n[servers.new]\ncommand = "new"\n'
            row = document["server"]
            assert (row and row["problem"]["type"]) == (None if state == "ignored" else "definition-untrusted")
            problem = await desk.problem("survey", alias="new")
            assert problem.type == ("server-unknown" if state == "ignored" else "definition-untrusted")
            removed = (await desk.document("remove", alias="new", layer="project"))["removed"]
            assert (removed["waits"], desk.project.read_text(), opened.aliases) == (True, before, [])
            assert await project_state(desk) == state


@pytest.mark.parametrize("verb", ["add", "remove"])
async def test_a_strangers_change_meanwhile_is_a_conflict_and_is_not_approved(tmp_path: Path, verb: str) -> None:
    evil = PROJECT.replace('"project"', '"evil"')
    params = {"alias": "new", "target": "new"} if verb == "add" else {"alias": "one"}
    with anyio.fail_after(10):
        async with open_project(tmp_path, project=PROJECT, opened_by=Opened()) as desk:
            await desk.approve()
            refused: list[str] = []

            async def change() -> None:
                refused.append((await desk.problem(verb, layer="project", **params)).type)

            async with anyio.create_task_group() as tasks:
                with locked(desk.project, desk.state / "locks"):
                    (turn,) = (desk.state / "locks").glob("*.turn")
                    turn.unlink()
                    tasks.start_soon(change)
                    while not turn.exists():  # a file tells nobody that it was made
                        await anyio.lowlevel.checkpoint()
                    desk.define_project(evil)
            assert (refused, desk.project.read_text()) == (["definition-conflict"], evil)
            assert await project_state(desk) == "changed"
            assert (await desk.problem("survey", alias="one")).type == "definition-untrusted"


async def test_where_the_yes_cannot_be_kept_what_was_added_waits(tmp_path: Path) -> None:
    with anyio.fail_after(10):
        async with open_project(tmp_path, opened_by=Opened()) as desk:
            desk.state.mkdir(exist_ok=True)
            (desk.state / "trust").write_text("in the way")
            problem = await desk.problem("add", alias="new", target="new", layer="project")
            assert (problem.type, await project_state(desk)) == ("host-failed", "untrusted")


# --- removing -----------------------------------------------------------------------------------------------------


async def test_each_removal_is_from_the_nearest_layer_and_says_what_counts_then(tmp_path: Path) -> None:
    opened = Opened()
    with anyio.fail_after(10):
        async with open_project(tmp_path, USER, project=PROJECT, environment=VARIABLES, opened_by=opened) as desk:
            await desk.approve()
            await desk.ask("add", alias="one", target="session", layer="session")
            told: list[tuple[Any, ...]] = []
            for _ in range(3):
                document = await desk.document("remove", alias="one")
                removed, inherited = document["removed"], document["inherited"]
                told.append((removed["layer"], removed["file"], removed["line"], inherited["layer"], inherited["line"]))
                assert inherited == (await desk.rows())["one"]
            assert told == [
                ("session", None, None, "project", 2),
                ("project", str(desk.project), 2, "user", 2),
                ("user", str(desk.file), 2, "environment", None),
            ]
            assert desk.file.read_text() == '# the user\'s\n\n[servers.two]\ncommand = "two"   # kept\n'
            assert desk.project.read_text() == "# the project's\n"
            await desk.ask("survey", alias="one")
            assert commands(opened) == ["environment"]


async def test_what_the_environment_defines_is_not_removed_but_named(tmp_path: Path) -> None:
    with anyio.fail_after(5):
        async with open_project(tmp_path, USER, environment=VARIABLES, opened_by=Opened()) as desk:
            problem = await desk.problem("remove", alias="three")
            assert (problem.type, problem.exit_code) == ("definition-conflict", 2)
            assert problem.detail == "the environment variable NVIM_MCP_THREE defines it; no file does."
            assert desk.file.read_text() == USER


@pytest.mark.parametrize("layer", [None, "user", "project", "session"])
async def test_what_is_not_there_cannot_be_removed(tmp_path: Path, layer: str | None) -> None:
    with anyio.fail_after(5):
        async with open_project(tmp_path, USER, project=PROJECT, opened_by=Opened()) as desk:
            await desk.approve()
            problem = await desk.problem("remove", alias="four", layer=layer)
            assert (problem.type, problem.exit_code) == ("server-unknown", 3)
            assert (desk.file.read_text(), desk.project.read_text()) == (USER, PROJECT)
            assert await project_state(desk) == "trusted"


async def test_a_file_that_waits_is_no_layer_to_remove_from_unless_it_is_named(tmp_path: Path) -> None:
    with anyio.fail_after(5):
        async with open_project(tmp_path, USER, project=PROJECT, opened_by=Opened()) as desk:
            document = await desk.document("remove", alias="one")
            assert (document["removed"]["layer"], desk.project.read_text()) == ("user", PROJECT)
            assert document["inherited"]["problem"]["type"] == "definition-untrusted"


async def test_a_removed_server_is_stopped_and_an_uncovered_one_is_connected_instead(tmp_path: Path) -> None:
    opened = Opened()
    with anyio.fail_after(10):
        async with open_project(tmp_path, USER, project=PROJECT, opened_by=opened) as desk:
            await desk.approve()
            for alias in ("one", "two"):
                await desk.ask("survey", alias=alias)
            assert (await desk.document("remove", alias="two"))["inherited"] is None
            assert await desk.statuses() == {"one": "ready"}
            await desk.ask("remove", alias="one")
            await desk.events.wait_for("McpServerStatus", lambda data: commands(opened)[-1] == "user")
            await desk.ask("survey", alias="one")
            assert commands(opened) == ["project", "two", "user"]


async def test_what_was_removed_can_be_added_again(tmp_path: Path) -> None:
    with anyio.fail_after(10):
        async with open_project(tmp_path, USER, opened_by=Opened()) as desk:
            for _ in range(3):
                await desk.ask("remove", alias="two")
                with pytest.raises(ProblemError):
                    await desk.ask("survey", alias="two")
                await desk.ask("add", alias="two", target="two")
            assert desk.file.read_text() == USER.replace("   # kept", "")
