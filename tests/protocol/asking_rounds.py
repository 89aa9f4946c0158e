"""What the tests of rounds share: a server that asks for a form."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import anyio

from tests.protocol.scripted import FORM, Peer

ASKS_FORM = {"who": {"method": "elicitation/create", "params": FORM}}


async def asks(peer: Peer, requests: Mapping[str, Any] | None = None, **more: Any) -> dict[str, Any]:
    """The call is answered with a question; what it was sent with."""
    request = await peer.request("tools/call")
    named = {} if requests is None else {"inputRequests": requests}
    await peer.answer(request, resultType="input_required", **named, **more)
    return request["params"]


def without_meta(params: Mapping[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in params.items() if name != "_meta"}


async def no_pause(_seconds: float) -> None:
    await anyio.lowlevel.checkpoint()
