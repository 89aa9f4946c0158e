"""The one place where threads cross: pynvim's loop on the main thread, the host's loop on a daemon thread.

Towards the host goes through anyio's portal, towards the editor through pynvim's `async_call`; both only hand over and
never wait. The thread is a daemon because nothing may keep this process alive once the editor is gone; what must not be
left undone then (killing the servers' process groups) is done by `stop`, which the exit paths all call.
"""

from __future__ import annotations

import logging
import threading
import traceback
from collections.abc import Awaitable, Callable
from typing import Final

import anyio
from anyio.from_thread import BlockingPortal

logger = logging.getLogger(__name__)

START_SECONDS: Final = 10.0
"""How long the loop's thread may take to come up. It imports nothing: only a dying machine needs this long."""


class HostThread:
    """A daemon thread that runs one anyio loop with one task group: `main` and everything it owns."""

    def __init__(
        self, main: Callable[[anyio.Event], Awaitable[None]], *, on_death: Callable[[], None] = lambda: None
    ) -> None:
        """`main` gets the event that asks it to stop; it returns when all it owns is closed.

        `on_death` is called, in the thread, when the loop ends without having been asked to.
        """
        self._main = main
        self._on_death = on_death
        self._asked_to_stop = False
        self._started = threading.Event()
        self._ended = threading.Event()
        self._portal: BlockingPortal | None = None
        self._stop: anyio.Event | None = None
        self._thread = threading.Thread(target=self._run, name="mcp-host", daemon=True)

    def start(self) -> None:
        """The loop runs and takes work.

        Raises:
            RuntimeError: The thread did not come up.
        """
        self._thread.start()
        if not self._started.wait(START_SECONDS) or self._portal is None:
            raise RuntimeError("the host's thread did not start")

    def hand_over(self, work: Callable[[], Awaitable[None]]) -> None:
        """`work` will run in the loop, as a task of its own. Safe from any thread; dropped once the loop has ended."""
        portal = self._portal
        if portal is None or self._ended.is_set():
            return
        portal.start_task_soon(_contained(work))

    def stop(self, timeout_seconds: float) -> bool:
        """Asks the loop to end and waits a bounded time for it; True when it has ended."""
        self._asked_to_stop = True
        portal, stop = self._portal, self._stop
        if portal is not None and stop is not None and not self._ended.is_set():
            try:
                portal.start_task_soon(_set(stop))
            except RuntimeError:
                logger.debug("the loop ended while it was asked to stop")
        return self._ended.wait(timeout_seconds)

    def _run(self) -> None:
        try:
            anyio.run(self._loop)
        except BaseException:  # boundary: a daemon thread's exception would go to a stderr that nobody reads
            logger.exception("the host's loop ended with an error")
        finally:
            self._ended.set()
            self._started.set()
            if not self._asked_to_stop:
                self._on_death()

    async def _loop(self) -> None:
        self._stop = anyio.Event()
        async with BlockingPortal() as portal:
            self._portal = portal
            self._started.set()
            await self._main(self._stop)
            await portal.stop(cancel_remaining=True)


def _contained(work: Callable[[], Awaitable[None]]) -> Callable[[], Awaitable[None]]:
    async def run() -> None:
        try:
            await work()
        except Exception as error:  # boundary: one message's fault must not end the loop that serves all others
            # Without the exception's own words: a server's text, or what it was told, may stand in them.
            where = "".join(traceback.format_tb(error.__traceback__))
            logger.error("a message from the editor could not be answered: %s\n%s", type(error).__name__, where)

    return run


def _set(event: anyio.Event) -> Callable[[], Awaitable[None]]:
    async def run() -> None:
        event.set()

    return run
