"""The Neovim that the other tests rely on is what they take it for."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.editor.conftest import Headless
from tests.editor.neovim import REPOSITORY, Homes
from tests.editor.talking import Editor, running_editor


def test_the_editor_has_an_interface_this_plugin_and_this_python(editor: Editor) -> None:
    assert editor.lua("return #vim.api.nvim_list_uis()") == 1
    assert editor.lua("return vim.o.runtimepath").startswith(f"{REPOSITORY},")
    assert editor.lua("return vim.g.mcp_host_python") == sys.executable


def test_the_editor_lives_in_folders_of_the_test(editor: Editor, homes: Homes) -> None:
    for kind in ("config", "data", "state", "cache"):
        assert Path(editor.lua("return vim.fn.stdpath(...)", kind)).is_relative_to(homes.root)
    assert editor.lua("return vim.env.NVIM_MCP_TIME == nil and vim.env.XDG_RUNTIME_DIR == nil")


def test_two_editors_of_one_test_share_their_folders(start_editor: Callable[..., Editor]) -> None:
    first, second = start_editor(), start_editor()
    assert first.pid != second.pid
    assert first.lua("return vim.fn.stdpath('state')") == second.lua("return vim.fn.stdpath('state')")


def test_waiting_lets_the_editors_loop_run_and_returns_what_came_true(editor: Editor) -> None:
    editor.lua("vim.defer_fn(function() vim.g.seen = 'late' end, 20)")
    assert editor.wait_until("vim.g.seen") == "late"


def test_waiting_for_what_never_comes_says_what_was_on_the_screen(editor: Editor) -> None:
    editor.press("ihello from the buffer<Esc>")
    with pytest.raises(AssertionError, match="hello from the buffer"):
        editor.wait_until("false", seconds=0.05)


def test_an_editor_behind_a_prompt_fails_the_test_with_its_messages(homes: Homes) -> None:
    def ask_behind_a_prompt() -> None:
        with running_editor(homes.environment()) as editor:
            editor.lua("print('what it said') return vim.fn.getchar()", seconds=0.5)

    with pytest.raises(AssertionError, match="what it said"):
        ask_behind_a_prompt()


def test_a_headless_run_returns_its_exit_code_and_both_streams(headless: Headless, workspace: Path) -> None:
    finished = headless("lua io.stdout:write(vim.env.GREETING, ' ', vim.uv.cwd())", "cquit 7", GREETING="hello")
    assert (finished.exit_code, finished.stdout) == (7, f"hello {workspace}")


def test_a_headless_run_that_does_not_end_fails_with_what_it_said(headless: Headless) -> None:
    with pytest.raises(AssertionError, match="still running"):
        headless("lua io.stdout:write('waiting')", seconds=0.5)
