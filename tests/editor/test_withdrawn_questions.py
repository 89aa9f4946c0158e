"""Questions whose host ended: what was typed stays, says what is known, and decides nothing that another host asks."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.editor.asking import (
    be_asked,
    be_asked_beside,
    begin_anew,
    editor_that_is_asked,
    is_there,
    kill_host,
    wait_for_message,
    winbar,
)
from tests.editor.looking import call, text_of, wait_for_filled, windows_of
from tests.editor.talking import Editor

OVER = "this question is over; nothing was sent."


@pytest.fixture(scope="module")
def _shared(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Editor]:
    with editor_that_is_asked(tmp_path_factory.mktemp("homes")) as editor:
        yield editor


@pytest.fixture
def editor(_shared: Editor) -> Editor:
    """The editor of this module, as if it had just been started."""
    begin_anew(_shared)
    return _shared


def be_asked_and_type(editor: Editor) -> tuple[int, str]:
    """A form in which `Ada` was typed."""
    buf, question = be_asked(editor, "book")
    editor.press('ci"Ada<Esc>')
    editor.wait_until("vim.fn.getline('.') == 'name = \"Ada\"'")
    return buf, question


def test_another_host_counts_on_and_leaves_what_was_typed_alone(editor: Editor) -> None:
    buf, question = be_asked_and_type(editor)
    kill_host(editor)
    assert "WITHDRAWN" in winbar(editor, buf)
    other, next_question = be_asked_beside(editor, "asks", "book")
    assert int(next_question[1:]) > int(question[1:])
    assert ('name = "Ada"' in text_of(editor, buf), len(windows_of(editor, buf))) == (True, 1)
    assert ("WITHDRAWN" in winbar(editor, buf), "QUESTION" in winbar(editor, other)) == (True, True)
    with pytest.raises(Exception, match="E37"):
        editor.command("quit")
    editor.command("quit!")
    assert editor.lua("return require('mcp_host.events').snapshot.interactions[...] ~= nil", next_question)


@pytest.mark.parametrize(
    "command", ["McpDecline", "McpDismiss", 'McpAnswer {"action": "accept", "content": {"really": true}}', "write"]
)
def test_what_is_said_in_a_question_that_is_over_decides_no_other(editor: Editor, command: str) -> None:
    buf, _ = be_asked_and_type(editor)
    kill_host(editor)
    _, question = be_asked_beside(editor, "asks", "wipe")
    editor.lua("vim.api.nvim_set_current_win(...)", windows_of(editor, buf)[0])
    editor.command(command)
    wait_for_message(editor, OVER)
    editor.command("McpSample")
    wait_for_message(editor, OVER)
    assert 'name = "Ada"' in editor.lines()
    call(editor, "demo", "statistics", {})  # whatever was sent before it has been dealt with
    assert editor.lua("return require('mcp_host.events').snapshot.interactions[...] ~= nil", question)
    # Where it is said which one, that is another matter.
    editor.command(f"McpDecline {question}")
    assert editor.wait_until("_G.told") == {"result": {"action": "decline"}}


@pytest.mark.parametrize("command", ["write", "McpDecline"])
def test_an_answer_whose_host_dies_is_not_said_to_be_unsent(editor: Editor, command: str) -> None:
    buf, _ = be_asked_and_type(editor)
    editor.lua("vim.uv.kill(require('mcp_host.rpc').peer().pid, 'sigstop')")
    editor.command(command)
    assert "ANSWERING" in winbar(editor, buf)
    kill_host(editor)
    assert "the host ended: your answer may have been sent, :quit" in winbar(editor, buf)
    assert ('name = "Ada"' in text_of(editor, buf), is_there(editor, buf)) == (True, True)
    editor.command("messages clear | write")
    wait_for_message(editor, "this question is over; nothing more was sent.")
    assert any(row.startswith(" UNKNOWN the host ended: your answer may have been sent") for row in editor.screen())
    editor.command("quit!")
    assert not is_there(editor, buf)


def test_a_decline_that_is_refused_leaves_the_question_as_it_was(editor: Editor) -> None:
    buf, question = be_asked_and_type(editor)
    editor.command('McpAnswer {"action": "nonsense"}')
    editor.wait_until("vim.fn.execute('messages'):find('Error') or vim.bo[...].modifiable", buf)
    wait_for_filled(editor, f"mcp://interaction/{question}")
    editor.wait_until("vim.wo[vim.fn.win_findbuf(...)[1]].winbar:find('QUESTION', 1, true)", buf)
    assert ('name = "Ada"' in text_of(editor, buf), editor.lua("return vim.bo[...].modifiable", buf)) == (True, True)


def test_a_buffer_of_that_name_that_somebody_typed_in_gives_way_with_its_text(editor: Editor) -> None:
    editor.lua(
        """local interaction = require('mcp_host.interaction')
        local buf = vim.api.nvim_create_buf(false, false)
        vim.api.nvim_buf_set_name(buf, 'mcp://interaction/q9')
        vim.api.nvim_buf_set_lines(buf, 0, -1, false, { 'mine' })
        _G.mine = buf
        interaction.give_way(buf)"""
    )
    assert editor.lua(
        """local buf = _G.mine
        return { require('mcp_host.buffers').find('mcp://interaction/q9') or 'none',
          vim.api.nvim_buf_get_name(buf) ~= 'mcp://interaction/q9', vim.api.nvim_buf_get_lines(buf, 0, -1, false) }"""
    ) == ["none", True, ["mine"]]
