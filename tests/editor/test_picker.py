"""The picker of `:McpTools`: what it finds, where it moves, what it writes, and that it leaves nothing behind."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

from tests.editor.looking import CONNECT_SECONDS, DEMO, open_filled, record, recorded, script
from tests.editor.talking import Editor

AROUND = """return {
  tabs = vim.fn.tabpagenr('$'), windows = vim.fn.winlayout(), window = vim.api.nvim_get_current_win(),
  buffer = vim.api.nvim_get_current_buf(), cursor = vim.api.nvim_win_get_cursor(0),
  previous = vim.fn.winnr('#'), alternate = vim.fn.bufnr('#'), mode = vim.api.nvim_get_mode().mode,
  loaded = vim.tbl_filter(vim.api.nvim_buf_is_loaded, vim.api.nvim_list_bufs()),
  options = vim.tbl_map(function(name) return vim.o[name] end,
    { 'hlsearch', 'timeoutlen', 'updatetime', 'cmdheight', 'laststatus', 'guicursor', 'wrap', 'cursorline', 'scrolloff',
      'undolevels', 'modifiable', 'filetype', 'eventignore', 'showmode', 'lazyredraw' }),
  registers = vim.tbl_map(vim.fn.getreg, { '"', '0', '1', '-', '/', ':', '%', '#', 'a' }),
  lines = vim.api.nvim_buf_get_lines(0, 0, -1, false), undo = vim.fn.undotree().seq_cur,
}"""

LIST = """local here = vim.api.nvim_get_current_win()
local floats = vim.tbl_filter(function(win) -- the list stands right under the prompt
  local config, above = vim.api.nvim_win_get_config(win), vim.api.nvim_win_get_config(here)
  return win ~= here and config.relative ~= '' and config.col == above.col
end, vim.api.nvim_list_wins())
return vim.tbl_map(function(win)
  local lines = vim.api.nvim_buf_get_lines(vim.api.nvim_win_get_buf(win), 0, -1, false)
  return { lines, vim.api.nvim_win_get_cursor(win)[1], vim.api.nvim_win_get_height(win) }
end, floats)"""


def listed(editor: Editor) -> tuple[list[str], str]:
    """The rows on screen and the selected one."""
    rows, cursor, _ = editor.lua(LIST)[0]
    return rows, rows[cursor - 1]


def wait_for_first(editor: Editor, tool: str) -> None:
    """Until the best match is this tool."""
    editor.wait_until(
        f"""(function(tool)
          local float = (function() {LIST} end)()[1]
          return float and vim.startswith(float[1][1], tool)
        end)(...)""",
        f" {tool}",
        seconds=CONNECT_SECONDS,
    )


def open_picker(editor: Editor, command: str, first: str) -> None:
    """Open it and wait for its tools."""
    editor.command(command)
    wait_for_first(editor, first)
    editor.wait_until("vim.api.nvim_get_mode().mode == 'i'")


def test_the_picker_finds_moves_writes_and_leaves_everything_as_it_was(
    editor: Editor, define: Callable[[str], Path], workspace: Path
) -> None:
    define(DEMO)
    record(editor, "McpCall")
    (workspace / "mine.txt").write_text("one two three\nfour five six\n")
    editor.command(f"edit {workspace / 'mine.txt'}")
    editor.press('"ayyA!<Esc>0w/five<CR>')
    editor.command("split")
    editor.wait_until("vim.api.nvim_win_get_cursor(0)[2] == 5 and vim.api.nvim_get_mode().mode == 'n'")
    before = editor.lua(AROUND)

    for keys in ("<Esc>", "<C-c>", "<C-\\><C-n>q", "read<Esc>", "<C-\\><C-n><C-c>"):
        open_picker(editor, "McpTools demo", "note_list")
        editor.press(keys)
        editor.wait_until("#vim.api.nvim_list_wins() == 2 and vim.api.nvim_get_mode().mode == 'n'")
        assert editor.lua(AROUND) == before, keys
    # Going elsewhere closes it too.
    open_picker(editor, "McpTools demo", "note_list")
    editor.command("wincmd p")
    editor.wait_until("#vim.api.nvim_list_wins() == 2")
    editor.press("<Esc>")
    editor.wait_until("vim.api.nvim_get_mode().mode == 'n'")

    open_picker(editor, "McpTools demo", "note_list")
    rows, selected = listed(editor)
    assert len(rows) == 12
    assert selected == rows[0]
    assert " note_add  Add a note  host" in rows
    for keys, row in (("<C-n>", 1), ("<Down><Down>", 3), ("<Up>", 2), ("<C-p>", 1), ("<PageDown>", 11), ("<C-u>", 3)):
        editor.press(keys)
        editor.wait_until(
            f"(function() {LIST} end)()[1][2] == ... or false",
            *([row + 1] if keys != "<C-u>" else [listed(editor)[0].index(listed(editor)[1]) + 1]),
        )
    editor.press("nap")  # n…a…p: letters in order
    wait_for_first(editor, "note_append")
    editor.press("<C-\\><C-n>ddi")
    wait_for_first(editor, "note_list")
    editor.press("nothing like that")
    editor.wait_until(f"(function() {LIST} end)()[1][1][1] == ' nothing matches'")
    editor.press("<CR>")  # chooses nothing, and stays
    assert editor.lua("return #vim.api.nvim_list_wins()") == 4
    editor.press("<C-\\><C-n>ddi")
    editor.press("read a note")
    wait_for_first(editor, "note_read")
    editor.press("<CR>")
    editor.wait_until("vim.fn.getcmdline() == 'McpExec demo note_read {}'")
    assert editor.lua("return { vim.fn.getcmdpos(), #vim.api.nvim_list_wins() }") == [
        len("McpExec demo note_read {}"),
        2,
    ]
    editor.press("<C-c>")
    editor.wait_until("vim.api.nvim_get_mode().mode == 'n'")
    assert recorded(editor, "McpCall") == []
    after = editor.lua(AROUND)
    assert (after["buffer"], after["lines"], after["undo"]) == (before["buffer"], before["lines"], before["undo"])


def test_a_wide_editor_shows_the_card_and_any_size_can_be_worked_in(
    editor: Editor, define: Callable[[str], Path]
) -> None:
    define(DEMO + script("many", "many_tools.py", "3"))

    def resize(columns: int, lines: int) -> None:
        editor.ask(lambda: editor.nvim.ui_try_resize(columns, lines))
        editor.wait_until("vim.o.columns == ... and vim.o.lines == select(2, ...)", columns, lines)

    resize(140, 40)
    open_filled(editor, "mcp://many/survey")
    open_picker(editor, "McpTools", "demo note_list")  # of all servers, with their aliases
    card = """(function(first)
      for _, win in ipairs(vim.api.nvim_list_wins()) do
        local lines = vim.api.nvim_buf_get_lines(vim.api.nvim_win_get_buf(win), 0, 1, false)
        if lines[1] == first then return true end
      end
    end)(...)"""
    editor.wait_until(card, "demo · note_list")
    editor.press("many tool_00002")
    wait_for_first(editor, "many tool_00002")
    editor.wait_until(card, "many · tool_00002")
    assert any("One of very many." in row for row in editor.screen())

    for columns, lines in ((80, 24), (30, 10), (140, 40), (12, 5), (80, 24)):
        resize(columns, lines)
        editor.press("<C-n><C-p>")
        editor.press("x<BS>")
        wait_for_first(editor, "many tool_00002")
        if columns >= 30:
            assert any("tool_00002" in row for row in editor.screen()), (columns, lines)
    editor.press("<Esc>")
    editor.wait_until("#vim.api.nvim_list_wins() == 1")
    for columns, lines in ((30, 10), (12, 5), (100, 24)):
        resize(columns, lines)
        open_picker(editor, "McpTools demo", "note_list")
        editor.press("<Esc>")
        editor.wait_until("#vim.api.nvim_list_wins() == 1")
    assert "Error" not in editor.messages()


def test_ten_thousand_tools_can_be_searched_and_a_problem_takes_the_pickers_place(
    editor: Editor, define: Callable[[str], Path]
) -> None:
    define(script("many", "many_tools.py") + script("lame", "nothing_there.py"))
    open_picker(editor, "McpTools many", "tool_00000")
    rows, _ = listed(editor)
    assert len(rows) == editor.lua(LIST)[0][2], "only the rows on screen are drawn"
    editor.press("tool_07123")
    wait_for_first(editor, "tool_07123")
    editor.press("<C-\\><C-n>ddi<C-p>")
    wait_for_first(editor, "tool_00000")
    editor.press("<PageDown>" * 3)
    editor.wait_until(f"not vim.startswith((function() {LIST} end)()[1][1][1], ' tool_00000')")
    editor.press("<CR>")
    editor.wait_until("vim.fn.getcmdline() ~= ''")
    assert re.fullmatch(r"McpExec many tool_000\d\d \{\}", editor.lua("return vim.fn.getcmdline()"))
    editor.press("<C-c>")
    editor.wait_until("vim.api.nvim_get_mode().mode == 'n'")

    editor.command("McpTools lame")
    editor.wait_until(
        "vim.api.nvim_buf_get_lines(vim.fn.winbufnr(vim.fn.winnr('$')), 0, 1, false)[1] == 'lame exited with code 2'",
        seconds=CONNECT_SECONDS,
    )
    assert editor.lua("return vim.fn.winnr('$')") == 2
    editor.wait_until("vim.api.nvim_get_mode().mode == 'n'")
