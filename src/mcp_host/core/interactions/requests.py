"""The requests that a server makes of whoever sits here, in both eras: what is asked for, not how it arrived.

In the modern era several of them come in one result (specification 2026-07-28, "Multi Round-Trip Requests"); in the
legacy era each is a JSON-RPC request of the server's own.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final, Literal

RequestKind = Literal["form", "url", "sampling", "roots"]

ELICITATION: Final = "elicitation/create"
SAMPLING: Final = "sampling/createMessage"
ROOTS: Final = "roots/list"
REQUEST_METHODS: Final = frozenset({ELICITATION, SAMPLING, ROOTS})
"""All that a server may ask a client for."""


@dataclass(frozen=True, kw_only=True)
class InputRequest:
    """One thing that is asked for, as it came over the wire."""

    key: str
    """The server's name for it among those of the same result; `request` where it came alone."""
    method: str
    params: Mapping[str, object] = field(default_factory=dict[str, object])

    @property
    def kind(self) -> RequestKind | None:
        """None for a method that no client answers, or an elicitation in a mode that nobody knows."""
        if self.method == ELICITATION:
            mode = self.params.get("mode")  # some servers write null for what is absent
            return "form" if mode is None or mode == "form" else "url" if mode == "url" else None
        return "sampling" if self.method == SAMPLING else "roots" if self.method == ROOTS else None


@dataclass(frozen=True, kw_only=True)
class Asked:
    """What a server asks for at one time. It is answered as a whole or not at all."""

    alias: str
    requests: tuple[InputRequest, ...]
    doing: str
    """Why, to follow "while": "calling git_log"; for a request that belongs to no call, what runs there."""
    tool: str | None = None
    """The raw name of the tool that is being called, where that is known."""
    call: str | None = None
    """The id of the call that waits for it, where that is known."""
