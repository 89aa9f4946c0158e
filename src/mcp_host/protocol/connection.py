"""One connection to one server, once its revision is negotiated: requests out, raw results back.

Results stay the dictionaries that came over the wire: what a result is worth is judged in `core/outcomes.py`, so that a
result with one odd part is shown and not lost. Who connects again after a loss is decided above, in `host/`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Final

import anyio
from mcp.shared.dispatcher import Dispatcher, ProgressFnT
from mcp.shared.transport_context import TransportContext

from mcp_host.core.catalog.catalog import ServerIdentity
from mcp_host.core.catalog.entries import Tool
from mcp_host.problems import Problem
from mcp_host.protocol.envelope import Envelope
from mcp_host.protocol.errors import HEADER_MISMATCH, RequestFailed, request_failed
from mcp_host.protocol.wording import Attempt, input_required, not_connected

INPUT_REQUIRED: Final = "input_required"

_READING_METHODS: Final = frozenset(
    {"tools/list", "resources/list", "resources/templates/list", "resources/read", "prompts/list", "prompts/get"}
)
"""What may be asked twice without having to know what became of the first time."""


@dataclass(kw_only=True)
class Connection:
    """A live connection. Usable from any task while the task that opened it stays inside its context."""

    alias: str
    envelope: Envelope
    dispatcher: Dispatcher[TransportContext] = field(repr=False)
    ended: anyio.Event
    """Set when the server can no longer answer here: by the transport, or by the first request that learns of it, as
    when an HTTP server has forgotten the session. Never set by a server that is only slow."""
    end_problem: Callable[[], Problem | None] = field(default=lambda: None, repr=False)
    """Why it ended, once it has and where the transport can tell."""
    lists_stale: bool = False
    """The server said since the last listing that one of its lists changed."""

    @property
    def identity(self) -> ServerIdentity:
        """Who answered and at which revision."""
        return self.envelope.identity

    async def request(
        self,
        method: str,
        params: Mapping[str, Any],
        *,
        doing: str,
        timeout_seconds: float,
        tool: Tool | None = None,
        on_progress: ProgressFnT | None = None,
    ) -> dict[str, Any]:
        """The raw result of one request.

        Args:
            doing: What a problem says was being done: "calling git_log".
            timeout_seconds: For the write and the answer; the request is cancelled at the server after it.

        Raises:
            RequestFailed: No result; says whether the request was sent and answered.
        """
        attempt = Attempt(alias=self.alias, doing=doing, tool=tool.name if tool is not None else None)
        if self.ended.is_set():
            raise RequestFailed(not_connected(attempt), sent=False, answered=False)
        sealed, options = self.envelope.seal(method, params, input_schema=tool.input_schema if tool else None)
        if on_progress is not None:
            options["on_progress"] = on_progress
        try:
            # Not by the dispatcher's own timeout, whose clock starts after the write: a server that reads no more
            # would hold up the write for ever.
            with anyio.fail_after(timeout_seconds):
                raw = await self.dispatcher.send_raw_request(method, sealed, options)
        except Exception as error:  # boundary: the SDK lets through whatever its transports raise
            failure = request_failed(
                error, alias=self.alias, doing=doing, tool=attempt.tool, repeatable=method in _READING_METHODS
            )
            if failure.ended:
                self.ended.set()
            raise failure from error
        if raw.get("resultType") == INPUT_REQUIRED:
            raise RequestFailed(input_required(attempt), sent=True, answered=True)
        return raw

    async def call_tool(
        self,
        tool: Tool,
        arguments: Mapping[str, Any],
        *,
        timeout_seconds: float,
        on_progress: ProgressFnT | None = None,
    ) -> dict[str, Any]:
        """The raw CallToolResult.

        Raises:
            RequestFailed: See `request`. A -32020 is not resent from here: its headers came from a definition that
                has changed since, and whoever holds the receipt must see that first.
        """
        try:
            return await self.request(
                "tools/call",
                {"name": tool.name, "arguments": dict(arguments)},
                doing=f"calling {tool.name}",
                timeout_seconds=timeout_seconds,
                tool=tool,
                on_progress=on_progress,
            )
        except RequestFailed as failure:
            if failure.code == HEADER_MISMATCH:
                self.lists_stale = True
            raise
