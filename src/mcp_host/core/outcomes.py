"""What a call came to: whether it succeeded, failed or nobody knows, and what is odd about the answer.

The policy: an answer that came is never lost. A missing or unknown part, or one that breaks the tool's own output
schema, is named as a fault beside the result; the call has happened all the same, and so it says.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Final, Literal

from mcp_host.core.catalog.catalog import Era
from mcp_host.core.catalog.entries import Tool
from mcp_host.core.catalog.json_values import as_array, as_object
from mcp_host.core.receipts import ReceiptEvent
from mcp_host.core.schema_wording import brief
from mcp_host.core.schemas import check
from mcp_host.problems import EXIT_TOOL_FAILED, ExitCode, Problem

FAULT_LIMIT: Final = 20
"""Faults told at most; one more line says how many there were beyond."""

OutcomeKind = Literal["succeeded", "failed", "unknown"]
"""`failed`: the tool or the server said no. `unknown`: the call was sent and may have run, but no answer tells."""

RECEIPT_EVENTS: Final[Mapping[OutcomeKind, ReceiptEvent]] = {
    "succeeded": "succeed",
    "failed": "fail",
    "unknown": "lose",
}
"""What each outcome means to the receipt that the call ran under."""


@dataclass(frozen=True, kw_only=True)
class Outcome:
    """The end of one call, as it is shown, recorded and replayed."""

    kind: OutcomeKind
    result: Mapping[str, object] | None = field(default=None, repr=False)
    """The server's own result object, untouched; None when none came."""
    problem: Problem | None = None
    """Why there is no (usable) result; None when the result speaks for itself, also with `isError`."""
    faults: tuple[str, ...] = ()
    """What is wrong with the form of the result; it is shown with them."""

    @property
    def exit_code(self) -> ExitCode:
        """What a headless verb ends the editor with."""
        if self.problem is not None:
            return self.problem.exit_code
        return 0 if self.kind == "succeeded" else EXIT_TOOL_FAILED


def judge_result(raw: Mapping[str, object], tool: Tool, *, alias: str, era: Era = "modern") -> Outcome:
    """The outcome of a call that was answered with this result object. Raises nothing, whatever it holds."""
    unfinished = _unfinished(raw) if era == "modern" else None
    if unfinished is not None and "content" not in raw and "structuredContent" not in raw:
        return Outcome(kind="unknown", result=raw, problem=_unknown_outcome(unfinished, tool, alias))
    failed = bool(raw.get("isError"))
    faults = [unfinished] if unfinished else []
    faults += _error_flag_faults(raw)
    faults += _content_faults(raw)
    if not failed:
        faults += _structure_faults(raw, tool)
    return Outcome(kind="failed" if failed else "succeeded", result=raw, faults=_capped(faults))


def _unfinished(raw: Mapping[str, object]) -> str | None:
    kind = raw.get("resultType", "complete")
    return None if kind == "complete" else f"resultType is {brief(kind)}, which is not a finished tool result"


def _unknown_outcome(reason: str, tool: Tool, alias: str) -> Problem:
    return Problem(
        type="outcome-unknown",
        title=f"{alias} answered the call of {tool.name} with something that is no result; it may have run",
        detail=f"{reason[0].upper()}{reason[1:]}, and there is no content.",
        hint=f"Do not just repeat it: check with a tool of {alias} that reads whether it took effect.",
        alias=alias,
        tool=tool.name,
    )


def _capped(faults: list[str]) -> tuple[str, ...]:
    more = len(faults) - FAULT_LIMIT
    return (*faults[:FAULT_LIMIT], f"and {more} faults more") if more > 0 else tuple(faults)


def _error_flag_faults(raw: Mapping[str, object]) -> Iterator[str]:
    flag = raw.get("isError")
    if flag is not None and not isinstance(flag, bool):
        yield f"isError is {brief(flag)}, not true or false"


# --- content ----------------------------------------------------------------------------------------------------------


def _content_faults(raw: Mapping[str, object]) -> Iterator[str]:
    if "content" not in raw:
        yield "content is missing"
        return
    blocks = as_array(raw["content"])
    if blocks is None:
        yield "content is not a list"
        return
    for index, block in enumerate(blocks):
        fault = _block_fault(block)
        if fault:
            yield f"content[{index}] {fault}"


def _block_fault(value: object) -> str | None:
    block = as_object(value)
    if block is None:
        return "is not an object"
    kind = block.get("type")
    wanted = _WANTED.get(kind) if isinstance(kind, str) else None
    if wanted is None:
        return f"is of an unknown type, {brief(kind)}" if "type" in block else "has no type"
    wrong = [name for name, fits in wanted.items() if not fits(block.get(name))]
    return f"({kind}) lacks {' and '.join(wrong)}, or has it in another form" if wrong else None


def _is_text(value: object) -> bool:
    return isinstance(value, str)


def _is_embedded(value: object) -> bool:
    resource = as_object(value) or {}
    return _is_text(resource.get("uri")) and (_is_text(resource.get("text")) or _is_text(resource.get("blob")))


_WANTED: Final[Mapping[str, Mapping[str, Callable[[object], bool]]]] = {
    "text": {"text": _is_text},
    "image": {"data": _is_text, "mimeType": _is_text},
    "audio": {"data": _is_text, "mimeType": _is_text},
    "resource_link": {"uri": _is_text},
    "resource": {"resource": _is_embedded},
}


# --- structured content -----------------------------------------------------------------------------------------------


def _structure_faults(raw: Mapping[str, object], tool: Tool) -> Iterator[str]:
    if tool.output_schema is None:
        return
    if "structuredContent" not in raw:
        yield f"structuredContent is missing, though {tool.name} has an outputSchema"
        return
    for fault in check(tool.output_schema, raw["structuredContent"]):
        place = "structuredContent" + fault.path.removeprefix("$")
        yield f"{place} {fault.message}" + (" (outputSchema)" if fault.kind == "schema" else "")
