"""A running Neovim that a test talks to, over pynvim and with a user interface attached.

pynvim's calls have no time limit, and a prompt for a key blocks every one of them. So each call here is bounded: when
it takes too long the editor is ended and the test fails with what the editor was showing.
"""

from __future__ import annotations

import math
import os
import signal
import subprocess
import threading
from collections.abc import Callable, Generator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, TypeVar

import pynvim

from tests.editor.neovim import arguments, find_nvim

CLOSE_SECONDS = 5.0
"""What an editor may take to end. The host's own bound on leaving is 1.5 s."""

WAIT_SECONDS = 10.0
"""How long an expectation may take to come true on a loaded machine before the test says that it will not."""

SLICE_SECONDS = 0.05
"""How long one question waits. Between two of them the editor takes the keys that are due, as it cannot meanwhile."""

ANSWER_SECONDS = 20.0
"""What one call may take beyond what it waits for by itself."""

T = TypeVar("T")


class Editor:
    """A running Neovim with a user interface of 80 by 24.

    `nvim` is the pynvim session, for what has no method here: use it within `ask`, which bounds it. pynvim carries no
    types, so its values are `Any`.
    """

    def __init__(self, nvim: Any, *, pid: int, socket: Path) -> None:
        self.nvim = nvim
        self.pid = pid
        self.given_up = False
        """Whether it was ended for not answering in time."""
        self._socket = socket
        self._last_seen = ""

    def ask(self, question: Callable[[], T], *, seconds: float = ANSWER_SECONDS) -> T:
        """Return what `question` returns, which may talk to `nvim`.

        Raises:
            AssertionError: the editor did not answer. It has been ended, and the text holds what it was showing.
        """
        watchdog = threading.Timer(seconds, self._give_up)
        watchdog.start()
        try:
            return question()
        except (OSError, EOFError) as error:
            raise AssertionError("Neovim has ended") from error
        finally:
            watchdog.cancel()
            if self.given_up:
                watchdog.join()
                raise AssertionError(f"no answer from Neovim within {seconds} s\n{self._last_seen}")

    def lua(self, source: str, *arguments: object, seconds: float = ANSWER_SECONDS) -> Any:
        """Run Lua in the editor and return its value; `arguments` arrive as `...`."""
        return self.ask(lambda: self.nvim.exec_lua(source, *arguments), seconds=seconds)

    def command(self, text: str) -> None:
        """Run one Ex command."""
        self.ask(lambda: self.nvim.command(text))

    def press(self, keys: str) -> None:
        """Type keys in Neovim's notation (`<CR>`), as a person would."""
        self.ask(lambda: self.nvim.input(keys))

    def lines(self) -> list[str]:
        """The current buffer's lines."""
        return self.ask(lambda: list(self.nvim.current.buffer[:]))

    def messages(self) -> str:
        """What `:messages` shows."""
        return str(self.lua("return vim.fn.execute('messages')"))

    def screen(self) -> list[str]:
        """What is drawn, row by row, without trailing blanks."""
        rows: list[str] = self.lua(
            """vim.cmd.redraw()
            local rows = {}
            for row = 1, vim.o.lines do
              local cells = {}
              for column = 1, vim.o.columns do cells[column] = vim.fn.screenstring(row, column) end
              rows[row] = (table.concat(cells):gsub('%s+$', ''))
            end
            return rows"""
        )
        return rows

    def wait_until(self, expression: str, *arguments: object, seconds: float = WAIT_SECONDS) -> Any:
        """Return the value of a Lua expression once it is true; the editor's loop runs meanwhile.

        Raises:
            AssertionError: it did not become true in time. The text holds the screen and the messages.
        """
        for _ in range(math.ceil(seconds / SLICE_SECONDS)):
            found, value = self.lua(
                f"""local expect = function(...) return {expression} end
                local arguments, value = {{ n = select('#', ...) - 1, select(2, ...) }}, nil
                local found = vim.wait((...) * 1000, function()
                  value = expect(unpack(arguments, 1, arguments.n))
                  return value and true or false
                end, 5)
                return {{ found, value == nil and vim.NIL or value }}""",
                SLICE_SECONDS,
                *arguments,
            )
            if found:
                return value
        shown = "\n".join([*self.screen(), "--- messages", self.messages()])
        raise AssertionError(f"still not true after {seconds} s: {expression}\n{shown}")

    def _give_up(self) -> None:
        self.given_up = True
        self._last_seen = self._look_from_outside()
        with suppress(ProcessLookupError):
            os.kill(self.pid, signal.SIGKILL)

    def _look_from_outside(self) -> str:
        """The messages, asked for over the editor's socket after answering whatever prompt blocks it."""

        def look(*question: str) -> str:
            argv = [find_nvim(), "--clean", "--headless", "--server", str(self._socket), *question]
            asked = subprocess.run(argv, capture_output=True, text=True, timeout=CLOSE_SECONDS, check=False)
            return asked.stdout + asked.stderr

        try:
            look("--remote-send", "<CR>")
            return look("--remote-expr", "execute('messages')")
        except subprocess.TimeoutExpired:
            return "(it does not answer on its socket either)"


@contextmanager
def running_editor(environment: Mapping[str, str], *more: str) -> Generator[Editor, None, None]:
    """A Neovim for the time of the block; afterwards it has ended.

    Raises:
        AssertionError: it did not start, or did not end by itself when it was asked to.
    """
    with TemporaryDirectory(prefix="nvim-") as folder:  # a socket's path must be short
        socket, pid_file = Path(folder, "socket"), Path(folder, "pid")
        # The shell notes the pid that Neovim takes over from it: asking Neovim would wait behind a prompt at start-up.
        noting = ["sh", "-c", 'echo $$ >"$0"; exec "$@"', str(pid_file)]
        with _environment(environment):
            nvim: Any = pynvim.attach("child", argv=noting + arguments("--embed", "--listen", str(socket), *more))
        editor = Editor(nvim, pid=int(pid_file.read_text()), socket=socket)
        try:
            editor.ask(lambda: nvim.ui_attach(80, 24, rgb=True))
            editor.lua("return true")  # answered when start-up is over
            yield editor
        finally:
            ended = _end(editor)
    assert ended, f"Neovim was still there {CLOSE_SECONDS} s after :qall!"


def _end(editor: Editor) -> bool:
    """End the editor and reap it. Whether it ended when it was asked to."""
    with suppress(AssertionError):  # the answer to this is the end of the channel
        editor.ask(lambda: editor.nvim.command("qall!"), seconds=CLOSE_SECONDS)
    ended = _wait_for_end(editor.pid)
    editor.nvim.close()
    if not ended:
        os.kill(editor.pid, signal.SIGKILL)
        _wait_for_end(editor.pid)
    return ended and not editor.given_up


@contextmanager
def _environment(environment: Mapping[str, str]) -> Generator[None, None, None]:
    """Swap this process's environment: pynvim starts its child with it and takes no other."""
    before = dict(os.environ)
    os.environ.clear()
    os.environ.update(environment)
    try:
        yield
    finally:
        os.environ.clear()
        os.environ.update(before)


def _wait_for_end(pid: int) -> bool:
    """Whether the child ended in time. Reaps it: from Python 3.12 on pynvim leaves that to us."""

    def reap() -> None:
        with suppress(ChildProcessError):  # asyncio's watcher was first
            os.waitpid(pid, 0)

    thread = threading.Thread(target=reap, daemon=True)
    thread.start()
    thread.join(CLOSE_SECONDS)
    return not thread.is_alive()
