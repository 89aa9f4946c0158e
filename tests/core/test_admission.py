"""Accepting and rejecting: what runs, what waits, what is replayed, what is refused and why."""

from __future__ import annotations

import random
from dataclasses import replace
from datetime import datetime, timedelta, timezone

import pytest

from mcp_host.core.admission import (
    Admission,
    Admitted,
    Joined,
    Refused,
    Replayed,
    admit,
    preview_command,
    reject,
    settled,
)
from mcp_host.core.evidence import Evidence
from mcp_host.core.receipts import Receipt, ReceiptEvent, ReceiptState, advance, aged, issue
from mcp_host.problems import Problem, ProblemError

_NOW = datetime(2026, 11, 30, 12, tzinfo=timezone.utc)
_SOON = _NOW + timedelta(seconds=10)
_LATE = _NOW + timedelta(seconds=300)
_EVIDENCE = Evidence(definition="d", identity="i", tool="t", arguments="a")
_PENDING = issue(id="r1", alias="notes", tool="delete", arguments={"id": 7}, now=_NOW, evidence=_EVIDENCE)


def _in(state: ReceiptState) -> Receipt:
    return replace(_PENDING, state=state, call="c1")


def _admit(receipt: Receipt, now: datetime = _SOON, evidence: Evidence = _EVIDENCE) -> Admission:
    return admit(receipt, now, evidence, call="c2")


def test_a_pending_receipt_with_the_same_evidence_is_admitted() -> None:
    assert settled(_PENDING, _SOON) is None
    assert _admit(_PENDING) == Admitted(receipt=replace(_PENDING, state="executing", call="c2"))


def test_an_accept_beside_another_one_joins_it() -> None:
    assert _admit(_in("executing")) == Joined(receipt=_in("executing"))
    assert _admit(_in("executing"), _LATE) == Joined(receipt=_in("executing"))


@pytest.mark.parametrize("state", ["succeeded", "failed", "unknown"])
def test_an_accept_afterwards_replays_the_record_also_after_expiry_and_changes(state: ReceiptState) -> None:
    changed = replace(_EVIDENCE, tool="other")
    assert _admit(_in(state), _LATE, changed) == Replayed(receipt=_in(state))
    assert settled(_in(state), _LATE) == Replayed(receipt=_in(state))


def test_an_expired_receipt_is_refused() -> None:
    expired = replace(_PENDING, state="expired")
    refused = Refused(
        receipt=expired,
        problem=Problem(
            type="receipt-expired",
            title="The receipt r1 for delete on notes has expired; nothing was sent",
            detail="It was good for 300 seconds, until 2026-11-30 12:05:00 UTC.",
            hint='Look again at what would run: :McpPreview notes delete {"id":7}',
            alias="notes",
            tool="delete",
        ),
    )
    assert _admit(_PENDING, _LATE) == settled(_PENDING, _LATE) == _admit(expired) == refused


def test_changed_evidence_makes_a_receipt_stale_and_each_change_is_named() -> None:
    words = ("the definition of notes changed", "notes changed the definition of delete")
    stale = replace(_PENDING, state="stale", differences=words)
    refused = Refused(
        receipt=stale,
        problem=Problem(
            type="receipt-stale",
            title="The receipt r1 for delete on notes is stale; nothing was sent",
            detail="Since it was issued: the definition of notes changed; notes changed the definition of delete.",
            hint='Look again at what would run: :McpPreview notes delete {"id":7}',
            alias="notes",
            tool="delete",
        ),
    )
    assert _admit(_PENDING, _SOON, replace(_EVIDENCE, definition="x", tool="y")) == refused
    assert _admit(stale) == refused, "also when everything is as it was again"


def test_expiry_comes_before_staleness() -> None:
    admission = _admit(_PENDING, _LATE, replace(_EVIDENCE, definition="x"))
    assert admission.receipt.state == "expired"


def test_a_rejected_receipt_stays_rejected() -> None:
    rejected = reject(_PENDING, _SOON)
    assert rejected == replace(_PENDING, state="rejected")
    admission = _admit(rejected)
    assert isinstance(admission, Refused)
    assert (admission.receipt, admission.problem.type) == (rejected, "receipt-rejected")
    assert reject(rejected, _LATE) == rejected
    assert reject(_PENDING, _LATE) == replace(_PENDING, state="expired")


@pytest.mark.parametrize("state", ["executing", "succeeded", "failed", "unknown"])
def test_what_was_accepted_cannot_be_rejected(state: ReceiptState) -> None:
    with pytest.raises(ProblemError) as refused:
        reject(_in(state), _SOON)
    assert refused.value.problem.type == "usage"


def test_a_suggested_command_stays_readable() -> None:
    long = issue(id="r", alias="a", tool="t", arguments={"text": "x" * 1000}, now=_NOW, evidence=_EVIDENCE)
    assert preview_command(long) == ":McpPreview a t {…}"


def test_whatever_people_do_one_receipt_executes_once_at_most_and_replays_its_record() -> None:
    chance = random.Random(10)
    ends: tuple[ReceiptEvent, ...] = ("succeed", "fail", "lose")
    for _ in range(10_000):
        receipt, now, executions = _PENDING, _NOW, 0
        for _ in range(10):
            now += timedelta(seconds=chance.choice((0, 1, 100)))
            action = chance.choice(("accept", "accept", "end", "reject", "age"))
            before = receipt
            if action == "accept":
                evidence = chance.choice((_EVIDENCE, _EVIDENCE, _EVIDENCE, replace(_EVIDENCE, identity="x")))
                admission = _admit(receipt, now, evidence)
                receipt = admission.receipt
                executions += admission.kind == "admitted"
                if admission.kind == "admitted":
                    assert (now < receipt.expires_at, evidence) == (True, receipt.evidence)
            elif action == "end" and receipt.state == "executing":
                receipt = advance(receipt, chance.choice(ends))
            elif action == "reject" and receipt.state != "executing" and receipt.call is None:
                receipt = reject(receipt, now)
            elif action == "age":
                receipt = aged(receipt, now)
            if before.state not in ("pending", "executing"):
                assert receipt == before
        assert executions <= 1
        assert receipt.arguments_json == _PENDING.arguments_json
