"""How large a value is, as far as anybody wants to know."""

from __future__ import annotations

import pytest

from mcp_host.core.interactions.json_content import is_larger_than


@pytest.mark.parametrize(
    ("value", "size"),
    [
        (None, 0),
        (12345, 0),
        ("", 0),
        ("four", 4),
        ([], 0),
        ([1, 2, 3], 3),
        (["ab", ["c"]], 6),
        ({"ab": 1, "c": "def"}, 8),
        ([[1] * 10] * 10, 110),
    ],
)
def test_members_items_and_characters_count(value: object, size: int) -> None:
    assert not is_larger_than(value, size)
    assert is_larger_than(value, size - 1)


def test_a_value_that_nests_however_deeply_has_a_size() -> None:
    value: object = 1
    for _ in range(50_000):
        value = [value]
    assert not is_larger_than(value, 50_000)
    assert is_larger_than(value, 49_999)
