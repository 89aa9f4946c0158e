"""The callable name: injective, stable, and within what model APIs take."""

from __future__ import annotations

import random
import re
from itertools import product

import pytest

from mcp_host.core.catalog.naming import CALLABLE_NAME_LIMIT, callable_name


def test_an_ordinary_tool_is_called_by_alias_and_name() -> None:
    assert callable_name("time", "get_current_time") == "time__get_current_time"


def test_names_are_what_they_were_in_the_first_release() -> None:
    assert callable_name("a", "b.c") == "a__b_c-3d615f7ba4ab2c09"
    assert callable_name("a__b", "c") == "a__b__c-42fd3caac400f14b"


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (("a", "b_c"), ("a_b", "c")),
        (("a", "b__c"), ("a__b", "c")),
        (("a", "_b"), ("a_", "b")),
        (("a_", "_b"), ("a", "__b")),
        (("a", "b.c"), ("a", "b_c")),
        (("a", "b.c"), ("a", "b/c")),
        (("a", "t" * 63 + "t"), ("a", "t" * 63 + "u")),
        (("a", "Foo"), ("a", "foo")),
        (("a", "é"), ("a", "e\u0301")),
        (("a", "\ud800"), ("a", "\ud801")),
    ],
)
def test_tools_that_look_alike_have_different_names(one: tuple[str, str], other: tuple[str, str]) -> None:
    assert callable_name(*one) != callable_name(*other)


def test_a_tool_cannot_take_the_hashed_name_of_another() -> None:
    hashed = callable_name("a", "b.c")
    imitation = hashed.removeprefix("a__")
    assert callable_name("a", imitation) != hashed


def test_every_name_fits_the_alphabet_and_the_limit() -> None:
    for alias, raw in (
        ("a", ""),
        ("a" * 32, "t" * 200),
        ("", "x"),
        ("a", "\n日本\ud800"),
        ("a", "t" * 61),
        ("a", "t" * 62),
    ):
        assert re.fullmatch(rf"[a-zA-Z0-9_-]{{1,{CALLABLE_NAME_LIMIT}}}", callable_name(alias, raw))


def test_all_short_pairs_over_a_nasty_alphabet_stay_apart() -> None:
    words = ["".join(letters) for length in range(5) for letters in product("a_-.", repeat=length)]
    names = {callable_name(alias, raw) for alias, raw in product(words, words)}
    assert len(names) == len(words) ** 2


def test_random_long_names_stay_apart() -> None:
    rng = random.Random(52)
    pairs = {
        ("".join(rng.choices("ab_", k=rng.randint(1, 4))), "".join(rng.choices("ab_.", k=rng.randint(50, 70))))
        for _ in range(20_000)
    }
    assert len({callable_name(*pair) for pair in pairs}) == len(pairs)
