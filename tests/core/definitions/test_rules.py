"""What a command, a URL, a header, a variable and a credential may be, and the words to write instead."""

from __future__ import annotations

from collections.abc import Mapping

import pytest

from mcp_host.core.definitions.models import HttpDefinition
from mcp_host.core.definitions.parsing import parse_definition
from tests.core.definitions.faulty import LITERAL, faults_of, hint_of


@pytest.mark.parametrize(
    "command",
    ["npx", "/opt/My Servers/run", "~/My Servers/run", "${HOME}/My Servers/run", "${BIN}", "${BIN:-a b}", "./run", "ü"],
)
def test_one_executable_is_a_command(command: str) -> None:
    assert parse_definition({"command": command}).transport == "stdio"


@pytest.mark.parametrize(
    "command", ["npx -y server", "${BIN} --flag", "./my run", " npx", "a\tb", f"x --token={LITERAL}"]
)
def test_a_command_line_is_refused(command: str) -> None:
    assert faults_of({"command": command}) == {
        "command": "must be one executable, not a command line (no shell reads it)"
    }
    assert "args" in hint_of({"command": command})


def test_a_command_that_is_a_list_is_refused_with_args() -> None:
    assert faults_of({"command": ["npx", "-y"]}) == {"command": "must be a string, not an array"}
    assert "args" in hint_of({"command": ["npx", "-y"]})


@pytest.mark.parametrize("command", ["", " "])
def test_an_empty_command_is_refused(command: str) -> None:
    assert faults_of({"command": command}) == {"command": "is empty"}


@pytest.mark.parametrize(
    "url",
    [
        *("http://h", "https://h:1/p?q=1", "HTTPS://h", "http://[::1]:80/mcp", "http://${HOST}:${PORT}/mcp"),
        *("${URL}", "${URL}/mcp", "${SCHEME}://h", "https://h/${A:-b c}"),
    ],
)
def test_a_url_is_http_with_a_host(url: str) -> None:
    assert parse_definition({"url": url}).transport == "http"


@pytest.mark.parametrize(
    ("url", "text"),
    [
        ("htp:/x", "must start with http:// or https://"),
        ("ftp://h", "must start with http:// or https://"),
        ("example.test/mcp", "must start with http:// or https://"),
        ("", "must start with http:// or https://"),
        ("http://", "names no host"),
        ("http:///mcp", "names no host"),
        ("https:h/mcp", "names no host"),
        ("http://h:x/", "is not a URL"),
        ("http://[h/", "is not a URL"),
        ("http://h h/", "holds a space or a control character"),
        ("http://h/\n", "holds a space or a control character"),
        (f"https://me:{LITERAL}@h/", "holds a user name or password before its host"),
        ("https://${USER}:${PASS}@h/", "holds a user name or password before its host"),
    ],
)
def test_any_other_url_is_refused(url: str, text: str) -> None:
    assert faults_of({"url": url}) == {"url": text}


@pytest.mark.parametrize(
    "token", [LITERAL, f"Bearer {LITERAL}", "Bearer ${A}", f"${{A:-{LITERAL}}}", "${A} ", "$${A}", ""]
)
def test_a_credential_that_is_not_one_whole_reference_is_refused(token: str) -> None:
    expected = "must be one whole reference, so that no credential stands in the file"
    assert faults_of({"url": "http://h", "authorization": {"type": "bearer", "token": token}}) == {
        "authorization.token": expected
    }
    assert faults_of(
        {"url": "http://h", "authorization": {"type": "oauth", "client_id": "c", "client_secret": token}}
    ) == {"authorization.client_secret": expected}


@pytest.mark.parametrize("key", ["API_TOKEN", "DB_PASSWORD", "OPENAI_API_KEY"])
def test_a_literal_under_a_variable_that_names_a_secret_is_refused_with_its_reference(key: str) -> None:
    table = {"command": "x", "env": {key: LITERAL, "LEVEL": "debug", "SSH_KEY_PATH": "~/.ssh/x", "EMPTY_TOKEN": ""}}
    assert faults_of(table) == {f"env.{key}": "names a secret, and a secret must not stand in the file as a literal"}
    assert f'"${{{key}}}"' in hint_of(table)


def test_every_literal_secret_is_found_at_once() -> None:
    assert set(faults_of({"command": "x", "env": {"A_TOKEN": LITERAL, "B_SECRET": f"x{LITERAL}"}})) == {
        "env.A_TOKEN",
        "env.B_SECRET",
    }


@pytest.mark.parametrize("value", [LITERAL, f"Bearer {LITERAL}", "Bearer ${A:-x}"])
@pytest.mark.parametrize("name", ["Authorization", "authorization"])
def test_a_literal_authorization_header_is_refused_with_the_field_to_use(name: str, value: str) -> None:
    table = {"url": "http://h", "headers": {name: value}}
    assert faults_of(table) == {f"headers.{name}": "must not stand in the file as a literal"}
    assert 'authorization = { type = "bearer", token = "${NAME}" }' in hint_of(table)


@pytest.mark.parametrize(
    ("headers", "faults"),
    [
        (
            {"X-Api-Key": LITERAL},
            {"headers.X-Api-Key": "names a secret, and a secret must not stand in the file as a literal"},
        ),
        ({"a b": "x"}, {'headers."a b"': "is not the name of a header"}),
        ({"X-A": "1", "x-a": "2"}, {"headers.x-a": "is given twice"}),
        ({"X-A": "1\r\nB: 2"}, {"headers.X-A": "holds a line break or a NUL"}),
    ],
)
def test_a_wrong_header_is_refused(headers: Mapping[str, str], faults: dict[str, str]) -> None:
    assert faults_of({"url": "http://h", "headers": headers}) == faults


def test_a_header_may_refer_to_its_secret() -> None:
    headers = {"Authorization": "Bearer ${A}", "X-Api-Key": "${B}", "X-Team": "core"}
    definition = parse_definition({"url": "http://h", "headers": headers})
    assert isinstance(definition, HttpDefinition)
    assert definition.headers == headers


@pytest.mark.parametrize("authorization", [{"type": "bearer", "token": "${T}"}, {"type": "oauth"}])
def test_authorization_beside_its_header_is_refused(authorization: Mapping[str, object]) -> None:
    table = {"url": "http://h", "headers": {"AUTHORIZATION": "${A}"}, "authorization": authorization}
    assert faults_of(table) == {"headers.AUTHORIZATION": "stands beside authorization, which sets it"}
