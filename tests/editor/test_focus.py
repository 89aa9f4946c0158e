"""What arrives leaves the person alone: the window, the cursor, the mode, what is being typed, `.`, undo and `#`."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.editor.looking import CONNECT_SECONDS, DEMO, definition, wait_for_filled, windows_of
from tests.editor.talking import Editor

AROUND = """local win = vim.api.nvim_get_current_win()
return {
  window = win, buffer = vim.api.nvim_get_current_buf(), cursor = vim.api.nvim_win_get_cursor(win),
  alternate = vim.fn.bufnr('#'), previous = vim.fn.winnr('#'), mode = vim.api.nvim_get_mode().mode,
  visual = vim.fn.getpos('v'), undo = vim.fn.undotree().seq_cur, jumps = #vim.fn.getjumplist()[1],
  registers = vim.tbl_map(vim.fn.getreg, { '"', '0', '-', '/', ':', '.', '%', '#', 'a' }),
  command = vim.fn.getcmdline(), lines = vim.api.nvim_buf_get_lines(0, 0, -1, false),
}"""

SHOWN = """for _, win in ipairs(vim.api.nvim_list_wins()) do
  local buf = vim.api.nvim_win_get_buf(win)
  if vim.w[win].mcp_host_result and buf > ... and vim.bo[buf].filetype ~= '' then return true end
end
return false"""

POLLS = 100_000
"""Questions until a result is given up. The editor waits for keys between them, as it does for a person."""


def wait_for_result(editor: Editor, newer_than: int) -> None:
    """Until a result or problem in a newer buffer is shown, without running the editor's loop in a call."""
    assert any(editor.lua(SHOWN, newer_than) for _ in range(POLLS)), "\n".join(editor.screen())


def leave_to_normal(editor: Editor) -> None:
    """Leave whatever mode it is in."""
    editor.press("<C-\\><C-n>")
    editor.wait_until("vim.api.nvim_get_mode().mode == 'n'")


@pytest.fixture
def typing(editor: Editor, define: Callable[[str], Path], workspace: Path) -> Editor:
    """An editor with a file of the person's, an alternate file, a change to repeat and the cursor on `two`."""
    define(DEMO)
    for name in ("other", "mine"):
        (workspace / name).write_text("one two three\n" * 3)
        editor.command(f"edit {workspace / name}")
    editor.press('A five<Esc>"ayyj0/two<CR>')
    editor.wait_until("vim.api.nvim_win_get_cursor(0)[2] == 4 and vim.api.nvim_get_mode().mode == 'n'")
    return editor


def test_what_arrives_changes_nothing_under_the_hands(typing: Editor) -> None:
    editor = typing
    commands = ("McpExec demo statistics", "McpExec demo nothing", "McpRead demo demo://about")
    for mode, keys in (("n", ""), ("v", "ve"), ("no", "d"), ("i", "i"), ("R", "R"), ("c", ":ec")):
        editor.command("only")
        # In Visual mode Neovim itself leaves a message standing for 3 s, or until a key is pressed.
        for command in commands[: 1 if mode == "v" else None]:
            editor.press(keys)
            editor.wait_until("vim.api.nvim_get_mode().mode == ...", mode)
            newest = editor.lua("return vim.fn.bufnr('$')")
            before = editor.lua(AROUND)
            editor.command(command)
            if command.startswith("McpRead"):  # its buffer may be there already
                editor.wait_until("vim.fn.bufwinid('mcp://demo/resource/demo%3A%2F%2Fabout') > 0", seconds=30)
            else:
                wait_for_result(editor, newest)
            assert editor.lua(AROUND) == before, (mode, command)
            leave_to_normal(editor)
            editor.command("call cursor(2, 5)")
    assert len(editor.lua("return vim.api.nvim_list_wins()")) == 2, "one window for all of the results"


def test_what_is_begun_before_a_result_can_be_ended_after_it(typing: Editor) -> None:
    editor = typing
    newest = editor.lua("return vim.fn.bufnr('$')")
    editor.command('McpExec demo note_read {"id": "note-1"}')
    editor.press("d")  # while the server is started
    wait_for_result(editor, newest)
    editor.press("w")
    editor.wait_until("vim.fn.getline('.') == 'one three'")
    for keys, line in (("u", "one two three"), (".", "one three"), ("ix<Esc>", "one xthree")):
        newest = editor.lua("return vim.fn.bufnr('$')")
        editor.command("McpExec demo statistics")
        wait_for_result(editor, newest)
        editor.press(keys)
        editor.wait_until("vim.fn.getline('.') == ...", line)
    newest = editor.lua("return vim.fn.bufnr('$')")
    editor.press("ox")
    editor.command("McpExec demo statistics")
    wait_for_result(editor, newest)
    editor.press("y<Esc>")
    editor.wait_until("vim.fn.getline('.') == 'xy'")
    editor.press("u")  # one undo for one insertion, whatever arrived in its middle
    editor.wait_until("vim.fn.line('$') == 3")


def test_a_proposal_is_not_entered_by_somebody_who_went_on_working(typing: Editor) -> None:
    editor = typing
    editor.command('McpExec demo note_add {"title": "t", "text": "x"}')
    editor.press("ohello")
    proposal = wait_for_filled(editor, "mcp://proposal/")
    editor.press(" world<Esc>")
    editor.wait_until("vim.fn.getline('.') == 'hello world'")
    assert editor.lua(AROUND)["alternate"] == editor.lua("return vim.fn.bufnr('other')")
    assert len(windows_of(editor, proposal)) == 1
    assert "demo.note_add waits for review in the window below" in editor.messages()
    # A result that comes while it waits takes another place.
    newest = editor.lua("return vim.fn.bufnr('$')")
    editor.command("McpExec demo statistics")
    wait_for_result(editor, newest)
    assert len(windows_of(editor, proposal)) == 1

    # In the command-line window neither is entered, nor does it end.
    editor.press("q:")
    editor.wait_until("vim.fn.getcmdwintype() == ':'")
    before = editor.lua(AROUND)
    editor.command('McpExec demo note_add {"title": "u", "text": "x"}')
    editor.wait_until("vim.tbl_count(require('mcp_host.events').snapshot.receipts) == 2")
    editor.command("McpExec demo fail")
    editor.wait_until("vim.fn.execute('messages'):find('demo.fail: the tool answered with an error', 1, true)")
    assert editor.lua(AROUND) == before
    assert editor.lua("return vim.fn.getcmdwintype()") == ":"
    editor.press("<C-c><C-c>")
    editor.wait_until("vim.fn.getcmdwintype() == ''")
    # Both wait in the queue, from where <CR> opens one.
    editor.command("only")
    editor.command("McpProposals")
    editor.wait_until("vim.fn.getline(1) == 'Proposals (2)'")


def test_a_slow_result_opens_in_the_tab_where_it_was_asked_for(editor: Editor, define: Callable[[str], Path]) -> None:
    define(definition("demo", "-m", "mcp_host.demo", read=["statistics"]))
    asked = editor.lua("return vim.api.nvim_get_current_tabpage()")
    editor.command("McpExec demo statistics")
    editor.command("tabnew")
    here = editor.lua("return vim.api.nvim_get_current_win()")
    editor.press("ihello")
    result = wait_for_filled(editor, "mcp://result/")
    (win,) = windows_of(editor, result)
    assert editor.lua("return vim.api.nvim_win_get_tabpage(...)", win) == asked
    assert editor.lua("return { vim.api.nvim_get_current_win(), vim.fn.winnr('$') }") == [here, 1]
    editor.command("stopinsert")
    editor.lua("vim.cmd.tabclose({ bang = true })")
    editor.wait_until("vim.api.nvim_get_current_tabpage() == ...", asked, seconds=CONNECT_SECONDS)
