"""One connection to one server, once its revision is negotiated: requests out, raw results back.

Results stay the dictionaries that came over the wire: what a result is worth is judged in `core/outcomes.py`, so that a
result with one odd part is shown and not lost. Who connects again after a loss is decided above, in `host/`.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import anyio
from anyio.abc import TaskGroup
from mcp.shared.dispatcher import Dispatcher, ProgressFnT
from mcp.shared.transport_context import TransportContext
from mcp_types import RequestId

from mcp_host.core.catalog.catalog import ServerIdentity
from mcp_host.core.catalog.entries import Tool
from mcp_host.core.subscriptions import ListKind
from mcp_host.core.tasks import TASK_RESULT, RunningTask
from mcp_host.problems import Problem
from mcp_host.protocol.client_side import ClientSide
from mcp_host.protocol.deadlines import Deadlines
from mcp_host.protocol.envelope import Envelope
from mcp_host.protocol.errors import HEADER_MISMATCH, RequestFailed
from mcp_host.protocol.exchange import Exchange
from mcp_host.protocol.result_types import ASKING_METHODS
from mcp_host.protocol.running import RunningRequests
from mcp_host.protocol.session import NotificationHandler, Notifications
from mcp_host.protocol.tasks import drive_task
from mcp_host.protocol.wording import Attempt, not_connected

if TYPE_CHECKING:
    from mcp_host.protocol.listening import Listening


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
    side: ClientSide = field(default_factory=ClientSide, repr=False)
    """What of this host it is for: who answers the server and hears it."""
    notifications: Notifications = field(default_factory=Notifications, repr=False)
    running: RunningRequests = field(default_factory=RunningRequests, repr=False)
    deadlines: Deadlines = field(default_factory=Deadlines, repr=False)
    pause: Callable[[float], Awaitable[None]] = field(default=anyio.sleep, repr=False)
    """Waits the seconds between two rounds in which nobody is asked."""
    task_group: TaskGroup | None = field(default=None, repr=False)
    listening: Listening | None = field(default=None, repr=False)
    """What is subscribed to; None where nobody opened the connection, as in some tests."""
    tasks_running: dict[str, RunningTask] = field(default_factory=dict[str, RunningTask], repr=False)
    """The calls that became tasks, by the task's id."""
    lists_stale: bool = False
    """The server said since the last listing that one of its lists changed."""
    lists_fresh_until: float | None = None
    """On anyio's clock, when the lists as they were read are good no longer; None: until the server says so."""

    @property
    def identity(self) -> ServerIdentity:
        """Who answered and at which revision."""
        return self.envelope.identity

    @property
    def must_relist(self) -> bool:
        """The lists as they were read last are good no longer: a change was announced, or their time is over."""
        fresh_until = self.lists_fresh_until
        return self.lists_stale or (fresh_until is not None and anyio.current_time() >= fresh_until)

    @property
    def tasks(self) -> TaskGroup:
        """For work that goes on as long as the connection does. It is cancelled when the connection is closed; what
        one of its tasks raises closes the connection."""
        assert self.task_group is not None, "opened by connect_dispatcher"
        return self.task_group

    def note_list_change(self, kind: ListKind) -> None:
        """One of the server's lists is not what it was when it was read last, and our side knows it."""
        self.lists_stale = True
        self.side.on_list_changed(kind)

    def on_notification(self, method: str, handler: NotificationHandler) -> Callable[[], None]:
        """The handler gets the params of each such notification, in the order in which they come, and must not wait.

        What is returned takes it back.
        """
        return self.notifications.listen(method, handler)

    async def notify(self, method: str, params: Mapping[str, Any] | None = None) -> None:
        """The server is told; one that is gone is not."""
        _, options = self.envelope.seal(method, params or {})
        await self.dispatcher.notify(method, params, options)

    async def request(
        self,
        method: str,
        params: Mapping[str, Any],
        *,
        doing: str,
        timeout_seconds: float,
        tool: Tool | None = None,
        on_progress: ProgressFnT | None = None,
        call: str | None = None,
        request_id: RequestId | None = None,
        leave_on_cancel: bool = False,
    ) -> dict[str, Any]:
        """The raw result of one request, after all that the server asked for on the way was answered.

        Args:
            doing: What a problem says was being done: "calling git_log".
            timeout_seconds: For the write and the answer; the request is cancelled at the server after it. The time in
                which a person is asked does not count.
            call: The id of the call that it belongs to, for who answers what the server asks.
            request_id: Instead of the next number, for a request whose id must be known beforehand.
            leave_on_cancel: Whoever gives it up does not have it cancelled at the server: for what is asked about a
                task, where `notifications/cancelled` must not be used.

        Raises:
            RequestFailed: No result; says whether the request was sent and answered.
        """
        attempt = Attempt(alias=self.alias, doing=doing, tool=tool.name if tool is not None else None)
        if self.ended.is_set():
            raise RequestFailed(not_connected(attempt), sent=False, answered=False)
        exchange = Exchange(
            connection=self,
            method=method,
            params=params,
            attempt=attempt,
            timeout_seconds=timeout_seconds,
            tool=tool,
            on_progress=on_progress,
            call=call,
            request_id=request_id,
            leave_on_cancel=leave_on_cancel,
        )
        if method not in ASKING_METHODS:
            return await exchange.run()
        # What a server asks for belongs to one of these; the others are this host's own housekeeping.
        with self.running.entered(attempt, call, exchange.questions) as running:
            try:
                return await exchange.run()
            except RequestFailed as failure:
                explained = running.explained(failure)
                if explained is None:
                    raise
                raise explained from failure

    async def call_tool(
        self,
        tool: Tool,
        arguments: Mapping[str, Any],
        *,
        timeout_seconds: float,
        on_progress: ProgressFnT | None = None,
        call: str | None = None,
    ) -> dict[str, Any]:
        """The raw CallToolResult, also where the server made a task of the call.

        Raises:
            RequestFailed: See `request`. A -32020 is not resent from here: its headers came from a definition that
                has changed since, and whoever holds the receipt must see that first.
        """
        try:
            raw = await self.request(
                "tools/call",
                {"name": tool.name, "arguments": dict(arguments)},
                doing=f"calling {tool.name}",
                timeout_seconds=timeout_seconds,
                tool=tool,
                on_progress=on_progress,
                call=call,
            )
        except RequestFailed as failure:
            if failure.code == HEADER_MISMATCH:
                self.lists_stale = True
            raise
        if self.identity.era == "legacy" or raw.get("resultType") != TASK_RESULT:
            return raw
        return await drive_task(
            self, raw, tool=tool, timeout_seconds=timeout_seconds, on_progress=on_progress, call=call
        )
