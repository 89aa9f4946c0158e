"""The facts of each property: where it is, what it may hold, within which bounds."""

from __future__ import annotations

import pytest

from mcp_host.core.catalog.constraints import MAX_FACTS, PropertyFacts, property_facts

Schema = dict[str, object]


def having(**properties: object) -> Schema:
    return {"type": "object", "properties": properties}


def rows(schema: object) -> list[PropertyFacts]:
    return list(property_facts(schema).properties)


def only(schema: object) -> PropertyFacts:
    (row,) = rows(having(p=schema))
    return row


def test_everything_that_is_stated_about_a_property_is_there() -> None:
    schema = {
        "type": "string",
        "description": "A mode.",
        "default": "soft",
        "format": "word",
        "minLength": 1,
        "maxLength": 20,
        "pattern": "^[a-z]+$",
        "enum": ["soft", "hard"],
        "examples": ["soft", "hard"],
    }
    assert rows({**having(mode=schema), "required": ["mode"]}) == [
        PropertyFacts(
            path="mode",
            type="string",
            required=True,
            description="A mode.",
            default='"soft"',
            format="word",
            length="1..20 characters",
            pattern="^[a-z]+$",
            enum=('"soft"', '"hard"'),
            examples=('"soft"', '"hard"'),
        )
    ]


@pytest.mark.parametrize(
    ("schema", "words"),
    [
        ({"minimum": 1, "maximum": 100}, "1..100"),
        ({"minimum": 0}, "≥ 0"),
        ({"exclusiveMinimum": 0, "maximum": 1.5}, "> 0, ≤ 1.5"),
        ({"minimum": 0, "exclusiveMinimum": True}, "> 0"),
        ({"exclusiveMaximum": 10, "multipleOf": 5.0}, "< 10, multiple of 5"),
        ({"minimum": "1", "maximum": True}, None),
    ],
)
def test_the_range_of_a_number_reads_like_this(schema: Schema, words: str | None) -> None:
    assert only({"type": "number", **schema}).range == words


@pytest.mark.parametrize(
    ("schema", "words"),
    [
        ({"minLength": 3, "maxLength": 3}, "3 characters"),
        ({"minLength": 1}, "at least 1 character"),
        ({"minLength": 0}, None),
        ({"maxLength": 1}, "at most 1 character"),
        ({"minItems": 1, "maxItems": 5, "uniqueItems": True}, "1..5 items, unique items"),
        ({"minProperties": 2}, "at least 2 properties"),
    ],
)
def test_the_length_of_a_value_reads_like_this(schema: Schema, words: str | None) -> None:
    assert only(schema).length == words


def test_places_are_written_as_people_write_them() -> None:
    schema = having(
        filter=having(tags={"type": "array", "items": {"type": "string", "pattern": "^a"}}),
        rows={"type": "array", "items": having(id={"type": "integer"})},
        pair={"type": "array", "prefixItems": [{"type": "integer", "minimum": 0}, {"type": "string"}]},
        labels={"type": "object", "additionalProperties": {"type": "string", "maxLength": 9}},
        **{"a.b": {"type": "null"}, "": {"type": "null"}, "naïve": {"type": "null"}},
    )
    assert [(row.path, row.type) for row in rows(schema)] == [
        ("filter", "object"),
        ("filter.tags", "[string]"),
        ("filter.tags[]", "string"),
        ("rows", "[object]"),
        ("rows[].id", "integer"),
        ("pair", "array"),
        ("pair[0]", "integer"),
        ("labels", "object"),
        ("labels.*", "string"),
        ('"a.b"', "null"),
        ('""', "null"),
        ("naïve", "null"),
    ]


def test_a_nullable_property_is_one_row_with_both_descriptions_in_reach() -> None:
    schema = {"anyOf": [{"$ref": "#/$defs/Q"}, {"type": "null"}], "default": None, "description": "Outer."}
    query = {**having(limit={"type": "integer", "maximum": 50}), "description": "Inner."}
    assert rows({**having(q=schema), "$defs": {"Q": query}}) == [
        PropertyFacts(path="q", type="object | null", description="Outer.", default="null"),
        PropertyFacts(path="q.limit", type="integer", range="≤ 50"),
    ]


def test_alternatives_are_named_by_reference_title_or_position() -> None:
    schema = {
        "oneOf": [
            {"$ref": "#/$defs/Circle"},
            {**having(side={"type": "number"}), "title": "A square"},
            {"type": "string", "format": "uri"},
            {"type": "integer"},
        ]
    }
    found = rows({**having(shape=schema), "$defs": {"Circle": having(radius={"type": "number"})}})
    assert [(row.path, row.type) for row in found] == [
        ("shape", "object | string | integer"),
        ("shape(Circle)", "object"),
        ("shape(Circle).radius", "number"),
        ("shape(A square)", "object"),
        ("shape(A square).side", "number"),
        ("shape(3)", "string"),
    ]


def test_alternatives_on_top_are_told_apart_too() -> None:
    found = rows({"anyOf": [having(a={"type": "string"}), having(b={"type": "string"})]})
    assert [row.path for row in found] == ["(1)", "(1).a", "(2)", "(2).b"]


def test_all_of_and_references_are_merged_and_the_nearest_description_wins() -> None:
    schema = {"allOf": [{"$ref": "#/$defs/A"}, {"maximum": 9}], "description": "Near."}
    definition = {"type": "integer", "minimum": 1, "description": "Far."}
    assert rows({**having(n=schema), "$defs": {"A": definition}}) == [
        PropertyFacts(path="n", type="integer", description="Near.", range="1..9")
    ]


def test_a_recursive_schema_ends_at_its_name() -> None:
    node = having(children={"type": "array", "items": {"$ref": "#/$defs/Node"}}, next={"$ref": "#/$defs/Node"})
    found = rows({**having(tree={"$ref": "#/$defs/Node"}), "$defs": {"Node": node}})
    assert [(row.path, row.type) for row in found] == [
        ("tree", "object"),
        ("tree.children", "[Node…]"),
        ("tree.next", "Node…"),
    ]


def test_a_required_name_without_a_schema_has_a_row() -> None:
    assert rows({"required": ["ghost"]}) == [PropertyFacts(path="ghost", type="any", required=True)]


def test_null_is_a_default_and_a_constant_and_absence_is_not() -> None:
    assert (only({"default": None}).default, only({"const": None}).const) == ("null", "null")
    assert (only({"type": "null"}).default, only({"type": "null"}).const) == (None, None)


def test_the_type_of_an_untyped_enum_is_told_from_its_values() -> None:
    assert only({"enum": ["a", 1, None]}).type == "string | integer | null"
    assert only({"description": "x"}).type == "any"


def test_a_long_enum_and_a_long_default_are_cut_and_say_so() -> None:
    row = only({"enum": list(range(1000)), "default": "x" * 10_000})
    assert (len(row.enum), row.enum[-1]) == (101, "…")
    assert row.default is not None
    assert (len(row.default), row.default[-1]) == (500, "…")


def test_more_properties_than_a_card_holds_are_cut_and_said_so() -> None:
    facts = property_facts(having(**{f"p{i}": {"type": "string"} for i in range(MAX_FACTS + 1)}))
    assert (len(facts.properties), facts.cut) == (MAX_FACTS, True)
    facts = property_facts(having(**{f"p{i}": {"type": "string"} for i in range(MAX_FACTS)}))
    assert (len(facts.properties), facts.cut) == (MAX_FACTS, False)


def test_descriptions_of_the_wrong_type_are_absent() -> None:
    odd: Schema = {"type": 3, "description": 4, "format": [], "pattern": {}, "enum": "x", "examples": 5}
    assert only(odd) == PropertyFacts(path="p", type="any")
