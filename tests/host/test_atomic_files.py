"""A file is replaced whole, keeps what is not its content, and is written by one at a time."""

from __future__ import annotations

import errno
import fcntl
import os
import resource
import signal
import stat
import struct
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Event

import pytest

from mcp_host.host.atomic_files import ChangedMeanwhile, locked, read_if_there, write_atomically
from mcp_host.problems import ProblemError

WAIT_SECONDS = 20


def _names(folder: Path) -> list[str]:
    return sorted(entry.name for entry in folder.iterdir())


def _mode(path: Path) -> int:
    return stat.S_IMODE(path.stat(follow_symlinks=False).st_mode)


# --- writing ------------------------------------------------------------------------------------------------------


def test_a_new_file_and_its_missing_folders_are_their_owners_alone(tmp_path: Path) -> None:
    path = tmp_path / "one" / "two" / "mcp.toml"
    write_atomically(path, b"new\r\n\xff")
    assert path.read_bytes() == b"new\r\n\xff"
    assert [_mode(each) for each in (path, path.parent, path.parent.parent)] == [0o600, 0o700, 0o700]
    assert _names(path.parent) == ["mcp.toml"]


def test_a_new_file_can_be_given_another_mode_whatever_the_umask(tmp_path: Path) -> None:
    before = os.umask(0o077)
    try:
        write_atomically(tmp_path / "x", b"", mode_if_new=0o644)
    finally:
        os.umask(before)
    assert _mode(tmp_path / "x") == 0o644


@pytest.mark.parametrize("mode", [0o600, 0o644, 0o660, 0o200, 0o700])
def test_a_file_keeps_its_mode(tmp_path: Path, mode: int) -> None:
    path = tmp_path / "x"
    path.write_bytes(b"old")
    path.chmod(mode)
    write_atomically(path, b"new", mode_if_new=0o604)
    assert _mode(path) == mode
    path.chmod(0o600)
    assert path.read_bytes() == b"new"


@pytest.mark.skipif(os.geteuid() != 0, reason="only a superuser can give a file to somebody else")
def test_a_file_keeps_its_owner_and_its_group(tmp_path: Path) -> None:
    path = tmp_path / "x"
    path.write_bytes(b"old")
    os.chown(path, 4321, 5432)
    path.chmod(0o640)
    write_atomically(path, b"new")
    found = path.stat()
    assert (found.st_uid, found.st_gid, _mode(path)) == (4321, 5432, 0o640)


@pytest.mark.skipif(sys.platform != "linux", reason="access lists are an attribute on Linux only")
def test_a_file_keeps_its_access_list_and_gets_none_that_it_lacked(tmp_path: Path) -> None:
    # The owner reads and writes, and so does user 4321; the group may do nothing, which the mode alone would not say.
    entries = [
        (0x01, 6, 0xFFFFFFFF),
        (0x02, 6, 4321),
        (0x04, 0, 0xFFFFFFFF),
        (0x10, 6, 0xFFFFFFFF),
        (0x20, 0, 0xFFFFFFFF),
    ]
    listed = struct.pack("<I", 2) + b"".join(struct.pack("<HHI", *entry) for entry in entries)
    path, plain = tmp_path / "x", tmp_path / "plain"
    path.write_bytes(b"old")
    plain.write_bytes(b"old")
    try:
        os.setxattr(path, "system.posix_acl_access", listed)
        os.setxattr(tmp_path, "system.posix_acl_default", listed)
    except OSError:
        pytest.skip("this file system has no access lists")
    write_atomically(path, b"new")
    write_atomically(plain, b"new")
    assert (_mode(path), os.getxattr(path, "system.posix_acl_access")) == (0o660, listed)
    assert "system.posix_acl_access" not in os.listxattr(plain)


def test_what_a_link_points_to_is_replaced_and_the_link_stays(tmp_path: Path) -> None:
    dotfiles, target = tmp_path / "dotfiles", tmp_path / "dotfiles" / "real.toml"
    dotfiles.mkdir()
    target.write_bytes(b"old")
    (tmp_path / "middle").symlink_to("dotfiles/real.toml")
    (tmp_path / "link").symlink_to(tmp_path / "middle")
    write_atomically(tmp_path / "link", b"new")
    assert target.read_bytes() == b"new"
    assert [(tmp_path / name).is_symlink() for name in ("link", "middle")] == [True, True]
    assert (_names(tmp_path), _names(dotfiles)) == (["dotfiles", "link", "middle"], ["real.toml"])


def test_what_a_link_points_to_is_made_where_it_is_missing(tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to("away/real.toml")
    write_atomically(tmp_path / "link", b"new")
    assert (tmp_path / "link").is_symlink()
    assert (tmp_path / "away" / "real.toml").read_bytes() == b"new"


def test_what_is_no_regular_file_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "folder").mkdir()
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "loop").symlink_to("loop")
    for name in ("folder", "pipe", "loop"):
        with pytest.raises(OSError, match=r"\[Errno") as caught:
            write_atomically(tmp_path / name, b"new")
        assert caught.value.errno == errno.EINVAL
    assert _names(tmp_path) == ["folder", "loop", "pipe"]
    assert ((tmp_path / "folder").is_dir(), (tmp_path / "pipe").is_fifo()) == (True, True)


def test_a_file_that_nobody_may_write_is_not_replaced_either(tmp_path: Path) -> None:
    path = tmp_path / "x"
    path.write_bytes(b"old")
    path.chmod(0o444)
    with pytest.raises(PermissionError):
        write_atomically(path, b"new")
    assert (path.read_bytes(), _names(tmp_path)) == (b"old", ["x"])


@pytest.mark.parametrize("name", ["x", "new"])
def test_nothing_is_written_to_a_folder_that_nobody_may_write(tmp_path: Path, name: str) -> None:
    folder = tmp_path / "folder"
    folder.mkdir()
    (folder / "x").write_bytes(b"old")
    folder.chmod(0o555)
    try:
        with pytest.raises(PermissionError):
            write_atomically(folder / name, b"new")
        assert ((folder / "x").read_bytes(), _names(folder)) == (b"old", ["x"])
    finally:
        folder.chmod(0o700)


def test_a_write_that_fails_midway_leaves_the_old_bytes_and_nothing_else(tmp_path: Path) -> None:
    path = tmp_path / "x"
    path.write_bytes(b"old")
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (100_000, hard))
    try:
        with pytest.raises(OSError, match=os.strerror(errno.EFBIG)):
            write_atomically(path, b"new" * 100_000)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
    assert (path.read_bytes(), _names(tmp_path)) == (b"old", ["x"])


@pytest.mark.parametrize(("there", "replacing"), [(b"other", b"old"), (b"other", None), (None, b"old"), (None, b"")])
def test_what_is_not_what_was_to_be_replaced_stays(
    tmp_path: Path, there: bytes | None, replacing: bytes | None
) -> None:
    path = tmp_path / "x"
    if there is not None:
        path.write_bytes(there)
    with pytest.raises(ChangedMeanwhile):
        write_atomically(path, b"new", replacing=replacing)
    assert read_if_there(path) == there
    assert _names(tmp_path) == ([] if there is None else ["x"])


def test_what_was_to_be_replaced_is(tmp_path: Path) -> None:
    path = tmp_path / "x"
    write_atomically(path, b"one", replacing=None)
    write_atomically(path, b"two", replacing=b"one")
    assert path.read_bytes() == b"two"


def test_what_a_killed_writer_left_goes_with_the_next_write_and_what_others_hold_does_not(tmp_path: Path) -> None:
    path = tmp_path / "x"
    dead, held = tmp_path / f".x.{'0' * 16}.mcp-host-new", tmp_path / f".x.{'1' * 16}.mcp-host-new"
    others = [".x.mcp-host-new", f".y.{'0' * 16}.mcp-host-new", f".x.{'0' * 16}.swp", f".x.{'g' * 16}.mcp-host-new"]
    for name in [dead.name, held.name, *others]:
        (tmp_path / name).write_bytes(b"half")
    (tmp_path / f".x.{'2' * 16}.mcp-host-new").symlink_to("y")
    with held.open("rb") as holder:
        fcntl.flock(holder, fcntl.LOCK_EX)
        write_atomically(path, b"new")
    assert _names(tmp_path) == sorted(["x", held.name, f".x.{'2' * 16}.mcp-host-new", *others])
    write_atomically(path, b"newer")
    assert not held.exists()


def test_reading_tells_no_file_from_an_empty_one_and_from_what_is_none(tmp_path: Path) -> None:
    (tmp_path / "empty").touch()
    assert (read_if_there(tmp_path / "absent"), read_if_there(tmp_path / "empty")) == (None, b"")
    os.mkfifo(tmp_path / "pipe")
    for path, why in ((tmp_path, "Is a directory"), (tmp_path / "pipe", "not a regular file")):
        with pytest.raises(OSError, match=why):
            read_if_there(path)


# --- locking ------------------------------------------------------------------------------------------------------


def test_one_at_a_time_has_the_file_and_who_waited_comes_before_who_comes_back(tmp_path: Path) -> None:
    path, locks, events = tmp_path / "x", tmp_path / "locks", list[str]()

    def second() -> None:
        with locked(path, locks, seconds=WAIT_SECONDS):
            events.append("second")

    with ThreadPoolExecutor(1) as threads:
        with locked(path, locks):
            waiting = threads.submit(second)
            while not _is_waited_for(locks):
                assert not waiting.done()
            events.append("first")
        with locked(path, locks, seconds=WAIT_SECONDS):
            events.append("first again")
        waiting.result(WAIT_SECONDS)
    assert events == ["first", "second", "first again"]


def _is_waited_for(locks: Path) -> bool:
    turn = next(locks.glob("*.turn"))
    with turn.open("rb") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_SH | fcntl.LOCK_NB)
        except BlockingIOError:
            return True
        return False


def test_waiting_for_the_others_ends_as_a_problem_that_may_be_tried_again(tmp_path: Path) -> None:
    path = tmp_path / "x"
    held, done = Event(), Event()

    def hold() -> None:
        with locked(path, tmp_path / "locks"):
            held.set()
            done.wait(WAIT_SECONDS)

    with ThreadPoolExecutor(1) as threads:
        threads.submit(hold)
        assert held.wait(WAIT_SECONDS)
        with pytest.raises(ProblemError) as caught, locked(path, tmp_path / "locks", seconds=0.05):
            pytest.fail("two have it")
        done.set()
    problem = caught.value.problem
    assert (problem.type, problem.retryable, str(path) in problem.detail) == ("definition-conflict", True, True)


def test_a_link_has_the_lock_of_what_it_points_to_and_another_file_has_another(tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to("x")
    locks = tmp_path / "new" / "locks"
    with (
        locked(tmp_path / "x", locks),
        locked(tmp_path / "y", locks, seconds=0),
        pytest.raises(ProblemError),
        locked(tmp_path / "link", locks, seconds=0),
    ):
        pytest.fail("two have it")
    assert (_mode(locks), {_mode(lock) for lock in locks.iterdir()}) == (0o700, {0o600})


def test_an_error_and_a_killed_process_let_go(tmp_path: Path) -> None:
    path, locks = tmp_path / "x", tmp_path / "locks"
    with pytest.raises(KeyError), locked(path, locks):
        raise KeyError
    script = (
        "import sys; from pathlib import Path; from mcp_host.host.atomic_files import locked\n"
        "with locked(Path(sys.argv[1]), Path(sys.argv[2])): print('held', flush=True); sys.stdin.read()"
    )
    command = [sys.executable, "-c", script, str(path), str(locks)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as holder:
        assert holder.stdout is not None
        assert holder.stdout.readline() == b"held\n"
        with pytest.raises(ProblemError), locked(path, locks, seconds=0):
            pytest.fail("two have it")
        holder.send_signal(signal.SIGKILL)
        holder.wait(WAIT_SECONDS)
    with locked(path, locks, seconds=0):
        pass
