"""Command lines and URLs that a person gives."""

from __future__ import annotations

import pytest

from mcp_host.core.importing.candidates import Candidate, NeededSecret
from mcp_host.core.importing.command_line import from_command_line, from_url, typed_command_line, typed_url
from tests.core.importing.reading import EXPOSED


def test_a_command_line_becomes_a_candidate_without_its_secrets() -> None:
    words = ["GITHUB_TOKEN=ghp_abcdef1", "LOG=1", "npx", "-y", "@scope/notes-mcp@1.2", "--api-key", "abc", "${TAG}"]
    assert from_command_line(words, folder="/w") == Candidate(
        alias="notes-mcp",
        table={
            "command": "npx",
            "args": ["-y", "@scope/notes-mcp@1.2", "--api-key", "${NOTES_MCP_API_KEY}", "${TAG}"],
            "env": {"GITHUB_TOKEN": "${GITHUB_TOKEN}", "LOG": "1"},
        },
        client="the command line",
        origin="the command line",
        notes=(EXPOSED,),
        secrets=(
            NeededSecret(
                reference="GITHUB_TOKEN",
                place="the command line",
                line='export GITHUB_TOKEN="…"  # the value is in the command line',
            ),
            NeededSecret(
                reference="NOTES_MCP_API_KEY",
                place="the command line",
                line='export NOTES_MCP_API_KEY="…"  # the value is in the command line',
            ),
        ),
    )


@pytest.mark.parametrize(
    ("words", "table"),
    [
        (["./x.py", "../y", "z"], {"command": "/w/x.py", "args": ["/w/../y", "z"]}),
        (["bin/x"], {"command": "/w/bin/x"}),
        (["~/bin/x", "~/y"], {"command": "~/bin/x", "args": ["${HOME}/y"]}),
        (["/opt/x", "a b", "$HOME"], {"command": "/opt/x", "args": ["a b", "$HOME"]}),
        (["env", "A=b", "x"], {"command": "x", "env": {"A": "b"}}),
        (["env", "-i", "x"], {"command": "env", "args": ["-i", "x"]}),
        (["A=${B}", "x", "A=c"], {"command": "x", "args": ["A=c"], "env": {"A": "${B}"}}),
    ],
)
def test_words_are_a_command_with_its_variables(words: list[str], table: dict[str, object]) -> None:
    candidate = from_command_line(words, folder="/w")
    assert (candidate.table, candidate.faults) == (table, ())


@pytest.mark.parametrize(
    ("words", "values"),
    [
        (["A_TOKEN=abc", "x", "--api-key", "def"], {"A_TOKEN": "abc", "X_API_KEY": "def"}),
        (["x", "--password=a${B}$"], {"X_PASSWORD": "a${B}$"}),
        (["docker", "run", "-e", "API_KEY=abc", "img"], {"API_KEY": "abc"}),
        (["x", "--token", "${MINE}", "--key=${input:asked}", "plain"], {}),
    ],
)
def test_the_secrets_of_a_command_line_are_by_its_side_and_in_no_repr(words: list[str], values: dict[str, str]) -> None:
    typed = typed_command_line(words, folder="/w")
    assert (typed.values, typed.candidate) == (values, from_command_line(words, folder="/w"))
    assert "values" not in repr(typed)


@pytest.mark.parametrize(
    ("url", "values"),
    [
        ("https://a.test/mcp?key=abc", {"A_KEY": "abc"}),
        ("https://a.test/u:p@b", {}),
        (
            "https://u%40x:p%3Aw@a.test/p@q",
            {"A_CREDENTIALS": "dUB4OnA6dw==", "A_CREDENTIALS_PASSWORD": "p:w"},
        ),
        ("https://token@a.test", {"A_CREDENTIALS": "dG9rZW46", "A_CREDENTIALS_PASSWORD": ""}),
        ("https://u:${PW}@a.test", {}),
    ],
)
def test_the_secrets_of_a_url_are_by_its_side(url: str, values: dict[str, str]) -> None:
    typed = typed_url(url)
    assert (typed.values, typed.candidate) == (values, from_url(url))


@pytest.mark.parametrize("words", [[], ["A=1"], ["npx -y notes"], ["x\0"], ["\ud800"], ["x", "\ud800"]])
def test_what_is_no_command_line_has_a_fault(words: list[str]) -> None:
    candidate = from_command_line(words, folder="/w")
    assert candidate.faults
    assert all(fault.startswith("the command line: ") for fault in candidate.faults)


@pytest.mark.parametrize(
    ("words", "alias"),
    [
        (["mcp-server-time"], "mcp-server-time"),
        (["/opt/bin/Weather_MCP"], "weather-mcp"),
        (["python3", "-m", "time_server"], "time-server"),
        (["python", "./srv/weather.py"], "weather"),
        (["uv", "run", "--directory", "/x/y", "server.py"], "server"),
        (["uvx", "--from", "git+https://x.test/a", "notes"], "notes"),
        (["docker", "run", "-i", "-e", "A=b", "ghcr.io/github/github-mcp-server:latest"], "github-mcp-server"),
        (["npx"], "npx"),
        (["ghp_abcdef1"], "server"),
        (["npx", "--api-key", "hunter2", "notes"], "notes"),
        (["npx", "https://u:hunter2@x.test/db"], "npx"),
        (["python", "-c", "a=b", "--token", "hunter2"], "python"),
        ([], "server"),
    ],
)
def test_the_alias_is_what_runs(words: list[str], alias: str) -> None:
    assert from_command_line(words, folder="/w").alias == alias


@pytest.mark.parametrize(
    ("url", "alias", "table"),
    [
        ("https://mcp.linear.app/mcp", "linear", {"url": "https://mcp.linear.app/mcp"}),
        ("https://docs.mcp.cloudflare.com/sse", "cloudflare", None),
        ("https://api.x.co.uk/mcp", "x", None),
        ("https://intranet/mcp", "intranet", None),
        ("http://127.0.0.1:3000/mcp", "local", None),
        ("http://[::1]/mcp", "local", None),
        ("http://localhost/a/sse", "local", {"url": "http://localhost/a/sse", "transport": "sse"}),
        ("https://a.test/mcp?key=abc", "a", {"url": "https://a.test/mcp?key=${A_KEY}"}),
        (
            "https://u:pw@a.test/mcp",
            "a",
            {"url": "https://a.test/mcp", "headers": {"Authorization": "Basic ${A_CREDENTIALS}"}},
        ),
    ],
)
def test_a_url_becomes_a_candidate_named_after_its_host(url: str, alias: str, table: dict[str, object] | None) -> None:
    candidate = from_url(url)
    assert (candidate.alias, candidate.client, candidate.origin, candidate.faults) == (alias, "the URL", "the URL", ())
    assert table is None or candidate.table == table


@pytest.mark.parametrize("url", ["", "x", "ftp://x.test", "https://[::1", "https://", "https://a b", "\ud800"])
def test_what_is_no_url_has_a_fault(url: str) -> None:
    candidate = from_url(url)
    assert len(candidate.faults) == 1
    assert candidate.faults[0].startswith("the URL: url ")
