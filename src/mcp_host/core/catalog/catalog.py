"""The catalog of one server: everything it offered at one moment, immutable, with a generation number.

It does not know how the lists were fetched or whether the connection still stands. Two entries that share a name
cannot both be called: the first one listed is kept and the other is reported as dropped, so that a name never
changes its meaning with the order in which somebody looks things up.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Final, Generic, Literal, Protocol, TypeVar

from mcp_host.core.catalog.entries import (
    MalformedEntry,
    Prompt,
    Resource,
    ResourceTemplate,
    Tool,
    parse_prompt,
    parse_resource,
    parse_template,
    parse_tool,
)

EntryKind = Literal["tool", "resource", "template", "prompt"]
Era = Literal["modern", "legacy"]


class _Entry(Protocol):
    @property
    def raw(self) -> Mapping[str, object]: ...


_E = TypeVar("_E", bound=_Entry)


@dataclass(frozen=True, kw_only=True)
class ServerIdentity:
    """What a server said about itself when the connection was negotiated."""

    name: str | None = None
    title: str | None = None
    version: str | None = None
    description: str | None = None
    instructions: str | None = None
    era: Era
    revision: str
    """The negotiated protocol revision, such as `2026-07-28`."""
    capabilities: Mapping[str, object] = field(default_factory=dict[str, object])


@dataclass(frozen=True, kw_only=True)
class Dropped:
    """A listed entry that is not in the catalog, and why."""

    kind: EntryKind
    label: str
    """The entry's name or uri; `#3` for the third one listed when it has none."""
    reason: str


@dataclass(frozen=True, kw_only=True)
class Listed:
    """The raw entries of a server's four lists, all pages joined, in the order in which they came."""

    tools: tuple[object, ...] = ()
    resources: tuple[object, ...] = ()
    templates: tuple[object, ...] = ()
    prompts: tuple[object, ...] = ()


@dataclass(frozen=True, kw_only=True)
class Catalog:
    """Everything one server offers. `build_catalog` makes it; looking up a tool costs the same for any size."""

    alias: str
    generation: int
    """Grows by one each time the server's offer is known to have changed."""
    identity: ServerIdentity
    tools: tuple[Tool, ...] = ()
    resources: tuple[Resource, ...] = ()
    templates: tuple[ResourceTemplate, ...] = ()
    prompts: tuple[Prompt, ...] = ()
    dropped: tuple[Dropped, ...] = ()
    warnings: tuple[str, ...] = ()
    """What was odd about the listing as a whole, such as a cursor that came twice."""
    _tools_by_name: Mapping[str, Tool] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "_tools_by_name", {tool.name: tool for tool in reversed(self.tools)})

    def tool(self, name: str) -> Tool | None:
        """The tool with this raw name, or None."""
        return self._tools_by_name.get(name)

    def prompt(self, name: str) -> Prompt | None:
        """The prompt with this raw name, or None."""
        return next((prompt for prompt in self.prompts if prompt.name == name), None)


def build_catalog(
    alias: str, generation: int, identity: ServerIdentity, listed: Listed, *, warnings: tuple[str, ...] = ()
) -> Catalog:
    """Read the raw lists into a catalog; malformed and repeated entries end in `dropped`. Raises nothing."""
    dropped: list[Dropped] = []
    return Catalog(
        alias=alias,
        generation=generation,
        identity=identity,
        tools=_kept(_TOOLS, listed.tools, dropped),
        resources=_kept(_RESOURCES, listed.resources, dropped),
        templates=_kept(_TEMPLATES, listed.templates, dropped),
        prompts=_kept(_PROMPTS, listed.prompts, dropped),
        dropped=tuple(dropped),
        warnings=warnings,
    )


def enabled_tools(catalog: Catalog, definition_tools: tuple[str, ...] | None) -> tuple[Tool, ...]:
    """The tools that a definition lets through, in the server's order; None lets every tool through."""
    if definition_tools is None:
        return catalog.tools
    wanted = frozenset(definition_tools)
    return tuple(tool for tool in catalog.tools if tool.name in wanted)


def missing_tools(catalog: Catalog, definition_tools: tuple[str, ...] | None) -> tuple[str, ...]:
    """The names in a definition that the server does not offer, in the definition's order."""
    return tuple(name for name in definition_tools or () if catalog.tool(name) is None)


def fingerprint(tool: Tool) -> str:
    """SHA-256 (hex) of the whole definition the server sent: equal exactly when nothing about the tool changed."""
    return hashlib.sha256(_canonical(tool.raw)).hexdigest()


def catalog_fingerprint(catalog: Catalog) -> str:
    """SHA-256 (hex) of what is offered, to tell an unchanged list from a changed one.

    The order of the lists, the generation and the identity do not count: a server that shuffles its answer has not
    changed what anybody can call.
    """
    digest = hashlib.sha256()
    for entries in (catalog.tools, catalog.resources, catalog.templates, catalog.prompts):
        for canonical in sorted(_canonical(entry.raw) for entry in entries):
            digest.update(canonical + b"\n")
        digest.update(b"\n")
    for dropped in sorted((one.kind, one.label, one.reason) for one in catalog.dropped):
        digest.update(_canonical(dropped) + b"\n")
    return digest.hexdigest()


def _canonical(value: object) -> bytes:
    # ASCII only: a lone surrogate has a JSON spelling but no UTF-8 one.
    return json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=True).encode("ascii")


@dataclass(frozen=True, kw_only=True)
class _Reader(Generic[_E]):
    """How one kind of entry is read and told apart from its siblings."""

    kind: EntryKind
    parse: Callable[[object, int], _E]
    identifier: Callable[[_E], str]


_TOOLS: Final = _Reader(kind="tool", parse=parse_tool, identifier=lambda tool: tool.name)
_RESOURCES: Final = _Reader(kind="resource", parse=parse_resource, identifier=lambda resource: resource.uri)
_TEMPLATES: Final = _Reader(kind="template", parse=parse_template, identifier=lambda template: template.uri_template)
_PROMPTS: Final = _Reader(kind="prompt", parse=parse_prompt, identifier=lambda prompt: prompt.name)


def _kept(reader: _Reader[_E], listed: Iterable[object], dropped: list[Dropped]) -> tuple[_E, ...]:
    kept: dict[str, _E] = {}
    for position, raw in enumerate(listed, start=1):
        try:
            entry = reader.parse(raw, position)
        except MalformedEntry as error:
            dropped.append(Dropped(kind=reader.kind, label=error.label, reason=error.reason))
            continue
        identifier = reader.identifier(entry)
        first = kept.setdefault(identifier, entry)
        if first is not entry:
            dropped.append(Dropped(kind=reader.kind, label=identifier, reason=_repeated(first.raw == entry.raw)))
    return tuple(kept.values())


def _repeated(identical: bool) -> str:
    if identical:
        return "is listed twice, the same both times"
    return "is listed twice with different definitions; the first one is used"
