"""`doc/problems.md` and the closed list of problem types say the same."""

from __future__ import annotations

import re
from pathlib import Path
from typing import get_args

from mcp_host.problems import EXIT_CODES, ProblemType

DOCUMENT = Path(__file__).parents[2] / "doc" / "problems.md"


def sections() -> list[tuple[str, str]]:
    """Heading and text of every section, in order."""
    parts = re.split(r"^## (.+)\n", DOCUMENT.read_text(), flags=re.MULTILINE)[1:]
    return list(zip(parts[::2], parts[1::2], strict=True))


def test_every_problem_type_has_one_section_in_alphabetical_order() -> None:
    assert [heading for heading, _ in sections()] == sorted(get_args(ProblemType))


def test_every_section_opens_with_the_exit_code_and_then_explains() -> None:
    written = {heading: re.match(r"\nExit code (\d+)\.\n\n\S", text) for heading, text in sections()}
    assert {heading: found and int(found[1]) for heading, found in written.items()} == EXIT_CODES
