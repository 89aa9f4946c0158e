"""What the words behind `:McpDiscover` mean."""

from __future__ import annotations

from pathlib import Path

import pytest

from mcp_host.host.probing_targets import CommandTarget, FileTarget, Target, UrlTarget, read_target
from mcp_host.problems import ProblemError


def read(text: str, folder: Path) -> Target:
    """With the files `a b.json`, `x.TOML` and `run` in the folder, and `home/.claude.json`."""
    (folder / "home").mkdir()
    for name in ("a b.json", "x.TOML", "run", "home/.claude.json"):
        (folder / name).touch()
    return read_target(text, folder=folder, home=folder / "home")


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("a b.json", "a b.json"),
        ("'a b.json'", "a b.json"),
        ("a\\ b.json", "a b.json"),
        ("./x.TOML", "x.TOML"),
        ("home/../x.TOML", "x.TOML"),
        ("  ~/.claude.json  ", "home/.claude.json"),
        ("{folder}/x.TOML", "x.TOML"),
    ],
)
def test_the_path_of_a_file_that_is_there_is_a_file_whether_quoted_or_not(tmp_path: Path, text: str, name: str) -> None:
    assert read(text.format(folder=tmp_path), tmp_path) == FileTarget(path=tmp_path / name)


@pytest.mark.parametrize("url", ["https://example.com/mcp.json", "HTTP://x", "file:///etc/passwd", "http://a b"])
def test_whatever_has_a_scheme_is_a_url(tmp_path: Path, url: str) -> None:
    assert read(url, tmp_path) == UrlTarget(url=url)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("run", ("run",)),
        ("./run", ("./run",)),
        ('npx -y \'a b\' "c\\"d" e\\ f', ("npx", "-y", "a b", 'c"d', "e f")),
        ("uvx thing --config absent.json", ("uvx", "thing", "--config", "absent.json")),
        ("uvx thing --config x.TOML", ("uvx", "thing", "--config", "x.TOML")),
        ("URL=https://x.test server", ("URL=https://x.test", "server")),
        ("server # not a comment", ("server", "#", "not", "a", "comment")),
    ],
)
def test_everything_else_is_the_words_of_a_command_line(tmp_path: Path, text: str, words: tuple[str, ...]) -> None:
    assert read(text, tmp_path) == CommandTarget(words=words)


@pytest.mark.parametrize("text", ["absent.json", "'no such.toml'", "/nowhere/mcp.JSON", "~/absent.json5", "nul\0.json"])
def test_a_file_that_is_not_there_is_a_usage_problem_and_no_program(tmp_path: Path, text: str) -> None:
    with pytest.raises(ProblemError) as caught:
        read(text, tmp_path)
    assert caught.value.problem.type == "usage"


@pytest.mark.parametrize("text", ["server 'secret", 'server "secret', "server secret\\"])
def test_words_that_do_not_end_are_a_usage_problem_that_quotes_nothing(tmp_path: Path, text: str) -> None:
    with pytest.raises(ProblemError) as caught:
        read(text, tmp_path)
    assert caught.value.problem.type == "usage"
    assert "secret" not in caught.value.problem.model_dump_json()


def test_the_words_are_in_no_repr(tmp_path: Path) -> None:
    assert "secret" not in repr(read("server --token secret", tmp_path))
    assert "secret" not in repr(read_target("https://u:secret@x.test", folder=tmp_path, home=tmp_path))
