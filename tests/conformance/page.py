"""The page `doc/conformance.md`, made from a run and never by hand."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Final

from tests.conformance import suite
from tests.conformance.running import REASONS, NotRun, Plan
from tests.conformance.suite import Result

PAGE: Final = suite.ROOT / "doc" / "conformance.md"

_INTRODUCTION: Final = """\
# Conformance

<!-- Made by `python -m tests.conformance.run --write`; a test compares it with what the suite says. -->

What the official suite, `@modelcontextprotocol/conformance` {version}, says of this host as a client. The suite serves;
the client is the host itself, asked through its verbs ([client.py](../tests/conformance/client.py)). Each scenario runs
alone, in every run of the tests. It passes if the client went through all of its steps, the suite ended with 0, at
least one check passed, and none failed or warned.

```sh
sh scripts/conformance.sh                    # installs the suite, and a Node for it, into .cache/
.venv/bin/python -m tests.conformance.run    # runs it; --scenario NAME, --revision REVISION, or --write for this page
```
"""


def page(plan: Plan, results: Sequence[Result], *, version: str) -> str:
    """The whole text."""
    return "\n".join(_lines(plan, results, version)) + "\n"


def written(path: Path = PAGE) -> str:
    """The page as it stands; empty where there is none."""
    return path.read_text() if path.exists() else ""


def table(results: Sequence[Result]) -> list[str]:
    """A row for each run."""
    head = ["| scenario | revision | scored | checks passed | result |", "|---|---|---|---|---|"]
    return head + [_row(result) for result in results]


def _row(result: Result) -> str:
    wanted = result.wanted
    scored = "yes" if wanted.scored else "no"
    verdict = "passes" if result.is_pass else "fails"
    return f"| {wanted.scenario} | {wanted.revision} | {scored} | {result.passed} of {result.checks} | {verdict} |"


def _lines(plan: Plan, results: Sequence[Result], version: str) -> Iterator[str]:
    yield from _INTRODUCTION.format(version=version).splitlines()
    for revision in suite.REVISIONS:
        yield ""
        yield f"## {revision}"
        yield ""
        yield _standing(revision, plan, results)
        yield ""
        yield from table([result for result in results if result.wanted.revision == revision])
    yield ""
    yield "*Scored* is what the suite requires of a client that claims the revision; the rest it runs and never counts."
    yield ""
    yield "## Not run"
    for reason, words in REASONS.items():
        named = [one for one in plan.not_run if one.reason == reason]
        yield ""
        yield f"{len(named)} scenarios: {words}."
        yield ""
        yield from (_named(one) for one in named)


def _standing(revision: str, plan: Plan, results: Sequence[Result]) -> str:
    scored = [one for one in results if one.wanted.revision == revision and one.wanted.scored]
    waiting = sum(revision in one.required_by for one in plan.not_run)
    passing = sum(one.is_pass for one in scored)
    return f"Scored for this revision: {len(scored) + waiting}. Pass: {passing}. Wait for authorization: {waiting}."


def _named(one: NotRun) -> str:
    scored = f" (scored for {', '.join(one.required_by)})" if one.required_by else ""
    return f"- {one.scenario}{scored}"
