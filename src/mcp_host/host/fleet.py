"""All servers of this editor: which one an alias means now, and that it is connected when somebody needs it."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace
from typing import Final

import anyio
from anyio.abc import TaskGroup

from mcp_host.core.definitions.document import Defined
from mcp_host.core.definitions.launch import StdioLaunch, identity, prepare_launch
from mcp_host.host.definition_file import DefinitionFile
from mcp_host.host.events import Emit
from mcp_host.host.opening import Launch, Opening
from mcp_host.host.redactions import Redactions
from mcp_host.host.settings import Settings
from mcp_host.host.supervisor import LiveServer, Supervisor
from mcp_host.problems import Problem, ProblemError
from mcp_host.protocol.transports.server_log import ServerLog

CONNECTING_AT_ONCE: Final = 8
"""Servers that may be connecting at the same time: each costs a process start, and twenty at once starve two cores."""


@dataclass(frozen=True, kw_only=True)
class _Prepared:
    """A definition with its references resolved: the environment never changes, so this is worked out once."""

    defined: Defined
    launch: Launch = field(repr=False)
    identity: str


@dataclass(kw_only=True)
class Fleet:
    """One supervisor per alias that was ever needed."""

    settings: Settings
    definitions: DefinitionFile
    tasks: TaskGroup
    opening: Opening
    emit: Emit
    open_log: Callable[[str, Callable[[str], str]], ServerLog]
    redactions: Redactions
    """Hides the resolved references of each server in what is shown about it."""
    _supervisors: dict[str, Supervisor] = field(default_factory=dict[str, Supervisor], init=False)
    _disabled: set[str] = field(default_factory=set[str], init=False)
    _faults: dict[str, Problem] = field(default_factory=dict[str, Problem], init=False)
    _prepared: dict[str, _Prepared] = field(default_factory=dict[str, _Prepared], init=False, repr=False)
    _places: anyio.Semaphore = field(init=False, repr=False)

    def __post_init__(self) -> None:
        self._places = anyio.Semaphore(CONNECTING_AT_ONCE)

    def supervisor(self, alias: str) -> Supervisor | None:
        """The supervisor of an alias, None where the server was never needed."""
        return self._supervisors.get(alias)

    def fault(self, alias: str) -> Problem | None:
        """Why the server could not even be started last, such as a reference that is not set; None otherwise."""
        return self._faults.get(alias)

    def is_disabled(self, alias: str) -> bool:
        """True where a person disabled it in this editor."""
        return alias in self._disabled

    async def live(self, alias: str) -> LiveServer:
        """The server, connected with its definition as it is now.

        Raises:
            ProblemError: `server-unknown`, `server-disabled`, a problem of its definition, or why it cannot connect.
        """
        if self._unwanted():
            self.tasks.start_soon(self.stop_unwanted)
        # Nothing waits between this reading and the supervisor's queue: a launch never overtakes a newer one.
        defined = self.definitions.defined(alias)
        self._refuse_disabled(defined)
        try:
            prepared = self._prepare(defined)
        except ProblemError as error:
            self._faults[alias] = error.problem
            raise
        self._faults.pop(alias, None)
        return await self._supervisor(alias).ready(defined, prepared.launch, prepared.identity)

    async def live_all(self, aliases: Iterable[str]) -> tuple[dict[str, LiveServer], tuple[Problem, ...]]:
        """Those of the servers that could be connected, in the order of the aliases, and what hindered the others."""
        found: dict[str, LiveServer] = {}
        problems: dict[str, Problem] = {}

        async def connect(alias: str) -> None:
            try:
                found[alias] = await self.live(alias)
            except ProblemError as error:
                problems[alias] = error.problem

        wanted = tuple(aliases)
        async with anyio.create_task_group() as tasks:
            for alias in wanted:
                tasks.start_soon(connect, alias)
        return (
            {alias: found[alias] for alias in wanted if alias in found},
            tuple(problems[alias] for alias in wanted if alias in problems),
        )

    async def enable(self, alias: str) -> LiveServer:
        """The server may be used in this editor and is connected; a failed one is tried again.

        Raises:
            ProblemError: See `live`.
        """
        self.definitions.defined(alias)
        self._disabled.discard(alias)
        return await self.live(alias)

    async def disable(self, alias: str) -> None:
        """The server is disconnected and refuses verbs in this editor until it is enabled.

        Raises:
            ProblemError: `server-unknown`.
        """
        if alias not in self._supervisors:
            self.definitions.defined(alias)
        self._disabled.add(alias)
        supervisor = self._supervisors.get(alias)
        if supervisor is not None:
            await supervisor.stop()

    async def stop_unwanted(self) -> None:
        """Servers whose definition is gone, or says that they are not enabled, are stopped: no process outlives it."""
        async with anyio.create_task_group() as tasks:
            for alias in self._unwanted():
                tasks.start_soon(self._supervisors.pop(alias).stop)

    async def stop(self) -> None:
        """Every server is stopped, all at the same time."""
        async with anyio.create_task_group() as tasks:
            for supervisor in self._supervisors.values():
                tasks.start_soon(supervisor.stop)

    def _supervisor(self, alias: str) -> Supervisor:
        if alias not in self._supervisors:
            self._supervisors[alias] = Supervisor(
                alias,
                tasks=self.tasks,
                opening=self.opening,
                emit=self.emit,
                open_log=lambda name: self.open_log(name, lambda text: self.redactions.text(name, text)),
                places=self._places,
            )
        return self._supervisors[alias]

    def _prepare(self, defined: Defined) -> _Prepared:
        known = self._prepared.get(defined.alias)
        if known is not None and known.defined is defined:
            return known
        launch = prepare_launch(
            defined.alias, defined.definition, self.settings.environment, file=defined.file, line=defined.line
        )
        self.redactions.learn(defined.alias, launch.secrets)
        if isinstance(launch, StdioLaunch) and launch.cwd is None:
            # The host's own directory is the plugin's; a server without a cwd runs where the editor was started.
            launch = replace(launch, cwd=str(self.settings.cwd))
        prepared = _Prepared(defined=defined, launch=launch, identity=identity(launch))
        self._prepared[defined.alias] = prepared
        return prepared

    def _unwanted(self) -> list[str]:
        definitions = self.definitions.current().definitions
        return [
            alias
            for alias in self._supervisors
            if alias not in definitions or not definitions[alias].definition.enabled
        ]

    def _refuse_disabled(self, defined: Defined) -> None:
        if not defined.definition.enabled:
            raise ProblemError(
                _disabled(defined.alias, f"{defined.file} says enabled = false.", "Set enabled = true there.")
            )
        if defined.alias in self._disabled:
            raise ProblemError(
                _disabled(
                    defined.alias,
                    "It was disabled in this editor.",
                    f":McpEnable {defined.alias} enables and connects it.",
                )
            )


def _disabled(alias: str, detail: str, hint: str) -> Problem:
    return Problem(type="server-disabled", title=f"{alias} is disabled", detail=detail, hint=hint, alias=alias)
