"""What one server offers, as it is in force: read once, read again when it changed, kept while the server is away."""

from __future__ import annotations

import logging
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Final, Protocol

import anyio

from mcp_host.core.catalog.catalog import Catalog, catalog_fingerprint
from mcp_host.core.definitions.document import Defined
from mcp_host.core.subscriptions import ListKind
from mcp_host.host.events import Emit
from mcp_host.host.live_server import Followers, LiveServer
from mcp_host.problems import ProblemError

if TYPE_CHECKING:
    from mcp_host.protocol.connection import Connection

logger = logging.getLogger(__name__)

BURST_SECONDS: Final = 0.5
"""From the first change that a server tells of to reading its lists: those that follow within it cost nothing more."""


class Holder(Protocol):
    """Whoever holds the live server; None once it is lost."""

    live: LiveServer | None


@dataclass(kw_only=True)
class CatalogKeeper:
    """Keeps the catalog of one alias. A catalog that says nothing new is not published again."""

    alias: str
    emit: Emit
    followers: Followers
    published: Catalog | None = None
    """What is offered, or was before the connection was lost; None where that is withdrawn."""
    _generation: int = 0
    _reading: anyio.Lock = field(default_factory=anyio.Lock)
    _changed: anyio.Event = field(default_factory=anyio.Event)

    async def read(self, connection: Connection, defined: Defined) -> Catalog:
        """What the server gives now.

        Raises:
            ProblemError: The lists could not be read.
        """
        from mcp_host.protocol.listing import list_everything  # imported by opening's worker thread

        return await list_everything(
            connection,
            generation=self._generation + 1,
            timeout_seconds=defined.definition.request_timeout_seconds,
        )

    def put(self, catalog: Catalog) -> Catalog:
        """The catalog, in force. One that offers what was offered before keeps its generation, and nobody is told."""
        before = self.published
        if before is not None and catalog_fingerprint(catalog) == catalog_fingerprint(before):
            self.published = replace(catalog, generation=before.generation)
            return self.published
        self.published = catalog
        self._generation = catalog.generation
        self.followers.catalog(catalog)
        self._tell(
            [tool.name for tool in catalog.tools],
            [resource.uri for resource in catalog.resources],
            [prompt.name for prompt in catalog.prompts],
        )
        return catalog

    def withdraw(self) -> None:
        """Nothing is offered any more."""
        if self.published is not None:
            self.published = None
            self._generation += 1
            self._tell([], [], [])

    def note_change(self, _kind: ListKind) -> None:
        """The server said that one of its lists is another one."""
        self._changed.set()

    async def renew(self, holder: Holder, defined: Defined) -> None:
        """The catalog is what the server gives now, where it said that a list changed; whoever comes meanwhile waits.

        Raises:
            ProblemError: The lists could not be read.
        """
        live = holder.live
        if live is None or not (live.connection.must_relist or self._reading.locked()):
            return
        async with self._reading:
            if not live.connection.must_relist:
                return
            try:
                fresh = await self.read(live.connection, defined)
            except anyio.get_cancelled_exc_class():
                live.connection.lists_stale = True  # or nobody would read the change that was announced
                raise
            if holder.live is not None and catalog_fingerprint(fresh) != catalog_fingerprint(holder.live.catalog):
                holder.live = replace(holder.live, catalog=self.put(fresh))

    async def follow(self, holder: Holder, defined: Defined) -> None:
        """Reads the lists again when the server says that they changed: once for a burst, and not more than twice a
        second whatever it says. Until it is cancelled."""
        while True:
            await self._changed.wait()
            await anyio.sleep(BURST_SECONDS)
            self._changed = anyio.Event()
            try:
                await self.renew(holder, defined)
            except ProblemError as error:
                # The last good list stays; whoever needs the server next is told.
                logger.info("the lists of %s could not be read again: %s", self.alias, error.problem.type)

    def _tell(self, tools: list[str], resources: list[str], prompts: list[str]) -> None:
        names = {"tools": tools, "resources": resources, "prompts": prompts}
        self.emit("McpCatalogChanged", {"alias": self.alias, "generation": self._generation, **names})
