"""Our half of every connection: what is offered to the servers of this editor, and what becomes of what they say."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Final

from mcp_host.core.offers import Offer
from mcp_host.core.subscriptions import ListKind
from mcp_host.host.events import Emit
from mcp_host.host.interactions import Interactions
from mcp_host.host.settings import Settings
from mcp_host.protocol.client_side import ClientSide
from mcp_host.protocol.transports.server_log import ServerLog

LOG_CHARS: Final = 2_000
"""Of one log message: what a person reads of it. Some servers log whole requests."""

LOGS_A_SECOND: Final = 50
"""Events for log messages of one connection. All of them are in its log file; an editor that is told of ten thousand a
second draws nothing else."""


@dataclass(kw_only=True)
class ClientSides:
    """Makes the half of each connection."""

    settings: Settings
    interactions: Interactions
    emit: Emit
    clock: Callable[[], float]

    def of(
        self,
        alias: str,
        log: ServerLog,
        *,
        on_list_changed: Callable[[ListKind], None],
        on_resource_updated: Callable[[str], None],
    ) -> ClientSide:
        """For one new connection of this alias, whose log messages go to this log."""
        logs = _Logs(alias=alias, log=log, emit=self.emit, clock=self.clock)

        def resource_updated(uri: str) -> None:
            on_resource_updated(uri)
            self.emit("McpResourceUpdated", {"alias": alias, "uri": uri})

        return ClientSide(
            offer=self.offer(),
            respond=self.interactions.respond,
            on_list_changed=on_list_changed,
            on_resource_updated=resource_updated,
            on_log=logs.take,
            on_url_completed=partial(self.interactions.url_completed, alias),
        )

    def offer(self) -> Offer:
        """What somebody is there to answer, as of now."""
        roots, beforehand = self.settings.roots, self.interactions.given_kinds
        return Offer(
            elicitation=True,
            sampling=self.settings.sampling or "sampling" in beforehand,
            legacy_roots=roots is not None,
            modern_roots=roots is not None and (roots.modern or "roots" in beforehand),
            tasks=True,
            log_level=self.settings.log_level,
        )


def roots_of(settings: Settings, workspace: Path) -> tuple[str, ...]:
    """The folders that servers are told of, as absolute paths."""
    if settings.roots is None:
        return ()
    return settings.roots.folders if settings.roots.folders is not None else (str(workspace),)


@dataclass(kw_only=True)
class _Logs:
    """What one connection's server logs."""

    alias: str
    log: ServerLog
    emit: Emit
    clock: Callable[[], float]
    _second: float = field(default=0.0, init=False)
    _told: int = field(default=0, init=False)

    def take(self, level: str, logger: str | None, data: object) -> None:
        text = data if isinstance(data, str) else json.dumps(data, ensure_ascii=False)
        words = f"{logger}: {text}" if logger else text
        self.log.note(f"[{level}] {words}", limit=LOG_CHARS)
        now = self.clock()
        if now - self._second >= 1:
            self._second, self._told = now, 0
        self._told += 1
        if self._told <= LOGS_A_SECOND:
            event: dict[str, object] = {"alias": self.alias, "level": level, "text": text[:LOG_CHARS]}
            self.emit("McpLog", event | ({"logger": logger} if logger else {}))
