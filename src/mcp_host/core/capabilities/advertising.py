"""What a server is told that this host can do: derived from the matrix and from what a connection offers.

Nothing else writes a ClientCapabilities object. So a server cannot be told of anything that has no row, or whose row
says that it is not there.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, cast

from typing_extensions import assert_never

from mcp_host.core.capabilities.capability import Capability, Condition, Fragment
from mcp_host.core.capabilities.matrix import MATRIX
from mcp_host.core.catalog.catalog import Era
from mcp_host.core.offers import Offer


def advertisement(era: Era, offer: Offer, *, matrix: Sequence[Capability] = MATRIX) -> dict[str, Any]:
    """The ClientCapabilities object for the wire: of `initialize` in the legacy era, of every request in the modern."""
    told: dict[str, Any] = {}
    for capability in matrix:
        condition = capability.told.get(era)
        if condition is not None and _is_met(condition, offer):
            _lay(capability.client_says, over=told)
    return told


def _is_met(condition: Condition, offer: Offer) -> bool:
    match condition:
        case "always":
            return True
        case "elicitation":
            return offer.elicitation
        case "sampling":
            return offer.sampling
        case "legacy_roots":
            return offer.legacy_roots
        case "modern_roots":
            return offer.modern_roots
        case "tasks":
            return offer.tasks
        case _:
            assert_never(condition)


def _lay(fragment: Fragment, *, over: dict[str, Any]) -> None:
    for key, value in fragment.items():
        if isinstance(value, bool):
            over[key] = value
        else:
            _lay(value, over=cast("dict[str, Any]", over.setdefault(key, {})))
