"""A model's answer as it is written by hand or looked over: `model`, `stop_reason` and `text`."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final

from mcp_host.core.catalog.json_values import as_array, as_object
from mcp_host.core.interactions.answers import Misfit
from mcp_host.core.interactions.json_content import json_fault
from mcp_host.core.interactions.responses import BY_HAND, END_TURN, sampled
from mcp_host.core.interactions.text_lines import TextLine, caution, commented, line
from mcp_host.core.interactions.toml_spelling import Unspelled, text_lines, toml_value

MODEL: Final = "model"
STOP_REASON: Final = "stop_reason"
TEXT: Final = "text"


def completion_lines(draft: Mapping[str, Any]) -> Iterator[TextLine]:
    """The members to fill in; a draft is a raw CreateMessageResult, or empty."""
    if draft and _text_of(draft) is None:
        yield from commented(caution("what was written for it holds more than text, and is not shown"))
    stop = draft.get("stopReason") if draft else END_TURN
    yield line()
    yield from _assigned(MODEL, _value(draft.get("model"), BY_HAND))
    yield from _assigned(STOP_REASON if stop is not None else f"#{STOP_REASON}", _value(stop, END_TURN))
    yield from _assigned(TEXT, _text(_text_of(draft) or ""))


def read_completion(table: Mapping[str, object]) -> dict[str, Any]:
    """The raw CreateMessageResult.

    Raises:
        FieldMisfit: a member is missing, unknown or no text.
    """
    for name, value in table.items():
        if name not in (MODEL, STOP_REASON, TEXT):
            raise FieldMisfit(name, "is no part of it: there are model, stop_reason and text")
        fault = json_fault(value) if isinstance(value, str) else "must be text, in quotes"
        if fault is not None:
            raise FieldMisfit(name, fault)
    text = str(table.get(TEXT, "")).removesuffix("\n")
    model, stop = table.get(MODEL), table.get(STOP_REASON)
    if not text.strip():
        raise FieldMisfit(TEXT, "is still empty: write the answer between its quotes")
    if not model:
        raise FieldMisfit(MODEL, 'must say what wrote it; "human" is you')
    return sampled(text, model=str(model), stop_reason=str(stop) if stop else None)


class FieldMisfit(Misfit):
    """One member does not fit."""

    def __init__(self, name: str, fault: str) -> None:
        self.name = name
        super().__init__(fault)


def _text_of(draft: Mapping[str, Any]) -> str | None:
    """The text of a completion that is one text."""
    content = draft.get("content")
    blocks = as_array(content)
    block = as_object(blocks[0] if blocks is not None and len(blocks) == 1 else content) or {}
    text = block.get("text")
    return text if isinstance(text, str) and block.get("type") == "text" else None


def _value(value: object, otherwise: str) -> tuple[str, ...]:
    try:
        return toml_value(value if isinstance(value, str) and value else otherwise)
    except Unspelled:
        return toml_value(otherwise)


def _text(text: str) -> tuple[str, ...]:
    """With its last quotes on a line of their own; the line break before them is no part of the answer."""
    try:
        return text_lines(f"{text}\n")
    except Unspelled:
        return text_lines("\n")


def _assigned(name: str, value: tuple[str, ...]) -> Iterator[TextLine]:
    for at, piece in enumerate(value):
        yield line(piece if at else f"{name} = {piece}")
