"""A `:write` runs a proposal only where its text was there to be read: whole, unchanged and for a moment."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.editor.looking import CONNECT_SECONDS, DEMO, record, recorded, wait_for_filled, windows_of
from tests.editor.talking import Editor
from tests.editor.test_proposals import ADD, count_notes, propose, wait_for_state

FOR_EVER = 1e9

ONLY_JUST = "only just shown: look, then :write again. Nothing was sent."
CHANGED = "this text was changed: :edit! shows what runs. Nothing sent."


def look(editor: Editor, look_ms: float) -> None:
    """Set how long a proposal must have been looked at."""
    editor.lua("require('mcp_host.proposal').LOOK_MS = ...", look_ms)


def wait_for_message(editor: Editor, text: str) -> None:
    """Until the line was said; forgets the messages then."""
    editor.wait_until("vim.fn.execute('messages'):find(..., 1, true)", text)
    editor.command("messages clear")


def test_a_write_typed_ahead_for_ones_own_file_does_not_run_what_came_under_it(
    editor: Editor, define: Callable[[str], Path], workspace: Path
) -> None:
    define(DEMO)
    record(editor, "McpCall", "McpReceipt")
    assert editor.lua("return require('mcp_host.proposal').LOOK_MS") == 700
    look(editor, FOR_EVER)
    mine = workspace / "mine.txt"
    editor.command(f"edit {mine}")
    editor.press(":" + ADD.replace("<", "<lt>") + "<CR>")
    buf = wait_for_filled(editor, "mcp://proposal/")
    editor.wait_until("vim.api.nvim_get_current_buf() == ...", buf)
    for keys in (":w<CR>", ":wq<CR>", "<Plug>(McpProposalAccept)"):
        if keys.startswith("<Plug>"):
            editor.lua("vim.api.nvim_feedkeys(vim.keycode('<Plug>(McpProposalAccept)'), 'm', false)")
        else:
            editor.press(keys)
        wait_for_message(editor, ONLY_JUST)
        assert windows_of(editor, buf) == [editor.lua("return vim.api.nvim_get_current_win()")], "it is not discarded"
        editor.wait_until("not vim.bo.modified")
    assert (recorded(editor, "McpCall"), recorded(editor, "McpReceipt")) == ([], [])

    # Whoever comes back to it looks anew; :McpAccept names what it means and needs no look.
    look(editor, 0)
    editor.command("wincmd p")
    look(editor, FOR_EVER)
    editor.command("wincmd p")
    editor.command("write")
    wait_for_message(editor, ONLY_JUST)
    look(editor, 0)
    editor.command("write")
    wait_for_filled(editor, "mcp://result/")
    assert count_notes(editor) == 5
    _, receipt = propose(editor, look_ms=FOR_EVER)
    editor.command(f"McpAccept {receipt}")
    wait_for_state(editor, receipt, "succeeded")
    assert count_notes(editor) == 6


def test_a_proposal_that_was_not_entered_is_not_run_by_a_write_from_elsewhere(
    editor: Editor, define: Callable[[str], Path]
) -> None:
    define(DEMO)
    record(editor, "McpCall", "McpReceipt")
    look(editor, 0)
    editor.command(ADD)
    editor.press("ihello")
    buf = wait_for_filled(editor, "mcp://proposal/")
    (win,) = windows_of(editor, buf)
    editor.lua("vim.api.nvim_win_call(..., function() vim.cmd.write() end)", win)
    wait_for_message(editor, ONLY_JUST)
    assert (recorded(editor, "McpCall"), recorded(editor, "McpReceipt")) == ([], [])


def test_a_proposal_whose_text_has_not_come_yet_is_not_run(editor: Editor, define: Callable[[str], Path]) -> None:
    define(DEMO)
    record(editor, "McpCall", "McpReceipt")
    look(editor, 0)
    editor.lua(
        """require('mcp_host').preview('demo', 'note_add', { title = 't', text = 'x' }, function(_, value)
          _G.receipt = value.receipt.id
        end)"""
    )
    receipt = editor.wait_until("_G.receipt", seconds=CONNECT_SECONDS)
    name = f"mcp://proposal/{receipt}"
    editor.lua("vim.cmd.edit(...) vim.cmd.write()", name)
    wait_for_message(editor, ONLY_JUST)
    wait_for_filled(editor, name)
    editor.lua("vim.cmd.edit() vim.cmd.write()")  # read again: its text is on the way once more
    wait_for_message(editor, ONLY_JUST)
    assert (recorded(editor, "McpCall"), recorded(editor, "McpReceipt")) == ([], [])
    editor.wait_until("vim.fn.getline(1) == 'Proposal · demo.note_add'")
    editor.command("write")
    wait_for_state(editor, receipt, "succeeded")

    editor.command("edit mcp://proposal/no-such-receipt")
    editor.wait_until("vim.bo.filetype == 'mcp-problem'")
    editor.command("write")
    wait_for_message(editor, "there is no proposal to run here; nothing was sent.")


@pytest.mark.parametrize("is_marked", [True, False])
def test_a_changed_text_is_not_run_by_any_kind_of_write(
    editor: Editor, define: Callable[[str], Path], workspace: Path, is_marked: bool
) -> None:
    define(DEMO)
    record(editor, "McpCall", "McpReceipt")
    mine = workspace / "mine.txt"
    mine.write_text("mine\n")
    buf, receipt = propose(editor)
    editor.wait_until("vim.api.nvim_get_current_buf() == ...", buf)
    before = editor.lines()
    editor.command("setlocal modifiable")
    editor.command("%substitute/Swans/Geese/")
    if not is_marked:
        editor.command("setlocal nomodified")
    editor.command("write")
    wait_for_message(editor, CHANGED)
    for command in ("wall", "silent! bufdo update", f"set autowriteall | silent! buffer {mine}", "silent! wqall"):
        if is_marked:
            editor.lua("pcall(vim.cmd, ...)", command)
            assert editor.lua("return vim.api.nvim_get_current_buf()") == buf
    assert (recorded(editor, "McpCall"), recorded(editor, "McpReceipt")) == ([], [])
    editor.command("edit!")
    editor.wait_until("vim.fn.getline(1) == ... and vim.bo.filetype == 'mcp-proposal'", before[0])
    assert editor.lines() == before
    assert editor.lua("return { vim.bo.modifiable, vim.bo.modified }") == [False, False]
    editor.command("set modified | wall")  # the text is whole, and :wall still does not run it
    wait_for_message(editor, CHANGED)
    editor.command("set nomodified")
    editor.command("write")
    wait_for_state(editor, receipt, "succeeded")
    assert count_notes(editor) == 5


def test_writing_and_quitting_the_last_window_waits_for_the_answer(
    editor: Editor, define: Callable[[str], Path]
) -> None:
    define(DEMO.replace('"count_slowly", ', ""))
    record(editor, "McpCall", "McpReceipt")
    buf, receipt = propose(editor, 'McpExec demo count_slowly {"to": 1000, "pause_seconds": 0.05}')
    editor.wait_until("vim.api.nvim_get_current_buf() == ...", buf)
    editor.command("only")
    editor.press(":wq<CR>")
    editor.wait_until("#_G.recorded.McpCall == 1")
    for keys in (":wq<CR>", "ZZ", ":x<CR>"):
        editor.press(keys)
        wait_for_message(editor, "this proposal was decided already; nothing was sent.")
    for keys, said in ((":q<CR>", "E37"), (":qall<CR><CR>", "E162")):  # the second asks for a key
        editor.press(keys)
        wait_for_message(editor, said)
    editor.press("q")
    wait_for_message(editor, "it is being executed")
    assert windows_of(editor, buf) == [editor.lua("return vim.api.nvim_get_current_win()")]
    editor.lua("vim.api.nvim_feedkeys(vim.keycode('<Plug>(McpProposalReject)'), 'm', false)")
    wait_for_message(editor, "it is being executed; :McpCancel cancels the call.")
    assert windows_of(editor, buf)
    editor.command("McpCancel")
    wait_for_state(editor, receipt, "unknown")
    editor.wait_until("vim.fn.search('^outcome-unknown$', 'nw') > 0")
    assert [data["state"] for data in recorded(editor, "McpCall")] == ["started", "unknown"]
    assert editor.lua("return vim.bo.modified") is False
