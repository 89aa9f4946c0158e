"""The verbs that write definitions: add, remove, and the template for somebody who wants to write one by hand."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from types import EllipsisType
from typing import Final, TypeAlias, cast

import anyio
import anyio.to_thread

from mcp_host.core.definitions.layers import merge
from mcp_host.core.definitions.sources import THIS_SESSION, read_source
from mcp_host.core.importing.candidates import Candidate, NeededSecret
from mcp_host.core.importing.command_line import from_command_line, from_url
from mcp_host.core.strict_json import JsonRefused, read_json
from mcp_host.host.answers import Answer
from mcp_host.host.definition_writing import DefinitionWriter, Written, checked_toml
from mcp_host.host.discovering import Discovering
from mcp_host.host.fleet import Fleet
from mcp_host.host.params import AddParams, Arguments, FileLayer, RemoveParams, TemplateParams
from mcp_host.host.probing_targets import UrlTarget, read_server
from mcp_host.host.project_file import ProjectReading
from mcp_host.host.serving import Serving
from mcp_host.host.trusting import Trusting
from mcp_host.problems import Problem, ProblemError
from mcp_host.views.template import template_view

NEW_DEFINITION: Final = "the new definition"
"""What a problem calls the text that is about to be written."""

_EXAMPLE: Final = ':McpAdd time uvx {"args": ["mcp-server-time"]}'


_Expected: TypeAlias = bytes | EllipsisType | None
"""What a file must hold before it is written: see `DefinitionWriter.add`."""


@dataclass(frozen=True, kw_only=True)
class _Wanted:
    """One server that shall be added."""

    alias: str
    table: Mapping[str, object]
    secrets: tuple[NeededSecret, ...] = ()


@dataclass(frozen=True, kw_only=True)
class _Place:
    """Where a definition stands now, or stood."""

    file: str | None = None
    """None: it is of this session."""
    line: int | None = None
    waits: bool = False
    """It is in a project file that nobody has approved."""

    def document(self) -> dict[str, object]:
        return {"file": self.file, "line": self.line, "waits": self.waits}


@dataclass(kw_only=True)
class Defining:
    """Writes definitions, each checked before a byte is written."""

    fleet: Fleet
    serving: Serving
    trusting: Trusting
    discovering: Discovering
    writer: DefinitionWriter
    _writing_project: anyio.Lock = field(default_factory=anyio.Lock, init=False, repr=False)

    async def add(self, params: AddParams) -> Answer:
        """The server is defined; nothing is connected.

        Raises:
            ProblemError: `usage`, `definition-invalid`, `definition-conflict`, `definition-unparsable`,
                `candidate-unknown`: nothing was written then.
        """
        wanted = self._wanted(params)
        alias, table = wanted.alias, wanted.table
        toml = checked_toml(alias, table)
        if params.layer == "session":
            place = self._define_in_session(alias, table)
        else:
            place = await self._write(
                params.layer, lambda path, expected: self.writer.add(path, alias, table, expected=expected)
            )
        await self.fleet.reconcile()
        added: dict[str, object] = {
            "alias": alias,
            "layer": params.layer,
            **place.document(),
            "toml": toml,
            "secrets": [{"reference": one.reference, "place": one.place, "line": one.line} for one in wanted.secrets],
        }
        return Answer(kind="added", document={"added": added, "server": self.serving.row(alias)})

    async def remove(self, params: RemoveParams) -> Answer:
        """The server is gone from one layer; what another layer says about it counts again.

        Raises:
            ProblemError: `server-unknown`, `definition-conflict`, `definition-unparsable`: nothing was written then.
        """
        alias, layer = params.alias, params.layer or self._nearest(params.alias)
        if layer == "session":
            place = self._forget_in_session(alias)
        else:
            place = await self._write(layer, lambda path, expected: self.writer.remove(path, alias, expected=expected))
        await self.fleet.reconcile()
        removed: dict[str, object] = {"alias": alias, "layer": layer, **place.document()}
        return Answer(kind="removed", document={"removed": removed, "inherited": self.serving.row(alias)})

    async def template(self, params: TemplateParams) -> Answer:
        """TOML to fill in, for the layer's file."""
        file = THIS_SESSION if params.layer == "session" else str(self._path(params.layer))
        return Answer(
            kind="template",
            document={"template": {"layer": params.layer, "file": file}},
            view=lambda: template_view(params.alias, file),
        )

    def _wanted(self, params: AddParams) -> _Wanted:
        if params.candidate is not None:
            return self._from_candidate(params.candidate, params.alias)
        if params.toml is not None:
            return _from_toml(params.toml)
        if params.alias is None or not params.target:
            raise ProblemError(_not_in_full())
        alias, options = params.alias, _options(params.alias, params.options)
        target = read_server(params.target)
        if isinstance(target, UrlTarget):
            candidate = from_url(target.url)
        else:
            folder = str(self.fleet.definitions.project.folder)
            candidate = from_command_line(target.words, folder=folder)
            if "args" not in candidate.table and _is_texts(options.get("args")):
                # Read with the command line, so that a secret among them becomes a reference as it does there.
                candidate = from_command_line([*target.words, *cast("list[str]", options.pop("args"))], folder=folder)
        _refuse_faulty(alias, candidate)
        for name in ("command", "url", "args"):
            if name in options and name in candidate.table:
                raise ProblemError(_given_twice(alias, name))
        return _Wanted(alias=alias, table={**candidate.table, **options}, secrets=candidate.secrets)

    def _from_candidate(self, candidate_id: str, alias: str | None) -> _Wanted:
        candidate = self.discovering.candidate(candidate_id)
        alias = alias or candidate.alias
        _refuse_faulty(alias, candidate)
        effective = self.fleet.definitions.current()
        if alias in effective.mentions:
            raise ProblemError(_taken(alias, effective.mentions[alias]))
        return _Wanted(alias=alias, table=candidate.table, secrets=candidate.secrets)

    async def _write(self, layer: FileLayer, write: Callable[[Path, _Expected], Written]) -> _Place:
        if layer == "user":
            path = self._path(layer)
            written = await anyio.to_thread.run_sync(lambda: write(path, ...))
            return _Place(file=str(path), line=written.line)
        # What somebody adds to an approved file by a command of their own is approved with it: to exactly those bytes
        # that were approved. Nobody is asked to trust what they have just written.
        async with self._writing_project:
            with self.fleet.definitions.project.held() as before:
                if before.problem is not None:
                    raise ProblemError(before.problem)
                is_approved = before.state in ("absent", "trusted")
                expected: _Expected = (None if before.state == "absent" else before.data) if is_approved else ...
                _refuse_leading_away(before)
                written = await anyio.to_thread.run_sync(lambda: write(before.file, expected))
                after = self.fleet.definitions.project.now()
                is_approved = is_approved and after.data == written.text.encode()
                if is_approved:
                    await self.trusting.approve(after.digest)
        return _Place(file=str(before.file), line=written.line, waits=not is_approved)

    def _define_in_session(self, alias: str, table: Mapping[str, object]) -> _Place:
        session = self.fleet.definitions.session
        if alias in session:
            raise ProblemError(_taken(alias, THIS_SESSION))
        session[alias] = dict(table)
        return _Place()

    def _forget_in_session(self, alias: str) -> _Place:
        if self.fleet.definitions.session.pop(alias, None) is None:
            raise ProblemError(_not_there(alias, THIS_SESSION))
        return _Place()

    def _path(self, layer: FileLayer) -> Path:
        definitions = self.fleet.definitions
        return definitions.project.path if layer == "project" else definitions.user.path

    def _nearest(self, alias: str) -> FileLayer:
        definitions = self.fleet.definitions
        project = definitions.project.current()
        if alias in definitions.session:
            return "session"
        if project.state == "trusted" and project.source is not None and alias in project.source.tables:
            return "project"
        if alias in definitions.user.current().tables:
            return "user"
        if alias in definitions.environment.tables:
            raise ProblemError(_of_the_environment(alias, definitions.environment.place(("servers", alias))))
        raise ProblemError(_not_there(alias, "any layer that counts here"))


def _refuse_leading_away(reading: ProjectReading) -> None:
    """Nothing is written through a link that leads out of the project: the link may have come with it."""
    real = Path(os.path.realpath(reading.file))
    if not real.is_relative_to(os.path.realpath(reading.project)):
        raise ProblemError(
            Problem(
                type="definition-conflict",
                title="The project's definition file leads out of the project",
                detail=f"{reading.file} is a link to {real}. Nothing was written.",
                hint="Edit that file yourself, or put a file in place of the link.",
            )
        )


def _refuse_faulty(alias: str, candidate: Candidate) -> None:
    if candidate.faults:
        raise ProblemError(
            Problem(
                type="definition-invalid",
                title=f"{alias} cannot be added as it is",
                detail="\n".join(candidate.faults),
                hint="Mend what is named where it comes from, or write it by hand: :McpAdd opens a template.",
                alias=alias,
            )
        )


def _from_toml(text: str) -> _Wanted:
    source = read_source(text, NEW_DEFINITION, layer="user")
    problem = source.unparsable or next(iter(source.problems), None)
    if problem is not None:
        raise ProblemError(problem)
    if len(source.tables) != 1:
        raise ProblemError(_not_one(tuple(source.tables)))
    (alias, table), *_ = source.tables.items()
    broken = merge([source]).broken.get(alias)
    if broken is not None:
        raise ProblemError(broken)
    # What is no table is broken.
    return _Wanted(alias=alias, table=cast("Mapping[str, object]", table))


def _options(alias: str, options: Arguments) -> dict[str, object]:
    """The fields that were given beside the target."""
    if options is None or options == "":
        return {}
    value: object = options
    if isinstance(options, str):
        try:
            value = read_json(options)
        except JsonRefused as error:
            raise ProblemError(_no_options(alias, f"At column {error.column}: {error.reason}.")) from error
    if not isinstance(value, dict):
        raise ProblemError(_no_options(alias, "They must be an object: {…}."))
    return dict(cast("dict[str, object]", value))


def _is_texts(value: object) -> bool:
    return isinstance(value, list) and all(isinstance(one, str) for one in cast("list[object]", value))


def _given_twice(alias: str, name: str) -> Problem:
    return Problem(
        type="usage",
        title=f"{name} of {alias} is given twice",
        detail=f"The target says what {name} is, and so do the options.",
        hint=f"Leave {name} out of the one or the other.",
        alias=alias,
    )


def _not_in_full() -> Problem:
    return Problem(
        type="usage",
        title="What shall be added is not said in full",
        detail="A server needs an alias and a target: a URL, or a program.",
        hint=f"Write {_EXAMPLE}, or :McpAdd alone for a template.",
    )


def _no_options(alias: str, why: str) -> Problem:
    # The text may hold anything, so it is not shown.
    return Problem(
        type="usage",
        title=f"The options for {alias} are not a JSON object",
        detail=why,
        hint=f"Write the fields of the definition as one object, as in {_EXAMPLE}",
        alias=alias,
    )


def _not_one(aliases: tuple[str, ...]) -> Problem:
    found = f"It defines {len(aliases)}: {', '.join(aliases)}." if aliases else "It defines none."
    return Problem(
        type="definition-invalid",
        title="One server is added at a time",
        detail=found,
        hint="Leave exactly one [servers.{alias}] table in the text.",
    )


def _taken(alias: str, place: str) -> Problem:
    return Problem(
        type="definition-conflict",
        title=f"{alias} is defined already",
        detail=f"{place} defines it. Nothing was written.",
        hint="Choose another alias, or edit or remove that one first.",
        alias=alias,
    )


def _not_there(alias: str, where: str) -> Problem:
    return Problem(
        type="server-unknown",
        title=f"There is no {alias} to remove",
        detail=f"It is not defined in {where}.",
        hint=":McpList says which file defines which server.",
        alias=alias,
    )


def _of_the_environment(alias: str, place: str) -> Problem:
    return Problem(
        type="definition-conflict",
        title=f"{alias} is defined by the environment alone",
        detail=f"{place} defines it; no file does.",
        hint=f"Unset it before the editor starts, or :McpDisable {alias}.",
        alias=alias,
    )
