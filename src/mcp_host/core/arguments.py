"""The arguments of a call: read from what somebody typed, held against the tool's schema, and spelled in one way.

The policy: nothing is added, dropped or converted. A default in a schema is never sent unless somebody wrote it, an
absent member stays absent, `null` stays null and `""` stays empty. The object that is read here is the object that is
shown, fingerprinted (as `canonical_json`) and sent.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from typing import Final, cast

from mcp_host.core.catalog.entries import Tool
from mcp_host.core.catalog.json_values import nests_deeper_than
from mcp_host.core.json_paths import path_text
from mcp_host.core.schemas import check
from mcp_host.core.strict_json import JsonRefused, is_encodable, read_json
from mcp_host.problems import Problem, ProblemError

MAX_DEPTH: Final = 100
"""Deepest nesting of arguments: far beyond what tools take, and safe for every recursive reader they pass through."""

_JSON_HINT: Final = 'Write the arguments as one JSON object, such as {"name": "value"}.'


def parse_arguments(
    given: str | Mapping[str, object] | Sequence[object] | None, *, alias: str | None = None, tool: str | None = None
) -> dict[str, object]:
    """The arguments as a fresh dict of plain JSON values; nothing given, or blank text, is the empty object.

    `alias` and `tool` only say in a problem what the arguments were for.

    Raises:
        ProblemError: `arguments-invalid`, with line and column (for text) or path (for values).
    """
    try:
        value = _read(given)
    except JsonRefused as error:
        place = f"{error.line}:{error.column}"
        shown = f": {error.fragment}" if error.fragment else " (the end)"
        raise _not_json(f"At {place}, {error.reason}{shown}", alias, tool) from error
    if not isinstance(value, Mapping):
        raise _not_json(f"They are {_kind_of(value)}, not a JSON object.", alias, tool)
    arguments = cast("object", value)
    if nests_deeper_than(arguments, MAX_DEPTH):
        raise _not_json(f"They are nested more than {MAX_DEPTH} levels deep.", alias, tool)
    try:
        return cast("dict[str, object]", _plain(arguments, ()))
    except _CannotBeSent as error:
        raise _not_json(str(error), alias, tool) from error


def check_arguments(tool: Tool, arguments: Mapping[str, object], alias: str) -> tuple[str, ...]:
    """Hold the arguments against the tool's input schema.

    What comes back is worth telling but no reason to refuse: why the schema itself is at fault, so that the arguments
    could not be checked (in full) and the server has to judge them.

    Raises:
        ProblemError: `arguments-invalid`, with the path of each fault.
    """
    faults = check(tool.input_schema, arguments)
    notes = tuple(str(fault) for fault in faults if fault.kind == "schema")
    wrong = [str(fault) for fault in faults if fault.kind == "value"]
    if not wrong:
        return notes
    raise ProblemError(
        Problem(
            type="arguments-invalid",
            title=f"The arguments do not fit the tool {tool.name} of {alias}; nothing was sent",
            detail="\n".join([*wrong, *notes]),
            hint=f"See what it takes: :McpTools {alias}, or K on the tool in :edit mcp://{alias}/survey.",
            alias=alias,
            tool=tool.name,
        )
    )


def canonical_json(value: object) -> str:
    """The one spelling that is shown on request and fingerprinted: sorted names, no blanks, characters as themselves.

    Integers keep their digits and floats their shortest exact form (`1` and `1.0` stay different), so reading it again
    gives the same value and spelling that gives the same text.

    Raises:
        ValueError: The value holds NaN or infinity, or itself.
        TypeError: The value holds something that JSON has no word for.
    """
    return json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False, allow_nan=False)


def _read(given: str | Mapping[str, object] | Sequence[object] | None) -> object:
    if given is None:
        return {}
    if isinstance(given, str):
        return read_json(given) if given.strip() else {}
    # Lua has one empty table for the empty object and the empty list.
    return given if isinstance(given, Mapping) or len(given) > 0 else {}


def _not_json(detail: str, alias: str | None, tool: str | None) -> ProblemError:
    target = f" for the tool {tool} of {alias}" if alias and tool else ""
    return ProblemError(
        Problem(
            type="arguments-invalid",
            title=f"The arguments{target} cannot be read as JSON; nothing was sent",
            detail=detail,
            hint=_JSON_HINT,
            alias=alias,
            tool=tool,
        )
    )


class _CannotBeSent(Exception):
    """A value that came from Lua or Python rather than from text, and has no JSON form."""


def _plain(value: object, path: tuple[str | int, ...]) -> object:
    """A copy in plain dicts and lists, so that whoever handed the value in cannot change it later."""
    if value is None or isinstance(value, (bool, int)):
        return value
    if isinstance(value, float) and math.isfinite(value):
        return value
    if isinstance(value, str) and is_encodable(value):
        return value
    if isinstance(value, Mapping):
        members = cast("Mapping[object, object]", value)
        return {_name(key, path): _plain(member, (*path, str(key))) for key, member in members.items()}
    if isinstance(value, (list, tuple)):
        items = cast("Sequence[object]", value)
        return [_plain(item, (*path, index)) for index, item in enumerate(items)]
    raise _CannotBeSent(f"{path_text(path)} is {_kind_of(value)}, which JSON cannot say.")


def _name(key: object, path: tuple[str | int, ...]) -> str:
    if isinstance(key, str) and is_encodable(key):
        return key
    raise _CannotBeSent(f"{path_text(path)} has a name that is not a string of characters.")


def _kind_of(value: object) -> str:
    if value is None:
        return "null"
    if isinstance(value, str):
        return "a string" if is_encodable(value) else "a string with half a surrogate pair"
    if isinstance(value, bool):
        return "true or false"
    if isinstance(value, (int, float)):
        return "a number" if math.isfinite(value) else "infinite, or not a number"
    return "a list" if isinstance(value, (list, tuple)) else f"a {type(value).__name__}"
