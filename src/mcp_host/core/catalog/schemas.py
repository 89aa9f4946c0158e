"""Reading a JSON schema that a server sent: local references followed and `allOf` merged into one flat schema.

It never fetches anything: a reference that leaves the document resolves to nothing. It never raises, whatever the
schema holds, and what it does is bounded, since a small schema can describe an endless one. It reads for people, so
where two members of an `allOf` cannot both be shown it prefers the first; validation is somebody else's work.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final
from urllib.parse import unquote

from mcp_host.core.catalog.json_values import as_array, as_object

MAX_MERGED: Final = 64
"""How many schemas one `$ref`/`allOf` knot may consist of; ends a chain that would otherwise double at each step."""
_MAX_JOINED: Final = 2000
"""Names that two members of an `allOf` may have together before only the first one's are read: joining copies."""

_COMBINED: Final = ("items", "additionalProperties")
_NULL_COUNTS: Final = ("const", "default")
"""Keywords for which null is a value and not the same as absent."""
_OF_OBJECTS: Final = ("properties", "required", "additionalProperties", "patternProperties")
_OF_ARRAYS: Final = ("items", "prefixItems", "additionalItems")
_SHAPING: Final = frozenset(("type", "enum", "const", "anyOf", "oneOf", "allOf", "$ref", *_OF_OBJECTS, *_OF_ARRAYS))
"""The keywords that decide what a value looks like; the others only describe or restrict it."""


@dataclass(frozen=True, kw_only=True)
class Flat:
    """One schema without `$ref` and `allOf`."""

    schema: Mapping[str, object]
    active: frozenset[str]
    """The references that lie between the root and here, to recognise one that leads back into itself."""
    name: str | None = None
    """The last word of the reference this came from: `Node` for `#/$defs/Node`."""
    recursive: bool = False
    """True where following the reference would lead back into what is being read."""


def flatten(schema: object, root: Mapping[str, object], active: frozenset[str] = frozenset(("#",))) -> Flat:
    """Merge a schema, what it refers to and its `allOf` members, the schema's own words first."""
    alone = as_object(schema)
    if alone is not None and "$ref" not in alone and "allOf" not in alone:
        return Flat(schema=alone, active=active)
    merged: dict[str, object] = {}
    followed = set(active)
    name: str | None = None
    recursive = False
    waiting: list[object] = [schema]
    for _ in range(MAX_MERGED):
        if not waiting:
            break
        part = as_object(waiting.pop(0))
        if part is None:
            continue
        if "$ref" not in part and "allOf" not in part:
            _merge(merged, part)
            continue
        _merge(merged, {key: value for key, value in part.items() if key not in ("$ref", "allOf")})
        reference = part.get("$ref")
        if isinstance(reference, str):
            name = name or _last_word(reference)
            recursive = recursive or reference in active
            if reference not in followed:
                followed.add(reference)
                waiting.append(resolve(reference, root))
        waiting.extend((as_array(part.get("allOf")) or ())[:MAX_MERGED])
    return Flat(schema=merged, active=frozenset(followed), name=name, recursive=recursive)


def resolve(reference: str, root: Mapping[str, object]) -> object:
    """What a reference within the document points to; None when it points nowhere or out of the document."""
    base, _, fragment = reference.partition("#")
    if base and base != root.get("$id"):
        return None
    if fragment and not fragment.startswith("/"):
        return _anchored(fragment, root)
    current: object = root
    for step in unquote(fragment).split("/")[1:]:
        current = _member(current, step.replace("~1", "/").replace("~0", "~"))
    return current


def alternatives(schema: Mapping[str, object]) -> tuple[object, ...]:
    """The members of `anyOf` or `oneOf`, or none when they only restrict what the schema already says."""
    for key in ("anyOf", "oneOf"):
        members = as_array(schema.get(key))
        if members and any(_says_more_than_required(member) for member in members):
            return tuple(members)
    return ()


def with_siblings(alternative: object, schema: Mapping[str, object]) -> object:
    """An alternative together with what stands beside its `anyOf` or `oneOf`, to be flattened."""
    siblings = {key: value for key, value in schema.items() if key in _SHAPING and key not in ("anyOf", "oneOf")}
    return {"allOf": [siblings, alternative]} if siblings else alternative


def type_words(schema: Mapping[str, object]) -> tuple[str, ...]:
    """The `type` of a flat schema as a list of words; told from its other keywords when it has none."""
    kind = schema.get("type")
    if isinstance(kind, str):
        return (kind,)
    words = tuple(word for word in as_array(kind) or () if isinstance(word, str))
    if words:
        return tuple(dict.fromkeys(words))
    if any(key in schema for key in ("properties", "additionalProperties", "patternProperties")):
        return ("object",)
    return ("array",) if "items" in schema or "prefixItems" in schema else ()


def required_names(schema: Mapping[str, object]) -> tuple[str, ...]:
    """The names in `required`, each once, whatever else is in there."""
    return tuple(dict.fromkeys(name for name in as_array(schema.get("required")) or () if isinstance(name, str)))


def _merge(merged: dict[str, object], part: Mapping[str, object]) -> None:
    for key, value in part.items():
        if key not in merged or (merged[key] is None and key not in _NULL_COUNTS):
            merged[key] = value
        elif key == "properties":
            merged[key] = _both_properties(as_object(merged[key]) or {}, as_object(value) or {})
        elif key == "required":
            merged[key] = [*(as_array(merged[key]) or ())[:_MAX_JOINED], *(as_array(value) or ())[:_MAX_JOINED]]
        elif key == "type":
            merged[key] = _both_types(merged[key], value)
        elif key in _COMBINED and as_object(value) is not None:
            merged[key] = value if as_object(merged[key]) is None else {"allOf": [merged[key], value]}


def _both_properties(first: Mapping[str, object], second: Mapping[str, object]) -> Mapping[str, object]:
    if len(first) + len(second) > _MAX_JOINED:
        return first
    both = dict(first)
    for name, schema in second.items():
        both[name] = {"allOf": [both[name], schema]} if name in both else schema
    return both


def _both_types(first: object, second: object) -> object:
    left, right = type_words({"type": first}), type_words({"type": second})
    shared = [word for word in left if word in right or (word == "integer" and "number" in right)]
    shared += [word for word in right if word == "integer" and "number" in left and word not in shared]
    return shared or first


def _says_more_than_required(schema: object) -> bool:
    members = as_object(schema)
    return members is not None and any(key in _SHAPING and key != "required" for key in members)


def _anchored(anchor: str, root: Mapping[str, object]) -> object:
    for key in ("$defs", "definitions"):
        for definition in (as_object(root.get(key)) or {}).values():
            if (as_object(definition) or {}).get("$anchor") == anchor:
                return definition
    return None


def _member(value: object, step: str) -> object:
    members = as_object(value)
    if members is not None:
        return members.get(step)
    items = as_array(value)
    # Not `isdigit`, which is true of digits that `int` refuses; and not a number of a thousand digits either.
    if items is not None and step.isdecimal() and len(step) < 6 and int(step) < len(items):
        return items[int(step)]
    return None


def _last_word(reference: str) -> str:
    return unquote(reference).rpartition("/")[2].rpartition("#")[2].replace("~1", "/").replace("~0", "~")
