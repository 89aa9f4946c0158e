"""References resolved: what is missing, what a person feeds, what must be redacted, which values are refused."""

from __future__ import annotations

from collections.abc import Mapping

import pytest

from mcp_host.core.definitions.launch import HttpLaunch, StdioLaunch, identity, prepare_launch
from mcp_host.core.definitions.parsing import parse_definition
from mcp_host.problems import Problem, ProblemError
from tests.core.definitions.launched import FILE, prepare, problem_of


def test_a_missing_reference_names_alias_field_variable_file_and_line() -> None:
    assert problem_of({"command": "x", "env": {"API_TOKEN": "${NOPE}"}}) == Problem(
        type="reference-missing",
        title='Server "case" is off: NOPE is not set',
        detail=f"{FILE}:3: servers.case.env.API_TOKEN refers to ${{NOPE}}, which is unset or empty in the environment",
        hint="Set NOPE and start the editor again, or hand it over with `setup{ resolve = … }`.",
        alias="case",
    )


def test_a_fallback_is_advised_only_where_one_may_stand() -> None:
    hint = problem_of({"command": "x", "env": {"ZONE": "${NOPE}"}}).hint
    assert hint.endswith(", or write a fallback: `${NOPE:-fallback}`.")
    assert "fallback" not in problem_of({"command": "x", "env": {"ZONE": "${ZONE_TOKEN}"}}).hint


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


def test_what_a_person_feeds_stands_for_what_the_environment_lacks() -> None:
    table = {
        "command": "x",
        "args": ["${SET}", "${EMPTY}", "${UNSET}", "${EMPTY:-no}", "${UNSET:-no}", "${NEITHER:-yes}"],
    }
    fed = {"SET": "fed-1", "EMPTY": "fed-2", "UNSET": "fed-3", "NEITHER": ""}
    launch = prepare(table, {"SET": "set", "EMPTY": ""}, fed=fed)
    assert isinstance(launch, StdioLaunch)
    assert launch.args == ("set", "fed-2", "fed-3", "fed-2", "fed-3", "yes")


def test_all_that_was_fed_is_secret_unless_it_is_too_short_to_be_redacted() -> None:
    launch = prepare(
        {"command": "x", "args": ["${LANG}"]}, {"HOME": "/h"}, fed={"LANG": "word", "B": "unused", "C": "abc"}
    )
    assert launch.secrets == {"word", "unused"}
    assert "word" not in repr(launch)


def test_what_was_fed_reaches_a_server_only_where_it_is_referred_to() -> None:
    launch = prepare(
        {"command": "x", "env": {"A": "${TOKEN}"}}, {}, fed={"TOKEN": "fed-token", "PATH": "/fed", "Z": "zzzz"}
    )
    assert isinstance(launch, StdioLaunch)
    assert launch.env == {"A": "fed-token"}


def test_a_credential_may_be_fed_and_a_missing_one_is_told_as_before() -> None:
    table = {"url": "https://h", "authorization": {"type": "bearer", "token": "${T}"}}
    assert prepare(table, {"T": ""}, fed={"T": "fed-token"}) == HttpLaunch(
        url="https://h", headers={"Authorization": "Bearer fed-token"}, secrets=frozenset({"fed-token"})
    )
    with pytest.raises(ProblemError) as caught:
        prepare(table, {}, fed={"T": "", "U": "fed-other"})
    assert caught.value.problem.type == "reference-missing"
    assert "setup{ resolve" in caught.value.problem.hint


def test_a_changed_answer_changes_the_identity() -> None:
    table = {"command": "x", "args": ["${TOKEN}"]}
    assert identity(prepare(table, {}, fed={"TOKEN": "one"})) != identity(prepare(table, {}, fed={"TOKEN": "two"}))


@pytest.mark.parametrize(
    ("table", "field"),
    [
        ({"command": "x", "args": ["a", "${ODD}"]}, "args[1]"),
        ({"command": "x", "env": {"A": "${ODD}"}}, "env.A"),
        ({"command": "/${ODD}"}, "command"),
        ({"url": "https://h", "headers": {"X-A": "${ODD}"}}, "headers.X-A"),
    ],
)
def test_what_was_fed_may_hold_no_nul(table: Mapping[str, object], field: str) -> None:
    with pytest.raises(ProblemError) as caught:
        prepare(table, {}, fed={"ODD": "s3cr3t\0"})
    problem = caught.value.problem
    assert problem.title == f'Server "case" is off: {field} holds a NUL character, once its references are resolved'
    assert "s3cr3t" not in problem.model_dump_json()


def test_a_problem_names_the_place_of_the_field_where_it_is_told() -> None:
    definition = parse_definition({"command": "x", "args": ["${A}"], "env": {"B": "${B}"}, "cwd": "${C}"})
    for environment, details in (
        (
            {"C": "/c"},
            [
                "the environment variable NVIM_MCP_CASE_ARGS: servers.case.args[0] refers to ${A}",
                f"{FILE}:3: servers.case.env.B refers to ${{B}}",
            ],
        ),
        ({"A": "", "B": "", "C": "c"}, ["project.toml:7: servers.case.cwd is a relative path"]),
    ):
        with pytest.raises(ProblemError) as caught:
            prepare_launch(
                "case",
                definition,
                environment,
                file=FILE,
                line=3,
                places={"args": "the environment variable NVIM_MCP_CASE_ARGS", "cwd": "project.toml:7"},
            )
        assert [line.partition(", which")[0] for line in caught.value.problem.detail.splitlines()] == details
