"""One server's life: one task opens its connection, keeps it, and closes it; everybody else asks for it here.

Connections are lazy: `ready` opens one when there is none. A lost connection stays lost until the next use. A
connection is entered and left inside one task, because the SDK's and anyio's scopes must be.
"""

from __future__ import annotations

import logging
import traceback
from collections.abc import Callable
from contextlib import AsyncExitStack
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Final

import anyio
from anyio.abc import TaskGroup

from mcp_host.core.catalog.catalog import Catalog, catalog_fingerprint
from mcp_host.core.definitions.document import Defined
from mcp_host.core.definitions.launch import StdioLaunch
from mcp_host.core.lifecycle import Event, Status, may, step
from mcp_host.core.subscriptions import ListKind
from mcp_host.host.client_sides import ClientSides
from mcp_host.host.events import Emit
from mcp_host.host.opening import Launch, Opening
from mcp_host.problems import Problem, ProblemError
from mcp_host.protocol.transports.server_log import ServerLog

if TYPE_CHECKING:
    from mcp_host.protocol.connection import Connection

logger = logging.getLogger(__name__)

STOP_SECONDS: Final = 3.0
"""How long `stop` waits for the connection's task: the process ladder is bounded below this."""

BURST_SECONDS: Final = 0.5
"""From the first change that a server tells of to reading its lists: those that follow within it cost nothing more."""


@dataclass(frozen=True, kw_only=True)
class LiveServer:
    """A server that can be called right now, as it was when it was asked for: an edit or a new list makes a new one."""

    alias: str
    defined: Defined
    identity: str
    """The connection identity it was opened with: a launch with another one needs a new connection."""
    connection: Connection = field(repr=False)
    catalog: Catalog = field(repr=False)


@dataclass(frozen=True, kw_only=True)
class Followers:
    """Who must know at once what a server's lists and resources have become."""

    catalog: Callable[[Catalog], None] = lambda _: None
    """A new catalog is in force."""
    resource: Callable[[str, str], None] = lambda _alias, _uri: None
    """The resource with this uri has changed."""


@dataclass(kw_only=True)
class _Run:
    """One attempt at a connection and, when it succeeds, that connection's time."""

    identity: str
    scope: anyio.CancelScope = field(default_factory=anyio.CancelScope)
    settled: anyio.Event = field(default_factory=anyio.Event)
    """Set when it is ready or has failed."""
    ended: anyio.Event = field(default_factory=anyio.Event)
    live: LiveServer | None = None
    problem: Problem | None = None

    @property
    def is_lost(self) -> bool:
        """Its connection has ended, and it is only being cleared away."""
        return self.live is not None and self.live.connection.ended.is_set()


class Supervisor:
    """Owns the connection of one alias."""

    def __init__(
        self,
        alias: str,
        *,
        tasks: TaskGroup,
        opening: Opening,
        emit: Emit,
        open_log: Callable[[str], ServerLog],
        places: anyio.Semaphore,
        sides: ClientSides,
        followers: Followers,
    ) -> None:
        """`places` bounds how many supervisors connect at the same time."""
        self.alias = alias
        self.status: Status = "off"
        self.problem: Problem | None = None
        """Why it failed or was lost last; None since it was ready."""
        self._tasks = tasks
        self._opening = opening
        self._emit = emit
        self._open_log = open_log
        self._log = open_log(alias)
        self._places = places
        self._sides = sides
        self._followers = followers
        self._run: _Run | None = None
        self._changing = anyio.Lock()
        """Held while a connection is begun or ended: one at a time, in the order in which they were asked for."""
        self._relisting = anyio.Lock()
        self._list_changed = anyio.Event()
        self._awaited = 0
        """How many are waiting in `ready`."""
        self._generation = 0

    @property
    def live(self) -> LiveServer | None:
        """The connected server, None while there is none."""
        return self._run.live if self._run is not None and not self._run.ended.is_set() else None

    @property
    def is_idle(self) -> bool:
        """No connection is there or coming up; one that is lost counts no more."""
        return not self._awaited and (self._run is None or self._run.ended.is_set() or self._run.is_lost)

    @property
    def log(self) -> ServerLog:
        """What the server wrote to its stderr, and our remarks on it."""
        return self._log

    async def ready(self, defined: Defined, launch: Launch, identity: str) -> LiveServer:
        """The server, connected with this launch; a connection that another launch opened is closed first.

        Raises:
            ProblemError: Why it could not be connected.
        """
        self._awaited += 1  # at once: from here on a connection is coming up
        try:
            async with self._changing:
                run = await self._begin(defined, launch, identity)
            await run.settled.wait()
            await self._relist_stale(run, defined)
        finally:
            self._awaited -= 1
        if run.live is None:
            raise ProblemError(run.problem or _stopped(self.alias))
        run.live = replace(run.live, defined=defined)
        return run.live

    async def stop(self) -> None:
        """No connection and no process of this server is left."""
        async with self._changing:
            await self._end()

    async def _begin(self, defined: Defined, launch: Launch, identity: str) -> _Run:
        if self._run is not None and self._run.identity != identity:
            await self._end()
        elif self._run is not None and self._run.is_lost:
            with anyio.move_on_after(STOP_SECONDS):
                await self._run.ended.wait()
        if self._run is None or self._run.ended.is_set():
            self._advance("start")
            self._run = _Run(identity=identity)
            self._tasks.start_soon(self._serve, self._run, defined, launch)
        return self._run

    async def _end(self) -> None:
        run, self._run = self._run, None
        if may(self.status, "stop"):
            self._advance("stop")
        if run is not None and not run.ended.is_set():
            run.scope.cancel()
            # Shielded: a verb that is cancelled here would leave the server in `stopping` for good.
            with anyio.move_on_after(STOP_SECONDS, shield=True):
                await run.ended.wait()
        self.problem = None
        if may(self.status, "stopped"):
            self._advance("stopped")

    async def _relist_stale(self, run: _Run, defined: Defined) -> None:
        """The catalog is what the server gives now, where it said that a list changed; whoever comes meanwhile waits.

        Raises:
            ProblemError: The lists could not be read.
        """
        live = run.live
        if live is None or not (live.connection.must_relist or self._relisting.locked()):
            return
        async with self._relisting:
            if not live.connection.must_relist:
                return
            try:
                fresh = await self._listed(live.connection, defined)
            except anyio.get_cancelled_exc_class():
                live.connection.lists_stale = True  # or nobody would read the change that was announced
                raise
            self._adopt(run, fresh)

    async def _follow_lists(self, run: _Run, defined: Defined) -> None:
        """Reads the lists again when the server says that they changed: once for a burst, and not more than twice a
        second whatever it says."""
        while True:
            await self._list_changed.wait()
            await anyio.sleep(BURST_SECONDS)
            self._list_changed = anyio.Event()
            try:
                await self._relist_stale(run, defined)
            except ProblemError as error:
                # The last good list stays; whoever needs the server next is told.
                logger.info("the lists of %s could not be read again: %s", self.alias, error.problem.type)

    def _note_change(self, _kind: ListKind) -> None:
        self._list_changed.set()

    async def _serve(self, run: _Run, defined: Defined, launch: Launch) -> None:
        # A new one for each run: its tail must not hold the last words of an earlier process.
        log = self._log = self._open_log(self.alias)
        try:
            with run.scope:
                await self._connect(run, defined, launch, log)
        except ProblemError as error:
            run.problem = error.problem
        except Exception as error:  # boundary: a fault with one server must not end the task group of all servers
            # Without the exception's own words: whatever a library was handed may stand in them, secrets too.
            where = "".join(traceback.format_tb(error.__traceback__))
            logger.error(
                "the supervisor of %s met something unexpected: %s\n%s", self.alias, type(error).__name__, where
            )
            run.problem = _unexpected(self.alias, error)
        finally:
            log.close()
            run.live = None
            run.settled.set()
            run.ended.set()
            if run.problem is not None and self._run is run:
                self.problem = run.problem
                self._advance("refused" if run.problem.type == "authorization-required" else "gave_up")

    async def _connect(self, run: _Run, defined: Defined, launch: Launch, log: ServerLog) -> None:
        timeout_seconds = defined.definition.connect_timeout_seconds
        async with AsyncExitStack() as place:
            await place.enter_async_context(self._places)
            with anyio.CancelScope(deadline=anyio.current_time() + timeout_seconds) as connecting:
                side = self._sides.of(
                    self.alias,
                    log,
                    on_list_changed=self._note_change,
                    on_resource_updated=lambda uri: self._followers.resource(self.alias, uri),
                )
                async with self._opening(self.alias, launch, log, side) as connection:
                    catalog = await self._listed(connection, defined)
                    # A stop may have come together with the last answer; it must not be followed by `ready`.
                    await anyio.lowlevel.checkpoint_if_cancelled()
                    connecting.deadline = float("inf")
                    await place.aclose()
                    run.live = LiveServer(
                        alias=self.alias,
                        defined=defined,
                        identity=run.identity,
                        connection=connection,
                        catalog=catalog,
                    )
                    self._publish(catalog)
                    self._advance("connected")
                    run.settled.set()
                    async with anyio.create_task_group() as followers:
                        followers.start_soon(self._follow_lists, run, defined)
                        await connection.ended.wait()
                        followers.cancel_scope.cancel()
                    raise ProblemError(connection.end_problem() or _ended(self.alias))
        if connecting.cancelled_caught:
            raise ProblemError(_connect_timed_out(self.alias, timeout_seconds, _last_words(launch, log)))

    async def _listed(self, connection: Connection, defined: Defined) -> Catalog:
        from mcp_host.protocol.listing import list_everything  # imported by opening's worker thread

        return await list_everything(
            connection,
            generation=self._generation + 1,
            timeout_seconds=defined.definition.request_timeout_seconds,
        )

    def _adopt(self, run: _Run, catalog: Catalog) -> None:
        live = run.live
        if live is not None and catalog_fingerprint(catalog) != catalog_fingerprint(live.catalog):
            run.live = replace(live, catalog=catalog)
            self._publish(catalog)

    def _publish(self, catalog: Catalog) -> None:
        self._generation = catalog.generation
        self._followers.catalog(catalog)
        self._emit(
            "McpCatalogChanged",
            {
                "alias": self.alias,
                "generation": catalog.generation,
                "tools": [tool.name for tool in catalog.tools],
                "resources": [resource.uri for resource in catalog.resources],
                "prompts": [prompt.name for prompt in catalog.prompts],
            },
        )

    def _advance(self, event: Event) -> None:
        self.status = step(self.status, event)
        if event == "connected":
            self.problem = None
        data: dict[str, object] = {"alias": self.alias, "status": self.status}
        if self.problem is not None:
            data["problem"] = self.problem.title
        self._emit("McpServerStatus", data)


def _last_words(launch: Launch, log: ServerLog) -> str:
    if not isinstance(launch, StdioLaunch):
        return "Its address did not answer in time, or not in full."
    wrote = "\n".join(log.tail[-5:])
    return f"Its stderr ended with:\n{wrote}" if wrote else "It wrote nothing to stderr."


def _connect_timed_out(alias: str, seconds: float, detail: str) -> Problem:
    return Problem(
        type="server-unavailable",
        title=f"{alias} did not connect within {seconds:g} s",
        detail=detail,
        hint=f"Raise connect_timeout_seconds in its definition if it needs longer; :McpEnable {alias} tries again.",
        alias=alias,
        retryable=True,
    )


def _ended(alias: str) -> Problem:
    return Problem(
        type="server-unavailable",
        title=f"{alias} ended",
        detail="Its connection was closed.",
        hint=f"The next use connects again, or :McpEnable {alias} now.",
        alias=alias,
        retryable=True,
    )


def _stopped(alias: str) -> Problem:
    return Problem(
        type="cancelled",
        title=f"{alias} was stopped while it was connecting",
        detail="Somebody disabled it, its definition changed, or the editor is exiting.",
        hint=f":McpEnable {alias} connects it.",
        alias=alias,
        retryable=True,
    )


def _unexpected(alias: str, error: Exception) -> Problem:
    return Problem(
        type="internal",
        title=f"Something unexpected happened with {alias}",
        detail=f"{type(error).__name__} (the host's log says where)",
        hint="Please report this with the host's log; :checkhealth mcp_host names its path.",
        alias=alias,
    )
