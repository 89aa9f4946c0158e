"""Everything that goes to the editor: replies, slices of long ones, events. Queued, sent together, never waited for.

A message is one Lua table for `require('mcp_host.rpc').receive`; values travel as arguments, never inside Lua source.
"""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final, Protocol, cast

Message = Mapping[str, Any]

RECEIVE: Final = "require('mcp_host.rpc').receive(...)"

BATCH_MESSAGES: Final = 64
"""Messages in one notification: enough to coalesce a burst of events, few enough to keep the screen alive."""


class Editor(Protocol):
    """What of `pynvim.Nvim` is used here."""

    def async_call(self, fn: Callable[..., Any], *args: Any, **kwargs: Any) -> None: ...

    def exec_lua(self, code: str, *args: Any, **kwargs: Any) -> Any: ...

    def stop_loop(self) -> None: ...


class Feed:
    """The queue towards one editor. `send` is safe from any thread."""

    def __init__(self, nvim: Editor) -> None:
        self._nvim = nvim
        self._lock = threading.Lock()
        self._queue: deque[Message] = deque()
        self._flush_is_due = False

    def send(self, message: Message) -> None:
        """The message will reach the editor, in order, unless the editor is gone."""
        with self._lock:
            self._queue.append(message)
            if self._flush_is_due:
                return
            self._flush_is_due = True
        self._nvim.async_call(self._flush)

    def _flush(self) -> None:
        with self._lock:
            batch = [self._queue.popleft() for _ in range(min(len(self._queue), BATCH_MESSAGES))]
            self._flush_is_due = bool(self._queue)
            more = self._flush_is_due
        try:
            if batch:
                self._nvim.exec_lua(RECEIVE, [encodable(message) for message in batch], async_=True)
        finally:
            if more:
                self._nvim.async_call(self._flush)


def encodable(value: object) -> object:
    """The value with everything replaced that msgpack cannot carry: lone surrogates and integers beyond 64 bits."""
    if isinstance(value, str):
        return value if value.isascii() else value.encode("utf-8", "replace").decode("utf-8")
    if isinstance(value, Mapping):
        members = cast("Mapping[object, object]", value)
        return {encodable(str(key)): encodable(member) for key, member in members.items()}
    if isinstance(value, (list, tuple)):
        return [encodable(member) for member in cast("Sequence[object]", value)]
    if isinstance(value, int) and not isinstance(value, bool) and not -(2**63) <= value < 2**64:
        return str(value)
    return value
