"""Which scenarios are run and why the others are not, and a whole run of them.

Everything about authorization waits until the host can sign in; nothing of it is run or baselined meanwhile.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Final, Literal

from tests.conformance import suite
from tests.conformance.suite import Result, Wanted

AT_ONCE: Final = 2
"""Clients that run side by side, one for each core of the smallest machine that this is run on."""

Reason = Literal["authorization", "backward", "extension", "skills"]

REASONS: Final[dict[Reason, str]] = {
    "authorization": "waits for authorization: the host cannot sign in yet",
    "backward": "waits for authorization, at revision 2025-03-26",
    "extension": "an extension of authorization that this host leaves out",
    "skills": "the skills extension, which this host leaves out; the suite checks nothing of a client without it",
}

_LEFT_OUT: Final = frozenset(
    {"auth/dpop", "auth/dpop-nonce", "auth/wif-jwt-bearer", "auth/enterprise-managed-authorization"}
)


@dataclass(frozen=True, kw_only=True)
class NotRun:
    """A scenario that is not run."""

    scenario: str
    reason: Reason
    required_by: tuple[str, ...]
    """The revisions that score it."""


@dataclass(frozen=True, kw_only=True)
class Plan:
    """All client scenarios of the suite: each is in one of the two."""

    run: tuple[Wanted, ...]
    not_run: tuple[NotRun, ...]


def plan() -> Plan:
    """What the installed suite's scenarios mean for us."""
    wanted = [one for revision in suite.REVISIONS for one in suite.required(revision)]
    return Plan(
        run=tuple(one for one in wanted if _reason(one.scenario) is None),
        not_run=tuple(
            NotRun(
                scenario=name,
                reason=reason,
                required_by=tuple(one.revision for one in wanted if one.scenario == name and one.scored),
            )
            for name in sorted(suite.all_client_scenarios())
            if (reason := _reason(name)) is not None
        ),
    )


def run_all(wanted: Iterable[Wanted], *, say: Callable[[str], None]) -> list[Result]:
    """Run them, two at once; what failed so is run once more by itself, and that counts.

    The suite's own continuous integration does the same: under load a run can go wrong that is right by itself.
    """
    with ThreadPoolExecutor(AT_ONCE) as pool:
        results = list(pool.map(suite.run, wanted))
    return [result if result.is_pass else _run_again(result, say) for result in results]


def count(results: Sequence[Result]) -> str:
    """How many passed, in words."""
    passed = sum(result.is_pass for result in results)
    return f"{passed} of {len(results)} runs pass; checks passed: {sum(result.passed for result in results)}"


def _run_again(first: Result, say: Callable[[str], None]) -> Result:
    say(f"{first.wanted.scenario} at {first.wanted.revision} is run once more, by itself: {first.faults[0]}")
    return suite.run(first.wanted)


def _reason(scenario: str) -> Reason | None:
    if scenario.startswith("sep-2640-"):
        return "skills"
    if scenario.startswith("auth/2025-03-26-"):
        return "backward"
    if scenario in _LEFT_OUT:
        return "extension"
    return "authorization" if scenario.startswith("auth/") else None
