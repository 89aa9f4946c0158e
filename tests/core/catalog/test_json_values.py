"""Narrowing what a server sent, and telling how deep it is nested."""

from __future__ import annotations

import pytest

from mcp_host.core.catalog.json_values import as_array, as_object, as_text, nests_deeper_than

DEPTHS: list[tuple[object, int]] = [
    (3, 0),
    ("text", 0),
    ({}, 1),
    ([1], 1),
    ({"a": {}}, 2),
    ([[], [[]], 1], 3),
    ({"a": [{"b": 1}]}, 3),
]


@pytest.mark.parametrize(("value", "depth"), DEPTHS)
def test_the_depth_of_a_value_is_how_many_containers_enclose_its_innermost_part(value: object, depth: int) -> None:
    assert [nests_deeper_than(value, limit) for limit in range(5)] == [depth > limit for limit in range(5)]


def test_a_value_is_narrowed_by_its_outermost_layer() -> None:
    assert (as_object({"a": 1}), as_object([]), as_object(None)) == ({"a": 1}, None, None)
    assert (as_array([1]), as_array((1,)), as_array("ab"), as_array({})) == ([1], (1,), None, None)
    assert (as_text("a"), as_text(" "), as_text(""), as_text(1)) == ("a", None, None, None)
