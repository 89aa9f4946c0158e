"""Owns one server's process: starting it in a group of its own, and leaving nothing of that group behind.

Speaks no protocol and must not import `mcp`: servers are started before that import, which takes over a second.
"""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Mapping, Sequence
from subprocess import PIPE, Popen
from typing import IO, Final, Protocol

import anyio
import anyio.to_thread
from anyio.lowlevel import RunVar

from mcp_host.protocol.transports.executables import find_executable
from mcp_host.protocol.transports.pipes import PipeReader, PipeWriter
from mcp_host.protocol.transports.process_groups import (
    forget_group,
    kill_all_groups,
    registered_groups,
    signal_group,
    spawning,
)
from mcp_host.protocol.transports.spawn_problems import spawn_problem

__all__ = ["Launchable", "ServerProcess", "kill_all_groups", "registered_groups"]

POLITE_SECONDS: Final = 0.5
"""For the server to leave by itself once its stdin is closed. A Python server takes 0.1 to 0.3 s."""
TERM_SECONDS: Final = 0.3
"""Between TERM and KILL: time to remove a lock file; with the polite half second still inside an editor's exit."""
REAP_SECONDS: Final = 0.2
"""For a death by KILL to happen and be noticed. Only a process stuck in the kernel, or a zombie that nobody reaps, runs
this out; it is abandoned."""
POLL_SECONDS: Final = 0.01
"""How often a stop looks whether the group has members left: nothing tells of the death of a grandchild."""

_WAITERS: Final = 1_000
"""Threads that wait for an end where the system has no better way; far more than there are servers."""


class Launchable(Protocol):
    """What starting needs of a launch."""

    @property
    def command(self) -> str: ...
    @property
    def args(self) -> Sequence[str]: ...
    @property
    def cwd(self) -> str | None: ...
    @property
    def env(self) -> Mapping[str, str]: ...


class ServerProcess:
    """A running (or gone) server. Made by `start` alone; whoever started it calls `stop`."""

    def __init__(self, alias: str, process: Popen[bytes]) -> None:
        self.alias = alias
        self.stdin = PipeWriter(_present(process.stdin))
        self.stdout = PipeReader(_present(process.stdout))
        self.stderr = PipeReader(_present(process.stderr))
        self._process = process
        self._group_dead = False
        self._ending = False
        self._ended = anyio.Event()

    @classmethod
    async def start(cls, launch: Launchable, *, alias: str) -> ServerProcess:
        """The command runs, in a session and process group of its own, known to `kill_all_groups`.

        Exactly one executable, no shell. A command without a slash is looked up in the absolute entries of the PATH of
        `launch.env`; see `executables.py`.

        Raises:
            ProblemError: `server-unavailable`, when the operating system does not start it.
        """
        try:
            process = _spawn(launch)
        except (OSError, ValueError) as error:
            raise spawn_problem(error, alias, launch.command, cwd=launch.cwd, env=launch.env) from error
        server = cls(alias, process)
        await anyio.lowlevel.cancel_shielded_checkpoint()  # twenty starts in a row leave the others their turn
        return server

    @property
    def pid(self) -> int:
        """The leader's process id, which is also the id of its group and session."""
        return self._process.pid

    @property
    def exit_words(self) -> str | None:
        """How the leader ended, as a person says it; None while it runs."""
        code = self._process.poll()
        if code is None:
            return None
        return f"killed by signal {-code}" if code < 0 else f"exited with code {code}"

    async def wait_exited(self) -> None:
        """The leader is gone and reaped. Its pipes may still be held open by a child of its own."""
        while self._process.poll() is None:
            await _await_end(self._process)

    def kill(self) -> None:
        """Kills the whole group at once. `stop` is still owed."""
        self._signal(signal.SIGKILL)
        if self._process.poll() is not None:
            # Leader reaped, members killed: from here on the number may be given to a stranger.
            self._group_dead = True
            forget_group(self.pid)

    async def end_group(self) -> None:
        """Nothing of the group is left alive, and the leader is reaped. Bounded, shielded, safe to call twice.

        The pipes stay readable, for what was written last. A server stuck on a full pipe that nobody drains meanwhile
        is simply killed.
        """
        with anyio.CancelScope(shield=True):
            if self._ending:
                await self._ended.wait()
                return
            self._ending = True
            try:
                await self._climb_ladder()
            finally:
                self._ended.set()

    async def stop(self) -> None:
        """The group is gone (`end_group`) and the pipes are closed. Bounded, shielded, safe to call twice."""
        with anyio.CancelScope(shield=True):
            await self.end_group()
            # A survivor outside the group may still hold their other ends.
            for pipe in (self.stdin, self.stdout, self.stderr):
                await pipe.aclose()

    async def _climb_ladder(self) -> None:
        await self.stdin.aclose()
        with anyio.move_on_after(POLITE_SECONDS):
            await self.wait_exited()
        # Also after a leader that left by itself: a child of the server may live on (and keeps the group's id taken).
        if self._signal(signal.SIGTERM):
            with anyio.move_on_after(TERM_SECONDS):
                await self._wait_group_gone()
            self.kill()
        with anyio.move_on_after(REAP_SECONDS):
            await self._wait_group_gone()
        self._group_dead = True
        forget_group(self.pid)

    def _signal(self, signal_number: int) -> bool:
        return not self._group_dead and signal_group(self.pid, signal_number)

    async def _wait_group_gone(self) -> None:
        """KILL, too, is only sent when it returns: a grandchild dies a moment later. Asking harms no stranger."""
        await self.wait_exited()
        while signal_group(self.pid, 0):  # noqa: ASYNC110 - nothing tells of the death of a grandchild
            await anyio.sleep(POLL_SECONDS)


def _spawn(launch: Launchable) -> Popen[bytes]:
    """Without a wait in between, so that no cancel, and hardly a kill, leaves a process that nobody knows."""
    executable = find_executable(launch.command, launch.env)
    with spawning() as started:
        process = Popen(
            [executable, *launch.args],
            bufsize=0,
            stdin=PIPE,
            stdout=PIPE,
            stderr=PIPE,
            cwd=launch.cwd,
            env=launch.env,
            start_new_session=True,
        )
        started.append(process.pid)
    return process


_limiters: Final[RunVar[anyio.CapacityLimiter]] = RunVar("_limiters")


async def _await_end(process: Popen[bytes]) -> None:
    """Returns when the process has probably ended; it is yet to be reaped."""
    if sys.platform == "linux":
        try:
            descriptor = os.pidfd_open(process.pid)
        except OSError:
            pass  # an older kernel, or a sandbox that forbids it
        else:
            # One for each that waits: two cannot wait for the same descriptor.
            try:
                await anyio.wait_readable(descriptor)
            finally:
                os.close(descriptor)
            return
    try:
        limiter = _limiters.get()
    except LookupError:
        _limiters.set(limiter := anyio.CapacityLimiter(_WAITERS))
    await anyio.to_thread.run_sync(process.wait, abandon_on_cancel=True, limiter=limiter)


def _present(pipe: IO[bytes] | None) -> IO[bytes]:
    assert pipe is not None, "the process was opened with three pipes"
    return pipe
