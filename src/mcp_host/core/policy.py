"""Decides whether a call may run at once or has to be reviewed, and says why.

Only what a person wrote in the definition counts. A server's own hints (`readOnlyHint` and so on) are shown to people
elsewhere; they never come in here, because the server that would harm us is the one that writes them.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, Protocol

Effect = Literal["read", "host"]
"""`read`: runs without review. `host`: becomes a proposal first."""


class Classified(Protocol):
    """The part of a definition that classifies."""

    @property
    def read(self) -> tuple[str, ...]: ...


@dataclass(frozen=True, kw_only=True)
class Classification:
    """What a call counts as, and the reason in words."""

    effect: Effect
    why: str


def classify(tool_name: str, definition: Classified) -> Classification:
    """What calling the tool with this raw name counts as; whatever is not named as a read is a host effect."""
    if tool_name in definition.read:
        return Classification(effect="read", why="the definition lists it under read")
    return Classification(effect="host", why="the definition does not list it under read")


def effect_of(tool_name: str, definition: Classified) -> Effect:
    """The effect alone."""
    return classify(tool_name, definition).effect
