"""Whatever a server calls things, its words are spelled so that TOML reads the same words, and nobody misreads them."""

from __future__ import annotations

from random import Random

import pytest
import tomli

from mcp_host.core.interactions.toml_spelling import Unspelled, spoken_key, text_lines, toml_key, toml_value
from tests.core.interactions.samples import HOSTILE

ALPHABET = "ab \t\n\r\"'\\#[]={}.,\x00\x1b\x7f\x9b\u200b\u202e\u2028\ufeff\ufe0fé語😀\U000e0041-_1"


def random_text(chance: Random, length: int) -> str:
    return "".join(chance.choice(ALPHABET) for _ in range(chance.randrange(length)))


def random_value(chance: Random, depth: int = 0) -> object:
    kind = chance.randrange(8 if depth < 3 else 5)
    if kind == 0:
        return chance.choice([0, -1, 1 << 70, 7])
    if kind == 1:
        return chance.choice([0.0, -0.5, 1e22, 5e-324, 1.7976931348623157e308])
    if kind == 2:
        return chance.random() < 0.5
    if kind <= 4:
        return random_text(chance, 30)
    if kind == 5:
        return {random_text(chance, 8): random_value(chance, depth + 1) for _ in range(chance.randrange(4))}
    return [random_value(chance, depth + 1) for _ in range(chance.randrange(4))]


def test_any_value_is_read_again_as_it_was_and_every_line_can_be_seen() -> None:
    chance = Random(1)
    for _ in range(2000):
        name, value = random_text(chance, 12), random_value(chance)
        lines = toml_value(value)
        text = f"{toml_key(name)} = " + "\n".join(lines)
        assert tomli.loads(text) == {name: value}
        assert all(line.isprintable() and line == line.rstrip(" ") for line in lines)


@pytest.mark.parametrize("text", [*HOSTILE, "a" * 5000, " " * 3000, "\n" * 50, "x\n" * 3000, "\\" * 2000, '"' * 2000])
def test_a_text_over_several_lines_is_the_same_text(text: str) -> None:
    if "\ud800" in text:
        with pytest.raises(Unspelled):
            text_lines(text)
        return
    lines = text_lines(text)
    assert tomli.loads("it = " + "\n".join(lines)) == {"it": text}
    assert max(map(len, lines)) <= 8000


def test_a_short_text_stands_on_its_line_and_one_with_breaks_as_people_write_it() -> None:
    assert toml_value('say "hi"') == ('"say \\"hi\\""',)
    assert toml_value("one\n  two \n") == ('"""', "one", "  two\\u0020", '"""')


def test_a_line_of_a_text_never_looks_like_a_field_or_a_table() -> None:
    assert text_lines("# Heading\n#name = 1\n[table]\n[a link](x)") == (
        '"""',
        "# Heading",
        "\\u0023name = 1",
        "\\u005btable]",
        '[a link](x)"""',
    )


def test_a_list_is_on_one_line_where_it_fits() -> None:
    assert toml_value(["a", 1, True]) == ('["a", 1, true]',)
    assert toml_value(["x" * 50, "y" * 50]) == ("[", f'"{"x" * 50}",', f'"{"y" * 50}",', "]")


def test_a_key_is_bare_where_it_can_be() -> None:
    assert [toml_key(name) for name in ("a-b_1", "a b", "", 'x"]\n[y', "\u202e")] == [
        "a-b_1",
        '"a b"',
        '""',
        '"x\\"]\\n[y"',
        '"\\u202e"',
    ]


@pytest.mark.parametrize("name", ["x" * 201, "\ud800", "\x00" * 40])
def test_a_key_that_no_line_has_room_for_is_not_spelled(name: str) -> None:
    with pytest.raises(Unspelled):
        toml_key(name)


@pytest.mark.parametrize("value", [None, [None], {"a": None}, "\ud800", "x" * 100_000, {"a": "x" * 9000}, object()])
def test_what_toml_has_no_word_for_is_not_spelled(value: object) -> None:
    with pytest.raises(Unspelled):
        toml_value(value)


def test_what_is_nested_too_deeply_is_not_spelled() -> None:
    listed: object = 1
    tabled: object = 1
    for _ in range(100):
        listed, tabled = [listed], {"a": tabled}
    for value in (listed, tabled):
        with pytest.raises(Unspelled):
            toml_value(value)


def test_a_name_is_spoken_of_in_one_short_line() -> None:
    assert spoken_key("name") == "name"
    assert spoken_key("two words\n") == '"two words\\n"'
    assert spoken_key("x" * 100) == '"' + "x" * 59 + '…"'
