"""What the transports' tests share: launches of the raw servers, a log that writes to a folder, a look into /proc."""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime, timezone
from pathlib import Path

import anyio
import mcp_types
from mcp.client._transport import ReadStream, WriteStream
from mcp.shared.message import SessionMessage

from mcp_host.protocol.transports.server_log import ServerLog

RAW_SERVERS = Path(__file__).parents[2] / "servers" / "raw"
MOMENT = datetime(2026, 8, 1, 12, 0, 0, tzinfo=timezone.utc)


@dataclass(frozen=True, kw_only=True)
class Launch:
    """As much of a stdio launch as starting needs."""

    command: str = sys.executable
    args: tuple[str, ...] = ()
    cwd: str | None = None
    env: Mapping[str, str] = field(default_factory=lambda: {"PATH": os.environ["PATH"]})


def raw_server(file: str, *args: str) -> Launch:
    return Launch(args=("-I", "-S", str(RAW_SERVERS / file), *args))


def server_log(folder: Path, *, secret: str | None = None) -> ServerLog:
    def redact(text: str) -> str:
        return text.replace(secret, "•••") if secret else text

    return ServerLog(folder, "raw", clock=lambda: MOMENT, redact=redact)


def bytes_in(folder: Path) -> int:
    return sum(path.stat().st_size for path in folder.iterdir())


def living_members(group: int) -> set[int]:
    """The processes of the group that are not zombies."""
    found: set[int] = set()
    for stat in Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = stat.read_text(errors="replace").rpartition(")")[2].split()
        except (FileNotFoundError, ProcessLookupError):
            continue
        if fields[0] not in "ZX" and int(fields[2]) == group:
            found.add(int(stat.parent.name))
    return found


async def none_left(group: int) -> None:
    """Returns once no process of the group lives: a killed one takes a moment to go. Bounded by its caller."""
    while living_members(group):
        await anyio.lowlevel.checkpoint()


def request(request_id: int, method: str, **params: object) -> SessionMessage:
    return SessionMessage(mcp_types.JSONRPCRequest(jsonrpc="2.0", id=request_id, method=method, params=params))


async def ask(
    read: ReadStream[SessionMessage | Exception],
    write: WriteStream[SessionMessage],
    message: SessionMessage,
) -> mcp_types.JSONRPCMessage:
    """Sends one request and gives back the next message."""
    await write.send(message)
    return await next_message(read)


async def next_message(read: ReadStream[SessionMessage | Exception]) -> mcp_types.JSONRPCMessage:
    item = await read.receive()
    assert isinstance(item, SessionMessage)
    return item.message


def result_of(message: mcp_types.JSONRPCMessage) -> dict[str, object]:
    assert isinstance(message, mcp_types.JSONRPCResponse), message
    return message.result


def error_of(message: mcp_types.JSONRPCMessage) -> mcp_types.ErrorData:
    assert isinstance(message, mcp_types.JSONRPCError), message
    return message.error
