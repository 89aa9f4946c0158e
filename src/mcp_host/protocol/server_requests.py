"""What a legacy server asks of us over its own JSON-RPC requests, and how it is answered.

The policy: only what was advertised is asked of anybody; everything else is refused. A modern server has no requests of
its own (it asks in its results), and the specification forbids to answer one that makes them all the same.
"""

from __future__ import annotations

import logging
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final

import anyio
from mcp.shared.dispatcher import DispatchContext
from mcp.shared.exceptions import MCPError
from mcp.shared.transport_context import TransportContext
from mcp_types import INTERNAL_ERROR, METHOD_NOT_FOUND

from mcp_host.core.interactions.requests import REQUEST_METHODS, Asked, InputRequest
from mcp_host.protocol.client_side import ClientSide, NotAnswered
from mcp_host.protocol.deadlines import Deadlines
from mcp_host.protocol.envelope import Envelope
from mcp_host.protocol.errors import log_fault
from mcp_host.protocol.offering import refusal_of
from mcp_host.protocol.running import NOT_ANSWERED, RunningRequests

logger = logging.getLogger(__name__)

OPEN_CAP: Final = 16
"""Requests of one server that are answered at the same time. A person answers one after the other, and a server that
asks for more at once wants something else."""
REFUSED: Final = -1
"""The specification's code for a person's no."""
_KEY: Final = "request"


@dataclass(kw_only=True)
class ServerRequests:
    """Those of one connection."""

    alias: str
    side: ClientSide
    running: RunningRequests
    deadlines: Deadlines
    envelope: Envelope | None = field(default=None, repr=False)
    """None until a revision was negotiated: nothing but a ping is answered before."""
    _open: int = 0
    _is_told: bool = False
    """The log says that a modern server sends requests."""

    async def answer(
        self, context: DispatchContext[TransportContext], method: str, params: Mapping[str, Any] | None
    ) -> dict[str, Any]:
        """The result of one request of the server's.

        Raises:
            MCPError: It is refused with this error.
        """
        envelope = self.envelope
        if envelope is not None and envelope.identity.era == "modern":
            if not self._is_told:
                self._is_told = True
                logger.warning("%s sends requests, which its revision forbids; they are not answered", self.alias)
            # The dispatcher writes no answer to a request that counts as cancelled, and this revision allows none.
            context.cancel_requested.set()
            raise MCPError(code=METHOD_NOT_FOUND, message="Method not found")
        if method == "ping":
            return {}
        if envelope is None or method not in REQUEST_METHODS:
            raise MCPError(code=METHOD_NOT_FOUND, message="Method not found")
        request = InputRequest(key=_KEY, method=method, params=params or {})
        refusal = refusal_of(request, envelope)
        if refusal is not None:
            raise MCPError(code=refusal.code, message=refusal.words)
        if self._open >= OPEN_CAP:
            raise MCPError(code=INTERNAL_ERROR, message=f"More than {OPEN_CAP} requests at once are not answered")
        self._open += 1
        try:
            return await self._respond(request)
        finally:
            self._open -= 1

    async def _respond(self, request: InputRequest) -> dict[str, Any]:
        only = self.running.only_one()
        asked = Asked(
            alias=self.alias,
            requests=(request,),
            doing=self.running.words(),
            tool=only.attempt.tool if only is not None else None,
            call=only.call if only is not None else None,
        )
        with anyio.CancelScope() as question, self.running.asking(question):
            try:
                with self.deadlines.standing_still():
                    answers = await self.side.respond(asked)
                return dict(answers[_KEY])
            except NotAnswered as refusal:
                if only is not None:
                    only.refusal = refusal
                raise MCPError(code=refusal.code, message=NOT_ANSWERED) from refusal
            except Exception as error:  # boundary: the dispatcher would write the exception's words to the server
                log_fault(error, f"while answering {self.alias}")
                raise MCPError(code=INTERNAL_ERROR, message="The client failed to answer") from None
        raise MCPError(code=REFUSED, message="The request that this was asked for has ended")
