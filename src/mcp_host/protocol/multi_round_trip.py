"""Reading a result that asks for input, and what the same request is sent with once that is there.

The state that comes with it is the server's alone: it goes back as it came, and nothing here looks into it
(specification 2026-07-28, "Multi Round-Trip Requests").
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from mcp_host.core.catalog.json_values import as_object
from mcp_host.core.interactions.requests import REQUEST_METHODS, InputRequest
from mcp_host.protocol.envelope import Envelope
from mcp_host.protocol.errors import RequestFailed
from mcp_host.protocol.offering import refusal_of
from mcp_host.protocol.result_types import broken
from mcp_host.protocol.wording import Attempt, named, never_satisfied

REQUEST_CAP: Final = 50
"""Things asked for in one result. A person goes through them one by one."""
UNATTENDED_CAP: Final = 10
"""Rounds in a row in which nothing was asked for: the server only says "come back"."""
ROUND_CAP: Final = 50
"""Rounds of one request in all: nobody answers fifty questions to get one result."""
FIRST_PAUSE_SECONDS: Final = 0.05
LONGEST_PAUSE_SECONDS: Final = 0.25
"""Before an unattended round. The specification allows none at all; a busy server is glad of it."""
_CACHING_HINTS: Final = ("ttlMs", "cacheScope")


@dataclass(frozen=True, kw_only=True)
class InputRequired:
    """What a server needs before it goes on."""

    requests: tuple[InputRequest, ...] = ()
    """Empty where it only wants to be asked again."""
    state: str | None = field(default=None, repr=False)


def read_input_required(raw: Mapping[str, object], *, envelope: Envelope, attempt: Attempt) -> InputRequired:
    """What this result of the kind `input_required` asks for.

    Raises:
        RequestFailed: `protocol-violated`: it asks for nothing, for what was not offered, or in another form.
    """
    # A server whose language has no absent members writes null for them.
    state, asked = raw.get("requestState"), raw.get("inputRequests")
    if not isinstance(state, str | None):
        raise broken(attempt, "It asks for input with a requestState that is no string.")
    requests = () if asked is None else read_requests(asked, envelope=envelope, attempt=attempt)
    if not requests and state is None:
        raise broken(attempt, "It asks for input without saying for which.")
    return InputRequired(requests=requests, state=state)


def read_requests(value: object, *, envelope: Envelope, attempt: Attempt) -> tuple[InputRequest, ...]:
    """The requests in an `inputRequests` object, in the order in which they came.

    Raises:
        RequestFailed: `protocol-violated`: it has another form, or asks for what was not offered.
    """
    members = as_object(value)
    if members is None:
        raise broken(attempt, "It asks for input with inputRequests that are no object.")
    if len(members) > REQUEST_CAP:
        raise broken(attempt, f"It asks for {len(members)} things at once; this host takes {REQUEST_CAP}.")
    return tuple(_read_request(key, request, envelope, attempt) for key, request in members.items())


def retry_params(params: Mapping[str, Any], needed: InputRequired, answers: Mapping[str, Any]) -> dict[str, Any]:
    """The params of the next round: the first ones, the answers and the state that came last."""
    retry = dict(params)
    if needed.requests:
        retry["inputResponses"] = dict(answers)
    if needed.state is not None:
        retry["requestState"] = needed.state
    return retry


def without_hints(raw: Mapping[str, Any]) -> dict[str, Any]:
    """The result of a request that was sent again, without its word on how long it may be kept.

    It depends on the answers and the state that it was asked for with, and must not be kept at all.
    """
    return {name: value for name, value in raw.items() if name not in _CACHING_HINTS}


@dataclass(kw_only=True)
class Rounds:
    """How often a server has asked for more on one request."""

    all: int = 0
    unattended: int = 0
    """Since a person was asked last."""

    @property
    def pause_seconds(self) -> float:
        """How long to wait before the next unattended round."""
        return min(FIRST_PAUSE_SECONDS * 2 ** (self.unattended - 1), LONGEST_PAUSE_SECONDS)

    def count(self, needed: InputRequired, attempt: Attempt) -> None:
        """One more.

        Raises:
            RequestFailed: It has been too often. Where it asked for something, the outcome is known: the server is
                still waiting. Where it only said "come back", it may have been at work.
        """
        self.all += 1
        self.unattended = 0 if needed.requests else self.unattended + 1
        if self.all > ROUND_CAP or self.unattended > UNATTENDED_CAP:
            raise RequestFailed(never_satisfied(attempt, self.all), sent=True, answered=bool(needed.requests))


def _read_request(key: str, value: object, envelope: Envelope, attempt: Attempt) -> InputRequest:
    member = as_object(value)
    method = member.get("method") if member is not None else None
    params = as_object(member.get("params") or {}) if member is not None else None
    if not isinstance(method, str) or params is None:
        raise broken(attempt, f"What it asks for as {named(key)} is no request.")
    if method not in REQUEST_METHODS:
        raise broken(attempt, f"It asks for {named(method)}, which no client answers.")
    request = InputRequest(key=key, method=method, params=params)
    if (refusal := refusal_of(request, envelope)) is not None:
        raise broken(attempt, f"It asks for something that it was not offered, {named(key)}: {refusal.words}.")
    return request
