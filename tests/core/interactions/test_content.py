"""What a person fills in is held against the form, and what is wrong is said by field in plain words."""

from __future__ import annotations

import datetime
import sys

import pytest

from mcp_host.core.interactions.content import check_content
from mcp_host.core.interactions.form import read_form
from tests.core.interactions.counting import calls_of
from tests.core.interactions.samples import EVERY_KIND, fields

TEXT = {"type": "string"}
FITS: dict[str, object] = {
    "name": "Ada",
    "email": "ada@example.com",
    "page": "https://example.com/?q=%20",
    "born": "1815-12-10",
    "since": "2026-01-31T13:45:00+02:00",
    "age": 36,
    "share": 1,
    "agree": True,
    "color": "Red",
    "tint": "#00FF00",
    "size": "m",
    "pets": ["Dog", "Fish"],
    "tags": [],
}


def _told(schema: object, content: dict[str, object]) -> list[str]:
    return [str(fault) for fault in check_content(read_form(schema), content)]


def test_a_content_that_fits_has_no_fault() -> None:
    assert _told(EVERY_KIND, FITS) == []


@pytest.mark.behaviour("form.validated-before-sent")
@pytest.mark.parametrize(
    ("name", "value", "fault"),
    [
        ("name", "", "name must have at least 1 characters, has 0"),
        ("name", "x" * 51, "name must have at most 50 characters, has 51"),
        ("name", 7, "name must be a string, not 7"),
        ("email", "ada", "email must be an email address such as name@example.com"),
        ("page", "example.com", "page must be a full address such as https://example.com/page"),
        ("born", "10.12.1815", "born must be a date such as 2026-01-31"),
        ("since", "2026-01-31T13:45:00", "since must end in its time zone: Z, or an offset such as +02:00"),
        ("age", 17, "age must be at least 18, is 17"),
        ("age", 36.5, "age must be a whole number, not 36.5"),
        ("age", "36", "age must be a whole number, not a string"),
        ("share", 1.5, "share must be at most 1, is 1.5"),
        ("share", float("inf"), "share must be a number that has an end, neither inf nor nan"),
        ("agree", "yes", "agree must be true or false, not a string"),
        ("color", "red", 'color must be one of "Red", "Green", "Blue"'),
        ("tint", "Red", 'tint must be one of "#FF0000", "#00FF00"'),
        ("size", "Small", 'size must be one of "s", "m"'),
        ("pets", [], "pets must hold at least 1 of its choices, has 0"),
        ("pets", ["Cat", "Dog", "Fish"], "pets must hold at most 2 of its choices, has 3"),
        ("pets", ["Cow"], 'pets may only hold one of "Cat", "Dog", "Fish"'),
        ("pets", "Cat", "pets must be a list, in square brackets"),
        ("tags", ["First"], 'tags may only hold one of "a", "b"'),
        ("nme", "Ada", "nme is not asked for; did you mean name?"),
        ("zzz", 1, "zzz is not asked for"),
        ("born", datetime.date(1815, 12, 10), "born is a date or a time without quotes; write it as text, in quotes"),
        ("name", "\ud800", "name holds half a surrogate pair, which is no character"),
    ],
)
def test_each_fault_names_its_field(name: str, value: object, fault: str) -> None:
    assert _told(EVERY_KIND, {**FITS, name: value}) == [fault]


def test_all_faults_are_told_in_the_order_of_the_form() -> None:
    assert _told(EVERY_KIND, {"age": 1, "color": 3, "odd name": 1}) == [
        "name is required",
        "email is required",
        'color must be one of "Red", "Green", "Blue"',
        '"odd name" is not asked for',
        "age must be at least 18, is 1",
    ]


def test_a_choice_of_numbers_is_no_choice_of_truths() -> None:
    schema = fields(it={"enum": [1, 0]})
    assert _told(schema, {"it": 1.0}) == []
    assert _told(schema, {"it": True}) == ["it must be one of 1, 0"]


def test_each_item_of_a_list_of_choices_is_compared_as_json_compares() -> None:
    schema = fields(it={"type": "array", "items": {"enum": [1, 2.5, "true", 1 << 60, -0.0]}})
    assert _told(schema, {"it": [1.0, 1, 2.5, "true", 1 << 60, float(1 << 60), 0]}) == []
    refused: list[object] = [True, False, "1", 2, "2.5", (1 << 60) + 1, None, [], {}, [1], {"a": 1}]
    for item in refused:
        assert _told(schema, {"it": [1, item]}) == ['it may only hold one of 1, 2.5, "true", 1152921504606846976, -0.0']


def _work_of_choices(count: int, kind: type[_Word | _Number]) -> int:
    """Of an answer of so many items, all of them the last of so many choices, but for one that is none."""
    values = [kind(at * sys.hash_info.modulus) for at in range(count)]
    form = read_form(fields(it={"type": "array", "items": {"enum": values}}))
    content = {"it": [*values[-1:] * count, "none of them"]}
    assert len(check_content(form, content)) == 1
    return calls_of(lambda: check_content(form, content))


class _Word(str):
    """Text whose comparisons are calls, to be counted."""

    __slots__ = ()
    __hash__ = str.__hash__

    def __eq__(self, other: object) -> bool:
        return str.__eq__(self, other)


class _Number(int):
    """A number whose comparisons are calls; multiples of Python's modulus all have one hash."""

    __hash__ = int.__hash__

    def __eq__(self, other: object) -> bool:
        return int.__eq__(self, other)


@pytest.mark.parametrize("kind", [_Word, _Number])
def test_twice_as_many_choices_and_items_are_twice_the_work(kind: type[_Word | _Number]) -> None:
    assert _work_of_choices(1_000, kind) < 3 * _work_of_choices(500, kind)


def test_what_an_unknown_name_was_meant_to_be_is_looked_for_in_so_many_names_only() -> None:
    def work(count: int) -> int:
        form = read_form(fields(**{f"field{at}": TEXT for at in range(count)}))
        return calls_of(lambda: check_content(form, {f"felid{at}": 1 for at in range(count)}))

    assert work(1_500) < 2 * work(750)
    many = {f"name{at}": TEXT for at in range(3_000)}
    assert _told(fields(**many), {"nmae7": 1})[0].startswith("nmae7 is not asked for; did you mean name")


def test_a_value_of_any_shape_is_held_against_its_schema_and_the_place_in_it_is_named() -> None:
    schema = {
        **fields(where={"$ref": "#/$defs/place"}, **{"odd name": {"type": "array", "items": {"type": "integer"}}}),
        "$defs": {"place": {"type": "object", "properties": {"zip": {"type": "string"}}, "required": ["zip"]}},
    }
    assert _told(schema, {"where": {"zip": "1"}, "odd name": [1]}) == []
    assert _told(schema, {"where": {"zip": 1}, "odd name": [1, "2"]}) == [
        "where.zip must be a string, not 1",
        '"odd name"[1] must be a whole number, not a string',
    ]
    assert _told(schema, {"where": {}}) == ["where.zip is missing"]


@pytest.mark.behaviour("form.hostile-pattern")
def test_a_pattern_is_checked_where_that_is_quick_and_left_to_the_server_where_it_could_take_years() -> None:
    schema = fields(quick={"type": "string", "pattern": "^[a-z]+$"}, slow={"type": "string", "pattern": "^(a+)+$"})
    assert _told(schema, {"quick": "A", "slow": "a" * 50 + "!"}) == ['quick must match the pattern "^[a-z]+$"']


def test_what_the_schema_says_of_the_whole_counts_too() -> None:
    schema = {**fields(a={"type": "string"}, b={"type": "string"}), "minProperties": 1}
    assert _told(schema, {"a": "x"}) == []
    assert _told(schema, {}) == ["the answer must have at least 1 members, has 0 ($)"]


def test_an_open_form_takes_other_members_if_json_can_say_them() -> None:
    schema = {**fields(a={"type": "string"}), "additionalProperties": {"type": "integer"}}
    assert _told(schema, {"b": 1}) == []
    assert _told(schema, {"b": "1"}) == ["the answer must be a whole number, not a string ($.b)"]
    assert _told(schema, {"b": float("nan")}) == ["b must be a number that has an end, neither inf nor nan"]
    assert _told(schema, {"\ud800": 1}) == ['"\\ud800" has a member whose name is not text']


@pytest.mark.parametrize("schema", [None, [], {"type": "string"}])
def test_a_schema_that_is_no_form_refuses_nothing(schema: object) -> None:
    assert _told(schema, {"anything": [1, {"a": None}]}) == []


def test_a_broken_schema_refuses_only_what_it_can_judge() -> None:
    schema = fields(a={"type": "string", "maxLength": "three"}, b={"type": "integer", "minimum": 3})
    assert _told(schema, {"a": "long enough", "b": 2}) == ["b must be at least 3, is 2"]


def test_names_that_begin_alike_are_told_apart() -> None:
    schema = fields(a={"type": "object"}, ab={"type": "integer"}, **{"a.b": {"type": "integer"}})
    assert _told(schema, {"a": {"b": 1}, "ab": "x", "a.b": "y"}) == [
        "ab must be a whole number, not a string",
        '"a.b" must be a whole number, not a string',
    ]


def test_a_number_that_python_cannot_write_is_refused() -> None:
    assert _told(fields(a={"type": "integer"}), {"a": 1 << 20_000}) == ["a is too large a number"]


def test_what_is_nested_too_deeply_is_refused() -> None:
    value: object = 1
    for _ in range(200):
        value = [value]
    assert _told(fields(a={}), {"a": value}) == ["a is nested more than 100 levels deep"]
