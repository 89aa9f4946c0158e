"""One capability: a row of the matrix, with where it comes from, what this host does about it and why.

The four ways to stand to a capability are types of their own, so that only what is done can be told to a server, and
what is not done cannot come without its reason.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final, Literal, TypeAlias

from mcp_host.core.catalog.catalog import Era

Authority = Literal["core", "extension", "candidate"]
"""Who says that it exists: the specification, an official extension, or a proposal that is neither yet."""

Disposition = Literal["supported", "partial", "excluded", "deferred"]
"""What this host does: all of it, some of it, nothing and that stays so, nothing yet."""

Advertised = Literal["always", "conditional", "never"]

Condition = Literal["always", "elicitation", "sampling", "legacy_roots", "modern_roots", "tasks"]
"""When a server is told: on every connection, or where the field of that name in the `Offer` says so."""

Told: TypeAlias = Mapping[Era, Condition]
"""When servers of an era are told; those of an era that is not in it never are."""

Fragment: TypeAlias = "Mapping[str, Fragment | bool]"
"""A piece of a ClientCapabilities or ServerCapabilities object, from its root down to one capability."""

BOTH: Final[tuple[Era, ...]] = ("modern", "legacy")
MODERN: Final[tuple[Era, ...]] = ("modern",)
LEGACY: Final[tuple[Era, ...]] = ("legacy",)

SPECIFICATION: Final = "https://modelcontextprotocol.io/specification/2026-07-28"
LEGACY_SPECIFICATION: Final = "https://modelcontextprotocol.io/specification/2025-11-25"
"""The last of the handshake revisions stands for all of them."""


@dataclass(frozen=True, kw_only=True)
class Supported:
    """All of it works."""

    evidence: tuple[str, ...]
    """The tests that show it, as `tests/core/test_x.py::test_name`."""
    told: Told = field(default_factory=dict[Era, Condition])
    note: str = ""
    disposition: Literal["supported"] = field(default="supported", init=False)


@dataclass(frozen=True, kw_only=True)
class Partial:
    """Some of it works."""

    note: str
    """What does not, and why."""
    evidence: tuple[str, ...]
    told: Told = field(default_factory=dict[Era, Condition])
    disposition: Literal["partial"] = field(default="partial", init=False)


@dataclass(frozen=True, kw_only=True)
class Excluded:
    """It does not work and is not meant to."""

    note: str
    disposition: Literal["excluded"] = field(default="excluded", init=False)


@dataclass(frozen=True, kw_only=True)
class Deferred:
    """It does not work yet."""

    note: str
    disposition: Literal["deferred"] = field(default="deferred", init=False)


Standing: TypeAlias = Supported | Partial | Excluded | Deferred


@dataclass(frozen=True, kw_only=True)
class Capability:
    """One thing that a host can do or leave. No word of a server is ever in it."""

    id: str
    """Unique, kebab-case, stable: scripts may look for it."""
    title: str
    """A few words: it stands in a column."""
    eras: tuple[Era, ...]
    """Where it exists at all."""
    authority: Authority = "core"
    spec: str
    standing: Standing
    is_interactive: bool = False
    """Whether a call may wait for a person because of it."""
    client_says: Fragment = field(default_factory=dict[str, "Fragment | bool"])
    """How a client that has it declares it; empty where there is no word for it."""
    server_says: Fragment = field(default_factory=dict[str, "Fragment | bool"])
    """The same for a server."""

    @property
    def disposition(self) -> Disposition:
        """What this host does about it."""
        return self.standing.disposition

    @property
    def note(self) -> str:
        """Why it is not, or not wholly, there; for what is supported a remark, or nothing."""
        return self.standing.note

    @property
    def evidence(self) -> tuple[str, ...]:
        """The tests that show it."""
        return self.standing.evidence if isinstance(self.standing, Supported | Partial) else ()

    @property
    def told(self) -> Told:
        """When servers are told that this host has it."""
        return self.standing.told if isinstance(self.standing, Supported | Partial) else {}

    @property
    def advertised(self) -> Advertised:
        """The same in one word."""
        conditions = set(self.told.values())
        return "never" if not conditions else "always" if conditions == {"always"} else "conditional"
