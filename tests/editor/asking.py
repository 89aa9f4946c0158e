"""What the tests about questions of servers share: an editor with a server that asks, and how a question is met."""

from __future__ import annotations

import json
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from tests.editor.looking import CONNECT_SECONDS, DEMO, script, text_of, wait_for_filled
from tests.editor.neovim import Homes
from tests.editor.talking import Editor, running_editor

ASKS = script("asks", "asks.py", read=("book", "wipe", "sign_in", "think", "folders", "touch", "chat"))

LEAVE = """
require('mcp_host.interaction').LOOK_MS = 0
for id in pairs(require('mcp_host.events').snapshot.interactions) do
  require('mcp_host').dismiss(id, function() end)
end
"""
IS_LEFT = """(function(snapshot)
  local origins = require('mcp_host.origins') -- until a reply is there, its result may yet be shown
  local is_waiting = origins.find('asks') or origins.find('demo')
  return not is_waiting and #snapshot.calls == 0 and not next(snapshot.interactions)
end)(require('mcp_host.events').snapshot)"""
CLEAR = """
vim.cmd('silent! only!')
vim.cmd('silent! enew!')
for _, buf in ipairs(vim.api.nvim_list_bufs()) do -- what was typed is kept
  if vim.startswith(vim.api.nvim_buf_get_name(buf), 'mcp://interaction') then
    vim.api.nvim_buf_delete(buf, { force = true })
  end
end
vim.cmd('messages clear')
"""


@contextmanager
def editor_that_is_asked(root: Path, *more: str) -> Generator[Editor, None, None]:
    """An editor whose server `asks` does, for the tests of one module: `begin_anew` between them.

    Args:
        more: Definitions of further servers.
    """
    homes = Homes(root=root)
    homes.definitions.parent.mkdir(parents=True)
    homes.definitions.write_text("".join((ASKS, DEMO, *more)))
    with running_editor(homes.environment()) as editor:
        editor.lua("require('mcp_host').setup({ sampling = 'by-hand', log_level = 'debug' })")
        yield editor


def begin_anew(editor: Editor) -> None:
    """One empty window, Normal mode, no question open and no call under way."""
    editor.press("<C-\\><C-n>")
    editor.wait_until("vim.api.nvim_get_mode().mode == 'n'")
    editor.lua(LEAVE)
    editor.wait_until(IS_LEFT)
    editor.lua(CLEAR)


def wait_for_question(editor: Editor) -> str:
    """The id of the only open question, once there is one."""
    return str(
        editor.wait_until("next(require('mcp_host.events').snapshot.interactions)", seconds=CONNECT_SECONDS),
    )


def be_asked(editor: Editor, tool: str) -> tuple[int, str]:
    """Call a tool that asks, from the keyboard's place; the buffer of its question, entered, and the question's id."""
    editor.command(f"McpExec asks {tool}")
    question = wait_for_question(editor)
    buf = wait_for_filled(editor, f"mcp://interaction/{question}")
    editor.wait_until("vim.api.nvim_get_current_buf() == ...", buf)
    return buf, question


def be_asked_beside(editor: Editor, alias: str, tool: str) -> tuple[int, str]:
    """Let a plugin call a tool that asks: the buffer of its question, which is shown and not entered, and its id."""
    editor.lua(
        """_G.told = nil
        local alias, tool = ...
        require('mcp_host').call(alias, tool, {}, {}, function(problem, value)
          _G.told = problem and problem.type or vim.json.decode(value.content[1].text)
        end)""",
        alias,
        tool,
    )
    question: str = editor.wait_until(
        """(function(alias)
          for id, asked in pairs(require('mcp_host.events').snapshot.interactions) do
            if asked.alias == alias then return id end
          end
        end)(...)""",
        alias,
        seconds=CONNECT_SECONDS,
    )
    return wait_for_filled(editor, f"mcp://interaction/{question}"), question


def kill_host(editor: Editor) -> None:
    """End the host as a crash would."""
    editor.lua("vim.uv.kill(require('mcp_host.rpc').peer().pid, 'sigkill')")
    editor.wait_until("not require('mcp_host.rpc').peer()")


def wait_for_answer(editor: Editor) -> Any:
    """What the server was told, as the newest result shows it."""
    buf: int = editor.wait_until(
        """(function()
          for _, win in ipairs(vim.api.nvim_list_wins()) do
            local buf = vim.api.nvim_win_get_buf(win)
            local is_done = #require('mcp_host.events').snapshot.calls == 0
            if is_done and vim.w[win].mcp_host_result and vim.bo[buf].filetype == 'mcp-result' then return buf end
          end
        end)()"""
    )
    said = "\n".join(text_of(editor, buf)).partition("\n\n")[2]
    return json.loads(said)


def is_there(editor: Editor, buf: int) -> bool:
    """Whether the buffer is."""
    return bool(editor.lua("return vim.api.nvim_buf_is_valid(...)", buf))


def winbar(editor: Editor, buf: int) -> str:
    """What stands above the buffer in the first window that shows it."""
    return str(editor.lua("return vim.wo[vim.fn.win_findbuf(...)[1]].winbar", buf))


def wait_for_message(editor: Editor, text: str) -> None:
    """Until the line was said; forgets the messages then."""
    editor.wait_until("vim.fn.execute('messages'):find(..., 1, true)", text)
    editor.command("messages clear")
