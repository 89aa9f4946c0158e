"""Marked secrets in every place that a client's file has for one: none of them is anywhere in what is made of it."""

from __future__ import annotations

import json
from typing import Any, Final

import pytest

from mcp_host.core.importing.clients import read_client_file
from mcp_host.core.importing.draft import SHOWN_LENGTH, shown
from tests.core.importing.reading import CLAUDE_CODE, CLAUDE_DESKTOP, CODEX, GEMINI, MCPHUB, VS_CODE, ZED, read_server

TOKENS: Final = (
    *("ghp_marked0001", "github_pat_marked0002", "sk-marked-0003", "xoxb-marked-0004", "AIzaMarked0005"),
    *("glpat-marked0006", "hf_marked0007abc", "eyJtYXJrZWQ4.eyJtYXJrZWQ4.marked8", "sk-ant-marked-nine"),
)
"""Known by their shapes, wherever they stand."""

PLACES: Final[tuple[dict[str, Any], ...]] = (
    {"env": {"API_KEY": "MARK"}},
    {"env": {"clientSecret": "MARK"}},
    {"env": {"DB_PASSWORD": "MARK ${X}"}},
    {"env": {"SSH_PASSPHRASE": "${X:-MARK}"}},
    {"env": {"DATABASE_URL": "mysql://root:MARK@db/app"}},
    {"env": {"EXTRA_HEADERS": '{"Authorization": "Bearer MARK"}'}},
    {"env": {"SETTINGS": '{"apiKey":"MARK"}'}},
    {"env": {"JAVA_OPTS": "-Dapi.token=MARK -Xmx1g"}},
    {"args": ["--api-key", "MARK"]},
    {"args": ["--password=MARK"]},
    {"args": ["--access-token", "pre-MARK-post"]},
    {"args": ["SERVICE_KEY=MARK"]},
    {"args": ["--header", "Authorization: Bearer MARK"]},
    {"args": ["--header", "Authorization:Basic MARK"]},
    {"args": ["-H", "X-Api-Key: MARK"]},
    {"args": ["--header=X-Auth-Token:MARK"]},
    {"args": ["run", "-e", "API_TOKEN=MARK", "image"], "command": "docker"},
    {"args": ["run", "--env=API_TOKEN=MARK", "image"], "command": "podman"},
    {"args": ["mcp-remote", "https://x.test/mcp", "--header", "Authorization: Bearer MARK"], "command": "npx"},
    {"args": ["mcp-remote", "https://x.test/mcp?api_key=MARK"], "command": "npx"},
    {"args": ["-c", "API_KEY=MARK exec notes"], "command": "sh"},
    {"args": ["postgresql://me:MARK@db/app"]},
    {"args": ["--config", '{"auth": {"secret": "MARK"}}']},
    {"args": ["--token", "${X:-MARK}"]},
    {"env": {"API_KEY": "MARK-MARK-MARK"}, "args": ["--also", "MARK-MARK-MARK"]},
    {"env": {"API_KEY": "MARK-MARK-MARK"}, "args": ["in the MARK-MARK-MARK middle"]},
    {"url": "https://x.test/mcp?token=MARK&a=b"},
    {"url": "https://me:MARK@x.test/mcp"},
    {"url": "https://x.test/mcp#access_token=MARK"},
    {"url": "https://x.test/mcp", "headers": {"Authorization": "Bearer MARK"}},
    {"url": "https://x.test/mcp", "headers": {"Authorization": "MARK"}},
    {"url": "https://x.test/mcp", "headers": {"Authorization": "Token MARK"}},
    {"url": "https://x.test/mcp", "headers": {"X-Api-Key": "MARK"}},
    {"url": "https://x.test/mcp", "headers": {"Cookie": "session=MARK"}},
    {"url": "https://x.test/mcp", "headers": {"X-Forward": "Bearer MARK"}},
    {"url": "https://x.test/mcp", "oauth": {"clientId": "a", "clientSecret": "MARK"}},
    {"url": "https://x.test/mcp", "auth": {"CLIENT_ID": "a", "CLIENT_SECRET": "MARK"}},
    {"env": ["API_KEY=MARK"]},
    {"args": "--api-key MARK"},
    {"headers": "Authorization: Bearer MARK"},
    {"env": {"A": {"API_KEY": "MARK"}}},
    {"settings": {"token": "MARK"}},
    {"unknown": {"token": "MARK"}, "other": "MARK"},
    {"args": ["--secret", "${cmd: pass show MARK}"], "env": {"A_KEY": "${cmd: pass MARK}", "B": "${command:MARK}"}},
)
"""Where a secret of no known shape can stand."""


@pytest.mark.parametrize(
    "file", [CLAUDE_CODE, CLAUDE_DESKTOP, VS_CODE, MCPHUB, GEMINI, ZED, "/w/.cursor/mcp.json", "x.json"]
)
@pytest.mark.parametrize("place", PLACES, ids=json.dumps)
def test_a_secret_is_nowhere_in_what_is_made_of_its_place(file: str, place: dict[str, Any]) -> None:
    mark = "tellNobody"
    entry = json.loads(json.dumps({**({} if "url" in place else {"command": "notes"}), **place}).replace("MARK", mark))
    key = {VS_CODE: "servers", ZED: "context_servers"}.get(file, "mcpServers")
    found = read_client_file(json.dumps({key: {"notes": entry, "b": {}}}), file, folder="/w", home="/h")
    assert len(found.candidates) == 2
    assert mark not in repr(found)


@pytest.mark.parametrize("token", TOKENS)
@pytest.mark.parametrize("file", [CLAUDE_CODE, VS_CODE, MCPHUB, GEMINI, ZED])
def test_a_token_of_a_known_shape_is_nowhere(file: str, token: str) -> None:
    entry = {
        "command": f"/opt/{token}/x",
        "args": [token, f"a {token} b", f"--x={token}", f"${{X:-{token}}}"],
        "env": {"PLAIN": token, "TEXT": f"a {token} b", token: "x"},
        "cwd": f"/srv/{token}",
        "description": f"with {token}",
        "type": token,
        token: 1,
    }
    remote = {
        "url": f"https://x.test/{token}/mcp?a={token}",
        "headers": {"X-A": token, token: "x"},
        "oauth": {token: 1},
    }
    key = {VS_CODE: "servers", ZED: "context_servers"}.get(file, "mcpServers")
    text = json.dumps({key: {"notes": entry, token: entry, "b": remote}})
    found = read_client_file(text, file, folder="/w", home="/h")
    assert len(found.candidates) == 3
    assert token not in repr(found)
    assert token not in json.dumps([problem.model_dump() for problem in found.problems])


@pytest.mark.parametrize(
    "lines",
    [
        'command = "x"\nenv = { API_KEY = "MARK" }',
        'command = "x"\nargs = ["--token", "MARK"]',
        'url = "https://x.test"\nbearer_token = "MARK"',
        'url = "https://x.test"\nhttp_headers = { Authorization = "Bearer MARK" }',
        'url = "https://x.test"\nhttp_headers = { X-Api-Key = "MARK" }',
        'url = "https://x.test"\nbearer_token_env_var = "MARK not a name"',
        'command = "x"\nenv_vars = ["MARK not a name"]',
    ],
)
def test_a_secret_of_codex_is_nowhere(lines: str) -> None:
    text = f"[mcp_servers.notes]\n{lines}".replace("MARK", "tellNobody")
    found = read_client_file(text, CODEX, folder="/w", home="/h")
    assert len(found.candidates) == 1
    assert "tellNobody" not in repr(found)


@pytest.mark.parametrize(
    "text", ['{"mcpServers": {"a": {"env": {"K": "tellNobody" "x', "{a: 'tellNobody' 1", '["tellNobody"]']
)
def test_what_cannot_be_read_is_not_quoted(text: str) -> None:
    assert "tellNobody" not in repr(read_client_file(text, CLAUDE_CODE, folder="/w", home="/h"))


def test_a_secret_of_one_server_is_known_in_another() -> None:
    text = json.dumps(
        {"mcpServers": {"a": {"command": "x", "args": ["word-of-honour"]}, "b": {"env": {"A_KEY": "word-of-honour"}}}}
    )
    first, _ = read_client_file(text, CLAUDE_CODE, folder="/w", home="/h").candidates
    assert first.table["args"] == ["${A_KEY}"]


def test_a_foreign_name_is_short_in_a_sentence_and_no_secret() -> None:
    assert shown("a name") == "a name"
    assert shown("n" * 100) == "n" * SHOWN_LENGTH + "…"
    assert shown("\ud800x") == "?x"
    assert shown("ghp_abcdef1") == "(what looks like a secret)"


def test_a_candidate_knows_where_it_is_from() -> None:
    candidate = read_server({"command": "x"}, VS_CODE)
    assert (candidate.alias, candidate.client, candidate.origin) == ("notes", "VS Code", "/w/.vscode/mcp.json:1")
