"""What a person said about project files, kept on the disk for the next editor."""

from __future__ import annotations

import json
import os
import stat
from pathlib import Path

import pytest

from mcp_host.host.trust_records import TrustRecord, TrustRecords

FILE = Path("/home/me/shop/.nvim/mcp.toml")
APPROVED = TrustRecord(
    file=str(FILE),
    decision="approved",
    decided_at="2026-08-01 12:00 UTC",
    digest="00ff",
    lines=("[servers.one]", 'command = "one"'),
)
IGNORED = TrustRecord(file=str(FILE), decision="ignored", decided_at="2026-08-02 12:00 UTC")


@pytest.fixture
def records(tmp_path: Path) -> TrustRecords:
    return TrustRecords(folder=tmp_path / "state" / "trust")


def only_file(records: TrustRecords) -> Path:
    (file,) = records.folder.iterdir()
    return file


def test_nothing_was_said_about_a_file_that_nobody_was_asked_about(records: TrustRecords) -> None:
    assert records.of(FILE) is None
    assert not records.folder.exists()


def test_what_was_said_last_is_what_the_next_editor_finds(records: TrustRecords) -> None:
    records.keep(IGNORED)
    records.keep(APPROVED)
    assert TrustRecords(folder=records.folder).of(FILE) == APPROVED
    records.keep(IGNORED)
    assert records.of(FILE) == IGNORED
    assert records.of(FILE.with_name("other.toml")) is None


def test_a_record_is_the_owners_alone(records: TrustRecords) -> None:
    before = os.umask(0)
    try:
        records.keep(APPROVED)
    finally:
        os.umask(before)
    assert [stat.S_IMODE(path.stat().st_mode) for path in (records.folder, only_file(records))] == [0o700, 0o600]


@pytest.mark.parametrize(
    "spoilt",
    [
        b"",
        b"{",
        b"\xff\xfe",
        b"[]",
        b"null",
        b"[" * 100_000,
        b'{"file": 1}',
        json.dumps(APPROVED.model_dump() | {"decision": "maybe"}).encode(),
        json.dumps(APPROVED.model_dump() | {"more": True}).encode(),
    ],
)
def test_a_record_that_cannot_be_read_says_nothing(
    records: TrustRecords, spoilt: bytes, caplog: pytest.LogCaptureFixture
) -> None:
    records.keep(APPROVED)
    only_file(records).write_bytes(spoilt)
    assert records.of(FILE) is None
    assert "asked about again" in caplog.text


def test_a_folder_in_the_place_of_a_record_says_nothing(records: TrustRecords) -> None:
    records.keep(APPROVED)
    file = only_file(records)
    file.unlink()
    file.mkdir()
    assert records.of(FILE) is None


def test_the_record_of_another_file_under_this_ones_name_says_nothing(records: TrustRecords) -> None:
    records.keep(APPROVED)
    mine = only_file(records)
    other = APPROVED.model_copy(update={"file": "/home/me/other/.nvim/mcp.toml"})
    records.keep(other)
    (foreign,) = (path for path in records.folder.iterdir() if path != mine)
    foreign.replace(mine)
    assert records.of(FILE) is None


def test_paths_and_texts_that_are_no_utf8_are_kept(records: TrustRecords) -> None:
    file = Path(os.fsdecode(b"/home/me/\xff\xfe/mcp.toml"))
    record = APPROVED.model_copy(update={"file": str(file), "lines": ("[servers.'\udcff']", "\udcfe", "ü")})
    records.keep(record)
    assert records.of(file) == record


def test_a_state_folder_that_cannot_be_written_to_is_an_os_error(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("not a folder")
    records = TrustRecords(folder=tmp_path / "file" / "trust")
    with pytest.raises(OSError, match="Not a directory"):
        records.keep(APPROVED)
    assert records.of(FILE) is None
