"""The receipts of this editor: issued by a preview, used at most once, replayed afterwards. In memory only.

What a receipt may do is decided in `core/admission.py`. Here is what needs waiting: fresh evidence is fetched, the call
runs, and everybody who accepts the same receipt meanwhile waits for that one execution and gets its outcome.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Final

import anyio
from typing_extensions import assert_never

from mcp_host.core.admission import Admitted, Joined, Refused, Replayed, admit, reject, settled
from mcp_host.core.catalog.catalog import Catalog, fingerprint
from mcp_host.core.evidence import Evidence, differences
from mcp_host.core.outcomes import RECEIPT_EVENTS
from mcp_host.core.receipts import Receipt, advance, aged, issue
from mcp_host.host.call import Call
from mcp_host.host.events import Emit
from mcp_host.host.live_server import LiveServer
from mcp_host.problems import Problem, ProblemError

KEPT_RECEIPTS: Final = 100
"""Receipts remembered for replay and for saying what became of them; the oldest ended ones are forgotten first.

Each holds the whole result of its call, which may be tens of megabytes: hence no more."""


@dataclass(kw_only=True)
class Proposal:
    """A receipt and what only its holder needs: what will be sent, to whom, and how it ended."""

    receipt: Receipt
    """Its arguments are what is shown and what is sent, the server's own receipt in them where there is one."""
    live: LiveServer
    """The server as it was when the proposal was made: what its buffer shows."""
    preview_tool: str | None = None
    """The server's own preview tool, where the tool is half of a pair."""
    preview_result: Mapping[str, object] | None = None
    """What the preview tool answered."""
    notes: tuple[str, ...] = ()
    """What gave pause, such as a schema that the arguments could not be held against."""
    call: Call | None = None
    """The one execution, once it ended."""
    problem: Problem | None = None
    """Why the one execution never got an outcome."""
    done: anyio.Event = field(default_factory=anyio.Event, repr=False)
    """Set when the one execution has ended, either way."""


@dataclass(frozen=True, kw_only=True)
class Accepted:
    """What an accept came to."""

    call: Call
    replayed: bool
    """True where the call ran for an earlier accept."""


class Ledger:
    """All receipts of this host."""

    def __init__(self, *, emit: Emit, now: Callable[[], datetime], new_id: Callable[[], str]) -> None:
        self._emit = emit
        self._now = now
        self._new_id = new_id
        self._proposals: OrderedDict[str, Proposal] = OrderedDict()

    def issue(
        self,
        live: LiveServer,
        *,
        tool: str,
        arguments: Mapping[str, object],
        evidence: Evidence,
        preview_tool: str | None = None,
        preview_result: Mapping[str, object] | None = None,
        notes: tuple[str, ...] = (),
        asked: Mapping[str, object] | None = None,
        unreviewed: bool = False,
    ) -> Proposal:
        """A pending proposal with a new receipt; `asked` and `unreviewed` as in `Receipt`."""
        receipt = issue(
            id=self._new_id(),
            alias=live.alias,
            tool=tool,
            arguments=arguments,
            now=self._now(),
            evidence=evidence,
            asked=asked,
            unreviewed=unreviewed,
        )
        proposal = Proposal(
            receipt=receipt, live=live, preview_tool=preview_tool, preview_result=preview_result, notes=notes
        )
        self._proposals[receipt.id] = proposal
        self._forget_oldest()
        self._emit("McpProposal", {"receipt": receipt.id, "alias": live.alias, "tool": tool})
        return proposal

    def find(self, receipt_id: str | None) -> Proposal:
        """The proposal of a receipt; without an id the only pending one, or the last issued where none is.

        Raises:
            ProblemError: `receipt-unknown`: there is no such receipt, or several are pending.
        """
        if receipt_id is not None:
            proposal = self._proposals.get(receipt_id)
            if proposal is None:
                raise ProblemError(_unknown(f"{receipt_id} was never issued in this editor, or is forgotten."))
            return proposal
        pending = [proposal for proposal in self.all() if proposal.receipt.state == "pending"]
        if len(pending) == 1:
            return pending[0]
        if pending:
            which = ", ".join(one.receipt.id for one in pending)
            raise ProblemError(_unknown(f"They are: {which}.", title="Several proposals are pending: say which one"))
        if self._proposals:
            # So that a second :McpAccept shows the recorded result, or says why the last one can no longer be used.
            return next(reversed(self._proposals.values()))
        raise ProblemError(_unknown("No receipt was issued in this editor.", title="No proposal is pending"))

    def all(self) -> tuple[Proposal, ...]:
        """Every remembered proposal, the oldest first; pending ones whose time is over have expired."""
        for proposal in self._proposals.values():
            self._put(proposal, aged(proposal.receipt, self._now()))
        return tuple(self._proposals.values())

    def follow(self, catalog: Catalog) -> None:
        """A server lists something else now: what was proposed for a tool that changed or is gone can no longer run."""
        for proposal in self._proposals.values():
            receipt = proposal.receipt
            if receipt.alias != catalog.alias or receipt.state != "pending":
                continue
            tool = catalog.tool(receipt.tool)
            now = replace(receipt.evidence, tool=fingerprint(tool) if tool is not None else None)
            changed = differences(receipt.evidence, now, alias=receipt.alias, tool=receipt.tool)
            if changed:
                self._put(proposal, advance(receipt, "outdate", differences=changed))

    def reject(self, proposal: Proposal) -> None:
        """The receipt can no longer be used.

        Raises:
            ProblemError: `usage`: it was accepted before.
        """
        self._put(proposal, reject(proposal.receipt, self._now()))

    async def accept(
        self,
        proposal: Proposal,
        *,
        call_id: str,
        fresh_evidence: Callable[[Proposal], Awaitable[Evidence]],
        execute: Callable[[Proposal], Awaitable[Call]],
    ) -> Accepted:
        """The outcome of the one execution of this receipt.

        Args:
            call_id: What the call will be called, if this accept is the one that runs it.
            fresh_evidence: What the evidence is at this moment.
            execute: Runs the call.

        Raises:
            ProblemError: `receipt-expired`, `receipt-stale`, `receipt-rejected`: nothing was sent. Any other problem
                is why the evidence could not be gathered or the one execution could not be carried out.
        """
        decided = settled(proposal.receipt, self._now())
        if decided is None:
            evidence = await fresh_evidence(proposal)
            # From here to the claim nothing waits: of two accepts at once the second finds it claimed.
            decided = admit(proposal.receipt, self._now(), evidence, call=call_id)
        self._put(proposal, decided.receipt)
        match decided:
            case Admitted():
                return await self._execute(proposal, execute)
            case Joined():
                await proposal.done.wait()
                return _recorded(proposal)
            case Replayed():
                return _recorded(proposal)
            case Refused():
                raise ProblemError(decided.problem)
            case _:
                assert_never(decided)

    async def _execute(self, proposal: Proposal, execute: Callable[[Proposal], Awaitable[Call]]) -> Accepted:
        event = RECEIPT_EVENTS["unknown"]
        try:
            proposal.call = await execute(proposal)
            if proposal.call.outcome is not None:
                event = RECEIPT_EVENTS[proposal.call.outcome.kind]
            return Accepted(call=proposal.call, replayed=False)
        except ProblemError as error:
            event = RECEIPT_EVENTS["failed"]
            proposal.problem = error.problem
            raise
        finally:
            if proposal.call is None and proposal.problem is None:
                proposal.problem = _interrupted(proposal.receipt)
            self._put(proposal, advance(proposal.receipt, event))
            proposal.done.set()

    def _put(self, proposal: Proposal, receipt: Receipt) -> None:
        changed = receipt.state != proposal.receipt.state
        proposal.receipt = receipt
        if changed:
            self._emit(
                "McpReceipt",
                {"receipt": receipt.id, "alias": receipt.alias, "tool": receipt.tool, "state": receipt.state},
            )

    def _forget_oldest(self) -> None:
        if len(self._proposals) <= KEPT_RECEIPTS:
            return
        for proposal in self.all():  # so that those that nobody decided on are seen to have expired
            receipt_id = proposal.receipt.id
            if len(self._proposals) <= KEPT_RECEIPTS:
                return
            if proposal.receipt.state not in ("pending", "executing"):
                del self._proposals[receipt_id]


def _recorded(proposal: Proposal) -> Accepted:
    if proposal.call is not None:
        return Accepted(call=proposal.call, replayed=True)
    assert proposal.problem is not None, "an execution that ended has a call or a problem"
    raise ProblemError(proposal.problem)


def _interrupted(receipt: Receipt) -> Problem:
    return Problem(
        type="outcome-unknown",
        title=f"Nobody knows whether {receipt.alias}.{receipt.tool} took effect",
        detail="Its execution was interrupted before an answer came.",
        hint="Look at what it would have changed before doing it again; this host never repeats it by itself.",
        alias=receipt.alias,
        tool=receipt.tool,
    )


def _unknown(detail: str, *, title: str = "There is no such receipt") -> Problem:
    return Problem(
        type="receipt-unknown",
        title=title,
        detail=detail,
        hint=":McpProposals lists the receipts; :McpPreview makes a new one.",
    )
