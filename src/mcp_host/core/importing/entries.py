"""From one entry of a client's file to a candidate, field by field."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Final

from mcp_host.core.importing.client_table import Client
from mcp_host.core.importing.draft import Draft, shown
from mcp_host.core.importing.json_kinds import array_of, kind_of, object_of
from mcp_host.core.importing.reaching import finish_reaching


def read_entry(draft: Draft, entry: object, client: Client) -> None:
    """Reads everything of the entry into the draft. Whatever is wrong with one field loses no other."""
    fields = object_of(entry)
    if fields is None:
        draft.faults.append(f"{draft.place()}: a server must be an object, not {kind_of(entry)}.")
        return
    for key, read in client.fields.items():
        if fields.get(key) is not None:
            read(draft, fields[key], key)
    for key, value in fields.items():
        if key not in client.fields and value is not None and not key.startswith(("_", "//", "#")):
            draft.note(f"`{shown(key)}` has no counterpart here, and was left out.")
    finish_reaching(draft)
    _leave_out_what_has_no_use(draft)


def variables_of(servers: object) -> Iterator[str]:
    """The variables that the entries refer to in the words of their client, other than those of their own env."""
    for entry in (object_of(servers) or {}).values():
        fields = object_of(entry) or {}
        env = object_of(fields.get("env")) or {}
        literal = {name for name, value in env.items() if name not in _mentioned(value)}
        yield from (name for name in _mentioned(fields) if name not in literal)


def disabled_in(settings: Mapping[str, object]) -> frozenset[str]:
    """The servers that the settings around them turn off by name."""
    names = set(_names(settings.get("disabledMcpServers")))
    names |= set(_names((object_of(settings.get("mcp")) or {}).get("excluded")))
    return frozenset(names)


def depends_on_folder(entry: object) -> bool:
    """Whether the entry may mean something else in another folder."""
    return any("${" in text or text.startswith(".") for text in _texts(entry))


def _mentioned(value: object) -> Iterator[str]:
    return (match["name"] or match[0] for text in _texts(value) for match in _VARIABLE.finditer(text))


def _texts(value: object) -> Iterator[str]:
    pending = [value]
    while pending:
        found = pending.pop()
        if (members := object_of(found)) is not None:
            pending += members.values()
        elif (elements := array_of(found)) is not None:
            pending += elements
        elif isinstance(found, str):
            yield found


_VARIABLE: Final = re.compile(r"\$\{(?:env:)?(?P<name>[A-Za-z_][A-Za-z0-9_]*)|\A[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+\Z")
"""A placeholder, or a text that is nothing but the name of a variable, as Codex has them."""


def _leave_out_what_has_no_use(draft: Draft) -> None:
    """Empty fields, and those that only a server of the other kind has: clients write both for either kind."""
    for key in ("args", "cwd"):
        if not draft.table.get(key, True):
            del draft.table[key]
    match "command" in draft.table, "url" in draft.table:
        case True, False:
            left_out = ["authorization"] if "authorization" in draft.table else []
            left_out += ["headers"] if draft.headers else []
            draft.headers = {}
            kind = "command"
        case False, True:
            left_out = [key for key in ("args", "cwd") if key in draft.table]
            left_out += ["env"] if draft.env else []
            draft.env = {}
            kind = "url"
        case _:
            return
    for key in left_out:
        draft.table.pop(key, None)
        draft.note(f"`{key}` was left out: a server with a {kind} has none.")


def _names(value: object) -> list[str]:
    return [name for name in array_of(value) or [] if isinstance(name, str)]
