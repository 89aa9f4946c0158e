"""Runs the conformance suite against this host: `python -m tests.conformance.run`.

Prints a row for each scenario and ends with 0 if all of them pass. `--write` also makes `doc/conformance.md` again,
which needs a run of everything.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence

from tests.conformance import suite
from tests.conformance.page import PAGE, page, table
from tests.conformance.running import Plan, count, plan, run_all
from tests.conformance.suite import Result


def main(arguments: Sequence[str] | None = None) -> int:
    """Run what was asked for; says how it went by the exit code."""
    parser = _parser()
    asked = parser.parse_args(arguments)
    if asked.write and (asked.scenario or asked.revision):
        parser.error("--write is about a run of everything")
    missing = suite.install(check=False)
    if missing is not None:
        print(missing, file=sys.stderr)
        return 2
    whole = plan()
    chosen = [
        wanted
        for wanted in whole.run
        if asked.scenario in (None, wanted.scenario) and asked.revision in (None, wanted.revision)
    ]
    if not chosen:
        print(f"no such scenario: {_why_not(whole, asked.scenario)}", file=sys.stderr)
        return 2
    results = run_all(chosen, say=lambda words: print(words, file=sys.stderr))
    _show(results)
    if asked.write:
        PAGE.write_text(page(whole, results, version=suite.version()))
    return 0 if all(result.is_pass for result in results) else 1


def _show(results: Sequence[Result]) -> None:
    print("\n".join(table(results)))
    print(count(results))
    for result in results:
        if not result.is_pass:
            print(f"\n== {result.wanted.scenario} at {result.wanted.revision}")
            print("\n".join(result.faults))
            print(result.said)


def _why_not(whole: Plan, scenario: str | None) -> str:
    reasons = [one.reason for one in whole.not_run if one.scenario == scenario]
    return f"{scenario} is not run: {reasons[0]}" if reasons else f"{scenario} at that revision"


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m tests.conformance.run", description=__doc__)
    parser.add_argument("--scenario", help="only this one, at each revision that has it")
    parser.add_argument("--revision", choices=suite.REVISIONS, help="only this revision")
    parser.add_argument("--write", action="store_true", help="make doc/conformance.md from this run")
    return parser


if __name__ == "__main__":
    sys.exit(main())
