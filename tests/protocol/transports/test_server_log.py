"""The log of a server: private, bounded, safe to print, free of secrets."""

from __future__ import annotations

import stat
from pathlib import Path

from tests.protocol.transports.support import server_log


def test_stderr_is_written_escaped_and_redacted_in_a_private_file(tmp_path: Path) -> None:
    log = server_log(tmp_path / "new" / "logs", secret="s3cret-token")
    log.write_stderr(b"ok\ttab\r\n\x1b[31mred\x07\x7f\xc2\x9b key=s3cret-")
    log.write_stderr(b"token\nbad \xff byte")
    log.note("two\nlines")
    log.close()
    assert log.path.read_text() == (
        "ok\ttab\n"
        "^[[31mred^G^?<9b> key=•••\n"
        "2026-08-01T12:00:00+00:00 [host] two\n"
        "2026-08-01T12:00:00+00:00 [host] lines\n"
        "bad � byte\n"
    )
    assert stat.S_IMODE(log.path.stat().st_mode) == 0o600


def test_a_remark_is_cut_after_it_is_redacted(tmp_path: Path) -> None:
    log = server_log(tmp_path, secret="s3cret-token")
    log.note("0123456789 s3cret-token and more", limit=14)
    log.close()
    assert log.path.read_text() == "2026-08-01T12:00:00+00:00 [host] 0123456789 •••\n"


def test_a_log_that_others_could_read_is_closed_to_them(tmp_path: Path) -> None:
    (tmp_path / "raw.log").touch(mode=0o644)
    log = server_log(tmp_path)
    log.note("hello")
    log.close()
    assert stat.S_IMODE(log.path.stat().st_mode) == 0o600


def test_the_tail_keeps_the_last_forty_lines_and_the_unfinished_one(tmp_path: Path) -> None:
    log = server_log(tmp_path)
    log.write_stderr(b"".join(b"line %d\n" % number for number in range(100)))
    log.write_stderr(b"x" * 2000 + b"\nlast words")
    log.note("not the server's")
    assert log.tail == (*(f"line {number}" for number in range(62, 100)), "x" * 500, "last words")
    log.close()


def test_a_flood_costs_two_files_of_four_mebibytes(tmp_path: Path) -> None:
    log = server_log(tmp_path)
    for _ in range(1600):
        log.write_stderr((b"e" * 63 + b"\n") * 1024)
    log.close()
    sizes = [path.stat().st_size for path in tmp_path.iterdir()]
    assert sorted(path.name for path in tmp_path.iterdir()) == ["raw.log", "raw.log.1"]
    assert sum(sizes) <= 8 * 1024 * 1024


def test_an_endless_line_is_cut_and_says_so(tmp_path: Path) -> None:
    log = server_log(tmp_path, secret="s3cret-token")
    log.write_stderr(b"a" * (16 * 1024 - 5) + b"s3cret-token")
    for _ in range(1000):
        log.write_stderr(b"a" * 65_536)
    log.write_stderr(b"\nnext\n")
    log.close()
    first, second = log.path.read_text().splitlines()
    assert len(first) < 16 * 1024 + 60
    assert "s3cr" not in first
    assert first.endswith("bytes more, dropped]")
    assert second == "next"


def test_a_file_that_another_editor_moved_aside_is_made_anew(tmp_path: Path) -> None:
    kibibyte = b"e" * 1023 + b"\n"
    ours, theirs = server_log(tmp_path), server_log(tmp_path)
    ours.write_stderr(b"ours before\n")
    theirs.write_stderr(kibibyte * 4095)
    theirs.write_stderr(kibibyte)
    ours.write_stderr(b"ours after\n")
    ours.close()
    theirs.close()
    assert (tmp_path / "raw.log.1").read_bytes() == b"ours before\n" + kibibyte * 4095
    assert (tmp_path / "raw.log").read_bytes() == kibibyte + b"ours after\n"


def test_a_disk_that_refuses_does_not_stop_the_reading(tmp_path: Path) -> None:
    (tmp_path / "raw.log").mkdir()
    log = server_log(tmp_path)
    log.write_stderr(b"said\n")
    log.note("noted")
    assert log.tail == ("said",)
    log.close()
