"""Writes the pages of `doc/` that are made from the code: `.venv/bin/python scripts/generated_docs.py`.

A test fails where a page is not what is made here.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Final

from mcp_host.core.capabilities.capability import Capability, Disposition
from mcp_host.core.capabilities.matrix import MATRIX

REPO: Final = Path(__file__).resolve().parent.parent

GROUPS: Final[Mapping[Disposition, str]] = {
    "supported": "Supported",
    "partial": "Supported in part",
    "deferred": "Not in this version",
    "excluded": "Left out",
}

INTRODUCTION: Final = """\
# Capabilities

What of the Model Context Protocol this host does: a row for each part of the specification, each official extension and
each candidate for one. `:McpCapabilities` shows the same, and `:McpCapabilities {alias}` also what was negotiated with
that server.

- **era**: *modern* is revision 2026-07-28, *legacy* is every revision with a handshake, 2024-11-05 to 2025-11-25.
- **told**: whether servers are told of it. What a server is told is derived from these rows for each connection.
  *conditional* depends on what you configured and on who is there to answer; *never*: there is no word for it, or it
  is not there.
- **waits**: a call may wait for a person because of it.

A *candidate* is a proposal that is neither specification nor extension yet. This page is made by
`scripts/generated_docs.py` out of `src/mcp_host/core/capabilities/`.
"""


def capabilities_page() -> str:
    """The capability matrix as a page, and below it the tests that show what is supported."""
    parts = [INTRODUCTION]
    for disposition, title in GROUPS.items():
        rows = [row for row in MATRIX if row.disposition == disposition]
        if rows:
            parts.append("\n".join([f"## {title} ({len(rows)})", "", *_table(rows), ""]))
    tests = [f"- `{row.id}`: {', '.join(f'`{test}`' for test in row.evidence)}" for row in MATRIX if row.evidence]
    parts.append(
        "\n".join(["## Evidence", "", "The tests that show what is supported; each runs in every run.", "", *tests, ""])
    )
    return "\n".join(parts)


PAGES: Final[Mapping[str, Callable[[], str]]] = {"doc/capabilities.md": capabilities_page}
"""What makes each page."""


def _table(rows: Sequence[Capability]) -> Iterator[str]:
    yield "| id | what | era | told | waits | remark |"
    yield "|---|---|---|---|---|---|"
    for row in rows:
        origin = "" if row.authority == "core" else f" ({row.authority})"
        cells = (
            f"`{row.id}`",
            f"[{row.title}]({row.spec}){origin}",
            " and ".join(row.eras),
            row.advertised,
            "yes" if row.is_interactive else "",
            row.note,
        )
        yield f"| {' | '.join(cell.replace('|', '&#124;') for cell in cells)} |"


def main() -> None:
    """Writes each page that is not what it should be."""
    for page, make in PAGES.items():
        file, text = REPO / page, make()
        if not file.exists() or file.read_text() != text:
            file.write_text(text)
            print(page)


if __name__ == "__main__":
    main()
