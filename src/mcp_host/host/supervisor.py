"""One server's life: one task opens its connection, keeps it, gets it back and closes it; everybody else asks here.

Connections are lazy: `ready` opens the first one. From then on a connection that is lost is got back by itself, as
`core/backoff.py` says when; what the server offered last stays published meanwhile, until the budget is spent. A
connection is entered and left inside one task, because the SDK's and anyio's scopes must be.
"""

from __future__ import annotations

import logging
import traceback
from collections.abc import Awaitable, Callable
from contextlib import AsyncExitStack
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Final

import anyio
from anyio.abc import TaskGroup

from mcp_host.core.backoff import Backoff, Retry
from mcp_host.core.catalog.catalog import Catalog
from mcp_host.core.definitions.document import Defined
from mcp_host.core.definitions.launch import HttpLaunch
from mcp_host.core.lifecycle import Event, Status, may, step
from mcp_host.host.catalog_keeper import CatalogKeeper
from mcp_host.host.client_sides import ClientSides
from mcp_host.host.events import Emit
from mcp_host.host.launches import Prepared
from mcp_host.host.live_server import Followers, LiveServer
from mcp_host.host.opening import Opening
from mcp_host.host.pace import Pace
from mcp_host.host.supervision_problems import connect_timed_out, connection_ended, stopped, tried_later, unexpected
from mcp_host.problems import Problem, ProblemError
from mcp_host.protocol.transports.server_log import ServerLog

if TYPE_CHECKING:
    from mcp_host.protocol.connection import Connection

logger = logging.getLogger(__name__)

STOP_SECONDS: Final = 3.0
"""How long `stop` waits for the connection's task: the process ladder is bounded below this."""

SOON_SECONDS: Final = 1.0
"""Whoever needs the server waits for an attempt that is this near; for a later one they are told when it is."""


@dataclass(kw_only=True)
class _Attempt:
    """One connection, from before it is begun until it is over."""

    settled: anyio.Event = field(default_factory=anyio.Event)
    """Set when it is ready or will not be."""
    over: anyio.Event = field(default_factory=anyio.Event)
    """Set when what follows is decided; its process may still be being ended."""
    live: LiveServer | None = None
    problem: Problem | None = None

    @property
    def is_lost(self) -> bool:
        """Its connection has ended, and its task is about to notice."""
        return self.live is not None and self.live.connection.ended.is_set()


@dataclass(kw_only=True)
class _Run:
    """What one task does: attempt after attempt, until it is stopped or there is nothing to get back."""

    identity: str
    attempt: _Attempt = field(default_factory=_Attempt)
    """The one under way, or the one to come."""
    retry: Retry | None = None
    """When the one to come is made; None while one is under way."""
    scope: anyio.CancelScope = field(default_factory=anyio.CancelScope)
    woken: anyio.Event = field(default_factory=anyio.Event)
    """Set when somebody does not want to wait for the next attempt."""
    ended: anyio.Event = field(default_factory=anyio.Event)
    was_ready: bool = False
    is_over: bool = False
    """There is no attempt to come; only a process may still be being ended."""


class Supervisor:
    """Owns the connection of one alias."""

    def __init__(
        self,
        alias: str,
        *,
        tasks: TaskGroup,
        opening: Opening,
        prepare: Callable[[], Awaitable[Prepared]],
        emit: Emit,
        open_log: Callable[[str], ServerLog],
        places: anyio.Semaphore,
        sides: ClientSides,
        followers: Followers,
        pace: Pace,
    ) -> None:
        """`prepare` gives the launch as it would be now; `places` bounds how many supervisors connect at once."""
        self.alias = alias
        self.status: Status = "off"
        self.problem: Problem | None = None
        """Why it failed or was lost last; None since it was ready."""
        self.keeper = CatalogKeeper(alias=alias, emit=emit, followers=followers)
        self._tasks = tasks
        self._opening = opening
        self._prepare = prepare
        self._emit = emit
        self._open_log = open_log
        self._log = open_log(alias)
        self._places = places
        self._sides = sides
        self._followers = followers
        self._pace = pace
        self._run: _Run | None = None
        self._backoff = Backoff()
        self._watched: tuple[str, ...] = ()
        """The resources whose changes were of interest on the last connection."""
        self._changing = anyio.Lock()
        """Held while a connection is begun or ended: one at a time, in the order in which they were asked for."""
        self._awaited = 0
        """How many are waiting in `ready`."""

    @property
    def live(self) -> LiveServer | None:
        """The connected server, None while there is none."""
        live = self._run.attempt.live if self._run is not None else None
        return live if live is not None and not live.connection.ended.is_set() else None

    @property
    def retry(self) -> tuple[Retry, float] | None:
        """The attempt that will be made by itself, and in how many seconds; None where none will."""
        retry = self._run.retry if self._run is not None else None
        return (retry, max(0.0, retry.at - self._pace.now())) if retry is not None else None

    @property
    def is_idle(self) -> bool:
        """No connection is there or coming up; one that is lost counts no more."""
        if self._awaited:
            return False
        run = self._run
        return run is None or run.is_over or run.retry is not None or run.attempt.is_lost

    @property
    def log(self) -> ServerLog:
        """What the server wrote to its stderr, and our remarks on it."""
        return self._log

    def hindrance(self) -> Problem | None:
        """Why it is too early for a use: the server was lost or ended, and is tried again later. None where a use
        connects it, or waits for an attempt that is near."""
        run, now = self._run, self._pace.now()
        if run is None or run.is_over:
            at = self._backoff.start_at(now)
        elif run.retry is None or (run.retry.is_slow and self._backoff.may_start(now)):
            return None
        else:
            at = run.retry.at
        return tried_later(self.alias, at - now, self.problem) if at - now > SOON_SECONDS else None

    async def ready(self, prepared: Prepared, *, asked_for: bool = False) -> LiveServer:
        """The server, connected with this launch; a connection that another launch opened is closed first.

        Args:
            prepared: The definition and its launch as they are now.
            asked_for: Somebody asked for the connection itself, who is never told that it is too early.

        Raises:
            ProblemError: Why it could not be connected.
        """
        self._awaited += 1  # at once: from here on a connection is coming up
        try:
            async with self._changing:
                run = await self._begin(prepared, asked_for=asked_for)
                attempt = run.attempt
            await attempt.settled.wait()
            await self.keeper.renew(attempt, prepared.defined)
        finally:
            self._awaited -= 1
        if attempt.live is None:
            raise ProblemError(attempt.problem or stopped(self.alias))
        attempt.live = replace(attempt.live, defined=prepared.defined)
        return attempt.live

    async def stop(self) -> None:
        """No connection and no process of this server is left, and none is got back."""
        async with self._changing:
            await self._end()

    async def _begin(self, prepared: Prepared, *, asked_for: bool) -> _Run:
        if self._run is not None and self._run.identity != prepared.identity:
            await self._end()
            self._backoff = Backoff()
        elif self._run is not None and self._run.attempt.is_lost:
            await self._run.attempt.over.wait()  # that is at once, long before its process is gone
        hindrance = None if asked_for else self.hindrance()
        if hindrance is not None:
            raise ProblemError(hindrance)
        if self._run is not None and self._run.is_over:
            with anyio.move_on_after(STOP_SECONDS):
                await self._run.ended.wait()
            self._run = None
        if self._run is None:
            self._advance("start")
            self._run = _Run(identity=prepared.identity)
            self._tasks.start_soon(self._supervise, self._run, prepared)
        elif self._run.retry is not None and (asked_for or self._run.retry.is_slow):
            self._run.woken.set()
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
        self.problem = self.keeper.published = None
        if may(self.status, "stopped"):
            self._advance("stopped")

    async def _supervise(self, run: _Run, prepared: Prepared) -> None:
        try:
            with run.scope:
                await self._try(run, prepared)
                while run.retry is not None:
                    again = await self._await_retry(run, run.retry, prepared)
                    if again is not None:
                        prepared = again
                        await self._try(run, prepared)
        except Exception as error:  # boundary: our own fault with one server must not end the others
            self._log_fault(error)
        finally:
            run.is_over = True
            run.attempt.live = None
            for event in (run.attempt.settled, run.attempt.over, run.ended):
                event.set()

    async def _try(self, run: _Run, prepared: Prepared) -> None:
        """One connection, from its beginning to its end. What follows is decided once it is lost, before it is gone."""
        attempt, problem = run.attempt, None
        # A new log each time: its tail must not hold the last words of an earlier process.
        log = self._log = self._open_log(self.alias)
        self._backoff = self._backoff.started(self._pace.now())
        try:
            await self._connect(run, prepared, log)
        except ProblemError as error:
            problem = error.problem
        except Exception as error:  # boundary: a fault with one server must not end the task group of all servers
            where = "".join(traceback.format_tb(error.__traceback__))
            logger.error(
                "the supervisor of %s met something unexpected: %s\n%s", self.alias, type(error).__name__, where
            )
            problem = unexpected(self.alias, error)
        finally:
            log.close()
        if not attempt.over.is_set():
            self._note_end(run, prepared, problem or connection_ended(self.alias), log)

    async def _connect(self, run: _Run, prepared: Prepared, log: ServerLog) -> None:
        timeout_seconds = prepared.defined.definition.connect_timeout_seconds
        async with AsyncExitStack() as place:
            await place.enter_async_context(self._places)
            with anyio.CancelScope(deadline=anyio.current_time() + timeout_seconds) as connecting:
                side = self._sides.of(
                    self.alias,
                    log,
                    on_list_changed=self.keeper.note_change,
                    on_resource_updated=lambda uri: self._followers.resource(self.alias, uri),
                )
                async with self._opening(self.alias, prepared.launch, log, side) as connection:
                    catalog = await self.keeper.read(connection, prepared.defined)
                    # A stop may have come together with the last answer; it must not be followed by `ready`.
                    await anyio.lowlevel.checkpoint_if_cancelled()
                    connecting.deadline = float("inf")
                    await place.aclose()
                    self._begin_live(run, prepared, connection, catalog)
                    async with anyio.create_task_group() as followers:
                        followers.start_soon(self.keeper.follow, run.attempt, prepared.defined)
                        followers.start_soon(self._become_stable, prepared.defined)
                        await connection.ended.wait()
                        followers.cancel_scope.cancel()
                    self._note_end(run, prepared, connection.end_problem() or connection_ended(self.alias), log)
        if connecting.cancelled_caught:
            raise ProblemError(connect_timed_out(self.alias, timeout_seconds, prepared.launch, log))

    def _begin_live(self, run: _Run, prepared: Prepared, connection: Connection, catalog: Catalog) -> None:
        run.was_ready = True
        run.attempt.live = LiveServer(
            alias=self.alias,
            defined=prepared.defined,
            identity=run.identity,
            connection=connection,
            catalog=self.keeper.put(catalog),
        )
        if connection.listening is not None:
            for uri in self._watched:
                connection.listening.watch_resource(uri)
                self._followers.resource(self.alias, uri)  # it may have changed while nobody listened
        self._advance("connected")
        run.attempt.settled.set()

    def _note_end(self, run: _Run, prepared: Prepared, problem: Problem, log: ServerLog) -> None:
        """An attempt failed, or its connection was lost: whoever waits is told, and what follows is decided."""
        attempt, reconnect = run.attempt, prepared.defined.definition.reconnect
        if attempt.live is not None and attempt.live.connection.listening is not None:
            self._watched = attempt.live.connection.listening.watched_resources
        is_refused = problem.type == "authorization-required"
        if run.was_ready and reconnect.enabled and not is_refused:
            at_once = (
                isinstance(prepared.launch, HttpLaunch) and attempt.live is not None and not self._backoff.attempts
            )
            retry = self._backoff.following(reconnect, self._pace.now(), self._pace.chance())
            # An address that answered a moment ago has mostly forgotten the session and nothing else.
            run.retry = replace(retry, at=self._pace.now()) if at_once else retry
        self.problem = attempt.problem = problem
        attempt.live = None
        run.is_over = run.retry is None
        run.woken = anyio.Event()
        if not run.is_over:
            run.attempt = _Attempt()
        waits = run.retry is not None and not run.retry.is_slow
        if not waits:
            self.keeper.withdraw()
        self._tell_log(log, run.retry, reconnect.max_attempts)
        self._advance("refused" if is_refused else "lost" if waits else "gave_up")
        attempt.settled.set()
        attempt.over.set()

    async def _await_retry(self, run: _Run, retry: Retry, prepared: Prepared) -> Prepared | None:
        """The launch of the next attempt, when it is time for it; None where there is none, and another one follows."""
        await self._pace.pause_unless(run.woken, retry.at - self._pace.now())
        self._backoff = self._backoff.tried()
        self._advance("retry")
        try:
            again = await self._prepare()
        except ProblemError as error:
            self._note_end(run, prepared, error.problem, self._log)
            return None
        run.identity, run.retry = again.identity, None
        return again

    async def _become_stable(self, defined: Defined) -> None:
        """A connection that outlives the longest delay is no crash loop: what went before is forgotten."""
        await self._pace.pause(defined.definition.reconnect.max_delay_seconds)
        self._backoff = Backoff()

    def _log_fault(self, error: Exception) -> None:
        name, where = type(error).__name__, "".join(traceback.format_tb(error.__traceback__))
        logger.error("the supervisor of %s met something unexpected: %s\n%s", self.alias, name, where)

    def _tell_log(self, log: ServerLog, retry: Retry | None, max_attempts: int) -> None:
        if retry is None:
            return
        seconds = max(0.0, retry.at - self._pace.now())
        words = f"attempt {retry.attempt} of {max_attempts} to get it back in {seconds:.1f} s"
        if retry.is_slow:
            words = f"given up after {max_attempts} attempts; tried again in {seconds:.0f} s, and at the next use"
        log.note(words)
        logger.info("%s: %s", self.alias, words)

    def _advance(self, event: Event) -> None:
        self.status = step(self.status, event)
        if event == "connected":
            self.problem = None
        data: dict[str, object] = {"alias": self.alias, "status": self.status}
        if self.problem is not None:
            data["problem"] = self.problem.title
        if self.retry is not None and event != "retry":
            retry, seconds = self.retry
            data |= {"attempt": retry.attempt, "retryInSeconds": round(seconds, 3)}
        self._emit("McpServerStatus", data)
