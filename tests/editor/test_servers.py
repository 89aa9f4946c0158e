"""The list of servers, connecting and withdrawing them, cancelling, and what the editor is told while that happens."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path

from tests.editor.looking import (
    CONNECT_SECONDS,
    DEMO,
    call,
    execute,
    open_filled,
    record,
    recorded,
    script,
    text_of,
    wait_for_filled,
    windows_of,
)
from tests.editor.talking import Editor


def wait_for_row(editor: Editor, alias: str, status: str) -> None:
    """Until the list of servers, wherever it is shown, says this of the server."""
    editor.wait_until(
        """(function(alias, status)
          for _, line in ipairs(vim.fn.getbufline('^mcp://servers$', 1, '$')) do
            local words = vim.split(line, ' +', { trimempty = true })
            if words[1] == alias and words[2] == status then return true end
          end
        end)(...)""",
        alias,
        status,
        seconds=CONNECT_SECONDS,
    )


def test_the_list_follows_what_happens_to_the_servers_and_keeps_its_cursor(
    editor: Editor, define: Callable[[str], Path]
) -> None:
    define(DEMO + script("mute", "mute.py") + "connect_timeout_seconds = 30\n" + script("lame", "nothing_there.py"))
    record(editor, "McpServerStatus", "McpCatalogChanged")
    assert editor.lua("return require('mcp_host').status()") == ""
    editor.command("Mcp")
    editor.wait_until("vim.bo.filetype == 'mcp-servers'", seconds=CONNECT_SECONDS)
    assert editor.lines()[0] == "Servers (3)"
    for alias in ("demo", "mute", "lame"):
        wait_for_row(editor, alias, "off")
    assert editor.lua("return require('mcp_host').status()") == "mcp 0/3"
    editor.command("call cursor(3, 3)")
    servers = editor.lua("return vim.api.nvim_get_current_win()")
    editor.command("split | enew")

    editor.command("McpEnable mute")
    wait_for_row(editor, "mute", "starting")
    assert "mcp: mute: connecting…" in editor.messages()
    assert editor.lua("return require('mcp_host').status()") == "mcp 0/3 …"
    editor.command("McpEnable demo")
    wait_for_row(editor, "demo", "ready")
    editor.wait_until("vim.fn.execute('messages'):find('mcp: demo: ready', 1, true)")
    editor.command("McpEnable lame")
    wait_for_row(editor, "lame", "failed")
    assert editor.lua("return require('mcp_host').status()") == "mcp 1/3 … !"
    editor.command("McpDisable mute")
    wait_for_row(editor, "mute", "disabled")
    editor.wait_until("vim.fn.execute('messages'):find('mcp: mute: off', 1, true)")
    editor.command("McpDisable demo")
    wait_for_row(editor, "demo", "disabled")
    assert editor.lua("return vim.api.nvim_win_get_cursor(...)", servers) == [3, 2]

    told = [(data["alias"], data["status"]) for data in recorded(editor, "McpServerStatus")]
    assert [status for alias, status in told if alias == "demo"][:2] == ["starting", "ready"]
    assert told[-1] == ("demo", "off")
    (catalog, *_) = recorded(editor, "McpCatalogChanged")
    assert catalog["alias"] == "demo"
    assert catalog["generation"] == 1
    assert "note_read" in catalog["tools"]
    assert "demo://about" in catalog["resources"]
    assert catalog["prompts"] == ["summarize_note"]
    editor.command("McpExec demo statistics")
    editor.wait_until("vim.fn.execute('messages'):find('demo is disabled', 1, true)")

    # <CR> on a server opens its survey.
    editor.lua("vim.api.nvim_set_current_win(...)", servers)
    editor.command("McpEnable demo")
    wait_for_row(editor, "demo", "ready")
    editor.command("call search('^  demo ', 'cw')")
    editor.press("<CR>")
    editor.wait_until("vim.bo.filetype == 'mcp-survey'")


def test_a_call_tells_of_its_progress_and_can_be_cancelled(editor: Editor, define: Callable[[str], Path]) -> None:
    define(DEMO)
    record(editor, "McpCall", "McpProgress", "McpReceipt", "McpProposal")
    editor.command("McpCancel")
    assert "mcp: no call is under way." in editor.messages()
    _, shown = execute(editor, 'McpExec demo count_slowly {"to": 3, "pause_seconds": 0}')
    assert shown[-1] == "Counted to 3."
    (started, ended) = recorded(editor, "McpCall")
    one = {"call": "c1", "alias": "demo", "kind": "tool", "tool": "count_slowly"}
    assert (started, ended) == (one | {"state": "started"}, one | {"state": "succeeded"})
    assert recorded(editor, "McpProgress")[-1] == one | {"progress": 3, "total": 3, "message": "Counted 3 of 3"}

    editor.command('McpExec demo count_slowly {"to": 1000, "pause_seconds": 0.05}')
    editor.wait_until("#_G.recorded.McpProgress >= 5")
    editor.wait_until("vim.fn.execute('messages'):find('running… (:McpCancel stops it)', 1, true)")
    assert editor.lua("return vim.fn.getcompletion('McpCancel ', 'cmdline')") == ["c2"]
    editor.command("McpCancel")
    editor.wait_until("#_G.recorded.McpCall == 4")
    problem = wait_for_problem(editor)
    assert problem[-1] in ("cancelled", "outcome-unknown"), problem
    assert recorded(editor, "McpCall")[-1]["call"] == "c2"
    assert editor.lua("return vim.fn.getcompletion('McpCancel ', 'cmdline')") == []
    assert call(editor, "demo", "note_list", {})["structuredContent"]["total"] == 4, "the server goes on"

    # A listener that was taken off hears nothing more, and there is no event of another name.
    editor.lua("_G.off = require('mcp_host').on('McpCall', function() _G.heard = true end) _G.off()")
    call(editor, "demo", "statistics", {})
    assert editor.lua("return _G.heard == nil")
    assert not editor.lua("return (pcall(require('mcp_host').on, 'McpNothing', print))")


def wait_for_problem(editor: Editor) -> list[str]:
    """The lines of the problem that is shown."""
    buf: int = editor.wait_until(
        """(function()
          for _, win in ipairs(vim.api.nvim_list_wins()) do
            local buf = vim.api.nvim_win_get_buf(win)
            if vim.bo[buf].filetype == 'mcp-problem' then return buf end
          end
        end)()"""
    )
    return text_of(editor, buf)


def test_the_command_line_completes_what_is_known_without_waiting(
    editor: Editor, define: Callable[[str], Path]
) -> None:
    define(DEMO + script("mute", "mute.py"))
    assert editor.lua("return vim.fn.getcompletion('McpExec ', 'cmdline')") == []
    open_filled(editor, "mcp://demo/survey")
    for line, found in (
        ("McpExec ", ["demo", "mute"]),
        ("McpExec! d", ["demo"]),
        ("McpExec demo note_d", ["note_delete_execute", "note_delete_preview"]),
        ("McpExec demo note_read ", []),
        ("McpExec mute ", []),
        ("McpRead demo demo", ["demo://about"]),
        ("McpPrompt demo ", ["summarize_note"]),
        ("Mcp en", ["enable"]),
        ("Mcp card demo pic", ["picture"]),
        ("McpList ", []),
    ):
        assert editor.lua("return vim.fn.getcompletion(..., 'cmdline')", line) == found, line
    editor.command("Mcp card demo picture")
    card = wait_for_filled(editor, "mcp://demo/tool/picture")
    assert len(windows_of(editor, card)) == 1
    assert text_of(editor, card)[0] == "demo · picture"


def test_the_list_is_right_when_it_is_shown_again(
    start_editor: Callable[..., Editor], define: Callable[[str], Path]
) -> None:
    define(f'[servers.demo]\ncommand = "{sys.executable}"\nargs = ["-m", "mcp_host.demo"]\n')
    editor = start_editor()
    editor.command("Mcp")
    editor.wait_until("vim.fn.search('demo  off', 'nw') > 0")
    servers = editor.lua("return vim.api.nvim_get_current_buf()")
    editor.command("enew")
    editor.command("McpEnable demo")
    editor.wait_until("require('mcp_host').status() == 'mcp 1/1'", seconds=30)
    editor.command(f"buffer {servers}")
    editor.wait_until("vim.fn.search('demo  ready', 'nw') > 0")


def test_a_call_from_lua_may_leave_out_its_options(editor: Editor, define: Callable[[str], Path]) -> None:
    define(f'[servers.demo]\ncommand = "{sys.executable}"\nargs = ["-m", "mcp_host.demo"]\nread = ["note_read"]\n')
    editor.lua(
        "require('mcp_host').call('demo', 'note_read', { id = 'note-1' }, function(_, value)"
        " vim.g.title = value.structuredContent.title end)"
    )
    assert editor.wait_until("vim.g.title", seconds=30) == "Shopping"
