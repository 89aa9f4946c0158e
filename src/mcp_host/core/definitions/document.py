"""One file of definitions: what it defines, and everything that is wrong with it, by file and line.

A fault disables its own alias and nothing else; a file that does not parse defines nothing. Which file wins, whether
the last good one stays in force and where the text came from are not known here.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final, Literal, cast

import tomli

from mcp_host.core.definitions.faults import Fault, FaultyDefinition, FieldPath, field_name, nearest, type_name
from mcp_host.core.definitions.models import HttpDefinition, StdioDefinition, is_alias
from mcp_host.core.definitions.parsing import parse_definition
from mcp_host.core.definitions.positions import Positions
from mcp_host.problems import Problem


@dataclass(frozen=True, kw_only=True)
class Defined:
    """A sound definition and where it stands."""

    alias: str
    definition: StdioDefinition | HttpDefinition
    file: str
    line: int | None
    layer: str


@dataclass(frozen=True, kw_only=True)
class Document:
    """What one file says."""

    file: str
    layer: str
    definitions: Mapping[str, Defined] = field(default_factory=dict[str, Defined])
    problems: tuple[Problem, ...] = ()
    """Everything wrong with what the file says: tables nobody reads, then the broken aliases, in the file's order."""
    broken: Mapping[str, Problem] = field(default_factory=dict[str, Problem])
    """The aliases that are disabled by their own fault; each problem is in `problems` too."""
    unparsable: Problem | None = None
    """The file is not TOML, so nothing else is known about it; in no other field."""


def read_document(text: str, file: str, *, layer: str) -> Document:
    """Everything the text of one file defines, and its problems. `file` is only what to call it."""
    text = text.removeprefix("\ufeff")
    try:
        table = tomli.loads(text)
    except (ValueError, RecursionError) as error:
        return Document(file=file, layer=layer, unparsable=_unparsable(error, file))
    return _Reader(file=file, layer=layer, positions=Positions(text)).read(table)


@dataclass(kw_only=True)
class _Reader:
    file: str
    layer: str
    positions: Positions
    definitions: dict[str, Defined] = field(default_factory=dict[str, Defined])
    problems: list[Problem] = field(default_factory=list[Problem])
    broken: dict[str, Problem] = field(default_factory=dict[str, Problem])

    def read(self, table: Mapping[str, object]) -> Document:
        for key, value in table.items():
            if key != "servers":
                self.problems.append(self._unread(key, value))
        servers = table.get("servers", {})
        if isinstance(servers, dict):
            for alias, value in cast("dict[str, object]", servers).items():
                self._server(alias, value)
        else:
            hint = "Write one table a server, as in `[servers.time]`."
            fault = Fault(path=("servers",), text=f"must be a table, not {type_name(servers)}", hint=hint)
            self.problems.append(self._problem(fault, title=f"{self.file}: servers {fault.text}"))
        return Document(
            file=self.file,
            layer=self.layer,
            definitions=self.definitions,
            problems=tuple(self.problems),
            broken=self.broken,
        )

    def _server(self, alias: str, value: object) -> None:
        path = ("servers", alias)
        faults = _alias_faults(alias)
        try:
            definition = parse_definition(_table(alias, value))
        except FaultyDefinition as error:
            faults += error.faults
        else:
            line = self.positions.line_of(path)
            if not faults:
                self.definitions[alias] = Defined(
                    alias=alias, definition=definition, file=self.file, line=line, layer=self.layer
                )
                return
        self.broken[alias] = self._alias_problem(alias, faults)
        self.problems.append(self.broken[alias])

    def _alias_problem(self, alias: str, faults: tuple[Fault, ...]) -> Problem:
        title = f'Server "{alias}" is off: '
        causes = tuple(
            self._problem(
                Fault(path=("servers", alias, *fault.path), text=fault.text, hint=fault.hint.replace("{alias}", alias)),
                title=f"{title}{field_name(fault.path) or 'its definition'} {fault.text}",
                alias=alias,
            )
            for fault in faults
        )
        if len(causes) == 1:
            return causes[0]
        return Problem(
            type="definition-invalid",
            title=f"{title}{len(causes)} faults in its definition",
            detail="\n".join(f"{cause.detail}. {cause.hint}" for cause in causes),
            hint="Mend the lines that are named; each says what to write.",
            alias=alias,
            causes=causes,
        )

    def _unread(self, key: str, value: object) -> Problem:
        kind = "table" if isinstance(value, dict) else "key"
        fault = Fault(path=(key,), text=f"is a top-level {kind} that nothing reads", hint=_unread_hint(key, kind))
        return self._problem(fault, title=f"{self.file}: {field_name((key,))} {fault.text}")

    def _problem(self, fault: Fault, *, title: str, alias: str | None = None) -> Problem:
        return Problem(
            type="definition-invalid",
            title=title,
            detail=f"{self._place(fault.path)}: {field_name(fault.path)} {fault.text}",
            hint=fault.hint,
            alias=alias,
        )

    def _place(self, path: FieldPath) -> str:
        line = self.positions.line_of(path)
        return self.file if line is None else f"{self.file}:{line}"


_NOT_IN_ALIAS: Final = re.compile(r"[^a-z0-9]+")

_TABLES_OF_OTHERS: Final = frozenset({"mcp", "mcpservers", "mcp_servers"})
"""Top-level names that other clients keep their servers under."""


def _alias_faults(alias: str) -> tuple[Fault, ...]:
    if is_alias(alias):
        return ()
    suggested = _NOT_IN_ALIAS.sub("-", alias.lower()).strip("-").lstrip("0123456789-")[:32].rstrip("-")
    hint = f"Rename it, as in `[servers.{suggested or 'time'}]`."
    text = "is no alias: one starts with a-z, goes on with a-z, 0-9 and -, and has at most 32 characters"
    return (Fault(text=text, hint=hint),)


def _table(alias: str, value: object) -> Mapping[str, object]:
    if isinstance(value, dict):
        return cast("dict[str, object]", value)
    found = type_name(value)
    if alias in StdioDefinition.model_fields or alias in HttpDefinition.model_fields:
        hint = f"Write it under its server's alias: `[servers.time]`, then `{alias} = …`."
    elif isinstance(value, list):
        hint = f"Write `[servers.{alias}]` with single brackets, once."
    else:
        hint = f"Write a table, as in `[servers.{alias}]`."
    raise FaultyDefinition([Fault(text=f"must be a table, not {found}", hint=hint)])


def _unread_hint(key: str, kind: Literal["table", "key"]) -> str:
    if key.lower() in _TABLES_OF_OTHERS or (kind == "table" and nearest(key, ("servers",))):
        return "Did you mean `servers`? Write each server as `[servers.{alias}]`."
    return "Only `[servers.{alias}]` is read here: move it there, or remove it."


def _unparsable(error: ValueError | RecursionError, file: str) -> Problem:
    reason, place = "a number is too long, or values nest too deeply", file
    if isinstance(error, tomli.TOMLDecodeError):
        # tomli points behind a bad escape; people look for the backslash
        behind = 2 if error.doc[error.pos - 2 : error.pos - 1] == "\\" and "\\" in error.msg else 0
        reason, place = error.msg, f"{file}:{error.lineno}:{error.colno - behind}"
    hint = "Mend the place that is named; the other servers of the file come back with it."
    if "\\" in reason:
        hint = "Write a backslash twice (\"C:\\\\dir\"), or the whole text in single quotes ('C:\\dir')."
    return Problem(
        type="definition-unparsable",
        title=f"{file} is not TOML, so none of its servers can be read",
        detail=f"{place}: {reason}",
        hint=hint,
    )
