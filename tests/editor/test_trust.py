"""The project's definitions: shown before anything of them counts, approved only as exactly the text that was seen."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.editor.conftest import Headless
from tests.editor.looking import definition, page, page_options, record, recorded, wait_for_filled, windows_of
from tests.editor.talking import Editor

FOR_EVER = 1e9

NOTES = definition("notes", "-m", "mcp_host.demo", read=["note_list"])


@pytest.fixture
def project(workspace: Path) -> Path:
    """The file of a project that wants to define one server."""
    file = workspace / ".nvim" / "mcp.toml"
    file.parent.mkdir()
    file.write_text(NOTES)
    return file


def look(editor: Editor, look_ms: float) -> None:
    """Set how long the text must have been looked at."""
    editor.lua("require('mcp_host.trust').LOOK_MS = ...", look_ms)


def wait_for_message(editor: Editor, text: str) -> None:
    """Until the line was said; forgets the messages then."""
    editor.wait_until("vim.fn.execute('messages'):find(..., 1, true)", text)
    editor.command("messages clear")


def wait_for_winbar(editor: Editor, word: str) -> None:
    """Until the current window says where its text stands."""
    editor.wait_until("vim.wo.winbar:find(..., 1, true)", word)


def ask(editor: Editor, *digest: str) -> Any:
    """What the verb `trust` answers through the Lua API: the problem or the document's member."""
    editor.lua(
        """_G.answer = nil
        require('mcp_host').trust(..., function(problem, value) _G.answer = problem or value.trust end)""",
        digest[0] if digest else None,
    )
    return editor.wait_until("_G.answer", seconds=30)


def test_a_write_approves_the_text_that_was_looked_at_and_nothing_else_does(
    editor: Editor, project: Path, workspace: Path
) -> None:
    record(editor, "McpTrustNeeded", "McpDefinitions")
    editor.command(f"cd {workspace}")
    assert editor.lua("return require('mcp_host.trust').LOOK_MS") == 700
    look(editor, FOR_EVER)
    editor.command("McpTrust")
    buf = wait_for_filled(editor, "mcp://trust")
    wait_for_winbar(editor, "NOT APPROVED")
    wait_for_message(editor, "project file .nvim/mcp.toml wants to define servers: :McpTrust")
    (needed,) = recorded(editor, "McpTrustNeeded")
    assert needed["file"] == str(project)
    assert page_options(editor, buf) == page(bufhidden="wipe")
    assert editor.lua("return { vim.bo.buftype, vim.bo.filetype, vim.bo.modified }") == ["acwrite", "mcp-trust", False]
    shown = editor.lines()
    assert any("mcp_host.demo" in line for line in shown)

    for keys in (":w<CR>", ":wq<CR>"):
        editor.press(keys)
        wait_for_message(editor, "only just shown: look, then :write again. Nothing was approved.")
        assert len(windows_of(editor, buf)) == 1
        editor.wait_until("not vim.bo.modified")
    look(editor, 0)
    editor.command("write other.txt")
    assert (workspace / "other.txt").read_text() == "".join(f"{line}\n" for line in shown)
    wait_for_message(editor, "a copy was saved. Nothing was approved.")
    editor.command("wall")
    editor.command("setlocal modifiable | %substitute/demo/else/ | setlocal nomodified | write")
    wait_for_message(editor, "this text was changed: :edit! shows the file. Not approved.")
    editor.command("edit!")
    wait_for_winbar(editor, "NOT APPROVED")
    editor.wait_until("vim.deep_equal(vim.api.nvim_buf_get_lines(0, 0, -1, false), ...)", shown)
    assert ask(editor)["state"] == "untrusted"

    # What is approved is what was shown, not what the file says by then.
    project.write_text(NOTES.replace("note_list", "note_read"))
    editor.command("write")
    wait_for_message(editor, "The project's file is not the text that was shown")
    editor.wait_until("vim.fn.search('note_read', 'nw') > 0")
    assert ask(editor)["state"] == "untrusted"

    editor.command("McpTrust")
    # It may be read again once more for the event about the new text, and is not looked at meanwhile.
    editor.wait_until("vim.cmd.write() == '' and vim.fn.execute('messages'):find('approved: .nvim/mcp.toml', 1, true)")
    wait_for_winbar(editor, "#APPROVED")
    assert ask(editor)["state"] == "trusted"
    editor.wait_until("require('mcp_host.events').snapshot.servers.notes == 'off'")
    assert editor.lua("return vim.fn.getcompletion('McpEnable ', 'cmdline')") == ["notes"]
    assert editor.lua("return require('mcp_host').status()") == "mcp 0/1"
    editor.command("write")
    wait_for_message(editor, "this text is approved already.")
    editor.command("quit")
    assert not editor.lua("return vim.api.nvim_buf_is_valid(...)", buf)
    editor.command("McpUntrust")
    wait_for_message(editor, "not approved any more: .nvim/mcp.toml")
    editor.wait_until("vim.tbl_isempty(require('mcp_host.events').snapshot.servers)")


def test_a_script_approves_with_the_digest_of_the_text_only(headless: Headless, project: Path) -> None:
    finished = headless("McpTrust")
    assert (finished.exit_code, finished.stderr) == (0, "")
    shown = json.loads(finished.stdout)["trust"]
    assert (shown["file"], shown["state"]) == (str(project), "untrusted")
    finished = headless("McpEnable notes")
    assert (finished.exit_code, finished.stdout) == (2, "")
    assert json.loads(finished.stderr)["type"] == "definition-untrusted"
    finished = headless("McpTrust 0123456789")
    assert (finished.exit_code, finished.stdout) == (2, "")
    assert json.loads(finished.stderr)["type"] == "definition-conflict"
    finished = headless(f"McpTrust {shown['digest']}")
    assert finished.exit_code == 0
    assert json.loads(finished.stdout)["trust"]["state"] == "trusted"
    assert headless("McpExec notes note_list").exit_code == 0
    finished = headless("McpUntrust")
    assert json.loads(finished.stdout)["trust"]["state"] != "trusted"


def test_an_editor_that_changes_its_folder_meets_the_file_there(
    editor: Editor, project: Path, workspace: Path, define: Callable[[str], Path]
) -> None:
    define("")
    record(editor, "McpTrustNeeded")
    (workspace / "elsewhere").mkdir()
    editor.command("Mcp")
    wait_for_filled(editor, "mcp://servers")
    editor.command("split")
    editor.command(f"lcd {workspace}")
    assert ask(editor)["file"] != str(project), "a window's own folder says nothing"
    editor.command("close")
    editor.command(f"cd {workspace / 'elsewhere'}")
    editor.wait_until("#_G.recorded.McpTrustNeeded == 1")
    assert recorded(editor, "McpTrustNeeded")[0]["file"] == str(project)
    assert ask(editor)["state"] == "untrusted"
    # Text of an unapproved file names no buffer, and says what it is when it is shown.
    editor.command("edit mcp://trust")
    wait_for_winbar(editor, "NOT APPROVED")
    look(editor, 0)
    editor.lua("vim.api.nvim_feedkeys(vim.keycode('<Plug>(McpTrustApprove)'), 'm', false)")
    wait_for_winbar(editor, "#APPROVED")
    assert ask(editor)["state"] == "trusted"
    project.write_text(NOTES.replace("note_list", "note_read"))
    editor.wait_until("#_G.recorded.McpTrustNeeded == 2")
    wait_for_winbar(editor, "NOT APPROVED")


def test_a_line_that_is_wrapped_is_marked_where_a_decision_hangs_on_it_and_nowhere_else(
    editor: Editor, project: Path, workspace: Path
) -> None:
    editor.command(f"cd {workspace}")
    editor.command("set showbreak=+")
    editor.command("McpTrust")
    wait_for_winbar(editor, "NOT APPROVED")
    assert editor.lua("return { vim.wo.showbreak, vim.go.showbreak }") == ["↪ ", "+"]
    editor.command("40vsplit")
    editor.wait_until("vim.wo.showbreak == '↪ ' and vim.wo.linebreak")
    assert any(line[:40].lstrip().startswith("↪ ") for line in editor.screen())
    editor.command("edit mine.txt")
    assert editor.lua("return vim.wo.showbreak") == "+"
    editor.command("only")
    editor.command("Mcp")
    wait_for_filled(editor, "mcp://servers")
    assert editor.lua("return vim.wo.showbreak") == "+"
    editor.command("only | edit mcp://trust")
    editor.wait_until("vim.wo.showbreak == '↪ '")
    editor.command("McpList")
    assert editor.lua("return { vim.api.nvim_buf_get_name(0), #vim.api.nvim_list_wins() }") == ["mcp://servers", 1]
    assert editor.lua("return vim.wo.showbreak") == "+"


def test_a_text_that_waits_for_nothing_follows_what_one_adds(editor: Editor, workspace: Path) -> None:
    editor.command(f"cd {workspace}")
    editor.command("McpTrust")
    wait_for_winbar(editor, "NOTHING TO APPROVE")
    for alias in ("first", "second"):
        editor.command(f"McpAdd --project {alias} /bin/{alias}")
        wait_for_winbar(editor, "#APPROVED")
        editor.wait_until("vim.fn.search(..., 'nw') > 0", f"^{alias} · ")
    assert ask(editor)["state"] == "trusted"


def test_a_text_that_is_read_is_not_swapped_under_the_reader_and_nothing_of_it_is_folded(
    editor: Editor, project: Path, workspace: Path
) -> None:
    editor.command("set foldmethod=marker foldlevel=0 foldenable")
    project.write_text(NOTES.replace("[servers", "# {{{\n[servers") + 'summary = "{{{"\n')
    editor.command(f"cd {workspace}")
    look(editor, 0)
    editor.command("McpTrust")
    wait_for_filled(editor, "mcp://trust")
    wait_for_winbar(editor, "NOT APPROVED")
    assert editor.lua("return { vim.wo.foldenable, vim.fn.foldclosed(vim.fn.search('summary')) }") == [False, -1]
    shown = editor.lines()
    project.write_text(NOTES.replace("note_list", "note_read"))
    wait_for_winbar(editor, "CHANGED SINCE")
    assert editor.lines() == shown
    editor.command("write")
    wait_for_message(editor, "the file has changed: R shows it anew. Nothing was approved.")
    assert ask(editor)["state"] == "untrusted"
    editor.press("R")
    wait_for_winbar(editor, "NOT APPROVED")
    editor.wait_until("vim.fn.search('note_read', 'nw') > 0")
    editor.command("write")
    wait_for_winbar(editor, "#APPROVED")
    assert ask(editor)["state"] == "trusted"
    editor.command("enew")
    assert editor.lua("return vim.wo.foldenable"), "what is folded elsewhere stays so"
