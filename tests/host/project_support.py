"""What the tests of trust, layers and definitions share: a host whose editor stands in a project of its own."""

from __future__ import annotations

import os
from collections.abc import AsyncGenerator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from mcp.server.mcpserver import MCPServer

from mcp_host.demo.server import build_server
from mcp_host.host.host import open_host
from mcp_host.host.launches import Ask, ask_nobody
from mcp_host.host.opening import Launch, Opening, opening
from mcp_host.host.project_file import PROJECT_FILE
from mcp_host.protocol.client_side import ClientSide
from mcp_host.protocol.connection import Connection
from mcp_host.protocol.transports.server_log import ServerLog
from tests.host.support import Desk, Events
from tests.protocol.in_memory import in_memory


@dataclass(kw_only=True)
class ProjectDesk(Desk):
    """An open host whose editor stands in `work`."""

    work: Path

    @property
    def project(self) -> Path:
        return self.work / PROJECT_FILE

    def define_project(self, text: str) -> None:
        write_project(self.work, text)

    async def trust(self, digest: str | None = None) -> dict[str, Any]:
        """What the file would run, after a yes to a digest where one is given."""
        return (await self.document("trust", digest=digest))["trust"]

    async def approve(self) -> dict[str, Any]:
        """A yes to what is shown."""
        return await self.trust((await self.trust())["digest"])

    async def rows(self) -> dict[str, dict[str, Any]]:
        return {row["alias"]: row for row in (await self.document("list"))["servers"]}

    async def statuses(self) -> dict[str, str]:
        return {alias: row["status"] for alias, row in (await self.rows()).items()}

    async def layers(self) -> dict[str, str]:
        return {layer["layer"]: layer["state"] for layer in (await self.document("list"))["layers"]}


@dataclass(kw_only=True)
class Opened:
    """An opening: one demo server in this process under every alias. It keeps what it was asked to open."""

    server: MCPServer = field(default_factory=build_server)
    launches: list[tuple[str, Launch]] = field(default_factory=list[tuple[str, Launch]])
    connections: dict[str, Connection] = field(default_factory=dict[str, Connection])
    """The last of each alias."""

    @asynccontextmanager
    async def __call__(
        self, alias: str, launch: Launch, log: ServerLog, side: ClientSide
    ) -> AsyncGenerator[Connection]:
        self.launches.append((alias, launch))
        async with in_memory(self.server, "modern", alias=alias, side=side) as connection:
            self.connections[alias] = connection
            yield connection

    @property
    def aliases(self) -> list[str]:
        return [alias for alias, _ in self.launches]

    def environment_of(self, alias: str) -> dict[str, str]:
        """The environment that the alias was given last."""
        (*_, launch) = (one for name, one in self.launches if name == alias)
        assert launch.transport == "stdio"
        return dict(launch.env)


@asynccontextmanager
async def open_project(
    folder: Path,
    definitions: str = "",
    *,
    project: str | None = None,
    environment: Mapping[str, str] | None = None,
    ask: Ask = ask_nobody,
    opened_by: Opening = opening,
    work: str = "work",
) -> AsyncGenerator[ProjectDesk]:
    """A host whose state outlives it in `folder`; with the real opening unless another is given."""
    file = folder / "mcp.toml"
    file.write_text(definitions)
    (folder / work).mkdir(exist_ok=True)
    if project is not None:
        write_project(folder / work, project)
    state, logs, events = folder / "state", folder / "logs", Events()
    start = {"config_file": str(file), "state_dir": str(state), "log_dir": str(logs), "cwd": str(folder / work)}
    variables = {"HOME": str(folder), "PATH": os.environ["PATH"], **(environment or {})}
    async with open_host(start, emit=events.emit, ask=ask, opening=opened_by, environment=variables) as host:
        yield ProjectDesk(host=host, events=events, file=file, state=state, logs=logs, work=folder / work)


def write_project(work: Path, text: str) -> Path:
    file = work / PROJECT_FILE
    file.parent.mkdir(exist_ok=True)
    file.write_text(text)
    return file


def texts_in(folder: Path) -> list[str]:
    """What every file below says."""
    return [path.read_text(errors="surrogateescape") for path in folder.rglob("*") if path.is_file()]
