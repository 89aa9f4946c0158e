"""The survey in an editor with a person: how it is filled, what its keys do, and what stands there when it fails."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from tests.editor.looking import DEMO, go_to, open_filled, page, page_options, record, recorded, script, wait_for_filled
from tests.editor.talking import Editor

OWN_MAPS = """
local found = {}
for _, mode in ipairs({ 'n', 'v', 'x', 's', 'o', 'i', 'l', 'c', 't' }) do
  for _, map in ipairs(vim.api.nvim_get_keymap(mode)) do
    local source = map.callback and debug.getinfo(map.callback, 'S').source or map.rhs or ''
    if (source .. map.lhs):find('[Mm]cp') then table.insert(found, mode .. map.lhs) end
  end
end
return found"""


def test_a_survey_is_a_page_that_cannot_be_edited_and_whose_keys_use_its_lines(
    editor: Editor, define: Callable[[str], Path]
) -> None:
    define(DEMO)
    editor.lua(
        """_G.seen = {}
        vim.api.nvim_create_autocmd('FileType', { pattern = 'mcp-survey', callback = function(event)
          local at = vim.bo[event.buf]
          _G.seen = { at.modeline, at.modifiable, #vim.api.nvim_buf_get_lines(event.buf, 0, -1, false) > 10 }
        end })"""
    )
    record(editor, "McpCall")
    open_filled(editor, "mcp://demo/survey")
    assert editor.lua("return _G.seen") == [False, False, True], "the filetype is set when all else is in place"
    assert page_options(editor, 0) == page(bufhidden="hide")
    assert editor.lua("return { vim.bo.buftype, vim.bo.filetype, vim.bo.modified }") == ["nofile", "mcp-survey", False]
    assert editor.lines()[0].startswith("demo · ready · modern")
    assert "Tools (12)" in editor.lines()
    assert editor.lua(OWN_MAPS) == []

    # <CR> writes a command line with the cursor inside of the braces, and runs nothing.
    go_to(editor, "^  note_read ")
    here = editor.lua("return vim.api.nvim_win_get_cursor(0)")
    editor.press("<CR>")
    line = "McpExec demo note_read {}"
    editor.wait_until("vim.fn.getcmdline() == ...", line)
    assert editor.lua("return { vim.fn.getcmdpos(), vim.fn.getcmdtype() }") == [len(line), ":"]
    editor.press("<Esc>")
    editor.wait_until("vim.api.nvim_get_mode().mode == 'n'")
    assert recorded(editor, "McpCall") == []

    # K opens the card in a float, and q closes it again.
    survey = editor.lua("return vim.api.nvim_get_current_win()")
    editor.press("K")
    editor.wait_until("vim.bo.filetype == 'mcp-tool'")
    assert editor.lua("return vim.api.nvim_win_get_config(0).relative") == "editor"
    assert editor.lines()[0] == "demo · note_read"
    editor.press("q")
    editor.wait_until("vim.api.nvim_get_current_win() == ...", survey)
    assert editor.lua("return #vim.api.nvim_list_wins()") == 1

    editor.press("g?")
    assert "<CR> use the line  K card of a tool  R reload  q close" in editor.messages()

    # Both ways to reload come back to the line.
    for reload in (":edit<CR>", "R"):
        editor.lua("vim.bo.filetype = ''")  # given again at the end of the reload
        editor.press(reload)
        editor.wait_until("vim.bo.filetype == 'mcp-survey' and vim.api.nvim_win_get_cursor(0)[1] == ...", here[0])
        assert editor.lua("return vim.api.nvim_win_get_cursor(0)") == here

    # In the last window q leaves the buffer and not the editor.
    editor.press("q")
    editor.wait_until("vim.api.nvim_buf_get_name(0) == ''")


def test_the_other_lines_of_a_survey_open_what_they_stand_for(
    start_editor: Callable[..., Editor], define: Callable[[str], Path]
) -> None:
    define(DEMO)
    editor = start_editor("mcp://demo/survey")  # as a session or a shell does
    wait_for_filled(editor, "mcp://demo/survey")
    for line, typed, cursor in (
        ("^  summarize_note ", "McpPrompt demo summarize_note {}", -1),
        ("^  note  A note", "McpRead demo note://{id}", 0),
    ):
        go_to(editor, line)
        editor.press("<CR>")
        editor.wait_until("vim.fn.getcmdline() == ...", typed)
        assert editor.lua("return vim.fn.getcmdpos()") == len(typed) + 1 + cursor
        editor.press("<Esc>")
        editor.wait_until("vim.api.nvim_get_mode().mode == 'n'")
    go_to(editor, "^  about ")
    editor.press("<CR>")
    editor.wait_until("vim.bo.filetype == 'mcp-result'")
    assert editor.lua("return vim.api.nvim_buf_get_name(0)") == "mcp://demo/resource/demo%3A%2F%2Fabout"
    assert "The notes of this server live in memory: they are the same four at every start." in editor.lines()
    editor.press("<C-o>")  # its place took the survey's, which is still one step back
    editor.wait_until("vim.bo.filetype == 'mcp-survey'")
    assert len(editor.lua("return vim.api.nvim_list_wins()")) == 1


def test_a_server_that_cannot_be_connected_shows_its_problem_until_it_can(
    editor: Editor, define: Callable[[str], Path]
) -> None:
    define(script("lame", "nothing_there.py"))
    open_filled(editor, "mcp://lame/survey")
    shown = editor.lines()
    assert editor.lua("return vim.bo.filetype") == "mcp-problem"
    assert shown[0] == "lame exited with code 2"
    assert any("nothing_there.py" in line for line in shown), "the detail has the server's own words"
    assert "Run its command in a shell to see why; :McpEnable lame tries again." in shown
    assert shown[-1] == "server-unavailable"

    define(script("lame", "polite.py"))
    editor.command("edit")
    editor.wait_until("vim.bo.filetype == 'mcp-survey'", seconds=30)
    assert editor.lines()[0].startswith("lame · ready · legacy")

    open_filled(editor, "mcp://no/such/thing/at/all")
    assert editor.lines()[0] == "This is not the name of an MCP buffer."
    open_filled(editor, "mcp://nobody/survey")
    assert editor.lines()[0] == "There is no server named nobody"
