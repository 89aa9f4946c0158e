"""Whether what a server asks for was offered to it, read from the very capabilities that it was told."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from mcp_types import INVALID_PARAMS, METHOD_NOT_FOUND

from mcp_host.core.catalog.json_values import as_object
from mcp_host.core.interactions.requests import ELICITATION, ROOTS, SAMPLING, InputRequest
from mcp_host.core.tasks import TASKS_EXTENSION
from mcp_host.protocol.envelope import Envelope

_CAPABILITIES: Final[Mapping[str, str]] = {ELICITATION: "elicitation", SAMPLING: "sampling", ROOTS: "roots"}

_FORM_SINCE: Final = "2025-06-18"
_URL_SINCE: Final = "2025-11-25"
"""The revisions that brought elicitation and its second mode. A server that agreed on an earlier one knows neither,
whatever it was offered in the handshake."""


@dataclass(frozen=True, kw_only=True)
class Refusal:
    """Why a request is not answered, with the code that the specification has for it."""

    code: int
    words: str


def refusal_of(request: InputRequest, envelope: Envelope) -> Refusal | None:
    """None where the request may be answered: it was offered, in the mode that it has."""
    name = _CAPABILITIES.get(request.method)
    capability = as_object(envelope.capabilities.get(name)) if name is not None else None
    revision = envelope.identity.revision
    # Revisions are dates and compare as texts.
    if capability is None or (request.method == ELICITATION and revision < _FORM_SINCE):
        return Refusal(code=METHOD_NOT_FOUND, words=f"{request.method} is not offered")
    if request.method == ELICITATION and request.kind not in _modes(capability, revision):
        return Refusal(code=INVALID_PARAMS, words="This mode of elicitation is not offered")
    if request.method == SAMPLING and "tools" not in capability and _wants_tools(request.params):
        return Refusal(code=INVALID_PARAMS, words="Sampling with tools is not offered")
    return None


def offers_urls(envelope: Envelope) -> bool:
    """Whether the server may have a person led to a URL."""
    capability = as_object(envelope.capabilities.get("elicitation"))
    return capability is not None and "url" in _modes(capability, envelope.identity.revision)


def offers_tasks(envelope: Envelope) -> bool:
    """Whether the server may answer a call with a task."""
    return TASKS_EXTENSION in (as_object(envelope.capabilities.get("extensions")) or {})


def _wants_tools(params: Mapping[str, object]) -> bool:
    # Some servers write null for what is absent.
    return any(params.get(name) is not None for name in ("tools", "toolChoice"))


def _modes(capability: Mapping[str, object], revision: str) -> frozenset[str]:
    # Neither mode named means forms, as it was before there were two.
    named = {mode for mode in ("form", "url") if mode in capability} or {"form"}
    return frozenset(named if revision >= _URL_SINCE else named - {"url"})
