"""What the failures of this floor say to a person: one function for each thing that can have gone wrong.

What it was that went wrong is found out in `errors.py` and at the ends of a connection. The particulars may be a
server's own words; they are handed on raw and in full length, because secrets can only be found in whole words.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, Literal

from mcp_host.problems import Problem

NAME_CAP: Final = 100
"""Characters of a name: whatever is longer is none."""


@dataclass(frozen=True, kw_only=True)
class Attempt:
    """What was being done when it went wrong."""

    alias: str
    doing: str
    """To follow "while": "connecting", "calling git_log"."""
    tool: str | None = None
    """The raw name of the tool, where one was called."""


def named(name: str) -> str:
    """What a server calls something, quoted. A long name is left out: cut, it could hide half a secret."""
    return f'"{name}"' if len(name) <= NAME_CAP else f"(a name of {len(name)} characters)"


def told_kind(kind: object) -> str:
    """A `resultType` in a sentence."""
    return named(kind) if isinstance(kind, str) else "(no text)"


def not_reachable(attempt: Attempt, detail: str) -> Problem:
    """The connection failed, and what a process wrote last may say why."""
    log = f"mcp_host/servers/{attempt.alias}.log in stdpath('log')"
    hint = f"If it is a process, what it wrote is in {log}; {_again(attempt)}"
    return _unavailable(attempt, "is not reachable", detail=detail, hint=hint)


def request_lost(attempt: Attempt, detail: str) -> Problem:
    """An HTTP request got no response, or not the whole of it."""
    hint = f"See that it runs at the url of its definition; {_again(attempt)}"
    return _unavailable(attempt, "is not reachable", detail=detail, hint=hint)


def turned_away(attempt: Attempt, status: int, detail: str, *, may_pass: bool) -> Problem:
    """The server answered with an HTTP status alone."""
    hint = "The words above are the server's own, or those of a gateway before it; its own log may say more."
    happened = f"answered HTTP {status}"
    return _unavailable(attempt, happened, detail=detail, hint=hint).model_copy(update={"retryable": may_pass})


def redirected(attempt: Attempt, detail: str) -> Problem:
    """The server sent us to a place where a message must not follow."""
    hint = "Where that address is the server's, write it as url in its definition."
    redirect = _unavailable(attempt, "answered with a redirect", detail=detail, hint=hint)
    return redirect.model_copy(update={"retryable": False})


def session_over(attempt: Attempt, words: str, *, certain: bool = True) -> Problem:
    """The server does not know the session any more.

    Args:
        certain: It has said so with a refusal, and not with words that leave open what it did.
    """
    done = "The request was not carried out." if certain else "Whether the request was carried out is not known."
    detail = f"{words}\nIt was restarted, or it has let the session go. {done}"
    hint = "The next use of it connects anew."
    return _unavailable(attempt, "does not know this connection any more", detail=detail, hint=hint)


def not_connected(attempt: Attempt) -> Problem:
    """The connection had ended before the request."""
    hint = f":McpEnable {attempt.alias} connects again."
    return _unavailable(attempt, "is no longer connected", detail="Nothing was sent.", hint=hint)


def gone_while_asking(attempt: Attempt) -> Problem:
    """The connection ended while a person was asked for something that the server wanted to know."""
    detail = "It ended while it waited for an answer to what it had asked, and had not finished."
    gone = _unavailable(attempt, "is no longer connected", detail=detail, hint=_again(attempt))
    return gone.model_copy(update={"retryable": False})


def authorization_required(attempt: Attempt, status: Literal[401, 403]) -> Problem:
    """The server does not let us in."""
    alias = attempt.alias
    return Problem(
        type="authorization-required",
        title=f"{alias} asks for an authorization",
        detail=f"It answered HTTP {status} while {attempt.doing}.",
        hint=f'Give its definition `authorization = {{ type = "bearer", token = "${{NAME}}" }}` for {alias}.',
        alias=alias,
        tool=attempt.tool,
    )


def refused(attempt: Attempt, detail: str, *, hint: str) -> Problem:
    """The server answered with an error of its own."""
    return Problem(
        type="request-refused",
        title=f"{attempt.alias} refused while {attempt.doing}",
        detail=detail,
        hint=hint,
        alias=attempt.alias,
        tool=attempt.tool,
    )


def violated(attempt: Attempt, detail: str) -> Problem:
    """What the server sent is not what the protocol allows."""
    return Problem(
        type="protocol-violated",
        title=f"{attempt.alias} broke the protocol while {attempt.doing}",
        detail=detail,
        hint="This is for the server's authors; a newer version of it may help.",
        alias=attempt.alias,
        tool=attempt.tool,
    )


def timed_out(attempt: Attempt) -> Problem:
    """The deadline passed first."""
    return Problem(
        type="request-timed-out",
        title=f"{attempt.alias} did not answer in time while {attempt.doing}",
        detail="The deadline of its definition passed and the request was cancelled.",
        hint="Raise request_timeout_seconds (or connect_timeout_seconds) in its definition if it needs longer.",
        alias=attempt.alias,
        tool=attempt.tool,
        retryable=True,
    )


def never_satisfied(attempt: Attempt, rounds: int) -> Problem:
    """The server asks for more and more and comes to no result."""
    return Problem(
        type="protocol-violated",
        title=f"{attempt.alias} came to no result while {attempt.doing}",
        detail=f"It asked for something else or to be asked again {rounds} times in a row.",
        hint="This is for the server's authors; a newer version of it may help.",
        alias=attempt.alias,
        tool=attempt.tool,
    )


def unexpected(attempt: Attempt, error: BaseException) -> Problem:
    """A fault of our own: without the exception's words, in which secrets may stand."""
    return Problem(
        type="internal",
        title=f"Something unexpected happened while {attempt.doing} ({attempt.alias})",
        detail=f"{type(error).__name__} (see the host's log for where)",
        hint="Please report this with the host's log; :checkhealth mcp_host names its path.",
        alias=attempt.alias,
        tool=attempt.tool,
    )


def _again(attempt: Attempt) -> str:
    return f":McpEnable {attempt.alias} tries again."


def _unavailable(attempt: Attempt, happened: str, *, detail: str, hint: str) -> Problem:
    return Problem(
        type="server-unavailable",
        title=f"{attempt.alias} {happened} (while {attempt.doing})",
        detail=detail,
        hint=hint,
        alias=attempt.alias,
        tool=attempt.tool,
        retryable=True,
    )
