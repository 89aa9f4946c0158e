"""One call: a request that somebody waits for, with what was told and asked while it ran."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

import anyio

from mcp_host.core.interactions.given_answers import GivenAnswers
from mcp_host.core.outcomes import Outcome
from mcp_host.core.policy import Effect
from mcp_host.core.receipts import Receipt
from mcp_host.problems import Problem

CallState = Literal["running", "succeeded", "failed", "unknown"]
CallKind = Literal["tool", "resource", "prompt"]


@dataclass(frozen=True, kw_only=True)
class Progress:
    """How far a call has come, in the server's own units and words."""

    progress: float
    total: float | None = None
    message: str | None = None


@dataclass(frozen=True, kw_only=True)
class Responded:
    """What was said to something that the server asked for during a call."""

    kinds: tuple[str, ...]
    message: str
    """What the server asked, in its words."""
    action: Literal["accept", "decline", "cancel", "refused"]
    by: Literal["person", "answers", "nobody"]
    problem: Problem | None = None
    """Where nobody could answer: what to do so that somebody can."""


@dataclass(kw_only=True)
class Call:
    """One request that somebody waits for, running or ended."""

    id: str
    alias: str
    name: str
    """Raw: the tool's or prompt's name, or the resource's uri."""
    kind: CallKind = "tool"
    effect: Effect
    started_at: float
    """Seconds of the host's monotonic clock."""
    receipt: Receipt | None = None
    """The receipt it ran under; None for a read."""
    answers: GivenAnswers | None = field(default=None, repr=False)
    """What was said beforehand to whatever the server may ask."""
    responded: list[Responded] = field(default_factory=list[Responded])
    """What the server asked meanwhile, and what came of it."""
    progress: Progress | None = None
    state: CallState = "running"
    duration_seconds: float = 0.0
    outcome: Outcome | None = None
    """None while it runs."""
    scope: anyio.CancelScope = field(default_factory=anyio.CancelScope, repr=False)

    @property
    def tool(self) -> str | None:
        """The raw name of the tool, None for what calls none."""
        return self.name if self.kind == "tool" else None


def subject_of(call: Call) -> dict[str, object]:
    """What events say of a call: its id, its server, and what is called."""
    named = {"tool": call.name} if call.kind == "tool" else {"name": call.name}
    return {"call": call.id, "alias": call.alias, "kind": call.kind, **named}
