"""The command line completes prompts' arguments and templates' variables, with what the server suggests."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from tests.editor.looking import DEMO, open_filled
from tests.editor.talking import Editor

NOTES = [f"note-{number}" for number in (1, 2, 3, 4)]


def completed(editor: Editor, line: str) -> list[str]:
    """What Tab offers at the end of the line."""
    found: list[str] = editor.lua("return vim.fn.getcompletion(..., 'cmdline')", line)
    return found


def test_prompts_and_templates_complete_with_what_the_server_suggests(
    editor: Editor, define: Callable[[str], Path]
) -> None:
    define(DEMO)
    assert completed(editor, "McpPrompt demo summarize_note {") == []
    assert editor.lua("return require('mcp_host.rpc').peer() == nil"), "completing starts no host"
    open_filled(editor, "mcp://demo/survey")
    prompt = "McpPrompt demo summarize_note"
    for line, found in (
        (f"{prompt} ", ['{"id": "', '{"style": "']),
        (prompt + ' {"i', ['{"id": "']),
        (prompt + ' {"id": "', [f'"{note}"' for note in NOTES]),
        (prompt + ' {"id":"note-2', ['{"id":"note-2"']),
        (prompt + ' {"id": "note-1", ', ['"style": "']),
        (prompt + ' {"id": "note-1"', ['"note-1", "style": "']),
        (prompt + ' {"style": "one s', ['sentence"']),
        (prompt + ' {"id": "note-1", "style": "x"', ['"x"}']),
        (prompt + ' {"id": "note-1"}', []),
        (prompt + ' {"id": 3', []),
        ("McpPrompt demo no_such_prompt {", []),
        ("McpRead demo note://{id}", [f"note://{note}" for note in NOTES]),
        ("McpRead demo note://{", [*(f"note://{note}" for note in NOTES), "note://{id}"]),
        ("McpRead demo note://note-3", ["note://note-3"]),
        ("McpRead demo nothing:", []),
        ("McpExec demo --answers", ["--answers"]),
        ("McpExec --answers x.json demo note_l", ["note_list"]),
        ("McpAnswer ", []),
    ):
        assert completed(editor, line) == found, line
    # What stands behind the cursor stays: `<CR>` on a prompt writes both braces.
    editor.press(":" + prompt + ' {}<Left>"style": "a<Tab>')
    editor.wait_until("vim.fn.getcmdline() == ...", prompt + ' {"style": "a question"}')
    editor.press("<C-c>")
    editor.command("McpExec demo statistics --answers")
    assert "Write :McpExec[!] [--answers {file}] {alias} {tool} [json]" in editor.messages()


def test_a_variable_is_found_wherever_it_stands_in_its_template(editor: Editor) -> None:
    for template, typed, variable, put in (
        ("file:///{path}", "file:///", "path", "file:///a%20b%2Fc"),
        ("file:///{+path}", "file:///{+path}", "path", "file:///a%20b/c"),
        ("x://{a}/{b}/end", "x://1/2", "b", "x://1/a%20b%2Fc/end"),
        ("x://{a}/{b}/end", "x://1/{b}/end", "b", "x://1/a%20b%2Fc/end"),
        ("x://{a}/{b}", "x://{a}/{b}", "a", "x://a%20b%2Fc/{b}"),
        ("x://{a}{?query*}", "x://", "a", "x://a%20b%2Fc{?query*}"),
        ("x://{a}", "y://", None, None),
        ("x://plain", "x://plain", None, None),
    ):
        found = editor.lua(
            """local place = require('mcp_host.uri_template').place(...)
            return place and { place.variable, place.put('a b/c') } or { vim.NIL, vim.NIL }""",
            template,
            typed,
        )
        assert found == [variable, put], (template, typed)
    given = editor.lua("return require('mcp_host.uri_template').place('x://{a}/{b}', 'x://1%202/').given")
    assert given == {"a": "1 2"}
