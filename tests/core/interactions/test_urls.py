"""An address is cut where browsers cut it, and what could mislead somebody about it is said."""

from __future__ import annotations

import pytest

from mcp_host.core.interactions.urls import OPENABLE_LENGTH, read_url


@pytest.mark.parametrize(
    ("url", "host"),
    [
        ("https://mcp.example.com/ui/set_api_key", "mcp.example.com"),
        ("HTTPS://Example.COM", "Example.COM"),
        ("https://example.com:8443/?a=b#c", "example.com"),
        ("https://example.com?x=/@y", "example.com"),
        ("https://good.com@evil.com/", "evil.com"),
        ("https://a@b@evil.com/good.com", "evil.com"),
        ("https://user:pa:ss@evil.com:1/", "evil.com"),
        ("https://[::1]:8080/x", "[::1]"),
        ("https://xn--pple-43d.com/", "xn--pple-43d.com"),
        ("https://", ""),
        ("https:/evil.com", ""),
        ("javascript:alert(1)//https://good.com", ""),
        ("", ""),
    ],
)
def test_the_host_is_what_a_browser_would_go_to(url: str, host: str) -> None:
    facts = read_url(url)
    assert facts.host == host
    assert facts.before + facts.host + facts.after == facts.url == url


@pytest.mark.parametrize("url", ["https://example.com", "http://localhost:1234/cb", "https://example.com/%2e%2e?a=(b)"])
def test_an_http_address_may_be_opened(url: str) -> None:
    assert read_url(url).can_open


@pytest.mark.behaviour("url.only-http")
@pytest.mark.parametrize(
    "url",
    [
        "javascript:alert(1)",
        "file:///etc/passwd",
        "vscode://x/y",
        "data:text/html,x",
        "mailto:a@b.c",
        "ftp://example.com/",
        "//example.com",
        "example.com",
        "https",
        "",
        "-flag",
    ],
)
def test_anything_but_http_is_not_offered_for_opening(url: str) -> None:
    facts = read_url(url)
    assert not facts.can_open
    assert "is no http or https address, so it is not opened from here" in facts.cautions


@pytest.mark.parametrize(
    "url",
    [
        "https:example.com",
        "https:///x",
        "https://",
        "https://good.com\\@evil.com/",
        "https://exa mple.com/",
        "https://example.com/a b",
        "https://example.com/\n",
        "https://example.com/\x00",
        "https://example.com/\u200b",
        "https://example.com/\u202egpj",
        "https://example.com/`id`",
        'https://example.com/"',
        "https://example.com/\ud800",
        "https://exam%70le.com/",
        "https://example.com:port/",
        "https://[::1/",
        " https://example.com",
    ],
)
def test_an_address_that_two_readers_could_read_in_two_ways_is_not_opened(url: str) -> None:
    facts = read_url(url)
    assert not facts.can_open
    assert any(caution.endswith("so it is not opened from here") for caution in facts.cautions)


@pytest.mark.behaviour("url.suspicious-told")
@pytest.mark.parametrize(
    ("url", "caution"),
    [
        ("https://good.com@evil.com/", "it leads to evil.com, whatever stands before the @"),
        ("https://ex\u0430mple.com/", "letters that may look like others"),
        ("https://xn--pple-43d.com/", "Punycode, which browsers show as \u0430pple.com"),
        ("https://192.0.2.1/", "names its host by a number"),
        ("https://0x7f.1/", "names its host by a number"),
        ("https://[2001:db8::1]/", "names its host by a number"),
        ("http://127.0.0.1:80/", "leads to a program on this machine"),
        ("http://localhost/", "leads to a program on this machine"),
        ("https://[::1]/", "leads to a program on this machine"),
        ("http://example.com/", "is not encrypted"),
    ],
)
def test_what_should_give_pause_is_said(url: str, caution: str) -> None:
    assert any(caution in told for told in read_url(url).cautions)


@pytest.mark.parametrize("url", ["https://example.com/", "https://sub.example.co.uk:443/a?b#c"])
def test_an_ordinary_address_gives_no_pause(url: str) -> None:
    assert read_url(url).cautions == ()


@pytest.mark.parametrize(
    "url", ["https://xn--" + "a" * 100_000, "https://" + "@" * 100_000, "https://" + "1." * 50_000, "xn--:" * 50_000]
)
def test_an_address_of_any_length_is_read(url: str) -> None:
    facts = read_url(url)
    assert facts.before + facts.host + facts.after == url


def test_an_address_that_is_too_long_is_not_opened_but_told_of_as_any_other() -> None:
    url = "http://good.com@evil.com/".ljust(OPENABLE_LENGTH, "x")
    assert read_url(url).can_open
    facts = read_url(url + "x")
    assert (facts.host, facts.can_open) == ("evil.com", False)
    assert facts.cautions == (
        "has 8,001 characters, which is too long, so it is not opened from here",
        *read_url(url).cautions,
    )


def test_a_host_that_no_name_is_long_enough_for_is_none() -> None:
    longest = "a." * 126 + "a"
    assert read_url(f"https://{longest}/").host == longest
    facts = read_url(f"https://{longest}b/")
    assert (facts.host, facts.can_open) == ("", False)
    assert facts.cautions == ("names no host that there could be, so it is not opened from here",)


def test_punycode_that_is_none_is_shown_as_it_came() -> None:
    (caution,) = read_url("https://xn--\u00e9.com/").cautions[1:] or read_url("https://xn---.com/").cautions
    assert "xn--" in caution


@pytest.mark.parametrize("url", ["[redacted]/oauth/start", "https://a.example/?token=[redacted]"])
def test_an_address_of_which_a_part_is_hidden_is_not_opened_and_says_why(url: str) -> None:
    facts = read_url(url)
    assert not facts.can_open
    assert any("told in confidence, shown as [redacted]" in words for words in facts.cautions)
