"""The host: everything one editor's verbs need, opened and closed together."""

from __future__ import annotations

import logging
import secrets
import time
import traceback
from collections.abc import AsyncGenerator, Awaitable, Callable, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import datetime, timezone
from pathlib import Path
from typing import Any, Final

import anyio

from mcp_host.core.catalog.catalog import Catalog
from mcp_host.host.answers import Answer
from mcp_host.host.asking import Asking
from mcp_host.host.calling import Calling
from mcp_host.host.calls import Calls
from mcp_host.host.capability_facts import Capabilities
from mcp_host.host.client_sides import ClientSides, roots_of
from mcp_host.host.completing import Completing
from mcp_host.host.defining import Defining
from mcp_host.host.definition_layers import layers_over
from mcp_host.host.definition_writing import DefinitionWriter
from mcp_host.host.discovering import Discovering
from mcp_host.host.doctoring import Doctoring
from mcp_host.host.enabled_state import EnabledState
from mcp_host.host.events import Emit, EventName
from mcp_host.host.fleet import Fleet
from mcp_host.host.given_files import Given
from mcp_host.host.interactions import Interactions
from mcp_host.host.launches import Ask, Launches, ask_nobody
from mcp_host.host.ledger import Ledger
from mcp_host.host.live_server import Followers
from mcp_host.host.opening import Opening, opening, warm
from mcp_host.host.pace import Pace
from mcp_host.host.params import (
    AcceptParams,
    AddParams,
    AliasParams,
    AnswerParams,
    CallParams,
    CapabilitiesParams,
    CompleteParams,
    DiscoverParams,
    DiscoveryParams,
    DoctorParams,
    ExecParams,
    InteractionParams,
    NoParams,
    Params,
    PreviewParams,
    PromptParams,
    ReadParams,
    ReceiptParams,
    RemoveParams,
    TemplateParams,
    ToolParams,
    ToolsParams,
    TrustParams,
    WorkspaceParams,
    read_params,
)
from mcp_host.host.read_cache import ReadCache
from mcp_host.host.reading import Reading
from mcp_host.host.redactions import Redactions
from mcp_host.host.result_files import ResultFiles
from mcp_host.host.serving import Serving
from mcp_host.host.settings import Settings, StartMessage, settings_from
from mcp_host.host.showing import Showing
from mcp_host.host.trust_records import TrustRecords
from mcp_host.host.trusting import Trusting
from mcp_host.host.workspace import Workspace
from mcp_host.problems import Problem, ProblemError
from mcp_host.protocol.transports.server_log import ServerLog

logger = logging.getLogger(__name__)

RECEIPT_BYTES: Final = 9
"""72 random bits in 12 characters: nobody guesses it, and a person can still copy it from one screen to another."""


@dataclass(frozen=True, kw_only=True)
class _Verb:
    params: type[Params]
    run: Callable[[Any], Awaitable[Answer]]


class Host:
    """Answers verbs. Made by `open_host` alone."""

    def __init__(self, *, verbs: Mapping[str, _Verb], redactions: Redactions) -> None:
        self._verbs = verbs
        self._redactions = redactions

    async def answer(self, verb: str, values: Mapping[str, Any]) -> Answer:
        """The answer to one verb, in the task of whoever asked.

        Raises:
            ProblemError: Everything that can go wrong, a fault of our own included.
        """
        found = self._verbs.get(verb)
        if found is None:
            raise ProblemError(_unknown_verb(verb, tuple(self._verbs)))
        params = read_params(found.params, verb, dict(values))
        try:
            return await found.run(params)
        except ProblemError as error:
            raise ProblemError(self._redactions.problem(error.problem)) from error
        except Exception as error:  # boundary: an editor that asked must get an answer, whatever is wrong here
            # Without the exception's own words: whatever a library was handed may stand in them, secrets too.
            where = "".join(traceback.format_tb(error.__traceback__))
            logger.error("the verb %s met something unexpected: %s\n%s", verb, type(error).__name__, where)
            raise ProblemError(_internal(verb, error)) from error


@asynccontextmanager
async def open_host(
    values: Mapping[str, Any],
    *,
    emit: Emit,
    ask: Ask = ask_nobody,
    opening: Opening = opening,
    environment: Mapping[str, str] | None = None,
    pace: Pace | None = None,
) -> AsyncGenerator[Host]:
    """A host that owns its servers until the context is left; none of their processes outlives it.

    Args:
        values: The editor's start message.
        ask: How a person's resolver is asked for names that the environment lacks.
        opening: How connections come up; tests hand in servers that live in memory.
        environment: In place of this process's own.
        pace: In place of the clock and of chance, where servers that were lost are tried again.

    Raises:
        ProblemError: The start message is not one.
    """
    message = read_params(_Start, "start", dict(values))
    assert isinstance(message, _Start)
    settings = settings_from(message, environment)
    redactions = Redactions()

    def tell(event: EventName, data: Mapping[str, object]) -> None:
        emit(event, redactions.event(data))

    async with anyio.create_task_group() as tasks:
        definitions = layers_over(
            settings.environment,
            settings.config_file,
            folder=settings.cwd,
            records=TrustRecords(folder=settings.state_dir / "trust"),
        )
        calls = Calls(emit=tell, clock=time.monotonic)
        interactions = Interactions(
            emit=tell,
            attended=not settings.headless,
            roots=lambda: roots_of(settings, fleet.workspace),
            find_call=calls.find_running,
            questions_seen=settings.questions_seen,
        )
        ledger = Ledger(emit=tell, now=_now, new_id=lambda: secrets.token_urlsafe(RECEIPT_BYTES))
        cache = ReadCache(clock=time.monotonic)

        def follow_catalog(catalog: Catalog) -> None:
            ledger.follow(catalog)
            cache.forget_server(catalog.alias)

        fleet = Fleet(
            settings=settings,
            definitions=definitions,
            enabled=EnabledState(folder=settings.state_dir / "workspaces", locks=_locks(settings)),
            launches=Launches(settings=settings, redactions=redactions, folder=definitions.folder_of, ask=ask),
            tasks=tasks,
            opening=opening,
            emit=tell,
            open_log=lambda alias, redact: _server_log(settings, alias, redact),
            sides=ClientSides(settings=settings, interactions=interactions, emit=tell, clock=time.monotonic),
            followers=Followers(catalog=follow_catalog, resource=cache.forget),
            redactions=redactions,
            pace=pace or Pace(),
        )
        files = ResultFiles(folder=settings.state_dir / "results")
        tasks.start_soon(warm)
        tasks.start_soon(anyio.to_thread.run_sync, files.forget_old)
        tasks.start_soon(fleet.watch)
        desk = _Desk(fleet=fleet, calls=calls, interactions=interactions, ledger=ledger, cache=cache, files=files)
        try:
            verbs = {**_verbs_of_calls(desk), **_verbs_of_definitions(fleet, calls, opening)}
            yield Host(verbs=verbs, redactions=redactions)
        finally:
            with anyio.CancelScope(shield=True):
                await fleet.stop()
            tasks.cancel_scope.cancel()


@dataclass(frozen=True, kw_only=True)
class _Desk:
    """What the verbs about calls share."""

    fleet: Fleet
    calls: Calls
    interactions: Interactions
    ledger: Ledger
    cache: ReadCache
    files: ResultFiles


def _verbs_of_calls(desk: _Desk) -> dict[str, _Verb]:
    fleet, calls = desk.fleet, desk.calls
    showing = Showing(redactions=fleet.redactions, files=desk.files)
    given = Given(interactions=desk.interactions, folder=lambda: fleet.definitions.project.folder)
    calling = Calling(fleet=fleet, calls=calls, ledger=desk.ledger, showing=showing, given=given)
    reading = Reading(fleet=fleet, calls=calls, showing=showing, given=given, cache=desk.cache)
    asking = Asking(interactions=desk.interactions, redactions=fleet.redactions, can_sample=fleet.settings.sampling)
    return {
        "exec": _Verb(params=ExecParams, run=calling.exec),
        "preview": _Verb(params=PreviewParams, run=calling.preview),
        "accept": _Verb(params=AcceptParams, run=calling.accept),
        "reject": _Verb(params=ReceiptParams, run=calling.reject),
        "proposal": _Verb(params=ReceiptParams, run=calling.proposal),
        "proposals": _Verb(params=NoParams, run=calling.proposals),
        "result": _Verb(params=CallParams, run=calling.result),
        "cancel": _Verb(params=CallParams, run=calling.cancel),
        "read": _Verb(params=ReadParams, run=reading.read),
        "prompt": _Verb(params=PromptParams, run=reading.prompt),
        "complete": _Verb(params=CompleteParams, run=Completing(fleet=fleet).complete),
        "interactions": _Verb(params=NoParams, run=asking.all),
        "interaction": _Verb(params=InteractionParams, run=asking.interaction),
        "answer": _Verb(params=AnswerParams, run=asking.answer),
        "decline": _Verb(params=InteractionParams, run=asking.decline),
        "dismiss": _Verb(params=InteractionParams, run=asking.dismiss),
    }


def _verbs_of_definitions(fleet: Fleet, calls: Calls, opening: Opening) -> dict[str, _Verb]:
    serving = Serving(fleet=fleet, calls=calls)
    records = fleet.definitions.project.records
    trusting = Trusting(fleet=fleet, records=records, now=_now)
    discovering = Discovering(fleet=fleet, opening=opening, open_log=fleet.open_log)
    writer = DefinitionWriter(locks=_locks(fleet.settings))
    defining = Defining(fleet=fleet, serving=serving, trusting=trusting, discovering=discovering, writer=writer)
    return {
        "list": _Verb(params=NoParams, run=serving.list),
        "enable": _Verb(params=AliasParams, run=serving.enable),
        "disable": _Verb(params=AliasParams, run=serving.disable),
        "survey": _Verb(params=AliasParams, run=serving.survey),
        "tools": _Verb(params=ToolsParams, run=serving.tools),
        "card": _Verb(params=ToolParams, run=serving.card),
        "trust": _Verb(params=TrustParams, run=trusting.trust),
        "untrust": _Verb(params=NoParams, run=trusting.untrust),
        "discover": _Verb(params=DiscoverParams, run=discovering.discover),
        "candidates": _Verb(params=DiscoveryParams, run=discovering.candidates),
        "add": _Verb(params=AddParams, run=defining.add),
        "remove": _Verb(params=RemoveParams, run=defining.remove),
        "template": _Verb(params=TemplateParams, run=defining.template),
        "doctor": _Verb(params=DoctorParams, run=Doctoring(fleet=fleet).doctor),
        "capabilities": _Verb(params=CapabilitiesParams, run=Capabilities(fleet=fleet).capabilities),
        "workspace": _Verb(params=WorkspaceParams, run=Workspace(fleet=fleet).move),
    }


def _locks(settings: Settings) -> Path:
    return settings.state_dir / "locks"


class _Start(StartMessage, Params):
    """The start message, read like any verb's parameters."""


def _server_log(settings: Settings, alias: str, redact: Callable[[str], str]) -> ServerLog:
    return ServerLog(settings.log_dir / "servers", alias, clock=_now, redact=redact)


def _now() -> datetime:
    return datetime.now(timezone.utc)


def _unknown_verb(verb: str, known: tuple[str, ...]) -> Problem:
    return Problem(
        type="usage",
        title=f"There is no verb {verb}",
        detail=f"Known: {', '.join(sorted(known))}.",
        hint="The Lua side and the Python side may be of different versions: :McpInstall brings them together.",
    )


def _internal(verb: str, error: Exception) -> Problem:
    return Problem(
        type="internal",
        title=f"The host failed while answering {verb}",
        detail=f"{type(error).__name__} (the host's log says where)",
        hint="Please report this with the host's log; :checkhealth mcp_host names its path.",
    )
