"""Files that may be anything: read where they are files, refused where they are not, and never waited for."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from mcp_host.host.regular_files import open_regular


def test_a_file_is_read_also_behind_a_link(tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(b"\xff\r\n")
    (tmp_path / "link").symlink_to("file")
    for name in ("file", "link"):
        with open_regular(tmp_path / name) as file:
            assert file.read() == b"\xff\r\n"


def test_what_is_no_file_is_refused_at_once_and_nothing_stays_open(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "folder").mkdir()
    (tmp_path / "itself").symlink_to("itself")
    (tmp_path / "nowhere").symlink_to("absent")
    before = os.listdir("/dev/fd")
    for name, error in (
        ("pipe", OSError),
        ("folder", IsADirectoryError),
        ("itself", OSError),
        ("nowhere", FileNotFoundError),
        ("absent", FileNotFoundError),
        ("../../../../../../../../dev/null", OSError),
    ):
        with pytest.raises(error):
            open_regular(tmp_path / name)
    assert os.listdir("/dev/fd") == before
