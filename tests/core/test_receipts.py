"""A receipt's states: one table, and no second execution whatever happens."""

from __future__ import annotations

import itertools
import random
from dataclasses import replace
from datetime import datetime, timedelta, timezone
from typing import get_args

import pytest

from mcp_host.core.evidence import Evidence
from mcp_host.core.receipts import (
    RECEIPT_LIFETIME_SECONDS,
    TABLE,
    ImpossibleTransition,
    Receipt,
    ReceiptEvent,
    ReceiptState,
    advance,
    aged,
    issue,
)

_NOW = datetime(2026, 11, 30, 12, tzinfo=timezone.utc)
_EVIDENCE = Evidence(definition="d", identity="i", tool="t", arguments="a")
_STATES: tuple[ReceiptState, ...] = get_args(ReceiptState)
_EVENTS: tuple[ReceiptEvent, ...] = get_args(ReceiptEvent)


def _receipt() -> Receipt:
    return issue(id="r1", alias="notes", tool="delete", arguments={"b": 1, "a": "ü"}, now=_NOW, evidence=_EVIDENCE)


def test_a_new_receipt_waits_for_five_minutes() -> None:
    assert _receipt() == Receipt(
        id="r1",
        alias="notes",
        tool="delete",
        arguments_json='{"a":"ü","b":1}',
        issued_at=_NOW,
        expires_at=datetime(2026, 11, 30, 12, 5, tzinfo=timezone.utc),
        evidence=_EVIDENCE,
        state="pending",
    )


def test_nobody_can_change_the_arguments_after_they_were_shown() -> None:
    given = {"paths": ["a"]}
    receipt = issue(id="r1", alias="notes", tool="delete", arguments=given, now=_NOW, evidence=_EVIDENCE)
    given["paths"].append("b")
    receipt.arguments["paths"] = "c"
    assert receipt.arguments == {"paths": ["a"]}


def test_the_repr_does_not_tell_the_arguments() -> None:
    assert "ü" not in repr(_receipt())


def test_the_table_goes_one_way_only() -> None:
    ended = set(_STATES) - {"pending", "executing"}
    assert {state for state, _ in TABLE} == {"pending", "executing"}
    assert {following for (state, _), following in TABLE.items() if state == "executing"} == {
        "succeeded",
        "failed",
        "unknown",
    }
    assert ended < set(TABLE.values())


def test_every_step_that_is_not_in_the_table_is_our_own_mistake() -> None:
    for state, event in itertools.product(_STATES, _EVENTS):
        receipt = replace(_receipt(), state=state)
        if (state, event) in TABLE:
            assert advance(receipt, event).state == TABLE[state, event]
        else:
            with pytest.raises(ImpossibleTransition):
                advance(receipt, event)


def test_a_receipt_keeps_the_call_and_the_differences_it_was_given() -> None:
    executing = advance(_receipt(), "execute", call="c7")
    assert advance(executing, "succeed") == replace(_receipt(), state="succeeded", call="c7")
    assert advance(_receipt(), "outdate", differences=("it changed",)) == replace(
        _receipt(), state="stale", differences=("it changed",)
    )


def test_only_a_pending_receipt_expires_and_exactly_when_its_time_is_over() -> None:
    lifetime = timedelta(seconds=RECEIPT_LIFETIME_SECONDS)
    last_moment = _NOW + lifetime - timedelta(microseconds=1)
    assert aged(_receipt(), last_moment) == _receipt()
    assert aged(_receipt(), _NOW + lifetime) == replace(_receipt(), state="expired")
    executing = advance(_receipt(), "execute")
    assert aged(executing, _NOW + 2 * lifetime) == executing


def test_no_sequence_of_events_executes_twice_or_leaves_an_end() -> None:
    chance = random.Random(6)
    for _ in range(10_000):
        receipt, executions = _receipt(), 0
        for event in chance.choices(_EVENTS, k=12):
            before = receipt
            try:
                receipt = advance(receipt, event)
            except ImpossibleTransition:
                continue
            assert before.state in ("pending", "executing")
            executions += receipt.state == "executing"
            assert replace(receipt, state=before.state) == before
        assert executions <= 1
