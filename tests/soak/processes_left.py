"""Counts the processes that are left after an editor or its host ended, however it ended.

Run by hand for the full figure, `python -m tests.soak.processes_left --times 100`; the tests run a short form. Each
trial is one editor with one server of each kind. Linux only: it waits on process file descriptors, so that nothing here
sleeps or polls.
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

Ending = Literal["quit", "kill -9 nvim", "kill -9 host", "kill -9 both", "segv", "hup host"]

ENDINGS: Final[tuple[Ending, ...]] = ("quit", "kill -9 nvim", "kill -9 host", "kill -9 both", "segv", "hup host")
"""`segv`: the editor crashes. `hup host`: the host is hung up while the editor stays."""

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
    Kind(name="forking", script="forking.py", arguments=("--deaf",), processes=2),
    Kind(name="connecting", script="mute.py", connects=False),
)

OURS: Final = "host"
"""Under this name the host's own process and its guard are counted."""


@dataclass(frozen=True, kw_only=True)
class Trial:
    """What one end of one editor came to."""

    left: dict[str, int]
    """Processes still there afterwards, by the kind of server."""
    seconds: float
    """From the end to the end of the last process."""


@dataclass(frozen=True, kw_only=True)
class _Running:
    editor: Editor
    host: int
    processes: dict[str, list[int]]
    """Process ids by the kind of server."""


def run_trial(ending: Ending) -> Trial:
    """One editor with one server of each kind, ended this way."""
    with TemporaryDirectory(prefix="left-") as folder, _running(Path(folder)) as running:
        descriptors = {pid: os.pidfd_open(pid) for pids in running.processes.values() for pid in pids}
        try:
            started = time.monotonic()
            _end(running, ending)
            left = _wait_until_gone(descriptors)
            seconds = time.monotonic() - started
        finally:
            for descriptor in descriptors.values():
                os.close(descriptor)
        for process in left:
            with suppress(ProcessLookupError):
                os.kill(process, signal.SIGKILL)
        return Trial(
            left={kind: len(left.intersection(pids)) for kind, pids in running.processes.items()}, seconds=seconds
        )


def _end(running: _Running, ending: Ending) -> None:
    editor, host = running.editor, running.host
    match ending:
        case "quit":
            with suppress(AssertionError):
                editor.ask(lambda: editor.nvim.command("qall!"), seconds=GONE_SECONDS)
        case "kill -9 nvim":
            os.kill(editor.pid, signal.SIGKILL)
        case "kill -9 host":
            os.kill(host, signal.SIGKILL)
        case "kill -9 both":
            os.kill(editor.pid, signal.SIGKILL)
            os.kill(host, signal.SIGKILL)
        case "segv":
            os.kill(editor.pid, signal.SIGSEGV)
        case "hup host":
            os.kill(host, signal.SIGHUP)


@contextmanager
def _running(folder: Path) -> Generator[_Running, None, None]:
    """An editor whose servers have all come as far as they ever do."""
    homes = Homes(root=folder)
    homes.definitions.parent.mkdir(parents=True)
    homes.definitions.write_text("\n".join(_definition(kind, folder) for kind in KINDS))
    # Opened for both ways, so that opening does not wait for a writer and reading sees no end.
    readings = {kind: os.open(_pids(kind, folder), os.O_RDWR) for kind in KINDS}
    with running_editor(homes.environment()) as editor:
        for kind in KINDS:
            editor.lua(
                "local alias = ...; require('mcp_host.rpc').request('enable', { alias = alias }, "
                "function(reply) vim.g['up_' .. alias] = 1 end)",
                kind.name,
            )
        host: int = editor.lua("return require('mcp_host.rpc').peer().pid")
        processes = {kind.name: _read_pids(readings[kind], kind.processes) for kind in KINDS}
        for kind in KINDS:
            os.close(readings[kind])
            if kind.connects:
                editor.wait_until(f"vim.g.up_{kind.name}", seconds=30)
        of_servers = {pid for pids in processes.values() for pid in pids}
        processes[OURS] = [host, *(_children(host) - of_servers)]
        yield _Running(editor=editor, host=host, processes=processes)


def _definition(kind: Kind, folder: Path) -> str:
    pids = _pids(kind, folder)
    os.mkfifo(pids)
    return (
        f"[servers.{kind.name}]\ncommand = {json.dumps(sys.executable)}\n"
        f"args = {json.dumps([str(SERVERS / kind.script), *kind.arguments])}\n"
        f"env = {{ MCP_PIDS = {json.dumps(str(pids))} }}\n"
    )


def _pids(kind: Kind, folder: Path) -> Path:
    return folder / f"pids-{kind.name}"


def _read_pids(reading: int, count: int) -> list[int]:
    text = b""
    while text.count(b"\n") < count:
        ready, _, _ = select.select([reading], [], [], 30)
        if not ready:
            raise AssertionError(f"the server did not start: {text!r}")
        text += os.read(reading, 4096)
    return [int(line) for line in text.split()]


def _children(parent: int) -> set[int]:
    found: set[int] = set()
    for stat in Path("/proc").glob("[0-9]*/stat"):
        with suppress(FileNotFoundError, ProcessLookupError):
            if int(stat.read_text(errors="replace").rpartition(")")[2].split()[1]) == parent:
                found.add(int(stat.parent.name))
    return found


def _wait_until_gone(descriptors: dict[int, int]) -> set[int]:
    """The processes that are still there when the time is over."""
    left: dict[int, int] = dict(descriptors)
    deadline = time.monotonic() + GONE_SECONDS
    while left and (remaining := deadline - time.monotonic()) > 0:
        ended, _, _ = select.select(list(left.values()), [], [], remaining)
        left = {pid: descriptor for pid, descriptor in left.items() if descriptor not in ended}
    return set(left)


def main(arguments: Sequence[str] | None = None) -> None:
    """Prints one line for each kind of server and way of ending."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--times", type=int, default=20)
    times = parser.parse_args(arguments).times
    failed = False
    for ending in ENDINGS:
        trials = [run_trial(ending) for _ in range(times)]
        slowest = max(trial.seconds for trial in trials)
        for kind in (*(kind.name for kind in KINDS), OURS):
            clean = sum(trial.left[kind] == 0 for trial in trials)
            failed |= clean != times
            print(f"{ending:14} {kind:12} nothing left {clean} of {times}, the slowest after {slowest:.2f} s")
        sys.stdout.flush()
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
