"""Whole entries: what the file around them turns off, and fields that belong to the other kind of server."""

from __future__ import annotations

import json

from mcp_host.core.importing.clients import read_client_file
from mcp_host.core.importing.entries import depends_on_folder, variables_of
from tests.core.importing.reading import GEMINI, MCPHUB, read_server

URL = "https://x.test/mcp"


def test_options_of_the_other_kind_are_left_out_and_empty_ones_without_a_word() -> None:
    assert read_server({"url": URL, "args": [], "env": {}}, MCPHUB).notes == ()
    candidate = read_server({"url": URL, "args": ["a"], "env": {"A": "b"}, "cwd": "/x"}, MCPHUB)
    assert (candidate.table, candidate.faults) == ({"url": URL}, ())
    assert candidate.notes == tuple(
        f"`{key}` was left out: a server with a url has none." for key in ("args", "cwd", "env")
    )
    candidate = read_server({"command": "x", "headers": {"A": "b"}, "oauth": {"clientId": "i"}}, MCPHUB)
    assert (candidate.table, candidate.faults) == ({"command": "x"}, ())


def test_a_secret_of_what_was_left_out_is_still_nowhere() -> None:
    assert "abc-secret" not in repr(read_server({"url": URL, "env": {"API_KEY": "abc-secret"}}))


def test_null_is_as_if_it_were_not_there() -> None:
    assert read_server({"command": None, "url": URL, "headers": None}).table == {"url": URL}


def test_the_settings_around_turn_servers_off_by_name() -> None:
    assert read_server({"command": "x"}, GEMINI, mcp={"excluded": ["notes"]}).table["enabled"] is False
    assert "enabled" not in read_server({"command": "x"}, GEMINI, mcp={"excluded": ["other", 3]}).table
    text = {"projects": {"/p": {"mcpServers": {"notes": {"command": "x"}}, "disabledMcpServers": ["notes"]}}}
    (candidate,) = read_client_file(json.dumps(text), "/h/.claude.json", folder="/w", home="/h").candidates
    assert candidate.table == {"command": "x", "enabled": False}


def test_the_variables_that_a_file_refers_to_are_known_before_secrets_get_names() -> None:
    servers: dict[str, object] = {
        "a": {"args": ["${A}", "${env:B_C}", "x"], "bearer_token_env_var": "C_TOKEN"},
        "b": {"env": {"OWN": "literal", "D_KEY": "${D_KEY}"}, "args": ["${OWN}"]},
        "c": [],
    }
    assert sorted(set(variables_of(servers))) == ["A", "B_C", "C_TOKEN", "D_KEY"]
    entries = {"a": {"command": "x", "args": ["${API_KEY}"]}, "b": {"command": "x", "env": {"API_KEY": "literal-1"}}}
    text = json.dumps({"mcpServers": entries})
    first, second = read_client_file(text, "/w/.mcp.json", folder="/w", home="/h").candidates
    assert (first.table["args"], second.table["env"]) == (["${API_KEY}"], {"API_KEY": "${B_API_KEY}"})


def test_two_secrets_of_the_same_name_are_two_variables() -> None:
    entries = {alias: {"command": "x", "env": {"API_KEY": f"secret of {alias}"}} for alias in ("a", "b")}
    text = json.dumps({"mcpServers": entries})
    found = read_client_file(text, "/w/.mcp.json", folder="/w", home="/h").candidates
    assert [candidate.table["env"] for candidate in found] == [{"API_KEY": "${API_KEY}"}, {"API_KEY": "${B_API_KEY}"}]


def test_an_entry_may_mean_something_else_in_another_folder() -> None:
    assert depends_on_folder({"args": [{"a": "${workspaceFolder}"}]})
    assert depends_on_folder({"args": ["./x"]})
    assert not depends_on_folder({"args": ["x", 1], "env": {"A": "b"}})


def test_a_server_of_several_projects_is_one_candidate_where_it_means_the_same() -> None:
    def project(argument: str) -> dict[str, object]:
        return {"mcpServers": {"notes": {"command": "x", "args": [argument]}}}

    text = json.dumps({"projects": {"/a": project("1"), "/b": project("1"), "/c": project("2"), "/d": project("./1")}})
    found = read_client_file(text, "/h/.claude.json", folder="/w", home="/h").candidates
    assert [(candidate.alias, candidate.table["args"]) for candidate in found] == [
        ("notes", ["1"]),
        ("notes-2", ["2"]),
        ("notes-3", ["/d/1"]),
    ]
    assert found[0].notes == ("It is only for the project /a there.", "The project /b has the same server.")
