"""Commands, folders and environments of servers that another client starts."""

from __future__ import annotations

import pytest

from tests.core.importing.reading import CLAUDE_CODE, CLAUDE_DESKTOP, GEMINI, MCPHUB, VS_CODE, needed, read_server


@pytest.mark.parametrize(
    ("name", "value", "written", "names"),
    [
        ("API_KEY", "abc", "${API_KEY}", ["API_KEY"]),
        ("apiKey", "abc", "${apiKey}", ["apiKey"]),
        ("api-key", "abc", "${API_KEY}", ["API_KEY"]),
        ("API_KEY", "pre-${X}", "${API_KEY}", ["API_KEY"]),
        ("API_KEY", "${X:-abc}", "${X}", ["X"]),
        ("DATABASE_URL", "postgres://u:pw@h/db", "${DATABASE_URL}", ["DATABASE_URL"]),
        ("HEADERS", '{"Authorization": "Bearer abcdef"}', "${HEADERS}", ["HEADERS"]),
        ("WHATEVER", "ghp_abcdef1", "${WHATEVER}", ["WHATEVER"]),
        ("API_KEY", "", "", []),
        ("API_KEY", "${API_KEY}", "${API_KEY}", []),
        ("API_KEY", "${env:OTHER_KEY}", "${OTHER_KEY}", []),
        ("LOG", "debug", "debug", []),
        ("LOG", "${LOG:-debug}", "${LOG:-debug}", []),
        ("PRICE", "${5}", "$${5}", []),
        ("HOME_DIR", "~/x", "${HOME}/x", []),
        ("PORT", 8080, "8080", []),
        ("FAST", True, "true", []),
    ],
)
def test_a_variable_is_a_text_without_a_secret(name: str, value: object, written: str, names: list[str]) -> None:
    candidate = read_server({"command": "x", "env": {name: value}})
    assert (candidate.table["env"], needed(candidate)) == ({name: written}, names)
    assert candidate.faults == ()


def test_the_line_that_sets_a_variable_says_where_its_value_is() -> None:
    (secret,) = read_server({"command": "x", "env": {"API_KEY": "abc"}}, "/w/a\nb/.mcp.json").secrets
    assert secret.place == "/w/a\nb/.mcp.json:1"
    assert secret.line == 'export API_KEY="…"  # the value is in /w/a?b/.mcp.json:1'


@pytest.mark.parametrize("file", [CLAUDE_CODE, CLAUDE_DESKTOP, VS_CODE, GEMINI])
def test_null_in_env_is_left_out(file: str) -> None:
    candidate = read_server({"command": "x", "env": {"A": None}}, file)
    assert (candidate.table, candidate.notes) == ({"command": "x"}, ("`A` is null in env, and was left out.",))


def test_null_and_nothing_in_the_env_of_mcphub_are_the_variable_of_that_name() -> None:
    candidate = read_server({"command": "x", "env": {"A": None, "B_KEY": "", "C": "$: pass c"}}, MCPHUB)
    assert candidate.table["env"] == {"A": "${A}", "B_KEY": "${B_KEY}", "C": "${C}"}
    assert [secret.line for secret in candidate.secrets] == [
        f'export C="$(…)"  # the command that prints it is in {MCPHUB}:1'
    ]


@pytest.mark.parametrize(
    ("field", "value", "fault"),
    [
        ("env", ["A=1"], "env must be an object of strings, not an array."),
        ("env", {"A": {"b": 1}}, "env.A must be a string, not an object."),
        ("env", {"ghp_abcdef1": "x"}, "(what looks like a secret) is no name of a variable."),
        ("cwd", 3, "cwd must be a string, not a number."),
        ("command", ["npx"], "command must be a string, not an array."),
    ],
)
def test_a_wrong_type_is_a_fault_and_is_not_taken_over(field: str, value: object, fault: str) -> None:
    candidate = read_server({"command": "x", field: value})
    assert candidate.faults == (f"/w/.mcp.json:1: {fault}",)
    assert field == "command" or candidate.table == {"command": "x"}


def test_a_home_folder_stays_in_what_may_begin_with_it() -> None:
    table = {"command": "~/bin/x", "cwd": "~/work"}
    assert read_server(table).table == table


def test_an_empty_folder_is_none() -> None:
    assert read_server({"command": "x", "cwd": "", "args": [], "env": {}}).table == {"command": "x"}
