"""A form as it is filled in: its fields, what kind of value each takes and what it begins with."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

FieldKind = Literal["string", "number", "integer", "boolean", "choice", "choices", "json"]
"""`choice` is one of a list, `choices` any of one; `json` is what the specification's forms have no place for."""

Scalar = str | int | float | bool


@dataclass(frozen=True, kw_only=True)
class Choice:
    """One value that may be chosen."""

    value: Scalar
    title: str = ""
    """What the server calls it; empty where that is the value itself."""


@dataclass(frozen=True, kw_only=True)
class FormField:
    """One member of the content that a form asks for. All texts are the server's, as it spelled them."""

    name: str
    kind: FieldKind
    title: str = ""
    description: str = ""
    required: bool = False
    has_default: bool = False
    """It begins with `default`. A default of null, or one that does not fit, is none."""
    default: object = None
    choices: tuple[Choice, ...] = ()
    schema: Mapping[str, object] = field(default_factory=dict[str, object])
    """What is said about its value, without an alternative that is merely null."""
    note: str = ""
    """What is odd about it, as a sentence of ours without its full stop."""


@dataclass(frozen=True, kw_only=True)
class Form:
    """What an elicitation in the mode `form` asks for."""

    fields: tuple[FormField, ...]
    schema: Mapping[str, object]
    """The requested schema as it came."""
    is_open: bool = False
    """It takes members that it does not name."""
    note: str = ""
    """Why the schema as a whole cannot be read; empty where it can be."""
