"""What an input schema says about each property, as facts for the tool card: one row per place in the arguments.

A place is written as people would: `filter.tags[]` for each member of an array, `pair[0]` for a fixed place in one,
`labels.*` for any other name, `shape(Circle).radius` inside one of several alternatives; a name that would be
misread is quoted. The walk shows what the schema states and judges nothing: checking arguments is not done here.
It is bounded in depth and in number, follows references within the document only, and never raises.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import count, islice
from typing import Final

from mcp_host.core.catalog.json_values import as_array, as_object, as_text
from mcp_host.core.catalog.limits import length_words, range_words
from mcp_host.core.catalog.literals import literal, word_for
from mcp_host.core.catalog.schemas import Flat, alternatives, flatten, required_names, type_words, with_siblings

MAX_FACTS: Final = 500
"""Rows of one card; a person reads no further, and references can describe endlessly many."""
MAX_DEPTH: Final = 8
"""Levels below the top that get rows of their own; further down the signature's `…` is all there is."""
_MAX_VISITS: Final = 1500
"""Places looked at for one card, with or without a row."""
_MAX_VALUES: Final = 100
"""Members of an enum on one row; a `…` follows when there are more."""
_MAX_EXAMPLES: Final = 10
_LITERAL_LIMIT: Final = 500
"""Characters of one default, example or enum member; a longer one is cut and ends in `…`."""
_MAX_BRANCHES: Final = 20
"""Alternatives, fixed places and name patterns of one property that are told apart."""

_PLAIN_NAME: Final = re.compile(r"[\w$-]{1,64}\Z")
_BRANCH_NAME: Final = re.compile(r"[\w$-][\w$ .-]{0,39}\Z")
_MORE: Final = "…"


@dataclass(frozen=True, kw_only=True)
class PropertyFacts:
    """One place in the arguments and everything its schema states. None and () mean that nothing is stated."""

    path: str
    type: str
    """Type words: `string`, `[integer]`, `object | null`, `any`."""
    required: bool = False
    """Within the object that holds it, which may itself be optional."""
    description: str | None = None
    default: str | None = None
    """JSON text; the word `null` is a default of null."""
    format: str | None = None
    range: str | None = None
    """For numbers: `1..100`, `> 0`, `multiple of 5`."""
    length: str | None = None
    """For strings, arrays and objects: `1..20 characters`, `at least 1 item`."""
    pattern: str | None = None
    enum: tuple[str, ...] = ()
    """JSON texts; the last one is `…` when there are more."""
    const: str | None = None
    examples: tuple[str, ...] = ()
    """JSON texts."""


@dataclass(frozen=True, kw_only=True)
class SchemaFacts:
    """The rows of one schema, parents before children, in the schema's own order."""

    properties: tuple[PropertyFacts, ...]
    cut: bool
    """True when there were more than `MAX_FACTS`."""


def property_facts(schema: object) -> SchemaFacts:
    """Walk an input (or output) schema; the top object itself has no row."""
    root = as_object(schema) or {}
    visits = count(1)
    place = _Place(root=root, path="", required=True, depth=0, visits=visits)
    rows = tuple(islice(_below(_resolved(flatten(schema, root), root), place), MAX_FACTS + 1))
    return SchemaFacts(properties=rows[:MAX_FACTS], cut=len(rows) > MAX_FACTS or next(visits) > _MAX_VISITS)


@dataclass(frozen=True, kw_only=True)
class _Place:
    root: Mapping[str, object]
    path: str
    required: bool
    depth: int
    visits: Iterator[int]
    """One counter for the whole walk: places without a row of their own take effort too."""

    def below(self, path: str, *, required: bool = False) -> _Place:
        return replace(self, path=path, required=required, depth=self.depth + 1)


@dataclass(frozen=True, kw_only=True)
class _Resolved:
    """A place's schema with its alternatives; one that is merely nullable has none."""

    flat: Flat
    branches: tuple[Flat, ...]
    type: str


def _resolved(flat: Flat, root: Mapping[str, object]) -> _Resolved:
    branches = _flat_branches(flat, root)
    text = _type_text(branches or [flat], root)
    solid = [branch for branch in branches if type_words(branch.schema) != ("null",)]
    if len(solid) != 1:
        return _Resolved(flat=flat, branches=tuple(solid), type=text)
    outer = {key: value for key, value in flat.schema.items() if key not in ("anyOf", "oneOf")}
    joined = flatten({"allOf": [outer, solid[0].schema]}, root, solid[0].active)
    return _Resolved(flat=replace(joined, name=solid[0].name, recursive=solid[0].recursive), branches=(), type=text)


def _walk(schema: object, place: _Place, active: frozenset[str], *, always: bool = True) -> Iterator[PropertyFacts]:
    """The row of a place, unless it says nothing but its type and need not be there, then the rows below it."""
    if next(place.visits) > _MAX_VISITS:
        return
    resolved = _resolved(flatten(schema, place.root, active), place.root)
    facts = _facts(resolved, place)
    if always or _says_something(facts):
        yield facts
    if place.depth < MAX_DEPTH:
        yield from _below(resolved, place)


def _below(resolved: _Resolved, place: _Place) -> Iterator[PropertyFacts]:
    if resolved.flat.recursive:
        return
    for position, branch in enumerate(resolved.branches, start=1):
        if not branch.recursive:
            below = place.below(f"{place.path}({_branch_name(branch, position)})")
            yield from _walk(branch.schema, below, branch.active, always="object" in type_words(branch.schema))
    if not resolved.branches:
        yield from _children(resolved.flat, place)


def _children(flat: Flat, place: _Place) -> Iterator[PropertyFacts]:
    required = required_names(flat.schema)
    needed = frozenset(required)
    properties = as_object(flat.schema.get("properties")) or {}
    for name, schema in properties.items():
        yield from _walk(schema, place.below(_joined(place.path, name), required=name in needed), flat.active)
    for name in required:
        if name not in properties:
            yield from _walk(True, place.below(_joined(place.path, name), required=True), flat.active)
    others = flat.schema.get("additionalProperties")
    patterned = (as_object(flat.schema.get("patternProperties")) or {}).values()
    for schema in (*islice(patterned, _MAX_BRANCHES), others):
        if as_object(schema) is not None:
            yield from _walk(schema, place.below(f"{place.path}.*".lstrip(".")), flat.active, always=False)
    items = flat.schema.get("items")
    fixed = as_array(items) or as_array(flat.schema.get("prefixItems")) or ()
    for position, schema in enumerate(fixed[:_MAX_BRANCHES]):
        yield from _walk(schema, place.below(f"{place.path}[{position}]"), flat.active, always=False)
    if as_object(items) is not None:
        yield from _walk(items, place.below(f"{place.path}[]"), flat.active, always=False)


def _branch_name(branch: Flat, position: int) -> str:
    names = (branch.name, as_text(branch.schema.get("title")))
    return next((name for name in names if name and _BRANCH_NAME.match(name)), str(position))


def _flat_branches(flat: Flat, root: Mapping[str, object]) -> list[Flat]:
    branches: list[Flat] = []
    if not flat.recursive:
        for alternative in alternatives(flat.schema)[:_MAX_BRANCHES]:
            branches.append(flatten(with_siblings(alternative, flat.schema), root, flat.active))
    return branches


def _facts(resolved: _Resolved, place: _Place) -> PropertyFacts:
    schema = resolved.flat.schema
    enum = as_array(schema.get("enum")) or ()
    values = tuple(_shown(value) for value in enum[:_MAX_VALUES])
    examples = as_array(schema.get("examples")) or ([schema["example"]] if "example" in schema else ())
    return PropertyFacts(
        path=place.path,
        type=resolved.type,
        required=place.required,
        description=as_text(schema.get("description")),
        default=_shown(schema["default"]) if "default" in schema else None,
        format=as_text(schema.get("format")),
        range=range_words(schema),
        length=length_words(schema),
        pattern=as_text(schema.get("pattern")),
        enum=(*values, _MORE) if len(enum) > _MAX_VALUES else values,
        const=_shown(schema["const"]) if "const" in schema else None,
        examples=tuple(_shown(value) for value in examples[:_MAX_EXAMPLES]),
    )


def _says_something(facts: PropertyFacts) -> bool:
    return facts != PropertyFacts(path=facts.path, type=facts.type, required=facts.required)


def _type_text(branches: Sequence[Flat], root: Mapping[str, object], depth: int = 0) -> str:
    words = dict.fromkeys(word for branch in branches for word in _words(branch, root, depth))
    if not words or "any" in words:
        return "any"
    ordered = [word for word in words if word != "null"] + [word for word in words if word == "null"]
    return " | ".join(ordered)


def _words(flat: Flat, root: Mapping[str, object], depth: int) -> Iterator[str]:
    schema = flat.schema
    if flat.recursive:
        yield f"{flat.name}{_MORE}" if _PLAIN_NAME.match(flat.name or "") else _MORE
        return
    values = [schema["const"]] if "const" in schema else (as_array(schema.get("enum")) or ())[:_MAX_VALUES]
    for word in type_words(schema) or [word_for(value) for value in values] or ["any"]:
        if word == "array" and as_object(schema.get("items")) is not None and depth < 3:
            items = flatten(schema["items"], root, flat.active)
            yield f"[{_type_text(_flat_branches(items, root) or [items], root, depth + 1)}]"
        else:
            yield word if word in _KNOWN else "any"


_KNOWN: Final = frozenset(("string", "number", "integer", "boolean", "null", "object", "array"))


def _joined(path: str, name: str) -> str:
    shown = name if _PLAIN_NAME.match(name) else _shown(name)
    return f"{path}.{shown}" if path else shown


def _shown(value: object) -> str:
    text = literal(value)
    return text if len(text) <= _LITERAL_LIMIT else text[: _LITERAL_LIMIT - 1] + _MORE
