"""Arguments: read strictly, checked against the schema, spelled in one way, and never changed."""

from __future__ import annotations

import json
import math
import random
from collections.abc import Mapping, Sequence
from typing import cast

import pytest

from mcp_host.core.arguments import canonical_json, check_arguments, parse_arguments
from mcp_host.core.catalog.entries import Tool, parse_tool
from mcp_host.problems import Problem, ProblemError


def _tool(schema: Mapping[str, object]) -> Tool:
    return parse_tool({"name": "t", "inputSchema": schema})


def _refusal(given: str | Mapping[str, object] | Sequence[object]) -> Problem:
    with pytest.raises(ProblemError) as refused:
        parse_arguments(given)
    assert refused.value.problem.type == "arguments-invalid"
    return refused.value.problem


@pytest.mark.parametrize("nothing", ["", "  \n", None, "{}", {}, [], ()])
def test_nothing_given_is_the_empty_object(nothing: str | Mapping[str, object] | Sequence[object] | None) -> None:
    assert parse_arguments(nothing) == {}


def test_every_value_keeps_its_json_type() -> None:
    text = '{"n": 890, "e": 1e3, "f": -0.5, "big": 9007199254740993, "ok": true, "l": [1], "o": {"a": 1}, "s": "007"}'
    assert parse_arguments(text) == {
        "n": 890,
        "e": 1000.0,
        "f": -0.5,
        "big": 9007199254740993,
        "ok": True,
        "l": [1],
        "o": {"a": 1},
        "s": "007",
    }


def test_absent_null_and_empty_stay_different() -> None:
    assert parse_arguments('{"a": null, "b": "", "c": [], "d": {}}') == {"a": None, "b": "", "c": [], "d": {}}


def test_a_refusal_names_the_tool_the_place_and_the_text_there() -> None:
    with pytest.raises(ProblemError) as refused:
        parse_arguments('{"tz": UTC}', alias="time", tool="now")
    assert refused.value.problem == Problem(
        type="arguments-invalid",
        title="The arguments for the tool now of time cannot be read as JSON; nothing was sent",
        detail="At 1:8, expecting value: UTC}",
        hint='Write the arguments as one JSON object, such as {"name": "value"}.',
        alias="time",
        tool="now",
    )


@pytest.mark.parametrize(
    ("given", "detail"),
    [
        ("[1]", "They are a list, not a JSON object."),
        ('"x"', "They are a string, not a JSON object."),
        ("null", "They are null, not a JSON object."),
        ("true", "They are true or false, not a JSON object."),
        ('{"a": ', "At 1:7, expecting value (the end)"),
        ({"a": {"b": [1, math.inf]}}, "$.a.b[1] is infinite, or not a number, which JSON cannot say."),
        ({"a": b"x"}, "$.a is a bytes, which JSON cannot say."),
        ({"a": "\udc80"}, "$.a is a string with half a surrogate pair, which JSON cannot say."),
    ],
)
def test_what_is_no_object_of_json_values_is_refused(given: str | Mapping[str, object], detail: str) -> None:
    assert _refusal(given).detail == detail


def test_a_name_that_is_no_string_is_refused() -> None:
    odd: dict[object, object] = {1: "x"}
    assert _refusal({"a": odd}).detail == "$.a has a name that is not a string of characters."


def test_a_value_that_holds_itself_is_refused() -> None:
    endless: dict[str, object] = {}
    endless["again"] = endless
    assert _refusal(endless).detail == "They are nested more than 100 levels deep."


def test_a_value_changed_after_it_was_handed_in_does_not_change_the_arguments() -> None:
    given: dict[str, list[int]] = {"paths": [1]}
    arguments = parse_arguments(given)
    given["paths"].append(2)
    assert arguments == {"paths": [1]}


def test_arguments_that_fit_are_neither_changed_nor_completed() -> None:
    tool = _tool(
        {"type": "object", "properties": {"q": {"type": "string"}, "lang": {"type": "string", "default": "en"}}}
    )
    arguments: dict[str, object] = {"q": ""}
    assert check_arguments(tool, arguments, "a") == ()
    assert arguments == {"q": ""}


def test_every_fault_of_the_arguments_is_named_with_its_path() -> None:
    tool = _tool(
        {
            "type": "object",
            "properties": {"pull_number": {"type": "number"}, "tags": {"type": "array", "items": {"type": "string"}}},
            "required": ["pull_number", "owner"],
        }
    )
    with pytest.raises(ProblemError) as refused:
        check_arguments(tool, {"pull_number": "890", "tags": ["a", 7]}, "hub")
    assert refused.value.problem == Problem(
        type="arguments-invalid",
        title="The arguments do not fit the tool t of hub; nothing was sent",
        detail="$.pull_number must be a number, not a string\n$.tags[1] must be a string, not 7\n$.owner is missing",
        hint="See what it takes: :McpTools hub, or K on the tool in :edit mcp://hub/survey.",
        alias="hub",
        tool="t",
    )


def test_null_is_refused_only_where_the_schema_does_not_allow_it() -> None:
    tool = _tool({"properties": {"a": {"type": "string"}, "b": {"type": ["string", "null"]}}})
    assert check_arguments(tool, {"b": None}, "x") == ()
    with pytest.raises(ProblemError) as refused:
        check_arguments(tool, {"a": None}, "x")
    assert refused.value.problem.detail == "$.a must be a string, not null"


def test_a_broken_schema_is_noted_and_leaves_the_verdict_to_the_server() -> None:
    tool = _tool({"properties": {"ext": {"$ref": "urn:x"}, "n": {"type": "integer"}}})
    assert check_arguments(tool, {"ext": 1, "n": 2}, "x") == (
        '$.ext cannot be checked in full: its `$ref` "urn:x" leads out of the schema, where nothing is ever fetched',
    )


def test_the_canonical_spelling_sorts_names_and_keeps_characters() -> None:
    assert canonical_json({"b": [1, 1.0, True, None], "a": "ü\n"}) == '{"a":"ü\\n","b":[1,1.0,true,null]}'


def test_the_canonical_spelling_refuses_what_is_not_json() -> None:
    with pytest.raises(ValueError, match="JSON"):
        canonical_json(math.nan)


def test_the_canonical_spelling_survives_any_round_trip() -> None:
    chance = random.Random(2)
    for _ in range(3_000):
        value = _random_value(chance, 4)
        text = canonical_json(value)
        assert json.loads(text) == value
        assert canonical_json(json.loads(text)) == text
        assert canonical_json(_reordered(value, chance)) == text


def _random_value(chance: random.Random, depth: int) -> object:
    if depth and chance.random() < 0.4:
        return [_random_value(chance, depth - 1) for _ in range(chance.randint(0, 3))]
    if depth and chance.random() < 0.6:
        return {_random_text(chance): _random_value(chance, depth - 1) for _ in range(chance.randint(0, 4))}
    number = chance.uniform(-1, 1) * 10.0 ** chance.randint(-30, 30)
    scalars = [None, True, False, chance.getrandbits(80), -chance.getrandbits(40), number, _random_text(chance)]
    return chance.choice(scalars)


def _random_text(chance: random.Random) -> str:
    return "".join(chance.choice('ab"\\/\n\x00é\u2028😀') for _ in range(chance.randint(0, 5)))


def _reordered(value: object, chance: random.Random) -> object:
    if isinstance(value, dict):
        members = list(cast("dict[str, object]", value).items())
        chance.shuffle(members)
        return {name: _reordered(member, chance) for name, member in members}
    return value
