"""Candidates: servers that could be added, each with exactly what would be written and what has to be done besides."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, cast

from mcp_host.core.importing.candidates import Candidate
from mcp_host.core.rendering.text import clipped, encodable
from mcp_host.problems import Problem
from mcp_host.views.exact import add_exact, hidden_characters, line_pieces
from mcp_host.views.problems import add_problem
from mcp_host.views.view import Page, Target, View, column, column_width

_READ: Final = "Nothing was started, stored or enabled."
_TRIED: Final = "It was tried out once and let go of. Nothing is enabled or kept."

_TOOLS_LIMIT: Final = 12
"""How many tools of a probed server are named; its survey has them all."""
_TOOL_WIDTH: Final = 26
_SUMMARY_LIMIT: Final = 100


@dataclass(frozen=True, kw_only=True)
class CandidateFacts:
    """One candidate, and what is known about it beside what the other client's file says."""

    id: str
    candidate: Candidate
    toml: str
    """Exactly what would be written."""
    is_defined: bool = False
    """Whether there is a server of this alias already."""
    is_added: bool = False
    """Whether the person's own file defines it just as shown."""
    identity: str = ""
    """What a probe found, "time-server 1.2, modern 2026-07-28"; empty where nothing was probed."""
    tools: tuple[tuple[str, str], ...] = ()
    """Name and summary of what the probe found."""
    problem: Problem | None = None
    """Why a probe found nothing."""


def candidates_document(
    discovery: str, source: str, facts: Sequence[CandidateFacts], problems: Sequence[Problem] = ()
) -> dict[str, object]:
    """The candidates for scripts. Tools are there only where something was probed, a problem where that failed."""
    document: dict[str, object] = {
        "discovery": discovery,
        "source": source,
        "candidates": [_candidate_document(one) for one in facts],
        "problems": [problem.model_dump(mode="json", exclude_none=True) for problem in problems],
    }
    return cast("dict[str, object]", encodable(document))


def candidates_view(
    discovery: str, source: str, facts: Sequence[CandidateFacts], problems: Sequence[Problem] = ()
) -> View:
    """The `mcp://candidates/{discovery}` buffer: every line of a candidate stands for it."""
    page = Page()
    page.line(("Candidates", "McpTitle"), f" ({len(facts)}) · ", (source, "McpKey"))
    if facts:
        page.line(("<CR> on one adds it to your own mcp.toml, as shown · q leaves them", "McpMuted"))
        was_tried = any(one.identity or one.problem is not None for one in facts)
        page.line((_TRIED if was_tried else _READ, "McpMuted"))
    for problem in problems:
        add_problem(page, problem)
    if not facts:
        page.line("  ", ("There is no server in it that could be added.", "McpMuted"))
    for number, one in enumerate(facts, start=1):
        _add_candidate(page, number, one)
    return page.view(filetype="mcp-candidates", title=f"candidates · {source}")


def _add_candidate(page: Page, number: int, facts: CandidateFacts) -> None:
    candidate = facts.candidate
    target = Target(kind="candidate", alias=candidate.alias, name=facts.id)
    page.blank()
    origin = " · ".join(dict.fromkeys(("", candidate.client, candidate.origin)))
    page.line((f"{number} ", "McpMuted"), (candidate.alias, "McpAlias"), (origin, "McpMuted"), target=target)
    for fault in candidate.faults:
        page.line("  ", (f"! cannot be added as it is: {fault}", "McpProblem"), target=target)
    if facts.is_added:
        page.line("  ", ("✓ ", "McpOk"), "added: your own mcp.toml has it, as shown", target=target)
    elif facts.is_defined:
        taken = f"! {candidate.alias} is defined already and stays as it is."
        page.line("  ", (taken, "McpProblem"), f" :McpRemove {candidate.alias} makes room.", target=target)
    if hidden := hidden_characters(facts.toml):
        page.line("  ", (f"! holds invisible characters: {', '.join(hidden[:8])}", "McpProblem"), target=target)
    for line in facts.toml.rstrip("\n").split("\n") if facts.toml else ():
        add_exact(page, line_pieces(line), lead=("    ",), column=4, group="McpSignature", target=target)
    _add_secrets(page, facts, target)
    for note in candidate.notes:
        page.line("  ", ("· ", "McpMuted"), note, target=target)
    _add_found(page, facts, target)


def _add_secrets(page: Page, facts: CandidateFacts, target: Target) -> None:
    secrets = facts.candidate.secrets
    if not secrets:
        return
    what = "this variable" if len(secrets) == 1 else "these variables"
    page.line("  ", (f"Set {what} where Neovim is started, else it cannot connect:", "McpEffectHost"), target=target)
    for secret in secrets:
        add_exact(page, line_pieces(secret.line), lead=("    ",), column=4, group="McpKey", target=target)


def _add_found(page: Page, facts: CandidateFacts, target: Target) -> None:
    """Add what a probe found; nothing where nothing was probed."""
    if facts.problem is not None:
        add_problem(page, facts.problem, indent="  ", target=target)
    if not facts.identity:
        return
    count = "1 tool" if len(facts.tools) == 1 else f"{len(facts.tools)} tools"
    page.line("  ", ("✓ ", "McpOk"), "answered: ", facts.identity, f" · {count}", target=target)
    shown = facts.tools[:_TOOLS_LIMIT]
    width = column_width((name for name, _ in shown), _TOOL_WIDTH)
    for name, summary in shown:
        about = "" if summary == name else clipped(summary, _SUMMARY_LIMIT)
        page.line("    ", *column(clipped(name, 200), "McpTool", width), (about, "McpSummary"), target=target)
    if more := len(facts.tools) - len(shown):
        page.line("    ", (f"… and {more} more", "McpMuted"), target=target)


def _candidate_document(facts: CandidateFacts) -> dict[str, object]:
    candidate = facts.candidate
    document: dict[str, object] = {
        "id": facts.id,
        "alias": candidate.alias,
        "client": candidate.client,
        "origin": candidate.origin,
        "toml": facts.toml,
        "table": dict(candidate.table),
        "notes": list(candidate.notes),
        "secrets": [
            {"reference": secret.reference, "place": secret.place, "line": secret.line} for secret in candidate.secrets
        ],
        "faults": list(candidate.faults),
        "isDefined": facts.is_defined,
        "isAdded": facts.is_added,
    }
    if facts.identity:
        document["identity"] = facts.identity
        document["tools"] = [{"name": name, "summary": summary} for name, summary in facts.tools]
    if facts.problem is not None:
        document["problem"] = facts.problem.model_dump(mode="json", exclude_none=True)
    return document
