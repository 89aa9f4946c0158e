"""`tests/hostile_cases.toml` names tests that exist and run."""

from __future__ import annotations

from typing import Annotated, Final

import tomli
from pydantic import BaseModel, ConfigDict, Field, StringConstraints

from tests.written_tests import ROOT, fault_of

CASES: Final = ROOT / "tests" / "hostile_cases.toml"

Text = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1)]


class Case(BaseModel):
    """One kind of fault."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    number: int
    kind: Text
    report: Annotated[str, StringConstraints(pattern=r"^https://[^\s]+$")]
    right: Text
    tests: Annotated[tuple[Text, ...], Field(min_length=1)]


class Cases(BaseModel):
    """The whole file."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    case: Annotated[tuple[Case, ...], Field(min_length=1)]


def test_every_case_is_there_once_and_shown_by_tests_that_run() -> None:
    cases = Cases.model_validate(tomli.loads(CASES.read_text())).case
    numbers = [case.number for case in cases]
    assert numbers == sorted(set(numbers))
    faults = [f"case {case.number}: {fault}" for case in cases for test in case.tests if (fault := fault_of(test))]
    assert not faults, "\n".join(faults)
