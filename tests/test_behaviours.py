"""`tests/behaviours/*.toml` and the `behaviour` marks say the same: what must hold, and which test shows it."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Annotated, Final

import tomli
from pydantic import BaseModel, ConfigDict, Field, StringConstraints

from tests.written_tests import ROOT, WrittenFile, fault_of, marked_files, read_tests, written_file

FRAGMENTS: Final = ROOT / "tests" / "behaviours"

_WORDS: Final = r"[a-z0-9]+(-[a-z0-9]+)*"

Text = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1)]


class Behaviour(BaseModel):
    """One thing that must hold."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    id: Annotated[str, StringConstraints(pattern=rf"^{_WORDS}\.{_WORDS}$")]
    spec: Annotated[str, StringConstraints(pattern=r"^https://[^\s]+$")]
    sentence: Text
    tests: Annotated[tuple[Text, ...], Field(min_length=1)]


class Fragment(BaseModel):
    """One file of them."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    behaviour: tuple[Behaviour, ...]


def read_fragment(text: str) -> tuple[Behaviour, ...]:
    """The behaviours of one file's text."""
    return Fragment.model_validate(tomli.loads(text)).behaviour


def faults(fragments: Mapping[str, Iterable[Behaviour]], files: Mapping[str, WrittenFile]) -> Iterator[str]:
    """Everything in which the fragments and the marks differ, in words.

    Args:
        files: The files with marks in them, by path.
    """
    listed: dict[str, tuple[str, Behaviour]] = {}
    marked = {test.id: test.behaviours for file in files.values() for test in file.tests.values()}
    for fragment, behaviours in fragments.items():
        for behaviour in behaviours:
            if behaviour.id in listed:
                yield f"{behaviour.id} stands in {listed[behaviour.id][0]} and again in {fragment}"
            listed[behaviour.id] = (fragment, behaviour)
            for test in behaviour.tests:
                if behaviour.id not in marked.get(test, ()):
                    mark = f'@pytest.mark.behaviour("{behaviour.id}")'
                    yield f"{fragment} lists {test} for {behaviour.id}, and it does not carry {mark}"
    for path, file in files.items():
        yield from (f"{path}:{line}: a mark that is on no test function, or has no id" for line in file.stray_marks)
    for test, ids in marked.items():
        yield from (fault for named in ids if (fault := _fault_of_mark(test, named, listed)))


def _fault_of_mark(test: str, named: str, listed: Mapping[str, tuple[str, Behaviour]]) -> str | None:
    if named not in listed:
        return f"{test} is marked with {named}, which no fragment lists"
    fragment, behaviour = listed[named]
    return None if test in behaviour.tests else f"{test} is marked with {named}, and {fragment} does not list it there"


def fragments() -> dict[str, tuple[Behaviour, ...]]:
    """All fragments, by path."""
    return {_path(file): read_fragment(file.read_text()) for file in sorted(FRAGMENTS.glob("*.toml"))}


def test_the_fragments_and_the_marks_say_the_same() -> None:
    found = list(faults(fragments(), {_path(file): written_file(file) for file in marked_files()}))
    assert not found, "\n".join(found)


def test_each_test_that_a_fragment_lists_exists_and_runs() -> None:
    named = {test for behaviours in fragments().values() for behaviour in behaviours for test in behaviour.tests}
    found = [fault for test in sorted(named) if (fault := fault_of(test))]
    assert not found, "\n".join(found)


def test_each_way_to_differ_is_told() -> None:
    one = Behaviour(id="a.one", spec="https://x.example", sentence="It holds.", tests=("tests/test_a.py::test_one",))
    source = """
import pytest

@pytest.mark.behaviour("a.one")
def test_one(): ...

@pytest.mark.behaviour("a.one")
def test_not_listed(): ...

@pytest.mark.behaviour("a.nowhere")
def test_two(): ...

class TestThree:
    @pytest.mark.behaviour("a.one")
    def test_three(self): ...

@pytest.mark.behaviour(WORD)
def test_four(): ...
"""
    unmarked = one.model_copy(update={"id": "a.two", "tests": ("tests/test_a.py::test_one",)})
    told = faults(
        {"a.toml": [one, unmarked], "b.toml": [one]}, {"tests/test_a.py": read_tests(source, path="tests/test_a.py")}
    )
    assert [re.sub(r"@\S+", "it", fault) for fault in told] == [
        "a.toml lists tests/test_a.py::test_one for a.two, and it does not carry it",
        "a.one stands in a.toml and again in b.toml",
        "tests/test_a.py:14: a mark that is on no test function, or has no id",
        "tests/test_a.py:17: a mark that is on no test function, or has no id",
        "tests/test_a.py::test_not_listed is marked with a.one, and b.toml does not list it there",
        "tests/test_a.py::test_two is marked with a.nowhere, which no fragment lists",
    ]


def _path(file: Path) -> str:
    return file.relative_to(ROOT).as_posix()
