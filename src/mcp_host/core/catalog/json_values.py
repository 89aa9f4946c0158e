"""Narrowing what a server sent: JSON values of unknown shape in, typed views of them or None out.

Nothing here copies or checks more than the outermost layer, so that a list of 10,000 tools costs next to nothing.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Final, cast

MAX_DEPTH: Final = 200
"""Deepest nesting of an entry that is kept. Past it the recursive readers that an entry meets later (schema
validation, the JSON encoder that fingerprints it) can exhaust the stack; schemas that people write stay below 40."""


def as_object(value: object) -> Mapping[str, object] | None:
    """The value as a JSON object, or None when it is anything else."""
    return cast("dict[str, object]", value) if isinstance(value, dict) else None


def as_array(value: object) -> Sequence[object] | None:
    """The value as a JSON array, or None when it is anything else. A tuple counts; a string does not."""
    return cast("Sequence[object]", value) if isinstance(value, (list, tuple)) else None


def as_text(value: object) -> str | None:
    """The value as a string that has something to read, or None."""
    return value if isinstance(value, str) and value.strip() else None


def nests_deeper_than(value: object, limit: int) -> bool:
    """Whether containers are nested more than `limit` deep; never recurses and ends early."""
    level = _containers((value,))
    for _ in range(limit):
        level = [child for container in level for child in _containers(_children(container))]
        if not level:
            return False
    return bool(level)


def _containers(values: Iterable[object]) -> list[object]:
    return [value for value in values if isinstance(value, (dict, list, tuple))]


def _children(value: object) -> Iterable[object]:
    members = as_object(value)
    return members.values() if members is not None else as_array(value) or ()
