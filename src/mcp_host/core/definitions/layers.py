"""The layers merged: for every alias the nearest word on each field, who gave it, and what it hides.

Tables are merged raw, field by field over their top-level keys (arrays and tables replace), and judged afterwards:
what is hidden is not judged. A fault disables its own alias and nothing else, and names the place that gave the field.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final, cast

from mcp_host.core.definitions.environment import suited_to_variables
from mcp_host.core.definitions.faults import (
    Fault,
    FaultyDefinition,
    FieldPath,
    field_name,
    placed_problem,
    type_name,
)
from mcp_host.core.definitions.models import HttpDefinition, StdioDefinition, is_alias
from mcp_host.core.definitions.parsing import parse_definition
from mcp_host.core.definitions.sources import Layer, Origin, Source
from mcp_host.problems import Problem


@dataclass(frozen=True, kw_only=True)
class Hidden:
    """What a lower layer says about a server and a nearer one says otherwise."""

    layer: Layer
    file: str
    line: int | None
    """Of the server's table."""
    fields: tuple[str, ...]


@dataclass(frozen=True, kw_only=True)
class Defined:
    """A sound definition and where it stands."""

    alias: str
    definition: StdioDefinition | HttpDefinition
    file: str
    line: int | None
    layer: Layer
    """With `file` and `line`: the nearest layer that mentions the alias."""
    hidden: tuple[Hidden, ...] = ()
    """What lower layers say in vain, the lowest first."""
    origins: Mapping[str, Origin] = field(default_factory=dict[str, Origin])
    """Every top-level field that is given, and who gave it."""


@dataclass(frozen=True, kw_only=True)
class Merged:
    """What all layers together say."""

    definitions: Mapping[str, Defined] = field(default_factory=dict[str, Defined])
    broken: Mapping[str, Problem] = field(default_factory=dict[str, Problem])
    """The aliases that are disabled by their own fault; each problem is in `problems` too."""
    problems: tuple[Problem, ...] = ()
    """Everything to show, layer by layer: a text that cannot be read, what belongs to no server, broken aliases."""
    mentions: Mapping[str, Origin] = field(default_factory=dict[str, Origin])
    """Every alias, also a broken one, and the nearest layer that mentions it."""


def merge(sources: Sequence[Source]) -> Merged:
    """What the sources together say, the lowest first."""
    mentioning: dict[str, list[Source]] = {}
    for source in sources:
        for alias in source.tables:
            mentioning.setdefault(alias, []).append(source)
    definitions: dict[str, Defined] = {}
    broken: dict[str, Problem] = {}
    for alias, mentioned_by in mentioning.items():
        judged = _Server(alias=alias, mentioned_by=mentioned_by).judged(sources)
        if isinstance(judged, Defined):
            definitions[alias] = judged
        else:
            broken[alias] = judged
    problems: list[Problem] = []
    for source in sources:
        problems += [source.unparsable] if source.unparsable is not None else []
        problems += source.problems
        problems += [broken[alias] for alias in source.tables if alias in broken and mentioning[alias][-1] is source]
    return Merged(
        definitions=definitions,
        broken=broken,
        problems=tuple(problems),
        mentions={alias: said[-1].origin(("servers", alias)) for alias, said in mentioning.items()},
    )


_OF_THE_OTHER_TRANSPORT: Final = {
    "command": ("url", "headers", "authorization", "transport"),
    "url": ("command", "args", "cwd", "env", "transport"),
}
"""A nearer target to what of the lower layers goes with the other target. A `transport` always goes with its target."""


@dataclass(kw_only=True)
class _Server:
    """One alias over all layers that mention it."""

    alias: str
    mentioned_by: Sequence[Source]
    table: dict[str, object] = field(default_factory=dict[str, object], repr=False)
    """The fields in force that can be read."""
    givers: dict[str, Source] = field(default_factory=dict[str, Source])
    """The fields in force, and who gave them."""
    faults: dict[str, tuple[Fault, ...]] = field(default_factory=dict[str, tuple[Fault, ...]])
    """The fields in force that cannot be read."""
    of_every_server: set[str] = field(default_factory=set[str])
    """The fields in force that were said about every server."""
    hidden: list[tuple[Source, str]] = field(default_factory=list[tuple[Source, str]])
    problems: list[Problem] = field(default_factory=list[Problem])
    """One a fault."""

    def judged(self, sources: Iterable[Source]) -> Defined | Problem:
        """The definition and where it comes from, or what is wrong with it."""
        if (fault := _alias_fault(self.alias)) is not None:
            self._whole_fault(fault, self.mentioned_by[-1])
        for source in sources:
            defaults = source.default_fields(self.alias)
            self._give(source, defaults)
            self.of_every_server |= defaults.keys()
        are_tables = [self._lay(source) for source in self.mentioned_by]
        definition = self._definition() if all(are_tables) else None
        if definition is None or self.problems:
            return self._problem()
        origin = self.mentioned_by[-1].origin(("servers", self.alias))
        return Defined(
            alias=self.alias,
            definition=definition,
            file=origin.file,
            line=origin.line,
            layer=origin.layer,
            hidden=self._hidden() if self.hidden else (),
            origins={name: giver.origin(self._path(name)) for name, giver in self.givers.items()},
        )

    def _lay(self, source: Source) -> bool:
        """Lays a layer's table over what the lower ones gave, or says that it is none."""
        value = source.tables[self.alias]
        if not isinstance(value, Mapping):
            self._whole_fault(_no_table(self.alias, value), source)
            return False
        table = cast("Mapping[str, object]", value)
        faults: dict[str, tuple[Fault, ...]] = {}
        for fault in source.faults.get(self.alias, ()):
            name = str(fault.path[0])
            faults[name] = (*faults.get(name, ()), fault)
        if self.givers:
            self._hide({*table, *faults})
        self._give(source, table)
        self.givers |= dict.fromkeys(faults, source)
        self.faults |= faults
        return True

    def _give(self, source: Source, table: Mapping[str, object]) -> None:
        self.table |= table
        self.givers |= dict.fromkeys(table, source)

    def _hide(self, names: set[str]) -> None:
        """Takes away what a nearer layer that gives these fields hides."""
        targets = names & _OF_THE_OTHER_TRANSPORT.keys()
        others = _OF_THE_OTHER_TRANSPORT[next(iter(targets))] if len(targets) == 1 else ()
        if others and others[0] not in self.givers:
            others = ()
        for name in [name for name in self.givers if name in names or name in others]:
            giver = self.givers.pop(name)
            self.table.pop(name, None)
            self.faults.pop(name, None)
            if name in self.of_every_server:
                self.of_every_server.remove(name)  # not said about this server, so nothing about it is hidden
            else:
                self.hidden.append((giver, name))

    def _path(self, name: str) -> FieldPath:
        """Where the giver of a field has it."""
        return ("defaults", name) if name in self.of_every_server else ("servers", self.alias, name)

    def _definition(self) -> StdioDefinition | HttpDefinition | None:
        for faults in self.faults.values():
            for fault in faults:
                self._field_fault(fault)
        try:
            return parse_definition(self.table)
        except FaultyDefinition as error:
            for fault in error.faults:
                self._field_fault(fault)
        return None

    def _field_fault(self, fault: Fault) -> None:
        name = str(fault.path[0]) if fault.path else ""
        giver = self.givers.get(name)
        if giver is None:
            self._whole_fault(fault, self.mentioned_by[-1])
            return
        aside = ""
        if fault.against is not None and self.givers.get(fault.against, giver) is not giver:
            aside = f" ({fault.against}: {self.givers[fault.against].place(self._path(fault.against))})"
        place = giver.place((*self._path(name), *fault.path[1:]))
        self._fault(self._suited(fault, giver), place=place, aside=aside)

    def _whole_fault(self, fault: Fault, source: Source) -> None:
        self._fault(self._suited(fault, source), place=source.place(("servers", self.alias)))

    def _suited(self, fault: Fault, source: Source) -> Fault:
        return suited_to_variables(fault, self.alias) if source.layer == "environment" else fault

    def _fault(self, fault: Fault, *, place: str, aside: str = "") -> None:
        title = f"{self._title}{field_name(fault.path) or 'its definition'} {fault.text}"
        placed = Fault(
            path=("servers", self.alias, *fault.path),
            text=fault.text + aside,
            hint=fault.hint.replace("{alias}", self.alias),
        )
        self.problems.append(placed_problem(placed, title=title, place=place, alias=self.alias))

    @property
    def _title(self) -> str:
        return f'Server "{self.alias}" is off: '

    def _problem(self) -> Problem:
        if len(self.problems) == 1:
            return self.problems[0]
        return Problem(
            type="definition-invalid",
            title=f"{self._title}{len(self.problems)} faults in its definition",
            detail="\n".join(f"{cause.detail}. {cause.hint}" for cause in self.problems),
            hint="Mend the lines that are named; each says what to write.",
            alias=self.alias,
            causes=tuple(self.problems),
        )

    def _hidden(self) -> tuple[Hidden, ...]:
        found: list[Hidden] = []
        for source in self.mentioned_by:
            names = tuple(name for giver, name in self.hidden if giver is source)
            if names:
                line = source.line(("servers", self.alias))
                found.append(Hidden(layer=source.layer, file=source.file, line=line, fields=names))
        return tuple(found)


_NOT_IN_ALIAS: Final = re.compile(r"[^a-z0-9]+")


def _alias_fault(alias: str) -> Fault | None:
    if is_alias(alias):
        return None
    suggested = _NOT_IN_ALIAS.sub("-", alias.lower()).strip("-").lstrip("0123456789-")[:32].rstrip("-")
    hint = f"Rename it, as in `[servers.{suggested or 'time'}]`."
    text = (
        "has a name that is no alias: one starts with a-z, goes on with a-z, 0-9 and -, and has at most 32 characters"
    )
    return Fault(text=text, hint=hint)


def _no_table(alias: str, value: object) -> Fault:
    found = type_name(value)
    if alias in StdioDefinition.model_fields or alias in HttpDefinition.model_fields:
        hint = f"Write it under its server's alias: `[servers.time]`, then `{alias} = …`."
    elif isinstance(value, list):
        hint = f"Write `[servers.{alias}]` with single brackets, once."
    else:
        hint = f"Write a table, as in `[servers.{alias}]`."
    return Fault(text=f"must be a table, not {found}", hint=hint)
