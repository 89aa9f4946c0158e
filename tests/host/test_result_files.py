"""Files that results leave behind: their owner's alone, written once, and not for ever."""

from __future__ import annotations

import os
import stat
from pathlib import Path

from mcp_host.host.result_files import KEPT_DAYS, ResultFiles


def test_a_file_and_its_folder_belong_to_their_owner_alone(tmp_path: Path) -> None:
    path = Path(ResultFiles(folder=tmp_path / "results").save("c1-1.png", b"\x89PNG"))
    assert path.read_bytes() == b"\x89PNG"
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert stat.S_IMODE(path.parent.stat().st_mode) == 0o700


def test_the_same_content_under_the_same_name_is_written_once(tmp_path: Path) -> None:
    files = ResultFiles(folder=tmp_path)
    first = files.save("c1-1.png", b"one")
    assert files.save("c1-1.png", b"one") == first
    assert files.save("c1-1.png", b"two") != first
    Path(first).unlink()
    again = files.save("c1-1.png", b"one")
    assert (again == first, Path(again).read_bytes()) == (False, b"one")


def test_a_name_from_elsewhere_stays_inside_the_folder(tmp_path: Path) -> None:
    path = Path(ResultFiles(folder=tmp_path).save("../../etc/pass\nwd|x", b""))
    assert path.parent == tmp_path
    assert path.name.isascii()
    assert "/" not in path.name


def test_files_that_nobody_needed_for_a_week_are_gone(tmp_path: Path) -> None:
    files = ResultFiles(folder=tmp_path / "results")
    files.forget_old()  # before there is anything
    (tmp_path / "results" / "a folder").mkdir(parents=True)
    os.utime(tmp_path / "results" / "a folder", (0, 0))
    old, new = Path(files.save("old.txt", b"1")), Path(files.save("new.txt", b"2"))
    aged = old.stat().st_mtime - (KEPT_DAYS + 1) * 86_400
    os.utime(old, (aged, aged))
    files.forget_old()
    assert (old.exists(), new.exists()) == (False, True)
