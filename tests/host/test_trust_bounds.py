"""A yes is to what was shown and to no more: not to another place, not to what somebody adds below it later."""

from __future__ import annotations

from pathlib import Path

import anyio
import pytest

from mcp_host.host.project_file import SERVERS_LIMIT
from tests.host.project_support import Opened, open_project, write_project
from tests.host.support import is_alive, pids_in, script

pytestmark = pytest.mark.anyio

THEIRS = '[servers.forge]\nurl = "https://evil.example.test/mcp"\n'
BEARER = 'authorization = { type = "bearer", token = "${FORGE_TOKEN}" }'
MINE = f'[servers.forge]\nurl = "https://forge.example.test/mcp"\n{BEARER}\n'


async def test_what_the_person_defines_below_an_approved_server_later_asks_again(tmp_path: Path) -> None:
    opened = Opened()
    with anyio.fail_after(10):
        async with open_project(tmp_path, project=THEIRS, environment={"FORGE_TOKEN": "x"}, opened_by=opened) as desk:
            first = await desk.approve()
            await desk.ask("survey", alias="forge")
            desk.define(MINE)
            problem = await desk.problem("survey", alias="forge")
            assert (problem.type, problem.exit_code) == ("definition-untrusted", 2)
            shown = await desk.trust()
            assert (shown["state"], shown["digest"] == first["digest"]) == ("changed", False)
            (added, replaced) = [line for line in shown["changes"] if line.startswith("+")]
            assert added.startswith('+ # authorization = { type = "bearer", token = "${FORGE_TOKEN}" }  (from user ')
            assert replaced.startswith("+ # replaces url (of user ")
            assert (await desk.problem("trust", digest=first["digest"])).type == "definition-conflict"
            assert len(opened.launches) == 1
            desk.define("")
            await desk.ask("survey", alias="forge")


async def test_a_faulty_server_that_a_later_definition_would_complete_asks_again(tmp_path: Path) -> None:
    opened = Opened()
    with anyio.fail_after(10):
        async with open_project(tmp_path, project='[servers.one]\nargs = ["-c", "x"]\n', opened_by=opened) as desk:
            await desk.approve()
            await desk.ask("add", alias="one", target="sh")
            assert (await desk.problem("survey", alias="one")).type == "definition-untrusted"
            assert opened.launches == []


async def test_what_is_defined_elsewhere_does_not_concern_an_approved_file(tmp_path: Path) -> None:
    with anyio.fail_after(10):
        async with open_project(tmp_path, project=THEIRS, opened_by=Opened()) as desk:
            await desk.approve()
            desk.define('[servers.other]\ncommand = "other"\n')
            await desk.ask("survey", alias="forge")


async def test_the_same_bytes_in_another_project_are_another_text(tmp_path: Path) -> None:
    other = tmp_path / "other"
    other.mkdir()
    write_project(other, THEIRS)
    with anyio.fail_after(10):
        async with open_project(tmp_path, project=THEIRS, opened_by=Opened()) as desk:
            shown = await desk.trust()
            await desk.ask("workspace", cwd=str(other))
            assert (await desk.problem("trust", digest=shown["digest"])).type == "definition-conflict"
            assert (await desk.trust())["state"] == "untrusted"


async def test_a_server_of_a_project_runs_in_its_folder_wherever_the_editor_is(tmp_path: Path) -> None:
    opened = Opened()
    project = '[servers.one]\ncommand = "one"\n[servers.shared]\nsummary = "Ours"\n'
    with anyio.fail_after(10):
        async with open_project(
            tmp_path, '[servers.shared]\ncommand = "x"\n', project=project, opened_by=opened
        ) as desk:
            await desk.approve()
            clone = desk.work / "clone"
            (clone / ".git").mkdir(parents=True)
            await desk.ask("workspace", cwd=str(clone))
            folders = {}
            for alias in ("one", "shared"):
                await desk.ask("survey", alias=alias)
                launch = opened.launches[-1][1]
                assert launch.transport == "stdio"
                folders[alias] = launch.cwd
            assert folders == {"one": str(desk.work), "shared": str(clone)}


async def test_a_project_file_below_brings_back_nothing_that_was_disabled(tmp_path: Path) -> None:
    with anyio.fail_after(10):
        async with open_project(tmp_path, '[servers.mine]\ncommand = "x"\n', opened_by=Opened()) as desk:
            (desk.work / ".git").mkdir()
            await desk.ask("disable", alias="mine")
            below = desk.work / "below"
            below.mkdir()
            write_project(below, "")
            await desk.ask("workspace", cwd=str(below))
            assert (await desk.problem("survey", alias="mine")).type == "server-disabled"


async def test_bytes_that_are_no_text_make_it_unreadable_as_a_whole(tmp_path: Path) -> None:
    with anyio.fail_after(10):
        async with open_project(tmp_path, project=THEIRS, opened_by=Opened()) as desk:
            await desk.approve()
            await desk.ask("survey", alias="forge")
            desk.project.write_bytes(THEIRS.encode() + b'summary = "Caf\xe9"\n')
            assert (await desk.problem("survey", alias="forge")).type == "definition-unparsable"
            shown = await desk.trust()
            assert (shown["servers"], shown["problems"][0]["detail"]) == (
                [],
                f"{desk.project}:3: a byte here belongs to no character",
            )
            assert (await desk.problem("trust", digest=shown["digest"])).type == "definition-unparsable"


async def test_nothing_is_written_through_a_link_that_leads_out_of_the_project(tmp_path: Path) -> None:
    outside = tmp_path / "outside" / "settings.toml"
    with anyio.fail_after(10):
        async with open_project(tmp_path, opened_by=Opened()) as desk:
            desk.project.parent.mkdir()
            desk.project.symlink_to(outside)
            problem = await desk.problem("add", alias="one", target="x", layer="project")
            assert (problem.type, outside.parent.exists()) == ("definition-conflict", False)
            outside.parent.mkdir()
            outside.write_text("[mine]\n")
            problem = await desk.problem("add", alias="one", target="x", layer="project")
            assert (problem.type, outside.read_text()) == ("definition-conflict", "[mine]\n")
            (desk.work / "inside.toml").touch()
            desk.project.unlink()
            desk.project.symlink_to(desk.work / "inside.toml")
            await desk.ask("add", alias="one", target="x", layer="project")
            assert (desk.work / "inside.toml").read_text().startswith("[servers.one]")


async def test_a_file_of_more_servers_than_anybody_reviews_is_not_read(tmp_path: Path) -> None:
    many = "".join(f'[servers.s{number}]\ncommand = "x"\n' for number in range(SERVERS_LIMIT + 1))
    with anyio.fail_after(10):
        async with open_project(tmp_path, project=many, opened_by=Opened()) as desk:
            assert (await desk.layers())["project"] == "unreadable"
            assert f"more than {SERVERS_LIMIT} servers" in (await desk.trust())["problems"][0]["detail"]


async def test_a_number_of_any_length_is_shown_and_faulty(tmp_path: Path) -> None:
    project = f'[servers.one]\ncommand = "x"\nconnect_timeout_seconds = 0x{"f" * 5000}\n'
    with anyio.fail_after(10):
        async with open_project(tmp_path, project=project, opened_by=Opened()) as desk:
            shown = await desk.trust()
            assert shown["servers"][0]["problem"]["type"] == "definition-invalid"


async def test_a_running_server_of_a_file_that_is_no_text_any_more_is_stopped(tmp_path: Path) -> None:
    pids = tmp_path / "pids"
    project = script("one", "polite", env={"MCP_PIDS": str(pids)})
    with anyio.fail_after(15):
        async with open_project(tmp_path, project=project) as desk:
            await desk.approve()
            await desk.ask("survey", alias="one")
            (pid,) = pids_in(pids)
            desk.project.write_bytes(b"\xff")
            await desk.ask("list")
            assert not is_alive(pid)
