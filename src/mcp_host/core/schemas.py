"""Checks a JSON value against a JSON Schema and names every fault, with its place in the value.

The schema is a server's: it may be invalid, refer to nothing, go round in circles or use a dialect nobody knows. None
of that raises or reaches the network: it is told as a fault of the kind `schema`, and what can be checked still is.
`format` is an annotation here, as the dialects say; the server knows best what it takes for a date.
"""

from __future__ import annotations

import functools
import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, cast

from mcp_host.core.catalog.json_values import as_object
from mcp_host.core.json_paths import path_text
from mcp_host.core.schema_guard import GuardedSchema, TooMuchWork, errors_of, guarded
from mcp_host.core.schema_wording import SchemaFault, brief, faults_in

if TYPE_CHECKING:
    from jsonschema.protocols import Validator

__all__ = ["FAULT_LIMIT", "SchemaFault", "check"]

FAULT_LIMIT: Final = 20
"""Faults told at most: nobody reads more, and a long list of records can be wrong everywhere."""

VETTED_LENGTH_LIMIT: Final = 100_000
"""Characters of schema that are held against the metaschema; above, it would take seconds. What is broken in a larger
schema is found when, and only when, a value meets it."""

DEFAULT_DIALECT: Final = "json-schema.org/draft/2020-12/schema"

_DIALECTS: Final[Mapping[str, str]] = {
    "json-schema.org/draft/2020-12/schema": "Draft202012Validator",
    "json-schema.org/draft/2019-09/schema": "Draft201909Validator",
    "json-schema.org/draft-07/schema": "Draft7Validator",
    "json-schema.org/draft-06/schema": "Draft6Validator",
    "json-schema.org/draft-04/schema": "Draft4Validator",
    "json-schema.org/draft-03/schema": "Draft3Validator",
    "json-schema.org/schema": "Draft202012Validator",
}


def check(schema: object, value: object) -> tuple[SchemaFault, ...]:
    """Every fault of the value, at most `FAULT_LIMIT`; empty when it fits. Raises nothing, whatever the schema is."""
    if isinstance(schema, bool):
        return () if schema else (SchemaFault(kind="value", path="$", message="is not allowed here"),)
    document = as_object(schema)
    if document is None:
        return (_schema_fault("the schema is not an object"),)
    dialect = document.get("$schema", "https://" + DEFAULT_DIALECT)
    known = _known_dialect(dialect)
    if known is None:
        return (_schema_fault(f"the schema uses an unknown dialect, {brief(dialect)}"),)
    faults: list[SchemaFault] = []
    try:
        vetted = _vetted(known, json.dumps(document))
        faults += vetted.faults
        for fault in _value_faults(vetted.schema, value):
            if fault not in faults:
                faults.append(fault)
            if len(faults) >= FAULT_LIMIT:
                break
    except TooMuchWork:
        faults.append(_schema_fault("it takes too long to check all of it"))
    except RecursionError:
        faults.append(_schema_fault("the schema goes round in circles, or the value is nested too deeply"))
    except Exception:  # boundary: jsonschema may break anywhere on a schema that a server made up
        faults.append(_schema_fault("the schema is at fault, it cannot be read"))
    return tuple(faults[:FAULT_LIMIT])


def _value_faults(schema: GuardedSchema, value: object) -> Iterator[SchemaFault]:
    for error in errors_of(schema, value):
        yield from faults_in(error)


def _known_dialect(dialect: object) -> str | None:
    if not isinstance(dialect, str):
        return None
    identifier = dialect.rstrip("#").removeprefix("https://").removeprefix("http://")
    return _DIALECTS.get(identifier)


def _schema_fault(reason: str) -> SchemaFault:
    return SchemaFault(kind="schema", path="$", message=f"cannot be checked in full: {reason}")


@dataclass(frozen=True, kw_only=True)
class _Vetted:
    schema: GuardedSchema
    faults: tuple[SchemaFault, ...]


@functools.lru_cache(maxsize=64)
def _vetted(validator_name: str, text: str) -> _Vetted:
    """Reading a schema costs ten times what checking a call's arguments does, and the same tools are called again."""
    import jsonschema

    base: type[Validator] = getattr(jsonschema, validator_name)
    document: dict[str, object] = json.loads(text)
    invalid = list(_invalid_places(base, document)) if len(text) <= VETTED_LENGTH_LIMIT else []
    return _Vetted(
        schema=guarded(base, document, [path for path, _ in invalid]),
        faults=tuple(
            _schema_fault(f"the schema is invalid at {path_text(path)}, which {why}") for path, why in invalid
        ),
    )


def _invalid_places(
    base: type[Validator], document: Mapping[str, object]
) -> Iterator[tuple[tuple[str | int, ...], str]]:
    from referencing.jsonschema import EMPTY_REGISTRY

    metaschema = base(base.META_SCHEMA, registry=EMPTY_REGISTRY)
    seen: set[tuple[str | int, ...]] = set()
    for error in metaschema.iter_errors(cast("Any", document)):
        path = tuple(error.absolute_path)
        if path not in seen:  # each vocabulary of a dialect finds the same fault once more
            yield path, next(faults_in(error)).message
        seen.add(path)
        if len(seen) >= FAULT_LIMIT:
            return
