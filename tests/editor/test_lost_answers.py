"""No answer came: the host died or somebody pressed <C-c>. What may have run is never called failed or cancelled."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.editor.conftest import Headless
from tests.editor.looking import DEMO, record, recorded
from tests.editor.neovim import Finished
from tests.editor.talking import Editor
from tests.editor.test_proposals import propose

COUNT = 'demo count_slowly {"to": 1000, "pause_seconds": 0.05}'

EFFECTS = DEMO.replace('"count_slowly", ', "")

WHEN_IT_RUNS = "autocmd User McpCall ++once lua "
KILL_HOST = WHEN_IT_RUNS + "vim.uv.kill(require('mcp_host.rpc').peer().pid, 'sigkill')"
INTERRUPT = WHEN_IT_RUNS + "vim.uv.kill(vim.uv.os_getpid(), 'sigint')"
INTERRUPT_BESIDE_A_HANG = (
    WHEN_IT_RUNS + "require('mcp_host.headless').CANCEL_MS = 100"
    " vim.uv.kill(require('mcp_host.rpc').peer().pid, 'sigstop')"
    " vim.uv.kill(vim.uv.os_getpid(), 'sigint')"
)

CHECK = "Look at what it would have changed before doing it again; this host never repeats it by itself."


def problem_of(finished: Finished) -> dict[str, Any]:
    """The problem on stderr, the last thing there. (0.12 says first which signal it was.)"""
    return json.loads(finished.stderr.splitlines()[-1])


def assert_unknown(problem: dict[str, Any], cause: str) -> None:
    """It says what is not known, how to check, and not to try again."""
    assert problem["type"] == "outcome-unknown"
    assert problem["title"] == "Nobody knows whether demo.count_slowly took effect"
    assert (problem["hint"], problem["retryable"]) == (CHECK, False)
    assert [each["type"] for each in problem["causes"]] == [cause]
    assert "again" not in problem["title"] + problem["detail"]


@pytest.mark.parametrize("commands", [[f"McpExec! {COUNT}"], [f"McpPreview {COUNT}", "McpAccept {receipt}"]])
def test_a_host_that_dies_under_an_accepted_call_leaves_its_outcome_unknown(
    headless: Headless, define: Callable[[str], Path], commands: list[str]
) -> None:
    define(EFFECTS)
    *before, last = commands
    last = last.replace("{receipt}", "' .. next(require('mcp_host.events').snapshot.receipts) .. '")
    finished = headless(KILL_HOST, *before, f"execute luaeval(\"'{last}'\")" if before else last, "qa")
    assert finished.exit_code == 10
    assert_unknown(problem_of(finished), "host-failed")


def test_a_host_that_dies_under_a_read_or_before_it_was_asked_has_failed(
    headless: Headless, define: Callable[[str], Path]
) -> None:
    define(DEMO)
    finished = headless(KILL_HOST, f"McpExec {COUNT}", "qa")
    assert (finished.exit_code, problem_of(finished)["type"]) == (1, "host-failed")
    finished = headless("let g:mcp_host_python = '/bin/false'", f"McpExec! {COUNT}", "qa")
    assert (finished.exit_code, problem_of(finished)["type"]) == (1, "host-failed")


@pytest.mark.parametrize("interrupt", [INTERRUPT, INTERRUPT_BESIDE_A_HANG, INTERRUPT.replace("sigint", "sigterm")])
def test_an_interrupted_effect_ends_with_10_whether_or_not_the_host_still_answers(
    headless: Headless, define: Callable[[str], Path], interrupt: str
) -> None:
    define(EFFECTS)
    finished = headless(interrupt, f"McpExec! {COUNT}", "qa")
    assert (finished.exit_code, finished.stdout) == (10, ""), finished
    assert_unknown(problem_of(finished), "cancelled")


@pytest.mark.parametrize("interrupt", [INTERRUPT, INTERRUPT_BESIDE_A_HANG, INTERRUPT.replace("sigint", "sigterm")])
def test_an_interrupted_read_is_cancelled_and_ends_with_9(
    headless: Headless, define: Callable[[str], Path], interrupt: str
) -> None:
    define(DEMO)
    finished = headless(interrupt, f"McpExec {COUNT}", "qa")
    assert (finished.exit_code, finished.stdout) == (9, ""), finished
    assert problem_of(finished)["type"] == "cancelled"


def test_a_proposal_whose_host_died_says_that_nobody_knows_and_cannot_be_written_again(
    editor: Editor, define: Callable[[str], Path]
) -> None:
    define(EFFECTS)
    record(editor, "McpCall")
    other, _ = propose(editor)
    editor.command("wincmd p")
    buf, _ = propose(editor, f"McpExec {COUNT}")
    editor.wait_until("vim.api.nvim_get_current_buf() == ...", buf)
    before = editor.lines()
    editor.command("write")
    editor.wait_until("#_G.recorded.McpCall == 1")
    editor.lua("vim.uv.kill(require('mcp_host.rpc').peer().pid, 'sigkill')")
    editor.wait_until("vim.fn.search('^outcome-unknown$', 'nw') > 0")
    shown = editor.lines()
    assert shown[0] == "Nobody knows whether demo.count_slowly took effect"
    assert shown[-len(before) :] == before
    for each in (buf, other):
        assert "CLOSED" in editor.lua("return vim.wo[vim.fn.win_findbuf(...)[1]].winbar", each)
    editor.command("write")
    assert "this proposal was decided already; nothing was sent." in editor.messages()
    assert len(recorded(editor, "McpCall")) == 1
    assert editor.lua("return vim.bo.modified") is False
    # Through the Lua API it is the same problem.
    editor.lua(
        """require('mcp_host').call('demo', 'count_slowly', { to = 1000, pause_seconds = 0.05 }, { accept = true },
          function(problem) _G.problem = problem end)"""
    )
    editor.wait_until("#_G.recorded.McpCall == 2", seconds=30)
    editor.lua("vim.uv.kill(require('mcp_host.rpc').peer().pid, 'sigkill')")
    assert_unknown(editor.wait_until("_G.problem"), "host-failed")


def test_a_document_that_cannot_be_read_is_a_problem_and_not_a_callback_lost(editor: Editor) -> None:
    editor.lua(
        """local rpc = require('mcp_host.rpc')
        local id = rpc.request('list', { want = 'document' }, function(reply) _G.reply = reply end)
        rpc.receive({ { reply = id, text = '{"servers": [' }, { reply = id, value = { exit = 0 } } })"""
    )
    reply = editor.lua("return _G.reply")
    assert (reply["exit"], reply["problem"]["type"]) == (1, "internal")
    assert "host.log" in reply["problem"]["detail"]
