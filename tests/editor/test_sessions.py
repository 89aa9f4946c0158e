"""Sessions: the visible mcp:// buffers come back filled, except proposals, which are gone and say so."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from tests.editor.looking import DEMO, open_filled, page, page_options
from tests.editor.talking import Editor
from tests.editor.test_proposals import propose


def test_a_session_brings_the_pages_back_and_no_proposal_that_could_run(
    start_editor: Callable[..., Editor], define: Callable[[str], Path], workspace: Path
) -> None:
    define(DEMO)
    session = workspace / "session.vim"
    first = start_editor()
    open_filled(first, "mcp://demo/survey")
    _, receipt = propose(first)
    first.command(f"mksession {session}")

    editor = start_editor()
    editor.command(f"silent! source {session}")  # `balt` in it fails by itself (E37), with and without this plugin
    editor.lua("require('mcp_host.proposal').LOOK_MS = 0")
    survey = editor.wait_until("vim.fn.bufnr('^mcp://demo/survey$') > 0 and vim.fn.bufnr('^mcp://demo/survey$')")
    editor.wait_until("vim.bo[...].filetype == 'mcp-survey'", survey, seconds=30)
    assert editor.lua("return vim.api.nvim_buf_get_lines(..., 0, 1, false)[1]", survey).startswith("demo · ready")
    assert page_options(editor, survey) == page(bufhidden="hide")

    editor.lua("vim.api.nvim_set_current_win(vim.fn.bufwinid('^' .. ... .. '$'))", f"mcp://proposal/{receipt}")
    assert editor.lines()[0] == "This proposal is gone"
    assert editor.lines()[-1] == "receipt-unknown"
    assert editor.lua("return { vim.bo.buftype, vim.bo.modifiable }") == ["acwrite", False]
    assert "CLOSED" in editor.lua("return vim.wo.winbar")
    editor.command("write")
    assert "nothing was sent." in editor.messages()
    assert editor.lua("return vim.tbl_count(require('mcp_host.events').snapshot.receipts)") == 0
    assert not (workspace / "mcp:").exists()
