"""The windows of questions: whoever leaves one is back where they were, and nothing takes its rows or its text."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from tests.editor.asking import (
    be_asked,
    be_asked_beside,
    begin_anew,
    editor_that_is_asked,
    is_there,
    wait_for_answer,
    wait_for_message,
    winbar,
)
from tests.editor.looking import execute, go_to, script, text_of, wait_for_filled, windows_of
from tests.editor.talking import Editor

OTHER = script("other", "asks.py", read=("book", "wipe"))

FOR_EVER = 1e9
ONLY_JUST = "only just shown: look, then :write again. Nothing was sent."


@pytest.fixture(scope="module")
def _shared(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Editor]:
    with editor_that_is_asked(tmp_path_factory.mktemp("homes"), OTHER) as editor:
        yield editor


@pytest.fixture
def editor(_shared: Editor) -> Editor:
    """The editor of this module, as if it had just been started."""
    begin_anew(_shared)
    return _shared


def here(editor: Editor) -> int:
    """The current window."""
    return int(editor.lua("return vim.api.nvim_get_current_win()"))


def height(editor: Editor, win: int) -> int:
    """Rows of a window."""
    return int(editor.lua("return vim.api.nvim_win_get_height(...)", win))


def let_scheduled_run(editor: Editor) -> None:
    """Until what the editor has put off is done."""
    editor.lua("_G.is_done = nil vim.schedule(function() vim.schedule(function() _G.is_done = true end) end)")
    editor.wait_until("_G.is_done")


def be_asked_and_type(editor: Editor) -> tuple[int, str]:
    """A form in which `Ada` was typed."""
    buf, question = be_asked(editor, "book")
    editor.press('ci"Ada<Esc>')
    editor.wait_until("vim.fn.getline('.') == 'name = \"Ada\"'")
    return buf, question


@pytest.mark.behaviour("editor.form-reviewed")
def test_a_second_write_is_for_ones_own_window_and_answers_no_other_question(editor: Editor) -> None:
    own = here(editor)
    be_asked(editor, "wipe")
    buf, _ = be_asked_beside(editor, "other", "wipe")
    editor.press(":w<CR>")
    wait_for_message(editor, "asks.wipe: done")
    assert here(editor) == own
    editor.press(":w<CR>")
    editor.wait_until("vim.fn.execute('messages'):find('E32', 1, true)")
    assert "QUESTION" in winbar(editor, buf)
    # Whoever goes there may say yes.
    editor.lua("vim.api.nvim_set_current_win(...)", windows_of(editor, buf)[0])
    editor.press(":w<CR>")
    assert editor.wait_until("_G.told")["result"]["action"] == "accept"
    editor.wait_until("vim.api.nvim_get_current_win() == ...", own)


@pytest.mark.parametrize("leave", ["write", "McpDecline", "quit", "bdelete", "close"])
def test_whoever_is_done_with_a_question_is_back_where_the_call_was_made(editor: Editor, leave: str) -> None:
    own = here(editor)
    execute(editor, "McpExec demo statistics")
    be_asked(editor, "wipe")
    editor.command(leave)
    editor.wait_until("#require('mcp_host.events').snapshot.calls == 0")
    editor.wait_until("vim.api.nvim_get_current_win() == ...", own)
    # Looking at the result in between changes nothing about that.
    begin_anew(editor)
    own = here(editor)
    result, _ = execute(editor, "McpExec demo statistics")
    buf, _ = be_asked(editor, "wipe")
    for win in (windows_of(editor, result)[0], windows_of(editor, buf)[0]):
        editor.lua("vim.api.nvim_set_current_win(...)", win)
    editor.command(leave)
    editor.wait_until("vim.api.nvim_get_current_win() == ...", own)


def test_who_stands_elsewhere_stays_there_when_a_question_goes(editor: Editor) -> None:
    result, _ = execute(editor, "McpExec demo statistics")
    buf, _ = be_asked(editor, "wipe")
    (win,) = windows_of(editor, result)
    editor.lua("vim.api.nvim_set_current_win(...)", win)
    editor.command("McpCancel")
    editor.wait_until("not vim.api.nvim_buf_is_valid(...)", buf)
    let_scheduled_run(editor)
    assert here(editor) == win
    # In another window of the same question, too.
    buf, _ = be_asked_beside(editor, "other", "book")
    editor.lua("vim.api.nvim_set_current_win(...)", windows_of(editor, buf)[0])
    editor.command("vsplit | quit")
    let_scheduled_run(editor)
    assert (here(editor), is_there(editor, buf)) == (windows_of(editor, buf)[0], True)


def test_a_question_that_the_cursor_fell_into_is_not_answered_by_the_first_write(editor: Editor) -> None:
    first, _ = be_asked_beside(editor, "asks", "wipe")
    editor.lua("vim.api.nvim_set_current_win(...) vim.cmd.only()", windows_of(editor, first)[0])
    buf, _ = be_asked_beside(editor, "other", "wipe")
    editor.press(":w<CR>")
    editor.wait_until("#vim.api.nvim_list_wins() == 1 and vim.api.nvim_get_current_buf() == ...", buf)
    editor.wait_until("_G.told")  # of the first
    let_scheduled_run(editor)
    editor.lua("_G.told = nil")
    editor.press(":w<CR>")
    wait_for_message(editor, ONLY_JUST)
    assert editor.lua("return _G.told") is None
    editor.press(":w<CR>")
    assert editor.wait_until("_G.told")["result"]["action"] == "accept"


@pytest.mark.behaviour("editor.form-reviewed")
def test_a_question_of_which_no_row_or_no_field_was_in_sight_is_not_answered(editor: Editor) -> None:
    editor.command("set winminheight=0")
    buf, _ = be_asked_beside(editor, "other", "wipe")
    (win,) = windows_of(editor, buf)
    editor.lua("vim.api.nvim_set_current_win(...)", win)
    let_scheduled_run(editor)
    editor.command("wincmd p | resize | wincmd p")
    editor.press(":w<CR>")
    wait_for_message(editor, "no line of it is in sight: make its window larger.")
    # Its fields are below what the window shows of it.
    editor.command("resize 3 | call cursor(1, 1) | edit!")
    editor.wait_until("vim.fn.getline('$') == 'really = false'")
    let_scheduled_run(editor)
    editor.press("gg:w<CR>")
    wait_for_message(editor, "its fields were not in sight yet: look, then :write again.")
    assert editor.lua("return _G.told") is None
    editor.press("G")
    editor.wait_until("vim.fn.line('w$') == vim.fn.line('$')")
    editor.press("gg:w<CR>")
    assert editor.wait_until("_G.told")["result"]["action"] == "accept"
    editor.command("set winminheight&")


def test_nothing_takes_rows_from_a_question_that_is_filled_in(editor: Editor) -> None:
    buf, _ = be_asked(editor, "book")
    win = here(editor)
    before = height(editor, win)
    execute(editor, "McpExec demo statistics")
    assert height(editor, win) == before
    other, _ = be_asked_beside(editor, "other", "book")
    (beside,) = windows_of(editor, other)
    assert height(editor, beside) >= 3
    assert height(editor, win) > before // 2
    # Whoever goes there has room to read.
    editor.lua("vim.api.nvim_set_current_win(...)", beside)
    editor.wait_until("vim.api.nvim_win_get_height(0) > ...", before // 2)
    assert windows_of(editor, buf) == [win]


LEAVE_OPEN: dict[str, str] = {
    "hide": "vim.cmd.hide()",
    "close!": "vim.cmd.close({ bang = true })",
    "only!": "vim.cmd.wincmd('p') vim.cmd.only({ bang = true })",
    "nvim_win_hide": "vim.api.nvim_win_hide(0)",
    "nvim_win_close": "vim.api.nvim_win_close(0, true)",
    "tabclose!": "vim.cmd.wincmd('T') vim.cmd.tabclose({ bang = true })",
}


@pytest.mark.parametrize("leave", LEAVE_OPEN)
def test_what_was_typed_outlives_its_window_and_is_opened_again(editor: Editor, leave: str) -> None:
    buf, question = be_asked_and_type(editor)
    editor.lua(LEAVE_OPEN[leave])
    wait_for_message(editor, "asks.book: what you typed is kept, :McpInteractions opens it")
    assert (windows_of(editor, buf), 'name = "Ada"' in text_of(editor, buf)) == ([], True)
    assert editor.lua("return require('mcp_host.events').snapshot.interactions[...] ~= nil", question)
    assert editor.lua("return vim.bo[...].modified", buf), "without a ! :qall does not leave it"
    editor.command("McpInteractions")
    wait_for_filled(editor, "mcp://interactions")
    go_to(editor, f"^  {question} .*waits for you")
    editor.press("<CR>")
    editor.wait_until("vim.api.nvim_get_current_buf() == ...", buf)
    assert ('name = "Ada"' in editor.lines(), "QUESTION" in winbar(editor, buf)) == (True, True)
    with pytest.raises(Exception, match="E37"):
        editor.command("quit")
    editor.command("vsplit | quit!")  # of one of its two windows: nothing is left by that
    assert 'name = "Ada"' in text_of(editor, buf)
    editor.command("new | wincmd p")
    editor.command("quit!")
    assert wait_for_answer(editor) == {"result": {"action": "cancel"}}
    assert not is_there(editor, buf)


@pytest.mark.parametrize("leave", ["bdelete!", "bwipeout!", "bunload!"])
def test_throwing_away_the_text_leaves_the_question_also_where_no_window_shows_it(editor: Editor, leave: str) -> None:
    for is_hidden in (False, True):
        buf, _ = be_asked_and_type(editor)
        if is_hidden:
            editor.command("hide")
        editor.command(f"{leave.removesuffix('!')}! {buf}")
        told: Any = wait_for_answer(editor)
        assert (told, is_there(editor, buf)) == ({"result": {"action": "cancel"}}, False), is_hidden
        begin_anew(editor)


def test_a_form_that_nobody_typed_in_is_left_by_hiding_it(editor: Editor) -> None:
    buf, _ = be_asked(editor, "book")
    editor.command("hide")
    assert wait_for_answer(editor) == {"result": {"action": "cancel"}}
    assert not is_there(editor, buf)
