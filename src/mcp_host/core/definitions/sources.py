"""One source of definitions as it was read: raw tables by alias, and where each of their fields stands.

A source is one layer's word and no more: whether a field is sound, and which layer's word counts, is decided where the
layers are merged (`layers.py`). Tables may hold what a person should not have written down, so no repr shows them.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final, Literal, cast

import tomli

from mcp_host.core.definitions.faults import Fault, FieldPath, field_name, nearest, placed_problem, type_name
from mcp_host.core.definitions.positions import Positions
from mcp_host.problems import Problem

Layer = Literal["environment", "user", "project", "session"]
"""The places that definitions come from, the lowest first."""

THE_ENVIRONMENT: Final = "the environment"
THIS_SESSION: Final = "this session"


@dataclass(frozen=True, kw_only=True)
class Origin:
    """Who gave something."""

    layer: Layer
    file: str
    line: int | None
    place: str
    """For people: `file:line`, "the environment variable …" or "this session"."""


@dataclass(frozen=True, kw_only=True)
class Source:
    """What one layer says, unjudged."""

    layer: Layer
    file: str
    """A path, "the environment" or "this session": only what to call it."""
    tables: Mapping[str, object] = field(default_factory=dict[str, object], repr=False)
    """Alias to raw table, or to whatever stands there instead of a table."""
    defaults: Mapping[str, object] = field(default_factory=dict[str, object], repr=False)
    """Fields of every server where no layer says otherwise."""
    enabled_aliases: frozenset[str] | None = None
    """The only servers that are enabled where no layer says otherwise; None: that is not said."""
    faults: Mapping[str, tuple[Fault, ...]] = field(default_factory=dict[str, tuple[Fault, ...]])
    """Alias to the fields that this layer gives and nobody can read; they stand in no table."""
    problems: tuple[Problem, ...] = ()
    """What is wrong with it and about no server: tables that nothing reads, variables that belong to no server."""
    unparsable: Problem | None = None
    """The text could not be read. Whoever keeps the last good tables may hand them on with it."""
    positions: Positions | None = field(default=None, repr=False, compare=False)
    """Where everything stands in the file's text."""
    variables: Mapping[FieldPath, str] = field(default_factory=dict[FieldPath, str], repr=False)
    """Which environment variable gave what."""

    def line(self, path: FieldPath) -> int | None:
        """The line of a path from the document down, as `("servers", alias, field)`, or of what encloses it."""
        return None if self.positions is None else self.positions.line_of(path)

    def place(self, path: FieldPath) -> str:
        """Where the path stands, for people: `file:line`, "the environment variable …" or "this session"."""
        return self.origin(path).place

    def origin(self, path: FieldPath) -> Origin:
        """Where the path stands, or what encloses it."""
        line = self.line(path)
        place = self.file if line is None else f"{self.file}:{line}"
        if self.variables:
            place = self._variable(path) or place
        return Origin(layer=self.layer, file=self.file, line=line, place=place)

    def _variable(self, path: FieldPath) -> str | None:
        for length in range(len(path), 0, -1):
            variable = self.variables.get(path[:length])
            if variable is not None:
                return f"the environment variable {variable}"
        return None

    def default_fields(self, alias: str) -> dict[str, object]:
        """What this layer says about the server because it says it about every server."""
        if self.enabled_aliases is None:
            return dict(self.defaults)
        return {**self.defaults, "enabled": alias in self.enabled_aliases}


def read_source(text: str, file: str, *, layer: Layer) -> Source:
    """What the text of one file says; with `unparsable` and nothing else where it is not TOML."""
    text = text.removeprefix("\ufeff")
    try:
        document = tomli.loads(text)
    except (ValueError, RecursionError) as error:
        return Source(layer=layer, file=file, unparsable=_unparsable(error, file))
    source = Source(layer=layer, file=file, positions=Positions(text))
    problems = [_unread(source, key, value) for key, value in document.items() if key != "servers"]
    servers = document.get("servers", {})
    if not isinstance(servers, dict):
        hint = "Write one table a server, as in `[servers.time]`."
        fault = Fault(path=("servers",), text=f"must be a table, not {type_name(servers)}", hint=hint)
        problems.append(_file_problem(source, fault))
        servers = {}
    return Source(
        layer=layer,
        file=file,
        tables=cast("dict[str, object]", servers),
        problems=tuple(problems),
        positions=source.positions,
    )


def read_bytes(data: bytes, file: str, *, layer: Layer) -> Source:
    """What the bytes of one file say; `unparsable` also where they are not UTF-8, which all TOML is."""
    try:
        text = data.decode()
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        problem = Problem(
            type="definition-unparsable",
            title=f"{file} is not UTF-8, so it cannot be read",
            detail=f"{file}:{line}: a byte here belongs to no character",
            hint="Write the file anew as UTF-8; the other servers of the file come back with it.",
        )
        return Source(layer=layer, file=file, unparsable=problem)
    return read_source(text, file, layer=layer)


def session_source(tables: Mapping[str, Mapping[str, object]]) -> Source:
    """What this session says about servers beside all files."""
    return Source(layer="session", file=THIS_SESSION, tables=tables)


_TABLES_OF_OTHERS: Final = frozenset({"mcp", "mcpservers", "mcp_servers"})
"""Top-level names that other clients keep their servers under."""


def _unread(source: Source, key: str, value: object) -> Problem:
    kind = "table" if isinstance(value, dict) else "key"
    fault = Fault(path=(key,), text=f"is a top-level {kind} that nothing reads", hint=_unread_hint(key, kind))
    return _file_problem(source, fault)


def _file_problem(source: Source, fault: Fault) -> Problem:
    title = f"{source.file}: {field_name(fault.path)} {fault.text}"
    return placed_problem(fault, title=title, place=source.place(fault.path))


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
    if "\\" in reason or reason == "Invalid hex value":
        hint = "Write a backslash twice (\"C:\\\\dir\"), or the whole text in single quotes ('C:\\dir')."
    return Problem(
        type="definition-unparsable",
        title=f"{file} is not TOML, so it cannot be read",
        detail=f"{place}: {reason}",
        hint=hint,
    )
