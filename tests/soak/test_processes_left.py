"""No process outlives its editor. The figure for many trials comes from `python -m tests.soak.processes_left`."""

from __future__ import annotations

import sys

import pytest

from tests.soak.processes_left import ENDINGS, KINDS, Ending, Kind, run_trial


@pytest.mark.skipif(sys.platform != "linux", reason="waits on process file descriptors, which only Linux has")
@pytest.mark.parametrize("ending", ENDINGS)
@pytest.mark.parametrize("kind", KINDS, ids=[kind.name for kind in KINDS])
def test_nothing_is_left_when_the_editor_ends(kind: Kind, ending: Ending) -> None:
    assert run_trial(kind, ending).left == 0
