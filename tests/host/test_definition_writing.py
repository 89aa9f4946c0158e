"""Servers are added to real files and removed from them: by one, by several at once, and by those who are killed."""

from __future__ import annotations

import os
import stat
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

import pytest
import tomli

from mcp_host.host.definition_writing import DefinitionWriter, Written
from mcp_host.problems import Problem, ProblemError
from tests.soak.definition_writes import run_kills, run_race

TIME: dict[str, object] = {"command": "mcp-server-time", "args": ["--utc"]}
MINE = "# mine\n[servers.'first'] # note\ncommand = 'C:\\raw'\n"


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "config" / "mcp.toml"


@pytest.fixture
def writer(tmp_path: Path) -> DefinitionWriter:
    return DefinitionWriter(locks=tmp_path / "locks")


def _write(path: Path, text: str | bytes) -> bytes:
    path.parent.mkdir(exist_ok=True)
    data = text if isinstance(text, bytes) else text.encode()
    path.write_bytes(data)
    return data


def _refused(edit: Callable[[], Written], path: Path) -> Problem:
    """The problem of an edit that changes nothing at all."""
    before = path.stat() if path.exists() else None
    with pytest.raises(ProblemError) as caught:
        edit()
    after = path.stat() if path.exists() else None
    assert (before and (before.st_ino, before.st_mtime_ns)) == (after and (after.st_ino, after.st_mtime_ns))
    assert not path.parent.exists() or {entry.name for entry in path.parent.iterdir()} <= {path.name}
    return caught.value.problem


# --- adding and removing ------------------------------------------------------------------------------------------


def test_the_first_server_makes_the_file_and_its_folder(writer: DefinitionWriter, path: Path) -> None:
    text = '[servers.time]\ncommand = "mcp-server-time"\nargs = ["--utc"]\n'
    assert writer.add(path, "time", TIME, expected=None) == Written(path=path, text=text, line=1, before=None)
    assert path.read_text() == text
    assert [stat.S_IMODE(each.stat().st_mode) for each in (path, path.parent)] == [0o600, 0o700]


def test_what_is_added_and_removed_again_leaves_the_very_file(writer: DefinitionWriter, path: Path) -> None:
    before = _write(path, "\ufeff" + MINE.replace("\n", "\r\n") + "# the end")
    added = writer.add(path, "time", TIME, expected=before)
    assert (added.line, added.before) == (6, before)
    assert path.read_bytes() == added.text.encode()
    assert added.text.startswith(before.decode())
    assert tomli.loads(added.text.removeprefix("\ufeff"))["servers"]["time"] == TIME
    removed = writer.remove(path, "time", expected=added.text.encode())
    assert removed == Written(path=path, text=before.decode(), line=6, before=added.text.encode())
    assert path.read_bytes() == before


def test_a_server_under_a_name_that_is_no_alias_can_be_removed(writer: DefinitionWriter, path: Path) -> None:
    _write(path, MINE + "\n[servers.'My Server']\nurl = 1\n")
    assert writer.remove(path, "My Server").line == 5
    assert path.read_text() == MINE


def test_inside_an_inline_table_the_server_has_that_line(writer: DefinitionWriter, path: Path) -> None:
    _write(path, "\nservers = {\n  a = {},\n}\n")
    assert writer.add(path, "time", TIME).line == 3
    assert writer.remove(path, "a").line == 3
    assert tomli.loads(path.read_text()) == {"servers": {"time": TIME}}


def test_a_link_stays_and_two_names_of_one_file_have_one_lock(
    writer: DefinitionWriter, path: Path, tmp_path: Path
) -> None:
    _write(path, MINE)
    path.chmod(0o640)
    link = tmp_path / "link.toml"
    link.symlink_to(path)
    assert writer.add(link, "time", TIME).path == link
    assert (link.is_symlink(), stat.S_IMODE(path.stat().st_mode)) == (True, 0o640)
    writer.remove(path, "time")
    assert link.read_text() == MINE
    assert len([lock for lock in writer.locks.iterdir() if lock.suffix == ".lock"]) == 1


# --- refusing -----------------------------------------------------------------------------------------------------


def test_a_server_that_is_there_is_named_with_its_line(writer: DefinitionWriter, path: Path) -> None:
    _write(path, MINE)
    problem = _refused(lambda: writer.add(path, "first", TIME), path)
    assert (problem.type, problem.alias) == ("definition-conflict", "first")
    assert f"{path}:2 " in problem.detail


def test_a_server_that_is_not_there_cannot_be_removed(writer: DefinitionWriter, path: Path) -> None:
    assert _refused(lambda: writer.remove(path, "time"), path).type == "server-unknown"
    _write(path, MINE)
    problem = _refused(lambda: writer.remove(path, "time"), path)
    assert (problem.type, problem.alias, str(path) in problem.detail) == ("server-unknown", "time", True)


@pytest.mark.parametrize("expected", [None, b"", b"[servers.first]\n"])
def test_a_file_that_was_changed_since_it_was_read_is_not_written(
    writer: DefinitionWriter, path: Path, expected: bytes | None
) -> None:
    _write(path, MINE)
    for edit in (
        lambda: writer.add(path, "time", TIME, expected=expected),
        lambda: writer.remove(path, "first", expected=expected),
    ):
        problem = _refused(edit, path)
        assert (problem.type, str(path) in problem.detail) == ("definition-conflict", True)


class _Meddling(Mapping[str, object]):
    """A table in the hands of an editor that takes no lock: it writes the file while the change is being made."""

    def __init__(self, path: Path) -> None:
        self._path = path

    def __getitem__(self, name: str) -> object:
        return TIME[name]

    def __len__(self) -> int:
        return len(TIME)

    def __iter__(self) -> Iterator[str]:
        with self._path.open("a") as file:
            file.write("# me too\n")
        return iter(TIME)


def test_a_file_that_is_changed_while_the_change_is_made_keeps_what_the_other_wrote(
    writer: DefinitionWriter, path: Path
) -> None:
    _write(path, MINE)
    with pytest.raises(ProblemError) as caught:
        writer.add(path, "time", _Meddling(path))
    assert caught.value.problem.type == "definition-conflict"
    text = path.read_text()
    assert set(text.removeprefix(MINE).splitlines()) == {"# me too"}
    assert [entry.name for entry in path.parent.iterdir()] == [path.name]


def test_a_file_that_came_or_went_since_it_was_read_was_changed(writer: DefinitionWriter, path: Path) -> None:
    problem = _refused(lambda: writer.add(path, "time", TIME, expected=b""), path)
    assert problem.type == "definition-conflict"


@pytest.mark.parametrize(
    ("text", "place"),
    [
        (b"[servers.time\n", ":1:14"),
        (b"a = 1\n\na = 'token-in-here'\n", ":3:"),
        (b"# fine\nname = '\xff'\n", ":2: "),
        (b"a = " + b"[" * 5000 + b"]" * 5000, ": "),
    ],
)
def test_a_file_that_is_not_toml_is_never_touched(
    writer: DefinitionWriter, path: Path, text: bytes, place: str
) -> None:
    _write(path, text)
    for edit in (lambda: writer.add(path, "time", TIME), lambda: writer.remove(path, "time")):
        problem = _refused(edit, path)
        assert problem.type == "definition-unparsable"
        assert f"{path}{place}" in problem.detail
        assert "token" not in str(problem)
    assert path.read_bytes() == text


def test_a_file_that_cannot_be_edited_safely_is_named_with_the_line(writer: DefinitionWriter, path: Path) -> None:
    _write(path, "a = 1\n[[servers]]\n")
    problem = _refused(lambda: writer.add(path, "time", TIME), path)
    assert problem.type == "definition-conflict"
    assert f"{path}:2: " in problem.detail
    assert problem.hint == f"Edit {path}:2 by hand."


@pytest.mark.parametrize(
    ("table", "said"),
    [
        ({}, "has neither command nor url"),
        ({"command": "x", "argv": []}, "servers.time.argv"),
        ({"command": "x", "env": {"API_TOKEN": "hunter2"}}, "servers.time.env.API_TOKEN"),
        ({"command": "x", "cwd": None}, "servers.time.cwd has no form in TOML"),
    ],
)
def test_a_definition_that_would_not_be_read_is_not_written(
    writer: DefinitionWriter, path: Path, table: dict[str, object], said: str
) -> None:
    problem = _refused(lambda: writer.add(path, "time", table), path)
    assert (problem.type, problem.alias) == ("definition-invalid", "time")
    assert said in problem.detail
    assert "hunter2" not in str(problem)
    assert not path.exists()


def test_all_faults_of_a_definition_are_said_at_once(writer: DefinitionWriter, path: Path) -> None:
    problem = _refused(lambda: writer.add(path, "X", {"command": "x", "argv": [], "tools": 1}), path)
    assert [word in problem.detail for word in ("is no alias", "argv", "tools")] == [True] * 3
    assert problem.title == 'Server "X" was not added: 3 faults in its definition'


def test_what_is_marked_as_not_to_be_written_is_not(writer: DefinitionWriter, path: Path) -> None:
    _write(path, MINE)
    path.chmod(0o444)
    problem = _refused(lambda: writer.add(path, "time", TIME), path)
    assert (problem.type, problem.detail) == ("definition-conflict", f"{path}: Permission denied")
    path.chmod(0o644)
    path.parent.chmod(0o555)
    try:
        problem = _refused(lambda: writer.remove(path, "first"), path)
    finally:
        path.parent.chmod(0o755)
    assert (problem.type, problem.detail) == ("definition-conflict", f"{path}: Permission denied ({path.parent})")


def test_what_is_no_file_is_not_read(writer: DefinitionWriter, path: Path) -> None:
    path.parent.mkdir()
    os.mkfifo(path)
    problem = _refused(lambda: writer.add(path, "time", TIME), path)
    assert (problem.type, problem.detail) == ("definition-unparsable", f"{path}: It is not a regular file")


# --- others at the same time --------------------------------------------------------------------------------------


def test_two_processes_that_add_five_hundred_servers_each_lose_none_and_show_no_half_file(tmp_path: Path) -> None:
    race = run_race(tmp_path, writers=2, each=500)
    assert (race.added, race.lost, race.spoilt) == (1000, 0, 0)
    assert race.reads > 100


def test_a_writer_that_is_killed_leaves_the_old_file_or_the_new_one(tmp_path: Path) -> None:
    kills = run_kills(tmp_path, 200)
    assert (kills.kills, kills.spoilt, kills.piled_up) == (200, 0, 0)
    assert kills.old + kills.new == 200
    assert min(kills.old, kills.new, kills.left_over) > 10
