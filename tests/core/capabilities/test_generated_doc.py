"""`doc/capabilities.md` is what `scripts/generated_docs.py` makes of the matrix."""

from __future__ import annotations

import runpy
from collections.abc import Callable, Mapping
from typing import cast

from mcp_host.core.capabilities.matrix import MATRIX
from tests.written_tests import ROOT

SCRIPT = ROOT / "scripts" / "generated_docs.py"


def pages() -> Mapping[str, Callable[[], str]]:
    """The script's own table of what makes each page."""
    return cast("Mapping[str, Callable[[], str]]", runpy.run_path(str(SCRIPT))["PAGES"])


def test_each_generated_page_is_what_the_code_makes() -> None:
    for page, make in pages().items():
        remedy = f"{page} is out of date: run .venv/bin/python scripts/generated_docs.py"
        assert (ROOT / page).read_text() == make(), remedy


def test_the_page_has_a_line_for_every_row_with_its_reason() -> None:
    lines = pages()["doc/capabilities.md"]().splitlines()
    for row in MATRIX:
        [line] = [line for line in lines if line.startswith(f"| `{row.id}` |")]
        assert row.note in line
        assert row.spec in line
