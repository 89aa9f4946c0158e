"""Drafts of a completion: they replace nothing that a person typed, and a function that says nothing blocks nobody."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.editor.asking import be_asked, begin_anew, editor_that_is_asked, wait_for_answer, wait_for_message
from tests.editor.looking import go_to
from tests.editor.talking import Editor

WAITS = """_G.done = {}
require('mcp_host').setup({ sampling = function(_, done) table.insert(_G.done, done) end })"""


@pytest.fixture(scope="module")
def _shared(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Editor]:
    with editor_that_is_asked(tmp_path_factory.mktemp("homes")) as editor:
        editor.lua(WAITS)
        yield editor


@pytest.fixture
def editor(_shared: Editor) -> Editor:
    """The editor of this module, as if it had just been started."""
    begin_anew(_shared)
    _shared.lua("_G.done = {}")
    return _shared


def ask_for_draft(editor: Editor) -> None:
    """Until the function was called once more."""
    count = editor.lua("return #_G.done")
    editor.command("McpSample")
    editor.wait_until("#_G.done > ...", count)


def test_what_is_typed_meanwhile_is_not_replaced(editor: Editor) -> None:
    be_asked(editor, "think")
    ask_for_draft(editor)
    go_to(editor, "^text = ")
    editor.press("oMY OWN ANSWER")
    editor.wait_until("vim.fn.search('MY OWN', 'nw') > 0")
    editor.lua("_G.done[1]('DRAFT', 'gpt')")
    wait_for_message(editor, 'you changed the text; "" has the draft, p puts it.')
    assert editor.lua("return vim.api.nvim_get_mode().mode") == "i"
    editor.press("!<Esc>")
    editor.wait_until("vim.fn.getline('.') == 'MY OWN ANSWER!'")
    assert editor.lua("return vim.fn.getreg('\"')") == "DRAFT"
    # It can be asked for again, and goes where nobody is typing.
    ask_for_draft(editor)
    editor.lua("_G.done[2]('ANOTHER')")
    editor.wait_until("vim.fn.search('^ANOTHER$', 'nw') > 0 and vim.fn.search('MY OWN', 'nw') == 0")
    editor.command("undo")
    assert "MY OWN ANSWER!" in editor.lines(), "one `u` takes back the draft alone"
    editor.command("write")
    assert wait_for_answer(editor)["result"]["content"]["text"] == "MY OWN ANSWER!\n"


@pytest.mark.parametrize("keys", ["i", "v", "d", ":ec"])
def test_nobody_in_the_middle_of_something_gets_a_draft_under_the_hands(editor: Editor, keys: str) -> None:
    buf, _ = be_asked(editor, "think")
    before = editor.lines()
    ask_for_draft(editor)
    editor.press(keys)
    editor.wait_until("vim.api.nvim_get_mode().mode ~= 'n'")
    editor.lua("_G.done[1]('DRAFT')")
    editor.wait_until("vim.fn.getreg('\"') == 'DRAFT'")
    editor.press("<C-\\><C-n>")
    wait_for_message(editor, 'you were busy; "" has the draft, p puts it.')
    assert editor.lua("return vim.api.nvim_buf_get_lines(..., 0, -1, false)", buf) == before
    editor.lua("vim.fn.setreg('\"', '')")


def test_a_draft_is_one_change_even_right_behind_another(editor: Editor) -> None:
    editor.lua("require('mcp_host').setup({ sampling = function() return 'DRAFT', 'gpt' end })")
    be_asked(editor, "think")
    editor.lua(
        """vim.api.nvim_buf_set_lines(0, -1, -1, false, { '# mine' })
        vim.cmd.McpSample()"""
    )
    editor.wait_until("vim.fn.search('^DRAFT$', 'nw') > 0")
    editor.command("undo")
    assert ("# mine" in editor.lines(), "DRAFT" in editor.lines()) == (True, False)
    editor.lua(WAITS)


def test_a_function_that_never_says_anything_is_superseded_by_the_next_one(editor: Editor) -> None:
    be_asked(editor, "think")
    ask_for_draft(editor)
    ask_for_draft(editor)
    wait_for_message(editor, "your sampling function is asked again.")
    editor.lua("_G.done[1]('LATE')")
    editor.lua("_G.done[2]('DRAFT')")
    editor.wait_until("vim.fn.search('^DRAFT$', 'nw') > 0")
    assert "LATE" not in editor.lines()
    editor.lua("_G.done[2]('TWICE')")
    editor.command("write")
    assert wait_for_answer(editor)["result"]["content"]["text"] == "DRAFT"
