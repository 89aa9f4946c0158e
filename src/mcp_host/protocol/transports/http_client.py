"""The HTTP client under both HTTP bindings: its limits, its timeouts, its proxy, and the guard that it goes through."""

from __future__ import annotations

import os
import socket
from collections.abc import Mapping
from http.cookiejar import CookieJar, DefaultCookiePolicy
from typing import Final, Protocol

import httpx2

from mcp_host.protocol.transports.http_guard import HttpGuard
from mcp_host.protocol.transports.http_proxy import environment_proxy

CONNECTIONS: Final = 256
"""Requests at once to one server; httpx's own 100 would hold back the calls of a busy agent."""
KEPT_CONNECTIONS: Final = 8
_SOCKET_OPTIONS: Final = ((socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1),)
"""A silent event stream has no read timeout; a peer that vanished under it is noticed by the kernel."""


class HttpLaunchable(Protocol):
    """What connecting needs of a launch."""

    @property
    def url(self) -> str: ...
    @property
    def headers(self) -> Mapping[str, str]: ...


def http_client(
    launch: HttpLaunchable,
    *,
    connect_timeout: float,
    read_timeout: float,
    auth: httpx2.Auth | None,
    environment: Mapping[str, str] | None,
    posts_in_session: bool = False,
) -> httpx2.AsyncClient:
    """A client for this launch alone: its headers go with every request, and nobody else's cookies or passwords.

    Args:
        read_timeout: Bounds a silence while a request is answered; streams that may be silent for hours are not bound.
        environment: Where proxies are looked up; None for the process's own.
        posts_in_session: See `HttpGuard`.

    Raises:
        ProblemError: `server-unavailable`, when the environment names a proxy that cannot be used.
    """
    proxy = environment_proxy(launch.url, os.environ if environment is None else environment)
    limits = httpx2.Limits(max_connections=CONNECTIONS, max_keepalive_connections=KEPT_CONNECTIONS)
    network = httpx2.AsyncHTTPTransport(proxy=proxy, limits=limits, socket_options=_SOCKET_OPTIONS)
    return httpx2.AsyncClient(
        # Bytes: httpx2 would refuse a value beyond ASCII with an error that holds it.
        headers=[(name.encode(), value.encode()) for name, value in launch.headers.items()],
        timeout=httpx2.Timeout(connect=connect_timeout, pool=connect_timeout, read=read_timeout, write=read_timeout),
        transport=HttpGuard(network, posts_in_session=posts_in_session),
        auth=auth,
        cookies=CookieJar(DefaultCookiePolicy(allowed_domains=())),
        # No ~/.netrc and no proxies by httpx2's own rules, which do not spare loopback; certificates of the
        # environment (SSL_CERT_FILE) are honoured by the transport above all the same.
        trust_env=False,
    )
