"""Counts what is lost or spoilt when definition files are edited at random, by several writers, and by killed ones.

Run by hand for the full figures, `python -m tests.soak.definition_writes --edits 10000 --kills 200`; the tests run
parts of it. The writers are real processes, forked from one that has everything imported.
"""

from __future__ import annotations

import argparse
import multiprocessing
import os
import signal
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass
from multiprocessing.connection import Connection, wait
from multiprocessing.process import BaseProcess
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory
from types import FrameType
from typing import Any, Final

import tomli

from mcp_host.core.definitions.toml_edits import with_server
from mcp_host.host import atomic_files
from mcp_host.host.definition_writing import DefinitionWriter
from tests.core.definitions.random_edits import edit_at_random

FILE: Final = "mcp.toml"
TABLE: Final[dict[str, object]] = {"command": "server"}

WRITER_SECONDS: Final = 120.0
"""How long a writer may take for all it has to do."""

KILLED_WITHIN_SECONDS: Final = 0.015
"""A few writes' time: a writer is killed somewhere in it."""

BASE: Final = "# mine\n\n[servers.first] # note\ncommand = 'C:\\raw'\n"


def _processes() -> Any:
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload(["mcp_host.host.definition_writing"])
    return context


# --- several writers ----------------------------------------------------------------------------------------------


@dataclass(frozen=True, kw_only=True)
class Race:
    """What became of one file that several writers added to at the same time."""

    added: int
    lost: int
    reads: int
    """How often somebody looked at the file meanwhile."""
    spoilt: int
    """How often it was no TOML then, or had fewer servers than before."""
    seconds: float


def run_race(folder: Path, *, writers: int, each: int) -> Race:
    """Writers that each add `each` servers to one file, which is read all the while."""
    path = folder / FILE
    path.write_text(BASE)
    started = time.monotonic()
    processes: list[BaseProcess] = [
        _processes().Process(target=_add_many, args=(path, folder / "locks", f"w{writer}", each))
        for writer in range(writers)
    ]
    for process in processes:
        process.start()
    reads = spoilt = seen = 0
    last = ""
    while _any_alive(processes, started):
        text = path.read_text()
        reads += 1
        if text != last:
            count = _count(text)
            spoilt += count < seen
            seen, last = max(seen, count), text
    seconds = time.monotonic() - started
    text = path.read_text()
    servers = tomli.loads(text)["servers"]
    wanted = {f"w{writer}-{number}" for writer in range(writers) for number in range(each)}
    assert text.startswith(BASE), "the text that was there before has changed"
    return Race(added=len(wanted), lost=len(wanted - servers.keys()), reads=reads, spoilt=spoilt, seconds=seconds)


def _any_alive(processes: Sequence[BaseProcess], started: float) -> bool:
    alive = [process for process in processes if process.is_alive()]
    for process in processes:
        assert process.exitcode in {None, 0}, f"a writer failed with {process.exitcode}"
    assert time.monotonic() - started < WRITER_SECONDS, "the writers take too long"
    # Waits a millisecond, so that reading leaves them something of the machine.
    wait([process.sentinel for process in alive], timeout=0.001)
    return bool(alive)


def _count(text: str) -> int:
    """How many servers the text defines; fewer than none when it is no TOML."""
    try:
        return len(tomli.loads(text)["servers"])
    except (ValueError, KeyError):
        return -1


def _add_many(path: Path, locks: Path, name: str, each: int) -> None:
    writer = DefinitionWriter(locks=locks)
    for number in range(each):
        writer.add(path, f"{name}-{number}", TABLE)


# --- killed writers -----------------------------------------------------------------------------------------------


@dataclass(kw_only=True)
class Kills:
    """What killed writers left behind, by how many of them."""

    kills: int = 0
    old: int = 0
    """The file holds the old bytes."""
    new: int = 0
    """The file holds the new bytes."""
    spoilt: int = 0
    """The file holds anything else."""
    left_over: int = 0
    """A temporary file lies beside it, which the next write has to take away."""
    piled_up: int = 0
    """More of them than were killed since the last write lie there, or one is there after a write."""


def run_kills(folder: Path, kills: int, *, seed: int = 0) -> Kills:
    """Kills a writer at each line of a write, and then others at any moment, until there were so many of them."""
    trial = _Trial(folder=folder, figures=Kills())
    line = 0
    while trial.figures.kills < kills and trial.killed_at(line := line + 1):
        pass
    chance = Random(seed)
    while trial.figures.kills < kills:
        trial.killed_after(chance.uniform(0, KILLED_WITHIN_SECONDS))
    return trial.figures


@dataclass(kw_only=True)
class _Trial:
    """One file and one writer after the other."""

    folder: Path
    figures: Kills

    def __post_init__(self) -> None:
        self.path = self.folder / FILE
        self.locks = self.folder / "locks"
        self.texts = BASE, with_server(BASE, "x", TABLE)
        self.path.write_text(BASE)

    def killed_at(self, line: int) -> bool:
        """A writer that kills itself before the so-manieth line of a write; false where a write has no more of them."""
        process = _processes().Process(target=_write_to_line, args=(self.path, self.locks, line))
        process.start()
        process.join(WRITER_SECONDS)
        if process.exitcode == 0:
            return False
        assert process.exitcode == -signal.SIGKILL, f"a writer ended with {process.exitcode}"
        self._judge()
        return True

    def killed_after(self, seconds: float) -> None:
        """A writer that adds and removes without end until it is killed."""
        ready, tell = multiprocessing.Pipe(duplex=False)
        process = _processes().Process(target=_write_endlessly, args=(self.path, self.locks, tell))
        process.start()
        tell.close()
        assert ready.poll(WRITER_SECONDS), "a writer does not begin"
        wait([process.sentinel], timeout=seconds)
        process.kill()
        process.join(WRITER_SECONDS)
        ready.close()
        assert process.exitcode == -signal.SIGKILL, f"a writer ended with {process.exitcode}"
        self._judge()

    def _judge(self) -> None:
        figures = self.figures
        figures.kills += 1
        text = self.path.read_text()
        figures.old += text == self.texts[0]
        figures.new += text == self.texts[1]
        figures.spoilt += text not in self.texts
        left_over = len(self._beside())
        figures.left_over += left_over > 0
        # The next write is after the same file, and takes away what this one left.
        if _toggle(DefinitionWriter(locks=self.locks), self.path):
            _toggle(DefinitionWriter(locks=self.locks), self.path)
        figures.piled_up += left_over > 1 or bool(self._beside())

    def _beside(self) -> list[str]:
        return [name for name in os.listdir(self.folder) if name not in {FILE, "locks"}]


def _toggle(writer: DefinitionWriter, path: Path) -> bool:
    """Adds the server, or removes it where it is there; whether it is there now."""
    if path.read_text() == BASE:
        writer.add(path, "x", TABLE)
        return True
    writer.remove(path, "x")
    return False


def _write_to_line(path: Path, locks: Path, line: int) -> None:
    left = line

    def trace(frame: FrameType, event: str, _: object) -> Any:
        nonlocal left
        if frame.f_code.co_filename != atomic_files.__file__:
            return None
        if event == "line":
            left -= 1
            if left == 0:
                os.kill(os.getpid(), signal.SIGKILL)
        return trace

    sys.settrace(trace)
    _toggle(DefinitionWriter(locks=locks), path)


def _write_endlessly(path: Path, locks: Path, tell: Connection) -> None:
    writer = DefinitionWriter(locks=locks)
    tell.send_bytes(b"ready")
    while True:
        _toggle(writer, path)


# --- by hand ------------------------------------------------------------------------------------------------------


def main(arguments: Sequence[str] | None = None) -> None:
    """Prints one line a kind of trial."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--edits", type=int, default=10_000)
    parser.add_argument("--kills", type=int, default=200)
    parser.add_argument("--adds", type=int, default=500)
    parser.add_argument("--seed", type=int, default=0)
    asked = parser.parse_args(arguments)
    started = time.monotonic()
    edits = edit_at_random(asked.seed, asked.edits)
    print(
        f"edits: {edits.total} of {edits.files} files ({edits.added} added, {edits.removed} removed), "
        f"no other byte changed, in {time.monotonic() - started:.1f} s",
        flush=True,
    )
    with TemporaryDirectory(prefix="writes-") as folder:
        race = run_race(Path(folder), writers=2, each=asked.adds)
    print(
        f"two writers: {race.added} added, {race.lost} lost, read {race.reads} times meanwhile, "
        f"{race.spoilt} times spoilt, in {race.seconds:.1f} s",
        flush=True,
    )
    with TemporaryDirectory(prefix="writes-") as folder:
        kills = run_kills(Path(folder), asked.kills, seed=asked.seed)
    print(
        f"kill -9: {kills.kills}, the file old {kills.old} times, new {kills.new} times, spoilt {kills.spoilt} times; "
        f"a temporary file left {kills.left_over} times, not taken away {kills.piled_up} times"
    )
    sys.exit(1 if race.lost or race.spoilt or kills.spoilt or kills.piled_up else 0)


if __name__ == "__main__":
    main()
