"""The files of other clients are read within bounds, and what cannot be read is said."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from mcp_host.host import probing_files
from mcp_host.host.probing_files import CANDIDATES_LIMIT, SIZE_LIMIT, WORKSPACE_LIMIT, Offers, read_files


def offers(*paths: Path) -> Offers:
    return read_files([str(path) for path in paths], folder="/w", home="/home/me")


def servers(*names: str) -> str:
    return json.dumps({"mcpServers": {name: {"command": "x"} for name in names}})


def test_files_are_read_in_order_each_once_and_absent_ones_are_passed_over(tmp_path: Path) -> None:
    first, second, link = tmp_path / "a.json", tmp_path / "b.json", tmp_path / "c.json"
    first.write_text(servers("one", "two"))
    second.write_text(servers("three"))
    link.symlink_to(first)
    found = offers(second, tmp_path / "absent.json", first, link, second)
    assert [candidate.alias for candidate in found.candidates] == ["three", "one", "two"]
    assert (found.problems, found.files) == ((), 2)


def test_what_is_no_file_that_can_be_read_is_a_problem_and_the_others_are_read(tmp_path: Path) -> None:
    folder, pipe, dangling, good = (tmp_path / name for name in ("f.json", "p.json", "d.json", "g.json"))
    folder.mkdir()
    os.mkfifo(pipe)
    dangling.symlink_to(tmp_path / "nowhere")
    good.write_text(servers("one"))
    found = offers(folder, pipe, dangling, good)
    assert [candidate.alias for candidate in found.candidates] == ["one"]
    assert [problem.type for problem in found.problems] == ["definition-unparsable"] * 3
    assert "not a regular file" in found.problems[1].detail


def test_a_file_that_is_too_large_is_not_read_unless_it_is_one_that_holds_a_history(tmp_path: Path) -> None:
    large, history = tmp_path / "x.json", tmp_path / ".claude.json"
    text = json.dumps({"mcpServers": {"one": {"command": "x"}}, "history": "x" * SIZE_LIMIT})
    large.write_text(text)
    history.write_text(text)
    found = offers(large, history)
    assert [candidate.alias for candidate in found.candidates] == ["one"]
    assert [problem.detail for problem in found.problems] == [
        f"{large}: it has more than 2048 KiB, which no client's list of servers has"
    ]


def test_a_file_of_the_workspace_may_have_come_from_anybody_and_is_read_within_less(tmp_path: Path) -> None:
    work, home = tmp_path / "work", tmp_path
    work.mkdir()
    text = json.dumps({"mcpServers": {"one": {"command": "x"}}, "history": "x" * WORKSPACE_LIMIT})
    for folder in (work, home):
        (folder / ".claude.json").write_text(text)
    paths = [str(folder / ".claude.json") for folder in (work, home)]
    found = read_files(paths, folder=str(work), home=str(home))
    assert [candidate.origin for candidate in found.candidates] == [f"{home}/.claude.json:1"]
    assert [problem.detail for problem in found.problems] == [
        f"{work}/.claude.json: it has more than 64 KiB, which no client's list of servers has"
    ]
    assert read_files(paths[1:], folder=str(home), home=str(home)).problems == ()


def test_a_history_has_a_limit_too(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(probing_files, "HISTORY_LIMIT", 1024 * 1024)
    (tmp_path / ".claude.json").write_text(" " * (1024 * 1024 + 1))
    assert [problem.type for problem in offers(tmp_path / ".claude.json").problems] == ["definition-unparsable"]


def test_of_very_many_servers_the_first_are_taken_and_it_is_said(tmp_path: Path) -> None:
    file = tmp_path / "x.json"
    file.write_text(servers(*(f"s{number}" for number in range(CANDIDATES_LIMIT + 1))))
    found = offers(file)
    assert len(found.candidates) == CANDIDATES_LIMIT
    assert found.problems[0].title == f"Only the first {CANDIDATES_LIMIT} of {CANDIDATES_LIMIT + 1} servers are shown"


def test_a_file_that_is_not_utf_8_loses_nothing_else(tmp_path: Path) -> None:
    file = tmp_path / "x.json"
    file.write_bytes(b"// caf\xe9\n" + servers("one").encode())
    assert [candidate.alias for candidate in offers(file).candidates] == ["one"]
