"""URLs, headers and authorizations of servers that another client reaches."""

from __future__ import annotations

import pytest

from tests.core.importing.reading import CLAUDE_CODE, GEMINI, VS_CODE, needed, read_server

URL = "https://x.test/mcp"


@pytest.mark.parametrize(
    ("name", "value", "written", "names"),
    [
        ("Authorization", "Bearer abc", {"type": "bearer", "token": "${NOTES_TOKEN}"}, ["NOTES_TOKEN"]),
        ("authorization", "bearer ${T}", {"type": "bearer", "token": "${T}"}, []),
        ("Authorization", "Bearer ${T:-abc}", {"type": "bearer", "token": "${T}"}, ["T"]),
        ("Authorization", "Bearer pre${T}", {"type": "bearer", "token": "${NOTES_TOKEN}"}, ["NOTES_TOKEN"]),
        ("Authorization", "Basic abc", "Basic ${NOTES_TOKEN}", ["NOTES_TOKEN"]),
        ("Authorization", "abc", "${NOTES_TOKEN}", ["NOTES_TOKEN"]),
        ("Authorization", "${AUTH}", "${AUTH}", []),
        ("X-Api-Key", "abc", "${NOTES_API_KEY}", ["NOTES_API_KEY"]),
        ("X-Api-Key", "${KEY}", "${KEY}", []),
        ("Cookie", "a=b", "${NOTES_COOKIE}", ["NOTES_COOKIE"]),
        ("X-Note", "glpat-abcdef", "${NOTES_NOTE}", ["NOTES_NOTE"]),
        ("X-Team", "${env:TEAM}", "${TEAM}", []),
        ("X-Limit", 5, "5", []),
    ],
)
def test_a_header_holds_no_secret(name: str, value: object, written: object, names: list[str]) -> None:
    candidate = read_server({"url": URL, "headers": {name: value}})
    expected: object = {"headers": {name: written}} if isinstance(written, str) else {"authorization": written}
    assert {key: value for key, value in candidate.table.items() if key != "url"} == expected
    assert (needed(candidate), candidate.faults) == (names, ())


@pytest.mark.parametrize(
    ("url", "written", "names"),
    [
        ("https://x.test/mcp?api_key=abc&a=1", "https://x.test/mcp?api_key=${NOTES_API_KEY}&a=1", ["NOTES_API_KEY"]),
        ("https://x.test/mcp?token=${T}", "https://x.test/mcp?token=${T}", []),
        ("https://x.test/ghp_abcdef1/mcp", "https://x.test/${NOTES_TOKEN}/mcp", ["NOTES_TOKEN"]),
        ("https://${env:HOST}/mcp", "https://${HOST}/mcp", []),
    ],
)
def test_a_url_holds_no_secret(url: str, written: str, names: list[str]) -> None:
    candidate = read_server({"url": url})
    assert (candidate.table, needed(candidate), candidate.faults) == ({"url": written}, names, ())


def test_a_name_and_password_in_a_url_become_a_header() -> None:
    candidate = read_server({"type": "http", "url": "https://me:s3cret@x.test/mcp"})
    assert candidate.table == {"url": URL, "headers": {"Authorization": "Basic ${NOTES_CREDENTIALS}"}}
    assert [secret.line for secret in candidate.secrets] == [
        """export NOTES_CREDENTIALS="$(printf %s 'name:password' | base64)"  # both are in /w/.mcp.json:1"""
    ]
    assert candidate.notes == ("The name and password before the host became the header Authorization.",)


def test_a_secret_over_plain_http_is_a_fault() -> None:
    (fault,) = read_server({"url": "http://x.test/mcp", "headers": {"X-Api-Key": "abc"}}).faults
    assert fault.startswith("/w/.mcp.json:1: url must start with https://")


@pytest.mark.parametrize(
    ("file", "entry", "transport"),
    [
        (CLAUDE_CODE, {"type": "http", "url": URL}, None),
        (CLAUDE_CODE, {"type": "streamable-http", "url": URL}, None),
        (CLAUDE_CODE, {"type": "streamableHttp", "url": URL}, None),
        (CLAUDE_CODE, {"transport": "sse", "url": URL}, "sse"),
        (CLAUDE_CODE, {"url": "https://x.test/a/sse/"}, "sse"),
        (CLAUDE_CODE, {"url": "https://x.test/a/sse?x=1"}, "sse"),
        (CLAUDE_CODE, {"type": "http", "url": "https://x.test/a/sse"}, None),
        (GEMINI, {"httpUrl": "https://x.test/a/sse"}, None),
        (CLAUDE_CODE, {"type": "stdio", "command": "x"}, None),
        (GEMINI, {"url": URL}, "sse"),
        (GEMINI, {"url": URL, "type": "http"}, None),
        (GEMINI, {"url": "https://x.test/sse", "httpUrl": URL}, None),
    ],
)
def test_the_transport_is_written_where_the_target_does_not_say_it(
    file: str, entry: dict[str, str], transport: str | None
) -> None:
    candidate = read_server(entry, file)
    assert (candidate.table.get("transport"), candidate.faults) == (transport, ())


@pytest.mark.parametrize(
    ("entry", "faults"),
    [
        (
            {"type": "ws", "url": URL},
            ["type is ws, which this host cannot speak: stdio, http and sse it can."],
        ),
        (
            {"type": "ghp_abcdef1", "url": URL},
            ["type is (what looks like a secret), which this host cannot speak: stdio, http and sse it can."],
        ),
        (
            {"type": "http", "command": "x"},
            ["transport needs url, and command is given. Remove transport, or give url"],
        ),
        ({"type": "sse", "command": "x"}, ["transport needs url, and command is given. Remove transport, or give url"]),
        ({"url": 3}, ["url must be a string, not a number."]),
        ({"url": URL, "headers": ["a"]}, ["headers must be an object of strings, not an array."]),
        ({"url": URL, "headers": {"A": ["b"]}}, ["headers.A must be a string, not an array."]),
        ({"url": URL, "oauth": "yes"}, ["oauth must be an object, not a string."]),
        ({"url": "/mcp"}, ["url must start with http:// or https://. Write it as `https://host/path`."]),
    ],
)
def test_what_cannot_be_reached_is_a_fault(entry: dict[str, object], faults: list[str]) -> None:
    candidate = read_server(entry)
    assert len(candidate.faults) == len(faults)
    for fault, expected in zip(candidate.faults, faults, strict=True):
        assert fault.startswith(f"/w/.mcp.json:1: {expected}")


def test_an_oauth_client_is_taken_over_without_its_secret() -> None:
    oauth = {"clientId": "id", "clientSecret": "abc", "scopes": ["a", "b"], "redirectUri": "http://localhost"}
    candidate = read_server({"url": URL, "oauth": oauth})
    assert candidate.table["authorization"] == {
        "type": "oauth",
        "client_id": "id",
        "client_secret": "${NOTES_CLIENT_SECRET}",
        "scope": "a b",
    }
    assert (needed(candidate), candidate.faults) == (["NOTES_CLIENT_SECRET"], ())
    assert candidate.notes == ("`redirectUri` of the OAuth settings has no counterpart here, and was left out.",)


@pytest.mark.parametrize("oauth", [False, True, {"enabled": False, "clientId": "id"}])
def test_oauth_that_says_nothing_is_nothing(oauth: object) -> None:
    assert read_server({"url": URL, "oauth": oauth}).table == {"url": URL}


def test_a_token_goes_before_an_oauth_client() -> None:
    candidate = read_server({"url": URL, "headers": {"Authorization": "Bearer ${T}"}, "oauth": {"clientId": "id"}})
    assert candidate.table["authorization"] == {"type": "bearer", "token": "${T}"}
    assert candidate.notes == ("The OAuth settings were left out: a token is given, and only one of the two can be.",)


def test_an_oauth_client_goes_before_another_authorization_header() -> None:
    candidate = read_server({"url": URL, "headers": {"Authorization": "${AUTH}"}, "oauth": {"clientId": "id"}}, VS_CODE)
    assert candidate.table == {"url": URL, "authorization": {"type": "oauth", "client_id": "id"}}
    assert candidate.notes[-1] == "The header Authorization was left out: the authorization sets it."


def test_a_variable_of_what_was_left_out_is_not_needed() -> None:
    entry = {"url": URL, "headers": {"Authorization": "Basic abc"}, "oauth": {"clientId": "id"}}
    assert needed(read_server(entry)) == []
