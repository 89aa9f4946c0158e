"""Puts back into an answer what was hidden in the question that it answers.

A question is shown redacted, its defaults and choices too, and a program answers what it was shown. What the server
itself wrote goes back to it as it was; the mark that stands in its place is no value of anybody's.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, cast

from mcp_host.core.interactions.requests import InputRequest
from mcp_host.core.redaction import MARK

HIDDEN_WORDS: Final = f"holds {MARK}, which stands for what is not shown here: write the value itself"
AMBIGUOUS_WORDS: Final = f"could be more than one of the server's values, for {MARK} hides what they differ in"


class Unrestorable(Exception):
    """The answer holds the mark, and nothing that the server wrote is shown as it."""


@dataclass(frozen=True, kw_only=True)
class Concealing:
    """How texts are shown."""

    redact: Callable[[str], str] = str

    def restored(
        self, request: InputRequest, content: Mapping[str, object]
    ) -> tuple[dict[str, object], dict[str, str]]:
        """The content with the server's own values in place of how they were shown, and by field what cannot be."""
        if not any(_holds_mark(value) for value in content.values()):
            return dict(content), {}
        hidden = self._hidden(request)
        if not hidden:
            return dict(content), {}  # then the mark is somebody's own word
        restored: dict[str, object] = {}
        faults: dict[str, str] = {}
        for name, value in content.items():
            try:
                restored[name] = _restored(value, hidden)
            except Unrestorable as error:
                restored[name], faults[name] = value, str(error)
        return restored, faults

    def _hidden(self, request: InputRequest) -> Mapping[str, set[str]]:
        """The texts of the request's schema that are not shown as they are, by how they are shown."""
        hidden: dict[str, set[str]] = {}
        for text in _texts(request.params.get("requestedSchema")):
            shown = self.redact(text)
            if shown != text:
                hidden.setdefault(shown, set()).add(text)
        return hidden


NOTHING_CONCEALED: Final = Concealing()
"""For answers that were written before anything was asked."""


def _restored(value: object, hidden: Mapping[str, set[str]]) -> object:
    if isinstance(value, list):
        return [_restored(item, hidden) for item in cast("list[object]", value)]
    if not isinstance(value, str) or MARK not in value:
        return value
    meant = hidden.get(value, set[str]())
    if len(meant) != 1:
        raise Unrestorable(AMBIGUOUS_WORDS if meant else HIDDEN_WORDS)
    return next(iter(meant))


def _holds_mark(value: object) -> bool:
    if isinstance(value, list):
        return any(map(_holds_mark, cast("list[object]", value)))
    return isinstance(value, str) and MARK in value


def _texts(value: object) -> Iterator[str]:
    waiting: list[object] = [value]
    while waiting:
        one = waiting.pop()
        if isinstance(one, str):
            yield one
        elif isinstance(one, Mapping):
            waiting += cast("Mapping[str, object]", one).values()
        elif isinstance(one, Sequence):
            waiting += cast("Sequence[object]", one)
