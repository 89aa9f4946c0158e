"""What the host tells the editor unasked: the names of the `User` autocommands and what each carries."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Literal, TypeAlias

EventName = Literal[
    "McpServerStatus",
    "McpCatalogChanged",
    "McpProposal",
    "McpReceipt",
    "McpCall",
    "McpProgress",
    "McpInteraction",
    "McpLog",
    "McpResourceUpdated",
    "McpDefinitions",
    "McpTrustNeeded",
]

Emit: TypeAlias = Callable[[EventName, Mapping[str, object]], None]
"""Hands one event to the editor. Never waits: the editor side queues and coalesces."""
