"""All servers of this editor: which one an alias means now, and that it is connected when somebody needs it."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

import anyio
import anyio.to_thread
from anyio.abc import TaskGroup

from mcp_host.core.definitions.document import Defined
from mcp_host.host.client_sides import ClientSides
from mcp_host.host.definition_layers import DefinitionLayers, Effective
from mcp_host.host.enabled_state import EnabledState
from mcp_host.host.events import Emit
from mcp_host.host.launches import Launches, Prepared
from mcp_host.host.live_server import Followers, LiveServer, Offering
from mcp_host.host.opening import Opening
from mcp_host.host.pace import Pace
from mcp_host.host.project_file import workspace_of
from mcp_host.host.redactions import Redactions
from mcp_host.host.settings import Settings
from mcp_host.host.supervisor import Supervisor
from mcp_host.problems import Problem, ProblemError
from mcp_host.protocol.transports.server_log import ServerLog

logger = logging.getLogger(__name__)

CONNECTING_AT_ONCE: Final = 8
"""Servers that may be connecting at the same time: each costs a process start, and twenty at once starve two cores."""

WATCH_SECONDS: Final = 2.0
"""How often the files are looked at while nobody asks for anything: an edit made elsewhere counts within this time."""


@dataclass(kw_only=True)
class Fleet:
    """One supervisor per alias that was ever needed."""

    settings: Settings
    definitions: DefinitionLayers
    enabled: EnabledState
    launches: Launches
    tasks: TaskGroup
    opening: Opening
    emit: Emit
    open_log: Callable[[str, Callable[[str], str]], ServerLog]
    sides: ClientSides
    followers: Followers
    pace: Pace
    redactions: Redactions
    """Hides the resolved references of each server in what is shown about it."""
    _supervisors: dict[str, Supervisor] = field(default_factory=dict[str, Supervisor], init=False)
    _faults: dict[str, tuple[Defined, Problem]] = field(default_factory=dict[str, tuple[Defined, Problem]], init=False)
    _places: anyio.Semaphore = field(init=False, repr=False)
    _told: Effective | None = field(default=None, init=False, repr=False)
    _told_digest: str = field(default="", init=False)
    _reconnecting: set[str] = field(default_factory=set[str], init=False)

    def __post_init__(self) -> None:
        self._places = anyio.Semaphore(CONNECTING_AT_ONCE)

    @property
    def workspace(self) -> Path:
        """The folder that enabling and disabling is about."""
        return workspace_of(self.definitions.project.folder)

    def supervisor(self, alias: str) -> Supervisor | None:
        """The supervisor of an alias, None where the server was never needed."""
        return self._supervisors.get(alias)

    def status(self, alias: str) -> str:
        """The status of a server, "off" where it was never needed."""
        supervisor = self._supervisors.get(alias)
        return supervisor.status if supervisor is not None else "off"

    def fault(self, alias: str) -> Problem | None:
        """Why the server could not even be started last, such as a reference that is not set; None otherwise, and
        where its definition is another one since."""
        known, now = self._faults.get(alias), self.definitions.current().definitions.get(alias)
        return known[1] if known is not None and now is not None and known[0].definition == now.definition else None

    def is_disabled(self, alias: str) -> bool:
        """True where a person disabled it in this workspace."""
        return alias in self.enabled.disabled(self.workspace)

    async def live(self, alias: str) -> LiveServer:
        """The server, connected with its definition as it is now.

        Raises:
            ProblemError: `server-unknown`, `server-disabled`, `definition-untrusted`, a problem of its definition, or
                why it cannot connect.
        """
        return await self._ready(alias, asked_for=False)

    async def offering(self, alias: str) -> Offering:
        """What the server offers, with its definition as it is now: as it was last, where the server is away.

        Raises:
            ProblemError: See `live`; not because it is away, as long as it is not given up.
        """
        supervisor, defined = self._supervisors.get(alias), self.definitions.current().definitions.get(alias)
        if supervisor is None or defined is None or not self._may_run(defined) or self.launches.is_outdated(defined):
            known = None
        else:
            known = supervisor.keeper.published if supervisor.live is None else None
        if known is not None and supervisor is not None and defined is not None:
            return Offering(alias=alias, defined=defined, catalog=known, status=supervisor.status)
        live = await self.live(alias)
        return Offering(alias=alias, defined=live.defined, catalog=live.catalog, status="ready")

    async def offerings(self, aliases: Iterable[str]) -> tuple[dict[str, Offering], tuple[Problem, ...]]:
        """What those of the servers offer that could be connected or are away, in the order of the aliases, and what
        hindered the others."""
        found: dict[str, Offering] = {}
        problems: dict[str, Problem] = {}

        async def look(alias: str) -> None:
            try:
                found[alias] = await self.offering(alias)
            except ProblemError as error:
                problems[alias] = error.problem

        wanted = tuple(aliases)
        async with anyio.create_task_group() as tasks:
            for alias in wanted:
                tasks.start_soon(look, alias)
        return (
            {alias: found[alias] for alias in wanted if alias in found},
            tuple(problems[alias] for alias in wanted if alias in problems),
        )

    async def enable(self, alias: str) -> LiveServer:
        """The server may be used in this workspace and is connected; one that was lost or failed is tried again now.

        Raises:
            ProblemError: See `live`.
        """
        self.definitions.defined(alias)
        await self._keep_enabled(alias, disabled=False)
        return await self._ready(alias, asked_for=True)

    async def disable(self, alias: str) -> None:
        """The server is disconnected and refuses verbs in this workspace until it is enabled.

        Raises:
            ProblemError: `server-unknown`.
        """
        if alias not in self._supervisors:
            self.definitions.defined(alias)
        await self._keep_enabled(alias, disabled=True)
        supervisor = self._supervisors.get(alias)
        if supervisor is not None:
            await supervisor.stop()

    async def reconcile(self) -> None:
        """What runs is what the definitions say now: servers that are gone, disabled, withheld or no longer sound are
        stopped, those whose connection would be another one are connected anew, all others are left alone."""
        effective = self.definitions.current()
        if effective is not self._told:
            first, self._told = self._told is None, effective
            self._tell(effective, first=first)
        for alias in self._outdated(effective):
            self._reconnecting.add(alias)
            self.tasks.start_soon(self._reconnect, alias)
        async with anyio.create_task_group() as tasks:
            for alias in self._unwanted(effective):
                tasks.start_soon(self._let_go, alias, self._supervisors[alias])

    async def watch(self) -> None:
        """Looks at the files from time to time, until it is cancelled."""
        while True:
            await self._follow()
            await anyio.sleep(WATCH_SECONDS)

    def connected(self) -> tuple[LiveServer, ...]:
        """The servers that are connected now."""
        return tuple(one.live for one in self._supervisors.values() if one.live is not None)

    def tell_roots_changed(self) -> None:
        """The editor is in another folder: servers that were offered the folders will be told, each at its own pace."""
        for live in self.connected():
            connection = live.connection
            if connection.identity.era == "legacy" and "roots" in connection.envelope.capabilities:
                connection.tasks.start_soon(connection.notify, "notifications/roots/list_changed")

    async def stop(self) -> None:
        """Every server is stopped, all at the same time."""
        async with anyio.create_task_group() as tasks:
            for supervisor in self._supervisors.values():
                tasks.start_soon(supervisor.stop)

    async def _follow(self) -> None:
        try:
            await self.reconcile()
        except Exception as error:  # boundary: nobody asked, and one odd file must not end every server
            logger.error("the definitions could not be followed: %s", type(error).__name__)

    async def _ready(self, alias: str, *, asked_for: bool) -> LiveServer:
        if self.definitions.current() is not self._told:
            self.tasks.start_soon(self._follow)
        if not asked_for:
            self._refuse_early(alias)
        prepared = await self._prepared(alias)
        # Nothing waits between the last reading and the supervisor's queue: a launch never overtakes a newer one.
        return await self._supervisor(alias).ready(prepared, asked_for=asked_for)

    def _refuse_early(self, alias: str) -> None:
        """A server that is tried again later needs no launch yet: a person's resolver is not asked in vain.

        Raises:
            ProblemError: `server-unavailable`, with the time of the next attempt.
        """
        supervisor, defined = self._supervisors.get(alias), self.definitions.current().definitions.get(alias)
        if supervisor is None or defined is None or not self._may_run(defined) or self.launches.is_outdated(defined):
            return
        hindrance = supervisor.hindrance()
        if hindrance is not None:
            raise ProblemError(hindrance)

    async def _prepared(self, alias: str) -> Prepared:
        while True:
            defined = self.definitions.defined(alias)
            self._refuse_disabled(defined)
            try:
                prepared = await self.launches.prepare(defined, is_idle=lambda: self._is_idle(alias))
            except ProblemError as error:
                self._faults[alias] = defined, error.problem
                supervisor = self._supervisors.get(alias)
                if supervisor is not None:  # what runs was made of a definition that no longer counts
                    self.tasks.start_soon(supervisor.stop)
                raise
            self._faults.pop(alias, None)
            is_current = prepared.defined is self.definitions.current().definitions.get(alias)
            if is_current and not self.is_disabled(alias):
                return prepared
            # A resolver may have taken its time: the file may be another one by now, or the server disabled.

    def _is_idle(self, alias: str) -> bool:
        supervisor = self._supervisors.get(alias)
        return supervisor is None or supervisor.is_idle

    def _supervisor(self, alias: str) -> Supervisor:
        if alias not in self._supervisors:
            self._supervisors[alias] = Supervisor(
                alias,
                tasks=self.tasks,
                opening=self.opening,
                prepare=lambda: self._prepared(alias),
                emit=self.emit,
                open_log=lambda name: self.open_log(name, lambda text: self.redactions.text(name, text)),
                places=self._places,
                sides=self.sides,
                followers=self.followers,
                pace=self.pace,
            )
        return self._supervisors[alias]

    async def _let_go(self, alias: str, supervisor: Supervisor) -> None:
        await supervisor.stop()
        # Known until it has stopped; and somebody may have wanted it again meanwhile.
        if self._supervisors.get(alias) is supervisor and supervisor.is_idle:
            del self._supervisors[alias]

    async def _reconnect(self, alias: str) -> None:
        try:
            await self.live(alias)
        except ProblemError as error:
            logger.info("%s was not connected again after an edit: %s", alias, error.problem.type)
        except Exception as error:  # boundary: as above
            logger.error("%s could not be connected again after an edit: %s", alias, type(error).__name__)
        finally:
            self._reconnecting.discard(alias)

    def _outdated(self, effective: Effective) -> list[str]:
        return [
            alias
            for alias, supervisor in self._supervisors.items()
            if alias in effective.definitions
            and alias not in self._reconnecting
            and not supervisor.is_idle
            and self._may_run(effective.definitions[alias])
            and self.launches.is_outdated(effective.definitions[alias])
        ]

    def _unwanted(self, effective: Effective) -> list[str]:
        return [
            alias
            for alias in self._supervisors
            if alias not in effective.definitions or not self._may_run(effective.definitions[alias])
        ]

    def _may_run(self, defined: Defined) -> bool:
        return defined.definition.enabled and not self.is_disabled(defined.alias)

    def _tell(self, effective: Effective, *, first: bool) -> None:
        if not first:
            servers = {alias: self.status(alias) for alias in (*effective.definitions, *effective.withheld)}
            self.emit("McpDefinitions", {"servers": servers})
        project = self.definitions.project.current()
        waits = project.state in ("untrusted", "changed")
        if waits and project.digest != self._told_digest:
            self.emit("McpTrustNeeded", {"file": str(project.file), "digest": project.digest, "state": project.state})
        self._told_digest = project.digest if waits else ""

    async def _keep_enabled(self, alias: str, *, disabled: bool) -> None:
        def keep() -> None:
            self.enabled.keep(self.workspace, alias, disabled=disabled)

        try:
            await anyio.to_thread.run_sync(keep)
        except OSError as error:
            raise ProblemError(_not_kept(alias, self.enabled.folder, error)) from error

    def _refuse_disabled(self, defined: Defined) -> None:
        if not defined.definition.enabled:
            place = defined.origins["enabled"].place if "enabled" in defined.origins else defined.file
            raise ProblemError(_disabled(defined.alias, f"{place} says enabled = false.", "Set enabled = true there."))
        if self.is_disabled(defined.alias):
            raise ProblemError(
                _disabled(
                    defined.alias,
                    f"It was disabled in the workspace {self.workspace}.",
                    f":McpEnable {defined.alias} enables and connects it.",
                )
            )


def _disabled(alias: str, detail: str, hint: str) -> Problem:
    return Problem(type="server-disabled", title=f"{alias} is disabled", detail=detail, hint=hint, alias=alias)


def _not_kept(alias: str, folder: Path, error: OSError) -> Problem:
    return Problem(
        type="host-failed",
        title=f"What you said about {alias} cannot be kept",
        detail=f"{folder}: {error.strerror}",
        hint="Check the permissions of Neovim's state folder.",
        alias=alias,
    )
