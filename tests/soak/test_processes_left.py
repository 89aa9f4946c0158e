"""No process outlives its editor. The figure for many trials comes from `python -m tests.soak.processes_left`."""

from __future__ import annotations

import sys

import pytest

from tests.soak.processes_left import ENDINGS, Ending, run_trial


@pytest.mark.skipif(sys.platform != "linux", reason="waits on process file descriptors, which only Linux has")
@pytest.mark.parametrize("ending", ENDINGS)
def test_nothing_is_left_when_an_editor_or_its_host_ends(ending: Ending) -> None:
    assert set(run_trial(ending).left.values()) == {0}
