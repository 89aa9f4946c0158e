"""What of a server is watched now, and waiting until that is something else."""

from __future__ import annotations

from collections import OrderedDict
from typing import Final

import anyio

WATCHED_CAP: Final = 100
"""Resources, and tasks, that are watched at a time: the newest. Beyond it changes are seen when it is asked again."""


class Watched:
    """The resources and tasks of one connection, the newest last."""

    def __init__(self) -> None:
        self.uris: OrderedDict[str, None] = OrderedDict()
        self.task_ids: OrderedDict[str, None] = OrderedDict()
        self._changed = anyio.Event()

    def add(self, names: OrderedDict[str, None], name: str) -> None:
        """One of the two has it as its newest; the oldest makes room."""
        names[name] = None
        names.move_to_end(name)
        while len(names) > WATCHED_CAP:
            names.popitem(last=False)
        self._changed.set()

    def drop(self, names: OrderedDict[str, None], name: str) -> None:
        """One of the two does not have it."""
        names.pop(name, None)
        self._changed.set()

    def change(self) -> anyio.Event:
        """Is set by the next change. To be got before what is watched is looked at."""
        self._changed = anyio.Event()
        return self._changed


async def first_of(*events: anyio.Event) -> None:
    """Returns when one of these is set."""
    async with anyio.create_task_group() as waiters:

        async def wait_for(event: anyio.Event) -> None:
            await event.wait()
            waiters.cancel_scope.cancel()

        for event in events:
            waiters.start_soon(wait_for, event)
