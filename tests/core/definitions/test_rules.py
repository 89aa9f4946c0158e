"""What a command, a URL, a header, a variable and a credential may be, and the words to write instead."""

from __future__ import annotations

from collections.abc import Mapping

import pytest

from mcp_host.core.definitions.models import HttpDefinition
from mcp_host.core.definitions.parsing import parse_definition
from tests.core.definitions.faulty import LITERAL, faults_of, hint_of


@pytest.mark.parametrize(
    "command",
    [
        "npx",
        "/opt/My Servers/run",
        "~/My Servers/run",
        "${HOME}/My Servers/run",
        "${BIN}",
        "${BIN:-a b}",
        "${BIN}/run",
        "ü",
        "/opt/My App - Beta/run",
    ],
)
def test_one_executable_is_a_command(command: str) -> None:
    assert parse_definition({"command": command}).transport == "stdio"


@pytest.mark.parametrize(
    "command",
    [
        "npx -y server",
        "${BIN} --flag",
        "./my run",
        "~other/my run",
        " npx",
        "a\tb",
        f"x --token={LITERAL}",
        "/bin/x -m y",
    ],
)
def test_a_command_line_is_refused(command: str) -> None:
    assert faults_of({"command": command}) == {
        "command": "must be one executable, not a command line (no shell reads it)"
    }
    assert "args" in hint_of({"command": command})


@pytest.mark.parametrize("command", ["bin/tool", "./x", "../x", "~other/x", "x${A}/y", "x/${A}"])
def test_a_command_that_is_a_relative_path_is_refused(command: str) -> None:
    assert faults_of({"command": command}) == {
        "command": "is a relative path, which would run whatever the editor's folder holds"
    }
    assert "whole path" in hint_of({"command": command})


@pytest.mark.parametrize("cwd", ["/w", "~", "~/w", "${HOME}/w", "${DIR}", "${DIR}w", ""])
def test_a_working_directory_is_absolute(cwd: str) -> None:
    assert parse_definition({"command": "x", "cwd": cwd}).transport == "stdio"


@pytest.mark.parametrize("cwd", [".", "w", "./w", "~other/w", "w/${A}", " /w"])
def test_a_relative_working_directory_is_refused(cwd: str) -> None:
    assert faults_of({"command": "x", "cwd": cwd}) == {
        "cwd": "is a relative path, which depends on the folder that the editor was started in"
    }
    assert "whole path" in hint_of({"command": "x", "cwd": cwd})


@pytest.mark.parametrize("name", ["NVIM", "NVIM_LISTEN_ADDRESS"])
def test_a_reference_to_the_editors_own_address_is_refused_wherever_it_stands(name: str) -> None:
    reference = f"${{{name}}}"
    text = f"refers to {name}, the editor's own address, which is never given to a server"
    assert faults_of(
        {"command": reference, "args": [f"--server=${{{name}:-x}}"], "cwd": f"/{reference}", "env": {"ADDR": reference}}
    ) == {"command": text, "args[0]": text, "cwd": text, "env.ADDR": text}
    assert faults_of(
        {"url": f"https://h/{reference}", "headers": {"X-A": reference}, "authorization": {"type": "oauth"}}
    ) == {"url": text, "headers.X-A": text}
    assert faults_of({"url": "https://h", "authorization": {"type": "bearer", "token": reference}}) == {
        "authorization.token": text
    }
    assert parse_definition({"command": "x", "args": [f"$${{{name}}}", f"${{MY_{name}}}"]}).transport == "stdio"


_SECRETS: list[Mapping[str, object]] = [
    {"authorization": {"type": "bearer", "token": "${T}"}},
    {"authorization": {"type": "oauth"}},
    {
        "authorization": {
            "type": "client-credentials",
            "client_id": "c",
            "client_secret": "${S}",
            "issuer": "https://as.test",
        }
    },
    {"headers": {"Authorization": "Bearer ${T}"}},
    {"headers": {"X-Api-Key": "${T}"}},
]


@pytest.mark.parametrize("secret", _SECRETS)
@pytest.mark.parametrize("url", ["http://h/mcp", "HTTP://10.0.0.1:80/", "http://localhost.test/", "http://[::2]/${A}"])
def test_a_secret_is_not_sent_to_another_machine_in_the_clear(secret: Mapping[str, object], url: str) -> None:
    ((field, text),) = faults_of({"url": url, **secret}).items()
    assert field == "url"
    assert text.startswith("must start with https://: over http:// anybody on the way could read ")
    assert "https://host/path" in hint_of({"url": url, **secret})


@pytest.mark.parametrize("secret", _SECRETS)
@pytest.mark.parametrize(
    "url",
    [
        *("https://h", "http://localhost:1/", "http://LOCALHOST/", "http://127.0.0.1/", "http://127.9.8.7/"),
        *("http://[::1]:8/mcp", "http://${HOST}/", "${URL}", "${SCHEME}://h/"),
    ],
)
def test_a_secret_may_be_sent_encrypted_or_on_this_machine(secret: Mapping[str, object], url: str) -> None:
    assert parse_definition({"url": url, **secret}).transport == "http"


def test_a_plain_address_without_a_secret_is_fine() -> None:
    assert parse_definition({"url": "http://h", "headers": {"X-Team": "core", "X-Api-Key": ""}}).transport == "http"


def test_a_clients_secret_is_not_sent_to_its_issuer_in_the_clear() -> None:
    secret = {"type": "client-credentials", "client_id": "c", "client_secret": "${S}", "issuer": "http://as.test"}
    assert faults_of({"url": "https://h", "authorization": secret}) == {
        "authorization.issuer": ("must start with https://: over http:// anybody on the way could read client_secret")
    }


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
    assert faults_of({"url": "https://h", "authorization": {"type": "bearer", "token": token}}) == {
        "authorization.token": expected
    }
    assert faults_of(
        {"url": "https://h", "authorization": {"type": "oauth", "client_id": "c", "client_secret": token}}
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
    assert faults_of({"url": "https://h", "headers": headers}) == faults


def test_a_header_may_refer_to_its_secret() -> None:
    headers = {"Authorization": "Bearer ${A}", "X-Api-Key": "${B}", "X-Team": "core"}
    definition = parse_definition({"url": "https://h", "headers": headers})
    assert isinstance(definition, HttpDefinition)
    assert definition.headers == headers


@pytest.mark.parametrize("authorization", [{"type": "bearer", "token": "${T}"}, {"type": "oauth"}])
def test_authorization_beside_its_header_is_refused(authorization: Mapping[str, object]) -> None:
    table = {"url": "https://h", "headers": {"AUTHORIZATION": "${A}"}, "authorization": authorization}
    assert faults_of(table) == {"headers.AUTHORIZATION": "stands beside authorization, which sets it"}
