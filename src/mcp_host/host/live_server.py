"""A server that can be called right now, and who is told what becomes of what it offers."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from mcp_host.core.catalog.catalog import Catalog
from mcp_host.core.definitions.document import Defined
from mcp_host.core.lifecycle import Status

if TYPE_CHECKING:
    from mcp_host.protocol.connection import Connection


@dataclass(frozen=True, kw_only=True)
class LiveServer:
    """A connected server as it was when it was asked for: an edit or a new list makes a new one."""

    alias: str
    defined: Defined
    identity: str
    """The connection identity it was opened with: a launch with another one needs a new connection."""
    connection: Connection = field(repr=False)
    catalog: Catalog = field(repr=False)


@dataclass(frozen=True, kw_only=True)
class Offering:
    """What a server offers, also while it is away and cannot be called."""

    alias: str
    defined: Defined
    catalog: Catalog = field(repr=False)
    status: Status
    """`ready`, or what it is while it is away."""


@dataclass(frozen=True, kw_only=True)
class Followers:
    """Who must know at once what a server's lists and resources have become."""

    catalog: Callable[[Catalog], None] = lambda _: None
    """A new catalog is in force."""
    resource: Callable[[str, str], None] = lambda _alias, _uri: None
    """The resource with this uri has changed."""
