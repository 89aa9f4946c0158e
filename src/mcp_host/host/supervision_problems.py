"""Why a server cannot be used right now, in words for people."""

from __future__ import annotations

from mcp_host.core.definitions.launch import StdioLaunch
from mcp_host.host.opening import Launch
from mcp_host.problems import Problem
from mcp_host.protocol.transports.server_log import ServerLog


def connect_timed_out(alias: str, seconds: float, launch: Launch, log: ServerLog) -> Problem:
    """It did not come to offer its lists within its time."""
    return Problem(
        type="server-unavailable",
        title=f"{alias} did not connect within {seconds:g} s",
        detail=_last_words(launch, log),
        hint=f"Raise connect_timeout_seconds in its definition if it needs longer; :McpEnable {alias} tries again.",
        alias=alias,
        retryable=True,
    )


def connection_ended(alias: str) -> Problem:
    """The connection is over, and the transport cannot tell why."""
    return Problem(
        type="server-unavailable",
        title=f"{alias} ended",
        detail="Its connection was closed.",
        hint=f"The next use connects again, or :McpEnable {alias} now.",
        alias=alias,
        retryable=True,
    )


def stopped(alias: str) -> Problem:
    """It was stopped while somebody waited for it."""
    return Problem(
        type="cancelled",
        title=f"{alias} was stopped while it was connecting",
        detail="Somebody disabled it, its definition changed, or the editor is exiting.",
        hint=f":McpEnable {alias} connects it.",
        alias=alias,
        retryable=True,
    )


def tried_later(alias: str, seconds: float, last: Problem | None) -> Problem:
    """It is not there, and it would be too early to try again."""
    when = f"in {seconds:.0f} s" if seconds >= 1 else "in a moment"
    return Problem(
        type="server-unavailable",
        title=f"{alias} is not connected; the next try is {when}",
        detail=f"{last.title}: {last.detail}" if last is not None else "It ended again and again.",
        hint=f":McpEnable {alias} tries at once.",
        alias=alias,
        retryable=True,
        causes=() if last is None else (last,),
    )


def unexpected(alias: str, error: Exception) -> Problem:
    """A fault of our own, without its words: whatever a library was handed may stand in them, secrets too."""
    return Problem(
        type="internal",
        title=f"Something unexpected happened with {alias}",
        detail=f"{type(error).__name__} (the host's log says where)",
        hint="Please report this with the host's log; :checkhealth mcp_host names its path.",
        alias=alias,
    )


def _last_words(launch: Launch, log: ServerLog) -> str:
    if not isinstance(launch, StdioLaunch):
        return "Its address did not answer in time, or not in full."
    wrote = "\n".join(log.tail[-5:])
    return f"Its stderr ended with:\n{wrote}" if wrote else "It wrote nothing to stderr."
