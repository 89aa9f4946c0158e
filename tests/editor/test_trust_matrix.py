"""A changed project file in a real Neovim: nothing of it is run or reached before a new yes, with a screen and without.

Every field and every way in is gone through in `tests/host/test_trust_matrix.py`; here are one of each sort, and what
the editor itself could do on its own: a list that is open, a buffer that is read again, completion, a start.
"""

from __future__ import annotations

import json
import socket
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.editor.conftest import Headless
from tests.editor.looking import CONNECT_SECONDS, record
from tests.editor.neovim import REPOSITORY
from tests.editor.talking import Editor

POLITE = REPOSITORY / "tests" / "servers" / "polite.py"
CALL = '{"text": "x"}'

CHANGES = (
    ('command = "@folder@/trap"', 'command = "@folder@/other-trap"', "McpEnable trap", "trap"),
    ('read = ["process"]', 'read = ["process", "echo"]', f"McpExec! trap echo {CALL}", "trap"),
    ("/mcp?one", "/mcp?two", "Mcp survey remote", "remote"),
    ('token = "${HOME}"', 'token = "${PATH}"', "McpTools remote", "remote"),
)
"""What changes, the command that is run then, and the server that it is about."""

YES = (
    "lua require('mcp_host').trust(nil, function(_, value) _G.digest = value.trust.digest end)",
    "lua vim.wait(20000, function() return _G.digest ~= nil end)",
    "execute 'McpTrust' luaeval('_G.digest')",
)
"""Approves what the file says now."""

PROJECT = """
[servers.trap]
command = "@folder@/trap"
env = { TOKEN = "${HOME}" }
read = ["process"]

[servers.remote]
url = "http://127.0.0.1:@port@/mcp?one"
authorization = { type = "bearer", token = "${HOME}" }
connect_timeout_seconds = 0.5
"""


class Traps:
    """Two programs that note that they were started, an address, and the project's file that leads to them."""

    def __init__(self, folder: Path, listening: socket.socket) -> None:
        self._folder = folder
        self._listening = listening
        self.file = folder / "workspace" / ".nvim" / "mcp.toml"
        self.file.parent.mkdir()
        for name in ("trap", "other-trap"):
            lines = ("#!/bin/sh", f"echo $$ >>'{folder}/ran'", f"exec '{sys.executable}' -S '{POLITE}'")
            (folder / name).write_text("\n".join((*lines, "")))
            (folder / name).chmod(0o755)

    def write(self, old: str = "", new: str = "") -> None:
        """Write the file, with one thing that says something else."""
        text = PROJECT.replace(old, new) if old else PROJECT + new
        assert not old or text != PROJECT
        text = text.replace("@folder@", str(self._folder)).replace("@port@", str(self._listening.getsockname()[1]))
        self.file.write_text(text)

    def ran(self) -> int:
        """How many processes were started so far."""
        noted = self._folder / "ran"
        return len(noted.read_text().splitlines()) if noted.exists() else 0

    def is_reached(self) -> bool:
        """Whether anybody connected since this was asked last."""
        reached = False
        while True:
            try:
                self._listening.accept()[0].close()
            except BlockingIOError:
                return reached
            reached = True


@pytest.fixture
def traps(tmp_path: Path, workspace: Path) -> Iterator[Traps]:
    """Set in the workspace, whose file nobody has approved yet."""
    with socket.create_server(("127.0.0.1", 0)) as listening:
        listening.setblocking(False)
        yield Traps(workspace.parent, listening)


def test_without_a_screen_a_changed_file_ends_every_command_with_2_and_nothing_runs(
    headless: Headless, traps: Traps
) -> None:
    traps.write()
    finished = headless(*YES, "McpExec trap process")
    assert (finished.exit_code, finished.stderr, traps.ran()) == (0, "", 1)
    for old, new, command, alias in CHANGES:
        traps.write(old, new)
        finished = headless(command)
        assert (finished.exit_code, finished.stdout) == (2, ""), command
        problem = json.loads(finished.stderr)
        assert (problem["type"], problem["alias"]) == ("definition-untrusted", alias), command
    traps.write(new="# a comment\n")
    finished = headless("McpList", "McpTools", "McpTrust", "McpDoctor", f"McpPreview trap echo {CALL}")
    assert finished.exit_code == 2
    listed, offered, trust, _ = (json.loads(line) for line in finished.stdout.splitlines())
    assert [(row["alias"], row["status"]) for row in listed["servers"]] == [("trap", "off"), ("remote", "off")]
    assert offered["tools"] == []
    assert trust["trust"]["state"] == "changed"
    assert json.loads(finished.stderr)["type"] == "definition-untrusted"
    assert (traps.ran(), traps.is_reached()) == (1, False)

    traps.write("one", "two")
    finished = headless(*YES, "McpExec trap process", "McpEnable remote")
    assert (finished.exit_code, json.loads(finished.stderr)["type"]) == (4, "server-unavailable")
    assert (traps.ran(), traps.is_reached()) == (2, True)


def ask(editor: Editor, verb: str, **params: Any) -> Any:
    """What a verb answers: the type of the problem, or the document."""
    editor.lua(
        """_G.answer = nil
        local verb, params = ...
        params.want = 'document'
        require('mcp_host.rpc').request(verb, params, function(reply)
          _G.answer = reply.problem and reply.problem.type or reply.document
        end)""",
        verb,
        params,
    )
    return editor.wait_until("_G.answer", seconds=CONNECT_SECONDS)


def approve(editor: Editor) -> None:
    """A yes to what the file says now."""
    digest = ask(editor, "trust")["trust"]["digest"]
    assert ask(editor, "trust", digest=digest)["trust"]["state"] == "trusted"


def wait_for_refusals(editor: Editor, *names: str) -> None:
    """Until each of these buffers says that its server waits for a yes; they are gone then."""
    for name in names:
        editor.wait_until(
            """(function(name)
              local buf = require('mcp_host.buffers').find(name)
              local last = buf and vim.api.nvim_buf_get_lines(buf, -2, -1, false)[1]
              if last == 'definition-untrusted' then vim.api.nvim_buf_delete(buf, { force = true }) end
              return last == 'definition-untrusted'
            end)(...)""",
            name,
            seconds=CONNECT_SECONDS,
        )


def wait_for_messages(editor: Editor, number: int) -> None:
    """Until it was said that often that a command was refused."""
    said = "select(2, vim.fn.execute('messages'):gsub('mcp: trap waits for your approval', '')) == ..."
    editor.wait_until(said, number, seconds=CONNECT_SECONDS)
    editor.command("messages clear")


def test_with_a_screen_neither_an_open_buffer_nor_a_command_nor_a_start_runs_a_changed_file(
    start_editor: Callable[..., Editor], traps: Traps, define: Callable[[str], Path]
) -> None:
    define("")
    editor = start_editor()
    editor.command(f"cd {traps.file.parent.parent}")
    traps.write()
    approve(editor)
    assert ask(editor, "enable", alias="trap")["server"]["status"] == "ready"
    editor.command("Mcp")
    editor.command("split mcp://trap/survey")
    editor.wait_until("vim.fn.bufnr('^mcp://trap/survey$') > 0 and vim.fn.search('echo', 'nw') > 0")
    assert (traps.ran(), traps.is_reached()) == (1, False)

    record(editor, "McpTrustNeeded", "McpServerStatus")
    traps.write("[servers.trap]", "[servers.trap]\nsummary = 'Another'")
    editor.wait_until("#_G.recorded.McpTrustNeeded > 0")
    editor.wait_until("require('mcp_host.events').snapshot.servers.trap == 'off'")
    for old, new, *_ in CHANGES:
        traps.write(old, new)
        editor.command("only | edit mcp://trap/survey | edit!")
        editor.command("McpEnable trap")
        editor.command(f"McpExec! trap echo {CALL}")
        editor.command("split mcp://remote/survey")
        wait_for_refusals(editor, "mcp://trap/survey", "mcp://remote/survey")
        wait_for_messages(editor, 2)
        editor.command("split mcp://servers")
        editor.lua(
            "vim.fn.getcompletion('McpExec trap ', 'cmdline') vim.fn.getcompletion('McpRead remote ', 'cmdline')"
        )
        editor.command("doautocmd FocusGained")
        assert ask(editor, "exec", alias="trap", tool="process", interactive=True) == "definition-untrusted"
        assert ask(editor, "tools")["tools"] == []
    assert (traps.ran(), traps.is_reached()) == (1, False)

    session = traps.file.parent.parent / "session.vim"
    editor.command("edit mcp://trap/survey | split mcp://trap/tool/echo | split mcp://servers")
    editor.command(f"mksession {session}")
    again = start_editor("--cmd", f"cd {traps.file.parent.parent}", "-c", f"silent! source {session}")
    wait_for_refusals(again, "mcp://trap/survey", "mcp://trap/tool/echo")
    assert (traps.ran(), traps.is_reached()) == (1, False)
    approve(again)
    assert ask(again, "enable", alias="trap")["server"]["status"] == "ready"
    assert ask(again, "enable", alias="remote") == "server-unavailable"
    assert (traps.ran(), traps.is_reached()) == (2, True)
