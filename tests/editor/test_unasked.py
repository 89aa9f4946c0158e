"""What servers say unasked: progress, log messages, a resource that changed. And what this editor lets them ask for."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.editor.asking import ASKS, begin_anew, editor_that_is_asked, wait_for_answer
from tests.editor.looking import CONNECT_SECONDS, call, record, recorded, text_of, wait_for_filled, windows_of
from tests.editor.talking import Editor

CLOCK = "mcp://asks/resource/asks%3A%2F%2Fclock"


@pytest.fixture(scope="module")
def _shared(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Editor]:
    with editor_that_is_asked(tmp_path_factory.mktemp("homes")) as editor:
        yield editor


@pytest.fixture
def editor(_shared: Editor) -> Editor:
    """The editor of this module, as if it had just been started."""
    begin_anew(_shared)
    return _shared


def settled(editor: Editor, fault: str) -> str:
    """What `setup` says of these settings."""
    return str(editor.lua(f"return select(2, pcall(require('mcp_host').setup, {{ {fault} }}))"))


@pytest.mark.behaviour("editor.resource-updated")
def test_a_resource_that_changed_says_so_and_is_read_again_by_a_key(editor: Editor) -> None:
    record(editor, "McpResourceUpdated")
    editor.command("McpRead asks asks://clock")
    editor.wait_until("vim.fn.bufwinid(...) > 0", CLOCK, seconds=CONNECT_SECONDS)
    buf = wait_for_filled(editor, CLOCK)
    (win,) = windows_of(editor, buf)
    before = text_of(editor, buf)
    call(editor, "asks", "touch", {})
    editor.wait_until("vim.wo[...].winbar:find('CHANGED', 1, true)", win)
    assert recorded(editor, "McpResourceUpdated") == [{"alias": "asks", "uri": "asks://clock"}]
    assert text_of(editor, buf) == before, "nobody's text is exchanged under the eyes"
    assert any("CHANGED at the server: R reads it again" in row for row in editor.screen())
    editor.lua("vim.api.nvim_set_current_win(...)", win)
    editor.press("R")
    editor.wait_until("vim.wo.winbar == ''")
    assert editor.lines() != before


@pytest.mark.behaviour("editor.progress-and-logs")
def test_progress_and_log_messages_arrive_as_events_and_are_forgotten_at_the_end(editor: Editor) -> None:
    record(editor, "McpProgress", "McpLog", "McpCall")
    editor.lua(
        """_G.echoed = {}
        if vim.fn.has('nvim-0.12') == 1 then
          vim.api.nvim_create_autocmd('Progress', { callback = function(event)
            table.insert(_G.echoed, { event.data.title, event.data.status, event.data.percent })
          end })
        end"""
    )
    call(editor, "asks", "chat", {})
    one = {"alias": "asks", "kind": "tool", "tool": "chat", "total": 4, "message": "mm"}
    told = [dict(data) for data in recorded(editor, "McpProgress")]
    (call_id,) = {data["call"] for data in recorded(editor, "McpCall") if data.get("tool") == "chat"}
    assert [data.pop("call") for data in told] == [call_id] * 2
    assert told == [one | {"progress": 1}, one | {"progress": 2}]
    assert recorded(editor, "McpLog") == [{"alias": "asks", "level": "warning", "logger": "asks", "text": "it rains"}]
    assert editor.lua("return next(require('mcp_host.events').snapshot.progress)") is None
    if editor.lua("return vim.fn.has('nvim-0.12')"):
        assert editor.lua("return _G.echoed[1]") == ["asks.chat", "running", 25]
        assert editor.lua("return _G.echoed[#_G.echoed][2]") == "success"
    assert "mm" not in editor.messages()


def test_a_visible_list_of_servers_shows_how_far_a_call_is_and_keeps_its_cursor(editor: Editor) -> None:
    editor.command("McpList")
    servers = wait_for_filled(editor, "mcp://servers")
    editor.command("call cursor(2, 3)")
    editor.lua("require('mcp_host').call('demo', 'count_slowly', { to = 1000, pause_seconds = 0.01 }, function() end)")
    editor.wait_until("vim.fn.search([[count_slowly  \\d\\d\\+ of 1000]], 'nw') > 0", seconds=CONNECT_SECONDS)
    assert editor.lua("return vim.api.nvim_win_get_cursor(0)") == [2, 2]
    editor.command("McpCancel")
    editor.wait_until("vim.fn.search('count_slowly', 'nw') == 0")
    assert windows_of(editor, servers)


@pytest.mark.behaviour("editor.roots-of-the-person")
def test_what_servers_may_ask_for_is_set_before_the_host_starts(
    start_editor: Callable[..., Editor], define: Callable[[str], Path], workspace: Path
) -> None:
    define(ASKS)
    (workspace / "one").mkdir()
    editor = start_editor()
    editor.command(f"cd {workspace}")
    for fault, said in (
        ("sampling = 'robot'", '"sampling" must be a function, "by-hand" or false'),
        ("roots = true", '"roots" must be a table or false'),
        ("roots = { folder = {} }", '"roots" has no "folder"; it has: folders, modern'),
        ("roots = { folders = '/' }", '"roots.folders" must be a list of folders'),
        ("roots = { folders = { '' } }", '"roots.folders" must be a list of folders'),
        ("roots = { modern = 1 }", '"roots.modern" must be a boolean'),
        ("log_level = 'loud'", '"log_level" is false or one of: debug, info'),
        ("nonsense = 1", "there are: config_file, loader, log_level, python, resolve, roots, sampling"),
    ):
        assert said in settled(editor, fault), fault
    editor.lua("require('mcp_host').setup({ roots = { folders = { 'one' } }, log_level = false, sampling = false })")
    editor.command("McpExec asks folders")
    editor.wait_until("vim.fn.bufnr('^mcp://result/') > 0", seconds=CONNECT_SECONDS)
    told: Any = wait_for_answer(editor)
    assert told["result"]["roots"] == [{"uri": f"file://{workspace}/one", "name": "one"}]
