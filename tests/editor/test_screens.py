"""Which editors count as headless, and what may reach the terminal of one that does."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

from tests.editor.conftest import Headless
from tests.editor.looking import CONNECT_SECONDS, DEMO
from tests.editor.neovim import Homes
from tests.editor.talking import Editor, running_editor


def test_an_editor_whose_screen_went_away_is_not_ended_by_a_verb(editor: Editor, define: Callable[[str], Path]) -> None:
    define(DEMO)
    editor.ask(editor.nvim.ui_detach)
    assert editor.lua("return #vim.api.nvim_list_uis()") == 0
    for command in ("McpExec demo note_list", "McpExec nobody at_all", "McpExec", "Mcp nonsense"):
        editor.command(command)
    editor.wait_until("vim.fn.execute('messages'):find('demo.note_list: done', 1, true)", seconds=CONNECT_SECONDS)
    editor.wait_until("vim.fn.execute('messages'):find('There is no server named nobody', 1, true)")
    assert "It has: list, enable" in editor.messages()


def test_a_headless_editor_that_others_talk_to_is_not_ended_by_a_verb(
    homes: Homes, define: Callable[[str], Path]
) -> None:
    define(DEMO)
    with running_editor(homes.environment(), "--headless") as editor:  # with --listen, as always here
        editor.ask(editor.nvim.ui_detach)
        editor.command("McpExec demo note_list")
        editor.command("Mcp nonsense")
        editor.wait_until("vim.fn.execute('messages'):find('demo.note_list: done', 1, true)", seconds=CONNECT_SECONDS)


def test_a_problem_reaches_the_terminal_in_ascii_alone(headless: Headless) -> None:
    name = "é\u009b\u202e\u2028\U0001f980\U000e0041"
    finished = headless(f"McpExec {name} tool", "qa")
    assert finished.exit_code == 3
    assert finished.stderr.isascii()
    assert name in json.loads(finished.stderr)["title"]
    assert "\\ud83e\\udd80" in finished.stderr
    finished = headless('execute "McpExec a\\xff\\xe9b tool"', "qa")
    assert finished.stderr.isascii()
    assert json.loads(finished.stderr)["type"] in ("server-unknown", "usage")
