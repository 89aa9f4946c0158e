"""The verbs that call tools: a read runs, everything else becomes a proposal with a receipt."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from mcp_host.core.arguments import check_arguments, parse_arguments
from mcp_host.core.catalog.catalog import enabled_tools
from mcp_host.core.catalog.entries import Tool
from mcp_host.core.definitions.launch import definition_fingerprint
from mcp_host.core.evidence import Evidence, gather
from mcp_host.core.interactions.given_answers import GivenAnswers
from mcp_host.core.outcomes import Outcome
from mcp_host.core.pairs import (
    Pair,
    find_pair,
    lacks_receipt,
    may_preview,
    receipt_in,
    required_names,
    with_receipt,
)
from mcp_host.core.policy import effect_of
from mcp_host.core.rendering.content import render_content
from mcp_host.host.answers import Answer
from mcp_host.host.call import Call, subject_of
from mcp_host.host.calls import Calls
from mcp_host.host.fleet import Fleet
from mcp_host.host.given_files import Given
from mcp_host.host.ledger import Ledger, Proposal
from mcp_host.host.live_server import LiveServer
from mcp_host.host.naming_faults import disabled_tool, unknown_tool
from mcp_host.host.params import AcceptParams, CallParams, ExecParams, PreviewParams, ReceiptParams
from mcp_host.host.reconnecting import once_more
from mcp_host.host.showing import Showing
from mcp_host.problems import Problem, ProblemError


@dataclass(kw_only=True)
class Calling:
    """Executes, proposes, accepts and rejects."""

    fleet: Fleet
    calls: Calls
    ledger: Ledger
    showing: Showing
    given: Given

    async def exec(self, params: ExecParams) -> Answer:
        """A read's result, a proposal where a person can review it, or the result of an effect accepted with `!`.

        Raises:
            ProblemError: `review-required` where nobody can review it; else why it could not be called.
        """
        given = await self.given.read(params.answers)
        live, tool = await self._tool(params.alias, params.tool)
        if effect_of(tool.name, live.defined.definition) == "read":
            return self.showing.result(await self._read(params, given))
        if params.accept:
            return await self._accept(await self._propose(params, live, tool, given=given, unreviewed=True), given)
        if params.interactive:
            return self.showing.proposal(await self._propose(params, live, tool, given=given))
        raise ProblemError(_review_required(params))

    async def preview(self, params: PreviewParams) -> Answer:
        """A proposal with a new receipt.

        Raises:
            ProblemError: Why it could not be proposed.
        """
        live, tool = await self._tool(params.alias, params.tool)
        return self.showing.proposal(await self._propose(params, live, tool))

    async def accept(self, params: AcceptParams) -> Answer:
        """The result of the one execution of the receipt.

        Raises:
            ProblemError: `receipt-…` where nothing was sent; else why the execution failed.
        """
        return await self._accept(self.ledger.find(params.receipt), await self.given.read(params.answers))

    async def reject(self, params: ReceiptParams) -> Answer:
        """The receipt, rejected.

        Raises:
            ProblemError: `receipt-unknown`, or it was used before.
        """
        proposal = self.ledger.find(params.receipt)
        self.ledger.reject(proposal)
        return self.showing.proposal(proposal)

    async def proposal(self, params: ReceiptParams) -> Answer:
        """A proposal that was made before.

        Raises:
            ProblemError: `receipt-unknown`.
        """
        return self.showing.proposal(self.ledger.find(params.receipt))

    async def proposals(self, _: object) -> Answer:
        """All receipts of this editor."""
        return self.showing.proposals(self.ledger.all())

    async def result(self, params: CallParams) -> Answer:
        """A kept result.

        Raises:
            ProblemError: `call-unknown`.
        """
        return self.showing.result(self.calls.ended(params.call))

    async def cancel(self, params: CallParams) -> Answer:
        """The call is being cancelled.

        Raises:
            ProblemError: `call-unknown`.
        """
        call = self.calls.cancel(params.call)
        return Answer(kind="call", document={"call": {**subject_of(call), "state": "cancelling"}})

    async def _read(self, params: ExecParams, given: GivenAnswers | None) -> Call:
        async def attempt(live: LiveServer) -> Call:
            tool = self._listed_tool(live, params.tool)
            arguments = _checked_arguments(live, tool, params)
            return await self.calls.run(live, tool, arguments, effect="read", answers=given)

        return await once_more(lambda: self.fleet.live(params.alias), attempt)

    async def _tool(self, alias: str, name: str) -> tuple[LiveServer, Tool]:
        live = await self.fleet.live(alias)
        return live, self._listed_tool(live, name)

    def _listed_tool(self, live: LiveServer, name: str) -> Tool:
        tool = live.catalog.tool(name)
        if tool is None:
            raise unknown_tool(live, name)
        enabled = live.defined.definition.tools
        if enabled is not None and name not in enabled:
            raise disabled_tool(live, name)
        return tool

    async def _propose(
        self,
        params: PreviewParams,
        live: LiveServer,
        tool: Tool,
        *,
        given: GivenAnswers | None = None,
        unreviewed: bool = False,
    ) -> Proposal:
        arguments = parse_arguments(params.arguments, alias=live.alias, tool=tool.name)
        enabled = enabled_tools(live.catalog, live.defined.definition.tools)
        pair = find_pair(enabled, live.defined.definition.pairs, tool.name)
        preview_result: Mapping[str, object] | None = None
        asked: Mapping[str, object] | None = None
        notes: tuple[str, ...] = ()
        if pair is None or pair.execute != tool.name or not lacks_receipt(arguments, pair):
            pair = None
        elif not (unreviewed or may_preview(pair, live.defined.definition)):
            notes = (_preview_not_run(live, pair, tool),)
            pair = None
        else:
            preview_result = await self._server_preview(live, pair, arguments, given)
            asked = arguments
            arguments = with_receipt(arguments, pair, receipt_in(preview_result, pair, live.alias), tool)
        return self.ledger.issue(
            live,
            tool=tool.name,
            arguments=arguments,
            evidence=_evidence(live, tool, arguments, preview_result),
            preview_tool=pair.preview if pair is not None else None,
            preview_result=preview_result,
            notes=self.showing.redactions.texts(live.alias, (*notes, *check_arguments(tool, arguments, live.alias))),
            asked=asked,
            unreviewed=unreviewed,
        )

    async def _server_preview(
        self, live: LiveServer, pair: Pair, arguments: Mapping[str, object], given: GivenAnswers | None
    ) -> Mapping[str, object]:
        preview = live.catalog.tool(pair.preview)
        if preview is None:
            raise unknown_tool(live, pair.preview)
        check_arguments(preview, arguments, live.alias)
        call = await self.calls.run(live, preview, arguments, effect="read", answers=given)
        outcome = call.outcome
        if outcome is None or outcome.kind != "succeeded" or outcome.result is None:
            raise ProblemError(_preview_failed(live.alias, pair, outcome))
        return outcome.result

    async def _accept(self, proposal: Proposal, given: GivenAnswers | None) -> Answer:
        attempt = _Attempt(fleet=self.fleet, calls=self.calls, call_id=self.calls.new_id(), given=given)
        accepted = await self.ledger.accept(
            proposal, call_id=attempt.call_id, fresh_evidence=attempt.fresh_evidence, execute=attempt.execute
        )
        return self.showing.result(accepted.call, replayed=accepted.replayed)


@dataclass(kw_only=True)
class _Attempt:
    """One accept: the evidence of this moment, and the execution by the very server that the evidence is about."""

    fleet: Fleet
    calls: Calls
    call_id: str
    given: GivenAnswers | None
    _found: tuple[LiveServer, Tool] | None = None
    """Kept from the evidence to the execution: asked again, the fleet might follow an edit to another server."""

    async def fresh_evidence(self, proposal: Proposal) -> Evidence:
        from mcp_host.protocol.listing import fetch_tool  # imported by opening's worker thread

        receipt = proposal.receipt
        written = self._written(receipt.alias)
        if written != receipt.evidence.definition:
            # Said before anything is connected: an edited definition must not be started to find out that it was.
            return replace(receipt.evidence, definition=written)

        async def look_up(live: LiveServer) -> tuple[LiveServer, Tool | None]:
            timeout_seconds = live.defined.definition.request_timeout_seconds
            return live, await fetch_tool(live.connection, receipt.tool, timeout_seconds=timeout_seconds)

        live, tool = await once_more(lambda: self.fleet.live(receipt.alias), look_up)
        if tool is not None:
            self._found = live, tool
        evidence = _evidence(live, tool, receipt.arguments, receipt.evidence.preview)
        # Read again, because an edit while the server answered is a difference too.
        return replace(evidence, definition=self._written(receipt.alias))

    async def execute(self, proposal: Proposal) -> Call:
        assert self._found is not None, "a receipt is admitted on evidence that names the tool"
        live, tool = self._found
        receipt = proposal.receipt
        return await self.calls.run(
            live,
            tool,
            receipt.arguments,
            effect="host",
            receipt=receipt,
            call_id=self.call_id,
            answers=self.given,
        )

    def _written(self, alias: str) -> str:
        return definition_fingerprint(self.fleet.definitions.defined(alias).definition)


def _checked_arguments(live: LiveServer, tool: Tool, params: PreviewParams) -> dict[str, object]:
    arguments = parse_arguments(params.arguments, alias=live.alias, tool=tool.name)
    check_arguments(tool, arguments, live.alias)
    return arguments


def _evidence(
    live: LiveServer, tool: Tool | None, arguments: Mapping[str, object], preview: Mapping[str, object] | str | None
) -> Evidence:
    return gather(
        definition=live.defined.definition,
        identity=live.connection.identity,
        tool=tool,
        arguments=arguments,
        preview=preview,
    )


def _review_required(params: ExecParams) -> Problem:
    return Problem(
        type="review-required",
        title=f"{params.alias}.{params.tool} may change something and was not reviewed",
        detail="Only tools that the definition lists under read run without a review. Nothing was sent.",
        hint=f":McpPreview {params.alias} {params.tool} … then :McpAccept, or :McpExec! to accept it unseen.",
        alias=params.alias,
        tool=params.tool,
    )


def _preview_not_run(live: LiveServer, pair: Pair, tool: Tool) -> str:
    """The note on a proposal whose preview tool nobody has allowed.

    Raises:
        ProblemError: `review-required`: without the preview's receipt there is nothing to propose.
    """
    how = f'Add "{pair.preview}" to read, or both tools to pairs, under [servers.{live.alias}].'
    if pair.receipt not in required_names(tool.input_schema):
        return f"{pair.preview} looks like its preview, and nothing lets that run unreviewed. {how}"
    raise ProblemError(
        Problem(
            type="review-required",
            title=f"{live.alias}.{tool.name} needs what {pair.preview} gives out, and nothing lets that run unreviewed",
            detail=f"By their names the two look like a pair, but names are the server's choice. "
            f"{tool.name} takes the receipt in `{pair.receipt}`. Nothing was sent.",
            hint=f"{how} Or run :McpPreview {live.alias} {pair.preview} … yourself and pass the receipt on.",
            alias=live.alias,
            tool=tool.name,
        )
    )


def _preview_failed(alias: str, pair: Pair, outcome: Outcome | None) -> Problem:
    cause = outcome.problem if outcome is not None else None
    words = "\n".join(_texts(outcome.result)) if outcome is not None and outcome.result is not None else ""
    return Problem(
        type="request-refused",
        title=f"{alias} could not preview {pair.execute}",
        detail=words or (cause.detail if cause is not None else "Its preview gave no result."),
        hint=f"{pair.preview} is its preview tool; its words are above. Nothing was executed.",
        alias=alias,
        tool=pair.execute,
    )


def _texts(result: Mapping[str, object]) -> list[str]:
    return [line for part in render_content(result) if part.kind == "text" for line in part.lines]
