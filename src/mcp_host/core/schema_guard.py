"""Runs jsonschema's keywords over a schema that nobody has vetted, so that they always end and never raise.

jsonschema trusts its schemas: an invalid keyword raises from the middle of a check, a `$ref` to itself recurses for
ever, and without a registry of our own it would fetch what a `$ref` names. Here every keyword is wrapped: one that
breaks becomes an error marked `BROKEN` in its place and the rest goes on, and each pays from a budget for what it may
cost: one unit, and more where the schema or the value is large. A `pattern` is run only where its work is known.
"""

from __future__ import annotations

import functools
import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextvars import ContextVar
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final, cast

from mcp_host.core.schema_patterns import STEP_LIMIT, runnable

if TYPE_CHECKING:
    from jsonschema import ValidationError
    from jsonschema.protocols import Validator

    Keyword = Callable[[Validator, Any, Any, Any], Iterable[ValidationError] | None]

BROKEN: Final = "(broken)"
"""Stands as the `validator` of an error that is the schema's fault and not the value's."""

WORK_BUDGET: Final = 60_000
"""Units that one check may cost: well under a second. A unit is about ten microseconds: one small keyword."""

_STEPS_A_UNIT: Final = 200
_SIZE_A_UNIT: Final = 500
"""Nodes and characters of a value that are gone through, or quoted in an error, for one unit."""

_COMPARED_A_UNIT: Final = 50
"""Nodes and characters of a keyword's own value that are compared with a value, for one unit."""

_NAME_LENGTH: Final = 256
"""Characters up to which a member's name is held against `patternProperties`."""


class TooMuchWork(Exception):
    """The check was given up: it would have cost more than `WORK_BUDGET`."""


@dataclass(frozen=True, kw_only=True)
class GuardedSchema:
    """A schema that is ready to be checked against, with the places that are known to be invalid left out."""

    validator: Validator = field(repr=False)
    skipped: frozenset[tuple[int, str]]
    """(id of the schema object, keyword) for each keyword whose value is invalid."""


@dataclass(kw_only=True)
class _Work:
    """The check that is running: what it may still spend, and what it leaves out."""

    left: int = WORK_BUDGET
    skipped: frozenset[tuple[int, str]]
    sizes: dict[int, int] = field(default_factory=dict[int, int])
    """By id, as the parts of the schema and of the value live as long as the check."""

    def spend(self, units: int) -> None:
        """To be called before the work is done.

        Raises:
            TooMuchWork: More than is left.
        """
        self.left -= units
        if self.left < 0:
            raise TooMuchWork

    def size(self, value: object) -> int:
        """Nodes and characters of a JSON value, gone through once."""
        if isinstance(value, str):
            return len(value)
        if not isinstance(value, (dict, list)):
            return 1
        known = self.sizes.get(id(cast("object", value)))
        if known is None:
            members = cast("dict[str, object]", value).items() if isinstance(value, dict) else ()
            items = cast("list[object]", value) if isinstance(value, list) else ()
            known = 1 + sum(len(name) + self.size(member) for name, member in members) + sum(map(self.size, items))
            self.sizes[id(cast("object", value))] = known
        return known

    def search(self, pattern: str, text: str) -> bool | None:
        """Whether the pattern is found in the text; None where it is not run: nobody knows how long it would take."""
        found = runnable(pattern)
        steps = found.steps(len(text)) if found is not None else STEP_LIMIT + 1
        if found is None or steps > STEP_LIMIT:
            return None
        self.spend(steps // _STEPS_A_UNIT)
        return found.regex.search(text) is not None


_work: ContextVar[_Work] = ContextVar("_work")
"""How a keyword finds the check it runs in: jsonschema hands its keywords nothing of ours."""


def guarded(
    base: type[Validator], schema: Mapping[str, object], invalid: Iterable[Sequence[str | int]]
) -> GuardedSchema:
    """The schema behind guarded keywords; `invalid` has the path of each fault its metaschema found in it."""
    from referencing.jsonschema import EMPTY_REGISTRY  # jsonschema's default one fetches a `$ref` from the network

    relaxed = cast("Mapping[str, Any]", _relaxed(schema))
    skipped = frozenset(place for path in invalid for place in _keyword_at(relaxed, path))
    return GuardedSchema(validator=_guarded_class(base)(relaxed, registry=EMPTY_REGISTRY), skipped=skipped)


def errors_of(guarded_schema: GuardedSchema, value: object) -> Iterator[ValidationError]:
    """Each error as it is found.

    Raises:
        TooMuchWork: The budget ended first.
        RecursionError: The schema goes round in circles, or the value is nested too deeply.
    """
    _work.set(_Work(skipped=guarded_schema.skipped))
    yield from guarded_schema.validator.iter_errors(cast("Any", value))


@functools.cache
def _guarded_class(base: type[Validator]) -> Callable[..., Validator]:
    from jsonschema import validators

    extend = cast("Callable[..., Callable[..., Validator]]", vars(validators)["extend"])  # untyped in the stubs
    keywords = cast("dict[str, Keyword]", dict(base.VALIDATORS))
    keywords.pop("format", None)  # an annotation, not a promise, in every dialect people use today
    keywords |= {"pattern": _pattern, "patternProperties": _pattern_properties, "uniqueItems": _unique_items}
    guarded_keywords = {name: _guard(name, keyword) for name, keyword in keywords.items()}
    return extend(base, validators=guarded_keywords)


def _guard(name: str, keyword: Keyword) -> Keyword:
    def run(validator: Validator, value: Any, instance: Any, schema: Any) -> Iterator[ValidationError]:
        from jsonschema import ValidationError

        work = _work.get()
        # An error quotes the value, an enum is compared member by member, and so on: the sizes are what it may cost.
        size = work.size(instance) // _SIZE_A_UNIT
        work.spend(_UNITS.get(name, 1) + size)
        if name in _LOOKS_AT_PATTERNS and isinstance(instance, dict):
            patterns = work.size(_patterns_of(schema))
            work.spend(patterns * len(cast("dict[str, object]", instance)) // _COMPARED_A_UNIT)
        if name in _COMPARED:
            work.spend(work.size(value) // _COMPARED_A_UNIT * (1 + size))
        if (id(schema), name) in work.skipped:
            return
        try:
            yield from keyword(validator, value, instance, schema) or ()
        except (TooMuchWork, RecursionError):
            raise
        except Exception as error:  # boundary: any keyword may break on a schema that a server made up
            yield ValidationError(_why(name, value, error), validator=BROKEN)

    return run


def _patterns_of(schema: object) -> object:
    members = cast("dict[str, object]", schema) if isinstance(schema, dict) else None
    return members.get("patternProperties") if members is not None else None


def _why(name: str, value: object, error: Exception) -> str:
    from referencing.exceptions import Unresolvable

    if not isinstance(error, Unresolvable) or not isinstance(value, str):
        return f"its `{name}` cannot be used"
    shown = json.dumps(value if len(value) <= 80 else value[:79] + "…", ensure_ascii=False)
    if value.startswith("#"):
        return f"its `{name}` {shown} leads nowhere"
    return f"its `{name}` {shown} leads out of the schema, where nothing is ever fetched"


def _pattern(_: Validator, pattern: Any, instance: Any, __: Any) -> Iterator[ValidationError]:
    from jsonschema import ValidationError

    if not isinstance(instance, str) or not isinstance(pattern, str):
        return
    if _work.get().search(pattern, instance) is False:
        yield ValidationError("does not match")


def _pattern_properties(validator: Validator, patterns: Any, instance: Any, schema: Any) -> Iterator[ValidationError]:
    # jsonschema's own would run each pattern on each name, whatever that costs.
    if not isinstance(instance, dict):
        return
    for pattern, subschema in cast("dict[str, Any]", patterns).items():
        for name, member in cast("dict[str, Any]", instance).items():
            if _work.get().search(pattern, name):
                yield from cast("Any", validator).descend(member, subschema, path=name, schema_path=pattern)


def _unique_items(_: Validator, wanted: Any, instance: Any, __: Any) -> Iterator[ValidationError]:
    # jsonschema compares each with each when items cannot be sorted; a large answer would take minutes.
    from jsonschema import ValidationError

    if wanted is not True or not isinstance(instance, list):
        return
    items = cast("list[object]", instance)
    if len({json.dumps(_comparable(item), sort_keys=True) for item in items}) < len(items):
        yield ValidationError("has doubles")


def _comparable(value: object) -> object:
    """The value with 1.0 as 1: JSON Schema knows one kind of number."""
    if isinstance(value, float) and value.is_integer():
        return int(value)
    if isinstance(value, dict):
        return {key: _comparable(member) for key, member in cast("dict[str, object]", value).items()}
    if isinstance(value, list):
        return [_comparable(item) for item in cast("list[object]", value)]
    return value


NOTHING: Final[Mapping[str, object]] = {"not": {}}
"""What `false` means, in a form for which jsonschema reports the right place."""

_UNITS: Final = {"$ref": 12, "$dynamicRef": 12, "$recursiveRef": 12, "anyOf": 4, "oneOf": 4, "not": 4, "if": 4}
"""What a keyword costs where that is more than a small one: a reference is looked up, a branch is tried in full."""

_LOOKS_AT_PATTERNS: Final = frozenset({"patternProperties", "additionalProperties", "unevaluatedProperties"})
"""Keywords that hold each name of a value against each pattern."""

_COMPARED: Final = frozenset({"const", "enum", "required", "dependentRequired", "properties"})
"""Keywords whose own size counts: they are gone through for each value."""

_VALUES: Final = ("const", "enum", "default", "examples")


def _relaxed(node: object) -> object:
    """A copy without what could escape the guard or spoil its neighbours; see the comments."""
    if isinstance(node, list):
        return [_relaxed(item) for item in cast("list[object]", node)]
    if not isinstance(node, dict):
        return node
    schema = cast("dict[str, object]", node)
    copy = {key: member if key in _VALUES else _relaxed(member) for key, member in schema.items()}
    if isinstance(copy.get("$schema"), str):
        del copy["$schema"]  # below the root it would swap our keywords for jsonschema's own
    properties = copy.get("properties")
    if isinstance(properties, dict):  # one that is no schema at all would end the check of all of them
        members = cast("dict[str, object]", properties)
        copy["properties"] = {
            name: NOTHING if part is False else part for name, part in members.items() if isinstance(part, (dict, bool))
        }
    patterns = copy.get("patternProperties")
    if isinstance(patterns, dict) and not all(map(_is_quick, cast("dict[str, object]", patterns))):
        # Names they would have matched must not count as additional then.
        for key in ("patternProperties", "additionalProperties", "unevaluatedProperties"):
            copy.pop(key, None)
    return copy


def _is_quick(pattern: str) -> bool:
    found = runnable(pattern)
    return found is not None and found.steps(_NAME_LENGTH) <= STEP_LIMIT // 100


def _keyword_at(schema: object, path: Sequence[str | int]) -> Iterator[tuple[int, str]]:
    """The innermost object on the path and its member there: what must not be evaluated."""
    found: tuple[int, str] | None = None
    node = schema
    for step in path:
        if isinstance(node, dict) and step in node:
            found = (id(cast("object", node)), str(step))
            node = cast("dict[str | int, object]", node)[step]
        elif isinstance(node, list) and isinstance(step, int):
            node = cast("list[object]", node)[step]
        else:
            return
    if found:
        yield found
