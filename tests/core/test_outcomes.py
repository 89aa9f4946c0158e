"""A result is never lost, and what is odd about it is named."""

from __future__ import annotations

import random
from collections.abc import Mapping

import pytest

from mcp_host.core.catalog.entries import Tool, parse_tool
from mcp_host.core.outcomes import FAULT_LIMIT, Outcome, judge_result
from mcp_host.problems import Problem

_SCHEMA: Mapping[str, object] = {"type": "object", "properties": {"id": {"type": "integer"}}, "required": ["id"]}
_CONTENT: list[object] = [{"type": "text", "text": "did it"}]


def _tool(output_schema: Mapping[str, object] | None = None) -> Tool:
    return parse_tool({"name": "t", "inputSchema": {"type": "object"}, "outputSchema": output_schema})


def _judged(raw: Mapping[str, object], output_schema: Mapping[str, object] | None = None) -> Outcome:
    return judge_result(raw, _tool(output_schema), alias="a")


def test_a_plain_result_succeeded() -> None:
    raw: dict[str, object] = {"content": _CONTENT, "structuredContent": {"id": 1}, "resultType": "complete"}
    outcome = _judged(raw, _SCHEMA)
    assert outcome == Outcome(kind="succeeded", result=raw)
    assert outcome.exit_code == 0


def test_an_error_of_the_tool_failed_and_its_structure_is_not_checked() -> None:
    raw: dict[str, object] = {"content": _CONTENT, "isError": True}
    outcome = _judged(raw, _SCHEMA)
    assert outcome == Outcome(kind="failed", result=raw)
    assert outcome.exit_code == 5


@pytest.mark.parametrize(
    ("structured", "faults"),
    [
        ({"structuredContent": {"nope": 1}}, ("structuredContent.id is missing",)),
        ({"structuredContent": {"id": "x"}}, ("structuredContent.id must be a whole number, not a string",)),
        ({"structuredContent": None}, ("structuredContent must be an object, not null",)),
        ({}, ("structuredContent is missing, though t has an outputSchema",)),
    ],
)
def test_a_result_that_breaks_its_output_schema_still_succeeded(
    structured: Mapping[str, object], faults: tuple[str, ...]
) -> None:
    raw = {"content": _CONTENT, **structured}
    assert _judged(raw, _SCHEMA) == Outcome(kind="succeeded", result=raw, faults=faults)


@pytest.mark.parametrize(
    ("schema", "fault"),
    [
        (
            {"type": "object", "properties": {"a": {"required": True}}},
            "the schema is invalid at $.properties.a.required, which must be a list, not true (outputSchema)",
        ),
        ({"$ref": "#/$defs/Gone"}, 'its `$ref` "#/$defs/Gone" leads nowhere (outputSchema)'),
        ({"$schema": "urn:mine"}, 'the schema uses an unknown dialect, "urn:mine" (outputSchema)'),
    ],
)
def test_a_broken_output_schema_is_named_beside_the_result(schema: Mapping[str, object], fault: str) -> None:
    raw: dict[str, object] = {"content": _CONTENT, "structuredContent": {"nope": 1}}
    assert _judged(raw, schema) == Outcome(
        kind="succeeded", result=raw, faults=(f"structuredContent cannot be checked in full: {fault}",)
    )


def test_every_odd_block_is_named_by_its_place() -> None:
    raw: dict[str, object] = {
        "content": [
            {"type": "text", "text": "fine"},
            {"type": "video", "data": "…"},
            {"type": "image", "data": "…"},
            {"type": "text"},
            {"text": "no type"},
            "loose",
            {"type": "resource", "resource": {"uri": "a:b"}},
            {"type": "resource_link", "uri": "a:b"},
            {"type": ["text"]},
        ]
    }
    assert _judged(raw) == Outcome(
        kind="succeeded",
        result=raw,
        faults=(
            'content[1] is of an unknown type, "video"',
            "content[2] (image) lacks mimeType, or has it in another form",
            "content[3] (text) lacks text, or has it in another form",
            "content[4] has no type",
            "content[5] is not an object",
            "content[6] (resource) lacks resource, or has it in another form",
            'content[8] is of an unknown type, ["text"]',
        ),
    )


@pytest.mark.parametrize(
    ("raw", "faults"),
    [
        ({}, ("content is missing",)),
        ({"content": None}, ("content is not a list",)),
        ({"content": "text"}, ("content is not a list",)),
        ({"content": [], "isError": 0}, ("isError is 0, not true or false",)),
    ],
)
def test_a_missing_or_odd_part_is_named(raw: Mapping[str, object], faults: tuple[str, ...]) -> None:
    assert _judged(raw) == Outcome(kind="succeeded", result=raw, faults=faults)


def test_a_flag_of_another_form_that_means_an_error_is_one() -> None:
    raw: dict[str, object] = {"content": [], "isError": "yes"}
    assert _judged(raw) == Outcome(kind="failed", result=raw, faults=('isError is "yes", not true or false',))


def test_an_unknown_result_type_is_a_fault_on_modern_and_nothing_on_legacy() -> None:
    raw: dict[str, object] = {"content": _CONTENT, "resultType": "weird"}
    fault = 'resultType is "weird", which is not a finished tool result'
    assert _judged(raw) == Outcome(kind="succeeded", result=raw, faults=(fault,))
    assert judge_result(raw, _tool(), alias="a", era="legacy") == Outcome(kind="succeeded", result=raw)


def test_an_answer_that_is_no_result_leaves_the_outcome_unknown() -> None:
    raw: dict[str, object] = {"resultType": "task", "taskId": "t-1"}
    outcome = _judged(raw)
    assert outcome == Outcome(
        kind="unknown",
        result=raw,
        problem=Problem(
            type="outcome-unknown",
            title="a answered the call of t with something that is no result; it may have run",
            detail='ResultType is "task", which is not a finished tool result, and there is no content.',
            hint="Do not just repeat it: check with a tool of a that reads whether it took effect.",
            alias="a",
            tool="t",
        ),
    )
    assert outcome.exit_code == 10


def test_the_faults_are_bounded() -> None:
    outcome = _judged({"content": [7] * 1000})
    assert len(outcome.faults) == FAULT_LIMIT + 1
    assert outcome.faults[-1] == "and 980 faults more"


def test_a_result_is_not_in_the_repr() -> None:
    assert "did it" not in repr(_judged({"content": _CONTENT}))


def test_whatever_an_answer_holds_there_is_an_outcome() -> None:
    chance = random.Random(8)
    parts: list[object] = [None, True, 0, "x", [], {}, [None], [{"type": "text"}], {"type": 3}, "task", [[["deep"]]]]
    for _ in range(2_000):
        names = ["content", "structuredContent", "isError", "resultType", "_meta"]
        raw = {name: chance.choice(parts) for name in names if chance.random() < 0.7}
        schema = chance.choice([None, _SCHEMA, {"$ref": "#"}, {"type": 7}, {"anyOf": [{"$ref": "#/x"}, {}]}])
        outcome = _judged(raw, schema)
        assert outcome.result is raw
        assert all(isinstance(fault, str) for fault in outcome.faults)
