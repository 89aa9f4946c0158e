"""What is wrong with a server's table: every fault at once, by field and rule, without a value."""

from __future__ import annotations

from collections.abc import Mapping

import pytest

from mcp_host.core.definitions.parsing import parse_definition
from tests.core.definitions.faulty import faults_of, hint_of


def test_the_old_binding_is_asked_for_by_name() -> None:
    definition = parse_definition({"url": "https://example.test/sse", "transport": "sse"})
    assert definition.transport == "sse"


@pytest.mark.parametrize(
    ("table", "faults"),
    [
        ({}, {"": "has neither command nor url"}),
        ({"args": ["x"]}, {"": "has neither command nor url"}),
        ({"command": "x", "url": "http://h"}, {"url": "stands beside command: only one may be given"}),
        ({"comand": "x"}, {"comand": "is not a known key"}),
        ({"command": "x", "headers": {}}, {"headers": "is an option of servers with a url"}),
        ({"url": "http://h", "args": []}, {"args": "is an option of servers with a command"}),
        ({"command": "x", "transport": "sse"}, {"transport": "needs url, and command is given"}),
        ({"url": "http://h", "transport": "stdio"}, {"transport": "needs command, and url is given"}),
        ({"url": "http://h", "transport": "ws"}, {"transport": "is not one of stdio, http, sse"}),
        ({"command": "x", "transport": ["stdio"]}, {"transport": "is not one of stdio, http, sse"}),
        ({"command": "x", "args": "y"}, {"args": "must be an array, not a string"}),
        ({"command": "x", "args": ["y", 1]}, {"args[1]": "must be a string, not an integer"}),
        ({"command": "x", "env": ["KEY"]}, {"env": "must be a table, not an array"}),
        ({"command": "x", "env": {"A": 1.5}}, {"env.A": "must be a string, not a float"}),
        ({"command": "x", "env": {"a b=": "1"}}, {'env."a b="': "is not the name of an environment variable"}),
        ({"command": "x", "env": {"NVIM": "x"}}, {"env.NVIM": "is never given to a server"}),
        ({"command": "x", "args": ["a\0b"]}, {"args[0]": "holds a NUL character"}),
        ({"command": "x", "args": ["${env:A}"]}, {"args[0]": "holds a `${` that starts no reference"}),
        ({"command": "x", "enabled": "yes"}, {"enabled": "must be true or false, not a string"}),
        ({"command": "x", "autostart": 1}, {"autostart": "must be true or false, not an integer"}),
        ({"command": "x", "summary": True}, {"summary": "must be a string, not a boolean"}),
        ({"command": "x", "tools": [""]}, {"tools[0]": "must not be empty"}),
        (
            {"command": "x", "connect_timeout_seconds": "3"},
            {"connect_timeout_seconds": "must be a number, not a string"},
        ),
        (
            {"command": "x", "connect_timeout_seconds": True},
            {"connect_timeout_seconds": "must be a number, not a boolean"},
        ),
        ({"command": "x", "connect_timeout_seconds": 0}, {"connect_timeout_seconds": "must be more than 0"}),
        ({"command": "x", "request_timeout_seconds": -0.1}, {"request_timeout_seconds": "must be more than 0"}),
        ({"command": "x", "request_timeout_seconds": float("inf")}, {"request_timeout_seconds": "must be finite"}),
        ({"command": "x", "request_timeout_seconds": float("nan")}, {"request_timeout_seconds": "must be finite"}),
        ({"command": "x", "request_timeout_seconds": 10**400}, {"request_timeout_seconds": "is too large"}),
        ({"command": "x", "reconnect": True}, {"reconnect": "must be a table, not a boolean"}),
        ({"command": "x", "reconnect": {"max_attempts": -1}}, {"reconnect.max_attempts": "must not be negative"}),
        (
            {"command": "x", "reconnect": {"max_attempts": 1.5}},
            {"reconnect.max_attempts": "must be a whole number, not a float"},
        ),
        (
            {"command": "x", "reconnect": {"initial_delay_seconds": 60}},
            {"reconnect.initial_delay_seconds": "must not be longer than max_delay_seconds"},
        ),
        ({"command": "x", "reconnect": {"max_atempts": 1}}, {"reconnect.max_atempts": "is not a known key"}),
        ({"command": "x", "pairs": {"preview": "a"}}, {"pairs": "must be an array, not a table"}),
        ({"command": "x", "pairs": [{"preview": "a"}]}, {"pairs[0].execute": "is missing"}),
        (
            {"command": "x", "pairs": [{"preview": "a", "execute": "a"}]},
            {"pairs[0].execute": "must be another tool than preview"},
        ),
        (
            {"command": "x", "tools": ["a"], "read": ["a", "b"], "always_listed": ["c"]},
            {"read[1]": "names a tool that is not in tools", "always_listed[0]": "names a tool that is not in tools"},
        ),
    ],
)
def test_a_wrong_definition_is_refused_by_field_and_rule(table: Mapping[str, object], faults: dict[str, str]) -> None:
    assert faults_of(table) == faults


def test_read_may_name_any_tool_where_tools_is_absent_and_none_where_it_is_empty() -> None:
    assert parse_definition({"command": "x", "read": ["a"]}).read == ("a",)
    assert faults_of({"command": "x", "tools": [], "read": ["a"]}) == {"read[0]": "names a tool that is not in tools"}


@pytest.mark.parametrize(
    ("authorization", "faults"),
    [
        ("x", {"authorization": "must be a table, not a string"}),
        ({}, {"authorization": "has no known type"}),
        ({"type": "basic"}, {"authorization": "has no known type"}),
        ({"type": "bearer"}, {"authorization.token": "is missing"}),
        ({"type": "bearer", "token": 1}, {"authorization.token": "must be a string, not an integer"}),
        ({"type": "bearer", "token": "${A}", "tokn": 1}, {"authorization.tokn": "is not a known key"}),
        ({"type": "oauth", "token": "${A}"}, {"authorization.token": "is not a known key"}),
        ({"type": "oauth", "client_secret": "${A}"}, {"authorization.client_secret": "needs client_id"}),
        (
            {"type": "oauth", "client_metadata_url": "x"},
            {"authorization.client_metadata_url": "must start with http:// or https://"},
        ),
        (
            {"type": "client-credentials", "client_id": "c", "client_secret": "${S}"},
            {"authorization.issuer": "is missing"},
        ),
    ],
)
def test_a_wrong_authorization_is_refused(authorization: object, faults: dict[str, str]) -> None:
    assert faults_of({"url": "http://h", "authorization": authorization}) == faults


def test_an_unknown_key_gets_the_nearest_name() -> None:
    assert hint_of({"comand": "x"}) == "Did you mean `command`?"
    assert hint_of({"command": "x", "requestTimeoutSeconds": 1}) == "Did you mean `request_timeout_seconds`?"
    assert hint_of({"command": "x", "type": "stdio"}).startswith("Known here: ")


def test_all_faults_are_told_at_once() -> None:
    assert faults_of({"command": "a b", "arg": [], "cwd": 1, "url_": "x", "headers": {}}) == {
        "command": "must be one executable, not a command line (no shell reads it)",
        "arg": "is not a known key",
        "cwd": "must be a string, not an integer",
        "url_": "is not a known key",
        "headers": "is an option of servers with a url",
    }
