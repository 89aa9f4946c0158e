"""Whether a value can be sent as JSON, whoever made it: a person in TOML, Lua, or a script."""

from __future__ import annotations

import datetime
import math
from collections.abc import Mapping, Sequence
from typing import Final, cast

from mcp_host.core.catalog.json_values import as_array, as_object, nests_deeper_than
from mcp_host.core.strict_json import INTEGER_DIGITS_LIMIT, is_encodable

MAX_DEPTH: Final = 100
"""As for the arguments of a call: safe for every recursive reader that it passes through."""

_BITS_LIMIT: Final = INTEGER_DIGITS_LIMIT * 3
"""Python writes no integer of many more digits, and TOML can spell one in hexadecimal."""


def json_fault(value: object) -> str | None:
    """Why JSON cannot say the value, to be read after its name; None where it can."""
    if nests_deeper_than(value, MAX_DEPTH):
        return f"is nested more than {MAX_DEPTH} levels deep"
    return _fault(value)


def is_larger_than(value: object, limit: int) -> bool:
    """Whether the value has more nodes and characters than this, names included; never recurses and ends early."""
    left = limit
    waiting = [value]
    while waiting:
        part = waiting.pop()
        members = as_object(part) or {}
        items = as_array(part) or tuple(members.values())
        left -= len(part) if isinstance(part, str) else len(items) + sum(map(len, members))
        if left < 0:
            return True
        waiting += items
    return False


def _fault(value: object) -> str | None:
    if value is None or isinstance(value, bool):
        return None
    if isinstance(value, str):
        return None if is_encodable(value) else "holds half a surrogate pair, which is no character"
    if isinstance(value, int):
        return None if value.bit_length() <= _BITS_LIMIT else "is too large a number"
    if isinstance(value, float):
        return None if math.isfinite(value) else "must be a number that has an end, neither inf nor nan"
    if isinstance(value, Mapping):
        members = cast("Mapping[object, object]", value)
        parts = (part for name, member in members.items() for part in (_name_fault(name), _fault(member)))
        return next((fault for fault in parts if fault), None)
    if isinstance(value, (list, tuple)):
        return next((fault for item in cast("Sequence[object]", value) if (fault := _fault(item))), None)
    if isinstance(value, (datetime.date, datetime.time)):
        return "is a date or a time without quotes; write it as text, in quotes"
    return f"is a {type(value).__name__}, which JSON has no word for"


def _name_fault(name: object) -> str | None:
    return None if isinstance(name, str) and is_encodable(name) else "has a member whose name is not text"
