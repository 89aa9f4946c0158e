"""The capability matrix: each part of the protocol, each extension and candidate, and what this host does about it."""

from __future__ import annotations

from typing import Final

from mcp_host.core.capabilities.authorization import AUTHORIZATION
from mcp_host.core.capabilities.capability import Capability
from mcp_host.core.capabilities.client_features import CLIENT_FEATURES
from mcp_host.core.capabilities.conversation import CONVERSATION
from mcp_host.core.capabilities.extensions import EXTENSIONS
from mcp_host.core.capabilities.server_features import SERVER_FEATURES
from mcp_host.core.capabilities.transports import TRANSPORTS

MATRIX: Final[tuple[Capability, ...]] = (
    *SERVER_FEATURES,
    *CLIENT_FEATURES,
    *CONVERSATION,
    *TRANSPORTS,
    *AUTHORIZATION,
    *EXTENSIONS,
)
"""In the order in which they are shown."""
