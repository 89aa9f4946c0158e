"""Proposals in an editor with a person: what runs them, what does not, and what becomes of them."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.editor.looking import (
    CONNECT_SECONDS,
    DEMO,
    call,
    go_to,
    page,
    page_options,
    record,
    recorded,
    script,
    text_of,
    wait_for_filled,
    windows_of,
)
from tests.editor.talking import Editor

ADD = 'McpExec demo note_add {"title": "Swans", "text": "They are | cross.\\n% # `and` \\"loud\\""}'


def propose(editor: Editor, command: str = ADD, *, look_ms: float = 0) -> tuple[int, str]:
    """Give a command that needs a review; the new proposal's buffer and receipt.

    Args:
        look_ms: How long it must have been looked at before a `:write` counts.
    """
    editor.lua("require('mcp_host.proposal').LOOK_MS = ...", look_ms)
    known = set(editor.lua("return vim.tbl_keys(require('mcp_host.events').snapshot.receipts)"))
    editor.command(command)
    receipt: str = editor.wait_until(
        """(function(known)
          for receipt in pairs(require('mcp_host.events').snapshot.receipts) do
            if not vim.tbl_contains(known, receipt) then return receipt end
          end
        end)(...)""",
        sorted(known),
        seconds=CONNECT_SECONDS,
    )
    return wait_for_filled(editor, f"mcp://proposal/{receipt}"), receipt


def state_of(editor: Editor, receipt: str) -> str:
    """What the review queue says of a receipt."""
    editor.lua("require('mcp_host').open('mcp://proposals')")
    editor.wait_until("vim.fn.search(..., 'nw') > 0", receipt)
    (line,) = [line for line in editor.lines() if receipt in line]
    return line.split()[1]


def wait_for_state(editor: Editor, receipt: str, state: str) -> None:
    """Until the editor was told that the receipt is in this state."""
    editor.wait_until(f"require('mcp_host.events').snapshot.receipts[...] == '{state}'", receipt)


def count_notes(editor: Editor) -> int:
    """How many notes the demo server has."""
    return call(editor, "demo", "note_list", {})["structuredContent"]["total"]


def in_window(editor: Editor, win: int, command: str) -> None:
    """Run an Ex command in a window without going there."""
    editor.lua("local win, command = ... vim.api.nvim_win_call(win, function() vim.cmd(command) end)", win, command)


def test_a_proposal_is_entered_and_its_write_runs_it_exactly_once(
    editor: Editor, define: Callable[[str], Path]
) -> None:
    define(DEMO)
    record(editor, "McpCall", "McpProposal", "McpReceipt")
    buf, receipt = propose(editor)
    editor.wait_until("vim.api.nvim_get_current_buf() == ...", buf)
    assert recorded(editor, "McpProposal") == [{"receipt": receipt, "alias": "demo", "tool": "note_add"}]
    assert page_options(editor, buf) == page(bufhidden="wipe")
    assert editor.lua("return { vim.bo.buftype, vim.bo.filetype, vim.bo.modified }") == [
        "acwrite",
        "mcp-proposal",
        False,
    ]
    shown = editor.lines()
    assert shown[0] == "Proposal · demo.note_add"
    assert r'    "text": "They are | cross.\n% # `and` \"loud\"",' in shown
    assert any("PROPOSAL :write runs this once" in row for row in editor.screen())
    assert recorded(editor, "McpCall") == []

    editor.command("split")
    pair = windows_of(editor, buf)
    assert len(pair) == 2
    editor.lua("vim.cmd.write() vim.cmd.write()")  # the second comes before any answer
    assert "this proposal was decided already; nothing was sent." in editor.messages()
    result = wait_for_filled(editor, "mcp://result/")
    assert sorted(windows_of(editor, result)) == sorted(pair), "the result stands where the proposal stood"
    assert text_of(editor, result)[0].startswith("✓ demo.note_add · host")
    assert not any("PROPOSAL" in row or "EXECUTING" in row for row in editor.screen())
    assert not editor.lua("return vim.api.nvim_buf_is_valid(...)", buf)
    with pytest.raises(Exception, match="E382"):
        editor.command("write")
    assert [data["state"] for data in recorded(editor, "McpReceipt")] == ["executing", "succeeded"]

    editor.command(f"McpAccept {receipt}")
    editor.wait_until("vim.fn.getline(1):find('replayed', 1, true)")
    assert [data["state"] for data in recorded(editor, "McpCall")] == ["started", "succeeded"]
    assert count_notes(editor) == 5


def test_no_other_way_to_write_or_leave_a_proposal_runs_it(
    editor: Editor, define: Callable[[str], Path], workspace: Path
) -> None:
    define(DEMO)
    record(editor, "McpReceipt")
    editor.command(f"cd {workspace}")
    mine = workspace / "mine.txt"
    mine.write_text("mine\n")
    editor.command(f"edit {mine}")
    buf, receipt = propose(editor)
    shown = text_of(editor, buf)
    editor.command("write other.txt")
    assert (workspace / "other.txt").read_text() == "".join(f"{line}\n" for line in shown)
    assert "a copy was saved. Nothing was executed." in editor.messages()
    with pytest.raises(Exception, match="E13"):
        editor.command("write other.txt")
    editor.command("write! other.txt")
    editor.command("wall")
    editor.lua("vim.bo[...].buflisted = true", buf)
    (win,) = windows_of(editor, buf)
    editor.command("split")  # keeps the proposal, however far :bufdo goes
    editor.command("bufdo update")
    editor.command("set autowriteall")
    editor.command(f"buffer {mine}")
    editor.command("set noautowriteall")
    assert editor.lua("return { ... }", buf) == [buf]
    assert windows_of(editor, buf) == [win]
    assert recorded(editor, "McpReceipt") == [], "it is still pending"

    # Every way to leave it discards it.
    in_window(editor, win, "quit")
    wait_for_state(editor, receipt, "rejected")
    assert not editor.lua("return vim.api.nvim_buf_is_valid(...)", buf)
    left = [receipt]
    for leave in ("bdelete", "enew", "xit", "close", f"edit {mine}"):
        buf, receipt = propose(editor)
        (win,) = windows_of(editor, buf)
        in_window(editor, win, leave)
        wait_for_state(editor, receipt, "rejected")
        left.append(receipt)
    assert [state_of(editor, receipt) for receipt in left] == ["rejected"] * 6
    assert count_notes(editor) == 4

    # :wq is a :write: its window stays for the result.
    editor.command("only")
    editor.command(f"edit {mine}")
    buf, receipt = propose(editor)
    editor.wait_until("vim.api.nvim_get_current_buf() == ...", buf)
    here = editor.lua("return vim.api.nvim_get_current_win()")
    editor.command("wq")
    result = wait_for_filled(editor, "mcp://result/")
    assert windows_of(editor, result) == [here]
    wait_for_state(editor, receipt, "succeeded")
    assert count_notes(editor) == 5


def test_accept_and_reject_need_no_receipt_where_one_waits(editor: Editor, define: Callable[[str], Path]) -> None:
    define(DEMO)
    first, first_receipt = propose(editor)
    editor.command("wincmd p")
    second, second_receipt = propose(editor)
    editor.command("wincmd p")
    editor.command("McpAccept")
    editor.wait_until("vim.fn.execute('messages'):find('Several proposals are pending', 1, true)")
    assert {first_receipt, second_receipt} == set(editor.lua("return vim.fn.getcompletion('McpAccept ', 'cmdline')"))
    editor.command(f"McpReject {first_receipt}")
    wait_for_state(editor, first_receipt, "rejected")
    (closed,) = windows_of(editor, first)
    assert "CLOSED" in editor.lua("return vim.wo[...].winbar", closed)
    in_window(editor, closed, "write")
    assert "this proposal was decided already; nothing was sent." in editor.messages()

    (place,) = windows_of(editor, second)
    editor.command("McpAccept")
    result = wait_for_filled(editor, "mcp://result/")
    assert windows_of(editor, result) == [place]
    wait_for_state(editor, second_receipt, "succeeded")
    third, third_receipt = propose(editor)
    (place,) = windows_of(editor, third)
    editor.command("McpReject")
    wait_for_state(editor, third_receipt, "rejected")
    assert count_notes(editor) == 5

    # Accepted by a script, a proposal that is still shown says that it is over.
    fourth, fourth_receipt = propose(editor)
    (place,) = windows_of(editor, fourth)
    editor.lua("require('mcp_host').accept(..., function(_, value) _G.accepted = value end)", fourth_receipt)
    assert editor.wait_until("_G.accepted")["host"]["outcome"] == "succeeded"
    assert "CLOSED" in editor.lua("return vim.wo[...].winbar", place)


def test_a_stale_proposal_says_why_above_its_text_and_stays_readable(
    editor: Editor, define: Callable[[str], Path]
) -> None:
    define(DEMO)
    record(editor, "McpCall")
    buf, receipt = propose(editor)
    editor.wait_until("vim.api.nvim_get_current_buf() == ...", buf)
    before = editor.lines()
    define(DEMO + "request_timeout_seconds = 50\n")
    editor.command("write")
    wait_for_state(editor, receipt, "stale")
    editor.wait_until("vim.bo.modified == false and vim.fn.getline(1) ~= ...", before[0])
    shown = editor.lines()
    assert shown[-len(before) :] == before
    assert "receipt-stale" in shown[: -len(before)]
    assert any("definition" in line for line in shown[: -len(before)])
    assert editor.lua("return { vim.bo.modifiable, vim.bo.modified, vim.api.nvim_win_get_cursor(0) }") == [
        *(False, False, [1, 0]),
    ]
    assert any("CLOSED" in row for row in editor.screen())
    editor.command("write")
    assert "this proposal was decided already; nothing was sent." in editor.messages()
    assert recorded(editor, "McpCall") == []

    # The lines still stand for what they stood for, further down.
    go_to(editor, "^  Tool ")
    editor.press("K")
    editor.wait_until("vim.bo.filetype == 'mcp-tool'")
    assert editor.lines()[0] == "demo · note_add"
    editor.press("q")
    editor.wait_until("vim.bo.filetype == 'mcp-proposal'")
    # Read again it is the plain text of the receipt.
    editor.command("edit")
    editor.wait_until("vim.fn.getline(1) == ...", before[0])
    editor.wait_until("vim.fn.getline(2):find('stale', 1, true)")
    assert len(editor.lines()) == len(before)
    assert state_of(editor, receipt) == "stale"


def test_a_server_that_dies_in_mid_call_leaves_an_unknown_outcome_and_no_second_try(
    editor: Editor, define: Callable[[str], Path]
) -> None:
    define(script("crash", "crash_in_call.py"))
    record(editor, "McpCall")
    buf, receipt = propose(editor, "McpExec crash crash")
    editor.wait_until("vim.api.nvim_get_current_buf() == ...", buf)
    before = editor.lines()
    editor.command("write")
    wait_for_state(editor, receipt, "unknown")
    editor.wait_until("vim.fn.search('^outcome-unknown$', 'nw') > 0")
    assert editor.lines()[-len(before) :] == before
    editor.command("write")
    editor.command("edit")
    editor.wait_until("vim.fn.getline(2):find('unknown', 1, true)")
    assert [data["state"] for data in recorded(editor, "McpCall")] == ["started", "unknown"]
    assert state_of(editor, receipt) == "unknown"


def test_a_proposal_whose_server_is_away_can_be_written_again_when_it_is_back(
    editor: Editor, define: Callable[[str], Path]
) -> None:
    define(DEMO)
    buf, receipt = propose(editor)
    editor.wait_until("vim.api.nvim_get_current_buf() == ...", buf)
    before = editor.lines()
    editor.command("McpDisable demo")
    editor.wait_until("require('mcp_host.events').snapshot.servers.demo == 'off'")
    for _ in range(2):  # the second problem stands in the place of the first
        editor.lua("vim.api.nvim_buf_clear_namespace(0, -1, 0, -1)")
        editor.command("write")
        editor.wait_until("#vim.api.nvim_buf_get_extmarks(0, -1, 0, -1, {}) > 0")
        shown = editor.lines()
        assert "McpEnable demo" in "\n".join(shown[: -len(before)])
        assert shown[-len(before) :] == before
        assert shown.count(shown[0]) == 1
    assert any("PROPOSAL :write runs this once" in row for row in editor.screen())
    editor.command("edit")
    editor.wait_until("vim.fn.getline(1) == ...", before[0])
    editor.wait_until("require('mcp_host.review').objection(...) == nil", buf)
    editor.command("write")
    editor.wait_until("vim.fn.getline(1) ~= ...", before[0])
    assert editor.lines()[-len(before) :] == before, "the text that was read again is whole"
    editor.command("McpEnable demo")
    editor.wait_until("require('mcp_host.events').snapshot.servers.demo == 'ready'", seconds=CONNECT_SECONDS)
    editor.command("write")
    wait_for_state(editor, receipt, "succeeded")
    assert count_notes(editor) == 5
