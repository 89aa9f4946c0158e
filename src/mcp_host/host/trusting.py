"""The verbs about the project's definition file: showing what it would run, taking a person's yes, ignoring it."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import datetime
from typing import cast

import anyio.to_thread

from mcp_host.core.definitions.layers import Defined, Merged, merge
from mcp_host.core.definitions.sources import Source
from mcp_host.core.definitions.toml_text import server_toml, toml_value
from mcp_host.core.line_changes import line_changes
from mcp_host.host.answers import Answer
from mcp_host.host.fleet import Fleet
from mcp_host.host.params import NoParams, TrustParams
from mcp_host.host.project_file import PROJECT_FILE, ProjectReading
from mcp_host.host.trust_records import TrustRecord, TrustRecords
from mcp_host.problems import Problem, ProblemError
from mcp_host.views.trust import TrustFacts, TrustServer, TrustState, trust_document, trust_view


@dataclass(kw_only=True)
class Trusting:
    """Shows the project's file, and keeps what a person says about it."""

    fleet: Fleet
    records: TrustRecords
    now: Callable[[], datetime]

    async def trust(self, params: TrustParams) -> Answer:
        """What the file would run; with the digest of exactly this text, it is approved.

        Raises:
            ProblemError: `definition-conflict` where the text is another one by now, `definition-unparsable`.
        """
        if params.digest is not None:
            await self.approve(params.digest)
            await self.fleet.reconcile()
        return await self._answer()

    async def untrust(self, _: NoParams) -> Answer:
        """The file is ignored in this workspace, whatever it says, until it is approved.

        Raises:
            ProblemError: `usage` where there is no such file.
        """
        reading = self.fleet.definitions.project.current()
        if reading.state == "absent":
            raise ProblemError(_no_file(reading))
        file = str(reading.file)
        await self._keep(TrustRecord(file=file, decision="ignored", decided_at=self._moment()))
        await self.fleet.reconcile()
        return await self._answer()

    async def approve(self, digest: str) -> None:
        """The project's file is approved, if it is the text with this digest.

        Raises:
            ProblemError: See `trust`.
        """
        reading = self.fleet.definitions.project.now()
        if reading.source is None or reading.digest != digest:
            raise ProblemError(reading.problem or _another_text(reading))
        if reading.source.unparsable is not None:
            raise ProblemError(reading.source.unparsable)
        definitions = self.fleet.definitions
        lower = [definitions.environment, definitions.user.current()]
        await self._keep(
            TrustRecord(
                file=str(reading.file),
                decision="approved",
                decided_at=self._moment(),
                digest=digest,
                lines=tuple(_lines(reading.source, merge([*lower, reading.source]))),
            )
        )

    async def _keep(self, record: TrustRecord) -> None:
        try:
            await anyio.to_thread.run_sync(self.records.keep, record)
        except OSError as error:
            raise ProblemError(
                Problem(
                    type="host-failed",
                    title="What you said about the project's file cannot be kept",
                    detail=f"{self.records.folder}: {error.strerror}",
                    hint="Check the permissions of Neovim's state folder.",
                )
            ) from error

    def _moment(self) -> str:
        return self.now().strftime("%Y-%m-%d %H:%M UTC")

    async def _answer(self) -> Answer:
        definitions = self.fleet.definitions
        reading, lower = definitions.project.current(), [definitions.environment, definitions.user.current()]
        # In a worker thread: the file may be anybody's, and the servers go on meanwhile.
        facts, document = await anyio.to_thread.run_sync(_told, reading, lower, abandon_on_cancel=True)
        # The digest that a yes needs goes with the text that is shown.
        shown = {"digest": facts.digest, "state": facts.state}
        return Answer(kind="trust", document={**document, "host": shown}, view=lambda: trust_view(facts))


def _facts(reading: ProjectReading, lower: Sequence[Source]) -> TrustFacts:
    state: TrustState = "absent" if reading.state == "unreadable" else reading.state
    source, record = reading.source, reading.record
    problems = [reading.problem] if reading.problem is not None else []
    servers: tuple[TrustServer, ...] = ()
    changes: tuple[str, ...] = ()
    if source is not None:
        merged = merge([*lower, source])
        problems += [source.unparsable] if source.unparsable is not None else []
        problems += source.problems
        servers = tuple(
            replace(_server(alias, table, merged), is_new=_is_new(alias, record))
            for alias, table in source.tables.items()
        )
        if record is not None and state == "changed":
            changes = line_changes(record.lines, _lines(source, merged))
    approved = record is not None and record.decision == "approved"
    return TrustFacts(
        file=str(reading.file),
        real_path=_elsewhere(reading),
        digest=reading.digest,
        state=state,
        approved_at=record.decided_at if record is not None and approved else None,
        servers=servers,
        changes=changes,
        problems=tuple(problems),
    )


def _is_new(alias: str, record: TrustRecord | None) -> bool:
    """Whether an earlier yes knew no such server."""
    if record is None or record.decision != "approved":
        return False
    header = server_toml(alias, {}).rstrip("\n")
    return not any(line.startswith((header, f"[servers.{alias}]")) for line in record.lines)


def _told(reading: ProjectReading, lower: Sequence[Source]) -> tuple[TrustFacts, dict[str, object]]:
    facts = _facts(reading, lower)
    return facts, trust_document(facts)


def _elsewhere(reading: ProjectReading) -> str | None:
    """Where the file really is, if a link of the project leads there."""
    here = os.path.join(os.path.realpath(reading.project), PROJECT_FILE)
    return reading.real_path if reading.real_path not in ("", here) else None


def _server(alias: str, table: object, merged: Merged) -> TrustServer:
    written: Mapping[str, object] = cast("Mapping[str, object]", table) if isinstance(table, Mapping) else {}
    defined = merged.definitions.get(alias)
    return TrustServer(
        alias=alias,
        target=defined.definition.transport if defined is not None else "unknown",
        fields=tuple((name, _shown(value)) for name, value in written.items()),
        inherited=_inherited(defined) if defined is not None else (),
        hides=defined.hidden if defined is not None else (),
        problem=merged.broken.get(alias),
    )


def _inherited(defined: Defined) -> tuple[tuple[str, str, str], ...]:
    values = defined.definition.model_dump(mode="json", exclude_none=True)
    return tuple(
        (name, _shown(values.get(name, "")), f"{origin.layer} {origin.place}")
        for name, origin in defined.origins.items()
        if origin.layer != "project"
    )


def _shown(value: object) -> str:
    try:
        return toml_value(value)
    except ValueError:  # only what no definition may hold; Python itself writes no integer of so many digits
        return "(what has no form in TOML)"


def _lines(source: Source, merged: Merged) -> list[str]:
    """The file's definitions as lines, to be compared with an earlier yes. A faulty one may hold anything: its name
    is all that is told of it."""
    lines: list[str] = []
    for alias, table in source.tables.items():
        if alias in merged.definitions and isinstance(table, Mapping):
            with suppress(ValueError):
                lines += server_toml(alias, cast("Mapping[str, object]", table)).rstrip("\n").split("\n")
                lines += _of_others(merged.definitions[alias])
                continue
        lines.append(f"[servers.{alias}]  # faulty")
    return lines


def _of_others(defined: Defined) -> list[str]:
    """What lower layers add to the server, and what of them it replaces: a yes is to these too."""
    added = [f"# {name} = {value}  (from {place})" for name, value, place in _inherited(defined)]
    return added + [f"# replaces {', '.join(one.fields)} (of {one.layer} {one.file})" for one in defined.hidden]


def _another_text(reading: ProjectReading) -> Problem:
    return Problem(
        type="definition-conflict",
        title="The project's file is not the text that was shown",
        detail=f"{reading.file} has changed, or is gone. Nothing was approved.",
        hint=":McpTrust shows what it says now.",
    )


def _no_file(reading: ProjectReading) -> Problem:
    return Problem(
        type="usage",
        title="There is no definition file of a project here",
        detail=f"{reading.file} does not exist, so there is nothing to ignore.",
        hint=":McpList says which files are read.",
    )
