"""What this host costs in a real Neovim, as ratios to the bare SDK and to an idle editor in the same run."""

from __future__ import annotations

import argparse
import json
import statistics
import subprocess
import sys
import time
from collections.abc import Generator, Sequence
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final

from tests.editor.neovim import REPOSITORY, Homes, find_nvim
from tests.editor.talking import Editor, running_editor

SERVERS: Final = REPOSITORY / "tests" / "servers"
POLITE: Final = [str(SERVERS / "polite.py")]
GAP_TIMER: Final = """
local last, longest = vim.uv.hrtime(), 0
local timer = assert(vim.uv.new_timer())
timer:start(0, 5, function()
  local now = vim.uv.hrtime()
  longest, last = math.max(longest, now - last), now
end)
vim.g.gap_started = 1
function _G.longest_gap_ms()
  local found = longest / 1e6
  longest = 0
  return found
end
"""
"""A 5 ms timer of libuv in the editor: the longest time between two ticks is how long the screen stood still."""


def main(arguments: Sequence[str] | None = None) -> None:
    """Prints one line a figure: ours, the floor's, the ratio."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--times", type=int, default=200, help="echo calls")
    parser.add_argument("--starts", type=int, default=5, help="cold starts")
    options = parser.parse_args(arguments)
    sdk_echo: list[float] = []
    for count in (1, 5, 20):
        floors = [_bare_sdk(count, options.times) for _ in range(options.starts)]
        sdk_echo += [sample for floor in floors for sample in floor["echo"]]
        cold = [_cold_start(count) for _ in range(options.starts)]
        _print(f"cold, editor start to {count} catalogs", cold, [floor["cold"] for floor in floors])
    echo = _echo(options.times)
    _print("echo call from Lua, median", echo, sdk_echo)
    _print("echo call from Lua, p99", [_percentile(echo, 99)], [_percentile(sdk_echo, 99)])
    idle, starting, big, mega = _gaps()
    _print("longest gap while the host starts", [starting], [idle])
    _print("longest gap, 10 MB of lines into a buffer", [big], [idle])
    _print("longest gap, 10 MB in one line into a buffer", [mega], [idle])
    with_plugin, without = _startup(20)
    print(f"{'plugin in an editor start':48} {with_plugin - without:8.2f} ms more than {without:.2f} ms without")


def _bare_sdk(count: int, times: int) -> dict[str, Any]:
    command = [sys.executable, "-m", "bench.bare_sdk", str(count), str(times), sys.executable, *POLITE]
    done = subprocess.run(command, cwd=REPOSITORY, check=True, capture_output=True, text=True)
    return json.loads(done.stdout)


def _cold_start(count: int) -> float:
    """Milliseconds from the start of Neovim to the answer of `tools` over this many servers."""
    with _homes(count) as homes:
        started = time.perf_counter()
        with running_editor(homes.environment()) as editor:
            editor.lua("require('mcp_host').tools(nil, function(problem, value) vim.g.rows = #value.tools end)")
            editor.wait_until("vim.g.rows")
            return (time.perf_counter() - started) * 1000


def _echo(times: int) -> list[float]:
    with _homes(1) as homes, running_editor(homes.environment()) as editor:
        samples = editor.lua(
            """local times, samples, mcp = ..., {}, require('mcp_host')
            for number = 0, times do
              local before, done = vim.uv.hrtime(), false
              mcp.call('s0', 'echo', { text = 'hello' }, nil, function() done = true end)
              vim.wait(20000, function() return done end, 1)
              if number > 0 then samples[number] = (vim.uv.hrtime() - before) / 1e6 end
            end
            return samples""",
            times,
            seconds=120,
        )
        return list(samples)


def _gaps() -> tuple[float, float, float, float]:
    with _homes(1, script="big.py") as homes, running_editor(homes.environment()) as editor:
        editor.lua(GAP_TIMER)
        editor.lua("vim.wait(500)")
        idle = editor.lua("return longest_gap_ms()")
        editor.lua("require('mcp_host').tools(nil, function() vim.g.up = 1 end)")
        editor.wait_until("vim.g.up", seconds=30)
        starting = editor.lua("return longest_gap_ms()")
        lines = _gap_of_result(editor, '{"mb": 10, "lines": true}')
        one = _gap_of_result(editor, '{"mb": 10}')
        return idle, starting, lines, one


def _gap_of_result(editor: Editor, arguments: str) -> float:
    editor.lua("longest_gap_ms() vim.g.ended = nil")
    editor.lua(
        "vim.api.nvim_create_autocmd('User', { pattern = 'McpCall', once = false, callback = function(args)"
        " if args.data.state ~= 'started' then vim.g.ended = 1 end end })"
    )
    editor.command(f"McpExec s0 big {arguments}")
    editor.wait_until("vim.g.ended", seconds=60)
    editor.wait_until(
        "vim.iter(vim.api.nvim_list_bufs()):any(function(b) return vim.bo[b].filetype == 'mcp-result' end)", seconds=60
    )
    return editor.lua("return longest_gap_ms()")


def _startup(times: int) -> tuple[float, float]:
    """Milliseconds of an editor start with the plugin and without it."""

    def start(*more: str) -> float:
        before = time.perf_counter()
        subprocess.run([find_nvim(), "--clean", "--headless", *more, "-c", "qa"], check=True, capture_output=True)
        return (time.perf_counter() - before) * 1000

    plugin = str(REPOSITORY / "plugin" / "mcp_host.lua")
    path = ("--cmd", f"let &runtimepath = '{REPOSITORY},' . &runtimepath")
    pairs = [
        (start(*path, "-c", f"source {plugin}"), start(*path, "--cmd", "let g:loaded_mcp_host = 1"))
        for _ in range(times)
    ]
    return statistics.median(pair[0] for pair in pairs), statistics.median(pair[1] for pair in pairs)


@contextmanager
def _homes(count: int, *, script: str = "polite.py") -> Generator[Homes, None, None]:
    """Folders with this many servers defined, `s0` and on."""
    with TemporaryDirectory(prefix="bench-") as folder:
        homes = Homes(root=Path(folder))
        homes.definitions.parent.mkdir(parents=True)
        homes.definitions.write_text("".join(_definition(number, script) for number in range(count)))
        yield homes


def _definition(number: int, script: str) -> str:
    arguments = json.dumps([str(SERVERS / script)])
    return f'[servers.s{number}]\ncommand = {json.dumps(sys.executable)}\nargs = {arguments}\nread = ["echo", "big"]\n'


def _percentile(samples: Sequence[float], percent: int) -> float:
    return statistics.quantiles(samples, n=100)[percent - 1]


def _print(what: str, ours: Sequence[float], floor: Sequence[float]) -> None:
    mine, theirs = statistics.median(ours), statistics.median(floor)
    print(f"{what:48} {mine:8.2f} ms  floor {theirs:8.2f} ms  ratio {mine / theirs:5.2f}")
    sys.stdout.flush()


if __name__ == "__main__":
    main()
