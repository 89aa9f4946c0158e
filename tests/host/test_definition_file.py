"""The user's definition file, read again at each question, and what is in force while it cannot be read."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import cast

import pytest

from mcp_host.host.definition_file import DefinitionFile

ONE = '[servers.one]\ncommand = "first"\n'
KEPT = "The last good definitions stay in force."


def commands(file: DefinitionFile) -> dict[str, object]:
    tables = cast("dict[str, dict[str, object]]", file.current().tables)
    return {alias: table.get("command") for alias, table in tables.items()}


def wrong_with(file: DefinitionFile) -> str:
    """Why it cannot be read."""
    unparsable = file.current().unparsable
    assert unparsable is not None
    assert unparsable.type == "definition-unparsable"
    return unparsable.detail


@pytest.fixture
def path(tmp_path: Path) -> Path:
    path = tmp_path / "mcp.toml"
    path.write_text(ONE)
    return path


def test_an_edit_counts_at_the_next_question(path: Path) -> None:
    file = DefinitionFile(path=path)
    assert commands(file) == {"one": "first"}
    path.write_text(ONE.replace("first", "second"))
    assert commands(file) == {"one": "second"}
    source = file.current()
    assert (source.layer, source.file, source.place(("servers", "one"))) == ("user", str(path), f"{path}:1")


def test_an_edit_within_the_same_moment_and_of_the_same_length_counts(path: Path) -> None:
    file = DefinitionFile(path=path)
    assert commands(file) == {"one": "first"}
    seen = path.stat()
    path.write_text(ONE.replace("first", "fir$t"))
    os.utime(path, ns=(seen.st_atime_ns, seen.st_mtime_ns))
    assert commands(file) == {"one": "fir$t"}


def test_an_unchanged_file_is_the_very_same_source(path: Path) -> None:
    file = DefinitionFile(path=path)
    source = file.current()
    path.write_text(ONE)
    assert file.current() is source


def test_a_file_that_is_not_there_says_nothing_and_is_no_problem(tmp_path: Path) -> None:
    for place in ("none.toml", "no/such/folder/mcp.toml"):
        file = DefinitionFile(path=tmp_path / place)
        source = file.current()
        assert (source.tables, source.problems, source.unparsable, file.exists) == ({}, (), None, False)
        assert file.current() is source


def test_whether_it_exists_is_known_from_the_last_reading(tmp_path: Path) -> None:
    file = DefinitionFile(path=tmp_path / "mcp.toml")
    file.current()
    assert file.exists is False
    file.path.write_text(ONE)
    file.current()
    assert file.exists is True
    file.path.unlink()
    assert (commands(file), file.exists) == ({}, False)


def test_an_empty_file_that_is_removed_is_another_source(tmp_path: Path) -> None:
    file = DefinitionFile(path=tmp_path / "mcp.toml")
    file.path.write_text("")
    empty = file.current()
    file.path.unlink()
    assert (file.current() is empty, file.exists) == (False, False)


def test_the_last_good_definitions_stay_in_force_while_the_file_does_not_parse(path: Path) -> None:
    file = DefinitionFile(path=path)
    file.current()
    path.write_text('[servers.one]\ncommand = "first\n')
    assert commands(file) == {"one": "first"}
    assert wrong_with(file).split(": ")[0] == f"{path}:2:17"
    assert wrong_with(file).endswith(KEPT)
    source = file.current()
    assert file.current() is source
    path.write_text("[servers.one]\n\ncommand =")
    assert (commands(file), wrong_with(file).split(": ")[0]) == ({"one": "first"}, f"{path}:3:10")
    path.write_text('[servers.two]\ncommand = "second"\n')
    assert (commands(file), file.current().unparsable) == ({"two": "second"}, None)


def test_a_file_that_never_parsed_says_nothing_but_why(path: Path) -> None:
    path.write_text("[servers.one")
    file = DefinitionFile(path=path)
    assert commands(file) == {}
    assert KEPT not in wrong_with(file)


def _folder(path: Path) -> None:
    path.mkdir()  # what nobody can read as a file, not even root


def _pipe(path: Path) -> None:
    os.mkfifo(path)


@pytest.mark.parametrize(("made", "why"), [(_folder, "Is a directory"), (_pipe, "It is not a regular file")])
def test_a_file_that_cannot_be_read_any_more_keeps_the_last_good_definitions(
    path: Path, made: Callable[[Path], None], why: str
) -> None:
    file = DefinitionFile(path=path)
    file.current()
    path.unlink()
    made(path)
    assert commands(file) == {"one": "first"}
    assert wrong_with(file) == f"{path}: {why}\n{KEPT}"
    source = file.current()
    assert file.current() is source
    path.rename(path.with_name("away"))
    path.write_text(ONE)
    assert (commands(file), file.current().unparsable) == ({"one": "first"}, None)


def test_a_broken_definition_is_handed_on_as_it_stands(path: Path) -> None:
    path.write_text(f'{ONE}[servers.two]\ncomand = "misspelt"\n')
    file = DefinitionFile(path=path)
    assert (dict(file.current().tables)["two"], file.current().problems) == ({"comand": "misspelt"}, ())


@pytest.mark.parametrize("data", [b'[servers.one]\ncommand = "\xff"\n', b'[servers."\xff"]\ncommand = "x"\n', b"\xff"])
def test_a_byte_that_is_no_utf8_costs_no_exception(tmp_path: Path, data: bytes) -> None:
    path = tmp_path / "mcp.toml"
    path.write_bytes(data)
    DefinitionFile(path=path).current()


@pytest.mark.parametrize("data", [ONE.replace("\n", "\r\n").encode(), b"\xef\xbb\xbf" + ONE.encode()])
def test_the_files_of_other_systems_are_read(tmp_path: Path, data: bytes) -> None:
    path = tmp_path / "mcp.toml"
    path.write_bytes(data)
    file = DefinitionFile(path=path)
    assert (commands(file), file.current().line(("servers", "one", "command"))) == ({"one": "first"}, 2)
