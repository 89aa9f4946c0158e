"""A receipt as scripts and people see it: its document, and the facts of its proposal's buffer."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict
from datetime import datetime

from mcp_host.core.catalog.catalog import Catalog
from mcp_host.core.policy import effect_of
from mcp_host.core.receipts import Receipt
from mcp_host.core.rendering.content import Part
from mcp_host.host.ledger import Proposal
from mcp_host.views.proposal import ProposalFacts, ReceiptFacts
from mcp_host.views.rows import tool_summary


def receipt_document(receipt: Receipt) -> Mapping[str, object]:
    """The receipt as JSON; times are RFC 3339 in UTC, fingerprints lowercase hexadecimal."""
    document: dict[str, object] = {
        "id": receipt.id,
        "alias": receipt.alias,
        "tool": receipt.tool,
        "arguments": receipt.arguments,
        "state": receipt.state,
        "issuedAt": _rfc3339(receipt.issued_at),
        "expiresAt": _rfc3339(receipt.expires_at),
        "evidence": {name: value for name, value in asdict(receipt.evidence).items() if value is not None},
    }
    if receipt.unreviewed:
        document["unreviewed"] = True
    if receipt.call is not None:
        document["call"] = receipt.call
    if receipt.differences:
        document["differences"] = list(receipt.differences)
    return document


def receipt_facts(receipt: Receipt) -> ReceiptFacts:
    """The receipt as a line of the review queue."""
    return ReceiptFacts(
        receipt=receipt.id,
        alias=receipt.alias,
        tool=receipt.tool,
        state=receipt.state,
        expires_at=_clock(receipt.expires_at),
        arguments=receipt.arguments_json,
    )


def proposal_facts(
    proposal: Proposal, *, catalog: Catalog, preview: tuple[Part, ...], full_path: str | None
) -> ProposalFacts:
    """What the proposal's buffer shows; `catalog` is the server's as it was when the proposal was made."""
    receipt, live = proposal.receipt, proposal.live
    definition = live.defined.definition
    tool = catalog.tool(receipt.tool)
    place = live.defined.file if live.defined.line is None else f"{live.defined.file}:{live.defined.line}"
    return ProposalFacts(
        receipt=receipt.id,
        state=receipt.state,
        alias=receipt.alias,
        tool=receipt.tool,
        summary=tool_summary(tool, definition) if tool is not None else "",
        effect=effect_of(receipt.tool, definition),
        arguments=receipt.arguments_json,
        identity=catalog.identity,
        definition=definition,
        origin=f"{live.defined.layer} {place}",
        expires_at=_clock(receipt.expires_at),
        warnings=proposal.notes,
        annotations=tool.annotations if tool is not None else {},
        preview_tool=proposal.preview_tool,
        preview=preview,
        full_path=full_path,
    )


def _rfc3339(moment: datetime) -> str:
    return moment.strftime("%Y-%m-%dT%H:%M:%SZ")


def _clock(moment: datetime) -> str:
    """The time of day as the person's own clock shows it: a receipt lives for five minutes."""
    return moment.astimezone().strftime("%H:%M:%S")
