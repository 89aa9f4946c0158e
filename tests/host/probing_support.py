"""What the tests of discovering and of the doctor share: a fleet over files of their own, and no host around it."""

from __future__ import annotations

import json
import os
import shlex
import sys
from collections.abc import AsyncGenerator, Callable, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import datetime, timezone
from pathlib import Path
from typing import Any

import anyio

from mcp_host.host.answers import Answer
from mcp_host.host.definition_layers import layers_over
from mcp_host.host.discovering import Discovering
from mcp_host.host.enabled_state import EnabledState
from mcp_host.host.fleet import Fleet
from mcp_host.host.launches import Ask, Launches, ask_nobody
from mcp_host.host.live_server import Followers
from mcp_host.host.opening import Opening, opening
from mcp_host.host.pace import Pace
from mcp_host.host.params import DiscoverParams
from mcp_host.host.probing import PROBE_SECONDS
from mcp_host.host.project_file import PROJECT_FILE
from mcp_host.host.redactions import Redactions
from mcp_host.host.settings import Settings
from mcp_host.host.trust_records import TrustRecords
from mcp_host.protocol.transports.server_log import ServerLog
from tests.host.support import SERVERS, Events, sides

SECRET = "hunter2-and-more-of-it"


@dataclass(kw_only=True)
class Place:
    """A home and a workspace in a folder of the test, and the fleet of an editor there."""

    folder: Path
    fleet: Fleet
    opened_by: Opening

    @property
    def home(self) -> Path:
        return self.folder / "home"

    @property
    def work(self) -> Path:
        return self.folder / "work"

    @property
    def logs(self) -> Path:
        return self.folder / "logs" / "servers"

    @property
    def probe_log(self) -> str:
        path = self.logs / "_discover.log"
        return path.read_text() if path.exists() else ""

    def define(self, text: str) -> None:
        self.fleet.definitions.user.path.write_text(text)

    def define_project(self, text: str) -> Path:
        file = self.work / PROJECT_FILE
        file.parent.mkdir(exist_ok=True)
        file.write_text(text)
        return file

    def discovering(self, *, timeout_seconds: float = PROBE_SECONDS) -> Discovering:
        return Discovering(
            fleet=self.fleet,
            opening=self.opened_by,
            open_log=self.fleet.open_log,
            timeout_seconds=timeout_seconds,
        )


@asynccontextmanager
async def open_place(
    folder: Path,
    *,
    definitions: str = "",
    environment: Mapping[str, str] | None = None,
    opened_by: Opening = opening,
    ask: Ask = ask_nobody,
) -> AsyncGenerator[Place]:
    """An editor's fleet in `work`, with `home` as its home; all its servers are stopped at the end."""
    for name in ("work", "home"):
        (folder / name).mkdir(exist_ok=True)
    variables = {"HOME": str(folder / "home"), "PATH": os.environ["PATH"], **(environment or {})}
    settings = Settings(
        config_file=folder / "mcp.toml",
        state_dir=folder / "state",
        log_dir=folder / "logs",
        cwd=folder / "work",
        headless=False,
        environment=variables,
    )
    settings.config_file.write_text(definitions)
    redactions = Redactions()
    records = TrustRecords(folder=settings.state_dir / "trust")
    layers = layers_over(variables, settings.config_file, folder=settings.cwd, records=records)

    def open_log(alias: str, redact: Callable[[str], str]) -> ServerLog:
        return ServerLog(settings.log_dir / "servers", alias, clock=_now, redact=redact)

    async with anyio.create_task_group() as tasks:
        fleet = Fleet(
            settings=settings,
            definitions=layers,
            enabled=EnabledState(folder=settings.state_dir / "enabled", locks=settings.state_dir / "locks"),
            launches=Launches(settings=settings, redactions=redactions, folder=layers.folder_of, ask=ask),
            tasks=tasks,
            opening=opened_by,
            emit=Events().emit,
            open_log=open_log,
            sides=sides(Events()),
            followers=Followers(),
            redactions=redactions,
            pace=Pace(),
        )
        yield Place(folder=folder, fleet=fleet, opened_by=opened_by)
        with anyio.CancelScope(shield=True):
            await fleet.stop()


def command_line(name: str, *args: str, **variables: str) -> str:
    """The words that start one of `tests/servers`, with variables before them."""
    words = [sys.executable, "-S", str(SERVERS / f"{name}.py"), *args]
    return " ".join([*(f"{key}={shlex.quote(value)}" for key, value in variables.items()), shlex.join(words)])


async def discover(discovering: Discovering, target: str | None) -> Answer:
    return await discovering.discover(DiscoverParams(target=target))


async def discovered(place: Place, target: str | None, *, timeout_seconds: float = 10) -> dict[str, Any]:
    answer = await discover(place.discovering(timeout_seconds=timeout_seconds), target)
    return dict(answer.document)


def everything(answer: Answer) -> str:
    assert answer.view is not None
    return json.dumps(answer.document, ensure_ascii=False) + "\n".join(answer.view().lines)


def only(document: Mapping[str, Any]) -> dict[str, Any]:
    (candidate,) = document["candidates"]
    return candidate


def _now() -> datetime:
    return datetime(2026, 8, 1, tzinfo=timezone.utc)
