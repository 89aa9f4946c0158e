"""The stream pair over Streamable HTTP: the SDK's client, on an HTTP client of our own with the guard under it."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Mapping
from contextlib import asynccontextmanager

import httpx2
from mcp.client._transport import TransportStreams
from mcp.client.streamable_http import streamable_http_client

from mcp_host.protocol.transports.http_client import HttpLaunchable, http_client
from mcp_host.protocol.transports.http_guard import BODY_CAP_BYTES
from mcp_host.protocol.transports.streams import CheckingWriter, TrustingReader, UnreadAnswers


@asynccontextmanager
async def http_transport(
    launch: HttpLaunchable,
    *,
    connect_timeout: float,
    read_timeout: float,
    auth: httpx2.Auth | None = None,
    environment: Mapping[str, str] | None = None,
) -> AsyncGenerator[TransportStreams, None]:
    """Yields the stream pair. A fault of one request is an error answer to it, with a `WireFault` in its data.

    `read_timeout` bounds a silence while a request is answered; streams that may be silent for hours are not bound.
    `environment` is where proxies are looked up, the process's own by default.

    Raises:
        ProblemError: `server-unavailable`, when the environment names a proxy that cannot be used.
    """
    client = http_client(
        launch, connect_timeout=connect_timeout, read_timeout=read_timeout, auth=auth, environment=environment
    )
    unread = UnreadAnswers()
    async with (
        client,
        streamable_http_client(launch.url, http_client=client, max_sse_event_size=BODY_CAP_BYTES) as (read, write),
    ):
        yield TrustingReader(read, unread), CheckingWriter(write, unread)
