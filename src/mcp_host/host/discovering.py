"""The verbs that find servers which could be added: discover, and candidates, which shows what was found again.

Nothing is installed, stored or enabled by it. What was found is kept in memory, without any secret.
"""

from __future__ import annotations

import secrets
import shlex
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Final, cast

import anyio.to_thread
from typing_extensions import assert_never

from mcp_host.core.definitions.toml_text import Unwritable, server_toml
from mcp_host.core.importing.candidates import Candidate
from mcp_host.core.importing.clients import known_files
from mcp_host.core.importing.command_line import Typed, typed_command_line, typed_url
from mcp_host.core.rendering.text import clipped
from mcp_host.host.answers import Answer
from mcp_host.host.fleet import Fleet
from mcp_host.host.opening import Opening
from mcp_host.host.params import DiscoverParams, DiscoveryParams
from mcp_host.host.probing import PROBE_SECONDS, Probed, Probing
from mcp_host.host.probing_files import Offers, read_files
from mcp_host.host.probing_targets import CommandTarget, FileTarget, UrlTarget, read_target
from mcp_host.problems import EXIT_CODES, ExitCode, Problem, ProblemError
from mcp_host.protocol.transports.server_log import ServerLog
from mcp_host.views.candidates import CandidateFacts, candidates_document, candidates_view

DISCOVERIES_KEPT: Final = 20
"""A person adds from the last one or two; the buffers of older ones say that they are gone."""

_SOURCE_LIMIT: Final = 200
"""Characters of what was typed, in the first line of the buffer."""

_FILES_OF_OTHERS: Final = "the files of other clients"


@dataclass(frozen=True, kw_only=True)
class _Found:
    """One candidate, and what a probe found."""

    candidate: Candidate
    toml: str
    probed: Probed = field(default_factory=Probed)


@dataclass(frozen=True, kw_only=True)
class _Discovery:
    """What one discovery found, in the order in which it is numbered."""

    id: str
    source: str
    found: tuple[_Found, ...]
    problems: tuple[Problem, ...] = ()


@dataclass(kw_only=True)
class Discovering:
    """Finds candidates, and remembers the last ones."""

    fleet: Fleet
    opening: Opening
    open_log: Callable[[str, Callable[[str], str]], ServerLog]
    timeout_seconds: float = PROBE_SECONDS
    """For one probe; tests are in more of a hurry."""
    _probing: Probing = field(init=False, repr=False)
    _kept: dict[str, _Discovery] = field(default_factory=dict[str, _Discovery], init=False, repr=False)

    def __post_init__(self) -> None:
        self._probing = Probing(
            opening=self.opening,
            open_log=self.open_log,
            environment=self.fleet.settings.environment,
            ask=self.fleet.launches.ask,
            timeout_seconds=self.timeout_seconds,
        )

    async def discover(self, params: DiscoverParams) -> Answer:
        """Candidates from a URL or a command line, which is tried out; from a client's file; or from all such files.

        What hinders it is in the answer, beside what was found nevertheless.

        Raises:
            ProblemError: `usage`, where it cannot be told what the target is.
        """
        text = (params.target or "").strip()
        if not text:
            return self._answer(await self._from_known_files())
        folder = self.fleet.definitions.project.folder
        target = read_target(text, folder=folder, home=self._home)
        match target:
            case FileTarget(path=path):
                offers, found = await self._read([str(path)])
                return self._answer(self._keep(str(path), found, offers.problems))
            case UrlTarget(url=url):
                typed = typed_url(url)
            case CommandTarget(words=words):
                typed = typed_command_line(words, folder=str(folder))
            case _:
                assert_never(target)
        return self._answer(await self._from_typed(typed, folder))

    async def candidates(self, params: DiscoveryParams) -> Answer:
        """What an earlier discovery found, again; probes and reads nothing.

        Raises:
            ProblemError: `candidate-unknown`, where it is not remembered.
        """
        discovery = self._kept.get(params.discovery)
        if discovery is None:
            raise ProblemError(_forgotten(params.discovery))
        return self._answer(discovery)

    def candidate(self, candidate_id: str) -> Candidate:
        """One candidate of a discovery that is remembered.

        Raises:
            ProblemError: `candidate-unknown`.
        """
        discovery = self._kept.get(candidate_id.partition(".")[0])
        if discovery is not None:
            for number, one in enumerate(discovery.found, start=1):
                if candidate_id == f"{discovery.id}.{number}":
                    return one.candidate
        raise ProblemError(_forgotten(candidate_id))

    @property
    def _home(self) -> Path:
        home = self.fleet.settings.environment.get("HOME")
        return Path(home) if home else Path.home()

    async def _from_known_files(self) -> _Discovery:
        paths = known_files(str(self.fleet.workspace), str(self._home), mac=sys.platform == "darwin")
        offers, found = await self._read(paths)
        problems = offers.problems if offers.files else (_none_there(paths),)
        return self._keep(_FILES_OF_OTHERS, found, problems)

    async def _from_typed(self, typed: Typed, folder: Path) -> _Discovery:
        candidate = typed.candidate
        probed = Probed() if candidate.faults else await self._probing.probe(typed, folder=folder)
        return self._keep(_spoken(candidate), (replace(_found(candidate), probed=probed),))

    async def _read(self, paths: Sequence[str]) -> tuple[Offers, tuple[_Found, ...]]:
        folder, home = str(self.fleet.workspace), str(self._home)

        def read() -> tuple[Offers, tuple[_Found, ...]]:
            offers = read_files(paths, folder=folder, home=home)
            return offers, tuple(_found(candidate) for candidate in offers.candidates)

        # It changes nothing, so whoever leaves meanwhile need not wait for a slow disk.
        return await anyio.to_thread.run_sync(read, abandon_on_cancel=True)

    def _keep(self, source: str, found: tuple[_Found, ...], problems: tuple[Problem, ...] = ()) -> _Discovery:
        # Never the number of an earlier one: a buffer that outlives its host must not add what it does not show.
        discovery = _Discovery(id=f"d{secrets.token_hex(4)}", source=source, found=found, problems=problems)
        self._kept[discovery.id] = discovery
        for forgotten in list(self._kept)[:-DISCOVERIES_KEPT]:
            del self._kept[forgotten]
        return discovery

    def _answer(self, discovery: _Discovery) -> Answer:
        effective = self.fleet.definitions.current()
        own = self.fleet.definitions.user.current().tables
        facts = [
            CandidateFacts(
                id=f"{discovery.id}.{number}",
                candidate=one.candidate,
                toml=one.toml,
                is_defined=one.candidate.alias in effective.mentions,
                is_added=own.get(one.candidate.alias) == one.candidate.table,
                identity=one.probed.identity,
                tools=one.probed.tools,
                problem=one.probed.problem,
            )
            for number, one in enumerate(discovery.found, start=1)
        ]
        shown = (discovery.id, discovery.source, facts, discovery.problems)
        return Answer(
            kind="candidates",
            document=candidates_document(*shown),
            view=lambda: candidates_view(*shown),
            exit=_exit_code(facts, discovery.problems),
        )


def _found(candidate: Candidate) -> _Found:
    toml = ""
    if candidate.table:
        try:
            toml = server_toml(candidate.alias, candidate.table)
        except Unwritable as error:
            candidate = replace(candidate, faults=(*candidate.faults, f"{candidate.origin}: {error}."))
    return _Found(candidate=candidate, toml=toml)


def _spoken(candidate: Candidate) -> str:
    """What was typed, with references in place of secrets; only what to call it where it is no server."""
    table = candidate.table
    if candidate.faults:
        return candidate.client
    words = str(table["url"]) if "url" in table else shlex.join([str(table["command"]), *_args_of(table)])
    return clipped(words, _SOURCE_LIMIT)


def _args_of(table: Mapping[str, object]) -> list[str]:
    return cast("list[str]", table.get("args", []))


def _exit_code(facts: Sequence[CandidateFacts], problems: Sequence[Problem]) -> ExitCode:
    """0 where anything could be added and answered, else what stood in its way first."""
    if any(not one.candidate.faults and one.problem is None for one in facts):
        return 0
    hindered = [*problems, *(one.problem for one in facts if one.problem is not None)]
    if hindered:
        return hindered[0].exit_code
    return EXIT_CODES["definition-invalid"] if facts else 0


def _none_there(paths: Sequence[str]) -> Problem:
    return Problem(
        type="candidate-unknown",
        title="No file of another client was found",
        detail="\n".join(["Looked for:", *dict.fromkeys(paths)]),
        hint="Give a file by its path, a URL or a command line: :McpDiscover {target}.",
    )


def _forgotten(what: str) -> Problem:
    return Problem(
        type="candidate-unknown",
        title=f"There is no {clipped(what, 40)} among what was discovered",
        detail=f"The last {DISCOVERIES_KEPT} discoveries are remembered, as long as the host runs.",
        hint=":McpDiscover finds it again.",
    )
