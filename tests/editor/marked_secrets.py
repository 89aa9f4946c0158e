"""Secrets that are known again wherever they turn up, and the places where one could: files, an editor, processes."""

from __future__ import annotations

import base64
import json
import re
from collections.abc import Iterator
from hashlib import sha256
from pathlib import Path
from typing import Final

from tests.editor.talking import Editor

_STEM: Final = "marked-secret"
_ODD: Final = '/+"&='
"""What is escaped in URLs and in JSON, behind every third secret."""


class Marks:
    """The marked secrets of one test, each known by what it is for."""

    def __init__(self) -> None:
        self._made: dict[str, str] = {}

    def __getitem__(self, name: str) -> str:
        """The secret for this, the same whenever it is asked for."""
        if name not in self._made:
            number = len(self._made) + 1
            digest = sha256(f"{_STEM} {number}".encode()).hexdigest()[:8]
            self._made[name] = f"{_STEM}-{number:02}-{digest}" + (_ODD if number % 3 == 0 else "")
        return self._made[name]

    def __len__(self) -> int:
        return len(self._made)

    def __iter__(self) -> Iterator[str]:
        return iter(self._made)

    def in_(self, data: bytes | str) -> frozenset[str]:
        """Which secrets are in there, whole or in two halves, as they are or in base64; "some" is what only begins so.

        Percent-encoding and JSON's escapes leave both halves as they are.
        """
        found = data.encode("utf-8", "surrogatepass") if isinstance(data, str) else data
        lower = found.lower()

        def stands(text: str) -> bool:
            return text.encode() in lower or any(core in found for core in _base64_cores(text))

        named = {name for name, secret in self._made.items() if any(stands(half) for half in _halves(secret))}
        return frozenset(named or ({"some"} if stands(_STEM) else set()))


def _halves(secret: str) -> tuple[str, str]:
    """`marked-secret-07-` and the digest: a text that was cut may hold one of them."""
    head, dash, digest = secret.removesuffix(_ODD).rpartition("-")
    return head + dash, digest


def _base64_cores(text: str) -> Iterator[bytes]:
    """What is always there where the text stands in base64, for each way in which it can be aligned."""
    for lead in range(3):
        encoded = base64.b64encode(b"\0" * lead + text.encode())
        yield encoded[-(-lead * 8 // 6) : (lead + len(text)) * 8 // 6]


def files_below(*folders: Path) -> Iterator[tuple[str, bytes]]:
    """Every file there, hidden ones too, and what it holds; also the names themselves."""
    for folder in folders:
        for path in sorted(folder.rglob("*")):
            if path.is_file():
                yield str(path), path.read_bytes()
            yield f"the name of {path}", str(path).encode()


_BROKEN: Final = re.compile(r"\n\s*(?:↪\s*)?")

LOOK: Final = """
local function text(value) return type(value) == 'string' and value or vim.inspect(value) end
local found = {}
for _, buf in ipairs(vim.api.nvim_list_bufs()) do
  local name = vim.api.nvim_buf_get_name(buf)
  local lines = table.concat(vim.api.nvim_buf_get_lines(buf, 0, -1, false), '\\n')
  found[('buffer %d %s'):format(buf, name)] = name .. '\\n' .. lines
  local marks = vim.api.nvim_buf_get_extmarks(buf, -1, 0, -1, { details = true })
  found[('marks of buffer %d %s'):format(buf, name)] = text(marks)
  found[('variables of buffer %d %s'):format(buf, name)] = text(vim.fn.getbufvar(buf, ''))
end
for _, win in ipairs(vim.api.nvim_list_wins()) do
  found['window ' .. win] = text(vim.fn.getwinvar(win, '')) .. vim.wo[win].winbar .. vim.wo[win].statusline
end
for _, history in ipairs({ 'cmd', 'search', 'expr', 'input', 'debug' }) do
  for at = 1, vim.fn.histnr(history) do
    local name = ('history %s %d'):format(history, at)
    found[name] = vim.fn.histget(history, at)
  end
end
for register in ('"0123456789abcdefghijklmnopqrstuvwxyz-.:%#/'):gmatch('.') do
  found['register ' .. register] = vim.fn.getreg(register)
end
for _, scope in ipairs({ 'g:', 'v:', 't:' }) do
  for _, name in ipairs(vim.fn.getcompletion(scope, 'var')) do
    local read, value = pcall(vim.fn.eval, name)
    found['variable ' .. name] = read and text(value) or ''
  end
end
found['messages'] = vim.fn.execute('messages')
found['quickfix'] = text(vim.fn.getqflist())
found['jumps'] = text(vim.fn.getjumplist())
found['autocommands'] = text(vim.api.nvim_get_autocmds({ event = { 'User', 'BufWriteCmd', 'BufReadCmd' } }))
return found
"""
"""Everything that an editor keeps and shows, by what it is."""

LOOK_INSIDE: Final = """
local seen, found = {}, {}
local function walk(value, place, depth)
  if type(value) == 'string' then
    found[#found + 1] = place .. '\\n' .. value
  elseif depth < 30 and (type(value) == 'table' or type(value) == 'function') and not seen[value] then
    seen[value] = true
    if type(value) == 'table' and value ~= vim and value ~= _G and value ~= package.loaded then
      for key, member in pairs(value) do
        walk(key, place, depth + 1)
        walk(member, place .. '.' .. tostring(key), depth + 1)
      end
    elseif type(value) == 'function' then
      for at = 1, 60 do
        local name, held = debug.getupvalue(value, at)
        if not name then break end
        walk(held, place .. ':' .. name, depth + 1)
      end
    end
  end
end
for name, module in pairs(package.loaded) do
  if name:find('^mcp_host') then walk(module, name, 0) end
end
return table.concat(found, '\\n')
"""
"""Every text that our modules keep in their tables and closures."""


def kept_by(editor: Editor) -> Iterator[tuple[str, str]]:
    """Every place of a running editor in which a text may stand, and the text."""
    shown: dict[str, str] = editor.lua(LOOK)
    for place, text in shown.items():
        # Long lines are broken by us, and a secret in them may be: it is looked for across the breaks too.
        yield place, f"{text}\n{_BROKEN.sub('', text)}"
    rows = editor.screen()
    yield "the screen", "\n".join((*rows, "".join(rows)))
    yield "what our Lua modules keep", str(editor.lua(LOOK_INSIDE))


def processes_of(pid: int) -> list[int]:
    """The process and all that came of it, whichever thread started them."""
    children = [child for task in Path("/proc", str(pid), "task").glob("*/children") for child in _words_of(task)]
    return [pid, *(one for child in children for one in processes_of(int(child)))]


def _words_of(file: Path) -> list[str]:
    try:
        return file.read_text().split()
    except (FileNotFoundError, ProcessLookupError):
        return []


def command_line(pid: int) -> bytes:
    """What everybody sees who lists processes."""
    return Path(f"/proc/{pid}/cmdline").read_bytes()


def seen_by_servers(file: Path) -> list[dict[str, str]]:
    """What `tests/servers/leaky.py` was given each time: all of it as one text, under what it says it is."""
    return [json.loads(line) for line in file.read_text().splitlines()]
