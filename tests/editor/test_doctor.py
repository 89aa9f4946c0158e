"""The doctor: the same findings in its own buffer and in `:checkhealth`."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

from tests.editor.conftest import Headless
from tests.editor.looking import DEMO, page, page_options, script, wait_for_filled
from tests.editor.talking import Editor

SICK = '[servers.absent]\ncommand = "no-such-program-anywhere"\n[servers.broken]\ncomand = "misspelt"\n'
NEEDY = script("needy", "polite.py") + 'env = { TOKEN = "${NOT_SET_ANYWHERE}" }\n'


def test_the_doctor_and_checkhealth_name_what_is_wrong_and_start_no_server(
    editor: Editor, define: Callable[[str], Path]
) -> None:
    file = define(DEMO + SICK + NEEDY)
    editor.command("McpDoctor")
    buf = wait_for_filled(editor, "mcp://doctor")
    editor.wait_until("vim.api.nvim_get_current_buf() == ...", buf)
    assert editor.lua("return vim.bo.filetype") == "mcp-doctor"
    assert page_options(editor, buf) == page(bufhidden="hide")
    shown = "\n".join(editor.lines())
    for word in ("no-such-program-anywhere", "NOT_SET_ANYWHERE", "comand", "demo"):
        assert word in shown, word
    editor.lua("require('mcp_host').doctor(function(_, value) _G.doctor = value.doctor end)")
    assert editor.wait_until("_G.doctor")["python"]

    editor.command("checkhealth mcp_host")
    found = "\n".join(editor.lines())
    for word in (
        "absent: no-such-program-anywhere was not found",
        "needy: not set: NOT_SET_ANYWHERE",
        "comand",
        "demo: off",
        str(file),
    ):
        assert word in found, f"{word}\n{found}"
    assert "absent: off" not in found
    assert editor.lua("return require('mcp_host').status()") in ("mcp 0/3", "mcp 0/4", "mcp 0/4 !")


def test_whoever_asks_the_doctor_tells_it_whether_names_are_fed(
    editor: Editor, define: Callable[[str], Path], headless: Headless
) -> None:
    define(NEEDY)
    finished = headless("McpDoctor")
    assert (finished.exit_code, finished.stderr) == (0, "")
    assert json.loads(finished.stdout)["doctor"]["resolver"] is False
    editor.lua("require('mcp_host').setup({ resolve = function() _G.asked = true end })")
    editor.command("McpDoctor")
    wait_for_filled(editor, "mcp://doctor")
    assert any("setup{ resolve } is asked" in line for line in editor.lines())
    editor.lua("require('mcp_host').doctor(function(_, value) _G.doctor = value.doctor end)")
    assert editor.wait_until("_G.doctor")["resolver"] is True
    editor.command("checkhealth mcp_host")
    found = "\n".join(editor.lines())
    assert "needy: off" in found
    assert "not set" not in found
    assert editor.lua("return _G.asked == nil"), "it asks nobody"


def test_checkhealth_says_why_a_project_file_does_not_count(
    editor: Editor, define: Callable[[str], Path], workspace: Path
) -> None:
    define("")
    file = workspace / ".nvim" / "mcp.toml"
    file.parent.mkdir()
    file.write_text(DEMO)
    editor.command(f"cd {workspace}")
    editor.command("checkhealth mcp_host")
    found = "\n".join(editor.lines())
    assert f"project ({file}): not approved, so it defines nothing" in found
    assert "waits for your yes" in found
    editor.command("McpUntrust")
    editor.wait_until("vim.fn.execute('messages'):find('not approved any more', 1, true)")
    editor.command("checkhealth mcp_host")
    found = "\n".join(editor.lines())
    assert f"project ({file}): ignored, as you said" in found
    assert "ERROR" not in found


def test_checkhealth_tells_of_a_host_that_cannot_start(editor: Editor) -> None:
    editor.lua("vim.g.mcp_host_python = '/nowhere/python'")
    editor.command("checkhealth mcp_host")
    found = "\n".join(editor.lines())
    assert "no Python environment with the host: looked for /nowhere/python" in found
    assert "no file of definitions of your own yet" in found
    editor.lua("vim.g.mcp_host_python = vim.fn.exepath('false')")
    editor.command("checkhealth mcp_host")
    assert "the host cannot be imported" in "\n".join(editor.lines())
    assert editor.lua("return require('mcp_host.rpc').peer() == nil")
