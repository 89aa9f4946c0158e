"""What a hostile server says stays text: nothing is executed, and no control character of it reaches the screen."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.editor.looking import DEMO, HIDDEN, call, execute, go_to, script, wait_for_filled
from tests.editor.neovim import Homes
from tests.editor.talking import Editor

EVERYTHING = """
local found = { vim.fn.execute('messages'), vim.o.titlestring, vim.fn.getcmdline(), vim.fn.getreg(':') }
local function add(text) if text and text ~= '' then found[#found + 1] = text end end
for _, buf in ipairs(vim.api.nvim_list_bufs()) do
  add(vim.api.nvim_buf_get_name(buf))
  vim.list_extend(found, vim.api.nvim_buf_get_lines(buf, 0, -1, false))
  for _, mark in ipairs(vim.api.nvim_buf_get_extmarks(buf, -1, 0, -1, { details = true })) do
    for _, chunk in ipairs(mark[4].virt_text or {}) do add(chunk[1]) end
    add(mark[4].url)
  end
end
for _, win in ipairs(vim.api.nvim_list_wins()) do
  local title = vim.api.nvim_win_get_config(win).title
  if type(title) == 'string' then add('a title must be in chunks: \\27' .. title) end
  for _, chunk in ipairs(type(title) == 'table' and title or {}) do add(chunk[1]) end
  add(vim.wo[win].winbar)
  add(vim.api.nvim_eval_statusline(vim.o.statusline ~= '' and vim.o.statusline or '%F', { winid = win }).str)
end
add(vim.api.nvim_eval_statusline('%F', {}).str)
return found"""

OWNED = """return { vim.g.owned or 0, vim.fn.filereadable('owned'), vim.bo.tabstop, vim.o.tabstop }"""


def assert_harmless(editor: Editor) -> None:
    """Nothing was executed, and everything there is to see can be seen."""
    assert editor.lua(OWNED) == [0, 0, 8, 8]
    for text in editor.lua(EVERYTHING):
        assert not HIDDEN.search(text.replace("\n", "")), ascii(text)


def wait_for_command_line_or_note(editor: Editor) -> None:
    """After <CR> on a line: either a command line is open or somebody said why not."""
    editor.wait_until(
        "vim.api.nvim_get_mode().mode == 'c' or vim.fn.execute('messages'):find('cannot be typed', 1, true)"
    )


def test_names_that_would_be_commands_are_never_executed(
    editor: Editor, define: Callable[[str], Path], workspace: Path
) -> None:
    define(script("inject", "injections.py"))
    editor.command(f"cd {workspace}")
    editor.command("set title titlestring=%F statusline=%F")
    editor.lua("require('mcp_host').open('mcp://inject/survey')")
    wait_for_filled(editor, "mcp://inject/survey")
    assert_harmless(editor)
    items: dict[str, dict[str, str]] = dict(
        editor.lua(
            """local items = {}
            for row, item in pairs(require('mcp_host.buffers').state(0 + vim.api.nvim_get_current_buf()).items) do
              items[#items + 1] = { tostring(row), item }
            end
            return items"""
        )
    )
    assert len(items) == 26 * 3 + 1
    survey = editor.lua("return vim.api.nvim_get_current_buf()")
    typed = 0
    for row, item in items.items():
        editor.command("messages clear")
        editor.lua(
            "vim.api.nvim_win_set_buf(0, (...)) vim.api.nvim_win_set_cursor(0, { select(2, ...), 0 })",
            survey,
            int(row) + 1,
        )
        editor.press("<CR>")
        if item["kind"] == "resource":
            editor.wait_until("vim.bo.filetype == 'mcp-result' or vim.bo.filetype == 'mcp-problem'")
        else:
            wait_for_command_line_or_note(editor)
            line = editor.lua("return vim.fn.getcmdline()")
            if line:
                typed += 1
                assert item["name"] in line
            editor.press("<C-c>")
            editor.wait_until("vim.api.nvim_get_mode().mode == 'n'")
        if item["kind"] == "tool":
            editor.press("K")
            editor.wait_until("vim.bo.filetype == 'mcp-tool'")
            editor.press("q")
            editor.wait_until("vim.bo.filetype == 'mcp-survey'")
        assert editor.lua(OWNED) == [0, 0, 8, 8], item
    assert typed > 20
    assert_harmless(editor)

    # Completed, given in full, and reviewed, they are what they are.
    names = editor.lua("return vim.fn.getcompletion('McpExec inject ', 'cmdline')")
    assert len(names) > 15
    assert not any(HIDDEN.search(name) or " " in name for name in names)
    for name in names[:12]:
        editor.lua("vim.cmd(...)", f"McpExec! inject {name} {{}}") if not name.startswith("--") else None
    editor.wait_until("#require('mcp_host.events').snapshot.calls == 0")
    session = workspace / "session.vim"
    editor.command(f"mksession! {session}")
    editor.command("silent! %bwipeout!")
    editor.command(f"silent! source {session}")
    assert_harmless(editor)


def test_control_characters_are_shown_and_never_passed_on(editor: Editor, define: Callable[[str], Path]) -> None:
    define(script("escapes", "escapes.py", read=("nasty", "fault")))
    editor.command("set title titlestring=%F columns=120 lines=40")
    editor.ask(lambda: editor.nvim.ui_try_resize(120, 40))
    editor.command("McpTools escapes")
    editor.wait_until("vim.fn.bufnr('$') >= 4 and #vim.api.nvim_list_wins() == 4")
    editor.wait_until(
        "vim.fn.execute('ls!') and #vim.api.nvim_buf_get_lines(vim.fn.bufnr('$') - 1, 0, -1, false) > 5", seconds=30
    )
    assert_harmless(editor)
    editor.press("<C-n><C-n>")
    assert_harmless(editor)
    editor.press("<Esc>")
    editor.wait_until("#vim.api.nvim_list_wins() == 1 and vim.api.nvim_get_mode().mode == 'n'")
    editor.command("edit mcp://escapes/survey")
    wait_for_filled(editor, "mcp://escapes/survey")
    for line in ("^  nasty", "^  named_"):
        go_to(editor, line)
        editor.press("K")
        editor.wait_until("vim.bo.filetype == 'mcp-tool'")
        assert_harmless(editor)
        editor.press("q")
        editor.wait_until("vim.bo.filetype == 'mcp-survey'")
    for tool in ("nasty", "fault"):
        execute(editor, f"McpExec escapes {tool}")
        assert_harmless(editor)
    # The tool whose own name is nasty is called by its raw name, and what is said of it is safe.
    raw = [row["name"] for row in _tools(editor) if row["name"].startswith("named_")]
    assert raw
    for verb in ("exec", "card", "preview"):
        editor.lua(
            "require('mcp_host.verbs').run(..., { alias = 'escapes', tool = select(2, ...) }, true)", verb, raw[0]
        )
    wait_for_filled(editor, "mcp://proposal/")
    editor.wait_until("vim.fn.execute('messages'):find('named_', 1, true)")
    assert_harmless(editor)
    editor.command("McpProposals")
    editor.wait_until("vim.bo.filetype == 'mcp-proposals'")
    editor.command("McpList")
    editor.wait_until("vim.bo.filetype == 'mcp-servers'")
    assert_harmless(editor)


def _tools(editor: Editor) -> list[dict[str, str]]:
    editor.lua("require('mcp_host').tools('escapes', function(_, value) _G.tools = value.tools end)")
    found: list[dict[str, str]] = editor.wait_until("_G.tools")
    return found


@pytest.mark.parametrize("open_it", ["<CR>", "$gf"])
def test_a_modeline_in_what_a_server_says_has_no_effect(
    editor: Editor, define: Callable[[str], Path], homes: Homes, open_it: str
) -> None:
    define(DEMO)
    assert editor.lua("return vim.o.modeline"), "with modelines off this would show nothing"
    modeline = "vim: set filetype=lua tabstop=13 modifiable :"
    for message in (modeline, f"{modeline}\n{'x' * 70_000}\n{modeline}"):
        buf, shown = execute(editor, f"McpExec demo fail {json.dumps({'message': message})}")
        assert modeline in shown
        editor.lua("vim.api.nvim_set_current_win(vim.fn.win_findbuf(...)[1])", buf)
        editor.command("doautocmd BufReadPost")
        editor.lua("vim.bo.filetype = ''")  # given again at the end of the reload
        editor.command("edit")
        editor.wait_until("vim.bo.filetype == 'mcp-result'")
        assert editor.lua("return { vim.bo.tabstop, vim.bo.modifiable }") == [8, False]
    go_to(editor, str(homes.state))
    editor.press(open_it)
    editor.wait_until("vim.fn.line('$') == 4 or vim.fn.getline(1) == ...", modeline)
    assert editor.lua("return { vim.bo.tabstop, vim.bo.filetype, vim.bo.modeline }") == [8, "text", False]
    assert call(editor, "demo", "note_list", {})["structuredContent"]["total"] == 4
