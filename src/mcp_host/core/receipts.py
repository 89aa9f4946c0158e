"""A receipt: the promise that one exact call, as it was shown, runs at most once. Its states, and the table of them.

There is one way to `executing` and none back: that is what makes a second execution impossible. Whether a receipt may
take it is decided in `admission`; the outcome itself is kept by whoever keeps the receipts.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from typing import Final, Literal

from mcp_host.core.arguments import canonical_json
from mcp_host.core.evidence import Evidence

RECEIPT_LIFETIME_SECONDS: Final = 300
"""How long a receipt may wait for its verdict: long enough to read, too short for the world to become another one."""

ReceiptState = Literal["pending", "executing", "succeeded", "failed", "unknown", "rejected", "expired", "stale"]

ReceiptEvent = Literal[
    "execute",
    "succeed",
    "fail",
    "lose",  # sent, but no answer came: it may have run
    "reject",
    "expire",
    "outdate",  # the evidence is no longer what it was
]

TABLE: Final[Mapping[tuple[ReceiptState, ReceiptEvent], ReceiptState]] = {
    ("pending", "execute"): "executing",
    ("pending", "reject"): "rejected",
    ("pending", "expire"): "expired",
    ("pending", "outdate"): "stale",
    ("executing", "succeed"): "succeeded",
    ("executing", "fail"): "failed",
    ("executing", "lose"): "unknown",
}


class ImpossibleTransition(Exception):
    """Our own mistake: the receipt cannot go from where it is to where it was sent."""

    def __init__(self, receipt: str, state: ReceiptState, event: ReceiptEvent) -> None:
        super().__init__(f"receipt {receipt} is {state}: {event} is impossible")


@dataclass(frozen=True, kw_only=True)
class Receipt:
    """One proposed call. `issue` makes it and `advance` gives its next state as a new value."""

    id: str
    """Unguessable: whoever has it may accept the call."""
    alias: str
    tool: str
    """The raw name."""
    arguments_json: str = field(repr=False)
    """The arguments in their canonical spelling. As text, so that nothing can change them after they were shown."""
    issued_at: datetime
    """UTC, as every time here."""
    expires_at: datetime
    """The first moment at which it can no longer be accepted."""
    evidence: Evidence
    state: ReceiptState = "pending"
    call: str | None = None
    """The call that ran or runs it: where its outcome is kept. None until it was admitted."""
    differences: tuple[str, ...] = ()
    """For a stale one: what had changed, in words."""
    asked_json: str | None = field(default=None, repr=False)
    """What was asked for, where the server's own receipt is sent in its place. None: what was asked for is sent."""
    unreviewed: bool = False
    """Somebody accepted the call in the same breath as asking for it (`:McpExec!`), without looking at it."""

    @property
    def arguments(self) -> dict[str, object]:
        """A fresh copy of what was shown and fingerprinted, and is sent."""
        return json.loads(self.arguments_json)


def issue(
    *,
    id: str,
    alias: str,
    tool: str,
    arguments: Mapping[str, object],
    now: datetime,
    evidence: Evidence,
    asked: Mapping[str, object] | None = None,
    unreviewed: bool = False,
) -> Receipt:
    """A pending receipt with this id, good for `RECEIPT_LIFETIME_SECONDS` from now."""
    return Receipt(
        id=id,
        alias=alias,
        tool=tool,
        arguments_json=canonical_json(arguments),
        issued_at=now,
        expires_at=now + timedelta(seconds=RECEIPT_LIFETIME_SECONDS),
        evidence=evidence,
        asked_json=None if asked is None else canonical_json(asked),
        unreviewed=unreviewed,
    )


def advance(
    receipt: Receipt, event: ReceiptEvent, *, call: str | None = None, differences: tuple[str, ...] = ()
) -> Receipt:
    """The receipt after the event; `call` goes with `execute`, `differences` with `outdate`.

    Raises:
        ImpossibleTransition: The table has no such step.
    """
    state = TABLE.get((receipt.state, event))
    if state is None:
        raise ImpossibleTransition(receipt.id, receipt.state, event)
    return replace(receipt, state=state, call=call or receipt.call, differences=differences or receipt.differences)


def aged(receipt: Receipt, now: datetime) -> Receipt:
    """The receipt as it is at this moment: a pending one whose time is over has expired."""
    return advance(receipt, "expire") if receipt.state == "pending" and now >= receipt.expires_at else receipt
