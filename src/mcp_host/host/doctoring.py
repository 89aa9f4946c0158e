"""The verb for somebody who is stuck: what the host runs on, what each layer says, and what each server lacks.

It looks and starts nothing: no server, no program and no question to a person.
"""

from __future__ import annotations

import importlib.metadata
import platform
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final, TypeAlias

import anyio.to_thread

from mcp_host import __version__
from mcp_host.core.catalog.catalog import Catalog, missing_tools
from mcp_host.core.definitions.layers import Defined, merge
from mcp_host.core.definitions.models import Definition
from mcp_host.host.answers import Answer
from mcp_host.host.definition_layers import Effective, LayerReading
from mcp_host.host.fleet import Fleet
from mcp_host.host.params import DoctorParams
from mcp_host.host.probing import PROBE_LOG
from mcp_host.host.probing_definitions import look_at, untouched_references, written_target
from mcp_host.views.doctor import DoctorFacts, ServerCheck, doctor_document, doctor_view
from mcp_host.views.layers import LayerFacts

_PACKAGES: Final = ("mcp", "pynvim", "anyio", "pydantic", "httpx2", "jsonschema", "tomli", "tomlkit", "json5")

_NAMES_LIMIT: Final = 8
"""How many of the names that a server lacks are listed."""


_Named: TypeAlias = tuple[tuple[str, str], ...]


@dataclass(frozen=True, kw_only=True)
class _Seen:
    """One server as the fleet knows it, before anything is looked for on the disk."""

    check: ServerCheck
    defined: Defined | None = None
    """What to look at; None where nothing shall be looked at."""
    is_fed: bool = False
    log: Path


@dataclass(kw_only=True)
class Doctoring:
    """Looks at everything, and changes nothing."""

    fleet: Fleet

    async def doctor(self, params: DoctorParams) -> Answer:
        """What was found."""
        effective = self.fleet.definitions.current()
        seen = self._all_seen(effective)
        layers = tuple(self._layer(reading, effective) for reading in effective.layers)
        environment, workspace, logs = self.fleet.settings.environment, self.fleet.workspace, self._logs()

        def look() -> tuple[tuple[ServerCheck, ...], _Named, _Named]:
            return tuple(_looked_at(one, environment) for one in seen), _versions(), _existing(logs)

        # It changes nothing, so whoever leaves meanwhile need not wait for a slow disk.
        servers, versions, existing = await anyio.to_thread.run_sync(look, abandon_on_cancel=True)
        facts = DoctorFacts(
            python=f"{sys.executable} ({platform.python_version()})",
            versions=versions,
            workspace=str(workspace),
            layers=layers,
            servers=servers,
            logs=existing,
            resolver=True if any(one.is_fed for one in seen) else params.resolver,
        )
        return Answer(kind="doctor", document=doctor_document(facts), view=lambda: doctor_view(facts))

    def _all_seen(self, effective: Effective) -> list[_Seen]:
        untouched: Mapping[str, Defined] = self._untouched_definitions() if effective.untrusted else {}
        return [
            self._untouched(alias, untouched.get(alias))
            if alias in effective.untrusted
            else self._seen(alias, effective)
            for alias in dict.fromkeys((*effective.definitions, *effective.broken, *effective.untrusted))
        ]

    def _seen(self, alias: str, effective: Effective) -> _Seen:
        log = self.fleet.open_log(alias, str).path
        check = ServerCheck(alias=alias, status=self.fleet.status(alias), target="")
        defined = effective.definitions.get(alias)
        if defined is None:
            return _Seen(check=replace(check, problem=effective.broken[alias]), log=log)
        check = replace(check, target=written_target(defined.definition))
        if not defined.definition.enabled or self.fleet.is_disabled(alias):
            return _Seen(check=replace(check, status="disabled"), log=log)
        supervisor, known = self.fleet.supervisor(alias), self.fleet.launches.known(alias)
        problem = self.fleet.fault(alias) or (supervisor.problem if supervisor is not None else None)
        live = supervisor.live if supervisor is not None else None
        return _Seen(
            check=replace(
                check,
                warnings=tuple(_lacking(live.catalog, defined.definition)) if live is not None else (),
                problem=self.fleet.redactions.problem(problem) if problem is not None else None,
            ),
            defined=defined,
            is_fed=known is not None
            and known.is_fed
            and self.fleet.fault(alias) is None
            and not self.fleet.launches.is_outdated(defined),
            log=log,
        )

    def _untouched_definitions(self) -> Mapping[str, Defined]:
        """What the definitions would be, if the project's file counted."""
        definitions = self.fleet.definitions
        source = definitions.project.current().source
        layers = [definitions.environment, definitions.user.current(), *([source] if source is not None else [])]
        return merge(layers).definitions

    def _untouched(self, alias: str, defined: Defined | None) -> _Seen:
        """A server of a project file that nobody approved: what is written there, and nothing else."""
        check = ServerCheck(
            alias=alias,
            status=self.fleet.status(alias),
            target=written_target(defined.definition) if defined is not None else "",
            references=untouched_references(defined.definition) if defined is not None else (),
            warnings=("waits for your yes to the project's file: :McpTrust shows what it would run",),
        )
        return _Seen(check=check, log=self.fleet.open_log(alias, str).path)

    def _layer(self, reading: LayerReading, effective: Effective) -> LayerFacts:
        environment, user = self.fleet.definitions.environment, self.fleet.definitions.user.current()
        of_user = (*((user.unparsable,) if user.unparsable is not None else ()), *user.problems)
        own = {"environment": environment.problems, "user": of_user}
        # Whatever else is about no server is about the project's file: a session has no text that could be wrong.
        others = [*environment.problems, *of_user]
        own["project"] = tuple(one for one in effective.problems if one.alias is None and one not in others)
        return LayerFacts(
            layer=reading.layer,
            file=reading.file,
            state=reading.state,
            servers=reading.servers,
            problems=own.get(reading.layer, ()),
        )

    def _logs(self) -> tuple[tuple[str, Path], ...]:
        probes = self.fleet.open_log(PROBE_LOG, str).path
        host = self.fleet.settings.log_dir / "host.log"
        return ("host", host), ("servers", probes.parent), ("discover", probes)


def _looked_at(seen: _Seen, environment: Mapping[str, str]) -> ServerCheck:
    check = replace(seen.check, log=str(seen.log) if seen.log.exists() else "")
    if seen.defined is None:
        return check
    findings = look_at(seen.defined, environment, is_fed=seen.is_fed)
    return replace(
        check,
        executable=findings.executable,
        searched=findings.searched,
        references=findings.references,
        warnings=(*findings.warnings, *check.warnings),
        problem=check.problem or findings.problem,
    )


def _lacking(catalog: Catalog, definition: Definition) -> Iterator[str]:
    """The names in a definition that a connected server does not have, each once."""
    said: set[str] = set()
    for field, names in (
        ("tools", definition.tools),
        ("read", definition.read),
        ("always_listed", definition.always_listed),
    ):
        missing = [name for name in missing_tools(catalog, names) if name not in said]
        said |= {*missing}
        if missing:
            more = f" and {len(missing) - _NAMES_LIMIT} more" if len(missing) > _NAMES_LIMIT else ""
            yield f"{field} names what it does not have: {', '.join(missing[:_NAMES_LIMIT])}{more}"


def _versions() -> _Named:
    return ("mcp-host", __version__), *((package, _version(package)) for package in _PACKAGES)


def _version(package: str) -> str:
    try:
        return importlib.metadata.version(package)
    except importlib.metadata.PackageNotFoundError:
        return "not installed"


def _existing(paths: tuple[tuple[str, Path], ...]) -> _Named:
    return tuple((what, str(path)) for what, path in paths if path.exists())
