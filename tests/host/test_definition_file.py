"""The definition file, read again at each question, and what is in force while it cannot be read."""

from __future__ import annotations

from pathlib import Path

import pytest

from mcp_host.host.definition_file import DefinitionFile
from mcp_host.problems import Problem, ProblemError

ONE = '[servers.one]\ncommand = "first"\n'


def commands(file: DefinitionFile) -> dict[str, object]:
    return {alias: getattr(one.definition, "command", None) for alias, one in file.current().definitions.items()}


def problem_about(file: DefinitionFile, alias: str) -> Problem:
    with pytest.raises(ProblemError) as caught:
        file.defined(alias)
    return caught.value.problem


def test_an_edit_counts_at_the_next_question(tmp_path: Path) -> None:
    path = tmp_path / "mcp.toml"
    path.write_text(ONE)
    file = DefinitionFile(path=path)
    assert commands(file) == {"one": "first"}
    path.write_text(ONE.replace("first", "second"))
    assert commands(file) == {"one": "second"}


def test_an_unchanged_file_is_not_read_into_a_new_document(tmp_path: Path) -> None:
    path = tmp_path / "mcp.toml"
    path.write_text(ONE)
    file = DefinitionFile(path=path)
    assert file.current() is file.current()


def test_a_file_that_is_not_there_defines_nothing_and_is_no_problem(tmp_path: Path) -> None:
    file = DefinitionFile(path=tmp_path / "none.toml")
    document = file.current()
    assert (document.definitions, document.problems, document.unparsable) == ({}, (), None)
    problem = problem_about(file, "one")
    assert (problem.type, problem.exit_code) == ("server-unknown", 3)
    assert problem.detail.endswith("No server is defined there.")


def test_the_last_good_definitions_stay_in_force_while_the_file_does_not_parse(tmp_path: Path) -> None:
    path = tmp_path / "mcp.toml"
    path.write_text(ONE)
    file = DefinitionFile(path=path)
    file.current()
    path.write_text('[servers.one]\ncommand = "first\n')
    assert commands(file) == {"one": "first"}
    unparsable = file.current().unparsable
    assert unparsable is not None
    assert (unparsable.type, unparsable.detail.split(": ")[0]) == ("definition-unparsable", f"{path}:2:17")
    assert problem_about(file, "two") == unparsable
    path.write_text('[servers.two]\ncommand = "second"\n')
    assert commands(file) == {"two": "second"}
    assert file.current().unparsable is None


def test_a_file_that_never_parsed_defines_nothing_and_says_why(tmp_path: Path) -> None:
    path = tmp_path / "mcp.toml"
    path.write_text("[servers.one")
    file = DefinitionFile(path=path)
    assert commands(file) == {}
    assert problem_about(file, "one").type == "definition-unparsable"


def test_a_file_that_cannot_be_read_any_more_keeps_the_last_good_definitions(tmp_path: Path) -> None:
    path = tmp_path / "mcp.toml"
    path.write_text(ONE)
    file = DefinitionFile(path=path)
    file.current()
    path.unlink()
    path.mkdir()  # what nobody can read as a file, not even root
    assert commands(file) == {"one": "first"}
    problem = problem_about(file, "two")
    kept = "The last good definitions stay in force."
    assert (problem.type, problem.detail) == ("definition-unparsable", f"{path}: Is a directory\n{kept}")
    path.rmdir()
    path.write_text(ONE)
    assert file.current().unparsable is None


def test_a_broken_definition_is_named_with_its_line_and_disturbs_no_other(tmp_path: Path) -> None:
    path = tmp_path / "mcp.toml"
    path.write_text(f'{ONE}[servers.two]\ncomand = "misspelt"\n')
    file = DefinitionFile(path=path)
    assert file.defined("one").alias == "one"
    problem = problem_about(file, "two")
    assert problem.type == "definition-invalid"
    assert f"{path}:4" in "".join((problem.detail, *(cause.detail for cause in problem.causes)))


def test_a_byte_that_is_no_utf8_costs_no_exception(tmp_path: Path) -> None:
    path = tmp_path / "mcp.toml"
    path.write_bytes(b'[servers.one]\ncommand = "\xff"\n')
    DefinitionFile(path=path).current()
