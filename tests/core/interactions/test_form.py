"""Every form that the revisions of the specification have is read into a field, and whatever else comes too."""

from __future__ import annotations

import pytest

from mcp_host.core.interactions.form import Choice, FieldKind, Form, FormField, read_form
from tests.core.interactions.samples import EVERY_KIND, fields


def _field(schema: object) -> FormField:
    (field,) = read_form(fields(it=schema)).fields
    return field


@pytest.mark.behaviour("form.every-schema-form")
def test_every_form_of_the_specification_becomes_a_field_of_its_kind() -> None:
    form = read_form(EVERY_KIND)
    assert {field.name: field.kind for field in form.fields} == {
        "name": "string",
        "email": "string",
        "page": "string",
        "born": "string",
        "since": "string",
        "age": "integer",
        "share": "number",
        "agree": "boolean",
        "color": "choice",
        "tint": "choice",
        "size": "choice",
        "pets": "choices",
        "tags": "choices",
    }
    assert {field.name: field.default for field in form.fields if field.has_default} == {
        "page": "https://example.com/me",
        "age": 30,
        "share": 0.5,
        "agree": False,
        "color": "Green",
        "pets": ["Cat"],
    }
    assert [field.name for field in form.fields if field.required] == ["name", "email"]
    assert (form.is_open, form.note, [field.note for field in form.fields if field.note]) == (False, "", [])


def test_a_field_keeps_the_words_of_the_server() -> None:
    field = read_form(EVERY_KIND).fields[0]
    assert (field.title, field.description) == ("Name", "Your full name")


@pytest.mark.parametrize(
    ("schema", "kind", "choices"),
    [
        ({"type": "string", "enum": ["a", "b"]}, "choice", [("a", ""), ("b", "")]),
        ({"type": "string", "enum": ["a", "b"], "enumNames": ["A"]}, "choice", [("a", "A"), ("b", "")]),
        ({"type": "string", "oneOf": [{"const": "a", "title": "A"}]}, "choice", [("a", "A")]),
        ({"anyOf": [{"const": "a"}, {"const": "b", "title": "B"}]}, "choice", [("a", ""), ("b", "B")]),
        ({"const": "only"}, "choice", [("only", "")]),
        ({"type": "integer", "enum": [1, 2]}, "choice", [(1, ""), (2, "")]),
        ({"type": "array", "items": {"enum": ["a"]}}, "choices", [("a", "")]),
        ({"type": "array", "items": {"anyOf": [{"const": "a", "title": "A"}]}}, "choices", [("a", "A")]),
        ({"type": "array", "items": {"oneOf": [{"const": "a", "title": "A"}]}}, "choices", [("a", "A")]),
    ],
)
def test_a_list_of_values_is_a_choice_however_it_is_written(
    schema: object, kind: FieldKind, choices: list[tuple[object, str]]
) -> None:
    field = _field(schema)
    assert (field.kind, [(choice.value, choice.title) for choice in field.choices]) == (kind, choices)


@pytest.mark.behaviour("form.outside-the-subset")
@pytest.mark.parametrize(
    "schema",
    [
        {"type": "object", "properties": {"a": {"type": "string"}}},
        {"type": "array", "items": {"type": "string"}},
        {"type": "array"},
        {"$ref": "#/$defs/none"},
        {"type": "color"},
        {"type": ["string", "integer"]},
        {"enum": [["a"], {"b": 1}]},
        {},
        True,
        "string",
        None,
    ],
)
def test_what_no_form_has_a_place_for_becomes_a_field_for_any_value(schema: object) -> None:
    field = _field(schema)
    assert (field.kind, field.choices) == ("json", ())
    assert field.note


@pytest.mark.parametrize(
    ("schema", "kind"),
    [
        ({"anyOf": [{"type": "string", "maxLength": 3}, {"type": "null"}], "default": None, "title": "T"}, "string"),
        ({"type": ["integer", "null"], "title": "T"}, "integer"),
        ({"anyOf": [{"enum": ["a", "b"]}, {"type": "null"}], "title": "T"}, "choice"),
        ({"enum": ["a", None], "title": "T"}, "choice"),
    ],
)
def test_a_value_that_may_be_null_is_one_that_may_be_absent(schema: object, kind: FieldKind) -> None:
    field = _field(schema)
    assert (field.kind, field.title, field.has_default) == (kind, "T", False)


@pytest.mark.parametrize(
    ("schema", "why"),
    [
        ({"type": "string", "maxLength": 2, "default": "abc"}, "at most 2 characters"),
        ({"type": "string", "format": "email", "default": "nobody"}, "email address"),
        ({"type": "integer", "default": 1.5}, "a whole number"),
        ({"type": "boolean", "default": "yes"}, "true or false"),
        ({"type": "string", "enum": ["a", "b"], "default": "c"}, 'one of "a", "b"'),
        ({"type": "array", "minItems": 1, "items": {"enum": ["a"]}, "default": []}, "at least 1"),
        ({"type": "array", "items": {"enum": ["a"]}, "default": ["b"]}, "may only hold"),
        ({"type": "string", "default": "\ud800"}, "half a surrogate pair"),
        ({"type": "number", "default": float("nan")}, "neither inf nor nan"),
    ],
)
def test_a_default_that_does_not_fit_is_none_and_is_told_of(schema: object, why: str) -> None:
    field = _field(schema)
    assert (field.has_default, field.default) == (False, None)
    assert field.note.startswith("the server's default is left out: it ")
    assert why in field.note


def test_a_default_that_is_too_long_to_be_filled_in_is_none() -> None:
    choices = [f"v{at}" for at in range(100)]

    def schema(length: int) -> dict[str, object]:
        return fields(it={"type": "array", "items": {"enum": choices}, "default": choices[:1] * length})

    (longest,) = read_form(schema(10_000)).fields
    assert longest.has_default
    (longer,) = read_form(schema(100_000)).fields
    assert (longer.has_default, longer.default) == (False, None)
    words = "it is longer than the 65,536 characters that can be filled in"
    assert longer.note == f"the server's default is left out: {words}"


def test_one_bad_default_does_not_touch_the_others() -> None:
    form = read_form(fields(a={"type": "string", "default": 1}, b={"type": "string", "default": "b"}))
    assert [field.has_default for field in form.fields] == [False, True]


def test_a_required_name_that_nothing_describes_can_still_be_written() -> None:
    form = read_form({"type": "object", "properties": {}, "required": ["ghost", 7, "ghost"]})
    assert form.fields == (FormField(name="ghost", kind="json", required=True, note="nothing says what it takes"),)


@pytest.mark.parametrize("schema", [None, "form", [], 1, {"type": "string"}, {"type": ["object"]}])
def test_a_schema_that_is_no_form_takes_whatever_is_written(schema: object) -> None:
    form = read_form(schema)
    assert (form.fields, form.is_open) == ((), True)
    assert form.note.startswith("the server's schema ")


@pytest.mark.parametrize(
    ("more", "is_open"),
    [
        ({}, False),
        ({"additionalProperties": False}, False),
        ({"additionalProperties": True}, True),
        ({"additionalProperties": {"type": "string"}}, True),
        ({"allOf": [{"required": ["b"]}]}, True),
    ],
)
def test_a_form_takes_other_names_only_where_it_says_so(more: dict[str, object], is_open: bool) -> None:
    assert read_form({**fields(a={"type": "string"}), **more}).is_open is is_open


def test_what_cannot_be_checked_is_told_once_for_the_form() -> None:
    form = read_form(fields(a={"type": "string", "maxLength": "three"}))
    assert form.note.startswith("the server's schema cannot be checked in full")
    assert form.fields[0].kind == "string"


def test_a_form_of_many_fields_is_read_in_their_order() -> None:
    names = [f"field{number}" for number in range(200)]
    form = read_form({"type": "object", "properties": {name: {"type": "string"} for name in names}, "required": names})
    assert [field.name for field in form.fields] == names
    assert all(field.required for field in form.fields)


def test_nothing_is_asked_for_where_there_are_no_properties() -> None:
    assert read_form({"type": "object", "properties": {}}) == Form(
        fields=(), schema={"type": "object", "properties": {}}
    )
    assert Choice(value="a") == Choice(value="a", title="")
