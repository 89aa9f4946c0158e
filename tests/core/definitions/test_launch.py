"""Launches: what references resolve to, what is missing, what must be redacted, what forces a reconnect."""

from __future__ import annotations

import random
from collections.abc import Mapping
from typing import Any, cast

import pytest

from mcp_host.core.definitions.launch import (
    ClientCredentialsLaunch,
    HttpLaunch,
    OauthLaunch,
    StdioLaunch,
    definition_fingerprint,
    identity,
    prepare_launch,
)
from mcp_host.core.definitions.parsing import parse_definition
from mcp_host.problems import Problem, ProblemError

FILE = "/home/me/mcp.toml"
ENVIRONMENT = {"HOME": "/home/me", "PATH": "/usr/bin", "API_TOKEN": "s3cr3t", "AWS_SECRET_ACCESS_KEY": "leak"}


def prepare(table: Mapping[str, object], environment: Mapping[str, str] = ENVIRONMENT) -> StdioLaunch | HttpLaunch:
    return prepare_launch("case", parse_definition(table), environment, file=FILE, line=3)


def prepare_stdio(table: Mapping[str, object], environment: Mapping[str, str] = ENVIRONMENT) -> StdioLaunch:
    launch = prepare(table, environment)
    assert isinstance(launch, StdioLaunch)
    return launch


def problem_of(table: Mapping[str, object], environment: Mapping[str, str] = ENVIRONMENT) -> Problem:
    with pytest.raises(ProblemError) as caught:
        prepare(table, environment)
    return caught.value.problem


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


def test_a_missing_reference_names_alias_field_variable_file_and_line() -> None:
    assert problem_of({"command": "x", "env": {"API_TOKEN": "${NOPE}"}}) == Problem(
        type="reference-missing",
        title='Server "case" is off: NOPE is not set',
        detail=f"{FILE}:3: servers.case.env.API_TOKEN refers to ${{NOPE}}, which is unset or empty in the environment",
        hint="Set NOPE and start the editor again, or write a fallback where it is no credential: `${NOPE:-fallback}`.",
        alias="case",
    )


def test_all_missing_references_are_told_at_once() -> None:
    problem = problem_of({"command": "${A}", "args": ["${B} ${C} ${HOME}"], "cwd": "${A}/x"})
    assert problem.title == 'Server "case" is off: A, B, C are not set'
    assert [line.split()[1:5:3] for line in problem.detail.splitlines()] == [
        ["servers.case.command", "${A},"],
        ["servers.case.args[0]", "${B},"],
        ["servers.case.args[0]", "${C},"],
        ["servers.case.cwd", "${A},"],
    ]


@pytest.mark.parametrize(
    "authorization",
    [
        {"type": "bearer", "token": "${EMPTY}"},
        {"type": "bearer", "token": "${UNSET:-}"},
        {"type": "oauth", "client_id": "c", "client_secret": "${EMPTY}"},
        {"type": "client-credentials", "client_id": "c", "client_secret": "${EMPTY}", "issuer": "https://as.test"},
    ],
)
def test_an_empty_credential_counts_as_missing(authorization: Mapping[str, str]) -> None:
    problem = problem_of({"url": "https://h", "authorization": authorization}, {"EMPTY": ""})
    assert problem.type == "reference-missing"


@pytest.mark.parametrize(
    ("table", "field"),
    [
        ({"command": "${BAD}"}, "command"),
        ({"command": "${RELATIVE}"}, "command"),
        ({"command": "${RELATIVE}/run"}, "command"),
        ({"command": "x", "cwd": "${RELATIVE}"}, "cwd"),
        ({"url": "${PLAIN}", "headers": {"X-Api-Key": "${RELATIVE}"}}, "url"),
        ({"url": "http://${RELATIVE}/", "authorization": {"type": "bearer", "token": "${RELATIVE}"}}, "url"),
        ({"url": "${BAD}"}, "url"),
        ({"url": "${USERINFO}"}, "url"),
        ({"url": "https://h", "headers": {"X-A": "${BROKEN}"}}, "headers.X-A"),
        ({"url": "https://h", "authorization": {"type": "bearer", "token": "${BROKEN}"}}, "authorization.token"),
    ],
)
def test_a_resolved_value_that_breaks_a_rule_is_refused_without_being_shown(
    table: Mapping[str, object], field: str
) -> None:
    environment = {
        "BAD": "s3cr3t --flag",
        "BROKEN": "s3cr3t\nX: y",
        "USERINFO": "https://u:s3cr3t@h/",
        "RELATIVE": "bin/s3cr3t",
        "PLAIN": "http://s3cr3t.test/mcp",
    }
    problem = problem_of(table, environment)
    assert problem.type == "definition-invalid"
    assert f"{FILE}:3: servers.case.{field} " in problem.detail
    assert "s3cr3t" not in problem.model_dump_json()


HARMLESS = ("HOME", "USER", "PATH", "LANG", "TZ", "PWD", "SHELL", "TERM", "LOGNAME", "TMPDIR", "LC_ALL", "EDITOR")


@pytest.mark.parametrize(
    ("args", "env", "secrets"),
    [
        (["${FMT}", "--x=${SHORT7}"], {"X": "${FMT}"}, set[str]()),  # ordinary words
        (["${LONG8}"], {}, {"12345678"}),
        (["${LONG8:-dddddddd} ${UNSET:-eeeeeeee} $${FMT}"], {}, {"12345678"}),
        (["${MY_TOKEN}"], {}, {"tokn"}),  # the variable names a secret
        ([], {"MY_TOKEN": "${FMT}"}, {"text"}),  # so does the key that it stands under
        ([], {"MY_TOKEN": "${TINY}"}, set[str]()),
        (["${TINY_PASSWORD}"], {}, set[str]()),
        (["".join(f"${{{name}}}" for name in HARMLESS)], {}, set[str]()),
    ],
)
def test_secrets_are_the_values_that_are_named_so_and_the_long_ones(
    args: list[str], env: dict[str, str], secrets: set[str]
) -> None:
    environment = {
        **dict.fromkeys(HARMLESS, "/an/ordinary/value"),
        "FMT": "text",
        "SHORT7": "content",
        "LONG8": "12345678",
        "MY_TOKEN": "tokn",
        "TINY": "abc",
        "TINY_PASSWORD": "abc",
    }
    assert prepare({"command": "x", "args": args, "env": env}, environment).secrets == secrets


def test_a_value_in_a_credential_field_or_a_secret_header_is_a_secret() -> None:
    bearer = {"url": "https://h", "authorization": {"type": "bearer", "token": "${X}"}}
    headers = {"url": "https://h", "headers": {"X-Api-Key": "${X}", "X-Format": "${Y}"}}
    for table in (bearer, headers):
        assert prepare(table, {"X": "text", "Y": "json"}).secrets == {"text"}


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
