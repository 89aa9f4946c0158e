"""Defining servers from the editor: by command, in the template, from candidates; and taking them away again."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import tomli

from tests.editor.conftest import Headless
from tests.editor.looking import CONNECT_SECONDS, text_of, wait_for_filled
from tests.editor.neovim import Homes
from tests.editor.talking import Editor

OPTIONS = '{"args": ["-m", "mcp_host.demo"]}'
ADD = f'McpAdd demo "{sys.executable}" {OPTIONS}'
SECRET = "sk-live-4f9a8b7c6d5e4f3a2b1c"

IMPORTED = {
    "mcpServers": {
        "notes": {"command": sys.executable, "args": ["-m", "mcp_host.demo"], "env": {"API_KEY": SECRET}},
    }
}


def servers(file: Path) -> dict[str, Any]:
    """What the file defines."""
    found: dict[str, Any] = tomli.loads(file.read_text()).get("servers", {})
    return found


def wait_for_message(editor: Editor, text: str) -> None:
    """Until the line was said; forgets the messages then."""
    editor.wait_until("vim.fn.execute('messages'):find(..., 1, true)", text, seconds=CONNECT_SECONDS)
    editor.command("messages clear")


def wait_for_problem(editor: Editor, kind: str) -> list[str]:
    """The lines of the problem of this kind, once a window shows it."""
    found: list[str] = editor.wait_until(
        """(function(kind)
          for _, win in ipairs(vim.api.nvim_list_wins()) do
            local lines = vim.api.nvim_buf_get_lines(vim.api.nvim_win_get_buf(win), 0, -1, false)
            if lines[#lines] == kind then return lines end
          end
        end)(...)""",
        kind,
        seconds=CONNECT_SECONDS,
    )
    return found


def test_a_command_adds_and_removes_a_server_and_never_writes_past_unsaved_work(
    editor: Editor, define: Callable[[str], Path], workspace: Path
) -> None:
    file = define("# mine\n")
    editor.command(f"cd {workspace}")
    editor.command("set noautoread")
    editor.command(f"edit {file}")
    editor.command(ADD)
    wait_for_message(editor, "demo added: ")
    assert servers(file) == {"demo": {"command": sys.executable, "args": ["-m", "mcp_host.demo"]}}
    editor.wait_until("vim.fn.getline(1) == '# mine' and vim.fn.search('servers.demo', 'nw') > 0")
    assert editor.lua("return { vim.bo.modified, vim.o.autoread }") == [False, False]
    editor.wait_until("require('mcp_host.events').snapshot.servers.demo == 'off'")

    editor.command("call setline(1, '# mine, unsaved')")
    for command in ("McpRemove demo", f"McpAdd other {sys.executable}"):
        editor.command(command)
        wait_for_message(editor, "Save or discard it first")
        assert "unsaved" not in file.read_text()
        assert list(servers(file)) == ["demo"]
    editor.lua("require('mcp_host').remove({ alias = 'demo' }, function(problem) _G.refused = problem.type end)")
    assert editor.wait_until("_G.refused") == "usage"
    editor.command("edit!")

    # Into the project, whose file is open before it is there; and for this session only.
    editor.command("split .nvim/mcp.toml")
    editor.command(f"McpAdd --project demo {sys.executable}")
    wait_for_message(editor, "demo added: .nvim/mcp.toml:1")
    assert editor.lines()[0] == "[servers.demo]"
    editor.command("close")
    assert servers(workspace / ".nvim" / "mcp.toml") == {"demo": {"command": sys.executable}}
    editor.command("McpAdd --session passing https://example.test/mcp")
    wait_for_message(editor, "passing added: this session")
    assert editor.lua("return vim.fn.getcompletion('McpRemove ', 'cmdline')") == ["demo", "passing"]
    editor.command("McpRemove passing")
    wait_for_message(editor, "passing removed from this session")
    editor.command("McpRemove --project demo")
    wait_for_message(editor, f"demo removed, still defined by user …{str(file)[-23:]}:3")
    editor.command("McpRemove demo")
    wait_for_message(editor, "demo removed from ")
    assert file.read_text() == "# mine\n"
    editor.wait_until(
        "vim.deep_equal(vim.api.nvim_buf_get_lines(vim.fn.bufnr(...), 0, -1, false), { '# mine' })", str(file)
    )
    editor.command("McpRemove demo")
    wait_for_problem(editor, "server-unknown")


def test_what_is_written_into_a_file_that_nobody_approved_waits_and_the_note_says_so(
    editor: Editor, define: Callable[[str], Path], workspace: Path
) -> None:
    define(f'[servers.mine]\ncommand = "{sys.executable}"\n')
    file = workspace / ".nvim" / "mcp.toml"
    file.parent.mkdir()
    file.write_text('[servers.theirs]\ncommand = "/bin/theirs"\n')
    editor.command(f"cd {workspace}")
    editor.command(f"McpAdd --project mine {sys.executable}")
    wait_for_message(editor, "mine added: .nvim/mcp.toml:4; it waits for :McpTrust")
    assert list(servers(file)) == ["theirs", "mine"]
    editor.command("McpRemove --project mine")
    wait_for_message(editor, "mine removed, still defined by user ")
    editor.command("McpRemove --project theirs")
    wait_for_message(editor, "theirs removed from .nvim/mcp.toml:1; it waits for :McpTrust")


def test_a_command_says_how_it_is_written_and_completes(
    editor: Editor, define: Callable[[str], Path], workspace: Path
) -> None:
    define("")
    for command, said in (
        ("McpAdd demo uvx mcp-server", 'Write :McpAdd {alias} "{target} {arguments}" [json]'),
        ('McpAdd demo "uvx', "Write :McpAdd [--project|--session]"),
        ("McpRemove", "Write :McpRemove [--project|--session] {alias}"),
        ("McpRemove --project --session x", "Write :McpRemove [--project|--session]"),
        (f"McpAdd --token={SECRET} x", "Write :McpAdd [--project|--session]"),
        ("McpDoctor now", "Write :McpDoctor"),
    ):
        editor.command(command)
        assert said in editor.messages(), command
        assert SECRET not in editor.messages()
        editor.command("messages clear")
    (workspace / "%one.json").touch()
    editor.command(f"cd {workspace}")
    for line, found in (
        ("McpAdd --", ["--project", "--session"]),
        ("McpRemove --s", ["--session"]),
        ("McpDiscover npx %o", []),
        ("McpDiscover ./", ["./%one.json"]),
        ("McpDiscover `touch\\ ran`", []),
        ("McpAdd demo nvi", []),
        ("McpTrust ", []),
    ):
        assert editor.lua("return vim.fn.getcompletion(..., 'cmdline')", line) == found, line
    assert not (workspace / "ran").exists()
    assert editor.lua("return require('mcp_host.rpc').peer() == nil"), "none of this starts a host"


def test_the_template_is_kept_until_it_is_a_server_and_leaves_nothing_on_the_disk(
    editor: Editor, define: Callable[[str], Path], homes: Homes, workspace: Path
) -> None:
    file = define("# mine\n")
    editor.command(f"cd {workspace}")
    editor.command(f"set undofile swapfile undodir={workspace} directory={workspace}")
    editor.command("McpAdd")
    buf = wait_for_filled(editor, "mcp://add")
    editor.wait_until("vim.bo.filetype == 'toml' and vim.bo.modifiable")
    assert editor.lua(
        "return { vim.bo.buftype, vim.bo.modified, vim.bo.swapfile, vim.bo.undofile, vim.bo.modeline }"
    ) == [*("acwrite", False, False, False, False)]
    template = editor.lines()
    assert any(line.startswith("#") for line in template)

    text = f'[servers.demo]\ncommand = "{sys.executable}"\nenv = {{ API_KEY = "{SECRET}" }}\n'
    editor.lua("vim.api.nvim_buf_set_lines(0, 0, -1, false, vim.split(..., '\\n', { trimempty = true }))", text)
    typed = editor.lines()
    editor.press(":wq<CR>")
    problem = wait_for_problem(editor, "definition-invalid")
    assert SECRET not in "\n".join(problem) + editor.messages()
    assert editor.lua("return vim.api.nvim_buf_get_name(0)") == "mcp://add"
    assert (editor.lines(), editor.lua("return vim.bo.modified")) == (typed, True)
    assert file.read_text() == "# mine\n"
    editor.command("McpAdd")  # comes back to the text
    assert editor.lines() == typed
    editor.command("write! copy.toml")
    assert (workspace / "copy.toml").read_text() == text
    (workspace / "copy.toml").unlink()
    editor.command("normal! u")
    assert editor.lines() == template, "it can be undone"
    editor.command("redo")
    editor.command("%substitute/" + SECRET + "/${KEY}/")
    editor.command("messages clear")
    editor.command("write")
    wait_for_message(editor, "demo added: ")
    editor.wait_until("vim.api.nvim_buf_get_name(0) == 'mcp://servers'")
    assert not editor.lua("return vim.api.nvim_buf_is_valid(...)", buf)
    assert editor.lua("return #vim.api.nvim_list_wins()") == 1, "the problem of the first attempt is gone too"
    assert servers(file) == {"demo": {"command": sys.executable, "env": {"API_KEY": "${KEY}"}}}
    left = [path for folder in (workspace, homes.root) for path in folder.rglob("*") if path.is_file()]
    assert not any(SECRET in path.read_text(errors="replace") for path in left)

    editor.command("McpAdd --project")
    wait_for_filled(editor, "mcp://add/project")
    assert "adds it to the project file" in editor.lua("return vim.wo.winbar")
    editor.command("new | wincmd p | quit")


@pytest.fixture
def client_file(workspace: Path) -> Path:
    """The file of another client, with a literal secret in it."""
    file = workspace / ".mcp.json"
    file.write_text(json.dumps(IMPORTED, indent=2))
    return file


def test_a_candidate_is_added_with_enter_and_a_session_brings_it_back_without_probing(
    start_editor: Callable[..., Editor], define: Callable[[str], Path], client_file: Path, workspace: Path
) -> None:
    file = define("")
    editor = start_editor()
    editor.command(f"cd {workspace}")
    editor.command("edit mine.txt")
    editor.command("McpDiscover .mcp.json")
    buf = wait_for_filled(editor, "mcp://candidates/")
    editor.wait_until("vim.api.nvim_get_current_buf() == ...", buf)
    assert editor.lua("return { vim.bo.buftype, vim.bo.filetype }") == ["nofile", "mcp-candidates"]
    assert SECRET not in "\n".join(editor.lines())
    assert servers(file) == {}
    before = editor.lines()
    editor.lua(
        """for row = 1, vim.fn.line('$') do
          vim.api.nvim_win_set_cursor(0, { row, 0 })
          local item = require('mcp_host.buffers').item(0)
          if item and item.kind == 'candidate' then return end
        end"""
    )
    editor.press("<CR>")
    wait_for_message(editor, "notes added: ")
    assert servers(file)["notes"]["command"] == sys.executable
    assert SECRET not in file.read_text() + editor.messages()
    editor.wait_until("not vim.deep_equal(vim.api.nvim_buf_get_lines(0, 0, -1, false), ...)", before)
    editor.press("<CR>")
    wait_for_problem(editor, "definition-conflict")

    session = workspace / "session.vim"
    editor.command("only")
    editor.command(f"mksession {session}")
    again = start_editor()
    again.command(f"silent! source {session}")
    shown = again.wait_until("vim.fn.bufnr('^mcp://candidates/') > 0 and vim.fn.bufnr('^mcp://candidates/')")
    again.wait_until("vim.bo[...].filetype == 'mcp-problem'", shown, seconds=CONNECT_SECONDS)
    assert text_of(again, shown)[-1] == "candidate-unknown"


def test_a_script_adds_what_is_whole_and_is_told_what_is_missing(
    headless: Headless, define: Callable[[str], Path], workspace: Path, client_file: Path
) -> None:
    file = define("")
    finished = headless("McpAdd demo")
    assert (finished.exit_code, finished.stdout) == (2, "")
    assert json.loads(finished.stderr)["type"] == "usage"
    finished = headless(ADD)
    assert (finished.exit_code, finished.stderr) == (0, "")
    added = json.loads(finished.stdout)["added"]
    assert (added["alias"], added["layer"], added["file"], added["line"]) == ("demo", "user", str(file), 1)
    finished = headless(f"McpDiscover {client_file}")
    assert finished.exit_code == 0
    (candidate,) = json.loads(finished.stdout)["candidates"]
    assert candidate["alias"] == "notes"
    finished = headless("McpRemove demo")
    assert json.loads(finished.stdout)["removed"]["line"] == 1
    assert servers(file) == {}
    finished = headless(f"edit {file}", "call setline(1, 'x')", ADD)
    assert (finished.exit_code, finished.stdout) == (2, "")
