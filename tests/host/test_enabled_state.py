"""Which servers are disabled in which workspace, over editors and their ends."""

from __future__ import annotations

import json
import os
import stat
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from mcp_host.host.enabled_state import EnabledState

SHOP, BLOG = Path("/home/me/shop"), Path("/home/me/blog")


def in_folder(folder: Path) -> EnabledState:
    """One editor's."""
    return EnabledState(folder=folder / "state" / "workspaces", locks=folder / "state" / "locks")


def only_file(state: EnabledState) -> Path:
    (file,) = state.folder.iterdir()
    return file


def test_nothing_is_disabled_where_nobody_said_so(tmp_path: Path) -> None:
    state = in_folder(tmp_path)
    assert state.disabled(SHOP) == frozenset()
    state.keep(SHOP, "one", disabled=False)
    assert (state.disabled(SHOP), list(state.folder.iterdir())) == (frozenset(), [])


def test_what_is_disabled_stays_so_for_the_next_editor_and_in_no_other_workspace(tmp_path: Path) -> None:
    state = in_folder(tmp_path)
    for alias in ("two", "one"):
        state.keep(SHOP, alias, disabled=True)
    later = in_folder(tmp_path)
    assert (later.disabled(SHOP), later.disabled(BLOG)) == ({"one", "two"}, frozenset())
    later.keep(SHOP, "one", disabled=False)
    assert (state.disabled(SHOP), in_folder(tmp_path).disabled(SHOP)) == ({"two"}, {"two"})


def test_the_file_is_the_owners_alone_and_says_what_it_is_about(tmp_path: Path) -> None:
    state = in_folder(tmp_path)
    before = os.umask(0)
    try:
        state.keep(SHOP, "two", disabled=True)
        state.keep(SHOP, "one", disabled=True)
    finally:
        os.umask(before)
    file = only_file(state)
    assert json.loads(file.read_text()) == {"workspace": "/home/me/shop", "disabled": ["one", "two"]}
    assert [stat.S_IMODE(path.stat().st_mode) for path in (state.folder, file)] == [0o700, 0o600]


def test_what_is_said_twice_is_written_once(tmp_path: Path) -> None:
    state = in_folder(tmp_path)
    state.keep(SHOP, "one", disabled=True)
    written = only_file(state).stat().st_ino
    state.keep(SHOP, "one", disabled=True)
    assert only_file(state).stat().st_ino == written


def test_many_who_disable_at_once_lose_nothing(tmp_path: Path) -> None:
    aliases = [f"server-{number}" for number in range(24)]

    def disable(alias: str) -> None:
        in_folder(tmp_path).keep(SHOP, alias, disabled=True)

    with ThreadPoolExecutor(8) as threads:
        list(threads.map(disable, aliases))
    assert in_folder(tmp_path).disabled(SHOP) == set(aliases)


def test_a_workspace_whose_name_is_no_utf8_has_its_own(tmp_path: Path) -> None:
    state, odd = in_folder(tmp_path), Path(os.fsdecode(b"/home/me/\xff"))
    state.keep(odd, "one", disabled=True)
    assert (state.disabled(odd), state.disabled(Path("/home/me/ÿ"))) == ({"one"}, frozenset())


@pytest.mark.parametrize("spoilt", [b"", b"{", b"[]", b"\xff", b"[" * 100_000, b'{"disabled": "one"}', b"{}"])
def test_a_file_that_cannot_be_read_disables_nothing_and_is_written_anew(tmp_path: Path, spoilt: bytes) -> None:
    state = in_folder(tmp_path)
    state.keep(SHOP, "one", disabled=True)
    only_file(state).write_bytes(spoilt)
    assert state.disabled(SHOP) == frozenset()
    state.keep(SHOP, "two", disabled=True)
    assert state.disabled(SHOP) == {"two"}


def test_members_that_are_no_aliases_are_left_out(tmp_path: Path) -> None:
    state = in_folder(tmp_path)
    state.keep(SHOP, "one", disabled=True)
    only_file(state).write_text('{"disabled": [1, null, "two", ["three"]]}')
    assert state.disabled(SHOP) == {"two"}


def test_a_state_folder_that_cannot_be_written_to_is_an_os_error(tmp_path: Path) -> None:
    (tmp_path / "state").write_text("not a folder")
    state = in_folder(tmp_path)
    with pytest.raises(OSError, match="Not a directory"):
        state.keep(SHOP, "one", disabled=True)
    assert state.disabled(SHOP) == frozenset()
