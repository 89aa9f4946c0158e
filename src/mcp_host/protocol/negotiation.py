"""Which era a server speaks, decided once per connection.

The policy: ask `server/discover` first; the handshake is tried only where nothing says that the server is modern. A
recognised modern error, an HTTP fault or a refusal to let us in is shown as what it is, and never papered over with an
`initialize` that would hide it (specification 2026-07-28, "Discovery").
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final

import mcp_types as types
from mcp.shared.dispatcher import Dispatcher
from mcp.shared.exceptions import MCPError
from mcp.shared.inbound import MCP_METHOD_HEADER, MCP_PROTOCOL_VERSION_HEADER
from mcp.shared.transport_context import TransportContext
from mcp_types import (
    CLIENT_CAPABILITIES_META_KEY,
    CLIENT_INFO_META_KEY,
    HEADER_MISMATCH,
    METHOD_NOT_FOUND,
    MISSING_REQUIRED_CLIENT_CAPABILITY,
    PROTOCOL_VERSION_META_KEY,
    SERVER_INFO_META_KEY,
    UNSUPPORTED_PROTOCOL_VERSION,
)
from mcp_types.version import (
    HANDSHAKE_PROTOCOL_VERSIONS,
    LATEST_HANDSHAKE_VERSION,
    LATEST_MODERN_VERSION,
    MODERN_PROTOCOL_VERSIONS,
)
from pydantic import ValidationError

from mcp_host.core.catalog.catalog import Era, ServerIdentity
from mcp_host.problems import ProblemError
from mcp_host.protocol.stand_ins import wire_fault
from mcp_host.protocol.wording import Attempt, named, told_kind, violated

DISCOVER_SECONDS: Final = 10.0
"""For the answer to `server/discover`: there are legacy servers that answer nothing before they were initialised."""

_MODERN_ERRORS: Final = frozenset({HEADER_MISMATCH, MISSING_REQUIRED_CLIENT_CAPABILITY})
"""Codes that only a modern server answers with: the handshake would not help and would hide the cause."""

_LEGACY_STATUSES: Final = frozenset({400, 404, 405, 406, 415, 501})
"""HTTP statuses with which servers of the handshake revisions turn an unknown first request away."""


@dataclass(frozen=True, kw_only=True)
class Greeting:
    """What a server is told first, and over which wire."""

    alias: str
    dispatcher: Dispatcher[TransportContext] = field(repr=False)
    client_info: Mapping[str, Any]
    capabilities: Mapping[Era, Mapping[str, Any]]
    """What is offered in each era."""


async def negotiate(greeting: Greeting) -> ServerIdentity:
    """Both sides speak one revision afterwards; says which, and who the server says it is.

    A legacy server has still to be told that we are ready, see `handshake`.

    Raises:
        MCPError: The server is modern and refused, or the handshake failed too.
        ProblemError: `protocol-violated`: the handshake ended in a revision that this host does not know, or the
            answer to `server/discover` is of an unknown kind.
        ValidationError: An answer breaks the specification.
    """
    version = LATEST_MODERN_VERSION
    for attempt in range(2):
        try:
            raw = await _discover(greeting, version)
        except MCPError as error:
            mutual = _mutual_version(error) if attempt == 0 else None
            if mutual is not None:
                version = mutual
                continue
            if not _is_legacy_evidence(error):
                raise
            identity = await _handshake(greeting, may_probe_again=attempt == 0)
            if isinstance(identity, str):
                version = identity
                continue
            return identity
        return await _adopt(greeting, raw)
    raise AssertionError("the second attempt returns or raises")


async def handshake(greeting: Greeting) -> ServerIdentity:
    """Both sides speak a handshake revision afterwards; for servers that a probe makes exit.

    What is left of the handshake is to say that we are ready, `notifications/initialized`.

    Raises:
        MCPError: The server refused the handshake.
        ProblemError: `protocol-violated`: it ended in a revision that this host does not know.
        ValidationError: The answer breaks the specification.
    """
    raw = await greeting.dispatcher.send_raw_request(
        "initialize",
        {
            "protocolVersion": LATEST_HANDSHAKE_VERSION,
            "capabilities": dict(greeting.capabilities["legacy"]),
            "clientInfo": dict(greeting.client_info),
        },
        {"cancel_on_abandon": False},  # the specification forbids to cancel it
    )
    result = types.InitializeResult.model_validate(raw, by_name=False)
    revision = result.protocol_version
    if revision not in HANDSHAKE_PROTOCOL_VERSIONS:
        words = f"It answered the handshake with the revision {named(revision)}, which this host does not know."
        raise ProblemError(violated(Attempt(alias=greeting.alias, doing="connecting"), words))
    return _identity("legacy", revision, result, result.server_info)


async def _discover(greeting: Greeting, version: str) -> dict[str, Any]:
    meta = {
        PROTOCOL_VERSION_META_KEY: version,
        CLIENT_INFO_META_KEY: dict(greeting.client_info),
        CLIENT_CAPABILITIES_META_KEY: dict(greeting.capabilities["modern"]),
    }
    headers = {MCP_PROTOCOL_VERSION_HEADER: version, MCP_METHOD_HEADER: "server/discover"}
    return await greeting.dispatcher.send_raw_request(
        "server/discover",
        {"_meta": meta},
        {"timeout": DISCOVER_SECONDS, "cancel_on_abandon": False, "headers": headers},
    )


async def _adopt(greeting: Greeting, raw: Mapping[str, object]) -> ServerIdentity:
    offers_modern = _offers_modern(raw.get("supportedVersions"))
    try:
        result = types.DiscoverResult.model_validate({key: raw[key] for key in _READ if key in raw}, by_name=False)
    except ValidationError as fault:
        try:
            return await handshake(greeting)
        except MCPError as refused:
            # It called itself modern: what is wrong with that answer says more than a refused handshake.
            raise (fault if offers_modern else refused) from refused
    if not offers_modern:
        # It answers discover but offers handshake revisions only: its own word that it is legacy.
        return await handshake(greeting)
    kind = raw.get("resultType", "complete")
    if kind != "complete":
        words = f"It answered server/discover with a result of the kind {told_kind(kind)}."
        raise ProblemError(violated(Attempt(alias=greeting.alias, doing="connecting"), words))
    revision = [version for version in MODERN_PROTOCOL_VERSIONS if version in result.supported_versions][-1]
    return _identity("modern", revision, result, _stamped(result.meta))


_READ: Final = ("supportedVersions", "capabilities", "instructions", "_meta")
"""What is read of a discover result. A mistake in the others, which say how long to keep it, changes nothing here."""


def _stamped(meta: Mapping[str, Any] | None) -> types.Implementation | None:
    """Who a modern server says it is. For show only, so one that is malformed counts as absent."""
    try:
        return types.Implementation.model_validate((meta or {}).get(SERVER_INFO_META_KEY), by_name=False)
    except ValidationError:
        return None


def _identity(
    era: Era,
    revision: str,
    result: types.InitializeResult | types.DiscoverResult,
    info: types.Implementation | None,
) -> ServerIdentity:
    return ServerIdentity(
        name=info.name if info else None,
        title=info.title if info else None,
        version=info.version if info else None,
        description=info.description if info else None,
        instructions=result.instructions,
        era=era,
        revision=revision,
        capabilities=result.capabilities.model_dump(by_alias=True, mode="json", exclude_none=True),
    )


def _offers_modern(versions: object) -> bool:
    return isinstance(versions, list) and any(version in versions for version in MODERN_PROTOCOL_VERSIONS)


async def _handshake(greeting: Greeting, *, may_probe_again: bool) -> ServerIdentity | str:
    """Initialises; a modern revision to probe instead where a slow server turns out to be modern after all."""
    try:
        return await handshake(greeting)
    except MCPError as error:
        mutual = _mutual_version(error)
        if mutual is None or not may_probe_again:
            raise
        return mutual


def _is_legacy_evidence(error: MCPError) -> bool:
    # The codes first: a modern server sends its refusals with HTTP 400, the status of many a legacy one.
    if error.code in _MODERN_ERRORS:
        return False
    if error.code == UNSUPPORTED_PROTOCOL_VERSION:
        supported = _supported(error)
        return supported is None or any(version in HANDSHAKE_PROTOCOL_VERSIONS for version in supported)
    fault = wire_fault(error)
    if fault is None or fault.fault == "unreadable" or error.code == METHOD_NOT_FOUND:
        return True
    return fault.status in _LEGACY_STATUSES


def _mutual_version(error: MCPError) -> str | None:
    if error.code != UNSUPPORTED_PROTOCOL_VERSION:
        return None
    supported = _supported(error) or ()
    mutual = [version for version in MODERN_PROTOCOL_VERSIONS if version in supported]
    return mutual[-1] if mutual else None


def _supported(error: MCPError) -> list[str] | None:
    try:
        return types.UnsupportedProtocolVersionErrorData.model_validate(error.data).supported
    except ValidationError:
        return None
