"""The official suite says of this host what `doc/conformance.md` says that it says.

Like the peers, in CI (`CI=true`) the suite is installed if need be, and fails the test if it cannot be had; elsewhere
nothing is downloaded behind anybody's back.
"""

from __future__ import annotations

import os
from collections.abc import Mapping

import pytest

from tests.conformance import suite
from tests.conformance.client import STEPS
from tests.conformance.page import page, written
from tests.conformance.running import Plan, plan, run_all
from tests.conformance.suite import Result, Wanted

pytestmark = pytest.mark.servers

_RUNS = (
    ("tools_call", "2026-07-28"),
    ("request-metadata", "2026-07-28"),
    ("sep-2322-client-request-state", "2026-07-28"),
    ("http-standard-headers", "2026-07-28"),
    ("http-custom-headers", "2026-07-28"),
    ("http-invalid-tool-headers", "2026-07-28"),
    ("json-schema-ref-no-deref", "2026-07-28"),
    ("json-schema-2020-12-preservation", "2026-07-28"),
    ("initialize", "2025-11-25"),
    ("tools_call", "2025-11-25"),
    ("elicitation-sep1034-client-defaults", "2025-11-25"),
    ("sse-retry", "2025-11-25"),
    ("json-schema-2020-12-preservation", "2025-11-25"),
)
"""Named here so that each is a test of its own; the plan, which comes from the suite, must be the same."""


@pytest.fixture(scope="module")
def planned() -> Plan:
    """What the suite wants, once it is installed."""
    in_ci = os.environ.get("CI") == "true"
    missing = suite.install(check=not in_ci)
    if missing is None:
        return plan()
    if in_ci:
        pytest.fail(missing)
    pytest.skip(missing)


@pytest.fixture(scope="module")
def results(planned: Plan) -> Mapping[tuple[str, str], Result]:
    """One run of everything; what is run once more is said in the test's output."""
    ran = run_all(planned.run, say=print)  # pytest shows it with what failed
    return {_key(result.wanted): result for result in ran}


def test_each_scenario_that_needs_no_sign_in_is_run_and_has_its_steps(planned: Plan) -> None:
    assert tuple(_key(wanted) for wanted in planned.run) == _RUNS
    assert {scenario for scenario, _ in _RUNS} == set(STEPS)


def test_nothing_that_the_suite_has_goes_unmentioned(planned: Plan) -> None:
    run = {wanted.scenario for wanted in planned.run}
    not_run = [one.scenario for one in planned.not_run]
    assert sorted([*run, *not_run]) == sorted(suite.all_client_scenarios())


@pytest.mark.parametrize(("scenario", "revision"), _RUNS)
def test_the_host_passes(results: Mapping[tuple[str, str], Result], scenario: str, revision: str) -> None:
    result = results[scenario, revision]
    assert result.is_pass, "\n".join((*result.faults, result.said))


def test_the_page_says_what_the_run_says(planned: Plan, results: Mapping[tuple[str, str], Result]) -> None:
    assert page(planned, list(results.values()), version=suite.version()) == written()


def test_a_client_that_does_nothing_does_not_pass(planned: Plan) -> None:
    wanted = next(one for one in planned.run if one.scenario == "initialize")
    result = suite.run(wanted, command="true")
    # The suite itself has no fault to find here: a scenario in which nothing was checked passes.
    assert result.faults == ("no check passed", "the client did not go through all of its steps")


def _key(wanted: Wanted) -> tuple[str, str]:
    return wanted.scenario, wanted.revision
