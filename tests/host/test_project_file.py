"""The project's file: where it is, what it says now, and whether that is what a person said yes to."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable
from pathlib import Path

import pytest

from mcp_host.core.definitions.sources import Source
from mcp_host.host.project_file import PROJECT_FILE, SERVERS_LIMIT, SIZE_LIMIT, ProjectFile, workspace_of
from mcp_host.host.trust_records import TrustRecord, TrustRecords
from tests.host.project_support import write_project

ONE = '[servers.one]\ncommand = "first"\n'


def reading(folder: Path, records: TrustRecords) -> ProjectFile:
    return ProjectFile(folder=folder, records=records, below=lambda _: "")


def in_folder(folder: Path) -> ProjectFile:
    return reading(folder, TrustRecords(folder=folder / "state"))


def approve(file: ProjectFile) -> None:
    """A yes to what the file says now."""
    now = file.now()
    said = TrustRecord(file=str(now.file), decision="approved", decided_at="then", digest=now.digest)
    file.records.keep(said)


def why_unreadable(file: ProjectFile) -> str:
    now = file.current()
    assert (now.state, now.source, now.digest, now.data) == ("unreadable", None, "", b"")
    assert now.problem is not None
    assert now.problem.type == "definition-unparsable"
    return now.problem.detail.removeprefix(f"{now.file}: ")


# --- where it is --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("made", "workspace"),
    [
        ((), "a/b/c"),
        ((".git/",), "."),
        (("a/.git/", ".git/"), "a"),
        (("a/.git",), "a"),  # a worktree's is a file
        (("a/.nvim/mcp.toml", ".nvim/mcp.toml"), "a"),
        (("a/.nvim/mcp.toml", "a/.git/"), "a"),
        (("a/.nvim/mcp.toml", "a/b/.git/"), "a/b"),
        (("a/.git/", "a/b/.nvim/mcp.toml"), "a"),
        (("a/b/c/.nvim/mcp.toml",), "a/b/c"),
        (("a/.nvim/init.lua", ".git/"), "."),
        (("a/.nvim", ".git/"), "."),
    ],
)
def test_the_workspace_is_the_nearest_repository_and_its_file_the_nearest_there_is(
    tmp_path: Path, made: tuple[str, ...], workspace: str
) -> None:
    folder = tmp_path / "a" / "b" / "c"
    folder.mkdir(parents=True)
    for path in made:
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        if path.endswith("/"):
            (tmp_path / path).mkdir()
        else:
            (tmp_path / path).write_text("")
    assert workspace_of(folder) == tmp_path / workspace
    nearest = [name for name in made if name.endswith("/mcp.toml")][:1]
    assert in_folder(folder).path == tmp_path / (nearest[0] if nearest else Path(workspace) / PROJECT_FILE)


def test_a_link_that_leads_nowhere_marks_the_workspace_and_is_an_absent_file(tmp_path: Path) -> None:
    (tmp_path / "a").mkdir()
    (tmp_path / ".nvim").mkdir()
    (tmp_path / PROJECT_FILE).symlink_to("nowhere")
    file = in_folder(tmp_path / "a")
    assert (workspace_of(tmp_path / "a"), file.current().state) == (tmp_path, "absent")


# --- what it says, and whether it is trusted ----------------------------------------------------------------------


def test_a_file_that_nobody_was_asked_about_is_untrusted_and_read(tmp_path: Path) -> None:
    write_project(tmp_path, ONE)
    now = in_folder(tmp_path).current()
    assert (now.state, now.data, len(now.digest)) == ("untrusted", ONE.encode(), 64)
    assert (now.real_path, now.record, now.problem) == (str(tmp_path / PROJECT_FILE), None, None)
    assert now.source is not None
    assert (now.source.layer, list(now.source.tables), now.source.line(("servers", "one"))) == ("project", ["one"], 1)


def test_a_reading_is_the_very_same_until_the_file_or_what_was_said_changes(tmp_path: Path) -> None:
    write_project(tmp_path, ONE)
    file = in_folder(tmp_path)
    first = file.current()
    assert file.current() is first
    write_project(tmp_path, ONE)  # the same bytes once more
    assert file.current() is first
    approve(file)
    trusted = file.current()
    assert (trusted.state, file.current() is trusted) == ("trusted", True)
    write_project(tmp_path, "")
    assert file.current() is not trusted


def test_any_changed_byte_asks_again_and_the_text_put_back_is_trusted_again(tmp_path: Path) -> None:
    path = write_project(tmp_path, ONE)
    file = in_folder(tmp_path)
    approve(file)
    whole = ONE.encode()
    for index, byte in enumerate(whole):
        path.write_bytes(whole[:index] + bytes([byte ^ 1]) + whole[index + 1 :])
        assert file.current().state == "changed"
    for other in (b"", b"\xef\xbb\xbf" + whole, whole + b"\n", whole[:-1], whole.replace(b"\n", b"\r\n")):
        path.write_bytes(other)
        assert file.current().state == "changed"
    path.write_bytes(whole)
    assert file.current().state == "trusted"


def test_a_yes_is_to_one_path_and_not_to_a_copy_elsewhere(tmp_path: Path) -> None:
    records = TrustRecords(folder=tmp_path / "state")
    for name in ("one", "two"):
        (tmp_path / name).mkdir()
        write_project(tmp_path / name, ONE)
    approve(reading(tmp_path / "one", records))
    states = [reading(tmp_path / name, records).current().state for name in ("one", "two")]
    assert states == ["trusted", "untrusted"]


@pytest.mark.parametrize("linked", [".nvim", ".nvim/mcp.toml"])
def test_a_link_swapped_to_the_same_text_elsewhere_asks_again(tmp_path: Path, linked: str) -> None:
    target = "mcp.toml" if linked == ".nvim/mcp.toml" else ""
    for name in ("one", "two"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "mcp.toml").write_text(ONE)
    link = tmp_path / linked
    link.parent.mkdir(exist_ok=True)
    link.symlink_to(tmp_path / "one" / target)
    file = in_folder(tmp_path)
    approve(file)
    now = file.current()
    assert (now.state, now.file, now.real_path) == (
        "trusted",
        tmp_path / PROJECT_FILE,
        str(tmp_path / "one" / "mcp.toml"),
    )
    link.unlink()
    link.symlink_to(tmp_path / "two" / target)
    assert (file.current().state, file.current().real_path) == ("changed", str(tmp_path / "two" / "mcp.toml"))
    link.unlink()
    link.symlink_to(tmp_path / "one" / target)
    assert file.current().state == "trusted"


def test_an_ignored_file_stays_ignored_whatever_it_says(tmp_path: Path) -> None:
    path = write_project(tmp_path, ONE)
    file = in_folder(tmp_path)
    file.records.keep(TrustRecord(file=str(path), decision="ignored", decided_at="then"))
    assert file.current().state == "ignored"
    write_project(tmp_path, "x")
    assert file.current().state == "ignored"


def test_a_file_that_is_gone_and_comes_back_with_the_same_text_is_still_trusted(tmp_path: Path) -> None:
    path = write_project(tmp_path, ONE)
    file = in_folder(tmp_path)
    approve(file)
    path.unlink()
    assert file.current().state == "absent"
    write_project(tmp_path, ONE)
    assert file.current().state == "trusted"


def test_bytes_that_are_no_utf8_cost_no_exception_and_are_what_a_yes_is_to(tmp_path: Path) -> None:
    path = write_project(tmp_path, ONE)
    path.write_bytes(b"# caf\xe9\n" + ONE.encode())
    file = in_folder(tmp_path)
    approve(file)
    assert file.current().state == "trusted"
    path.write_bytes(b"# caf\xe8\n" + ONE.encode())
    assert file.current().state == "changed"


def test_a_file_that_does_not_parse_is_read_and_says_nothing(tmp_path: Path) -> None:
    write_project(tmp_path, "[servers.one")
    now = in_folder(tmp_path).current()
    assert (now.state, now.problem) == ("untrusted", None)
    assert now.source is not None
    assert now.source.unparsable is not None


def test_a_file_that_is_held_counts_as_it_was_until_it_is_let_go(tmp_path: Path) -> None:
    write_project(tmp_path, ONE)
    file = in_folder(tmp_path)
    approve(file)
    with file.held() as before:
        write_project(tmp_path, ONE + "# more\n")
        assert (file.current() is before, file.now().state, file.current().state) == (True, "changed", "trusted")
        approve(file)
        assert file.now().state == "trusted"
    assert (file.current().state, file.current().data) == ("trusted", f"{ONE}# more\n".encode())
    with pytest.raises(ZeroDivisionError), file.held():
        raise ZeroDivisionError
    write_project(tmp_path, ONE)
    assert file.current().state == "changed"


def test_a_file_that_is_held_is_not_the_one_of_another_folder(tmp_path: Path) -> None:
    for name in ("one", "two"):
        (tmp_path / name).mkdir()
        write_project(tmp_path / name, f"# {name}\n")
    file = in_folder(tmp_path / "one")
    with file.held():
        file.folder = tmp_path / "two"
        assert file.current().data == b"# two\n"


# --- what lies in its place ---------------------------------------------------------------------------------------


def _pipe(path: Path) -> None:
    os.mkfifo(path)


def _pipe_behind_a_link(path: Path) -> None:
    os.mkfifo(path.with_name("pipe"))
    path.symlink_to("pipe")


def _endless(path: Path) -> None:
    path.symlink_to("/dev/zero")


def _link_to_itself(path: Path) -> None:
    path.symlink_to(path.name)


def _folder(path: Path) -> None:
    path.mkdir()


def _too_great(path: Path) -> None:
    path.write_bytes(b"#" * (SIZE_LIMIT + 1))


@pytest.mark.parametrize(
    ("made", "why"),
    [
        (_pipe, "It is not a regular file"),
        (_pipe_behind_a_link, "It is not a regular file"),
        (_endless, "It is not a regular file"),
        (_folder, "Is a directory"),
        (_link_to_itself, "Too many levels of symbolic links"),
        (_too_great, f"it has more than {SIZE_LIMIT} bytes"),
    ],
)
def test_what_is_no_file_of_definitions_is_a_problem_and_nothing_is_waited_for(
    tmp_path: Path, made: Callable[[Path], None], why: str
) -> None:
    (tmp_path / ".nvim").mkdir()
    made(tmp_path / PROJECT_FILE)
    file = in_folder(tmp_path)
    assert why_unreadable(file) == why
    assert file.current() is file.current()


def test_the_greatest_file_is_read(tmp_path: Path) -> None:
    text = ONE + "#" * (SIZE_LIMIT - len(ONE))
    write_project(tmp_path, text)
    assert in_folder(tmp_path).current().state == "untrusted"


def test_a_file_in_the_place_of_the_folder_is_no_project_file(tmp_path: Path) -> None:
    (tmp_path / ".nvim").write_text("")
    assert in_folder(tmp_path).current().state == "absent"


def test_a_file_that_is_replaced_while_it_is_read_is_never_trusted_by_the_other_ones_text(tmp_path: Path) -> None:
    path = write_project(tmp_path, ONE)
    file = in_folder(tmp_path)
    approve(file)
    evil = ONE.replace("first", "other")
    stopped = threading.Event()

    def swap() -> None:
        beside = path.with_name("beside")
        while not stopped.is_set():
            for text in (evil, ONE):
                beside.write_text(text)
                os.replace(beside, path)

    swapping = threading.Thread(target=swap)
    swapping.start()
    seen: set[tuple[str, bytes]] = set()
    try:
        for _ in range(20_000):
            now = file.current()
            seen.add((now.state, now.data))
            if {state for state, _ in seen} >= {"trusted", "changed"}:
                break
    finally:
        stopped.set()
        swapping.join()
    assert seen >= {("trusted", ONE.encode()), ("changed", evil.encode())}
    assert seen <= {("trusted", ONE.encode()), ("changed", evil.encode()), ("unreadable", b"")}


def test_a_file_of_too_many_servers_is_not_parsed_again_while_its_bytes_are_the_same(tmp_path: Path) -> None:
    path = write_project(tmp_path, "".join(f"[servers.s{number}]\n" for number in range(SERVERS_LIMIT + 1)))
    parsed: list[Source] = []

    def note(source: Source) -> str:
        parsed.append(source)
        return ""

    file = ProjectFile(folder=tmp_path, records=TrustRecords(folder=tmp_path / "state"), below=note)
    assert [file.current().state for _ in range(3)] == ["unreadable"] * 3
    assert len(parsed) == 1
    path.write_text(ONE)
    assert file.current().state == "untrusted"
