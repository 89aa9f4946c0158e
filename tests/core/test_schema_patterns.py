"""How long a text a server's pattern is run on."""

from __future__ import annotations

import re

import pytest

from mcp_host.core.schema_patterns import NESTED_LENGTH_LIMIT, checkable_length


@pytest.mark.parametrize("pattern", ["^(a+)+$", "(a|a)*b", "((a*)b?)*", "^([a-z]+\\.)+$", "(x{1,9})*", "((a|b)c)+"])
def test_a_repeat_inside_a_repeat_is_run_on_short_texts_only(pattern: str) -> None:
    assert checkable_length(pattern) == NESTED_LENGTH_LIMIT


@pytest.mark.parametrize("pattern", ["(", "^\\p{L}+$", "[z-a]", "(?<name>a)", "*"])
def test_a_pattern_that_python_cannot_read_is_not_run(pattern: str) -> None:
    assert checkable_length(pattern) == 0


@pytest.mark.parametrize(
    ("pattern", "at_least"),
    [
        ("^\\d{4}-\\d{2}-\\d{2}$", 20),
        ("^[a-z]+$", 4_000),
        ("^(\\+1)?\\d{10}$", 4_000),
        ("^(foo|bar)$", 1_000_000),
        ("^[^@\\s]+@[^@\\s]+$", 200),
        ("^[(*+]$", 1_000_000),
        ("\\(a\\+\\)\\+", 1_000_000),
    ],
)
def test_an_ordinary_pattern_is_run_on_any_ordinary_text(pattern: str, at_least: int) -> None:
    assert checkable_length(pattern) >= at_least


def test_the_worst_text_for_a_nested_repeat_ends() -> None:
    assert re.search("^(a+)+$", "a" * (NESTED_LENGTH_LIMIT - 1) + "!") is None
