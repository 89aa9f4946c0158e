"""Says what jsonschema found the way a person would: where, and what is wanted there. Never the value itself.

jsonschema's own messages quote the whole value, which may be megabytes or a password. Of a choice (`anyOf`, `oneOf`)
only the alternative that comes nearest is explained.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, Literal, cast

from mcp_host.core.json_paths import path_text
from mcp_host.core.schema_guard import BROKEN

if TYPE_CHECKING:
    from jsonschema import ValidationError

TEXT_CAP: Final = 80
"""Characters of one name or allowed value from a schema; the rest becomes an ellipsis."""

LIST_CAP: Final = 8
"""Allowed values or names in one message; of the others only the number is told."""


@dataclass(frozen=True, kw_only=True)
class SchemaFault:
    """One thing that is wrong; `kind` says with what."""

    kind: Literal["value", "schema"]
    """`schema`: the value could not be checked (in full), because the schema itself is at fault."""
    path: str
    """Where in the value, such as `$.filter.tags[2]`."""
    message: str

    def __str__(self) -> str:
        return f"{self.path} {self.message}"


def faults_in(error: ValidationError) -> Iterator[SchemaFault]:
    """What one error comes to: one fault, or those of the alternative that comes nearest."""
    branches = _branches(error)
    unreadable = next((child for branch in branches for child in branch if child.validator == BROKEN), None)
    if unreadable is not None:  # perhaps the very alternative that the value would have fitted
        yield _fault(unreadable, unreadable.message)
        return
    if not branches:
        yield _fault(error, _message(error))
        return
    if types := _types_wanted(branches):
        yield _fault(error, _must_be(types, error.instance))
        return
    ranked = sorted(branches, key=_distance)
    nearest = [branch for branch in ranked if _distance(branch) == _distance(ranked[0])]
    if len(nearest) == 1:
        for child in nearest[0]:
            yield from faults_in(child)
        return
    reasons = [str(next(faults_in(branch[0]))) for branch in nearest[:3]]
    yield _fault(error, f"fits none of the {len(branches)} allowed forms: " + "; or ".join(reasons))


def _fault(error: ValidationError, message: str) -> SchemaFault:
    steps = list(error.absolute_path)
    if error.validator == BROKEN:
        return SchemaFault(kind="schema", path=path_text(steps), message=f"cannot be checked in full: {message}")
    if error.validator == "required" and (missing := _missing_name(error)) is not None:
        steps.append(missing)
    return SchemaFault(kind="value", path=path_text(steps), message=message)


def _missing_name(error: ValidationError) -> str | None:
    # jsonschema yields one error for each missing name and tells which one only in its text.
    names = cast("Sequence[object]", error.validator_value)
    return next((name for name in names if isinstance(name, str) and error.message.startswith(repr(name))), None)


# --- a choice ---------------------------------------------------------------------------------------------------------


def _branches(error: ValidationError) -> list[list[ValidationError]]:
    if error.validator not in ("anyOf", "oneOf"):
        return []
    grouped: dict[object, list[ValidationError]] = {}
    for child in error.context or ():
        grouped.setdefault(child.relative_schema_path[0], []).append(child)
    return list(grouped.values())


def _types_wanted(branches: Iterable[list[ValidationError]]) -> list[str]:
    """The types that the alternatives ask for, when the type is all that is wrong with each of them."""
    wanted: list[str] = []
    for branch in branches:
        mismatch = next((child for child in branch if _is_other_type(child)), None)
        if mismatch is None:
            return []
        wanted += _type_names(mismatch.validator_value)
    return list(dict.fromkeys(wanted))


def _distance(branch: list[ValidationError]) -> tuple[bool, bool, int]:
    """How far the value is from an alternative: another type, another tag (`const`, `enum`), the number of faults."""
    other_type = any(_is_other_type(child) for child in branch)
    other_tag = any(child.validator in ("const", "enum") and len(child.relative_path) <= 1 for child in branch)
    return other_type, other_tag, len(branch)


def _is_other_type(error: ValidationError) -> bool:
    return error.validator == "type" and not error.relative_path


# --- one keyword ------------------------------------------------------------------------------------------------------


def _message(error: ValidationError) -> str:
    if error.validator == BROKEN:
        return error.message
    if error.validator in ("additionalProperties", "unevaluatedProperties"):
        return _unknown_members(error.schema, error.instance)
    words = _WORDS.get(str(error.validator))
    return words(error.validator_value, error.instance) if words else f"does not fit the schema's `{error.validator}`"


def _must_be(types: Sequence[str], instance: object) -> str:
    wanted = " or ".join(_TYPE_WORDS.get(name, brief(name)) for name in types)
    return f"must be {wanted}, not {_kind_of(instance)}"


def _type_names(value: object) -> list[str]:
    return [str(name) for name in cast("list[object]", value)] if isinstance(value, list) else [str(value)]


_TYPE_WORDS: Final[Mapping[str, str]] = {
    "string": "a string",
    "integer": "a whole number",
    "number": "a number",
    "boolean": "true or false",
    "object": "an object",
    "array": "a list",
    "null": "null",
}


def _kind_of(value: object) -> str:
    if value is None or isinstance(value, (bool, int, float)):
        return brief(value)
    if isinstance(value, str):
        return "a string"
    return "an object" if isinstance(value, dict) else "a list"


def _one_of(values: Any, _: object) -> str:
    allowed = cast("list[object]", values)
    return f"must be {brief(allowed[0])}" if len(allowed) == 1 else f"must be one of {listed(allowed)}"


def _unknown_members(schema: Any, instance: Any) -> str:
    known = cast("dict[str, object]", schema.get("properties", {}))
    patterns = cast("dict[str, object]", schema.get("patternProperties", {}))
    members = cast("dict[str, object]", instance)
    unknown = [
        name for name in members if name not in known and not any(re.search(pattern, name) for pattern in patterns)
    ]
    return f"must not have {listed(unknown)}, which the schema does not know"


def _dependent(value: Any, instance: Any) -> str:
    needs = cast("dict[str, list[str]]", value)
    missing = [(name, needed) for name in needs if name in instance for needed in needs[name] if needed not in instance]
    return " and ".join(f"must have {brief(needed)} as well when it has {brief(name)}" for name, needed in missing)


_WORDS: Final[Mapping[str, Callable[[Any, Any], str]]] = {
    "None": lambda _, __: "is not allowed here",
    "type": lambda value, instance: _must_be(_type_names(value), instance),
    "enum": _one_of,
    "const": lambda value, _: f"must be {brief(value)}",
    "required": lambda _, __: "is missing",
    "minimum": lambda value, instance: f"must be at least {brief(value)}, is {brief(instance)}",
    "maximum": lambda value, instance: f"must be at most {brief(value)}, is {brief(instance)}",
    "exclusiveMinimum": lambda value, instance: f"must be more than {brief(value)}, is {brief(instance)}",
    "exclusiveMaximum": lambda value, instance: f"must be less than {brief(value)}, is {brief(instance)}",
    "multipleOf": lambda value, instance: f"must be a multiple of {brief(value)}, is {brief(instance)}",
    "minLength": lambda value, instance: f"must have at least {brief(value)} characters, has {len(instance)}",
    "maxLength": lambda value, instance: f"must have at most {brief(value)} characters, has {len(instance)}",
    "minItems": lambda value, instance: f"must have at least {brief(value)} items, has {len(instance)}",
    "maxItems": lambda value, instance: f"must have at most {brief(value)} items, has {len(instance)}",
    "minProperties": lambda value, instance: f"must have at least {brief(value)} members, has {len(instance)}",
    "maxProperties": lambda value, instance: f"must have at most {brief(value)} members, has {len(instance)}",
    "uniqueItems": lambda _, __: "must not hold the same item twice",
    "pattern": lambda value, _: f"must match the pattern {brief(value)}",
    "contains": lambda _, __: "holds too few or too many of the items that the schema's `contains` asks for",
    "not": lambda value, _: "is what the schema's `not` rules out" if value else "is not allowed here",
    "oneOf": lambda _, __: "fits more than one of the allowed forms, and must fit exactly one",
    "dependentRequired": _dependent,
    "additionalItems": lambda _, __: "has more items than the schema allows",
    "unevaluatedItems": lambda _, __: "has more items than the schema allows",
}


def brief(value: object) -> str:
    """The value as JSON on one line, cut at `TEXT_CAP`."""
    try:
        text = json.dumps(value, ensure_ascii=False)
    except (TypeError, ValueError, RecursionError):
        return "(a value that is not JSON)"
    return text if len(text) <= TEXT_CAP else text[: TEXT_CAP - 1] + "…"


def listed(values: Sequence[object]) -> str:
    """The first values with commas between, and how many more there are."""
    more = len(values) - LIST_CAP
    return ", ".join(brief(value) for value in values[:LIST_CAP]) + (f" and {more} more" if more > 0 else "")
