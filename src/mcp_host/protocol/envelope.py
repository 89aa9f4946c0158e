"""What goes around every request: the modern `_meta` members and the headers, or the legacy header alone.

The SDK's session stamps its own requests; ours go to the dispatcher directly, because a session refuses a whole answer
for one malformed part of it and we keep the rest.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from mcp.shared.dispatcher import CallOptions
from mcp.shared.inbound import (
    MCP_METHOD_HEADER,
    MCP_NAME_HEADER,
    MCP_PROTOCOL_VERSION_HEADER,
    NAME_BEARING_METHODS,
    encode_header_value,
    mcp_param_headers,
    x_mcp_header_map,
)
from mcp_types import (
    CLIENT_CAPABILITIES_META_KEY,
    CLIENT_INFO_META_KEY,
    LOG_LEVEL_META_KEY,
    PROTOCOL_VERSION_META_KEY,
)

from mcp_host.core.catalog.catalog import ServerIdentity
from mcp_host.core.offers import LogLevel

_NAMED_BY: Final[Mapping[str, str]] = {
    **NAME_BEARING_METHODS,
    "tasks/get": "taskId",
    "tasks/update": "taskId",
    "tasks/cancel": "taskId",
}
"""Which member of its params the header `Mcp-Name` repeats. The last three are of the extension for tasks."""


@dataclass(frozen=True, kw_only=True)
class Envelope:
    """The members that one connection's requests carry."""

    identity: ServerIdentity
    client_info: Mapping[str, Any]
    capabilities: Mapping[str, Any]
    """What we offer to this server; empty means that it may ask nothing of us."""
    log_level: LogLevel | None = None
    """From which level on it is asked to send log messages; a modern server is asked with every request."""

    def seal(
        self, method: str, params: Mapping[str, Any], *, input_schema: Mapping[str, Any] | None = None
    ) -> tuple[dict[str, Any], CallOptions]:
        """The params and options to hand to the dispatcher.

        Args:
            input_schema: The called tool's, for the `Mcp-Param-*` headers of specification 2026-07-28.
        """
        sealed = dict(params)
        if self.identity.era == "legacy":
            return sealed, {"headers": {MCP_PROTOCOL_VERSION_HEADER: self.identity.revision}}
        meta: dict[str, Any] = dict(sealed.get("_meta") or {})
        meta[PROTOCOL_VERSION_META_KEY] = self.identity.revision
        meta[CLIENT_INFO_META_KEY] = dict(self.client_info)
        meta[CLIENT_CAPABILITIES_META_KEY] = dict(self.capabilities)
        if self.log_level is not None:
            meta[LOG_LEVEL_META_KEY] = self.log_level
        sealed["_meta"] = meta
        return sealed, {"headers": self._headers(method, sealed, input_schema)}

    def _headers(
        self, method: str, params: Mapping[str, Any], input_schema: Mapping[str, Any] | None
    ) -> dict[str, str]:
        headers = {MCP_PROTOCOL_VERSION_HEADER: self.identity.revision, MCP_METHOD_HEADER: method}
        name_key = _NAMED_BY.get(method)
        if name_key is not None and isinstance(name := params.get(name_key), str):
            headers[MCP_NAME_HEADER] = encode_header_value(name)
        if input_schema is not None:
            headers.update(mcp_param_headers(x_mcp_header_map(dict(input_schema)), params.get("arguments") or {}))
        return headers
