"""A refusal of revision 2025-11-25 that says which URLs a person has to visit before the request is sent again."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from mcp_host.core.catalog.json_values import as_array, as_object
from mcp_host.core.interactions.requests import ELICITATION, InputRequest
from mcp_host.protocol.envelope import Envelope
from mcp_host.protocol.errors import RequestFailed
from mcp_host.protocol.multi_round_trip import REQUEST_CAP
from mcp_host.protocol.offering import offers_urls

URL_ELICITATION_REQUIRED: Final = -32042
URL_ROUND_CAP: Final = 5
"""How often one request is sent again: who has been to five URLs has been led on."""


def urls_required(refusal: RequestFailed, envelope: Envelope) -> tuple[InputRequest, ...]:
    """One request for each URL; none where the refusal is of another kind, malformed, or no URLs were offered."""
    if refusal.code != URL_ELICITATION_REQUIRED or envelope.identity.era == "modern" or not offers_urls(envelope):
        return ()
    data = as_object(refusal.data) or {}
    entries = as_array(data.get("elicitations")) or ()
    if len(entries) > REQUEST_CAP:
        return ()
    found = [_read(entry) for entry in entries]
    requests = [request for request in found if request is not None]
    keys = {request.key for request in requests}
    return tuple(requests) if len(keys) == len(found) else ()


def all_accepted(answers: Mapping[str, Mapping[str, Any]]) -> bool:
    """Whether a person has been to every URL."""
    return all(answer.get("action") == "accept" for answer in answers.values())


def _read(entry: object) -> InputRequest | None:
    params = as_object(entry) or {}
    identifier = params.get("elicitationId")
    is_url = params.get("mode") in ("url", None)
    if not isinstance(identifier, str) or not isinstance(params.get("url"), str) or not is_url:
        return None
    return InputRequest(key=identifier, method=ELICITATION, params={**params, "mode": "url"})
