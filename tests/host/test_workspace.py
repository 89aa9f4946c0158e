"""The editor goes from folder to folder: another project's file, and another set of disabled servers."""

from __future__ import annotations

from pathlib import Path

import anyio
import pytest

from mcp_host.host.project_file import PROJECT_FILE
from tests.host.project_support import Opened, open_project, write_project

pytestmark = pytest.mark.anyio

USER = '[servers.mine]\ncommand = "mine"\n'
HERE = '[servers.here]\ncommand = "here"\n'
THERE = '[servers.there]\ncommand = "there"\n'


async def test_the_answer_says_which_workspace_it_is_and_where_its_file_would_be(tmp_path: Path) -> None:
    with anyio.fail_after(5):
        async with open_project(tmp_path, opened_by=Opened()) as desk:
            (tmp_path / "there" / "deep").mkdir(parents=True)
            for folder, workspace in (("there/deep", "there/deep"), ("there", "there"), ("gone", "gone")):
                answer = await desk.ask("workspace", cwd=str(tmp_path / folder))
                assert answer.document == {
                    "workspace": {"folder": str(tmp_path / workspace), "file": str(tmp_path / workspace / PROJECT_FILE)}
                }
            write_project(tmp_path / "there", THERE)
            document = await desk.document("workspace", cwd=str(tmp_path / "there" / "deep"))
            assert document["workspace"]["folder"] == str(tmp_path / "there")


async def test_another_folders_file_is_asked_about_and_the_servers_of_the_last_are_stopped(tmp_path: Path) -> None:
    opened = Opened()
    (tmp_path / "there").mkdir()
    file = write_project(tmp_path / "there", THERE)
    with anyio.fail_after(10):
        async with open_project(tmp_path, USER, project=HERE, opened_by=opened) as desk:
            await desk.approve()
            for alias in ("mine", "here"):
                await desk.ask("survey", alias=alias)
            await desk.ask("workspace", cwd=str(tmp_path / "there"))
            assert desk.events.of("McpTrustNeeded")[-1]["file"] == str(file)
            assert desk.events.of("McpDefinitions")[-1]["servers"] == {"mine": "ready"}
            assert await desk.statuses() == {"mine": "ready", "there": "off"}
            assert (await desk.problem("survey", alias="here")).type == "server-unknown"
            assert (await desk.problem("survey", alias="there")).type == "definition-untrusted"
            await desk.approve()
            await desk.ask("survey", alias="there")
            await desk.ask("workspace", cwd=str(desk.work))
            assert (await desk.statuses(), opened.aliases) == (
                {"mine": "ready", "here": "off"},
                ["mine", "here", "there"],
            )
            await desk.ask("survey", alias="here")


async def test_a_folder_within_the_same_workspace_changes_nothing(tmp_path: Path) -> None:
    opened = Opened()
    with anyio.fail_after(10):
        async with open_project(tmp_path, project=HERE, opened_by=opened) as desk:
            await desk.approve()
            await desk.ask("survey", alias="here")
            (desk.work / "below").mkdir()
            await desk.ask("workspace", cwd=str(desk.work / "below"))
            assert (await desk.statuses(), opened.aliases) == ({"here": "ready"}, ["here"])


async def test_what_is_disabled_is_so_in_its_workspace_alone(tmp_path: Path) -> None:
    (tmp_path / "there").mkdir()
    with anyio.fail_after(10):
        async with open_project(tmp_path, USER, opened_by=Opened()) as desk:
            await desk.ask("disable", alias="mine")
            await desk.ask("workspace", cwd=str(tmp_path / "there"))
            await desk.ask("survey", alias="mine")
            assert await desk.statuses() == {"mine": "ready"}
            await desk.ask("workspace", cwd=str(desk.work))
            assert await desk.statuses() == {"mine": "off"}
            problem = await desk.problem("survey", alias="mine")
            assert (problem.type, str(desk.work) in problem.detail) == ("server-disabled", True)
