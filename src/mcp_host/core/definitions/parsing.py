"""From one server's table to its `Definition`, or to everything that is wrong with it.

The table may come from a file, from the options of a command or from another client's file: this knows no file and
no line. All faults of a table are found at once, so that a person mends it once.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, Final, Literal, cast

from pydantic import BaseModel, ValidationError
from pydantic_core import ErrorDetails

from mcp_host.core.definitions.faults import Fault, FaultyDefinition, FieldPath, nearest, type_name
from mcp_host.core.definitions.models import (
    BearerAuthorization,
    ClientCredentialsAuthorization,
    Definition,
    HttpDefinition,
    OauthAuthorization,
    Pair,
    Reconnect,
    StdioDefinition,
)


def parse_definition(table: Mapping[str, object]) -> Definition:
    """The definition that a server's table holds, with its transport made explicit.

    Raises:
        FaultyDefinition: with every fault that was found.
    """
    transport, faults = _transport(table)
    faults += _key_faults(table, transport)
    if transport is None:
        raise FaultyDefinition(faults or [_NEITHER])
    model = StdioDefinition if transport == "stdio" else HttpDefinition
    known = {key: value for key, value in table.items() if key in model.model_fields and key != "transport"}
    try:
        definition = model.model_validate({**known, "transport": transport})
    except ValidationError as error:
        faults += [fault for details in error.errors(include_url=False) for fault in _faults(details, table)]
        raise FaultyDefinition(faults) from None
    if faults:
        raise FaultyDefinition(faults)
    return definition


Transport = Literal["stdio", "http", "sse"]

_NEITHER: Final = Fault(
    text="has neither command nor url",
    hint='Write `command = "…"` for a program to start, or `url = "https://…"` for a server to reach.',
)

_PARTS: Final[dict[str, type[BaseModel]]] = {
    "reconnect": Reconnect,
    "pairs": Pair,
    "bearer": BearerAuthorization,
    "oauth": OauthAuthorization,
    "client-credentials": ClientCredentialsAuthorization,
}
"""The model of a table inside a definition, by the part of an error's location that names it."""

_AUTHORIZATION_TYPES: Final = ("bearer", "oauth", "client-credentials")

_EXPECTED: Final[dict[str, str]] = {
    "string_type": "a string",
    "bool_type": "true or false",
    "float_type": "a number",
    "int_type": "a whole number",
    "int_from_float": "a whole number",
    "tuple_type": "an array",
    "dict_type": "a table",
    "mapping_type": "a table",
    "model_type": "a table",
    "model_attributes_type": "a table",
}

_RULES: Final[dict[str, tuple[str, str]]] = {
    "missing": ("is missing", "Add it."),
    "greater_than": ("must be more than 0", "Write a number of seconds above 0."),
    "greater_than_equal": ("must not be negative", "Write 0 or more."),
    "finite_number": ("must be finite", "Write a plain number of seconds."),
    "int_parsing_size": ("is too large", "Write a smaller number."),
    "string_too_short": ("must not be empty", "Write the name, or remove the entry."),
}

_FIELD_HINTS: Final[dict[str, str]] = {
    "command": 'Write the executable as one string and its arguments in args: `command = "npx"`, `args = ["-y", "…"]`.',
    "env": 'Write a table of strings, as in `env = { LOG_LEVEL = "debug", API_TOKEN = "${API_TOKEN}" }`.',
    "headers": 'Write a table of strings, as in `headers = { X-Team = "${TEAM}" }`.',
    "pairs": 'Write `[[servers.{alias}.pairs]]` with preview = "…" and execute = "…".',
}


def _transport(table: Mapping[str, object]) -> tuple[Transport | None, list[Fault]]:
    """The transport that the table means, or None where it cannot be known, and what is wrong with saying so."""
    written = table.get("transport")
    faults: list[Fault] = []
    if "transport" in table and written not in ("stdio", "http", "sse"):
        hint = 'Write "stdio", "http" or "sse", or leave it out: command and url say it.'
        faults.append(Fault(path=("transport",), text="is not one of stdio, http, sse", hint=hint))
        written = None
    match "command" in table, "url" in table:
        case True, True:
            hint = "Keep `command` for a program to start, or `url` for a server to reach."
            text = "stands beside command: only one may be given"
            return None, [*faults, Fault(path=("url",), text=text, hint=hint, against="command")]
        case True, False:
            if written in ("http", "sse"):
                faults.append(_contradiction("url", "command"))
            return "stdio", faults
        case False, True:
            if written == "stdio":
                faults.append(_contradiction("command", "url"))
            return ("sse" if written == "sse" else "http"), faults
        case _:
            return None, faults


def _contradiction(needed: str, given: str) -> Fault:
    hint = f"Remove transport, or give {needed} instead of {given}."
    return Fault(path=("transport",), text=f"needs {needed}, and {given} is given", hint=hint, against=given)


def _key_faults(table: Mapping[str, object], transport: Transport | None) -> list[Fault]:
    stdio, http = frozenset(StdioDefinition.model_fields), frozenset(HttpDefinition.model_fields)
    known = stdio | http if transport is None else stdio if transport == "stdio" else http
    kind = "a url" if transport == "stdio" else "a command"
    given = "command" if transport == "stdio" else "url"
    faults: list[Fault] = []
    for key in table:
        if key in known:
            continue
        if key in stdio | http:
            hint = f"Remove it: only a server with {kind} has it."
            text = f"is an option of servers with {kind}"
            faults.append(Fault(path=(key,), text=text, hint=hint, against=given))
        else:
            faults.append(_unknown_key((key,), known))
    if transport is None and not {"command", "url"} & {*table, *(nearest(key, known) for key in table)}:
        faults.insert(0, _NEITHER)
    return faults


def _unknown_key(path: FieldPath, known: frozenset[str]) -> Fault:
    meant = nearest(str(path[-1]), known)
    hint = f"Did you mean `{meant}`?" if meant else f"Known here: {', '.join(sorted(known))}."
    return Fault(path=path, text="is not a known key", hint=hint)


def _faults(details: ErrorDetails, table: Mapping[str, object]) -> list[Fault]:
    """What one of pydantic's errors says, in our words and without its input."""
    path = _path(details["loc"])
    kind = details["type"]
    if kind == "faults":
        inner = cast("tuple[Fault, ...]", details.get("ctx", {})["faults"])
        return [replace(fault, path=path + fault.path) for fault in inner]
    if kind == "extra_forbidden":
        return [_unknown_key(path, _known_keys(details["loc"]))]
    if kind in {"union_tag_not_found", "union_tag_invalid"}:
        hint = 'Write type = "bearer", "oauth" or "client-credentials".'
        return [Fault(path=path, text="has no known type", hint=hint)]
    if kind == "float_type" and type(details["input"]) is int:
        kind = "int_parsing_size"
    if kind in _EXPECTED:
        text = f"must be {_EXPECTED[kind]}, not {type_name(details['input'])}"
        return [Fault(path=path, text=text, hint=_hint(path, kind, details["input"]))]
    text, hint = _RULES.get(kind, ("is not valid", "Compare it with `:help mcp-host-definitions`."))
    if kind == "missing":
        hint = f'Write `{path[-1]} = "…"`.'
    return [Fault(path=path, text=text, hint=hint)]


def _path(loc: tuple[int | str, ...]) -> FieldPath:
    """Where the error is in the table: pydantic puts the chosen arm of a union and `[key]` into its locations."""
    parts = list(loc)
    if len(parts) > 1 and parts[0] == "authorization" and parts[1] in _AUTHORIZATION_TYPES:
        del parts[1]
    return tuple(part for part in parts if part != "[key]")


def _known_keys(loc: tuple[int | str, ...]) -> frozenset[str]:
    parents = [part for part in loc[:-1] if isinstance(part, str) and part in _PARTS]
    return frozenset(_PARTS[parents[-1]].model_fields) if parents else frozenset()


def _hint(path: FieldPath, kind: str, value: Any) -> str:
    field = str(path[0])
    if len(path) == 1 and field in _FIELD_HINTS:
        return _FIELD_HINTS[field]
    if kind == "string_type":
        return "Put it in quotes." if isinstance(value, int | float) else "Write one string here."
    if kind == "tuple_type" and isinstance(value, str):
        return 'Put it in brackets, as in `["…"]`.'
    return f"Write {_EXPECTED[kind]} here."
