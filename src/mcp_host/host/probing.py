"""Tries a server out: connects it once, reads what it offers, and lets go of it. Nothing of it is left afterwards.

What the server is told in confidence for this one time is forgotten with it; nothing that it says shows any of it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Final

import anyio

from mcp_host.core.catalog.catalog import Catalog, ServerIdentity
from mcp_host.core.catalog.summaries import one_liner
from mcp_host.core.definitions.launch import StdioLaunch, definition_references, prepare_launch
from mcp_host.core.definitions.parsing import parse_definition
from mcp_host.core.definitions.references import MissingReference, resolve_text
from mcp_host.core.importing.command_line import Typed
from mcp_host.core.rendering.text import clipped
from mcp_host.host.launches import Ask, Fed
from mcp_host.host.opening import Launch, Opening
from mcp_host.host.redactions import Redactions
from mcp_host.problems import Problem, ProblemError
from mcp_host.protocol.client_side import ClientSide
from mcp_host.protocol.transports.server_log import ServerLog

PROBE_SECONDS: Final = 30.0
"""What a definition gives a server by default. One that has to be downloaded first may take longer, and is told so."""

PROBES_AT_ONCE: Final = 4
"""Each costs a process start, and two cores serve the connected servers meanwhile."""

PROBE_LOG: Final = "_discover"
"""The log that all probes share. No alias begins with an underscore."""


@dataclass(frozen=True, kw_only=True)
class Probed:
    """What came of a probe."""

    identity: str = ""
    """`time-server 1.2, modern 2026-07-28`; empty where it failed."""
    tools: tuple[tuple[str, str], ...] = ()
    """Name and summary."""
    problem: Problem | None = None


@dataclass(kw_only=True)
class Probing:
    """Probes what a person typed."""

    opening: Opening
    open_log: Callable[[str, Callable[[str], str]], ServerLog]
    environment: Mapping[str, str] = field(repr=False)
    ask: Ask
    timeout_seconds: float = PROBE_SECONDS
    _places: anyio.Semaphore = field(default_factory=lambda: anyio.Semaphore(PROBES_AT_ONCE), init=False, repr=False)

    async def probe(self, typed: Typed, *, folder: Path) -> Probed:
        """What the server answered, or why it did not. It is disconnected and its processes are gone."""
        candidate = typed.candidate
        async with self._places:
            try:
                launch = await self._launch(typed, folder)
            except ProblemError as error:
                return Probed(problem=error.problem)
            return await self._tried(candidate.alias, launch)

    async def _launch(self, typed: Typed, folder: Path) -> Launch:
        """The candidate's launch, with what was typed in place of its references."""
        candidate = typed.candidate
        definition = parse_definition(candidate.table)
        fed: dict[str, str] = {}
        for name, text in typed.values.items():
            try:
                fed[name] = resolve_text(text, self.environment.get)
            except MissingReference:
                continue  # then the variable is missing, and the problem says so
        # What was typed counts, whatever the environment has under a name that was made for it.
        environment = {name: value for name, value in self.environment.items() if name not in fed}
        names = dict.fromkeys(one.name for one in definition_references(definition))
        lacking = tuple(name for name in names if name not in fed and not environment.get(name))
        given = await self.ask(candidate.alias, lacking) if lacking else Fed()
        fed |= {name: value for name, value in given.values.items() if name in lacking and value}
        launch = prepare_launch(candidate.alias, definition, environment, file=candidate.origin, line=None, fed=fed)
        if isinstance(launch, StdioLaunch) and launch.cwd is None:
            return replace(launch, cwd=str(folder))
        return launch

    async def _tried(self, alias: str, launch: Launch) -> Probed:
        redactions = Redactions()  # of its own, so that the secrets go with it
        redactions.learn(alias, launch.secrets)
        log = self.open_log(PROBE_LOG, lambda text: redactions.text(alias, text))
        log.note(f"{alias} is tried out by :McpDiscover.")
        catalog: Catalog | None = None
        problem: Problem | None = None
        try:
            with anyio.move_on_after(self.timeout_seconds):
                async with self.opening(alias, launch, log, ClientSide()) as connection:
                    from mcp_host.protocol.listing import list_everything  # imported by opening's worker thread

                    catalog = await list_everything(connection, generation=1, timeout_seconds=self.timeout_seconds)
        except ProblemError as error:
            problem = error.problem
        finally:
            log.close()
        if catalog is not None:  # whatever went wrong while it was released
            return _found(redactions.catalog(catalog))
        if problem is None:
            problem = _timed_out(alias, self.timeout_seconds, launch, log)
        return Probed(problem=redactions.problem(_suited(problem, launch)))


def _found(catalog: Catalog) -> Probed:
    return Probed(
        identity=_identity(catalog.identity), tools=tuple((tool.name, one_liner(tool)) for tool in catalog.tools)
    )


def _identity(identity: ServerIdentity) -> str:
    name = " ".join(word for word in (identity.name, identity.version) if word)
    return f"{clipped(name, 200) or '(no name)'}, {identity.era} {identity.revision}"


def _suited(problem: Problem, launch: Launch) -> Problem:
    """The problem with a next step that there is for a server which nobody has defined."""
    if ":McpEnable" not in problem.hint and problem.type != "request-timed-out":
        return problem
    check = (
        f"Run it in a shell to see why (its log is mcp_host/servers/{PROBE_LOG}.log in stdpath('log'))"
        if isinstance(launch, StdioLaunch)
        else "See that it runs at this address"
    )
    return problem.model_copy(update={"hint": f"{check}; :McpDiscover tries again."})


def _timed_out(alias: str, seconds: float, launch: Launch, log: ServerLog) -> Problem:
    detail, hint = "Its address did not answer in time, or not in full.", "See that it runs at this address"
    if isinstance(launch, StdioLaunch):
        wrote = "\n".join(log.tail[-5:])
        detail = f"Its stderr ended with:\n{wrote}" if wrote else "It wrote nothing to stderr."
        hint = "Where it has to be downloaded first, run it once in a shell"
    return Problem(
        type="server-unavailable",
        title=f"{alias} did not answer within {seconds:g} s",
        detail=detail,
        hint=f"{hint}; :McpDiscover tries again.",
        alias=alias,
        retryable=True,
    )
