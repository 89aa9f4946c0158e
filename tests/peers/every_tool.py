"""Every tool of the TypeScript peers and of the reference server, called: `python -m tests.peers.every_tool`.

Prints a row for each peer, wire and tool, and ends with 0 if each ended as `tests/peers/uses.py` has it. What the tools
ask is answered from the file that `--answers` names.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from collections.abc import AsyncGenerator, Sequence
from dataclasses import dataclass
from pathlib import Path

import anyio

from tests.peers.found import PeerName
from tests.peers.uses import ANSWERS, USES, Use
from tests.peers.using import WIRES, Used, Wire, peered


@dataclass(frozen=True, kw_only=True)
class Row:
    """One line of the table."""

    peer: PeerName
    wire: Wire
    use: Use
    used: Used

    @property
    def is_right(self) -> bool:
        return self.used.end == self.use.end and self.use.says in self.used.said

    def __str__(self) -> str:
        verdict = "as it shall" if self.is_right else f"WRONG, shall be {self.use.end} with {self.use.says[:40]!r}"
        said = next(iter(self.used.said.splitlines()), "")[:60]
        return f"{self.peer:<11} {self.wire:<6} {self.use.tool:<32} {self.used.end:<10} {verdict}: {said}"


def main(arguments: Sequence[str] | None = None) -> int:
    """Use everything that was asked for; says by the exit code whether all of it was right."""
    parser = argparse.ArgumentParser(prog="python -m tests.peers.every_tool", description=__doc__)
    parser.add_argument("--answers", type=Path, default=ANSWERS, help="what to say to whatever the tools ask")
    parser.add_argument("--peer", choices=tuple(USES), action="append", help="only this one")
    asked = parser.parse_args(arguments)
    return anyio.run(_run, asked.peer or tuple(USES), asked.answers.resolve())


async def _run(peers: Sequence[PeerName], answers: Path) -> int:
    wrong = 0
    for peer in peers:
        for wire in WIRES:
            async for row in _rows(peer, wire, answers):
                wrong += not row.is_right
                print(row, flush=True)
    print(f"{wrong} wrong")
    return 1 if wrong else 0


async def _rows(peer: PeerName, wire: Wire, answers: Path) -> AsyncGenerator[Row]:
    with tempfile.TemporaryDirectory() as folder:
        async with peered(Path(folder), peer, wire) as opened:
            for use in USES[peer]:
                yield Row(peer=peer, wire=wire, use=use, used=await opened.use(use, str(answers)))


if __name__ == "__main__":
    sys.exit(main())
