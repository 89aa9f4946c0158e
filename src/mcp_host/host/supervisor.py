"""One server's life: one task opens its connection, keeps it, and closes it; everybody else asks for it here.

Connections are lazy: `ready` opens one when there is none. A lost connection stays lost until the next use. A
connection is entered and left inside one task, because the SDK's and anyio's scopes must be.
"""

from __future__ import annotations

import logging
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

import anyio
from anyio.abc import TaskGroup

from mcp_host.core.catalog.catalog import Catalog
from mcp_host.core.definitions.document import Defined
from mcp_host.core.lifecycle import Event, Status, may, step
from mcp_host.host.events import Emit
from mcp_host.host.opening import Launch, Opening
from mcp_host.problems import Problem, ProblemError
from mcp_host.protocol.transports.server_log import ServerLog

if TYPE_CHECKING:
    from mcp_host.protocol.connection import Connection

logger = logging.getLogger(__name__)

STOP_SECONDS: Final = 3.0
"""How long `stop` waits for the connection's task: the process ladder is bounded below this."""


@dataclass(kw_only=True)
class LiveServer:
    """A server that can be called right now."""

    alias: str
    defined: Defined
    identity: str
    """The connection identity it was opened with: a launch with another one needs a new connection."""
    connection: Connection = field(repr=False)
    catalog: Catalog = field(repr=False)


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
        self, alias: str, *, tasks: TaskGroup, opening: Opening, emit: Emit, open_log: Callable[[str], ServerLog]
    ) -> None:
        self.alias = alias
        self.status: Status = "off"
        self.problem: Problem | None = None
        """Why it failed or was lost last; None since it was ready."""
        self._tasks = tasks
        self._opening = opening
        self._emit = emit
        self._log = open_log(alias)
        self._run: _Run | None = None
        self._generation = 0

    @property
    def live(self) -> LiveServer | None:
        """The connected server, None while there is none."""
        return self._run.live if self._run is not None and not self._run.ended.is_set() else None

    @property
    def log(self) -> ServerLog:
        """What the server wrote to its stderr, and our remarks on it."""
        return self._log

    async def ready(self, defined: Defined, launch: Launch, identity: str) -> LiveServer:
        """The server, connected with this launch; a connection that another launch opened is closed first.

        Raises:
            ProblemError: Why it could not be connected.
        """
        if self._run is not None and self._run.identity != identity:
            await self.stop()
        if self._run is not None and self._run.is_lost:
            await self._run.ended.wait()
        if self._run is None or self._run.ended.is_set():
            self._run = _Run(identity=identity)
            self._advance("start")
            self._tasks.start_soon(self._serve, self._run, defined, launch)
        run = self._run
        await run.settled.wait()
        if run.live is None:
            raise ProblemError(run.problem or _stopped(self.alias))
        run.live.defined = defined
        if run.live.connection.lists_stale:
            await self.relist(run.live)
        return run.live

    async def stop(self) -> None:
        """No connection and no process of this server is left."""
        run, self._run = self._run, None
        if may(self.status, "stop"):
            self._advance("stop")
        if run is not None and not run.ended.is_set():
            run.scope.cancel()
            with anyio.move_on_after(STOP_SECONDS):
                await run.ended.wait()
        self.problem = None
        if may(self.status, "stopped"):
            self._advance("stopped")

    async def relist(self, live: LiveServer) -> Catalog:
        """The catalog as the server gives it now; a new generation where it differs from the one before.

        Raises:
            ProblemError: The lists could not be read.
        """
        from mcp_host.core.catalog.catalog import catalog_fingerprint
        from mcp_host.protocol.listing import list_everything  # imported by opening's worker thread

        fresh = await list_everything(
            live.connection,
            generation=self._generation + 1,
            timeout_seconds=live.defined.definition.request_timeout_seconds,
        )
        if catalog_fingerprint(fresh) != catalog_fingerprint(live.catalog):
            self._publish(live, fresh)
        return live.catalog

    async def _serve(self, run: _Run, defined: Defined, launch: Launch) -> None:
        try:
            with run.scope:
                await self._connect(run, defined, launch)
        except ProblemError as error:
            run.problem = error.problem
        except Exception as error:  # boundary: a fault with one server must not end the task group of all servers
            logger.exception("the supervisor of %s met something unexpected", self.alias)
            run.problem = _unexpected(self.alias, error)
        finally:
            run.live = None
            run.settled.set()
            run.ended.set()
            if run.problem is not None and self._run is run:
                self.problem = run.problem
                self._advance("refused" if run.problem.type == "authorization-required" else "gave_up")

    async def _connect(self, run: _Run, defined: Defined, launch: Launch) -> None:
        timeout_seconds = defined.definition.connect_timeout_seconds
        with anyio.CancelScope() as connecting:
            connecting.deadline = anyio.current_time() + timeout_seconds
            async with self._opening(self.alias, launch, self._log) as connection:
                await self._first_catalog(run, defined, connection)
                connecting.deadline = float("inf")
                self._advance("connected")
                run.settled.set()
                await connection.ended.wait()
                raise ProblemError(connection.end_problem() or _ended(self.alias))
        if connecting.cancelled_caught:
            raise ProblemError(_connect_timed_out(self.alias, timeout_seconds, self._log.tail))

    async def _first_catalog(self, run: _Run, defined: Defined, connection: Connection) -> None:
        from mcp_host.protocol.listing import list_everything  # imported by opening's worker thread

        self._generation += 1
        catalog = await list_everything(
            connection,
            generation=self._generation,
            timeout_seconds=defined.definition.request_timeout_seconds,
        )
        run.live = LiveServer(
            alias=self.alias, defined=defined, identity=run.identity, connection=connection, catalog=catalog
        )
        self._publish(run.live, catalog)

    def _publish(self, live: LiveServer, catalog: Catalog) -> None:
        self._generation = catalog.generation
        live.catalog = catalog
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


def _connect_timed_out(alias: str, seconds: float, tail: tuple[str, ...]) -> Problem:
    wrote = "\n".join(tail[-5:])
    return Problem(
        type="server-unavailable",
        title=f"{alias} did not connect within {seconds:g} s",
        detail=f"Its stderr ended with:\n{wrote}" if wrote else "It wrote nothing to stderr.",
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
