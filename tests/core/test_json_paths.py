"""Paths into a JSON document, as people write them."""

from __future__ import annotations

import pytest

from mcp_host.core.json_paths import NAME_CAP, path_text


@pytest.mark.parametrize(
    ("steps", "text"),
    [
        ((), "$"),
        (("filter", "tags", 2), "$.filter.tags[2]"),
        (("a b",), '$["a b"]'),
        (("",), '$[""]'),
        (('say "hi"', 0), '$["say \\"hi\\""][0]'),
        (("x-y", "$ref"), "$.x-y.$ref"),
        (("x" * 100,), "$[" + '"' + "x" * (NAME_CAP - 1) + "…" + '"' + "]"),
    ],
)
def test_a_path_is_written_the_way_people_write_it(steps: tuple[str | int, ...], text: str) -> None:
    assert path_text(steps) == text
