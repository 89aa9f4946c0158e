"""Which proxy of the environment a server is reached through: none for this machine itself."""

from __future__ import annotations

from collections.abc import Mapping
from ipaddress import ip_address
from typing import Final
from urllib.parse import urlsplit

from mcp_host.problems import Problem, ProblemError

_SCHEMES: Final = ("http", "https")
"""SOCKS would need a package that we do not depend on; going directly instead would not be what the user asked for."""


def environment_proxy(url: str, environment: Mapping[str, str]) -> str | None:
    """The proxy's URL by the usual variables (`https_proxy`, `all_proxy`, `no_proxy`); None to go directly.

    Loopback is always direct: a proxy would mean another machine by it, and would see the traffic.

    Raises:
        ProblemError: `server-unavailable`, when the proxy is of a kind that cannot be used.
    """
    parts = urlsplit(url)
    host = parts.hostname or ""
    if _is_loopback(host) or _is_excepted(host, parts.port, _variable("no_proxy", environment)):
        return None
    proxy = _variable(f"{parts.scheme}_proxy", environment) or _variable("all_proxy", environment)
    if not proxy:
        return None
    proxy = proxy if "://" in proxy else f"http://{proxy}"
    if urlsplit(proxy).scheme not in _SCHEMES:
        raise _unusable(urlsplit(proxy).scheme)
    return proxy


def _variable(name: str, environment: Mapping[str, str]) -> str:
    return environment.get(name) or environment.get(name.upper()) or ""


def _is_loopback(host: str) -> bool:
    if host == "localhost" or host.endswith(".localhost"):
        return True
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return False


def _is_excepted(host: str, port: int | None, exceptions: str) -> bool:
    for exception in exceptions.lower().split(","):
        name, _, of_port = exception.strip().lstrip("*").lstrip(".").partition(":")
        if exception.strip() == "*":
            return True
        if name and (not of_port or of_port == str(port)) and (host == name or host.endswith(f".{name}")):
            return True
    return False


def _unusable(scheme: str) -> ProblemError:
    # The URL itself may hold a password.
    return ProblemError(
        Problem(
            type="server-unavailable",
            title=f"The environment names a {scheme} proxy, which this host cannot use.",
            detail="Only http:// and https:// proxies are supported.",
            hint="Set an http:// proxy, or put the server's host into no_proxy.",
        )
    )
