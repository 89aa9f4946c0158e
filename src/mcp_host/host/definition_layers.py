"""All definitions that count now: the layers merged, and what an unapproved project file withholds.

Every reading looks at the files again, so that an edit counts from the next verb on. While nothing has changed the very
same `Effective` is handed out, and with it the same definitions: whoever compares by identity sees an edit.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from mcp_host.core.definitions.document import Defined
from mcp_host.core.definitions.environment import read_environment
from mcp_host.core.definitions.layers import merge
from mcp_host.core.definitions.sources import Layer, Source, session_source
from mcp_host.host.definition_file import DefinitionFile
from mcp_host.host.project_file import ProjectFile, ProjectReading, ProjectState, project_of
from mcp_host.host.trust_records import TrustRecords
from mcp_host.problems import Problem, ProblemError
from mcp_host.views.layers import LayerState


@dataclass(frozen=True, kw_only=True)
class LayerReading:
    """One layer, as `:McpList` and `:McpDoctor` tell of it."""

    layer: Layer
    file: str
    state: LayerState
    servers: int


@dataclass(frozen=True, kw_only=True)
class Effective:
    """What the layers come to."""

    definitions: Mapping[str, Defined]
    """The sound definitions that may be used."""
    broken: Mapping[str, Problem]
    """The aliases that a fault of their own disables."""
    withheld: Mapping[str, Defined]
    """What the other layers say about the aliases that an unapproved project file mentions: not used either."""
    untrusted: Mapping[str, Problem]
    """The aliases that an unapproved project file mentions, and what to say of them."""
    mentions: Mapping[str, str]
    """Every alias that a layer mentions, broken and unapproved ones too, and where the nearest does."""
    problems: tuple[Problem, ...]
    """Everything wrong, unparsable files and the project file that waits for a yes included."""
    layers: tuple[LayerReading, ...]


@dataclass(kw_only=True)
class DefinitionLayers:
    """The four layers of one editor."""

    environment: Source
    user: DefinitionFile
    project: ProjectFile
    session: dict[str, Mapping[str, object]] = field(default_factory=dict[str, Mapping[str, object]])
    """This session's definitions by alias; whoever changes one puts in a new table."""
    _read: tuple[object, ...] = field(default=(), init=False, repr=False)
    _effective: Effective | None = field(default=None, init=False, repr=False)

    def current(self) -> Effective:
        """The definitions as they are now."""
        user, project, session = self.user.current(), self.project.current(), tuple(self.session.items())
        if self._effective is None or not _same(self._read, (user, project, *session)):
            self._read = (user, project, *session)
            self._effective = self._merged(user, project)
        return self._effective

    def folder_of(self, defined: Defined) -> Path:
        """Where a server without a `cwd` runs: what a project's file names is looked for in that project."""
        of_project = any(
            defined.origins[name].layer == "project" for name in ("command", "args") if name in defined.origins
        )
        return project_of(self.project.path) if of_project else self.project.folder

    def defined(self, alias: str) -> Defined:
        """The definition of one alias.

        Raises:
            ProblemError: `server-unknown`, `definition-untrusted`, or the definition's own problem where it has one.
        """
        effective = self.current()
        if alias in effective.untrusted:
            raise ProblemError(effective.untrusted[alias])
        found = effective.definitions.get(alias)
        if found is not None:
            return found
        if alias in effective.broken:
            raise ProblemError(effective.broken[alias])
        unparsable = [problem for problem in effective.problems if problem.type == "definition-unparsable"]
        if unparsable:
            raise ProblemError(unparsable[0])
        raise ProblemError(_unknown(alias, tuple(effective.definitions), self.user.path))

    def _merged(self, user: Source, project: ProjectReading) -> Effective:
        approved = project.state == "trusted" and project.source is not None
        lower = [self.environment, user]
        nearer = [session_source(self.session)] if self.session else []
        merged = merge([*lower, *([project.source] if approved and project.source else []), *nearer])
        untrusted: dict[str, Problem] = {}
        mentions = {alias: origin.place for alias, origin in merged.mentions.items()}
        problems = list(merged.problems)
        if project.problem is not None:
            problems.append(project.problem)
        if project.state in ("untrusted", "changed") and project.source is not None:
            problems.append(_waits(project, project.source))
            untrusted = {alias: _untrusted(alias, project) for alias in project.source.tables}
            mentions |= {alias: project.source.place(("servers", alias)) for alias in untrusted}
        return Effective(
            definitions={alias: one for alias, one in merged.definitions.items() if alias not in untrusted},
            broken={alias: one for alias, one in merged.broken.items() if alias not in untrusted},
            withheld={alias: one for alias, one in merged.definitions.items() if alias in untrusted},
            untrusted=untrusted,
            mentions=mentions,
            problems=tuple(problems),
            layers=(
                _layer(self.environment),
                _layer(user, absent=not self.user.exists),
                _project_layer(project),
                *(_layer(source) for source in nearer),
            ),
        )


def layers_over(
    variables: Mapping[str, str], user_file: Path, *, folder: Path, records: TrustRecords
) -> DefinitionLayers:
    """The layers of an editor that stands in the folder."""
    environment, user = read_environment(variables), DefinitionFile(path=user_file)
    project = ProjectFile(
        folder=folder, records=records, below=lambda source: _said_below(source, (environment, user.current()))
    )
    return DefinitionLayers(environment=environment, user=user, project=project)


def _said_below(source: Source, lower: Sequence[Source]) -> str:
    """What lower layers say about the servers that a source mentions, as one text that differs when any of it does."""
    said = {alias: [(one.layer, one.tables[alias]) for one in lower if alias in one.tables] for alias in source.tables}
    return json.dumps({alias: tables for alias, tables in said.items() if tables}, sort_keys=True, default=repr)


def _same(known: tuple[object, ...], now: tuple[object, ...]) -> bool:
    return len(known) == len(now) and all(
        one is other or (isinstance(one, tuple) and one == other) for one, other in zip(known, now, strict=True)
    )


def _layer(source: Source, *, absent: bool = False) -> LayerReading:
    state: LayerState = "read"
    if source.unparsable is not None:
        state = "unparsable"
    elif absent or (source.layer == "environment" and not _says_anything(source)):
        state = "absent"
    return LayerReading(layer=source.layer, file=source.file, state=state, servers=len(source.tables))


def _says_anything(source: Source) -> bool:
    said = (source.tables, source.defaults, source.faults, source.problems)
    return any(said) or source.enabled_aliases is not None


_PROJECT_STATES: Final[dict[ProjectState, LayerState]] = {
    "absent": "absent",
    "unreadable": "unreadable",
    "untrusted": "untrusted",
    "changed": "untrusted",
    "trusted": "read",
    "ignored": "ignored",
}


def _project_layer(project: ProjectReading) -> LayerReading:
    state = _PROJECT_STATES[project.state]
    source = project.source
    if source is not None and source.unparsable is not None and state == "read":
        state = "unparsable"
    servers = len(source.tables) if source is not None else 0
    return LayerReading(layer="project", file=str(project.file), state=state, servers=servers)


def _waits(project: ProjectReading, source: Source) -> Problem:
    if source.unparsable is not None:
        return source.unparsable
    changed = "has changed since it was approved" if project.state == "changed" else "is not approved"
    names = ", ".join(source.tables) or "none"
    return Problem(
        type="definition-untrusted",
        title=f"The project's definition file {changed}",
        detail=f"{project.file} says something about: {names}. Nothing of it is used.",
        hint=":McpTrust shows what it would run, and takes your yes or no.",
    )


def _untrusted(alias: str, project: ProjectReading) -> Problem:
    changed = "has changed since it was approved" if project.state == "changed" else "was never approved"
    return Problem(
        type="definition-untrusted",
        title=f"{alias} waits for your approval of the project's definition file",
        detail=f"{project.file} defines it and {changed}. Nothing was started or looked up.",
        hint=":McpTrust shows what it would run, and takes your yes; :McpUntrust ignores the file.",
        alias=alias,
    )


def _unknown(alias: str, known: tuple[str, ...], path: Path) -> Problem:
    listed = f"Known: {', '.join(known)}." if known else "No server is defined yet."
    return Problem(
        type="server-unknown",
        title=f"There is no server named {alias}",
        detail=f"No layer of definitions defines it. {listed}",
        hint=f":McpAdd {alias} adds it, or write [servers.{alias}] into {path}.",
        alias=alias,
    )
