"""What a person can find servers by, what is remembered of it, and how it is found again."""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import anyio
import pytest

from mcp_host.host.discovering import DISCOVERIES_KEPT, Discovering
from mcp_host.host.params import DiscoveryParams
from mcp_host.problems import Problem
from tests.host.probing_support import SECRET, command_line, discover, discovered, everything, only, open_place
from tests.host.support import Memory, pids_in, problem_of

pytestmark = pytest.mark.anyio


@pytest.mark.parametrize("target", ["ftp://example.com", "https://", "TOKEN=x"])
async def test_what_cannot_be_a_server_is_shown_with_why_and_not_tried(tmp_path: Path, target: str) -> None:
    with anyio.fail_after(5):
        async with open_place(tmp_path, opened_by=Memory(servers={})) as place:
            answer = await discover(place.discovering(), target)
            assert (bool(only(answer.document)["faults"]), answer.exit) == (True, 2)


async def test_a_bad_quotation_is_a_problem_that_quotes_nothing(tmp_path: Path) -> None:
    with anyio.fail_after(5):
        async with open_place(tmp_path) as place:
            problem = await problem_of(lambda: discover(place.discovering(), f"server --token '{SECRET}"))
            assert problem.type == "usage"
            assert SECRET not in problem.model_dump_json()


CLAUDE = {"mcpServers": {"notes": {"command": "notes", "env": {"NOTES_TOKEN": SECRET}}, "time": {"command": "uvx"}}}


@pytest.mark.parametrize(
    "written", [".mcp.json", "./.mcp.json", "~/../work/.mcp.json", "'.mcp.json'", "{work}/.mcp.json"]
)
async def test_a_file_of_another_client_is_read_and_nothing_is_started(tmp_path: Path, written: str) -> None:
    with anyio.fail_after(5):
        async with open_place(tmp_path, opened_by=Memory(servers={})) as place:
            file = place.work / ".mcp.json"
            file.write_text(json.dumps(CLAUDE))
            answer = await discover(place.discovering(), written.format(work=place.work))
            document = answer.document
            assert (document["source"], answer.exit) == (str(file), 0)
            found: Any = document["candidates"]
            assert [one["id"] for one in found] == [f"{document['discovery']}.{number}" for number in (1, 2)]
            assert found[0]["toml"] == (
                '[servers.notes]\ncommand = "notes"\nenv = { NOTES_TOKEN = "${NOTES_TOKEN}" }\n'
            )
            assert "tools" not in found[0]
            assert SECRET not in everything(answer)


async def test_a_file_that_is_not_there_is_no_program_to_start(tmp_path: Path) -> None:
    with anyio.fail_after(5):
        async with open_place(tmp_path, opened_by=Memory(servers={})) as place:
            problem = await problem_of(lambda: discover(place.discovering(), "~/absent.json"))
            assert (problem.type, problem.title) == ("usage", "There is no file ~/absent.json")


async def test_a_file_without_servers_says_why_and_fails_for_scripts(tmp_path: Path) -> None:
    with anyio.fail_after(5):
        async with open_place(tmp_path) as place:
            (place.work / "x.json").write_text("{")
            answer = await discover(place.discovering(), "x.json")
            problems: Any = answer.document["problems"]
            assert [problem["type"] for problem in problems] == ["definition-unparsable"]
            assert answer.exit == 2


async def test_without_a_target_the_files_of_all_clients_are_read(tmp_path: Path) -> None:
    with anyio.fail_after(10):
        async with open_place(tmp_path) as place:
            (place.work / ".mcp.json").write_text(json.dumps(CLAUDE))
            (place.work / ".vscode").mkdir()
            (place.work / ".vscode" / "mcp.json").write_text('{"servers": {"git": {"command": "git-mcp"}}} // end')
            (place.home / ".claude.json").write_text(
                '{"numStartups": 1, "mcpServers": {"web": {"url": "https://w.test"}}}'
            )
            (place.work / "below").mkdir()
            (place.work / ".git").mkdir()
            place.fleet.definitions.project.folder = place.work / "below"
            document = await discovered(place, None)
            found: Any = document["candidates"]
            assert [one["alias"] for one in found] == ["notes", "time", "git", "web"]
            assert document["problems"] == []
            assert found[3]["origin"] == f"{place.home}/.claude.json:1"


async def test_without_any_file_it_says_where_it_looked(tmp_path: Path) -> None:
    with anyio.fail_after(10):
        async with open_place(tmp_path) as place:
            answer = await discover(place.discovering(), "  ")
            problems: Any = answer.document["problems"]
            assert (problems[0]["type"], answer.exit) == ("candidate-unknown", 3)
            assert str(place.work / ".mcp.json") in problems[0]["detail"]


async def test_what_was_found_is_shown_again_as_it_stands_now_without_another_probe(tmp_path: Path) -> None:
    pids = tmp_path / "pids"
    with anyio.fail_after(10):
        async with open_place(tmp_path) as place:
            discovering = place.discovering()
            first = await discover(discovering, command_line("polite", MCP_PIDS=str(pids)))
            started = len(pids_in(pids))
            assert only(first.document)["isDefined"] is False
            place.define('[servers.polite]\ncommand = "polite"\n')
            again = await discovering.candidates(DiscoveryParams(discovery=str(first.document["discovery"])))
            assert only(again.document) == {**only(first.document), "isDefined": True}
            assert len(pids_in(pids)) == started


async def test_a_candidate_is_found_by_its_id_and_only_by_that(tmp_path: Path) -> None:
    with anyio.fail_after(10):
        async with open_place(tmp_path) as place:
            (place.work / ".mcp.json").write_text(json.dumps(CLAUDE))
            discovering = place.discovering()
            one = str((await discover(discovering, ".mcp.json")).document["discovery"])
            assert discovering.candidate(f"{one}.2").alias == "time"
            for unknown in ("", one, *(f"{one}.{rest}" for rest in ("", "0", "3", "02", "2.1")), "d2.1", "1.2"):
                problem = await problem_of(_asking(discovering, unknown))
                assert problem.type == "candidate-unknown"


async def test_only_the_last_discoveries_are_remembered_and_no_number_comes_back(tmp_path: Path) -> None:
    with anyio.fail_after(10):
        async with open_place(tmp_path) as place:
            (place.work / ".mcp.json").write_text(json.dumps(CLAUDE))
            discovering = place.discovering()
            made = [
                str((await discover(discovering, ".mcp.json")).document["discovery"])
                for _ in range(DISCOVERIES_KEPT + 2)
            ]
            assert len(set(made)) == len(made)
            problem: Problem = await problem_of(lambda: discovering.candidates(DiscoveryParams(discovery=made[1])))
            assert problem.type == "candidate-unknown"
            assert discovering.candidate(f"{made[2]}.1").alias == "notes"
            assert discovering.candidate(f"{made[-1]}.1").alias == "notes"


def _asking(discovering: Discovering, candidate: str) -> Callable[[], Awaitable[None]]:
    async def ask() -> None:
        discovering.candidate(candidate)

    return ask
