"""What this host lets servers ask for on one connection; the advertised capabilities are derived from it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

LogLevel = Literal["debug", "info", "notice", "warning", "error", "critical", "alert", "emergency"]


@dataclass(frozen=True, kw_only=True)
class Offer:
    """What somebody is there to answer. The capability matrix turns it into what a server of one era is told."""

    elicitation: bool = True
    """Forms and URLs: a person, or answers given beforehand. Where nobody is, a request is declined at once."""
    sampling: bool = False
    """Somebody configured who answers: never offered otherwise."""
    legacy_roots: bool = True
    """The workspace's folders, for servers of the handshake revisions."""
    modern_roots: bool = False
    """The same for servers of 2026-07-28, where roots are deprecated: only where a person asked for it."""
    tasks: bool = True
    """The extension `io.modelcontextprotocol/tasks`; modern only."""
    log_level: LogLevel | None = None
    """From which level on servers are asked to send log messages; None: they are not asked."""
