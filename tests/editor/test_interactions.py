"""Questions of servers, met by a person: shown where nobody is disturbed, answered by `:write`, and by nothing else."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.editor.asking import (
    be_asked,
    begin_anew,
    editor_that_is_asked,
    is_there,
    wait_for_answer,
    wait_for_message,
    wait_for_question,
    winbar,
)
from tests.editor.looking import go_to, wait_for_filled, windows_of
from tests.editor.talking import Editor

FOR_EVER = 1e9


@pytest.fixture(scope="module")
def _shared(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Editor]:
    with editor_that_is_asked(tmp_path_factory.mktemp("homes")) as editor:
        yield editor


@pytest.fixture
def editor(_shared: Editor) -> Editor:
    """The editor of this module, as if it had just been started."""
    begin_anew(_shared)
    return _shared


@pytest.mark.behaviour("editor.form-reviewed")
def test_a_form_is_entered_mended_and_sent_by_a_write(editor: Editor) -> None:
    buf, _ = be_asked(editor, "book")
    assert editor.lua(
        """local found = {}
        for _, name in ipairs({ 'buftype', 'bufhidden', 'filetype', 'modeline', 'swapfile', 'undofile', 'modified' }) do
          found[name] = vim.bo[name]
        end
        return found"""
    ) == {
        "buftype": "acwrite",
        "bufhidden": "wipe",
        "filetype": "toml",
        "modeline": False,
        "swapfile": False,
        "undofile": False,
        "modified": False,
    }
    assert "QUESTION" in winbar(editor, buf)
    assert editor.lua("return vim.fn.getline('.')") == '#name = ""', "the cursor is where somebody begins"
    shown = editor.lines()
    editor.command("silent! undo")
    assert editor.lines() == shown, "there is nothing before the form"

    # A write that does not fit leaves it all there, says what is wrong and marks the lines.
    editor.press(":wq<CR>")
    editor.wait_until("#vim.diagnostic.get(0) == 3")
    marked = editor.lua("return vim.tbl_map(function(one) return one.lnum + 1 end, vim.diagnostic.get(0))")
    assert [shown[line - 1] for line in marked] == ['#name = ""', '#email = ""', '#meal = ""']
    assert "mcp: line 6: name is required" in editor.messages()
    assert (editor.lines(), windows_of(editor, buf)) == (shown, [editor.lua("return vim.api.nvim_get_current_win()")])

    # What is filled in loses its `#`, and one `u` takes back both; put back by hand, it stays.
    editor.press('ci"Ada<Esc>')
    editor.wait_until("vim.fn.getline('.') == 'name = \"Ada\"'")
    editor.press("u")
    editor.wait_until("vim.fn.getline('.') == '#name = \"\"'")
    editor.press("<C-r>]]")
    editor.wait_until("vim.fn.getline('.') == '#email = \"\"'")
    editor.press('ci"ada@example.test<Esc>')
    go_to(editor, "^#note")
    editor.press('ci"by the door<Esc>')
    editor.wait_until("vim.fn.getline('.') == 'note = \"by the door\"'")
    editor.press("I#<Esc>")
    editor.wait_until("vim.fn.getline('.') == '#note = \"by the door\"'")
    for field, typed in (("meal", "ve"), ("fare", "fl")):
        go_to(editor, f"^#\\?{field} =")
        editor.press(f'ci"{typed}<C-x><C-o><Esc>')
    editor.wait_until("vim.fn.search('^fare = \"flex\"$', 'nw') > 0 and vim.fn.search('^meal = \"veg\"$', 'nw') > 0")
    go_to(editor, "^seats")
    editor.press("$r9")
    editor.command("write")
    editor.wait_until("#vim.diagnostic.get(0) == 1")
    assert editor.lua("return vim.fn.getline('.')") == "seats = 9"
    editor.press("$r2")
    editor.press(":wq<CR>")
    told = wait_for_answer(editor)
    assert told == {
        "result": {
            "action": "accept",
            "content": {
                "name": "Ada",
                "email": "ada@example.test",
                "day": "2026-08-01",
                "seats": 2,
                "luggage": 12.5,
                "window": True,
                "fare": "flex",
                "meal": "veg",
            },
        }
    }
    assert not is_there(editor, buf)
    assert "asks.book: answered" in editor.messages()
    assert editor.lua("return #vim.api.nvim_list_wins()") == 2, "the form has gone, the result is there"


@pytest.mark.behaviour("editor.decline-and-cancel")
def test_no_and_nothing_are_told_apart(editor: Editor) -> None:
    for leave, action in (
        ("McpDecline", "decline"),
        ("quit", "cancel"),
        ("bdelete", "cancel"),
        ("McpDismiss", "cancel"),
        ("xit", "cancel"),
    ):
        buf, _ = be_asked(editor, "wipe")
        editor.command(leave)
        assert wait_for_answer(editor) == {"result": {"action": action}}, leave
        assert not is_there(editor, buf)
        begin_anew(editor)
    # What was typed is not left by mistake.
    be_asked(editor, "wipe")
    editor.command("%substitute/false/true/")
    with pytest.raises(Exception, match="E37"):
        editor.command("quit")
    assert ":quit! cancels" in "\n".join(editor.screen())
    editor.command("quit!")
    assert wait_for_answer(editor) == {"result": {"action": "cancel"}}
    assert "asks.wipe: cancelled, you gave no answer" in editor.messages()


@pytest.mark.behaviour("editor.form-reviewed")
def test_only_a_write_of_what_was_there_to_be_read_is_an_answer(editor: Editor, tmp_path: Path) -> None:
    editor.lua("require('mcp_host.interaction').LOOK_MS = ...", FOR_EVER)
    buf, _ = be_asked(editor, "wipe")
    for keys in (":w<CR>", ":wq<CR>"):
        editor.press(keys)
        wait_for_message(editor, "only just shown: look, then :write again. Nothing was sent.")
    editor.command(f"write {tmp_path / 'copy.toml'}")
    wait_for_message(editor, "a copy was saved. Nothing was sent.")
    assert (tmp_path / "copy.toml").read_text().endswith("really = false\n")
    editor.lua("require('mcp_host.interaction').LOOK_MS = 0")
    editor.command("%substitute/false/true/")
    editor.command("wincmd p | wall")  # from another window
    wait_for_message(editor, "only just shown: look, then :write again. Nothing was sent.")
    assert "QUESTION" in winbar(editor, buf)
    editor.command("wincmd p | write")
    assert wait_for_answer(editor) == {"result": {"action": "accept", "content": {"really": True}}}


def test_nobody_who_is_in_the_middle_of_something_is_interrupted(editor: Editor) -> None:
    editor.lua("vim.api.nvim_buf_set_lines(0, 0, -1, false, { 'one two', 'three' }) vim.bo.modified = false")
    here = editor.lua("return vim.api.nvim_get_current_win()")
    for mode, keys, leave in (("i", "i", "<Esc>"), ("no", "d", "w"), ("c", ":ec", "<C-c>"), ("cmdwin", "q:", "<C-c>")):
        editor.press(keys)
        is_in = "vim.fn.getcmdwintype() == ':'" if mode == "cmdwin" else f"vim.api.nvim_get_mode().mode == '{mode}'"
        editor.wait_until(is_in)
        windows = editor.lua("return #vim.api.nvim_list_wins()")
        editor.command("McpExec asks wipe")
        question = wait_for_question(editor)
        assert editor.lua("return #vim.api.nvim_list_wins()") == windows, mode
        assert editor.lua(f"return {is_in}"), mode
        editor.press(leave)
        if mode == "cmdwin":
            editor.wait_until("vim.fn.getcmdwintype() == ''")
            editor.press("<C-c>")
        buf = wait_for_filled(editor, f"mcp://interaction/{question}")
        (win,) = windows_of(editor, buf)
        assert editor.lua("return vim.api.nvim_get_current_win()") == here != win, "shown and not entered"
        assert "asks.wipe asks you something: :McpInteractions" in editor.messages()
        editor.command("McpDecline")
        wait_for_answer(editor)
        editor.command("only! | messages clear")
        editor.wait_until("#require('mcp_host.events').snapshot.calls == 0")
    assert editor.lines() == ["two", "three"]


def test_a_question_of_a_call_that_is_over_says_so_and_keeps_what_was_typed(editor: Editor) -> None:
    buf, _ = be_asked(editor, "book")
    editor.press('ci"Ada<Esc>')
    editor.command("McpCancel")
    editor.wait_until("vim.wo.winbar:find('WITHDRAWN', 1, true)")
    assert 'name = "Ada"' in editor.lines()
    editor.command("write")
    assert "this question is over; nothing was sent." in editor.messages()
    editor.command("quit!")
    assert not is_there(editor, buf)
    # Where nobody typed or stands, it goes by itself.
    editor.command("only!")
    buf, _ = be_asked(editor, "wipe")
    editor.command("wincmd p")
    editor.command("McpCancel")
    editor.wait_until("not vim.api.nvim_buf_is_valid(...)", buf)


@pytest.mark.behaviour("editor.url-by-a-key")
def test_an_address_is_shown_whole_and_opened_by_a_key_alone(editor: Editor) -> None:
    url = "https://login.example.test/device?code=WDJB-MJHT"
    editor.lua(
        """_G.opened, _G.real = {}, vim.ui.open
        vim.ui.open = function(url) table.insert(_G.opened, url) end"""
    )
    buf, _ = be_asked(editor, "sign_in")
    assert any(line.strip() == url for line in editor.lines())
    assert editor.lua("return { vim.bo.modifiable, vim.bo.filetype, #_G.opened }") == [False, "mcp-interaction", 0]
    assert "gx opens it" in winbar(editor, buf)
    editor.press("gx")
    editor.wait_until("#_G.opened == 1")
    editor.press("<CR>Kgggx")  # nothing but gx, which works from anywhere in the page
    editor.wait_until("#_G.opened == 2")
    assert editor.lua("return _G.opened") == [url, url]
    editor.lua("vim.ui.open = function() return nil, 'no handler found' end")
    editor.press("gx")
    wait_for_message(editor, "no browser here: yank the address, open it elsewhere")
    # Nothing but http and https, whatever the page says.
    for other in (
        "file:///etc/passwd",
        "javascript:alert(1)",
        "https://a.test/\u202e",
        "https://a.test/ -x",
        "-https://",
    ):
        editor.lua(
            """local buf, url = ...
            vim.ui.open = function(url) table.insert(_G.opened, url) end
            for _, item in pairs(require('mcp_host.buffers').state(buf).items) do
              if item.kind == 'url' then item.name = url end
            end""",
            buf,
            other,
        )
        editor.press("gx")
        wait_for_message(editor, "that address is not one to be opened from here.")
    assert editor.lua("return #_G.opened") == 2
    editor.lua("vim.ui.open = _G.real")
    editor.command("write")
    assert wait_for_answer(editor) == {"result": {"action": "accept"}}


@pytest.mark.behaviour("editor.completion-reviewed")
def test_a_draft_goes_into_the_form_and_only_a_write_sends_it(editor: Editor) -> None:
    editor.lua(
        r"""require('mcp_host').setup({ sampling = function(request, done)
          _G.request = request
          vim.schedule(function() done('soggy\n"doggy" \\ \1\226\128\174\n', 'gpt "9"') end)
        end })"""
    )
    begin_anew(editor)
    be_asked(editor, "think")
    assert ":McpSample drafts" in editor.lua("return vim.wo.winbar")
    before = editor.lines()
    editor.command("McpSample")
    editor.wait_until("vim.fn.search('^soggy$', 'nw') > 0")
    request = editor.lua("return _G.request")
    assert (request["systemPrompt"], request["maxTokens"]) == ("You are terse.", 20)
    assert editor.lines()[-4:] == ['text = """', "soggy", r"\"doggy\" \\ \u0001\U0000202e", '"""']
    assert 'model = "gpt \\"9\\""' in editor.lines()
    editor.command("undo")
    assert editor.lines() == before
    editor.command("redo")
    # What it raises is not repeated.
    editor.lua("require('mcp_host').setup({ sampling = function() error('hunter2') end })")
    editor.command("McpSample")
    wait_for_message(editor, "raised an error")
    assert "hunter2" not in editor.messages()
    editor.command("write")
    told = wait_for_answer(editor)["result"]
    assert (told["content"]["text"], told["model"]) == ('soggy\n"doggy" \\ \x01\u202e', 'gpt "9"')


def test_questions_are_answered_by_command_and_from_lua_too(editor: Editor) -> None:
    buf, question = be_asked(editor, "wipe")
    assert editor.lua("return vim.fn.getcompletion('McpAnswer ', 'cmdline')") == [question]
    assert editor.lua("return require('mcp_host').status()").endswith(" ?")
    editor.command("wincmd p | McpInteractions")
    editor.wait_until("vim.fn.search('waits for you', 'cw') > 0")
    editor.press("<CR>")
    editor.wait_until("vim.api.nvim_get_current_buf() == ...", buf)
    editor.command('McpAnswer {"action": "accept", "content": {"really": true}}')
    assert wait_for_answer(editor)["result"]["content"] == {"really": True}
    editor.wait_until("vim.fn.execute('messages'):find('asks.wipe: answered', 1, true)")
    begin_anew(editor)
    for decide, told in (
        ("answer(nil, { action = 'accept', content = { really = false } }, ...)", {"really": False}),
        ("decline(nil, ...)", None),
        ("dismiss(nil, ...)", None),
    ):
        be_asked(editor, "wipe")
        editor.lua(
            f"""_G.said = nil
            local function keep(problem, value) _G.said = problem or value.interaction.state end
            require('mcp_host').{decide.replace("...", "keep")}"""
        )
        assert editor.wait_until("_G.said") in ("answered", "declined", "cancelled")
        assert wait_for_answer(editor)["result"].get("content") == told
        begin_anew(editor)
    editor.lua("require('mcp_host').interactions(function(_, value) _G.all = value.interactions end)")
    assert {one["state"] for one in editor.wait_until("_G.all")} >= {"answered", "declined", "cancelled", "withdrawn"}


def test_a_read_that_asks_is_met_and_cancelled_like_a_call(editor: Editor) -> None:
    door = "mcp://asks/resource/asks%3A%2F%2Fdoor"
    for decide, shown in (("McpCancel", "was cancelled"), ("%substitute/false/true/ | write", '"really": true')):
        editor.command("McpRead asks asks://door")
        question = wait_for_question(editor)
        buf = wait_for_filled(editor, f"mcp://interaction/{question}")
        editor.wait_until("vim.api.nvim_get_current_buf() == ...", buf)
        (call,) = editor.lua("return vim.fn.getcompletion('McpCancel ', 'cmdline')")
        assert editor.lua("return require('mcp_host.events').snapshot.interactions[...].call", question) == call
        editor.command(decide)
        editor.wait_until(
            """(function(name, shown)
              local buf = require('mcp_host.buffers').find(name)
              return table.concat(vim.api.nvim_buf_get_lines(buf, 0, -1, false), '\\n'):find(shown, 1, true)
            end)(...)""",
            door,
            shown,
        )
        begin_anew(editor)
