"""Codex's fields that name variables, with what they may not be."""

from __future__ import annotations

import pytest

from tests.core.importing.reading import needed, read_codex


def test_variables_that_are_named_become_references() -> None:
    candidate = read_codex(
        'url = "https://x.test/mcp"\nbearer_token_env_var = "X_TOKEN"\nenv_http_headers = { X-Team = "TEAM" }\n'
        'http_headers = { X-Api-Key = "abc", X-Region = "eu" }\n'
    )
    assert candidate.table == {
        "url": "https://x.test/mcp",
        "headers": {"X-Api-Key": "${NOTES_API_KEY}", "X-Region": "eu", "X-Team": "${TEAM}"},
        "authorization": {"type": "bearer", "token": "${X_TOKEN}"},
    }
    assert (needed(candidate), candidate.faults) == (["NOTES_API_KEY"], ())


def test_a_variable_that_is_handed_on_may_be_unset_unless_it_is_a_secret() -> None:
    candidate = read_codex(
        'command = "x"\nenv = { A = "1" }\nenv_vars = ["A", "B", "C_TOKEN", { name = "D", source = "remote" }]'
    )
    assert candidate.table["env"] == {"A": "1", "B": "${B:-}", "C_TOKEN": "${C_TOKEN}", "D": "${D:-}"}
    assert candidate.notes == ("`D` is of another machine in Codex; here it is of this one.",)
    assert candidate.faults == ()


def test_a_token_in_the_file_is_left_there() -> None:
    candidate = read_codex('url = "https://x.test"\nbearer_token = "tell-no-one"')
    assert candidate.table["authorization"] == {"type": "bearer", "token": "${NOTES_TOKEN}"}
    assert "tell-no-one" not in repr(candidate)


@pytest.mark.parametrize(
    ("line", "fault"),
    [
        ('env_vars = "A"', "env_vars must be an array, not a string."),
        ('env_vars = ["A", 3, "B C"]', "env_vars[1] must be the name of an environment variable."),
        ('env_http_headers = "A"', "env_http_headers must be a table of strings, not a string."),
        ('env_http_headers = { A = "b c" }', "env_http_headers.A must be the name of an environment variable."),
        ('bearer_token_env_var = "a b"', "bearer_token_env_var must be the name of an environment variable."),
        ("scopes = [1]", "scopes must be an array of strings, not an array."),
        ('experimental_environment = "remote"', "experimental_environment is another machine"),
        ("tool_timeout_sec = 1979-05-27", "tool_timeout_sec must be a number, not a date or time."),
    ],
)
def test_what_names_no_variable_is_a_fault(line: str, fault: str) -> None:
    assert read_codex(f'command = "x"\n{line}').faults[0].startswith(f"/h/.codex/config.toml:3: {fault}")


def test_a_tool_that_is_approved_there_is_asked_about_here() -> None:
    candidate = read_codex('command = "x"\n[mcp_servers.notes.tools.a]\napproval_mode = "approve"')
    assert candidate.table == {"command": "x"}
    assert len(candidate.notes) == 1
    assert read_codex('command = "x"\n[mcp_servers.notes.tools.a]\napproval_mode = "prompt"').notes == ()
