"""Signatures: what a schema reads like in one line, and that no schema breaks the reader."""

from __future__ import annotations

import json
import random

import pytest

from mcp_host.core.catalog.constraints import MAX_FACTS, property_facts
from mcp_host.core.catalog.signatures import SIGNATURE_LIMIT, output_signature, signature

Schema = dict[str, object]


def having(**properties: object) -> Schema:
    return {"type": "object", "properties": properties}


def test_the_example_of_the_documentation() -> None:
    schema: Schema = {
        "type": "object",
        "properties": {
            "repo_path": {"type": "string"},
            "max_count": {"type": "integer", "default": 10},
            "mode": {"enum": ["soft", "hard"]},
            "files": {"type": "array", "items": {"type": "string"}},
            "filter": {"anyOf": [{"$ref": "#/$defs/Filter"}, {"type": "null"}], "default": None},
        },
        "required": ["repo_path", "files"],
        "$defs": {"Filter": having(since={"type": "string"})},
    }
    assert signature(schema) == (
        '{"repo_path": string, "max_count"?: integer, "mode"?: "soft" | "hard", '
        '"files": [string], "filter"?: {"since"?: string} | null}'
    )


@pytest.mark.parametrize(
    ("schema", "text"),
    [
        ({"type": "string", "format": "uri", "pattern": "^h"}, "string"),
        ({"type": "number"}, "number"),
        ({"type": "boolean"}, "boolean"),
        ({"type": ["null", "string", "integer"]}, "string | integer | null"),
        ({"anyOf": [{"type": "null"}, {"type": "string"}]}, "string | null"),
        ({"oneOf": [{"const": "a", "title": "A"}, {"const": "b"}]}, '"a" | "b"'),
        ({"const": None}, "null"),
        ({"const": {"a": 1}}, '{"a": 1}'),
        ({"enum": ["a", None, 1, 1.5, True]}, '"a" | 1 | 1.5 | true | null'),
        ({"enum": ["a", "a"]}, '"a"'),
        ({"enum": []}, "any"),
        ({"enum": ["x" * 61, "y"]}, 'string | "y"'),
        ({"type": "array"}, "[any]"),
        ({"items": {"type": "string"}}, "[string]"),
        ({"type": "array", "items": {"type": ["string", "null"]}}, "[string | null]"),
        ({"type": "array", "prefixItems": [{"type": "string"}, {"type": "integer"}]}, "[string, integer]"),
        (
            {"type": "array", "items": [{"type": "string"}], "additionalItems": {"type": "integer"}},
            "[string, ...integer]",
        ),
        ({"type": "array", "items": False}, "[]"),
        ({"type": "object"}, "object"),
        ({"type": "object", "properties": {}, "additionalProperties": False}, "{}"),
        ({"type": "object", "additionalProperties": {"type": "integer"}}, "{[key]: integer}"),
        ({"type": "object", "additionalProperties": True}, "{[key]: any}"),
        ({"patternProperties": {"^x": {"type": "string"}}}, "{[key]: string}"),
        ({"properties": {"a": True}, "required": ["a", "b"]}, '{"a": any, "b": any}'),
        (True, "any"),
        (False, "never"),
        ({}, "any"),
        ({"not": {"type": "string"}}, "any"),
        ({"type": "decimal"}, "any"),
        ({"anyOf": [{"type": "string"}, {}]}, "any"),
        ({"$ref": "http://127.0.0.1:9/x.json"}, "any"),
        ({"$ref": "#/nowhere"}, "any"),
        ({"$ref": 3}, "any"),
        ({"type": "string", "anyOf": [{"minLength": 1}, {"pattern": "x"}]}, "string"),
    ],
)
def test_a_property_reads_like_this(schema: object, text: str) -> None:
    assert signature(having(p=schema)) == f'{{"p"?: {text}}}'


def test_properties_stand_in_the_schemas_own_order() -> None:
    schema = {**having(b={"type": "string"}, a={"type": "string"}), "required": ["a"]}
    assert signature(schema) == '{"b"?: string, "a": string}'


@pytest.mark.parametrize(
    "schema", [{}, {"type": "object"}, {"type": "object", "additionalProperties": False}, having()]
)
def test_a_tool_without_arguments_takes_an_empty_object(schema: Schema) -> None:
    assert signature(schema) == "{}"


def test_references_are_followed_within_the_document() -> None:
    schema: Schema = {
        "$id": "https://example.test/tool",
        "$defs": {
            "a/b": {"type": "integer"},
            "m~n": {"type": "string"},
            "Outer": {"$defs": {"Inner": {"type": "boolean"}}},
            "named": {"$anchor": "here", "type": "null"},
            "Page[Item]": {"type": "number"},
        },
        **having(
            slash={"$ref": "#/$defs/a~1b", "description": "a sibling"},
            tilde={"$ref": "#/$defs/m~0n"},
            nested={"$ref": "#/$defs/Outer/$defs/Inner"},
            sibling={"$ref": "#/properties/slash"},
            anchor={"$ref": "#here"},
            percent={"$ref": "#/$defs/Page%5BItem%5D"},
            absolute={"$ref": "https://example.test/tool#/$defs/a~1b"},
            listed={"$ref": "#/properties/list/anyOf/1"},
            list={"anyOf": [{"type": "string"}, {"type": "integer"}]},
        ),
    }
    assert signature(schema) == (
        '{"slash"?: integer, "tilde"?: string, "nested"?: boolean, "sibling"?: integer, "anchor"?: null, '
        '"percent"?: number, "absolute"?: integer, "listed"?: integer, "list"?: string | integer}'
    )


def test_a_recursive_reference_is_shown_by_its_name_once() -> None:
    node = {**having(value={"type": "string"}, children={"type": "array", "items": {"$ref": "#/$defs/Node"}})}
    schema = {**having(tree={"$ref": "#/$defs/Node"}, again={"$ref": "#/$defs/Node"}), "$defs": {"Node": node}}
    shown = '{"value"?: string, "children"?: [Node…]}'
    assert signature(schema) == f'{{"tree"?: {shown}, "again"?: {shown}}}'
    assert signature(having(self={"$ref": "#"})) == '{"self"?: …}'


def test_a_reference_used_twice_in_one_all_of_is_no_recursion() -> None:
    schema = {"allOf": [{"$ref": "#/$defs/A"}, {"$ref": "#/$defs/A"}], "$defs": {"A": having(a={"type": "string"})}}
    assert signature(schema) == '{"a"?: string}'


def test_all_of_is_merged() -> None:
    first = {**having(a={"type": "number"}, b={"description": "untyped"}), "required": ["a"]}
    second = {**having(a={"type": "integer"}, b={"type": "string"}), "required": ["b"]}
    assert signature({"allOf": [first, second]}) == '{"a": integer, "b": string}'


def test_alternatives_that_only_require_names_do_not_double_the_object() -> None:
    schema = {**having(a={"type": "string"}), "anyOf": [{"required": ["a"]}, {"required": ["b"]}]}
    assert signature(schema) == '{"a"?: string}'


def test_alternatives_of_an_object_each_have_its_common_properties() -> None:
    branches = [{**having(a=True), "required": ["a"]}, having(b=True)]
    schema = {**having(kind={"const": "x"}), "oneOf": branches}
    assert signature(schema) == '{"kind"?: "x", "a": any} | {"kind"?: "x", "b"?: any}'


def test_no_default_and_no_example_is_ever_shown() -> None:
    assert "secret" not in signature(having(p={"type": "string", "default": "secret", "examples": ["secret"]}))


def test_names_and_literals_are_escaped_and_nothing_invisible_remains() -> None:
    text = signature(having(**{'a"\u202e\n\ud800é\U000e0041': {"enum": ["x\u200b", "€"]}}))
    assert text == r'{"a\"\u202e\n\ud800é\udb40\udc41"?: "x\u200b" | "€"}'


def test_a_long_enum_is_cut_and_hides_no_later_property() -> None:
    text = signature(having(zone={"enum": [f"zone/{i}" for i in range(600)]}, last={"type": "string"}))
    assert text.endswith('"zone/19" | …, "last"?: string}')


def test_a_long_signature_folds_the_innermost_objects_first() -> None:
    inner = having(**{f"inner_{i}": {"type": "string"} for i in range(5)})
    text = signature(having(**{f"property_{i}": inner for i in range(30)}))
    assert text.startswith('{"property_0"?: {…}, ')
    assert text.endswith('"property_29"?: {…}}')


def test_a_signature_that_cannot_fit_ends_in_an_ellipsis() -> None:
    text = signature(having(**{f"property_{i}": {"type": "string"} for i in range(5000)}))
    assert len(text) <= SIGNATURE_LIMIT
    assert text.endswith("string, …}")
    assert len(signature(having(**{"n" * 5000: True}), limit=100)) <= 100


def test_an_output_signature_is_there_when_the_server_declares_one() -> None:
    assert output_signature(None) is None
    assert output_signature({"type": "object"}) == "object"
    assert output_signature(having(a={"type": "string"})) == '{"a"?: string}'


def _deep(key: str, depth: int = 10_000) -> object:
    schema: object = {"type": "string"}
    for _ in range(depth):
        schema = {key: [schema] if key in ("allOf", "anyOf", "oneOf", "prefixItems", "enum") else schema}
    return schema


def _laughs(wrapped: str) -> Schema:
    definitions: Schema = {f"d{i}": {wrapped: [{"$ref": f"#/$defs/d{i + 1}"}] * 20} for i in range(50)}
    return {"$defs": {**definitions, "d50": {"type": "array"}}, **having(a={"$ref": "#/$defs/d0"})}


HOSTILE: dict[str, object] = {
    "self cycle": {"$ref": "#/$defs/a", "$defs": {"a": {"$ref": "#/$defs/a"}}},
    "two cycle": {"$ref": "#/$defs/a", "$defs": {"a": {"$ref": "#/$defs/b"}, "b": {"$ref": "#/$defs/a"}}},
    "cycle in allOf": {"allOf": [{"$ref": "#"}], "type": "object"},
    "cycle in anyOf": {"anyOf": [{"$ref": "#"}, {"$ref": "#"}]},
    "pointer into itself": having(a={"$ref": "#/properties/a/properties/a"}),
    "properties a list": {"type": "object", "properties": [1, 2]},
    "required nonsense": {**having(a=True), "required": [1, None, {}, "a", "a", ["b"]]},
    "required a text": {**having(a=True), "required": "a"},
    "references that are none": having(a={"$ref": "file:///etc/passwd"}, b={"$ref": ""}, c={"$ref": "#/~2/%zz//"}),
    "list index": having(a={"$ref": "#/x/²"}, b={"$ref": "#/x/" + "9" * 5000}) | {"x": [1]},
    "huge enum": {"enum": list(range(200_000))},
    "huge number": having(a={"const": 10**5000, "default": 10**5000, "minimum": 10**5000, "maximum": float("inf")}),
    "many properties": having(**{f"p{i}": {"$ref": "#"} for i in range(50_000)}),
    "deep literal": {"const": _deep("enum")},
    **{f"deep {key}": _deep(key) for key in ("allOf", "anyOf", "not", "items", "prefixItems", "additionalProperties")},
    **{f"laughs in {key}": _laughs(key) for key in ("allOf", "anyOf", "oneOf", "prefixItems", "items")},
}


@pytest.mark.parametrize("name", HOSTILE)
def test_a_hostile_schema_gives_a_bounded_answer(name: str) -> None:
    for schema in (HOSTILE[name], having(p=HOSTILE[name])):
        assert len(signature(schema)) <= SIGNATURE_LIMIT
        assert len(property_facts(schema).properties) <= MAX_FACTS


KEYWORDS = (
    *("type", "properties", "required", "items", "prefixItems", "additionalProperties", "patternProperties", "const"),
    *("enum", "anyOf", "oneOf", "allOf", "not", "$ref", "$defs", "definitions", "$id", "$anchor", "additionalItems"),
    *("title", "description", "default", "examples", "format", "minimum", "maximum", "exclusiveMinimum", "pattern"),
    *("multipleOf", "minLength", "maxItems", "uniqueItems", "a", "b"),
)
SCALARS: tuple[object, ...] = (
    *(None, True, False, 0, -1, 1.5, 1e400, "", "string", "object", "array", "null", "nonsense", "\ud800", "\n"),
    *("#", "#/", "#/$defs/a", "#/$defs/b", "#/properties/a", "#a", "http://x/y#/a", "#/$defs/a~1b", "#/%7E", "a"),
)


def _random_json(rng: random.Random, depth: int) -> object:
    kind = rng.random()
    if depth <= 0 or kind < 0.25:
        return rng.choice(SCALARS)
    if kind < 0.45:
        return [_random_json(rng, depth - 1) for _ in range(rng.randint(0, 4))]
    return {rng.choice(KEYWORDS): _random_json(rng, depth - 1) for _ in range(rng.randint(0, 6))}


@pytest.mark.parametrize("seed", range(10))
def test_any_json_value_is_a_schema(seed: int) -> None:
    rng = random.Random(seed)
    for _ in range(300):
        schema = _random_json(rng, 7)
        text = signature(schema)
        assert text == signature(json.loads(json.dumps(schema)))
        assert len(text) <= SIGNATURE_LIMIT
        assert text.isprintable()
        output_signature(schema)
        property_facts(schema)
