"""The bounds that a schema states, in words: how big a number, how long a string, how many items."""

from __future__ import annotations

from collections.abc import Mapping

from mcp_host.core.catalog.literals import literal


def range_words(schema: Mapping[str, object]) -> str | None:
    """`1..100`, `> 0`, `≥ 1, multiple of 5`; None when the schema bounds no number."""
    least, above = _bound(schema, "minimum", "exclusiveMinimum")
    most, below = _bound(schema, "maximum", "exclusiveMaximum")
    words: list[str] = []
    if least and most:
        words.append(f"{least}..{most}")
        least = most = None
    signs = (("≥", least), (">", above), ("≤", most), ("<", below), ("multiple of", _number(schema, "multipleOf")))
    words += [f"{sign} {number}" for sign, number in signs if number]
    return ", ".join(words) or None


def length_words(schema: Mapping[str, object]) -> str | None:
    """`1..20 characters`, `at least 1 item`, `unique items`; None when the schema bounds no length."""
    kinds = (
        ("Length", "character", "characters"),
        ("Items", "item", "items"),
        ("Properties", "property", "properties"),
    )
    words = [_count_words(schema, *kind) for kind in kinds]
    if schema.get("uniqueItems") is True:
        words.append("unique items")
    return ", ".join(word for word in words if word) or None


def _count_words(schema: Mapping[str, object], suffix: str, one: str, many: str) -> str:
    least, most = _number(schema, f"min{suffix}"), _number(schema, f"max{suffix}")
    if least and most:
        count = least if least == most else f"{least}..{most}"
        return f"{count} {one if most == '1' else many}"
    if least and least != "0":
        return f"at least {least} {one if least == '1' else many}"
    return f"at most {most} {one if most == '1' else many}" if most else ""


def _bound(schema: Mapping[str, object], inclusive: str, exclusive: str) -> tuple[str | None, str | None]:
    bound = _number(schema, inclusive)
    # Up to draft 4 the exclusive keyword was a flag on the inclusive one.
    return (None, bound) if schema.get(exclusive) is True else (bound, _number(schema, exclusive))


def _number(schema: Mapping[str, object], key: str) -> str | None:
    value = schema.get(key)
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        return None
    return literal(int(value) if isinstance(value, float) and value.is_integer() else value)
