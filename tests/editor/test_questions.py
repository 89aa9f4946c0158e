"""Names that the environment lacks are asked of the person's `setup{ resolve }`, and their values stay unseen."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from tests.editor.looking import CONNECT_SECONDS, script
from tests.editor.neovim import Homes
from tests.editor.talking import Editor

SECRET = "hunter2-4f9a8b7c6d5e"

NEEDS = 'env = {{ TOKEN = "${{{0}}}" }}\n'

RESOLVE = """
_G.asked = {}
require('mcp_host').setup({ resolve = %s })
"""

SYNCHRONOUS = """function(name)
  table.insert(_G.asked, name)
  if name == 'GIVEN' then return 'hunter2-4f9a8b7c6d5e\\n' end
  if name == 'RAISES' then error('no: hunter2-4f9a8b7c6d5e') end
  if name == 'WRONG' then return { 'hunter2-4f9a8b7c6d5e' } end
end"""

ASYNCHRONOUS = """function(name, done)
  table.insert(_G.asked, name)
  vim.system({ 'printf', 'hunter2-4f9a8b7c6d5e' }, { text = true }, function(ended)
    done(ended.stdout)
    done('a second answer')
  end)
end"""


def needing(alias: str, name: str) -> str:
    """The definition of a server that needs a name."""
    return script(alias, "polite.py") + NEEDS.format(name)


def enable(editor: Editor, alias: str) -> str:
    """How enabling it ends: the status or what the problem says."""
    editor.lua(
        """_G.ended = nil
        require('mcp_host.rpc').request('enable', { alias = ..., want = 'document' }, function(reply)
          local problem = reply.problem
          _G.ended = problem and table.concat({ problem.type, problem.title, problem.detail, problem.hint }, '\\n')
            or reply.document.server.status
        end)""",
        alias,
    )
    return str(editor.wait_until("_G.ended", seconds=CONNECT_SECONDS))


def test_a_resolver_feeds_what_the_environment_lacks_and_its_values_are_seen_nowhere(
    start_editor: Callable[..., Editor], define: Callable[[str], Path], homes: Homes
) -> None:
    define("".join(needing(name.lower(), name) for name in ("GIVEN", "RAISES", "WRONG", "NOTHING", "PATH")))
    editor = start_editor()
    editor.lua(RESOLVE % SYNCHRONOUS)
    assert enable(editor, "given") == "ready"
    assert enable(editor, "path") == "ready"
    assert editor.lua("return _G.asked") == ["GIVEN"], "what the environment has is not asked for"
    for alias in ("raises", "wrong", "nothing"):
        ended = enable(editor, alias)
        assert ended.startswith("reference-missing"), ended
        assert alias.upper() in ended
        assert SECRET not in ended
    assert editor.lua("return vim.deepcopy(_G.asked)") == ["GIVEN", "RAISES", "WRONG", "NOTHING"]
    assert SECRET not in editor.messages()
    assert SECRET not in editor.lua("return vim.inspect(vim.fn.getcompletion('g:', 'var')) .. vim.inspect(vim.g)")
    assert SECRET not in editor.lua("return vim.inspect(package.loaded['mcp_host.rpc'])")
    written = [path for path in homes.root.rglob("*") if path.is_file()]
    assert not any(SECRET in path.read_text(errors="replace") for path in written)

    editor.lua(RESOLVE % ASYNCHRONOUS)
    assert enable(editor, "nothing") == "ready"
    assert editor.lua("return _G.asked") == ["NOTHING"]


def test_setup_refuses_a_resolver_that_is_no_function(editor: Editor) -> None:
    said = editor.lua("return select(2, pcall(require('mcp_host').setup, { resolve = 'pass' }))")
    assert said.endswith('mcp_host.setup: "resolve" must be a function')
