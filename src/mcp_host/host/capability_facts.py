"""The verb about capabilities: what this host speaks, and what came of it with each server."""

from __future__ import annotations

from dataclasses import dataclass

from mcp_host.core.capabilities.matrix import MATRIX
from mcp_host.host.answers import Answer
from mcp_host.host.fleet import Fleet
from mcp_host.host.params import CapabilitiesParams
from mcp_host.views.capabilities import ServerCapabilityFacts, capabilities_document, capabilities_view


@dataclass(kw_only=True)
class Capabilities:
    """Shows the matrix beside what was negotiated."""

    fleet: Fleet

    async def capabilities(self, params: CapabilitiesParams) -> Answer:
        """The matrix with every connected server, or with one, which is connected for it.

        Raises:
            ProblemError: The server that was named could not be connected.
        """
        if params.alias is not None:
            await self.fleet.live(params.alias)
        aliases = [params.alias] if params.alias is not None else [one.alias for one in self.fleet.connected()]
        servers = [self._facts(alias) for alias in aliases]
        return Answer(
            kind="capabilities",
            document=capabilities_document(MATRIX, servers),
            view=lambda: capabilities_view(MATRIX, servers),
        )

    def _facts(self, alias: str) -> ServerCapabilityFacts:
        supervisor = self.fleet.supervisor(alias)
        live = supervisor.live if supervisor is not None else None
        if live is None:
            return ServerCapabilityFacts(alias=alias, status=self.fleet.status(alias))
        identity = live.connection.identity
        return ServerCapabilityFacts(
            alias=alias,
            status=self.fleet.status(alias),
            era=identity.era,
            revision=identity.revision,
            declared=self.fleet.redactions.value(alias, identity.capabilities),
            told=live.connection.envelope.capabilities,
        )
