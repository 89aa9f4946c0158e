"""Receipts that wait: who executes, who joins, what is recorded and what is forgotten."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta, timezone
from itertools import count

import anyio
import pytest

from mcp_host.core.evidence import Evidence
from mcp_host.core.outcomes import Outcome
from mcp_host.core.receipts import RECEIPT_LIFETIME_SECONDS
from mcp_host.host.call import Call
from mcp_host.host.ledger import KEPT_RECEIPTS, Accepted, Ledger, Proposal
from mcp_host.problems import Problem, ProblemError
from tests.host.support import Events, idle_live, problem_of

pytestmark = pytest.mark.anyio

EVIDENCE = Evidence(definition="d", identity="i", tool="t", arguments="a")
REFUSED = Problem(type="request-refused", title="no", detail="no", hint="no", alias="demo", tool="write")


@dataclass(kw_only=True)
class Bench:
    """A ledger with a clock that stands still until it is moved, and an execution that counts."""

    now: datetime = datetime(2026, 8, 1, 12, tzinfo=timezone.utc)
    events: Events = field(default_factory=Events)
    evidence: Evidence = EVIDENCE
    executed: list[str] = field(default_factory=list[str])
    outcome: Outcome = field(default_factory=lambda: Outcome(kind="succeeded", result={"content": []}))
    ledger: Ledger = field(init=False)

    def __post_init__(self) -> None:
        ids = count(1)
        self.ledger = Ledger(emit=self.events.emit, now=lambda: self.now, new_id=lambda: f"r{next(ids)}")

    def issue(self) -> Proposal:
        return self.ledger.issue(idle_live(), tool="write", arguments={"b": 1, "a": 2}, evidence=EVIDENCE)

    async def execute(self, proposal: Proposal) -> Call:
        self.executed.append(proposal.receipt.id)
        return Call(id="c1", alias="demo", name="write", effect="host", started_at=0.0, outcome=self.outcome)

    async def accept(
        self, proposal: Proposal, execute: Callable[[Proposal], Awaitable[Call]] | None = None, call_id: str = "c1"
    ) -> Accepted:
        async def fresh(_: Proposal) -> Evidence:
            return self.evidence

        return await self.ledger.accept(
            proposal, call_id=call_id, fresh_evidence=fresh, execute=execute or self.execute
        )

    def states(self) -> list[object]:
        return [data["state"] for data in self.events.of("McpReceipt")]


async def test_an_issued_receipt_is_pending_and_told() -> None:
    bench = Bench()
    proposal = bench.issue()
    assert (proposal.receipt.id, proposal.receipt.state) == ("r1", "pending")
    assert proposal.receipt.arguments_json == '{"a":2,"b":1}'
    assert bench.events.told == [("McpProposal", {"receipt": "r1", "alias": "demo", "tool": "write"})]


async def test_a_receipt_is_found_by_its_id_and_without_one_when_it_alone_is_pending() -> None:
    bench = Bench()
    first, second = bench.issue(), bench.issue()
    assert bench.ledger.find("r1") is first
    assert (await problem_of(lambda: _find(bench, None))).type == "receipt-unknown"
    bench.ledger.reject(first)
    assert bench.ledger.find(None) is second


async def test_when_none_is_pending_the_last_issued_is_meant() -> None:
    bench = Bench()
    first, second = bench.issue(), bench.issue()
    await bench.accept(first)
    await bench.accept(second)
    assert bench.ledger.find(None) is second


@pytest.mark.parametrize("receipt", [None, "never-issued"])
async def test_nothing_is_found_where_nothing_was_issued(receipt: str | None) -> None:
    problem = await problem_of(lambda: _find(Bench(), receipt))
    assert (problem.type, problem.exit_code) == ("receipt-unknown", 3)


async def test_an_expired_receipt_is_not_the_pending_one() -> None:
    bench = Bench()
    bench.issue()
    bench.now += timedelta(seconds=RECEIPT_LIFETIME_SECONDS)
    second = bench.issue()
    assert bench.ledger.find(None) is second


async def _find(bench: Bench, receipt: str | None) -> Proposal:
    return bench.ledger.find(receipt)


async def test_an_accepted_receipt_runs_once_and_is_told_in_every_state() -> None:
    bench = Bench()
    proposal = bench.issue()
    accepted = await bench.accept(proposal)
    assert (accepted.call.id, accepted.replayed, bench.executed) == ("c1", False, ["r1"])
    assert (proposal.receipt.state, proposal.receipt.call) == ("succeeded", "c1")
    assert bench.events.of("McpReceipt") == [
        {"receipt": "r1", "alias": "demo", "tool": "write", "state": "executing"},
        {"receipt": "r1", "alias": "demo", "tool": "write", "state": "succeeded"},
    ]


async def test_a_replayed_receipt_returns_the_first_result() -> None:
    bench = Bench()
    proposal = bench.issue()
    first = await bench.accept(proposal)
    bench.evidence = replace(EVIDENCE, tool="changed")
    bench.now += timedelta(days=1)
    second = await bench.accept(proposal, call_id="c2")
    assert second == Accepted(call=first.call, replayed=True)
    assert bench.executed == ["r1"]


@pytest.mark.parametrize("kind", ["failed", "unknown"])
async def test_a_failed_or_unknown_outcome_is_replayed_as_what_it_was(kind: str) -> None:
    bench = Bench(outcome=Outcome(kind="failed" if kind == "failed" else "unknown", problem=REFUSED))
    proposal = bench.issue()
    first = await bench.accept(proposal)
    assert proposal.receipt.state == kind
    assert await bench.accept(proposal) == Accepted(call=first.call, replayed=True)
    assert bench.executed == ["r1"]


async def test_two_accepts_at_once_are_one_execution_whose_outcome_both_get() -> None:
    bench = Bench()
    proposal = bench.issue()
    running, release = anyio.Event(), anyio.Event()
    got: list[Accepted] = []

    async def slowly(proposal: Proposal) -> Call:
        running.set()
        await release.wait()
        return await bench.execute(proposal)

    async def accept() -> None:
        got.append(await bench.accept(proposal, slowly))

    with anyio.fail_after(5):
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(accept)
            tasks.start_soon(accept)
            await running.wait()
            await anyio.wait_all_tasks_blocked()
            release.set()
    assert bench.executed == ["r1"]
    assert sorted(accepted.replayed for accepted in got) == [False, True]
    assert got[0].call is got[1].call


async def test_a_receipt_that_is_rejected_while_its_evidence_is_fetched_does_not_run() -> None:
    bench = Bench()
    proposal = bench.issue()

    async def fresh(proposal: Proposal) -> Evidence:
        bench.ledger.reject(proposal)
        return EVIDENCE

    problem = await problem_of(
        lambda: bench.ledger.accept(proposal, call_id="c1", fresh_evidence=fresh, execute=bench.execute)
    )
    assert (problem.type, bench.executed) == ("receipt-rejected", [])


async def test_a_rejected_receipt_is_refused_and_nothing_is_sent() -> None:
    bench = Bench()
    proposal = bench.issue()
    bench.ledger.reject(proposal)
    assert (await problem_of(lambda: bench.accept(proposal))).type == "receipt-rejected"
    assert (bench.executed, bench.states()) == ([], ["rejected"])


async def test_an_expired_receipt_is_refused_and_nothing_is_sent() -> None:
    bench = Bench()
    proposal = bench.issue()
    bench.now += timedelta(seconds=RECEIPT_LIFETIME_SECONDS)
    assert (await problem_of(lambda: bench.accept(proposal))).type == "receipt-expired"
    assert (bench.executed, bench.states()) == ([], ["expired"])


async def test_a_stale_receipt_is_refused_and_stays_stale_when_the_old_evidence_is_back() -> None:
    bench = Bench(evidence=replace(EVIDENCE, tool="changed"))
    proposal = bench.issue()
    first = await problem_of(lambda: bench.accept(proposal))
    bench.evidence = EVIDENCE
    assert await problem_of(lambda: bench.accept(proposal)) == first
    assert (first.type, bench.executed, bench.states()) == ("receipt-stale", [], ["stale"])


async def test_a_receipt_whose_evidence_cannot_be_gathered_stays_pending() -> None:
    bench = Bench()
    proposal = bench.issue()

    async def fresh(_: Proposal) -> Evidence:
        raise ProblemError(REFUSED)

    problem = await problem_of(
        lambda: bench.ledger.accept(proposal, call_id="c1", fresh_evidence=fresh, execute=bench.execute)
    )
    assert (problem, proposal.receipt.state) == (REFUSED, "pending")


async def test_an_accepted_receipt_can_no_longer_be_rejected() -> None:
    bench = Bench()
    proposal = bench.issue()
    await bench.accept(proposal)

    async def reject() -> None:
        bench.ledger.reject(proposal)

    assert (await problem_of(reject)).type == "usage"


async def test_an_execution_that_was_never_sent_is_failed_and_says_the_same_again() -> None:
    bench = Bench()
    proposal = bench.issue()

    async def refuse(_: Proposal) -> Call:
        raise ProblemError(REFUSED)

    assert await problem_of(lambda: bench.accept(proposal, refuse)) == REFUSED
    assert await problem_of(lambda: bench.accept(proposal)) == REFUSED
    assert (proposal.receipt.state, bench.executed) == ("failed", [])


async def test_a_cancelled_execution_is_unknown_for_those_who_wait_and_for_those_who_come_later() -> None:
    bench = Bench()
    proposal = bench.issue()
    running, joined = anyio.Event(), list[Problem]()

    async def never(_: Proposal) -> Call:
        running.set()
        await anyio.sleep_forever()
        raise AssertionError("unreachable")

    async def execute(scope: anyio.CancelScope) -> None:
        with scope:
            await bench.accept(proposal, never)

    async def join() -> None:
        joined.append(await problem_of(lambda: bench.accept(proposal)))

    with anyio.fail_after(5):
        async with anyio.create_task_group() as tasks:
            scope = anyio.CancelScope()
            tasks.start_soon(execute, scope)
            await running.wait()
            tasks.start_soon(join)
            await anyio.wait_all_tasks_blocked()
            scope.cancel()
        later = await problem_of(lambda: bench.accept(proposal))
    assert (later.type, later.exit_code, joined) == ("outcome-unknown", 10, [later])
    assert (proposal.receipt.state, bench.executed) == ("unknown", [])


async def test_an_execution_with_a_fault_of_our_own_is_unknown_afterwards() -> None:
    bench = Bench()
    proposal = bench.issue()

    async def fail(_: Proposal) -> Call:
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        await bench.accept(proposal, fail)
    assert (await problem_of(lambda: bench.accept(proposal))).type == "outcome-unknown"
    assert proposal.receipt.state == "unknown"


async def test_the_oldest_ended_receipts_are_forgotten_and_pending_ones_are_not() -> None:
    bench = Bench()
    pending, ended = bench.issue(), bench.issue()
    bench.ledger.reject(ended)
    for _ in range(KEPT_RECEIPTS - 1):
        bench.issue()
    assert bench.ledger.find(pending.receipt.id) is pending
    assert (await problem_of(lambda: _find(bench, ended.receipt.id))).type == "receipt-unknown"
    assert len(bench.ledger.all()) == KEPT_RECEIPTS


async def test_receipts_that_nobody_ever_decided_on_are_forgotten_once_they_have_expired() -> None:
    bench = Bench()
    for _ in range(KEPT_RECEIPTS):
        bench.issue()
    bench.now += timedelta(seconds=RECEIPT_LIFETIME_SECONDS)
    for _ in range(10):
        bench.issue()
    assert len(bench.ledger.all()) == KEPT_RECEIPTS
