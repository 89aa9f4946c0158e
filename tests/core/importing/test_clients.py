"""The files of other clients, each with the exact TOML that its servers become, and files that are odd or hostile.

`samples/` has a file of every client as people have them, and beside it what is made of it: the tables, the notes, the
lines that set the needed variables and the faults.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Final

import pytest
import tomli

from mcp_host.core.definitions.document import read_document
from mcp_host.core.definitions.parsing import parse_definition
from mcp_host.core.definitions.toml_edits import with_server
from mcp_host.core.definitions.toml_text import server_toml
from mcp_host.core.importing.clients import ClientFile, known_files, read_client_file

FOLDER: Final = Path(__file__).parent / "samples"
WORKSPACE: Final = "/home/me/shop"
HOME: Final = "/home/me"

SAMPLES: Final = {
    "claude_code.mcp.json": ".mcp.json",
    "claude_code_user.json": "/home/me/.claude.json",
    "claude_desktop.json": "/home/me/.config/Claude/claude_desktop_config.json",
    "codex.config.toml": "/home/me/.codex/config.toml",
    "cursor.mcp.json": "/home/me/.cursor/mcp.json",
    "gemini.settings.json": "/home/me/shop/.gemini/settings.json",
    "mcphub.servers.json": "/home/me/.config/mcphub/servers.json",
    "vscode.mcp.json": ".vscode/mcp.json",
    "zed.settings.json": "/home/me/.config/zed/settings.json",
}
"""What each is called where it comes from."""

CLIENTS: Final = {
    "claude_code.mcp.json": "Claude Code",
    "claude_code_user.json": "Claude Code",
    "claude_desktop.json": "Claude Desktop",
    "codex.config.toml": "Codex",
    "cursor.mcp.json": "Cursor",
    "gemini.settings.json": "Gemini CLI",
    "mcphub.servers.json": "mcphub.nvim",
    "vscode.mcp.json": "VS Code",
    "zed.settings.json": "Zed",
}


def read(text: str, file: str) -> ClientFile:
    return read_client_file(text, file, folder=WORKSPACE, home=HOME)


def read_sample(sample: str) -> ClientFile:
    return read((FOLDER / sample).read_text(encoding="utf-8"), SAMPLES[sample])


def as_toml(file: ClientFile) -> str:
    """Everything of a file's candidates, as one TOML text."""
    parts: list[str] = []
    for candidate in file.candidates:
        parts += [f"# {candidate.origin}\n", server_toml(candidate.alias, candidate.table)]
        parts += [f"# note: {note}\n" for note in candidate.notes]
        parts += [f"# needs {secret.reference} ({secret.place}): {secret.line}\n" for secret in candidate.secrets]
        parts += [f"# fault: {fault}\n" for fault in candidate.faults]
        parts.append("\n")
    return "".join(parts)


@pytest.mark.parametrize("sample", SAMPLES)
def test_the_file_of_a_client_becomes_exactly_this_toml(sample: str) -> None:
    file = read_sample(sample)
    expected = (FOLDER / f"{sample.partition('.')[0]}.toml").read_text(encoding="utf-8")
    assert (file.client, file.problems) == (CLIENTS[sample], ())
    assert as_toml(file) == expected


@pytest.mark.parametrize("sample", SAMPLES)
def test_candidates_without_faults_are_definitions_and_survive_being_added(sample: str) -> None:
    sound = [candidate for candidate in read_sample(sample).candidates if not candidate.faults]
    text = "# mine\n"
    for candidate in sound:
        parse_definition(candidate.table)
        text = with_server(text, candidate.alias, candidate.table)
    document = read_document(text, "mcp.toml", layer="user")
    assert (document.problems, list(document.definitions)) == ((), [candidate.alias for candidate in sound])
    assert tomli.loads(text)["servers"] == {candidate.alias: candidate.table for candidate in sound}


SERVERS: Final = '{"mcpServers": {"time": {"command": "mcp-server-time"}}}'


@pytest.mark.parametrize(
    ("file", "text", "client"),
    [
        ("/elsewhere/.mcp.json", SERVERS, "Claude Code"),
        ("C:\\Users\\me\\shop\\.vscode\\mcp.json", SERVERS, "VS Code"),
        ("/home/me/.config/Code/User/mcp.json", '{"servers": {"time": {"command": "x"}}}', "VS Code"),
        ("/home/me/settings.json", '{"mcp": {"servers": {"time": {"command": "x"}}}}', "VS Code"),
        ("copy.json", '{"servers": {"time": {"command": "x"}}}', "VS Code"),
        ("copy.json", '{"context_servers": {"time": {"command": "x"}}}', "Zed"),
        ("copy.json", '{"mcpServers": {"time": {"httpUrl": "https://x.test"}}}', "Gemini CLI"),
        ("copy.json", '{"projects": {}, "mcpServers": {"time": {"command": "x"}}}', "Claude Code"),
        ("copy", '[mcp_servers.time]\ncommand = "x"', "Codex"),
        ("/home/me/.codeium/windsurf/mcp_config.json", SERVERS, "another client"),
    ],
)
def test_a_client_is_known_by_the_path_of_its_file_or_by_its_words(file: str, text: str, client: str) -> None:
    found = read(text, file)
    assert (found.client, [candidate.alias for candidate in found.candidates]) == (client, ["time"])


@pytest.mark.parametrize(
    ("file", "text"),
    [
        ("package.json", '{"name": "shop"}'),
        ("notes.txt", "buy milk"),
        ("list.json", "[1, 2]"),
        ("mcp.toml", '[servers.time]\ncommand = "x"'),
    ],
)
def test_a_file_of_nobody_known_says_whose_files_are(file: str, text: str) -> None:
    (problem,) = read(text, file).problems
    assert problem.type == "definition-invalid"
    assert problem.title == f"{file} is not a file of an MCP client that is known here"
    assert problem.hint == (
        "Known: Claude Code (.mcp.json), Claude Code (.claude.json), VS Code (.vscode/mcp.json), "
        "Cursor (.cursor/mcp.json), Claude Desktop (claude_desktop_config.json), Codex (.codex/config.toml), "
        "Zed (zed/settings.json), mcphub.nvim (mcphub/servers.json), Gemini CLI (.gemini/settings.json), "
        "and whatever has an `mcpServers` object."
    )


@pytest.mark.parametrize(
    ("file", "text", "detail"),
    [
        (".mcp.json", '{\n  "mcpServers": {\n    "a" "b"\n', ".mcp.json:3:9: expecting ':' delimiter"),
        (".vscode/mcp.json", "{ // note\n  servers\n}", ".vscode/mcp.json:2:3: expecting property name"),
        (".mcp.json", "", ".mcp.json:1:1: expecting value"),
        (".codex/config.toml", "[mcp_servers.a]\ncommand = x\n", ".codex/config.toml:2:11: Invalid value"),
        (".codex/config.toml", "a = " + "[" * 3000, ".codex/config.toml:1:1: a number is too long, or values nest"),
    ],
)
def test_a_text_that_cannot_be_read_is_one_problem_with_its_line_and_column(file: str, text: str, detail: str) -> None:
    found = read(text, file)
    assert [problem.type for problem in found.problems] == ["definition-unparsable"]
    assert found.problems[0].detail.startswith(detail)
    assert found.candidates == ()


def test_a_file_for_servers_alone_should_have_some_and_settings_need_not() -> None:
    assert [problem.title for problem in read("{}", ".cursor/mcp.json").problems] == [
        ".cursor/mcp.json: the file has no `mcpServers`, under which Cursor keeps servers"
    ]
    assert read('{"theme": "dark"}', ".gemini/settings.json") == ClientFile(client="Gemini CLI")
    assert read('{"mcpServers": {}}', ".cursor/mcp.json") == ClientFile(client="Cursor")


def test_one_bad_entry_loses_no_other() -> None:
    text = """{"mcpServers": {
      "good": {"command": "x"},
      "text": "npx -y notes",
      "empty": {},
      "both": {"command": "x", "url": "https://x.test"},
      "odd": {"command": ["npx", "-y"],
        "args": "--fast"},
      "line": {"command": "npx -y notes", "env": {"A": ["b"]}}
    }}"""
    found = read(text, "/elsewhere/.mcp.json")
    assert {
        candidate.alias: [fault.partition(". ")[0] for fault in candidate.faults] for candidate in found.candidates
    } == {
        "good": [],
        "text": ["/elsewhere/.mcp.json:3: a server must be an object, not a string."],
        "empty": ["/elsewhere/.mcp.json:4: the server has neither command nor url"],
        "both": ["/elsewhere/.mcp.json:5: url stands beside command: only one may be given"],
        "odd": [
            "/elsewhere/.mcp.json:6: command must be a string, not an array.",
            "/elsewhere/.mcp.json:7: args must be an array of strings, not a string.",
        ],
        "line": [
            "/elsewhere/.mcp.json:8: env.A must be a string, not an array.",
            "/elsewhere/.mcp.json:8: command must be one executable, not a command line (no shell reads it)",
        ],
    }


def test_servers_that_are_no_object_are_a_problem() -> None:
    found = read('{\n"mcpServers": ["npx"]}', ".mcp.json")
    assert [problem.detail for problem in found.problems] == [
        ".mcp.json:2: mcpServers must be an object of servers, not an array"
    ]


def test_a_name_or_a_field_that_stands_there_twice_is_told() -> None:
    text = '{"mcpServers": {\n"a": {"command": "x"},\n"a": {"command": "y",\n"command": "z"}}}'
    found = read(text, ".mcp.json")
    assert [problem.detail for problem in found.problems] == [
        ".mcp.json:3: mcpServers.a stands there more than once, and the last one counts"
    ]
    assert [(candidate.table, candidate.notes) for candidate in found.candidates] == [
        ({"command": "z"}, ("`command` stands in it more than once, and the last one counts.",))
    ]


def test_names_become_aliases_each_of_them_once() -> None:
    names = ["GitHub", "git hub", "github", "io.example/github", "9p", "日本", "x" * 40, "x" * 41]
    text = json.dumps({"mcpServers": {name: {"command": "x"} for name in names}})
    found = read(text, ".mcp.json")
    assert [(candidate.alias, candidate.notes) for candidate in found.candidates] == [
        ("github", ("It is called `GitHub` there, which is no alias.",)),
        ("git-hub", ("It is called `git hub` there, which is no alias.",)),
        ("github-2", ("It is called `github` there, which is no alias.",)),
        ("github-3", ("It is called `io.example/github` there, which is no alias.",)),
        ("mcp-9p", ("It is called `9p` there, which is no alias.",)),
        ("server", ("It is called `日本` there, which is no alias.",)),
        ("x" * 32, (f"It is called `{'x' * 40}` there, which is no alias.",)),
        ("x" * 30 + "-2", (f"It is called `{'x' * 41}` there, which is no alias.",)),
    ]


HOSTILE: Final = {
    "deep": '{"mcpServers": {"a": ' + '{"env":' * 50_000 + "1" + "}" * 50_000 + "}}",
    "almost too deep": '{"mcpServers": {"a": {"args": ' + "[" * 900 + "]" * 900 + "}}}",
    "deep JSON5": "{mcpServers: {a: " + "[" * 5000,
    "surrogates": r'{"mcpServers": {"\ud800": {"command": "\ud800", "args": ["\udfff"], "env": {"\ud800": "x"}}}}',
    "NUL": r'{"mcpServers": {"a\u0000": {"command": "x\u0000", "cwd": "/\u0000"}}}',
    "long number": '{"mcpServers": {"a": {"command": "x", "timeout": ' + "9" * 5000 + "}}}",
    "no number": '{"mcpServers": {"a": {"command": "x", "timeout": NaN, "url": 1e999}}}',
    "open comment": '{"mcpServers": {} /*' + "/*" * 50_000,
    "open placeholders": json.dumps({"mcpServers": {"a": {"command": "x", "args": ["${" * 20_000, "}" * 20_000]}}}),
    "nested placeholders": json.dumps({"mcpServers": {"a": {"command": "x", "args": ["${a:" * 9000 + "}" * 9000]}}}),
    "many servers": json.dumps(
        {"mcpServers": {f"s{n}": {"command": "x", "env": {"TOKEN": f"v{n}"}} for n in range(300)}}
    ),
    "format": '{"mcpServers": {"{}{0}": {"command": "{x}", "{client}": 1, "headersHelper": "{", "envFile": "%s"}}}',
    "not objects": '{"mcpServers": {"a": 1, "b": null, "c": [], "d": ""}, "inputs": 3, "projects": [], "mcp": 1}',
}


@pytest.mark.parametrize("what", HOSTILE)
@pytest.mark.parametrize("file", [*SAMPLES.values(), "unknown.json"])
def test_no_text_raises_and_every_table_can_be_written(what: str, file: str) -> None:
    found = read(HOSTILE[what], file)
    for candidate in found.candidates:
        assert tomli.loads(server_toml(candidate.alias, candidate.table))["servers"][candidate.alias] == candidate.table
        assert not candidate.faults or candidate.faults[0].encode()
        if not candidate.faults:
            parse_definition(candidate.table)
    assert all(problem.model_dump_json() for problem in found.problems)


def test_a_file_with_megabytes_of_other_things_is_read_and_its_lines_are_right() -> None:
    history = [{"display": f"prompt {number}", "text": "words " * 20} for number in range(20_000)]
    projects = {f"/home/me/{number}": {"history": history[number::100]} for number in range(100)}
    text = json.dumps({"projects": projects, "mcpServers": {"time": {"command": "x", "args": 5}}}, indent=1)
    (candidate,) = read(text, "/home/me/.claude.json").candidates
    line = text[: text.index('"time": {')].count("\n") + 1
    assert candidate.origin == f"/home/me/.claude.json:{line}"
    assert candidate.faults == (f"/home/me/.claude.json:{line + 2}: args must be an array of strings, not a number.",)


def test_the_clients_keep_their_files_in_known_places() -> None:
    in_both = (
        "/w/.mcp.json",
        "/w/.vscode/mcp.json",
        "/w/.cursor/mcp.json",
        "/w/.codex/config.toml",
        "/w/.zed/settings.json",
        "/w/.gemini/settings.json",
        "/w/.mcphub/servers.json",
        "/h/.claude.json",
        "/h/.cursor/mcp.json",
        "/h/.codex/config.toml",
        "/h/.gemini/settings.json",
        "/h/.config/zed/settings.json",
        "/h/.config/mcphub/servers.json",
    )
    assert known_files("/w", "/h", mac=False) == (
        *in_both,
        "/h/.config/Claude/claude_desktop_config.json",
        "/h/.config/Code/User/mcp.json",
    )
    assert known_files("/w", "/h", mac=True) == (
        *in_both,
        "/h/Library/Application Support/Claude/claude_desktop_config.json",
        "/h/Library/Application Support/Code/User/mcp.json",
    )


@pytest.mark.parametrize("mac", [True, False])
def test_every_known_place_is_known_by_its_path(mac: bool) -> None:
    assert all(read("{}", file).client for file in known_files(WORKSPACE, HOME, mac=mac))


def test_paths_are_relative_to_the_workspace_in_its_files_only() -> None:
    text = '{"mcpServers": {"a": {"command": "./bin/x", "args": ["../y", "src/z"]}, "b": {"command": "x", "cwd": "."}}}'
    first, second = read(text, "/home/me/shop/.cursor/mcp.json").candidates
    assert first.table == {"command": "/home/me/shop/bin/x", "args": ["/home/me/shop/../y", "src/z"]}
    assert first.notes == (
        "The command was a relative path, and begins in /home/me/shop now.",
        "An argument was a relative path, and begins in /home/me/shop now.",
    )
    assert second.table == {"command": "x", "cwd": "/home/me/shop"}
    first, second = read(text, "/home/me/.cursor/mcp.json").candidates
    assert first.table == {"command": "./bin/x", "args": ["../y", "src/z"]}
    assert [fault.partition(",")[0] for fault in (*first.faults, *second.faults)] == [
        "/home/me/.cursor/mcp.json:1: command is a relative path",
        "/home/me/.cursor/mcp.json:1: cwd is a relative path",
    ]


def test_paths_are_relative_to_the_working_directory_where_there_is_one() -> None:
    text = '{"mcpServers": {"a": {"command": "./bin/x", "args": ["./y"], "cwd": "/srv/a"}}}'
    for file in (".mcp.json", "/home/me/.cursor/mcp.json"):
        (candidate,) = read(text, file).candidates
        assert candidate.table == {"command": "/srv/a/bin/x", "args": ["./y"], "cwd": "/srv/a"}
