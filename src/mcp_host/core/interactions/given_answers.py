"""Answers that somebody gave before anything was asked: `--answers FILE` of a command, `answers` in Lua.

The first entry that matches a request answers it, and everything that is asked at one time is answered or nothing is.
An answer is held against what is asked as a person's is. What an entry leaves unsaid it does not ask for: one without a
kind answers forms and addresses, or, with a `result`, what that is a result of.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, cast

from mcp_host.core.interactions.answers import Misfit, checked_form, read_raw_answer
from mcp_host.core.interactions.form import read_form
from mcp_host.core.interactions.given_entries import THE_ANSWERS, Entry, read_entries
from mcp_host.core.interactions.requests import Asked, InputRequest
from mcp_host.core.interactions.responses import (
    Answers,
    accepted_form,
    accepted_url,
    content_from_defaults,
    declined,
    dismissed,
)
from mcp_host.core.interactions.toml_spelling import spoken_key


@dataclass(frozen=True, kw_only=True)
class Unanswered:
    """Not everything that is asked has an answer that fits; no entry is used up."""

    why: str
    """A line for each request without one, and for each answer that does not fit."""
    missing: tuple[str, ...]
    """The keys of those requests."""


@dataclass(frozen=True, kw_only=True)
class GivenRefusal:
    """An entry says no to a request that has no polite form of no, so that what is asked is refused as a whole."""

    keys: tuple[str, ...]


@dataclass(kw_only=True)
class GivenAnswers:
    """The entries of one call. It remembers which of those that count once have counted."""

    entries: tuple[Entry, ...]
    _used: set[int] = field(default_factory=set[int], init=False, repr=False)

    @property
    def kinds(self) -> frozenset[str]:
        """What there are answers to, so that a server can be offered it."""
        return frozenset(kind for entry in self.entries for kind in entry.offered)

    def answer(self, asked: Asked) -> Answers | Unanswered | GivenRefusal:
        """The raw answers to what is asked, by key. A request for roots is only among them where an entry is for it."""
        found = dict(self._found(asked))
        answers: dict[str, Mapping[str, Any]] = {}
        faults: dict[str, str] = {}
        refusals: list[str] = []
        for request in asked.requests:
            if request.key not in found:
                if request.kind != "roots":
                    faults[request.key] = "no entry is for it"
                continue
            at = found[request.key]
            try:
                answer = _answered(request, self.entries[at])
            except Misfit as error:
                faults[request.key] = f"answers[{at}] does not fit: {error}"
                continue
            if answer is None:
                refusals.append(request.key)
            else:
                answers[request.key] = answer
        if faults:
            lines = (f"{spoken_key(key)}: {fault}" for key, fault in faults.items())
            return Unanswered(why="\n".join(lines), missing=tuple(faults))
        self._used |= {at for at in found.values() if self.entries[at].once}
        return GivenRefusal(keys=tuple(refusals)) if refusals else answers

    def _found(self, asked: Asked) -> Iterator[tuple[str, int]]:
        """The entry of each request that has one. One that counts once counts for one request."""
        used = set(self._used)
        for request in asked.requests:
            for at, entry in enumerate(self.entries):
                if at not in used and entry.matches(asked, request):
                    used |= {at} if entry.once else set()
                    yield request.key, at
                    break


def read_given_answers(value: object, *, place: str = THE_ANSWERS) -> GivenAnswers:
    """The entries of `{"answers": [ENTRY, …]}` or of the list alone. `place` is what to call where they came from.

    Raises:
        ProblemError: `usage`, with the index and the member of everything that is wrong.
    """
    return GivenAnswers(entries=read_entries(value, place=place))


def _answered(request: InputRequest, entry: Entry) -> Mapping[str, Any] | None:
    """The entry's answer; None where it refuses what can only be refused as a whole.

    Raises:
        Misfit: it does not fit.
    """
    if entry.action != "accept":
        return declined(request) if entry.action == "decline" else dismissed(request)
    if entry.result is not None:
        return read_raw_answer(request, entry.result)
    if request.kind == "url":
        return accepted_url()
    if entry.content == "defaults":
        return checked_form(request, content_from_defaults(read_form(request.params.get("requestedSchema"))))
    return read_raw_answer(request, accepted_form(cast("dict[str, object]", entry.content or {})))
