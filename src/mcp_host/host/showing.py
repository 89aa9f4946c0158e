"""How what happened becomes an answer: the document for scripts, the view for people, the files beside it."""

from __future__ import annotations

import logging
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from mcp_host.core.rendering.attachments import file_suffix
from mcp_host.core.rendering.content import Part, render_content, saved
from mcp_host.host.answers import Answer
from mcp_host.host.call import Call
from mcp_host.host.ledger import Proposal
from mcp_host.host.receipt_facts import proposal_facts, receipt_document, receipt_facts
from mcp_host.host.redactions import Redactions
from mcp_host.host.result_files import ResultFiles
from mcp_host.problems import ExitCode, ProblemError
from mcp_host.views.parts import overflow
from mcp_host.views.proposal import arguments_overflow, proposal_view, proposals_view
from mcp_host.views.results import ResultFacts, result_view
from mcp_host.views.view import View

logger = logging.getLogger(__name__)


@dataclass(kw_only=True)
class Showing:
    """Makes answers out of calls and proposals."""

    redactions: Redactions
    files: ResultFiles

    def result(self, call: Call, *, replayed: bool = False) -> Answer:
        """The answer for an ended call.

        Raises:
            ProblemError: The call has no result to show: its problem, such as `outcome-unknown`.
        """
        outcome = call.outcome
        if outcome is None or outcome.result is None:
            assert outcome is not None, "only ended calls are shown"
            assert outcome.problem is not None, "an outcome without a result has a problem"
            raise ProblemError(outcome.problem)
        result = self.redactions.value(call.alias, outcome.result)
        faults = self.redactions.texts(call.alias, outcome.faults)
        facts = ResultFacts(
            alias=call.alias,
            name=call.name,
            outcome=outcome.kind,
            effect=call.effect,
            duration_seconds=call.duration_seconds,
            receipt=call.receipt.id if call.receipt is not None else None,
            unreviewed=call.receipt is not None and call.receipt.unreviewed,
            replayed=replayed,
            faults=faults,
        )
        host: dict[str, object] = {
            "alias": call.alias,
            "tool": call.name,
            "call": call.id,
            "effect": call.effect,
            "outcome": outcome.kind,
            "durationSeconds": round(call.duration_seconds, 6),
            "faults": list(faults),
        }
        host |= self._responded(call)
        if call.receipt is not None:
            host |= {"receipt": call.receipt.id, "replayed": replayed, "reviewed": not call.receipt.unreviewed}
        return Answer(
            kind="result",
            document={**result, "host": host},
            view=lambda: self._result_view(facts, result, call.id),
            exit=_exit_code(call, outcome.exit_code),
        )

    def read(
        self,
        kind: Literal["resource", "prompt"],
        alias: str,
        name: str,
        raw: Mapping[str, object],
        *,
        call: Call | None = None,
        age_seconds: float | None = None,
    ) -> Answer:
        """The answer for a resource that was read or a prompt that was got; an age where the server was not asked."""
        result = self.redactions.value(alias, raw)
        facts = ResultFacts(kind=kind, alias=alias, name=name, age_seconds=age_seconds)
        host: dict[str, object] = {"alias": alias, kind: name}
        if age_seconds is not None:
            host["ageSeconds"] = round(age_seconds, 3)
        if call is not None:
            host |= {"call": call.id, "durationSeconds": round(call.duration_seconds, 6), **self._responded(call)}
        shown = kind
        return Answer(
            kind=kind,
            document={**result, "host": host},
            view=lambda: self._result_view(facts, result, shown),
        )

    def proposal(self, proposal: Proposal) -> Answer:
        """The answer for a proposal: everything that will be sent, and where."""
        receipt = proposal.receipt
        preview = proposal.preview_result
        if preview is not None:
            preview = self.redactions.value(receipt.alias, preview)
        document: dict[str, object] = {"receipt": receipt_document(receipt)}
        if preview is not None:
            document["preview"] = preview
        document["host"] = {"alias": receipt.alias, "tool": receipt.tool, "receipt": receipt.id, "effect": "host"}
        return Answer(kind="proposal", document=document, view=lambda: self._proposal_view(proposal, preview))

    def proposals(self, proposals: Sequence[Proposal]) -> Answer:
        """The answer for the review queue."""
        receipts = [proposal.receipt for proposal in proposals]
        return Answer(
            kind="proposals",
            document={"receipts": [receipt_document(receipt) for receipt in receipts]},
            view=lambda: proposals_view([receipt_facts(receipt) for receipt in receipts]),
        )

    def _responded(self, call: Call) -> dict[str, object]:
        """What the server asked during the call, for the document; nothing where it asked nothing."""
        if not call.responded:
            return {}
        told: list[dict[str, object]] = []
        for one in call.responded:
            message = self.redactions.text(call.alias, one.message)
            said: dict[str, object] = {"kinds": list(one.kinds), "message": message, "action": one.action, "by": one.by}
            if one.problem is not None:
                said["problem"] = self.redactions.problem(one.problem).model_dump(mode="json", exclude_none=True)
            told.append(said)
        return {"interactions": told}

    def _result_view(self, facts: ResultFacts, result: Mapping[str, object], name: str) -> View:
        parts = self._saved(facts.alias, render_content(result), name)
        whole = overflow(parts)
        if whole is not None:
            facts = replace(facts, full_path=self._save(f"{name}.txt", whole.encode("utf-8", "replace")))
        return result_view(facts=facts, parts=parts)

    def _proposal_view(self, proposal: Proposal, preview: Mapping[str, object] | None) -> View:
        receipt = proposal.receipt
        whole = arguments_overflow(receipt.arguments_json)
        path = self._save(f"{receipt.id}.json", whole.encode("utf-8", "replace")) if whole is not None else None
        parts = self._saved(receipt.alias, render_content(preview), receipt.id) if preview is not None else ()
        catalog = self.redactions.catalog(proposal.live.catalog)
        return proposal_view(proposal_facts(proposal, catalog=catalog, preview=parts, full_path=path))

    def _saved(self, alias: str, parts: Sequence[Part], name: str) -> tuple[Part, ...]:
        return tuple(self._saved_part(alias, part, f"{name}-{at}") for at, part in enumerate(parts, start=1))

    def _saved_part(self, alias: str, part: Part, name: str) -> Part:
        if part.data is None:
            return part
        path = self._save(name + file_suffix(part.mime), self.redactions.file(alias, part.mime, part.data))
        return part if path is None else saved(part, path)

    def _save(self, name: str, data: bytes) -> str | None:
        """None where the disk does not take it: the view then says "not saved", and the rest is shown all the same."""
        try:
            return self.files.save(name, data)
        except OSError:
            logger.exception("the file %s of a result could not be saved", name)
            return None


def _exit_code(call: Call, code: ExitCode) -> ExitCode:
    """A tool that failed after nobody could answer it failed for that reason."""
    unanswered = [one.problem for one in call.responded if one.problem is not None]
    return unanswered[0].exit_code if code != 0 and unanswered else code
