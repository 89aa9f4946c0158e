"""What a sound definition holds."""

from __future__ import annotations

from collections.abc import Mapping

import pytest
from pydantic import TypeAdapter, ValidationError

from mcp_host.core.definitions.models import (
    BearerAuthorization,
    ClientCredentialsAuthorization,
    Definition,
    HttpDefinition,
    OauthAuthorization,
    Pair,
    Reconnect,
    StdioDefinition,
    is_alias,
)
from mcp_host.core.definitions.parsing import parse_definition
from tests.core.definitions.faulty import LITERAL


def test_a_command_alone_is_a_stdio_definition_with_every_default() -> None:
    assert parse_definition({"command": "server"}) == StdioDefinition(
        transport="stdio",
        command="server",
        args=(),
        cwd=None,
        env={},
        tools=None,
        read=(),
        summary=None,
        tool_summaries={},
        enabled=True,
        autostart=False,
        connect_timeout_seconds=30,
        request_timeout_seconds=60,
        always_listed=(),
        reconnect=Reconnect(enabled=True, initial_delay_seconds=0.5, max_delay_seconds=30, max_attempts=10),
        pairs=(),
    )


def test_a_url_alone_is_an_http_definition() -> None:
    assert parse_definition({"url": "https://example.test/mcp"}) == HttpDefinition(
        transport="http", url="https://example.test/mcp", headers={}, authorization=None
    )


def test_every_field_of_the_design_is_read() -> None:
    definition = parse_definition(
        {
            "command": "mcp-server-time",
            "args": ["--local-timezone", "${TZ:-UTC}"],
            "cwd": "${HOME}/work",
            "env": {"TOKEN": "${TIME_TOKEN}"},
            "tools": ["get_current_time", "convert_time"],
            "read": ["get_current_time"],
            "summary": "Clock and time zones",
            "tool_summaries": {"convert_time": "Convert a time between zones"},
            "enabled": True,
            "autostart": False,
            "connect_timeout_seconds": 30,
            "request_timeout_seconds": 60,
            "always_listed": ["convert_time"],
            "reconnect": {"enabled": True, "initial_delay_seconds": 0.5, "max_delay_seconds": 30, "max_attempts": 10},
            "pairs": [{"preview": "delete_preview", "execute": "delete_execute", "receipt": "receipt"}],
        }
    )
    assert definition == StdioDefinition(
        command="mcp-server-time",
        args=("--local-timezone", "${TZ:-UTC}"),
        cwd="${HOME}/work",
        env={"TOKEN": "${TIME_TOKEN}"},
        tools=("get_current_time", "convert_time"),
        read=("get_current_time",),
        summary="Clock and time zones",
        tool_summaries={"convert_time": "Convert a time between zones"},
        always_listed=("convert_time",),
        pairs=(Pair(preview="delete_preview", execute="delete_execute", receipt="receipt"),),
    )


@pytest.mark.parametrize(
    ("table", "authorization"),
    [
        ({"type": "bearer", "token": "${T}"}, BearerAuthorization(type="bearer", token="${T}")),
        ({"type": "oauth"}, OauthAuthorization(type="oauth")),
        (
            {"type": "oauth", "client_metadata_url": "https://x.test/c", "scope": "read"},
            OauthAuthorization(type="oauth", client_metadata_url="https://x.test/c", scope="read"),
        ),
        (
            {"type": "oauth", "client_id": "c", "client_secret": "${S}"},
            OauthAuthorization(type="oauth", client_id="c", client_secret="${S}"),
        ),
        (
            {"type": "client-credentials", "client_id": "c", "client_secret": "${S}", "issuer": "https://as.test"},
            ClientCredentialsAuthorization(
                type="client-credentials", client_id="c", client_secret="${S}", issuer="https://as.test"
            ),
        ),
    ],
)
def test_each_arm_of_authorization_is_read(table: Mapping[str, object], authorization: object) -> None:
    definition = parse_definition({"url": "https://example.test", "authorization": table})
    assert isinstance(definition, HttpDefinition)
    assert definition.authorization == authorization


def test_the_union_is_closed_over_its_explicit_transport() -> None:
    adapter: TypeAdapter[Definition] = TypeAdapter(Definition)
    for table in ({"command": "x"}, {"url": "http://x", "transport": "sse"}):
        definition = parse_definition(table)
        assert adapter.validate_python(definition.model_dump()) == definition
    with pytest.raises(ValidationError):
        adapter.validate_python({"transport": "websocket", "url": "ws://x"})


def test_a_definition_cannot_be_changed() -> None:
    with pytest.raises(ValidationError):
        parse_definition({"command": "x"}).enabled = False


def test_a_refused_value_is_not_in_the_models_own_error_either() -> None:
    with pytest.raises(ValidationError) as caught:
        StdioDefinition(command="x", env={"TOKEN": LITERAL})
    assert LITERAL not in str(caught.value)


@pytest.mark.parametrize("alias", ["a", "time", "a1-b", "a" * 32])
def test_an_alias_is_short_lower_case_and_plain(alias: str) -> None:
    assert is_alias(alias)


@pytest.mark.parametrize("alias", ["", "1a", "-a", "A", "a_b", "a b", "a.b", "a" * 33, "a\n", "é"])
def test_anything_else_is_no_alias(alias: str) -> None:
    assert not is_alias(alias)
