"""Which proxy a server is reached through."""

from __future__ import annotations

import pytest

from mcp_host.problems import ProblemError
from mcp_host.protocol.transports.http_proxy import environment_proxy

PROXIES = {"HTTPS_PROXY": "http://proxy:3128", "http_proxy": "proxy:8080"}


@pytest.mark.parametrize(
    ("url", "proxy"),
    [
        ("https://example.test/mcp", "http://proxy:3128"),
        ("http://example.test/mcp", "http://proxy:8080"),
        ("http://localhost:1/mcp", None),
        ("http://127.0.0.2:1/mcp", None),
        ("http://[::1]:1/mcp", None),
    ],
)
def test_the_environment_names_the_proxy_but_never_for_loopback(url: str, proxy: str | None) -> None:
    assert environment_proxy(url, PROXIES) == proxy


@pytest.mark.parametrize("exceptions", ["*", "a.test, example.test", ".test", "*.example.test", "mcp.example.test:443"])
def test_an_excepted_host_is_reached_directly(exceptions: str) -> None:
    assert environment_proxy("https://mcp.example.test:443/", {**PROXIES, "no_proxy": exceptions}) is None


@pytest.mark.parametrize("exceptions", ["", "ample.test", "example.test:80", "sub.mcp.example.test"])
def test_other_hosts_are_not_excepted(exceptions: str) -> None:
    assert environment_proxy("https://mcp.example.test:443/", {**PROXIES, "no_proxy": exceptions}) is not None


def test_a_proxy_of_a_kind_that_cannot_be_used_is_refused_without_its_password() -> None:
    with pytest.raises(ProblemError) as refusal:
        environment_proxy("https://example.test/", {"all_proxy": "socks5://me:s3cret@proxy"})
    assert refusal.value.problem.type == "server-unavailable"
    assert "s3cret" not in refusal.value.problem.model_dump_json()
