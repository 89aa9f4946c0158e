"""Our half of a connection: what we offer to the server, and who hears what it asks for and says unasked.

It imports nothing of the SDK, so that the host can make one before that is there.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, TypeAlias

from mcp_host.core.interactions.requests import Asked
from mcp_host.core.offers import Offer
from mcp_host.core.subscriptions import ListKind
from mcp_host.problems import Problem, ProblemError


class NotAnswered(ProblemError):
    """The request as a whole gets no answer: in the legacy era it is refused with a JSON-RPC error, in the modern era
    the call that needs it ends here.
    """

    def __init__(self, problem: Problem, *, code: int = -1) -> None:
        super().__init__(problem)
        self.code = code
        """The code of the error that a legacy server gets; -1 is the specification's for a person's refusal."""


Responder: TypeAlias = Callable[[Asked], Awaitable[Mapping[str, Mapping[str, Any]]]]
"""Answers what is asked: the raw ElicitResult, CreateMessageResult or ListRootsResult of every key. May wait for a
person for hours; cancelling it withdraws the question. Raises NotAnswered."""


async def answer_nobody(asked: Asked) -> Mapping[str, Mapping[str, Any]]:
    """For connections on which nobody can be asked, such as a probe."""
    raise NotAnswered(
        Problem(
            type="input-required",
            title=f"{asked.alias} wants to ask a person something while {asked.doing}",
            detail="This connection offers no way to ask.",
            hint="Call it in an editor with a screen, or give the answers beforehand.",
            alias=asked.alias,
            tool=asked.tool,
        )
    )


def _hear_nothing(*_words: object) -> None:
    """For connections that nobody listens to."""


NOTHING_OFFERED = Offer(elicitation=False, sampling=False, legacy_roots=False, tasks=False)


@dataclass(frozen=True, kw_only=True)
class ClientSide:
    """What one connection needs of this host. The hooks are called in the connection's loop and must not wait."""

    offer: Offer = NOTHING_OFFERED
    respond: Responder = answer_nobody
    on_list_changed: Callable[[ListKind], None] = field(default=_hear_nothing, repr=False)
    """One of the server's lists is not what it was. (`Connection.lists_stale` says so too.)"""
    on_resource_updated: Callable[[str], None] = field(default=_hear_nothing, repr=False)
    """A resource that was subscribed to has changed: its uri."""
    on_log: Callable[[str, str | None, object], None] = field(default=_hear_nothing, repr=False)
    """A log message: level, logger, data as it came. The server's words."""
    on_url_completed: Callable[[str], None] = field(default=_hear_nothing, repr=False)
    """Legacy: the interaction behind a URL has ended; its elicitationId."""
