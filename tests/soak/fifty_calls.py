"""Fifty slow calls at once over each wire, one cancelled and one meeting a fault: `python -m tests.soak.fifty_calls`.

Prints how long the cancellation took from the verb to the server, and how many answers were right. With `--capture`
every message goes to a file as the server saw it, one JSON text a line: milliseconds since the first, direction, method
and id.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
from pathlib import Path
from typing import Any, Final

import anyio

from tests.protocol.fifty_calls import COUNT, FAILS, GIVES_UP, Told, Wires, fifty_calls, over_http, over_stdio

BOUND_MS: Final = 100.0
"""From the verb to the server."""
WIRES: Final[dict[str, Wires]] = {
    "stdio, modern": over_stdio("modern"),
    "stdio, legacy": over_stdio("legacy"),
    "HTTP, modern": over_http,
}


def main() -> int:
    """0 where everything came out right and every cancellation was in time."""
    parser = argparse.ArgumentParser(prog="fifty_calls", description=__doc__)
    parser.add_argument("--capture", type=Path, help="where to write what was on the wires")
    parser.add_argument("--times", type=int, default=5, help="how often each wire is tried")
    options = parser.parse_args()
    lines: list[dict[str, Any]] = []
    good = True
    for name, wires in WIRES.items():
        told = [_told(wires) for _ in range(options.times)]
        good &= _report(name, told)
        lines += [{"wire": name, **line} for line in _captured(told[-1])]
    if options.capture is not None:
        options.capture.write_text("".join(json.dumps(line) + "\n" for line in lines))
    return 0 if good else 1


def _told(wires: Wires) -> Told:
    async def run(folder: Path) -> Told:
        with anyio.fail_after(60):
            return await fifty_calls(folder, wires)

    with tempfile.TemporaryDirectory() as folder:
        return anyio.run(run, Path(folder))


def _report(name: str, told: list[Told]) -> bool:
    took = sorted(1000 * (one.arrival.at - one.cancelled_at) for one in told)
    right = min(sum(text == str(number) for number, text in one.texts.items()) for one in told)
    problems = {number: problem.type for one in told for number, problem in one.problems.items()}
    print(
        f"{name}: {right} of {COUNT} answers right each time, problems {problems[GIVES_UP]} and {problems[FAILS]}; "
        f"cancelled at the server after {took[0]:.1f} to {took[-1]:.1f} ms (bound {BOUND_MS:.0f} ms)"
    )
    return right == COUNT - 2 and set(problems) == {GIVES_UP, FAILS} and took[-1] <= BOUND_MS


def _captured(told: Told) -> list[dict[str, Any]]:
    start = told.capture[0].at
    return [
        {
            "ms": round(1000 * (seen.at - start), 3),
            "direction": seen.direction,
            "method": seen.method,
            "id": seen.id,
        }
        for seen in told.capture
    ]


if __name__ == "__main__":
    sys.exit(main())
