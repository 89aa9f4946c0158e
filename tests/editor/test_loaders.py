"""The two ways in: a job that Lua starts, and the official remote plugin loader without a manifest."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.editor.neovim import Homes
from tests.editor.talking import Editor

DEMO = f'[servers.demo]\ncommand = "{sys.executable}"\nargs = ["-m", "mcp_host.demo"]\nread = ["note_read"]\n'


@pytest.mark.parametrize("loader", ["job", "rplugin"])
def test_a_tool_can_be_called_through_either_loader(
    start_editor: Callable[..., Editor], define: Callable[[str], Path], loader: str
) -> None:
    define(DEMO)
    editor = start_editor(
        *("--cmd", f"let g:mcp_host_loader = '{loader}'"), *("--cmd", f"let g:python3_host_prog = '{sys.executable}'")
    )
    editor.lua(
        "require('mcp_host').call('demo', 'note_read', { id = 'note-1' }, nil, function(problem, value)"
        " vim.g.answer = problem and problem.title or value.structuredContent.title end)"
    )
    assert editor.wait_until("vim.g.answer", seconds=30) == "Shopping"


def test_the_host_is_not_started_before_somebody_needs_it(editor: Editor) -> None:
    assert editor.lua("return package.loaded['mcp_host.rpc'] == nil")


def test_beginning_to_type_a_command_starts_the_host(editor: Editor) -> None:
    editor.press(":Mc")
    assert editor.lua("return package.loaded['mcp_host.rpc'] == nil")
    editor.press("p")
    assert editor.wait_until("package.loaded['mcp_host.rpc'] and require('mcp_host.rpc').peer().pid")
    editor.press("<Esc>")


def test_a_host_that_dies_answers_what_waits_and_the_next_use_starts_another(
    editor: Editor, define: Callable[[str], Path], homes: Homes
) -> None:
    define(f'[servers.mute]\ncommand = "{sys.executable}"\nargs = ["-c", "import sys; sys.stdin.read()"]\n')
    editor.lua("require('mcp_host').tools('mute', function(problem) vim.g.first = problem.type end)")
    first = editor.wait_until("require('mcp_host.rpc').peer().pid")
    editor.lua("vim.uv.kill(..., 'sigkill')", first)
    assert editor.wait_until("vim.g.first") == "host-failed"
    editor.lua("require('mcp_host').list(function(_, value) vim.g.second = #value.servers end)")
    assert editor.wait_until("vim.g.second", seconds=30) == 1
    assert editor.lua("return require('mcp_host.rpc').peer().pid") != first
    assert homes.definitions.exists()


def test_a_host_whose_loop_dies_ends_with_its_process(editor: Editor) -> None:
    editor.lua(
        """local job = vim.fn.jobstart({ vim.g.mcp_host_python, '-m', 'mcp_host' }, {
          rpc = true, on_exit = function(_, code) vim.g.ended = code end })
        vim.rpcnotify(job, 'mcp_host', 1, 'start', { nonsense = true })"""
    )
    assert editor.wait_until("vim.g.ended", seconds=20) == 1
