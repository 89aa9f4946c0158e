"""The tests as they are written, without running them: which there are, what they are marked with, what may stop one.

Reading the source is a hundred times faster than collecting, and says the same for plain functions in `test_*.py`.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Final

ROOT: Final = Path(__file__).parents[1]

_STOPPERS: Final = frozenset(
    f"pytest.{name}" for name in ("mark.skip", "mark.skipif", "mark.xfail", "skip", "xfail", "importorskip")
)
"""Marks and calls with which a test may end without having shown anything."""

_SERVERS: Final = "pytest.mark.servers"


@dataclass(frozen=True, kw_only=True)
class WrittenTest:
    """One test function at the top of its file."""

    id: str
    """As pytest spells it: `tests/core/test_x.py::test_name`."""
    behaviours: tuple[str, ...]
    """The ids that its `behaviour` marks name, in order."""
    stoppers: frozenset[str]
    """What may keep it from running, as `pytest.mark.skipif`."""
    needs_servers: bool
    """It runs only where third-party servers are installed."""


@dataclass(frozen=True, kw_only=True)
class WrittenFile:
    """The tests of one file, and the `behaviour` marks in it that are on none of them."""

    tests: Mapping[str, WrittenTest]
    """By name."""
    stray_marks: tuple[int, ...]
    """Lines: the mark is inside a class, a parameter or a module's list, or names no id as a plain string."""


def fault_of(test_id: str) -> str | None:
    """What is wrong with a test that something rests on, in words; None where it exists and runs."""
    path, _, name = test_id.partition("::")
    file = ROOT / path
    if not path.startswith("tests/") or not file.is_file():
        return f"there is no file {path}"
    if not file.name.startswith("test_"):
        return f"pytest finds no tests in {path}: its name does not begin with test_"
    test = written_file(file).tests.get(name)
    if test is None:
        return f"{path} has no test function {name!r}"
    return f"{test_id} may not run: {', '.join(sorted(test.stoppers))}" if test.stoppers else None


def needs_servers(test_id: str) -> bool:
    """Whether an existing test runs only where third-party servers are installed."""
    path, _, name = test_id.partition("::")
    return written_file(ROOT / path).tests[name].needs_servers


def marked_files() -> tuple[Path, ...]:
    """The files with `behaviour` marks in them."""
    return tuple(path for path in sorted((ROOT / "tests").rglob("*.py")) if "mark.behaviour(" in path.read_text())


@cache
def written_file(path: Path) -> WrittenFile:
    """What the file says."""
    return read_tests(path.read_text(), path=path.relative_to(ROOT).as_posix())


def read_tests(source: str, *, path: str) -> WrittenFile:
    """What this source says, as if it stood in that file."""
    module = ast.parse(source)
    outside = [node for node in module.body if not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)]
    shared = _names(outside)
    tests: dict[str, WrittenTest] = {}
    placed: set[ast.AST] = set()
    for function in module.body:
        if isinstance(function, ast.FunctionDef | ast.AsyncFunctionDef) and function.name.startswith("test"):
            names = shared | _names([function])
            marks = [call for call in function.decorator_list if _behaviours(call)]
            placed.update(marks)
            tests[function.name] = WrittenTest(
                id=f"{path}::{function.name}",
                behaviours=tuple(named for call in marks for named in _behaviours(call)),
                stoppers=names & _STOPPERS,
                needs_servers=_SERVERS in names,
            )
    strays = (
        node.lineno
        for node in ast.walk(module)
        if isinstance(node, ast.Call) and node not in placed and _dotted(node.func) == "pytest.mark.behaviour"
    )
    return WrittenFile(tests=tests, stray_marks=tuple(sorted(strays)))


def _behaviours(node: ast.expr) -> tuple[str, ...]:
    """The ids in `pytest.mark.behaviour("id", …)`; none for anything else, or where one is no plain string."""
    if not isinstance(node, ast.Call) or node.keywords or _dotted(node.func) != "pytest.mark.behaviour":
        return ()
    ids = [named.value for named in node.args if isinstance(named, ast.Constant) and isinstance(named.value, str)]
    return tuple(ids) if len(ids) == len(node.args) else ()


def _names(nodes: Iterable[ast.AST]) -> frozenset[str]:
    """Every dotted name in there."""
    return frozenset(_dotted(node) for top in nodes for node in ast.walk(top) if isinstance(node, ast.Attribute))


def _dotted(node: ast.AST) -> str:
    if isinstance(node, ast.Attribute):
        return f"{_dotted(node.value)}.{node.attr}"
    return node.id if isinstance(node, ast.Name) else ""
