"""Counts the processes that are left after an editor ended, however it ended.

Run by hand for the full figure, `python -m tests.soak.processes_left --times 20`; the tests run a short form. Linux
only: it waits on process file descriptors, so that nothing here sleeps or polls.
"""

from __future__ import annotations

import argparse
import json
import os
import select
import signal
import sys
import time
from collections.abc import Generator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final, Literal

from tests.editor.neovim import REPOSITORY, Homes
from tests.editor.talking import Editor, running_editor

Ending = Literal["quit", "kill -9", "host hup"]

ENDINGS: Final[tuple[Ending, ...]] = ("quit", "kill -9", "host hup")
"""The editor quits, the editor is killed, and the host is hung up while the editor stays."""

SERVERS: Final = REPOSITORY / "tests" / "servers"

GONE_SECONDS: Final = 5.0
"""How long after the editor's end a process may still be there."""


@dataclass(frozen=True, kw_only=True)
class Kind:
    """One kind of server: its script, and how many processes it is made of."""

    name: str
    script: str
    arguments: tuple[str, ...] = ()
    processes: int = 1
    connects: bool = True
    """False for a server that never gets past connecting."""


KINDS: Final = (
    Kind(name="polite", script="polite.py"),
    Kind(name="stubborn", script="stubborn.py"),
    Kind(name="with a child of its own", script="forking.py", arguments=("--deaf",), processes=2),
    Kind(name="still connecting", script="mute.py", connects=False),
)


@dataclass(frozen=True, kw_only=True)
class Trial:
    """What one end of one editor came to."""

    left: int
    """Processes still there afterwards; the host's own is counted too."""
    seconds: float
    """From the editor's end to the end of the last process."""


def run_trial(kind: Kind, ending: Ending) -> Trial:
    """One editor with one server of this kind, ended this way."""
    with TemporaryDirectory(prefix="left-") as folder, _editor_with(kind, Path(folder)) as (editor, processes):
        started = time.monotonic()
        if ending == "quit":
            with suppress(AssertionError):
                editor.ask(lambda: editor.nvim.command("qall!"), seconds=GONE_SECONDS)
        elif ending == "kill -9":
            os.kill(editor.pid, signal.SIGKILL)
        else:
            os.kill(list(processes)[-1], signal.SIGHUP)
        left = _wait_until_gone(processes)
        seconds = time.monotonic() - started
        for process in left:
            with suppress(ProcessLookupError):
                os.kill(process, signal.SIGKILL)
        return Trial(left=len(left), seconds=seconds)


@contextmanager
def _editor_with(kind: Kind, folder: Path) -> Generator[tuple[Editor, dict[int, int]], None, None]:
    """A running editor and the processes behind it, the host last, each with a descriptor that tells of its end."""
    homes = Homes(root=folder)
    pids = folder / "pids"
    os.mkfifo(pids)
    homes.definitions.parent.mkdir(parents=True)
    homes.definitions.write_text(
        f"[servers.trial]\ncommand = {json.dumps(sys.executable)}\n"
        f"args = {json.dumps([str(SERVERS / kind.script), *kind.arguments])}\n"
        f"env = {{ MCP_PIDS = {json.dumps(str(pids))} }}\n"
    )
    # Opened for both ways, so that opening does not wait for a writer and reading sees no end.
    reading = os.open(pids, os.O_RDWR)
    with running_editor(homes.environment()) as editor:
        editor.lua(
            "require('mcp_host.rpc').request('enable', { alias = 'trial' }, function(reply) vim.g.up = 1 end)",
        )
        host: int = editor.lua("return require('mcp_host.rpc').peer().pid")
        found = [*_read_pids(reading, kind.processes), host]
        os.close(reading)
        if kind.connects:
            editor.wait_until("vim.g.up", seconds=30)
        processes = {pid: os.pidfd_open(pid) for pid in found}
        try:
            yield editor, processes
        finally:
            for descriptor in processes.values():
                os.close(descriptor)


def _read_pids(reading: int, count: int) -> list[int]:
    text = b""
    while text.count(b"\n") < count:
        ready, _, _ = select.select([reading], [], [], 30)
        if not ready:
            raise AssertionError(f"the server did not start: {text!r}")
        text += os.read(reading, 4096)
    return [int(line) for line in text.split()]


def _wait_until_gone(processes: dict[int, int]) -> list[int]:
    """The processes that are still there when the time is over."""
    left: dict[int, int] = dict(processes)
    deadline = time.monotonic() + GONE_SECONDS
    while left and (remaining := deadline - time.monotonic()) > 0:
        ended, _, _ = select.select(list(left.values()), [], [], remaining)
        left = {pid: descriptor for pid, descriptor in left.items() if descriptor not in ended}
    return list(left)


def main(arguments: Sequence[str] | None = None) -> None:
    """Prints one line a kind of server and way of ending."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--times", type=int, default=20)
    times = parser.parse_args(arguments).times
    failed = False
    for kind in KINDS:
        for ending in ENDINGS:
            trials = [run_trial(kind, ending) for _ in range(times)]
            clean = sum(trial.left == 0 for trial in trials)
            slowest = max(trial.seconds for trial in trials)
            failed |= clean != times
            print(f"{kind.name:24} {ending:8} nothing left {clean} of {times}, the slowest after {slowest:.2f} s")
            sys.stdout.flush()
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
