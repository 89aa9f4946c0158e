"""What a decision rested on: fingerprints of everything that must still be the same when the call runs.

Each is the SHA-256 of a canonical spelling, so evidence can be shown, logged and compared without holding an argument
or a definition. A reconnect to the same server, in the same version, is no difference.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass

from mcp_host.core.arguments import canonical_json
from mcp_host.core.catalog.catalog import ServerIdentity
from mcp_host.core.catalog.catalog import fingerprint as tool_fingerprint
from mcp_host.core.catalog.entries import Tool
from mcp_host.core.definitions.launch import definition_fingerprint
from mcp_host.core.definitions.models import Definition


@dataclass(frozen=True, kw_only=True)
class Evidence:
    """Five fingerprints, each in lowercase hexadecimal."""

    definition: str
    """Of the unexpanded definition: what the user wrote, never what a reference resolved to."""
    identity: str
    """Of the server's negotiated name, title, version, era and revision."""
    tool: str | None
    """Of the tool's whole definition: schema, description and annotations. None: the server does not offer it (now)."""
    arguments: str
    preview: str | None = None
    """Of the server's own preview result; None where the tool has no preview."""


def gather(
    *,
    definition: Definition,
    identity: ServerIdentity,
    tool: Tool | None,
    arguments: Mapping[str, object],
    preview: Mapping[str, object] | str | None = None,
) -> Evidence:
    """The evidence as things stand now; `tool` is None where the server does not offer it any more.

    `preview` is the server's preview result or
    the fingerprint of one: a preview is not run again to check a receipt (it would bring another receipt of the
    server's), so fresh evidence takes over the fingerprint of the proposal it is held against.
    """
    return Evidence(
        definition=definition_fingerprint(definition),
        identity=fingerprint_of(
            [identity.name, identity.title, identity.version, identity.era, identity.revision],
        ),
        tool=tool_fingerprint(tool) if tool else None,
        arguments=_sha256(canonical_json(arguments)),
        preview=preview if isinstance(preview, str) or preview is None else fingerprint_of(preview),
    )


def fingerprint_of(value: object) -> str:
    """SHA-256 (hex) of a JSON value as a server may send it: the order of members does not count."""
    # In ASCII, and with NaN: a server's text may hold what neither UTF-8 nor `canonical_json` has a form for.
    return _sha256(json.dumps(value, sort_keys=True, separators=(",", ":")))


def _sha256(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


def differences(old: Evidence, new: Evidence, *, alias: str, tool: str) -> tuple[str, ...]:
    """Each thing that is no longer the same, in words; empty when nothing changed."""
    words = {
        "definition": f"the definition of {alias} changed",
        "identity": f"{alias} is another server, version or protocol revision now",
        "tool": f"{alias} no longer offers {tool}" if new.tool is None else f"{alias} changed the definition of {tool}",
        "arguments": "the arguments are not the ones that were shown",
        "preview": "the server's preview is another one",
    }
    return tuple(said for part, said in words.items() if getattr(old, part) != getattr(new, part))
