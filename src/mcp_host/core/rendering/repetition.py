"""Tells when a tool result says the same thing twice: as text for older clients and as `structuredContent`.

The specification asks servers for that, and most frameworks do it in one of three ways: the text is the JSON of the
structured value; the structured value is `{"result": x}` around the text; or around a list with one text for each item.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final, Literal

from mcp_host.core.catalog.json_values import as_array, as_object

_WRAPPER: Final = "result"
"""The one member under which frameworks put a value that is no object."""

_ABSENT: Final = object()


@dataclass(frozen=True, kw_only=True)
class Repeated:
    """Which text blocks only repeat the structured value, and which of the two a person reads better."""

    positions: frozenset[int] = frozenset()
    better: Literal["text", "json"] = "json"


def repeated_texts(texts: Mapping[int, str], structured: object) -> Repeated:
    """Compare the texts, by their position in `content`, with the structured value."""
    same = frozenset(at for at, text in texts.items() if _says(text, structured))
    if same:
        return Repeated(positions=same)
    wrapped = _unwrapped(structured)
    if wrapped is _ABSENT or not texts:
        return Repeated()
    every = frozenset(texts)
    items = as_array(wrapped)
    if len(texts) == 1 and _says(next(iter(texts.values())), wrapped):
        return Repeated(positions=every, better="json" if _is_container(wrapped) else "text")
    if items is not None and len(items) == len(texts) and all(map(_says, texts.values(), items)):
        return Repeated(positions=every, better="json" if any(map(_is_container, items)) else "text")
    return Repeated()


def _unwrapped(structured: object) -> object:
    members = as_object(structured) or {}
    return members[_WRAPPER] if tuple(members) == (_WRAPPER,) else _ABSENT


def _is_container(value: object) -> bool:
    return isinstance(value, (Mapping, Sequence)) and not isinstance(value, str)


def _says(text: str, value: object) -> bool:
    if isinstance(value, str) and text == value:
        return True
    try:
        return _canonical(json.loads(text)) == _canonical(value)
    except (RecursionError, TypeError, ValueError):
        return False


def _canonical(value: object) -> str:
    # Not `==` on the values: to Python, true is 1.
    return json.dumps(value, sort_keys=True)
