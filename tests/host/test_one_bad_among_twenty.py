"""One bad definition among twenty good ones: the twenty run, and what is wrong is said by file, line, key and fix."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import anyio
import pytest

from tests.host.project_support import Opened, ProjectDesk, open_project
from tests.host.support import alive_in, script

pytestmark = pytest.mark.anyio

SECRET = "sk-live-0123456789abcdef"
GOOD = tuple(f"good-{number}" for number in range(20))
PLACE = 10
"""How many good ones stand before the bad one."""


@dataclass(frozen=True, kw_only=True)
class Bad:
    """A bad definition, and what must be said about it."""

    text: str
    line: int
    """Of the fault, from the first line of `text`."""
    key: str
    fix: str
    alias: str = "bad"


KINDS = {
    "a misspelt key": Bad(
        text='[servers.bad]\ncommand = "x"\narg = ["y"]\n',
        line=3,
        key="servers.bad.arg",
        fix="Did you mean `args`?",
    ),
    "a wrong type": Bad(
        text='[servers.bad]\ncommand = "x"\nargs = "--verbose"\n',
        line=3,
        key="servers.bad.args",
        fix='Put it in brackets, as in `["…"]`.',
    ),
    "a wrong type within": Bad(
        text='[servers.bad]\ncommand = "x"\n\nenv = { LEVEL = 3 }\n',
        line=4,
        key="servers.bad.env.LEVEL",
        fix="Put it in quotes.",
    ),
    "a literal secret": Bad(
        text=f'[servers.bad]\ncommand = "x"\n[servers.bad.env]\nAPI_TOKEN = "{SECRET}"\n',
        line=4,
        key="servers.bad.env.API_TOKEN",
        fix='write `"${API_TOKEN}"`',
    ),
    "a literal header": Bad(
        text=f'[servers.bad]\nurl = "https://x.test"\nheaders = {{ Authorization = "Bearer {SECRET}" }}\n',
        line=3,
        key="servers.bad.headers.Authorization",
        fix='write `authorization = { type = "bearer", token = "${NAME}" }`',
    ),
    "an option of the other transport": Bad(
        text='[servers.bad]\nurl = "https://x.test"\ncwd = "/srv"\n',
        line=3,
        key="servers.bad.cwd",
        fix="Remove it: only a server with a command has it.",
    ),
    "two targets": Bad(
        text='[servers.bad]\ncommand = "x"\nurl = "https://x.test"\n',
        line=3,
        key="servers.bad.url",
        fix="Keep `command` for a program to start, or `url` for a server to reach.",
    ),
    "no target": Bad(
        text='[servers.bad]\nsummary = "of nothing"\n',
        line=1,
        key="servers.bad",
        fix="command",
    ),
    "a command line": Bad(
        text='[servers.bad]\ncommand = "npx -y server"\n',
        line=2,
        key="servers.bad.command",
        fix='`command = "npx"` and `args = ["-y",',
    ),
    "a bad alias": Bad(
        text='[servers."My Server"]\ncommand = "x"\n',
        line=1,
        key="My Server",
        fix="[servers.my-server]",
        alias="My Server",
    ),
    "no table": Bad(
        text='[servers]\nbad = "x"\n',
        line=2,
        key="servers.bad",
        fix="[servers.bad]",
    ),
    "a read that is no tool": Bad(
        text='[servers.bad]\ncommand = "x"\ntools = ["a"]\nread = ["a", "b"]\n',
        line=4,
        key="servers.bad.read[1]",
        fix="Add it to tools, or remove it here.",
    ),
}


def among(good: list[str], bad: Bad) -> tuple[str, int]:
    """The text of all, and the line of the fault in it."""
    if bad.text.startswith("[servers]\n"):  # it may stand only before all others
        return bad.text + "".join(good), bad.line
    before = "".join(good[:PLACE])
    return before + bad.text + "".join(good[PLACE:]), before.count("\n") + bad.line


async def said(desk: ProjectDesk, bad: Bad, place: str) -> None:
    """The one problem of the list names the place, the key and the fix, and no value that may be a secret."""
    listed = await desk.document("list")
    (problem,) = listed["problems"]
    assert (problem["type"], problem["alias"]) == ("definition-invalid", bad.alias)
    assert problem["detail"].startswith(f"{place}: ")
    assert bad.key in problem["detail"]
    assert bad.fix in problem["hint"]
    assert problem["hint"].endswith((".", "?"))
    assert SECRET not in json.dumps(listed)
    assert sorted(row["alias"] for row in listed["servers"]) == sorted(GOOD)
    answer = await desk.ask("list")
    assert answer.view is not None
    shown = "\n".join(answer.view().lines)
    assert (place in shown, SECRET in shown) == (True, False)
    refused = await desk.problem("survey", alias=bad.alias)
    assert refused.model_dump(mode="json", exclude_none=True) == problem


async def test_all_twenty_of_a_file_run_and_answer_beside_one_that_is_misspelt(tmp_path: Path) -> None:
    pids = tmp_path / "pids"
    good = [script(alias, "polite", more='read = ["echo"]', env={"MCP_PIDS": str(pids)}) for alias in GOOD]
    bad = KINDS["a misspelt key"]
    text, line = among(good, bad)
    answered: dict[str, Any] = {}
    with anyio.fail_after(60):
        async with open_project(tmp_path, text) as desk:

            async def call(alias: str) -> None:
                document = await desk.document("exec", alias=alias, tool="echo", arguments={"text": alias})
                answered[alias] = json.loads(document["content"][0]["text"])

            async with anyio.create_task_group() as tasks:
                for alias in GOOD:
                    tasks.start_soon(call, alias)
            assert answered == {alias: {"text": alias} for alias in GOOD}
            assert await desk.statuses() == dict.fromkeys(GOOD, "ready")
            assert len(alive_in(pids)) == 20
            await said(desk, bad, f"{desk.file}:{line}")
            tools = await desk.document("tools")
            assert sorted({row["alias"] for row in tools["tools"]}) == sorted(GOOD)
            assert [problem["alias"] for problem in tools["problems"]] == ["bad"]
        assert alive_in(pids) == []


@pytest.mark.parametrize("kind", KINDS)
async def test_whatever_is_wrong_with_one_the_twenty_are_connected_and_it_is_named(tmp_path: Path, kind: str) -> None:
    bad, opened = KINDS[kind], Opened()
    text, line = among([f'[servers.{alias}]\ncommand = "good"\n\n' for alias in GOOD], bad)
    with anyio.fail_after(20):
        async with open_project(tmp_path, text, opened_by=opened) as desk:
            await desk.ask("tools")
            assert sorted(opened.aliases) == sorted(GOOD)
            await said(desk, bad, f"{desk.file}:{line}")


async def test_one_that_turns_bad_while_all_run_disturbs_no_other(tmp_path: Path) -> None:
    opened = Opened()
    good = [f'[servers.{alias}]\ncommand = "good"\n\n' for alias in GOOD]
    with anyio.fail_after(20):
        async with open_project(tmp_path, "".join(good) + '[servers.bad]\ncommand = "x"\n', opened_by=opened) as desk:
            await desk.ask("tools")
            for kind in KINDS.values():
                text, line = among(good, kind)
                desk.define(text)
                assert await desk.statuses() == dict.fromkeys(GOOD, "ready")
                await said(desk, kind, f"{desk.file}:{line}")
            assert sorted(opened.aliases) == sorted((*GOOD, "bad"))


async def test_one_that_cannot_start_is_a_problem_of_its_own_and_the_twenty_answer(tmp_path: Path) -> None:
    opened = Opened()
    good = "".join(f'[servers.{alias}]\ncommand = "good"\n\n' for alias in GOOD)
    with anyio.fail_after(20):
        lacking = '[servers.bad]\ncommand = "x"\nenv = { TOKEN = "${NEVER_SET}" }\n'
        async with open_project(tmp_path, good + lacking, opened_by=opened) as desk:
            tools = await desk.document("tools")
            assert (sorted(opened.aliases), len(tools["problems"])) == (sorted(GOOD), 1)
            problem = tools["problems"][0]
            assert (problem["type"], problem["alias"]) == ("reference-missing", "bad")
            assert problem["detail"].startswith(f"{desk.file}:63: servers.bad.env.TOKEN refers to ${{NEVER_SET}}")
            assert "NEVER_SET" in problem["hint"]
