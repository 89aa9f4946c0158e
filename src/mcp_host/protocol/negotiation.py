"""Which era a server speaks, decided once per connection.

The policy: ask `server/discover` first; the handshake is tried only where nothing says that the server is modern. A
recognised modern error, an HTTP fault or a refusal to let us in is shown as what it is, and never papered over with an
`initialize` that would hide it (specification 2026-07-28, "Discovery").
"""

from __future__ import annotations

from typing import Final

import mcp_types as types
from mcp.client.session import ClientSession
from mcp.shared.exceptions import MCPError
from mcp_types import (
    HEADER_MISMATCH,
    METHOD_NOT_FOUND,
    MISSING_REQUIRED_CLIENT_CAPABILITY,
    UNSUPPORTED_PROTOCOL_VERSION,
)
from mcp_types.version import HANDSHAKE_PROTOCOL_VERSIONS, LATEST_MODERN_VERSION, MODERN_PROTOCOL_VERSIONS
from pydantic import ValidationError

from mcp_host.core.catalog.catalog import ServerIdentity
from mcp_host.protocol.stand_ins import wire_fault

_MODERN_ERRORS: Final = frozenset({HEADER_MISMATCH, MISSING_REQUIRED_CLIENT_CAPABILITY})
"""Codes that only a modern server answers with: the handshake would not help and would hide the cause."""

_LEGACY_STATUSES: Final = frozenset({400, 404, 405, 406, 415, 501})
"""HTTP statuses with which servers of the handshake revisions turn an unknown first request away."""


async def negotiate(session: ClientSession) -> ServerIdentity:
    """The session speaks one revision afterwards; says which, and who the server says it is.

    Raises:
        MCPError: The server is modern and refused, or the handshake failed too.
        ValidationError: An answer breaks the specification.
        RuntimeError: The handshake ended in a revision that the SDK does not know.
    """
    version = LATEST_MODERN_VERSION
    for attempt in range(2):
        try:
            raw = await session.send_discover(version)
        except MCPError as error:
            named = _mutual_version(error) if attempt == 0 else None
            if named is not None:
                version = named
                continue
            if not _is_legacy_evidence(error):
                raise
            named = await _handshake(session, may_probe_again=attempt == 0)
            if named is not None:
                version = named
                continue
            return identity_of(session)
        await _adopt(session, raw)
        return identity_of(session)
    raise AssertionError("the second attempt returns or raises")


async def handshake(session: ClientSession) -> ServerIdentity:
    """The session speaks a handshake revision afterwards; for servers that a probe makes exit.

    Raises:
        MCPError: The server refused the handshake.
    """
    await session.initialize()
    return identity_of(session)


def identity_of(session: ClientSession) -> ServerIdentity:
    """What the server said about itself while the revision was negotiated."""
    info = session.server_info
    capabilities = session.server_capabilities
    return ServerIdentity(
        name=info.name if info else None,
        title=info.title if info else None,
        version=info.version if info else None,
        description=info.description if info else None,
        instructions=session.instructions,
        era="modern" if session.discover_result is not None else "legacy",
        revision=session.protocol_version or "",
        capabilities=capabilities.model_dump(by_alias=True, mode="json", exclude_none=True) if capabilities else {},
    )


async def _adopt(session: ClientSession, raw: dict[str, object]) -> None:
    try:
        result = types.DiscoverResult.model_validate(raw)
    except ValidationError as fault:
        try:
            await session.initialize()
        except MCPError as refused:
            # It called itself modern: what is wrong with that answer says more than a refused handshake.
            raise (fault if _offers_modern(raw.get("supportedVersions")) else refused) from refused
        return
    if _offers_modern(result.supported_versions):
        session.adopt(result)
    else:
        # It answers discover but offers handshake revisions only: its own word that it is legacy.
        await session.initialize()


def _offers_modern(versions: object) -> bool:
    return isinstance(versions, list) and any(version in versions for version in MODERN_PROTOCOL_VERSIONS)


async def _handshake(session: ClientSession, *, may_probe_again: bool) -> str | None:
    """Initialises; a modern revision to probe instead where a slow server turns out to be modern after all."""
    try:
        await session.initialize()
    except MCPError as error:
        named = _mutual_version(error)
        if named is None or not may_probe_again:
            raise
        return named
    return None


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
