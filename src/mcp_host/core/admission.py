"""Decides what accepting or rejecting a receipt comes to: run it now, wait, show the record, or refuse and say why.

Whoever keeps the receipts must put the receipt of the answer in the place of the old one before it waits for anything;
two accepts at the same time then come to one execution and one that joins it. Every later accept gets the record.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Final, Literal

from mcp_host.core.evidence import Evidence, differences
from mcp_host.core.receipts import Receipt, ReceiptState, advance, aged
from mcp_host.problems import Problem, ProblemError


@dataclass(frozen=True, kw_only=True)
class Admitted:
    """Run it now, once: the receipt is `executing`."""

    receipt: Receipt
    kind: Literal["admitted"] = "admitted"


@dataclass(frozen=True, kw_only=True)
class Joined:
    """Another accept is running it: wait for that one's outcome."""

    receipt: Receipt
    kind: Literal["joined"] = "joined"


@dataclass(frozen=True, kw_only=True)
class Replayed:
    """It has run (or may have, when its state is `unknown`): show the recorded outcome."""

    receipt: Receipt
    kind: Literal["replayed"] = "replayed"


@dataclass(frozen=True, kw_only=True)
class Refused:
    """Nothing is sent; keep the receipt in its new state and show the problem."""

    receipt: Receipt
    problem: Problem
    kind: Literal["refused"] = "refused"


Admission = Admitted | Joined | Replayed | Refused


def settled(receipt: Receipt, now: datetime) -> Joined | Replayed | Refused | None:
    """What accepting comes to whatever the evidence is; None for one that is pending, and so needs fresh evidence.

    Ask this first: a replay needs no connection.
    """
    current = aged(receipt, now)
    if current.state == "pending":
        return None
    if current.state == "executing":
        return Joined(receipt=current)
    if current.state in ("succeeded", "failed", "unknown"):
        return Replayed(receipt=current)
    return Refused(receipt=current, problem=problem_of(current))


def admit(receipt: Receipt, now: datetime, fresh_evidence: Evidence, *, call: str) -> Admission:
    """Decide one accept. Only a pending receipt in its lifetime, with no evidence changed, is admitted, as `call`."""
    decided = settled(receipt, now)
    if decided is not None:
        return decided
    changed = differences(receipt.evidence, fresh_evidence, alias=receipt.alias, tool=receipt.tool)
    if changed:
        outdated = advance(receipt, "outdate", differences=changed)
        return Refused(receipt=outdated, problem=problem_of(outdated))
    return Admitted(receipt=advance(receipt, "execute", call=call))


def reject(receipt: Receipt, now: datetime) -> Receipt:
    """The receipt, rejected; rejecting one that is rejected, expired or stale changes nothing.

    Raises:
        ProblemError: `usage`: it was accepted before, and what was sent cannot be taken back.
    """
    current = aged(receipt, now)
    if current.state == "pending":
        return advance(current, "reject")
    if current.state in ("rejected", "expired", "stale"):
        return current
    raise ProblemError(
        Problem(
            type="usage",
            title=f"{_named(current)} was accepted before; it can no longer be rejected",
            detail=f"Its state is {current.state}.",
            hint=f"See its outcome: :McpAccept {current.id} (it does not run again).",
            alias=current.alias,
            tool=current.tool,
        )
    )


# --- problems ---------------------------------------------------------------------------------------------------------

COMMAND_LENGTH_LIMIT: Final = 200
"""Characters of a suggested command; one with longer arguments is suggested without them."""

_REFUSALS: Final[Mapping[ReceiptState, Literal["receipt-rejected", "receipt-expired", "receipt-stale"]]] = {
    "rejected": "receipt-rejected",
    "expired": "receipt-expired",
    "stale": "receipt-stale",
}


def problem_of(receipt: Receipt) -> Problem:
    """Why a rejected, expired or stale receipt is refused, and how to get a new one.

    Raises:
        KeyError: The receipt is in no such state.
    """
    kind = _REFUSALS[receipt.state]
    return Problem(
        type=kind,
        title=f"{_named(receipt)} {_what_happened(receipt)}; nothing was sent",
        detail=_particulars(receipt),
        hint=f"Look again at what would run: {preview_command(receipt)}",
        alias=receipt.alias,
        tool=receipt.tool,
    )


def preview_command(receipt: Receipt) -> str:
    """The command that proposes the same call once more."""
    command = f":McpPreview {receipt.alias} {receipt.tool}"
    full = f"{command} {receipt.asked_json or receipt.arguments_json}"
    return full if len(full) <= COMMAND_LENGTH_LIMIT else f"{command} {{…}}"


def _named(receipt: Receipt) -> str:
    return f"The receipt {receipt.id} for {receipt.tool} on {receipt.alias}"


def _what_happened(receipt: Receipt) -> str:
    return {"rejected": "was rejected", "expired": "has expired"}.get(receipt.state, "is stale")


def _particulars(receipt: Receipt) -> str:
    if receipt.state == "stale":
        return "Since it was issued: " + "; ".join(receipt.differences) + "."
    if receipt.state == "expired":
        lifetime = int((receipt.expires_at - receipt.issued_at).total_seconds())
        return f"It was good for {lifetime} seconds, until {receipt.expires_at:%Y-%m-%d %H:%M:%S} UTC."
    return "A rejected receipt stays rejected."
