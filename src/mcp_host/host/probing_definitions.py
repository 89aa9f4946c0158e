"""Looks at a definition as a start would, and starts nothing: the executable, the references, what is unwise. Blocks.

Of variables nothing but names and states comes out; a path that was made of one is redacted like everything else.
"""

from __future__ import annotations

import os
import re
import shutil
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Final

from mcp_host.core.definitions.launch import (
    HttpLaunch,
    Reference,
    StdioLaunch,
    definition_references,
    prepare_launch,
)
from mcp_host.core.definitions.layers import Defined
from mcp_host.core.definitions.models import Definition, HttpDefinition, StdioDefinition
from mcp_host.core.definitions.resolving import Resolver
from mcp_host.core.definitions.rules import exposure_fault, written_exposure_fault
from mcp_host.core.definitions.secret_names import names_a_secret
from mcp_host.core.redaction import Redactor
from mcp_host.host.opening import Launch
from mcp_host.problems import Problem, ProblemError
from mcp_host.protocol.transports.executables import searched_path
from mcp_host.views.cautions import GIVEN_TO_ALL
from mcp_host.views.doctor import ReferenceCheck, ReferenceState

NO_PATH: Final = "(PATH has no entry that is an absolute path)"


@dataclass(frozen=True, kw_only=True)
class Findings:
    """What a definition comes to in an environment."""

    executable: str | None = None
    searched: tuple[str, ...] = ()
    """Where the command was looked for in vain."""
    references: tuple[ReferenceCheck, ...] = ()
    warnings: tuple[str, ...] = ()
    problem: Problem | None = None
    """Why it can never be started as it is, a reference that is not set apart."""


def look_at(defined: Defined, environment: Mapping[str, str], *, is_fed: bool) -> Findings:
    """What would come of the definition. `is_fed`: a person's resolver gave last what the environment lacks."""
    references = definition_references(defined.definition)
    launch = _launch(defined, defined.definition, environment)
    executable, searched = _command(defined, environment)
    warnings = (
        *_exposed_arguments(references, environment),
        *_empty(references, environment),
        *_in_the_clear(defined.definition, launch),
        *_no_folder(launch),
    )
    return Findings(
        executable=executable,
        searched=searched,
        references=tuple(
            ReferenceCheck(field=one.field, name=one.name, state=_state(one, environment, is_fed=is_fed))
            for one in references
        ),
        warnings=warnings,
        problem=launch if isinstance(launch, Problem) and launch.type != "reference-missing" else None,
    )


def written_target(definition: Definition) -> str:
    """The command or the URL, without what may be a secret in it: a query, a password, a fallback."""
    written = definition.command if isinstance(definition, StdioDefinition) else definition.url
    return _MAY_BE_SECRET.sub("…", written)


_MAY_BE_SECRET: Final = re.compile(r"(?<=\?).+|(?<=://)[^/?#]*(?=@)|(?<=:-)[^}]*(?=\})")


def untouched_references(definition: Definition) -> tuple[ReferenceCheck, ...]:
    """The references of a definition that nobody approved yet: by name, and without a look at the environment."""
    return tuple(
        ReferenceCheck(field=one.field, name=one.name, state="not looked at")
        for one in definition_references(definition)
    )


_CREDENTIALS: Final = ("authorization.token", "authorization.client_secret")
"""The fields for which an empty variable is as good as none."""


def _state(reference: Reference, environment: Mapping[str, str], *, is_fed: bool) -> ReferenceState:
    value = environment.get(reference.name)
    if value or is_fed:
        return "set"
    if reference.has_fallback:
        return "fallback"
    return "missing" if value is None or reference.field in _CREDENTIALS else "set"


def _launch(defined: Defined, definition: Definition, environment: Mapping[str, str]) -> Launch | Problem:
    try:
        return prepare_launch(
            defined.alias,
            definition,
            environment,
            file=defined.file,
            line=defined.line,
            places={name: origin.place for name, origin in defined.origins.items()},
        )
    except ProblemError as error:
        return error.problem


def _command(defined: Defined, environment: Mapping[str, str]) -> tuple[str | None, tuple[str, ...]]:
    """Where the command is found, or where it was looked for in vain; neither where a reference in it is not set."""
    definition = defined.definition
    if not isinstance(definition, StdioDefinition):
        return None, ()
    # Without the rest, so that a token which is not set does not hide that the program is not there either.
    path = {name: value for name, value in definition.env.items() if name == "PATH"}
    bare = definition.model_copy(update={"args": (), "cwd": None, "env": path})
    launch = _launch(defined, bare, environment)
    if not isinstance(launch, StdioLaunch):
        return None, ()
    redacted = Redactor(launch.secrets).text
    if "/" in launch.command:  # as the start does: never looked for, and a relative one never run
        found = shutil.which(launch.command) if os.path.isabs(launch.command) else None
        return (redacted(found), ()) if found is not None else (None, (redacted(launch.command),))
    entries = searched_path(launch.env)
    found = shutil.which(launch.command, path=entries)
    if found is not None:
        return redacted(found), ()
    searched = dict.fromkeys(redacted(entry) for entry in entries.split(os.pathsep) if entry)
    return None, tuple(searched) or (NO_PATH,)


def _exposed_arguments(references: tuple[Reference, ...], environment: Mapping[str, str]) -> Iterator[str]:
    for one in references:
        if one.field.startswith("args[") and _is_secret(one, environment):
            yield f"everybody who lists processes sees {one.name}: use env instead of {one.field}"


def _is_secret(reference: Reference, environment: Mapping[str, str]) -> bool:
    """Judged as for redaction: by the name, or where nothing is known about a long value or one that is fed."""
    name = reference.name
    if name in GIVEN_TO_ALL:
        return False
    resolver = Resolver(alias="", environment=environment, place="")
    resolver.text(("args",), f"${{{name}:-}}")
    is_unknown = not environment.get(name) and not reference.has_fallback
    return names_a_secret(name) or bool(resolver.secrets) or is_unknown


def _empty(references: tuple[Reference, ...], environment: Mapping[str, str]) -> Iterator[str]:
    for one in references:
        if environment.get(one.name) == "" and not one.has_fallback:
            yield f"{one.name} ({one.field}) is set, but empty"


def _in_the_clear(definition: Definition, launch: Launch | Problem) -> Iterator[str]:
    if not isinstance(definition, HttpDefinition):
        return
    what = "what is sent"
    exposed = exposure_fault(launch.url, what) if isinstance(launch, HttpLaunch) else None
    if exposed is not None or written_exposure_fault(definition.url, what) is not None:
        yield "http:// is not encrypted: anybody on the way reads what is sent, and may answer in its place"


def _no_folder(launch: Launch | Problem) -> Iterator[str]:
    if isinstance(launch, StdioLaunch) and launch.cwd is not None and not os.path.isdir(launch.cwd):
        yield f"its folder (cwd) is not there: {Redactor(launch.secrets).text(launch.cwd)}"
