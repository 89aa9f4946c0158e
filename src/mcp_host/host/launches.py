"""From a definition to its launch: resolves the references once for a connection, and asks a person's resolver for
what the environment lacks.

A launch is worked out again only when the part of the definition that a connection is made of has changed, or when the
connection it was made for is over and a resolver gave something for it: a token may be another one by then.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TypeAlias

import anyio

from mcp_host.core.definitions.document import Defined
from mcp_host.core.definitions.launch import (
    StdioLaunch,
    connection_fields,
    definition_references,
    identity,
    prepare_launch,
)
from mcp_host.host.opening import Launch
from mcp_host.host.redactions import Redactions
from mcp_host.host.settings import Settings
from mcp_host.problems import Problem, ProblemError


@dataclass(frozen=True, kw_only=True)
class Fed:
    """What a person's resolver said to a question."""

    values: Mapping[str, str] = field(default_factory=dict[str, str], repr=False)
    failed: Mapping[str, str] = field(default_factory=dict[str, str])
    """Why there is no value, by name, in words for people."""


Ask: TypeAlias = Callable[[str, tuple[str, ...]], Awaitable[Fed]]
"""Asks the person's resolver for the values of names, for one alias. Bounded."""


async def ask_nobody(_alias: str, _names: tuple[str, ...]) -> Fed:
    """For where there is no editor to ask."""
    return Fed()


@dataclass(frozen=True, kw_only=True)
class Prepared:
    """A definition with its references resolved."""

    defined: Defined
    launch: Launch = field(repr=False)
    identity: str
    fields: Mapping[str, object] = field(repr=False)
    """What the launch was made of, unexpanded."""
    is_fed: bool
    """Whether a resolver gave something for it."""
    folder: str
    """Where it would have run without a `cwd`."""


@dataclass(kw_only=True)
class Launches:
    """The launches of all servers of one editor, in memory."""

    settings: Settings
    redactions: Redactions
    folder: Callable[[Defined], Path]
    """Where a server without a `cwd` runs."""
    ask: Ask = ask_nobody
    _known: dict[str, Prepared] = field(default_factory=dict[str, Prepared], init=False, repr=False)
    _preparing: dict[str, anyio.Lock] = field(default_factory=dict[str, anyio.Lock], init=False, repr=False)

    def known(self, alias: str) -> Prepared | None:
        """What the alias was prepared with last."""
        return self._known.get(alias)

    def is_outdated(self, defined: Defined) -> bool:
        """Whether a connection of this alias would be another one than the last that was prepared."""
        known = self._known.get(defined.alias)
        return known is not None and known.fields != connection_fields(defined.definition)

    async def prepare(self, defined: Defined, *, is_idle: Callable[[], bool]) -> Prepared:
        """The launch of a definition; `is_idle`: no connection made of an earlier one is there or coming up.

        Raises:
            ProblemError: See `prepare_launch`.
        """
        async with self._preparing.setdefault(defined.alias, anyio.Lock()):
            known = self._known.get(defined.alias)
            # Whether it is idle is asked late: others may have come first.
            is_dated = known is not None and (known.is_fed or known.folder != str(self.folder(defined)))
            if known is not None and not (is_dated and is_idle()):
                if known.defined is defined:
                    return known
                if known.fields == connection_fields(defined.definition):
                    known = self._known[defined.alias] = replace(known, defined=defined)
                    return known
            prepared = await self._prepared(defined)
            self._known[defined.alias] = prepared
            return prepared

    async def _prepared(self, defined: Defined) -> Prepared:
        environment, folder = self.settings.environment, str(self.folder(defined))
        lacking = dict.fromkeys(
            one.name for one in definition_references(defined.definition) if not environment.get(one.name)
        )
        answer = await self.ask(defined.alias, tuple(lacking)) if lacking else Fed()
        fed = {name: value for name, value in answer.values.items() if name in lacking and value}
        try:
            launch = prepare_launch(
                defined.alias,
                defined.definition,
                environment,
                file=defined.file,
                line=defined.line,
                fed=fed,
                places={name: origin.place for name, origin in defined.origins.items()},
            )
        except ProblemError as error:
            raise ProblemError(_with_reasons(error.problem, answer.failed)) from error
        self.redactions.learn(defined.alias, launch.secrets)
        if isinstance(launch, StdioLaunch) and launch.cwd is None:
            # The host's own directory is the plugin's.
            launch = replace(launch, cwd=folder)
        return Prepared(
            defined=defined,
            launch=launch,
            identity=identity(launch),
            fields=connection_fields(defined.definition),
            is_fed=bool(fed),
            folder=folder,
        )


def _with_reasons(problem: Problem, failed: Mapping[str, str]) -> Problem:
    """The problem, with why a resolver could not help where it was asked."""
    if problem.type != "reference-missing" or not failed:
        return problem
    reasons = "\n".join(f"{name}: {why}" for name, why in failed.items())
    hint = f"See why your resolve function has none, or set {', '.join(failed)} and start the editor again."
    return problem.model_copy(update={"detail": f"{problem.detail}\n{reasons}", "hint": hint})
