"""Launches: what a process or a URL is given, what a definition refers to, what forces a reconnect."""

from __future__ import annotations

import random
from collections.abc import Mapping
from typing import Any, cast

import pytest

from mcp_host.core.definitions.launch import (
    ClientCredentialsLaunch,
    HttpLaunch,
    OauthLaunch,
    Reference,
    StdioLaunch,
    connection_fields,
    definition_fingerprint,
    definition_references,
    identity,
)
from mcp_host.core.definitions.parsing import parse_definition
from tests.core.definitions.launched import ENVIRONMENT, prepare, prepare_stdio, problem_of


def test_every_text_of_a_process_is_resolved() -> None:
    launch = prepare(
        {
            "command": "${HOME}/bin/server",
            "args": ["${API_TOKEN}", "$${KEEP} 100%$", "${TZ:-UTC}"],
            "cwd": "${HOME}/work",
            "env": {"API_TOKEN": "${API_TOKEN}", "OPT": "${NOPE:-dflt}", "EMPTY": ""},
        }
    )
    assert launch == StdioLaunch(
        command="/home/me/bin/server",
        args=("s3cr3t", "${KEEP} 100%$", "UTC"),
        cwd="/home/me/work",
        env={"HOME": "/home/me", "PATH": "/usr/bin", "API_TOKEN": "s3cr3t", "OPT": "dflt", "EMPTY": ""},
        secrets=frozenset({"s3cr3t"}),
    )


def test_a_process_gets_the_safe_base_and_nothing_else_of_the_editors_environment() -> None:
    environment = {
        **dict.fromkeys(("HOME", "LOGNAME", "SHELL", "TERM", "USER", "LANG", "LC_ALL", "LC_CTYPE"), "v"),
        "PATH": ":/usr/bin::.:bin:/bin:",
        "NVIM": "/run/nvim",
        "NVIM_LISTEN_ADDRESS": "/run/nvim",
        "OPENAI_API_KEY": "k",
        "TMPDIR": "() { :; }",
    }
    env = prepare_stdio({"command": "x", "env": {"HOME": "/other"}}, environment).env
    assert env == {
        **dict.fromkeys(("LOGNAME", "SHELL", "TERM", "USER", "LANG", "LC_ALL", "LC_CTYPE"), "v"),
        "PATH": "/usr/bin:/bin",
        "HOME": "/other",
    }


@pytest.mark.parametrize("path", ["", ".", "::", "bin:."])
def test_a_path_without_an_absolute_entry_is_not_handed_on(path: str) -> None:
    assert prepare_stdio({"command": "x"}, {"PATH": path}).env == {}


@pytest.mark.parametrize(
    ("written", "resolved"),
    [
        ("~", "/home/me"),
        ("~/x y", "/home/me/x y"),
        ("${HOME}/x", "/home/me/x"),
        ("/a/~/b", "/a/~/b"),
        ("${UNSET:-}", None),
    ],
)
def test_a_working_directory_may_start_at_home(written: str, resolved: str | None) -> None:
    assert prepare_stdio({"command": "x", "cwd": written}).cwd == resolved


def test_a_command_may_start_at_home() -> None:
    assert prepare_stdio({"command": "~/bin/x"}).command == "/home/me/bin/x"


def test_a_tilde_inside_a_variable_is_itself_and_so_no_absolute_path() -> None:
    problem = problem_of({"command": "x", "cwd": "${DIR}"}, {"DIR": "~/x", "HOME": "/h"})
    assert problem.type == "definition-invalid"
    assert "servers.case.cwd is a relative path" in problem.detail


def test_a_bearer_token_becomes_the_header() -> None:
    launch = prepare(
        {
            "url": "https://${HOST:-example.test}/mcp",
            "headers": {"X-Team": "${TEAM:-core}"},
            "authorization": {"type": "bearer", "token": "${API_TOKEN}"},
        }
    )
    assert launch == HttpLaunch(
        url="https://example.test/mcp",
        headers={"X-Team": "core", "Authorization": "Bearer s3cr3t"},
        secrets=frozenset({"s3cr3t"}),
    )


@pytest.mark.parametrize(
    ("given", "told"),
    [
        ("dXNlcjpwYXNzd29yZC0x", {"dXNlcjpwYXNzd29yZC0x", "user:password-1", "password-1"}),
        ("not base64 at all", {"not base64 at all"}),
    ],
)
def test_a_server_that_repeats_the_password_in_a_basic_header_shows_it_to_nobody(given: str, told: set[str]) -> None:
    headers = {"Authorization": "Basic ${CREDENTIALS}"}
    launch = prepare({"url": "https://h", "headers": headers}, {**ENVIRONMENT, "CREDENTIALS": given})
    assert launch.secrets == told


def test_the_other_arms_keep_their_resolved_client() -> None:
    secret = {"client_id": "c-${ID}", "client_secret": "${API_TOKEN}", "scope": "read"}
    oauth = prepare({"url": "https://h", "authorization": {"type": "oauth", **secret}}, {**ENVIRONMENT, "ID": "7"})
    assert oauth == HttpLaunch(
        url="https://h",
        headers={},
        authorization=OauthLaunch(client_id="c-7", client_secret="s3cr3t", client_metadata_url=None, scope="read"),
        secrets=frozenset({"s3cr3t"}),
    )
    machine = prepare(
        {
            "url": "https://h",
            "transport": "sse",
            "authorization": {"type": "client-credentials", "issuer": "https://as.test", **secret},
        },
        {**ENVIRONMENT, "ID": "7"},
    )
    assert machine == HttpLaunch(
        url="https://h",
        headers={},
        authorization=ClientCredentialsLaunch(
            client_id="c-7", client_secret="s3cr3t", issuer="https://as.test", scope="read"
        ),
        secrets=frozenset({"s3cr3t"}),
        transport="sse",
    )


def test_no_repr_shows_a_resolved_value() -> None:
    for table in (
        {"command": "${API_TOKEN}", "args": ["${API_TOKEN}"], "cwd": "/${API_TOKEN}", "env": {"A": "${API_TOKEN}"}},
        {"url": "https://${API_TOKEN}", "authorization": {"type": "bearer", "token": "${API_TOKEN}"}},
        {
            "url": "https://h",
            "headers": {"A": "${API_TOKEN}"},
            "authorization": {"type": "oauth", "client_id": "${API_TOKEN}", "client_secret": "${API_TOKEN}"},
        },
    ):
        assert "s3cr3t" not in repr(prepare(table))


def test_every_reference_of_a_process_is_listed_with_its_field() -> None:
    definition = parse_definition(
        {
            "command": "~/bin/${X}",
            "args": ["plain", "${A} ${B:-b} ${A:-a}", "$${NOT}"],
            "cwd": "${DIR:-/}",
            "env": {"TOKEN": "${TOKEN}", "odd key": "${A}", "token": "${B:-}"},
            "summary": "${NOT}",
            "tools": ["${NOT}"],
        }
    )
    assert definition_references(definition) == (
        Reference(field="command", name="HOME", has_fallback=False),
        Reference(field="command", name="X", has_fallback=False),
        Reference(field="args[1]", name="A", has_fallback=False),
        Reference(field="args[1]", name="B", has_fallback=True),
        Reference(field="cwd", name="DIR", has_fallback=True),
        Reference(field="env.TOKEN", name="TOKEN", has_fallback=False),
        Reference(field='env."odd key"', name="A", has_fallback=False),
        Reference(field="env.token", name="B", has_fallback=True),
    )


@pytest.mark.parametrize(
    ("authorization", "references"),
    [
        ({"type": "bearer", "token": "${T}"}, [("authorization.token", "T", False)]),
        ({"type": "bearer", "token": "${T:-}"}, [("authorization.token", "T", False)]),
        (
            {"type": "oauth", "client_id": "${I:-me}", "client_secret": "${S}", "client_metadata_url": "https://${H}/"},
            [
                ("authorization.client_id", "I", True),
                ("authorization.client_secret", "S", False),
                ("authorization.client_metadata_url", "H", False),
            ],
        ),
        (
            {
                "type": "client-credentials",
                "client_id": "i",
                "client_secret": "${S}",
                "issuer": "${U}",
                "scope": "${C}",
            },
            [
                ("authorization.client_secret", "S", False),
                ("authorization.issuer", "U", False),
                ("authorization.scope", "C", False),
            ],
        ),
    ],
)
def test_every_reference_of_a_url_is_listed_with_its_field(
    authorization: Mapping[str, object], references: list[tuple[str, str, bool]]
) -> None:
    table = {"url": "https://${HOST}/", "headers": {"X-Team": "${TEAM}"}, "authorization": authorization}
    found = definition_references(parse_definition(table))
    assert [(one.field, one.name, one.has_fallback) for one in found] == [
        ("url", "HOST", False),
        ("headers.X-Team", "TEAM", False),
        *references,
    ]


def test_the_listed_references_without_a_fallback_are_what_a_launch_misses() -> None:
    for seed in range(500):
        table = _table(random.Random(seed))
        definition = parse_definition(table)
        listed = [
            f"servers.case.{one.field} {one.name}" for one in definition_references(definition) if not one.has_fallback
        ]
        if not listed:
            prepare(table, {})
            continue
        told = [line.split() for line in problem_of(table, {}).detail.splitlines()]
        assert [f"{words[1]} {words[4].strip('${},')}" for words in told] == listed


STDIO: Mapping[str, object] = {"command": "x", "args": ["a", "b"], "cwd": "/w", "env": {"A": "1", "B": "${API_TOKEN}"}}
HTTP: Mapping[str, object] = {"url": "https://h", "headers": {"X-A": "1", "X-B": "2"}}
POLICY: Mapping[str, object] = {
    "summary": "s",
    "tool_summaries": {"a": "1", "b": "2"},
    "tools": ["a", "b"],
    "read": ["a"],
    "always_listed": ["b"],
    "pairs": [{"preview": "a", "execute": "b"}],
    "connect_timeout_seconds": 1,
    "request_timeout_seconds": 2,
    "autostart": True,
    "enabled": False,
    "reconnect": {"max_attempts": 1},
}
CHANGES: list[tuple[Mapping[str, object], Mapping[str, object]]] = [
    (STDIO, {"command": "y"}),
    (STDIO, {"args": ["b", "a"]}),
    (STDIO, {"args": ["a b"]}),
    (STDIO, {"cwd": "/v"}),
    (STDIO, {"env": {"A": "2", "B": "${API_TOKEN}"}}),
    (STDIO, {"env": {"A": "1", "C": "${API_TOKEN}"}}),
    (HTTP, {"url": "https://i"}),
    (HTTP, {"transport": "sse"}),
    (HTTP, {"headers": {"X-A": "2", "X-B": "1"}}),
    (HTTP, {"authorization": {"type": "bearer", "token": "${API_TOKEN}"}}),
    (HTTP, {"authorization": {"type": "oauth"}}),
    (HTTP, {"authorization": {"type": "oauth", "scope": "read"}}),
]


@pytest.mark.parametrize(("table", "change"), CHANGES)
def test_a_change_of_a_connection_field_changes_identity_and_fingerprint(
    table: Mapping[str, object], change: Mapping[str, object]
) -> None:
    changed = {**table, **change}
    assert identity(prepare(table)) != identity(prepare(changed))
    assert definition_fingerprint(parse_definition(table)) != definition_fingerprint(parse_definition(changed))


@pytest.mark.parametrize(("table", "change"), CHANGES)
def test_a_change_of_a_connection_field_shows_in_the_connection_fields(
    table: Mapping[str, object], change: Mapping[str, object]
) -> None:
    assert connection_fields(parse_definition(table)) != connection_fields(parse_definition({**table, **change}))


def test_the_connection_fields_hold_nothing_resolved_and_no_label_or_policy() -> None:
    assert connection_fields(parse_definition({**STDIO, **POLICY})) == {
        **STDIO,
        "args": ("a", "b"),
        "transport": "stdio",
    }
    table = {"url": "https://h", "headers": {"X-A": "${A}"}, "authorization": {"type": "bearer", "token": "${T}"}}
    assert connection_fields(parse_definition({**table, **POLICY})) == {
        **table,
        "headers": {"x-a": "${A}"},
        "transport": "http",
    }


@pytest.mark.parametrize("table", [STDIO, HTTP])
def test_labels_policy_and_patience_keep_the_connection_but_not_the_fingerprint(table: Mapping[str, object]) -> None:
    for field in POLICY:
        chosen = {"tools": POLICY["tools"]} if field in {"read", "always_listed"} else {}
        changed = {**table, **chosen, field: POLICY[field]}
        assert identity(prepare(table)) == identity(prepare(changed)), field
        assert definition_fingerprint(parse_definition(table)) != definition_fingerprint(parse_definition(changed)), (
            field
        )


def test_a_changed_variable_changes_the_identity_and_not_the_fingerprint() -> None:
    assert identity(prepare(STDIO)) != identity(prepare(STDIO, {**ENVIRONMENT, "API_TOKEN": "rotated"}))
    assert identity(prepare(STDIO)) == identity(prepare(STDIO, {**ENVIRONMENT, "UNRELATED": "1"}))


def test_the_spelling_of_a_headers_name_is_no_change() -> None:
    assert identity(prepare(HTTP)) == identity(prepare({"url": "https://h", "headers": {"x-b": "2", "x-a": "1"}}))


def test_a_default_that_is_written_out_is_no_change() -> None:
    written: dict[str, object] = {
        **STDIO,
        "enabled": True,
        "transport": "stdio",
        "connect_timeout_seconds": 30,
        "reconnect": {},
    }
    assert definition_fingerprint(parse_definition(STDIO)) == definition_fingerprint(parse_definition(written))


def test_the_order_of_maps_means_nothing_for_any_definition() -> None:
    for seed in range(500):
        chance = random.Random(seed)
        table = _table(chance)
        shuffled = _shuffled(table, chance)
        first, second = parse_definition(table), parse_definition(shuffled)
        assert definition_fingerprint(first) == definition_fingerprint(second)
        assert identity(prepare(table)) == identity(prepare(shuffled))


def test_different_definitions_have_different_fingerprints() -> None:
    tables = [_table(random.Random(seed)) for seed in range(500)]
    distinct = {repr(parse_definition(_sorted(table))) for table in tables}
    assert len({definition_fingerprint(parse_definition(table)) for table in tables}) == len(distinct)
    assert len({identity(prepare(table)) for table in tables}) > 400


def test_text_that_is_no_unicode_has_a_fingerprint() -> None:
    launch = prepare({"command": "x", "args": ["${ODD}"]}, {"ODD": "a\udcff"})
    assert len(identity(launch)) == len(definition_fingerprint(parse_definition({"command": "x\udcff"}))) == 64


def _table(chance: random.Random) -> dict[str, Any]:
    texts = ["", "a", "b", "é\n", "$${", "${API_TOKEN}", "${HOME}/x", "${N:-d}", '"', "100%"]
    names = ["A", "B", "X-C", "D_D", "e"]

    def some() -> dict[str, str]:
        return {name: chance.choice(texts) for name in chance.sample(names, chance.randrange(len(names)))}

    policy = {name: POLICY[name] for name in chance.sample(list(POLICY), chance.randrange(4)) if name not in {"tools"}}
    if chance.random() < 0.5:
        return {"command": chance.choice("xyz"), "args": chance.choices(texts, k=3), "env": some(), **policy}
    headers = {name: value.replace("\n", "") for name, value in some().items()}
    return {"url": f"https://h{chance.randrange(100)}", "headers": headers, **policy}


def _shuffled(value: Any, chance: random.Random) -> Any:
    if not isinstance(value, dict):
        return value
    items = list(cast("dict[str, Any]", value).items())
    chance.shuffle(items)
    return {key: _shuffled(inner, chance) for key, inner in items}


def _sorted(value: Any) -> Any:
    if not isinstance(value, dict):
        return value
    return {key: _sorted(inner) for key, inner in sorted(cast("dict[str, Any]", value).items())}
