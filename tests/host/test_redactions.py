"""Resolved references: known to the server that was told them, and seen by nobody else."""

from __future__ import annotations

import json
import logging
from pathlib import Path
from typing import cast

import anyio
import pytest

from mcp_host.core.redaction import MARK
from mcp_host.host.redactions import Redactions
from mcp_host.problems import Problem
from tests.host.support import Desk, open_desk, script

pytestmark = pytest.mark.anyio

SECRET = "hunter2-marked-secret"
OTHER = "another-marked-secret"


def definition(reference: str = "MARKED", *, more: str = "", script_name: str = "tells") -> str:
    return script("one", script_name, env={"TOKEN": f"${{{reference}}}"}, more=more)


@pytest.fixture(autouse=True)
def _secrets(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MARKED", SECRET)
    monkeypatch.setenv("OTHER_MARKED", OTHER)


def assert_nowhere(desk: Desk, *shown: object) -> None:
    """Neither secret is in what was shown, told, written to a file, or in a repr."""
    texts = [repr(desk.events.told), repr(vars(desk.host)), *map(repr, shown)]
    for folder in (desk.state, desk.logs):
        texts += [file.read_text(errors="replace") for file in folder.rglob("*") if file.is_file()]
    for text in texts:
        assert SECRET not in text
        assert OTHER not in text


async def test_a_result_does_not_show_what_the_server_was_told(tmp_path: Path) -> None:
    with anyio.fail_after(10):
        async with open_desk(tmp_path, definition(script_name="polite", more='read = ["process"]')) as desk:
            answer = await desk.ask("exec", alias="one", tool="process")
            content = cast("list[dict[str, str]]", answer.document["content"])
            assert json.loads(content[0]["text"])["environment"]["TOKEN"] == MARK
            assert answer.view is not None
            assert_nowhere(desk, answer.document, answer.view().lines)


@pytest.mark.parametrize("verb", ["refuse", "fault", "progress"])
async def test_a_refusal_a_fault_and_progress_do_not_show_it(tmp_path: Path, verb: str) -> None:
    with anyio.fail_after(10):
        async with open_desk(tmp_path, definition(more=f'read = ["{verb}"]')) as desk:
            if verb == "refuse":
                problem = await desk.problem("exec", alias="one", tool=verb)
                assert problem.detail == f"Error -32001: {MARK} is refused"
                assert_nowhere(desk, problem)
                return
            answer = await desk.ask("exec", alias="one", tool=verb)
            assert MARK in json.dumps(answer.document)
            assert_nowhere(desk, answer.document)
            if verb == "progress":
                assert desk.events.of("McpProgress")[0]["message"] == MARK


async def test_what_is_offered_does_not_show_it_and_can_be_called_all_the_same(tmp_path: Path) -> None:
    with anyio.fail_after(10):
        async with open_desk(tmp_path, definition()) as desk:
            survey = await desk.ask("survey", alias="one")
            card = await desk.ask("card", alias="one", tool="fault")
            proposal = await desk.ask("preview", alias="one", tool="fault")
            assert survey.document["orientation"] == f"Signed in as {MARK}"
            views = [answer.view().lines for answer in (survey, card, proposal) if answer.view is not None]
            documents = [answer.document for answer in (survey, card, proposal)]
            tools = await desk.document("tools")
            assert MARK in tools["tools"][0]["summary"]
            assert_nowhere(desk, views, documents, tools, await desk.document("list"))
            assert (await desk.ask("accept")).exit == 5


async def test_last_words_and_the_log_do_not_show_it(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    with anyio.fail_after(10), caplog.at_level(logging.DEBUG, logger="mcp_host"):
        async with open_desk(tmp_path, definition(more='read = ["die"]')) as desk:
            problem = await desk.problem("exec", alias="one", tool="die")
            assert f"dying with {MARK}" in problem.detail
            await desk.events.wait_for("McpServerStatus", lambda data: data["status"] == "waiting")
            listed = await desk.document("list")
            assert_nowhere(desk, problem, listed, caplog.text)
            assert MARK in (desk.logs / "servers" / "one.log").read_text()


async def test_a_refused_connection_does_not_show_it_in_any_document(tmp_path: Path) -> None:
    with anyio.fail_after(10):
        text = definition().replace("tells.py", 'tells.py", "unwelcoming')
        async with open_desk(tmp_path, text) as desk:
            problem = await desk.problem("enable", alias="one")
            listed, tools = await desk.document("list"), await desk.document("tools")
            assert MARK in problem.detail
            assert MARK in listed["servers"][0]["problem"]["detail"]
            assert MARK in tools["problems"][0]["detail"]
            assert_nowhere(desk, problem, listed, tools)


async def test_a_preview_that_was_refused_does_not_show_it(tmp_path: Path) -> None:
    pairs = '[[servers.one.pairs]]\npreview = "fault"\nexecute = "progress"\n'
    with anyio.fail_after(10):
        async with open_desk(tmp_path, definition(more=pairs)) as desk:
            problem = await desk.problem("preview", alias="one", tool="progress")
            assert (problem.type, problem.detail) == ("request-refused", f"{MARK} at fault")
            assert_nowhere(desk, problem)


async def test_what_was_told_before_an_edit_stays_hidden_after_it(tmp_path: Path) -> None:
    with anyio.fail_after(10):
        async with open_desk(tmp_path, definition(script_name="polite", more='read = ["process"]')) as desk:
            first = await desk.document("exec", alias="one", tool="process")
            desk.define(definition("OTHER_MARKED", script_name="polite", more='read = ["process"]'))
            second = await desk.document("exec", alias="one", tool="process")
            desk.define(script("one", "polite"))
            await desk.ask("survey", alias="one")
            again = await desk.ask("result", call="c1")
            assert again.document["content"] == first["content"]
            assert_nowhere(desk, first, second, again.document)


def test_a_repr_holds_no_secret() -> None:
    redactions = Redactions()
    redactions.learn("one", frozenset({SECRET}))
    assert repr(redactions) == "Redactions()"


def test_a_problem_is_redacted_with_its_causes_and_only_for_its_own_server() -> None:
    redactions = Redactions()
    redactions.learn("one", frozenset({SECRET}))
    cause = Problem(type="cancelled", title=SECRET, detail=SECRET, hint=SECRET, alias="one", tool=SECRET)
    problem = cause.model_copy(update={"causes": (cause,)})
    hidden = Problem(type="cancelled", title=MARK, detail=MARK, hint=MARK, alias="one", tool=MARK)
    assert redactions.problem(problem) == hidden.model_copy(update={"causes": (hidden,)})
    elsewhere = cause.model_copy(update={"alias": "two"})
    assert redactions.problem(elsewhere) == elsewhere
