"""What came back: the result of a call, the contents of a resource, the messages of a prompt."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final, Literal

from mcp_host.core.rendering.content import Part, part_faults
from mcp_host.views.parts import add_cut_notice, add_parts, shown_parts
from mcp_host.views.rows import Effect
from mcp_host.views.view import Group, Page, View

Outcome = Literal["succeeded", "failed", "unknown"]

_SIGNS: Final[dict[Outcome, tuple[str, Group]]] = {
    "succeeded": ("✓", "McpOk"),
    "failed": ("✗", "McpProblem"),
    "unknown": ("?", "McpProblem"),
}

UNKNOWN_OUTCOME: Final = "sent, and no answer came: it may have run or not. It is not tried again by itself"


@dataclass(frozen=True, kw_only=True)
class ResultFacts:
    """What the host knows about something that came back."""

    kind: Literal["tool", "resource", "prompt"] = "tool"
    alias: str
    name: str
    """Raw: the tool's or prompt's name, or the uri."""
    outcome: Outcome = "succeeded"
    """`failed` where the tool answered `isError`; `unknown` where it was sent and nothing came back."""
    effect: Effect | None = None
    """None for what is not a call."""
    duration_seconds: float | None = None
    age_seconds: float | None = None
    """How long ago the server said so, where it was not asked again; None where it was."""
    receipt: str | None = None
    unreviewed: bool = False
    """True where it was accepted without anybody having looked at it."""
    replayed: bool = False
    """True where nothing ran now and this is the recorded result of the receipt."""
    faults: tuple[str, ...] = ()
    """What is odd about the result as a whole, such as an output schema that it does not match."""
    full_path: str | None = None
    """The file with the whole text, where `overflow` said that the view shows a part of it."""


def result_view(*, facts: ResultFacts, parts: Sequence[Part]) -> View:
    """The `mcp://result/{call}`, `…/resource/{uri}` or `…/prompt/{name}` buffer: header, faults, then the parts."""
    page = Page()
    sign, group = _SIGNS[facts.outcome]
    subject = f"{facts.alias}.{facts.name}" if facts.kind == "tool" else f"{facts.alias} · {facts.kind} {facts.name}"
    page.line((sign, group), " ", (subject, "McpTitle"), ("".join(_circumstances(facts)), "McpMuted"))
    if facts.outcome == "unknown":
        page.problem(UNKNOWN_OUTCOME)
    for fault in (*facts.faults, *part_faults(parts)):
        page.problem(fault)
    shown = shown_parts(facts.alias, parts)
    add_cut_notice(page, shown.cut, facts.full_path)
    page.blank()
    add_parts(page, shown)
    if not parts and facts.outcome != "unknown":
        page.line(("(empty)", "McpMuted"))
    return page.view(filetype="mcp-result", title=subject)


def _circumstances(facts: ResultFacts) -> Iterator[str]:
    if facts.effect is not None:
        yield f" · {facts.effect}"
    if facts.duration_seconds is not None:
        yield f" · {_spoken_duration(facts.duration_seconds)}"
    if facts.age_seconds is not None:
        yield f" · as of {_spoken_duration(facts.age_seconds)} ago, still good; R asks again"
    if facts.receipt is not None:
        yield f" · receipt {facts.receipt}"
    if facts.unreviewed:
        yield " · accepted without review"
    if facts.replayed:
        yield " · replayed: the recorded result, nothing ran now"


def _spoken_duration(seconds: float) -> str:
    if seconds < 0.005:
        return "under 0.01 s"
    return f"{seconds:.2f} s" if seconds < 100 else f"{seconds:.0f} s"
