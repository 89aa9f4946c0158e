"""Results in an editor with a person: what each kind looks like, what its lines open, and how much is shown."""

from __future__ import annotations

import stat
from collections.abc import Callable
from pathlib import Path

from tests.editor.looking import (
    CONNECT_SECONDS,
    DEMO,
    execute,
    go_to,
    open_filled,
    page,
    page_options,
    script,
    text_of,
    wait_for_filled,
    windows_of,
)
from tests.editor.neovim import Homes
from tests.editor.talking import Editor

ODD = script("odd", "odd_results.py", read=("every_block", "unknown_block", "schema_mismatch", "empty", "bad_schema"))


def test_each_kind_of_result_is_shown_in_the_one_window_for_results(
    editor: Editor, define: Callable[[str], Path]
) -> None:
    define(DEMO + ODD)
    buf, shown = execute(editor, 'McpExec demo note_read {"id": "note-3"}')
    assert shown[0].startswith("✓ demo.note_read · read · ")
    assert "A grey heron, nine coots, and one very cross swan. Grüße from Zoë." in shown
    assert page_options(editor, buf) == page(bufhidden="hide")
    (win,) = windows_of(editor, buf)
    assert editor.lua("return vim.api.nvim_get_current_win() ~= ...", win)

    buf, shown = execute(editor, "McpExec demo statistics")
    assert windows_of(editor, buf) == [win]
    assert shown[2:5] == ["{", '  "notes": 4,', '  "words": 55,']
    _, shown = execute(editor, 'McpExec demo fail {"message": "It is | \\"full\\""}')
    assert shown[0].startswith("✗ demo.fail · read")
    assert shown[2] == 'It is | "full"'
    assert "mcp: demo.fail: the tool answered with an error" in editor.messages()

    _, shown = execute(editor, "McpExec odd schema_mismatch")
    assert shown[1:4] == ["! structuredContent.id is missing", "", "It was done."]
    _, shown = execute(editor, "McpExec odd unknown_block")
    assert any(line.startswith("! ") and "unknown content type hologram" in line for line in shown)
    assert "known" in shown
    assert '  "type": "hologram",' in shown
    _, shown = execute(editor, "McpExec odd empty")
    assert shown[-1] == "(empty)"
    _, shown = execute(editor, "McpExec odd bad_schema")
    assert "It was done." in shown
    assert editor.lua("return #vim.api.nvim_list_wins()") == 2

    # A kept result comes back by its name.
    call = editor.lua("return vim.api.nvim_buf_get_name(...)", buf).rpartition("/")[2]
    editor.command("only")
    editor.command(f"bwipeout {buf}")
    editor.command(f"Mcp result {call}")
    assert text_of(editor, wait_for_filled(editor, f"mcp://result/{call}"))[0].startswith("✓ demo.statistics")


def test_the_parts_of_a_result_keep_their_order_and_its_files_and_links_open(
    editor: Editor, define: Callable[[str], Path]
) -> None:
    define(DEMO + ODD)
    buf, shown = execute(editor, "McpExec odd every_block")
    kinds = ("first", "[image ", "[audio ", "body", "[blob ", "→ A linked resource", "last")
    rows = [row for kind in kinds for row, line in enumerate(shown) if line.startswith(kind)]
    assert len(rows) == len(kinds)
    assert rows == sorted(rows)

    paths = [Path(line.partition("→ ")[2]) for line in shown if line.startswith(("[image", "[audio", "[blob"))]
    assert [path.suffix for path in paths] == [".png", ".wav", ".pdf"]
    assert {stat.S_IMODE(path.stat().st_mode) for path in paths} == {0o600}
    assert stat.S_IMODE(paths[0].parent.stat().st_mode) == 0o700
    assert paths[0].read_bytes().startswith(b"\x89PNG")
    assert paths[2].read_bytes() == b"\0\1\2"

    (win,) = windows_of(editor, buf)
    editor.lua("vim.api.nvim_set_current_win(...)", win)
    for path, open_it in ((paths[0], "<CR>"), (paths[2], "$gf")):
        go_to(editor, path.name)
        editor.press(open_it)
        editor.wait_until("vim.api.nvim_buf_get_name(0) == ...", str(path))
        editor.lua("vim.api.nvim_win_set_buf(0, ...)", buf)

    go_to(editor, "A linked resource")
    editor.press("<CR>")
    editor.wait_until("vim.api.nvim_buf_get_name(0) == 'mcp://odd/resource/case%3A%2F%2Flinked'")
    editor.wait_until("vim.bo.filetype == 'mcp-problem'")  # the server does not know it


def test_a_result_of_ten_megabytes_is_cut_and_its_file_has_it_all(
    editor: Editor, define: Callable[[str], Path], homes: Homes
) -> None:
    define(script("big", "big.py", read=("big",)))
    buf, shown = execute(editor, 'McpExec big big {"mb": 10, "lines": true}')
    assert len(shown) < 60_000
    (notice,) = [line for line in shown[:5] if str(homes.state) in line]
    assert any("of 125,000 lines not shown" in line for line in shown[:5])
    whole = Path(notice[notice.index(str(homes.state)) :].strip())
    assert stat.S_IMODE(whole.stat().st_mode) == 0o600
    assert len(whole.read_text().splitlines()) >= 125_000
    (win,) = windows_of(editor, buf)
    editor.lua("vim.api.nvim_set_current_win(...)", win)
    go_to(editor, whole.name)
    editor.press("<CR>")
    editor.wait_until("vim.api.nvim_buf_get_name(0) == ...", str(whole))
    assert editor.lua("return vim.api.nvim_buf_line_count(0)") >= 125_000
    assert editor.lua("return vim.bo.modeline") is False


def test_resources_and_prompts_open_below_and_can_be_read_again(editor: Editor, define: Callable[[str], Path]) -> None:
    define(DEMO)
    here = editor.lua("return vim.api.nvim_get_current_win()")
    editor.command("McpRead demo note://note-1")
    note = wait_for_filled(editor, "mcp://demo/resource/")
    assert "# Shopping" in text_of(editor, note)
    editor.command('McpPrompt demo summarize_note {"id": "note-1", "style": "a | \\"haiku\\""}')
    prompt = wait_for_filled(editor, "mcp://demo/prompt/summarize_note")
    asked = "Summarize the note note-1, 'Shopping', as a | \"haiku\"."
    assert asked in text_of(editor, prompt)
    assert editor.lua("return { vim.api.nvim_get_current_win(), #vim.api.nvim_list_wins() }") == [here, 2]
    # The arguments do not stand in the buffer's name, and reading it again uses them still.
    (win,) = windows_of(editor, prompt)
    editor.lua("vim.api.nvim_set_current_win(...) vim.bo.filetype = ''", win)
    editor.command("edit")
    editor.wait_until("vim.bo.filetype == 'mcp-result'")
    assert asked in editor.lines()
    editor.command("McpRead demo note://nowhere")
    assert "nowhere" in "\n".join(text_of(editor, wait_for_filled(editor, "mcp://demo/resource/note%3A%2F%2Fnowhere")))


def test_a_problem_of_a_command_opens_below_and_a_wrong_command_is_one_line(
    editor: Editor, define: Callable[[str], Path]
) -> None:
    define(DEMO)
    for command, said in (
        ("McpExec", "Write :McpExec[!] {alias} {tool} [json] (:McpExec needs"),
        ("McpExec demo", "Write :McpExec[!] {alias} {tool} [json] (:McpExec needs"),
        ("McpList now", "Write :McpList (:McpList takes nothing more than that: now"),
        ("McpRead! demo x", "Write :McpRead {alias} {uri} (:McpRead takes no !)"),
        ("McpExec demo note_read --yes", None),
        ("Mcp nonsense", "It has: list, enable, disable"),
        ("McpRead demo --flag", "Write :McpRead [--answers {file}] {alias} {uri} (:McpRead ha"),
    ):
        editor.command(command)
        if said is not None:
            assert said[:60] in editor.messages()
    for command, kind in (
        ("McpExec demo note_read --yes", "arguments-invalid"),
        ('McpExec demo note_read {"id": 3}', "arguments-invalid"),
        ("McpExec demo note_red", "tool-unknown"),
        ("McpExec nobody at_all", "server-unknown"),
        ("Mcp result c99", "call-unknown"),
        ("McpAccept xxx", "receipt-unknown"),
    ):
        editor.command("silent! only")
        editor.command(command)
        editor.wait_until(
            """(function(kind)
              local buf = vim.api.nvim_win_get_buf(vim.fn.win_getid(vim.fn.winnr('$')))
              return vim.api.nvim_buf_get_lines(buf, -2, -1, false)[1] == kind
            end)(...)""",
            kind,
            seconds=CONNECT_SECONDS,
        )
    open_filled(editor, "mcp://demo/tool/note_read")
    assert editor.lines()[0] == "demo · note_read"


def test_a_file_that_a_person_opened_in_the_result_window_is_left_there(
    editor: Editor, define: Callable[[str], Path], workspace: Path
) -> None:
    define(DEMO)
    buf, _ = execute(editor, "McpExec demo statistics")
    (win,) = windows_of(editor, buf)
    mine = workspace / "mine.txt"
    mine.write_text("mine\n")
    editor.lua("local win, path = ... vim.api.nvim_win_call(win, function() vim.cmd.edit(path) end)", win, str(mine))
    buf, _ = execute(editor, "McpExec demo statistics")
    assert editor.lua("return vim.api.nvim_buf_get_name(vim.api.nvim_win_get_buf(...))", win) == str(mine)
    (other,) = windows_of(editor, buf)
    assert other != win
    # A problem has no name and gives way all the same.
    editor.lua("vim.api.nvim_win_close(..., true)", win)
    editor.command("McpExec nobody at_all")
    editor.wait_until("vim.bo[vim.api.nvim_win_get_buf(...)].filetype == 'mcp-problem'", other)
    buf, _ = execute(editor, "McpExec demo statistics")
    assert windows_of(editor, buf) == [other]
