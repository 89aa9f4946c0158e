"""A fault in a definition: which field, what is wrong with it and what to write instead.

A fault never quotes a value: whatever stands in the wrong place may be a credential. It names fields, types and rules.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from difflib import get_close_matches
from typing import Final

from pydantic_core import PydanticCustomError

from mcp_host.problems import Problem

FieldPath = tuple[str | int, ...]
"""Keys and array indexes from the document or the definition down to one value."""


@dataclass(frozen=True, kw_only=True)
class Fault:
    """One thing that is wrong with a definition."""

    path: FieldPath = ()
    """From the definition's own table down; empty for the definition as a whole."""
    text: str
    """What is wrong, to be read after the field's name: "must be a string, not an array"."""
    hint: str
    """What to write instead, as a sentence."""
    against: str | None = None
    """The other field of the definition that this one does not agree with, where there is one."""


class FaultyDefinition(Exception):
    """Carries every fault of one definition from where it is read to where its problem is made."""

    def __init__(self, faults: Iterable[Fault]) -> None:
        self.faults = tuple(faults)
        super().__init__("; ".join(f"{field_name(fault.path)} {fault.text}" for fault in self.faults))


def refusal(*faults: Fault) -> PydanticCustomError:
    """The exception a model's validator raises; the paths are relative to the field it validates."""
    return PydanticCustomError("faults", "{text}", {"text": "; ".join(f.text for f in faults), "faults": faults})


def placed_problem(fault: Fault, *, title: str, place: str, alias: str | None = None) -> Problem:
    """The problem of a fault whose path goes from the document down. `place` is where people find it."""
    return Problem(
        type="definition-invalid",
        title=title,
        detail=f"{place}: {field_name(fault.path)} {fault.text}",
        hint=fault.hint,
        alias=alias,
    )


def field_name(path: FieldPath) -> str:
    """The path as one would write it in TOML: `servers."a b".args[0]`."""
    text = ""
    for part in path:
        if isinstance(part, int):
            text += f"[{part}]"
        else:
            text += ("." if text else "") + (part if _BARE_KEY.fullmatch(part) else f'"{part}"')
    return text


def nearest(word: str, known: Iterable[str]) -> str | None:
    """The known name that `word` was probably meant to be."""
    by_folded = {_folded(name): name for name in known}
    found = get_close_matches(_folded(word), by_folded, n=1, cutoff=0.7)
    return by_folded[found[0]] if found else None


def type_name(value: object) -> str:
    """How TOML calls the type of a value, with its article."""
    if isinstance(value, bool):
        return "a boolean"
    if value is None:
        return "null"
    for kind, name in _TYPE_NAMES.items():
        if isinstance(value, kind):
            return name
    return "a date or time"


_BARE_KEY: Final = re.compile(r"[A-Za-z0-9_-]+")

_TYPE_NAMES: Final[dict[type, str]] = {
    str: "a string",
    int: "an integer",
    float: "a float",
    Mapping: "a table",
    list: "an array",
    tuple: "an array",
}


def _folded(word: str) -> str:
    return word.replace("-", "").replace("_", "").lower()
