"""Schemas made to keep the process busy: each check ends, in work that is counted. Uncounted these take hours."""

from __future__ import annotations

from collections.abc import Mapping

import pytest

from mcp_host.core.schemas import check


def _doubling(keyword: str, depth: int = 30) -> dict[str, object]:
    definitions: dict[str, object] = {"a0": {"type": "integer"}}
    for level in range(1, depth + 1):
        reference = {"$ref": f"#/$defs/a{level - 1}"}
        definitions[f"a{level}"] = {keyword: [reference, reference]}
    return {"$defs": definitions, "$ref": f"#/$defs/a{depth}"}


HOSTILE: Mapping[str, tuple[object, object]] = {
    "references that double": (_doubling("allOf"), {"x": 1}),
    "branches that double": (_doubling("anyOf"), {"x": 1}),
    "unevaluated members behind doubling": ({**_doubling("allOf"), "unevaluatedProperties": False}, {"x": 1}),
    "an enormous value at many branches": ({"anyOf": [{"type": "integer"}] * 100_000}, ["x" * 100] * 20_000),
    "many names at many patterns": (
        {"patternProperties": dict.fromkeys((f"^p{n}" for n in range(2_000)), True), "additionalProperties": False},
        {f"q{n}": 1 for n in range(20_000)},
    ),
}


@pytest.mark.parametrize("name", HOSTILE)
def test_a_check_that_would_not_end_is_given_up_and_says_so(name: str) -> None:
    schema, value = HOSTILE[name]
    assert any("takes too long" in fault.message for fault in check(schema, value) if fault.kind == "schema")


@pytest.mark.parametrize("pattern", ["a?" * 40 + "a" * 40 + "b", "(a+)+b", "(a|a)*b", r"(.*a){20}b", "(?=a+)a+b"])
def test_a_pattern_whose_work_is_not_known_to_be_small_is_not_run(pattern: str) -> None:
    assert check({"pattern": pattern}, "a" * 60) == ()


def test_large_and_honest_schemas_are_checked_in_full() -> None:
    record = {"type": "object", "properties": {"a": {"type": "integer"}, "b": {"enum": ["x", "y"]}}, "required": ["a"]}
    rows: list[object] = [{"a": number, "b": "x"} for number in range(2_000)]
    assert check({"items": record}, rows) == ()
    (fault,) = check({"items": record}, [*rows, {"a": 1, "b": "z"}])
    assert (fault.kind, fault.path) == ("value", "$[2000].b")
    assert check({"patternProperties": {"^x-": {"type": "string"}}}, {"x-a": 1, "y": 2})[0].path == "$.x-a"
