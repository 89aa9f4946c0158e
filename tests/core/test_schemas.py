"""Every fault of a value is named, and no schema can break, stall or mislead the check."""

from __future__ import annotations

import random
from collections.abc import Mapping

import pytest

from mcp_host.core.schemas import FAULT_LIMIT, SchemaFault, check

_2020 = "https://json-schema.org/draft/2020-12/schema"


def _value(path: str, message: str) -> SchemaFault:
    return SchemaFault(kind="value", path=path, message=message)


def _schema(message: str, path: str = "$") -> SchemaFault:
    return SchemaFault(kind="schema", path=path, message=f"cannot be checked in full: {message}")


@pytest.mark.parametrize(
    ("schema", "value", "faults"),
    [
        ({"type": "integer"}, "7", [_value("$", "must be a whole number, not a string")]),
        ({"type": "integer"}, 7.5, [_value("$", "must be a whole number, not 7.5")]),
        ({"type": ["integer", "null"]}, [], [_value("$", "must be a whole number or null, not a list")]),
        ({"type": "string"}, True, [_value("$", "must be a string, not true")]),
        ({"enum": ["a", "b"]}, "c", [_value("$", 'must be one of "a", "b"')]),
        ({"enum": list(range(20))}, "c", [_value("$", "must be one of 0, 1, 2, 3, 4, 5, 6, 7 and 12 more")]),
        ({"enum": [1]}, True, [_value("$", "must be 1")]),
        ({"const": {"a": 1}}, 2, [_value("$", 'must be {"a": 1}')]),
        ({"minimum": 3, "maximum": 1}, 2, [
            _value("$", "must be at least 3, is 2"),
            _value("$", "must be at most 1, is 2"),
        ]),
        ({"minLength": 3, "pattern": "^a"}, "x", [
            _value("$", "must have at least 3 characters, has 1"),
            _value("$", 'must match the pattern "^a"'),
        ]),
        ({"maxItems": 1, "uniqueItems": True}, [1, 1.0], [
            _value("$", "must have at most 1 items, has 2"),
            _value("$", "must not hold the same item twice"),
        ]),
        ({"required": ["a", "b c"]}, {}, [_value("$.a", "is missing"), _value('$["b c"]', "is missing")]),
        ({"properties": {"a": {}}, "additionalProperties": False}, {"a": 1, "x": 2, "y": 3}, [
            _value("$", 'must not have "x", "y", which the schema does not know'),
        ]),
        ({"dependentRequired": {"a": ["b"]}}, {"a": 1}, [_value("$", 'must have "b" as well when it has "a"')]),
        ({"properties": {"a": False}}, {"a": 1}, [_value("$.a", "is not allowed here")]),
        ({"properties": {"t": {"items": {"type": "string"}}}}, {"t": ["x", 1]}, [
            _value("$.t[1]", "must be a string, not 1"),
        ]),
        ({"if": {"required": ["a"]}, "then": {"required": ["b"]}}, {"a": 1}, [_value("$.b", "is missing")]),
        ({"not": {"type": "integer"}}, 1, [_value("$", "is what the schema's `not` rules out")]),
        ({"type": "string", "format": "date"}, "whenever", []),
        ({"type": "integer"}, 1.0, []),
        ({}, {"any": "thing"}, []),
        (True, 1, []),
        (False, 1, [_value("$", "is not allowed here")]),
    ],
)  # fmt: skip
def test_a_fault_is_told_in_plain_words_with_its_path(schema: object, value: object, faults: list[SchemaFault]) -> None:
    assert list(check(schema, value)) == faults


_SHAPES: Mapping[str, object] = {
    "oneOf": [
        {"type": "object", "properties": {"k": {"const": "a"}}, "required": ["k"]},
        {"type": "object", "properties": {"k": {"const": "b"}, "n": {"type": "number"}}, "required": ["k", "n"]},
    ]
}


@pytest.mark.parametrize(
    ("schema", "value", "faults"),
    [
        ({"anyOf": [{"type": "string"}, {"type": "null"}]}, 5, [_value("$", "must be a string or null, not 5")]),
        ({"anyOf": [{"type": "array", "items": {"type": "string"}}, {"type": "null"}]}, [1], [
            _value("$[0]", "must be a string, not 1"),
        ]),
        (_SHAPES, {"k": "b", "n": "x"}, [_value("$.n", "must be a number, not a string")]),
        (_SHAPES, {"k": "b"}, [_value("$.n", "is missing")]),
        (_SHAPES, {"k": "a"}, []),
        ({"oneOf": [{"type": "object"}, {"minProperties": 0}]}, {}, [
            _value("$", "fits more than one of the allowed forms, and must fit exactly one"),
        ]),
        ({"anyOf": [{"required": ["a"]}, {"required": ["b"]}]}, {}, [
            _value("$", "fits none of the 2 allowed forms: $.a is missing; or $.b is missing"),
        ]),
    ],
)  # fmt: skip
def test_of_a_choice_the_nearest_form_is_explained(schema: object, value: object, faults: list[SchemaFault]) -> None:
    assert list(check(schema, value)) == faults


@pytest.mark.parametrize(
    ("schema", "value", "faults"),
    [
        ({"$ref": "#/$defs/Q", "$defs": {"Q": {"type": "string"}}}, 1, [_value("$", "must be a string, not 1")]),
        ({"properties": {"a": {"$ref": "#/$defs/a~1b", "description": "s"}}, "$defs": {"a/b": {"type": "integer"}}},
         {"a": "x"}, [_value("$.a", "must be a whole number, not a string")]),
        ({"properties": {"a": {"type": "string"}, "b": {"$ref": "#/properties/a"}}}, {"b": 1}, [
            _value("$.b", "must be a string, not 1"),
        ]),
        ({"$schema": _2020, "properties": {"v": {"type": "integer"}, "next": {"$ref": "#"}}},
         {"next": {"next": {"v": "x"}}}, [_value("$.next.next.v", "must be a whole number, not a string")]),
        ({"$schema": "http://json-schema.org/draft-07/schema#", "$ref": "#/definitions/a",
          "definitions": {"a": {"type": "null"}}}, 1, [_value("$", "must be null, not 1")]),
        ({"$schema": "http://json-schema.org/draft-04/schema#", "minimum": 1, "exclusiveMinimum": True}, 0, [
            _value("$", "must be at least 1, is 0"),
        ]),
    ],
)  # fmt: skip
def test_references_are_followed_inside_the_schema_in_its_dialect(
    schema: object, value: object, faults: list[SchemaFault]
) -> None:
    assert list(check(schema, value)) == faults


@pytest.mark.parametrize(
    ("schema", "value", "faults"),
    [
        ([], 1, [_schema("the schema is not an object")]),
        ({"$schema": "urn:mine", "type": "null"}, 1, [_schema('the schema uses an unknown dialect, "urn:mine"')]),
        ({"$schema": 7}, 1, [_schema("the schema uses an unknown dialect, 7")]),
        ({"properties": {"a": {"$ref": "#/$defs/Gone"}, "b": {"type": "null"}}}, {"a": 1, "b": 2}, [
            _schema('its `$ref` "#/$defs/Gone" leads nowhere', "$.a"),
            _value("$.b", "must be null, not 2"),
        ]),
        ({"properties": {"a": {"$ref": "file:///etc/passwd"}}}, {"a": 1}, [
            _schema('its `$ref` "file:///etc/passwd" leads out of the schema, where nothing is ever fetched', "$.a"),
        ]),
        ({"properties": {"a": {"$ref": "#/$defs/Gone"}}}, {"b": 1}, []),
        ({"anyOf": [{"$ref": "#/gone"}, {"type": "null"}]}, 1, [_schema('its `$ref` "#/gone" leads nowhere')]),
        ({"properties": {"a": {"type": "integer", "required": True}}}, {"a": "x"}, [
            _schema("the schema is invalid at $.properties.a.required, which must be a list, not true"),
            _value("$.a", "must be a whole number, not a string"),
        ]),
        ({"properties": {"a": "integer", "b": {"type": "null"}}}, {"a": 1, "b": 2}, [
            _schema("the schema is invalid at $.properties.a, which must be an object or true or false, not a string"),
            _value("$.b", "must be null, not 2"),
        ]),
        ({"minimum": "3"}, 4, [_schema("the schema is invalid at $.minimum, which must be a number, not a string")]),
        ({"multipleOf": 0.1}, 10**400, [_schema("its `multipleOf` cannot be used")]),
    ],
)  # fmt: skip
def test_a_broken_schema_is_named_and_the_rest_is_still_checked(
    schema: object, value: object, faults: list[SchemaFault]
) -> None:
    assert list(check(schema, value)) == faults


@pytest.mark.parametrize(
    "schema",
    [
        {"$ref": "#"},
        {"anyOf": [{"$ref": "#"}, {"$ref": "#"}]},
        {"allOf": [{"$ref": "#/$defs/a"}], "$defs": {"a": {"allOf": [{"$ref": "#"}] * 3}}},
        {"not": {"not": {"$ref": "#"}}},
    ],
)
def test_a_schema_that_goes_round_in_circles_ends(schema: object) -> None:
    (fault,) = check(schema, {"a": 1})
    assert fault.kind == "schema"


def test_a_schema_that_doubles_its_work_at_each_step_ends() -> None:
    steps = {f"s{step}": {"allOf": [{"$ref": f"#/$defs/s{step + 1}"}] * 2} for step in range(40)}
    schema = {"$ref": "#/$defs/s0", "$defs": {**steps, "s40": {"type": "object"}}}
    assert check(schema, {}) == (_schema("it takes too long to check all of it"),)


def test_a_pattern_that_never_ends_is_not_run() -> None:
    assert check({"pattern": "^(a+)+$"}, "a" * 500 + "!") == ()
    assert check({"patternProperties": {"^(a+)+$": False}, "additionalProperties": False}, {"a" * 500 + "!": 1}) == ()


def test_the_value_itself_is_never_quoted() -> None:
    secret = "hunter22" * 100_000
    schemas: list[object] = [
        {"type": "integer"},
        {"enum": [1]},
        {"not": {}},
        {"maxLength": 3},
        {"anyOf": [{"const": 1}]},
    ]
    for fault in (fault for schema in schemas for fault in check(schema, secret)):
        assert "hunter22" not in fault.message
        assert len(fault.message) < 200


def test_the_faults_are_bounded() -> None:
    assert len(check({"items": {"type": "null"}}, ["x"] * 100_000)) == FAULT_LIMIT


def test_a_value_nested_without_end_is_a_fault() -> None:
    value: object = 1
    for _ in range(5_000):
        value = [value]
    (fault,) = check({"items": {"$ref": "#"}}, value)
    assert fault.kind == "schema"


def test_no_schema_makes_the_check_raise() -> None:
    chance = random.Random(4)
    for _ in range(2_000):
        check(_odd_schema(chance, 3), chance.choice([None, 1, -2.5, "x", [], [1, "a"], {}, {"a": 1, "b": [None]}]))


_KEYWORDS = (
    *("type", "properties", "required", "items", "anyOf", "oneOf", "allOf", "not", "if", "then", "enum", "const"),
    *("$ref", "$defs", "$schema", "$id", "$anchor", "$dynamicRef", "pattern", "patternProperties", "minimum"),
    *("multipleOf", "minLength", "additionalProperties", "unevaluatedProperties", "dependentRequired", "contains"),
    *("prefixItems", "uniqueItems", "propertyNames", "maxProperties", "dependentSchemas", "unevaluatedItems"),
)


def _odd_schema(chance: random.Random, depth: int) -> object:
    scalars: list[object] = [
        *(None, True, False, 0, -1, "object", "string", "objekt", "#", "#/$defs/a", "http://[x", "(", "a", 10**400),
        *(["a"], [], {}, _2020, [None], "array", 1e308),
    ]
    if depth == 0 or chance.random() < 0.3:
        return chance.choice(scalars)
    if chance.random() < 0.2:
        return [_odd_schema(chance, depth - 1) for _ in range(chance.randint(0, 3))]
    names = [*chance.choices(_KEYWORDS, k=chance.randint(1, 4)), *chance.choices(["a", "b"], k=chance.randint(0, 1))]
    return {name: _odd_schema(chance, depth - 1) for name in names}
