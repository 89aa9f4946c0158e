"""A field says on few lines what it takes; its value stands below, so that absent, empty and the default differ."""

from __future__ import annotations

import pytest

from mcp_host.core.interactions.field_text import ABSENT, field_lines, placeholder_key
from mcp_host.core.interactions.form import FormField, read_form
from tests.core.interactions.samples import EVERY_KIND, fields


def _shown(field: FormField) -> list[str]:
    value = field.default if field.has_default else ABSENT
    return [one.text for one in field_lines(field, value)]


def _of(schema: object, **more: object) -> list[str]:
    return _shown(read_form({**fields(it=schema), **more}).fields[0])


def test_each_field_of_the_specification_takes_few_lines() -> None:
    lines = [text for field in read_form(EVERY_KIND).fields for text in _shown(field)]
    assert lines == [
        "#   Name: Your full name · text, 1..50 characters, required",
        '#name = ""',
        "#   Where we write to · email address, required",
        '#email = ""',
        "# full address (URI)",
        'page = "https://example.com/me"',
        "# date (YYYY-MM-DD)",
        '#born = ""',
        "# date and time (2026-01-31T13:45:00Z)",
        '#since = ""',
        "# whole number, 18..120",
        "age = 30",
        "# number, 0..1",
        "share = 0.5",
        "# true or false",
        "agree = false",
        '# one of "Red", "Green", "Blue"',
        'color = "Green"',
        "# one of the 2 below",
        '#   "#FF0000"  Red',
        '#   "#00FF00"  Green',
        '#tint = ""',
        "# one of the 2 below",
        '#   "s"  Small',
        '#   "m"  Medium',
        '#size = ""',
        '# any of "Cat", "Dog", "Fish", 1..2 items',
        'pets = ["Cat"]',
        "# any of the 2 below",
        '#   "a"  First',
        '#   "b"  Second',
        "#tags = []",
    ]


def test_a_description_that_is_long_goes_below_the_rule() -> None:
    schema = {"type": "string", "title": "Reason", "description": "Why " * 30, "pattern": "^[a-z]+$"}
    assert _of(schema) == [
        "#   Reason · text, matching ^[a-z]+$",
        "#   " + " ".join(["Why"] * 18),
        "#   " + " ".join(["Why"] * 12),
        '#it = ""',
    ]


def test_a_description_of_several_lines_keeps_them() -> None:
    assert _of({"type": "string", "description": "One:\n- a\n- b"}) == [
        "#   One:",
        "#   - a",
        "#   - b",
        "# text",
        '#it = ""',
    ]


def test_a_default_of_several_lines_is_written_over_several_lines() -> None:
    assert _of({"type": "string", "default": "one\ntwo"}) == ["# text", 'it = """', "one", 'two"""']


def test_many_choices_fill_lines_and_long_ones_stand_below_one_another() -> None:
    assert _of({"enum": [f"choice {number}" for number in range(12)]}) == [
        "# one of the 12 below",
        '#   "choice 0", "choice 1", "choice 2", "choice 3", "choice 4", "choice 5",',
        '#   "choice 6", "choice 7", "choice 8", "choice 9", "choice 10", "choice 11"',
        '#it = ""',
    ]
    assert _of({"enum": ["a" * 30, "b" * 30]}) == [
        "# one of the 2 below",
        f'#   "{"a" * 30}"',
        f'#   "{"b" * 30}"',
        '#it = ""',
    ]


def test_only_so_many_choices_are_listed() -> None:
    lines = _of({"enum": [f"c{number}" for number in range(1000)]})
    assert lines[0] == "# one of the 1000 below"
    assert lines[-2] == "#   … 800 more"
    assert len(lines) < 40


def test_a_value_of_any_shape_is_described_by_its_signature() -> None:
    assert _of({"type": "object", "properties": {"zip": {"type": "string"}}, "required": ["zip"]}) == [
        '# {"zip": string}',
        "# ! forms have no field for it: write it as TOML",
        "#it = {}",
    ]
    assert _of(True) == ["# any value", "# ! nothing says what it takes", '#it = ""']


@pytest.mark.behaviour("form.secret-told")
def test_a_field_that_looks_like_a_secret_is_told_of() -> None:
    field = FormField(name="api_token", kind="string")
    assert _shown(field) == [
        "# text",
        "# ! it looks like a secret, and no server may ask for one in a form: think",
        "#   before you send it",
        '#api_token = ""',
    ]
    assert len(_shown(FormField(name="token_limit", kind="integer"))) == 2


def test_a_default_that_cannot_be_written_here_is_left_out_and_told_of() -> None:
    assert _of({"default": {"a": None}}) == [
        "# any value",
        "# ! forms have no field for it: write it as TOML",
        "# ! its default cannot be written here, and is left out",
        '#it = ""',
    ]


@pytest.mark.parametrize("name", ["x" * 500, "\ud800"])
def test_a_field_that_no_line_has_room_for_is_a_comment_only(name: str) -> None:
    lines = _shown(FormField(name=name, kind="string", required=True))
    assert all(text.startswith("# ") for text in lines)
    assert "can be answered by a script only" in " ".join(text.removeprefix("# ").strip() for text in lines)


def test_an_absent_field_can_be_found_again_and_nothing_else_is_taken_for_one() -> None:
    assert placeholder_key('#name = ""') == "name"
    assert placeholder_key('#"a b" = ""') == '"a b"'
    assert [placeholder_key(text) for text in ("# name = 1", "name = 1", "#name", "#", "")] == [None] * 5
