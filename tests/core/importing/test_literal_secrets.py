"""Literal secrets in texts: found by their keys, by their shapes and in URLs, and what is none."""

from __future__ import annotations

import pytest

from mcp_host.core.importing.literal_secrets import (
    after_scheme,
    bare_reference,
    find_secrets,
    is_random,
    is_reference,
    secret_fallbacks,
    without_fallback,
)


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("ghp_abcdef123456", [("token", "ghp_abcdef123456")]),
        ("a github_pat_11AAAA_bb22 b", [("token", "github_pat_11AAAA_bb22")]),
        ("sk-proj-abcdef", [("token", "sk-proj-abcdef")]),
        ("sk-0123456789", [("token", "sk-0123456789")]),
        ("xoxb-12-34-abc", [("token", "xoxb-12-34-abc")]),
        ("AIzaSyA-12345", [("token", "AIzaSyA-12345")]),
        ("glpat-abc_123", [("token", "glpat-abc_123")]),
        ("AKIAIOSFODNN7EXAMPLE", [("token", "AKIAIOSFODNN7EXAMPLE")]),
        ("eyJhbGciOiJI.eyJzdWIiOiIx.sig", [("token", "eyJhbGciOiJI.eyJzdWIiOiIx.sig")]),
        ("-----BEGIN RSA PRIVATE KEY-----\nabc", [("token", "-----BEGIN RSA PRIVATE KEY-----\nabc")]),
        ("Bearer abcdefgh", [("token", "abcdefgh")]),
        ("Authorization: Basic dXNlcjpw", [("Authorization", "dXNlcjpw")]),
        ("--api-key=abc", [("api-key", "abc")]),
        ("API_KEY=xyz npx notes --token=${T}", [("API_KEY", "xyz")]),
        ('{"apiKey":"a b","n":1}', [("apiKey", "a b")]),
        (r"{\"token\":\"abc\"}", [("token", "abc")]),
        ("password: hunter2", [("password", "hunter2")]),
        ("cache:6379,password=abc,ssl=True", [("password", "abc")]),
        ("TOKEN=a$b${C}d", [("TOKEN", "a$b${C}d")]),
        ("postgresql://u:p@ss@h/db", [("password", "p@ss")]),
        ("https://x.test/mcp?api_key=abc&y=1&token=${T}", [("api_key", "abc")]),
        ("https://x.test/s/NTk4ZjQ5YzItMmQ3Ny00YzE1/mcp", [("token", "NTk4ZjQ5YzItMmQ3Ny00YzE1")]),
        ("token=sk-0123456789", [("token", "sk-0123456789")]),
    ],
)
def test_a_secret_is_found_with_what_it_is_called(text: str, found: list[tuple[str, str]]) -> None:
    assert [(span.key, text[span.start : span.end]) for span in find_secrets(text)] == found


@pytest.mark.parametrize(
    "text",
    [
        "",
        "@modelcontextprotocol/server-github@2025.4.8",
        "mcp-server-git",
        "sk-learn-server",
        "task-0123456789",
        "pk-postgres-15-server",
        "Authorization:${AUTH_HEADER}",
        "Authorization: Bearer $${TOKEN}",
        "--token=${TOKEN}",
        "postgresql://u:${PASSWORD}@h/db",
        "ssh://git@github.com/a",
        "git@github.com:a/b.git",
        "MAX_TOKENS=1000",
        "--require-password=true",
        "TOKEN=",
        "the key: read it first",
        "https://x.test/6ba7b810-9dad-11d1-80b4-00c04fd430c8/mcp",
        "/nix/store/long/path/without/any/Secret/In/it/2024",
        "MyVeryLongProjectNameForTesting2024Server",
        "my-long-kebab-case-name-with-15-words-in-it",
    ],
)
def test_what_is_no_secret_is_left_alone(text: str) -> None:
    assert find_secrets(text) == ()


@pytest.mark.parametrize(
    ("word", "answer"),
    [
        ("0123456789abcdef0123456789abcdef", True),
        ("aB3dE6gH9jK2mN5pQ8sT1vW4", True),
        ("q7w8e9r0t1y2u3i4o5p6a7s8d9f0g1h2", True),
        ("6ba7b810-9dad-11d1-80b4-00c04fd430c8", False),
        ("00000000000000000000000000000000", False),
        ("aB3dE6gH9", False),
        ("InternationalizationOfEverything2", False),
    ],
)
def test_a_random_word_is_told_by_how_it_changes(word: str, answer: bool) -> None:
    assert is_random(word) is answer


def test_a_reference_is_no_secret_and_a_fallback_may_be_one() -> None:
    assert [is_reference(text) for text in ("${A}", "$${A}", "${A:-}", "${A:-x}", "${A}x", "a")] == [
        *(True, True, True),
        *(False, False, False),
    ]
    assert bare_reference("${A:-x}") == "A"
    assert bare_reference("${A}") is bare_reference("x${A:-x}") is bare_reference("$${A:-x}") is None
    text = "${A:-ghp_abcdef} ${B:-x} $${C:-ghp_abcdef}"
    assert secret_fallbacks(text) == ("A",)
    assert without_fallback(text, "A") == "${A} ${B:-x} $${C:-ghp_abcdef}"


def test_a_scheme_is_no_part_of_the_credential() -> None:
    assert after_scheme("Bearer  abc") == ("Bearer  ", "abc")
    assert after_scheme("abc") == ("", "abc")


@pytest.mark.parametrize(
    "part", ["key=", "a=b", "token=a,", "a:", "://", "${", "eyJa-", "sk-", "re_aaaaaa", "'", '"', "a"]
)
def test_long_texts_are_searched_in_time_that_grows_with_them(part: str) -> None:
    text = part * 20_000  # what grows faster takes minutes here
    assert len(find_secrets(text)) <= len(text)
    assert secret_fallbacks(text) == ()
