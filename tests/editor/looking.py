"""What the tests of the interactive side share: definitions of the servers at hand, and where to look in an editor."""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Sequence
from typing import Any

from tests.editor.neovim import REPOSITORY
from tests.editor.talking import Editor

CONNECT_SECONDS = 30.0
"""What may pass until a server answers that has to be started first, together with the host."""

DEMO_READS = ("note_list", "note_read", "count_slowly", "picture", "statistics", "fail")

HIDDEN = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u00ad\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff]")
"""What a terminal could obey or an eye would miss."""


def definition(alias: str, *argv: str, read: Sequence[str] = ()) -> str:
    """A definition that runs this interpreter with `argv`."""
    # A list of strings is written the same way in JSON and in TOML.
    return (
        f"[servers.{alias}]\ncommand = {json.dumps(sys.executable)}\n"
        f"args = {json.dumps(argv)}\nread = {json.dumps(read)}\n"
    )


def script(alias: str, name: str, *arguments: str, read: Sequence[str] = ()) -> str:
    """The definition of one of `tests/servers`."""
    return definition(alias, str(REPOSITORY / "tests" / "servers" / name), *arguments, read=read)


DEMO = definition("demo", "-m", "mcp_host.demo", read=DEMO_READS)


def wait_for_filled(editor: Editor, prefix: str) -> int:
    """The newest buffer whose name begins like this, once it is filled: the filetype is what it is given last."""
    found: int = editor.wait_until(
        """(function(prefix)
          local bufs = vim.tbl_filter(function(buf)
            return vim.startswith(vim.api.nvim_buf_get_name(buf), prefix) and vim.bo[buf].filetype ~= ''
          end, vim.api.nvim_list_bufs())
          return bufs[#bufs]
        end)(...)""",
        prefix,
        seconds=CONNECT_SECONDS,
    )
    return found


def open_filled(editor: Editor, name: str) -> None:
    """Edit an `mcp://` buffer whose name needs no escaping, and wait until it is filled."""
    editor.command(f"edit {name}")
    wait_for_filled(editor, name)


def text_of(editor: Editor, buf: int) -> list[str]:
    """The lines of a buffer that need not be the current one."""
    lines: list[str] = editor.lua("return vim.api.nvim_buf_get_lines(..., 0, -1, false)", buf)
    return lines


def windows_of(editor: Editor, buf: int) -> list[int]:
    """The windows that show the buffer."""
    wins: list[int] = editor.lua("return vim.fn.win_findbuf(...)", buf)
    return wins


def execute(editor: Editor, command: str) -> tuple[int, list[str]]:
    """Run a command that makes a call; its result's buffer and lines once they are there."""
    known: list[int] = editor.lua("return vim.api.nvim_list_bufs()")
    editor.command(command)
    buf: int = editor.wait_until(
        """(function(known)
          for _, buf in ipairs(vim.api.nvim_list_bufs()) do
            if not vim.tbl_contains(known, buf) and vim.bo[buf].filetype == 'mcp-result' then return buf end
          end
        end)(...)""",
        known,
        seconds=CONNECT_SECONDS,
    )
    return buf, text_of(editor, buf)


def page_options(editor: Editor, buf: int) -> dict[str, Any]:
    """What makes a buffer a page that is only looked at."""
    found: dict[str, Any] = editor.lua(
        """local options = {}
        for _, name in ipairs({ 'bufhidden', 'modeline', 'modifiable', 'swapfile', 'undofile', 'undolevels' }) do
          options[name] = vim.bo[...][name]
        end
        return options""",
        buf,
    )
    return found


def page(*, bufhidden: str) -> dict[str, Any]:
    """The options that each of our buffers must have."""
    off = dict.fromkeys(("modeline", "modifiable", "swapfile", "undofile"), False)
    return {"bufhidden": bufhidden, "undolevels": -1, **off}


def go_to(editor: Editor, pattern: str) -> None:
    """Put the cursor on the first line that matches."""
    assert editor.lua("return vim.fn.search(..., 'cw')", pattern) > 0, f"no line matches {pattern}: {editor.lines()}"


def call(editor: Editor, alias: str, tool: str, arguments: dict[str, Any]) -> Any:
    """The document of a call that is made through the Lua API."""
    editor.lua(
        """_G.answer = nil
        local alias, tool, arguments = ...
        require('mcp_host').call(alias, tool, arguments, nil, function(problem, value)
          _G.answer = problem or value
        end)""",
        alias,
        tool,
        arguments,
    )
    return editor.wait_until("_G.answer", seconds=CONNECT_SECONDS)


def record(editor: Editor, *events: str) -> None:
    """Keep the data of each such event from now on; `recorded` returns them."""
    editor.lua(
        """_G.recorded = {}
        for _, event in ipairs((...)) do
          _G.recorded[event] = {}
          require('mcp_host').on(event, function(data) table.insert(_G.recorded[event], data) end)
        end""",
        list(events),
    )


def recorded(editor: Editor, event: str) -> list[dict[str, Any]]:
    """What `record` has kept."""
    found: list[dict[str, Any]] = editor.lua("return _G.recorded[...]", event)
    return found
