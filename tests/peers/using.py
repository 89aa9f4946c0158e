"""A host over one peer, on one wire, and what its tools come to."""

from __future__ import annotations

import json
from collections.abc import AsyncGenerator, Awaitable, Callable, Generator, Mapping, Sequence
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final, Literal

import anyio

from mcp_host.host.events import EventName
from mcp_host.host.host import Host, open_host
from mcp_host.problems import Problem, ProblemError
from tests.peers.found import PeerName, require, serving
from tests.peers.uses import ANSWERS, USES, End, Use

Wire = Literal["stdio", "http"]
WIRES: Final[tuple[Wire, ...]] = ("stdio", "http")

SECONDS: Final = 20
"""For one use; the longest takes a fifth of a second on an idle machine."""

Answers = str | Sequence[Mapping[str, Any]]
"""As the verbs take them: the path of a file, or the entries."""
Data = Mapping[str, Any]


@dataclass(kw_only=True)
class Told:
    """Every event of the host, in its order."""

    events: list[tuple[EventName, Data]] = field(default_factory=list[tuple[EventName, Data]])
    _changed: anyio.Event = field(default_factory=anyio.Event)

    def emit(self, name: EventName, data: Data) -> None:
        self.events.append((name, data))
        self._changed.set()
        self._changed = anyio.Event()

    def of(self, name: EventName, *, since: int = 0) -> list[Data]:
        """Those of one name, from an earlier `len(events)` on."""
        return [data for told, data in self.events[since:] if told == name]

    async def wait_for(self, name: EventName, wanted: Callable[[Data], bool], *, since: int = 0) -> Data:
        """The first one that is wanted; bounded."""
        with anyio.fail_after(SECONDS):
            while True:
                for data in self.of(name, since=since):
                    if wanted(data):
                        return data
                await self._changed.wait()


@dataclass(frozen=True, kw_only=True)
class Used:
    """What one call came to."""

    end: End
    document: Data
    """The printed result; empty where a problem stands instead."""
    problem: Problem | None = None

    @property
    def said(self) -> str:
        """All text of the result, or of the problem."""
        if self.problem is not None:
            return f"{self.problem.title}\n{self.problem.detail}"
        return "\n".join(block["text"] for block in self.document["content"] if block["type"] == "text")


@dataclass(frozen=True, kw_only=True)
class Peered:
    """An open host whose only server is a peer that can ask for everything there is to ask for."""

    host: Host
    told: Told
    name: PeerName
    wire: Wire

    async def ask(self, verb: str, **params: Any) -> dict[str, Any]:
        """The document of one verb about the peer."""
        with anyio.fail_after(SECONDS):
            return dict((await self.host.answer(verb, {"alias": self.name, **params})).document)

    async def listed(self) -> frozenset[str]:
        """The tools that there are now."""
        return frozenset(row["name"] for row in (await self.ask("tools"))["tools"])

    async def call(self, tool: str, arguments: Data | None = None, answers: Answers = ()) -> Used:
        """One call, accepted unseen, with what was said beforehand to whatever it asks."""
        wanted: dict[str, Any] = {"tool": tool, "arguments": dict(arguments or {}), "accept": True}
        wanted["answers"] = answers if isinstance(answers, str) else [dict(entry) for entry in answers]
        try:
            with anyio.fail_after(SECONDS):
                answer = await self.host.answer("exec", {"alias": self.name, **wanted})
        except ProblemError as error:
            end: End = "cancelled" if error.problem.type == "cancelled" else "refused"
            return Used(end=end, document={}, problem=error.problem)
        return Used(end="succeeded" if answer.exit == 0 else "failed", document=dict(answer.document))

    async def use(self, use: Use, answers: Answers = str(ANSWERS)) -> Used:
        """The use as it is written down."""
        if use.needs is not None and use.tool not in await self.listed():
            seen = len(self.told.events)
            await self.call(use.needs)
            await self.told.wait_for("McpCatalogChanged", lambda data: use.tool in data["tools"], since=seen)
        if use.end == "cancelled":
            return await self.cancelled(use.tool, use.arguments, once=lambda _: self._until_polled())
        return await self.call(use.tool, use.arguments, answers)

    async def cancelled(self, tool: str, arguments: Data, *, once: Callable[[str], Awaitable[object]]) -> Used:
        """A call that runs until `once`, which is given its id, has returned, and is cancelled then."""
        ended: list[Used] = []
        seen = len(self.told.events)

        async def run() -> None:
            ended.append(await self.call(tool, arguments))

        async with anyio.create_task_group() as tasks:
            tasks.start_soon(run)
            started = await self.told.wait_for(
                "McpCall", lambda data: (data["tool"], data["state"]) == (tool, "started"), since=seen
            )
            await once(started["call"])
            await self.host.answer("cancel", {"call": started["call"]})
        return ended[0]

    async def _until_polled(self) -> None:
        """The peer's task was asked about twice more: it says itself what it has seen."""
        wanted = None
        with anyio.fail_after(SECONDS):
            while True:
                polls = sum(entry[0] == "get" for entry in json.loads((await self.call("seen")).said))
                wanted = polls + 2 if wanted is None else wanted
                if polls >= wanted:
                    return


@asynccontextmanager
async def peered(folder: Path, name: PeerName, wire: Wire) -> AsyncGenerator[Peered]:
    """A host over the peer, which is started for it and gone afterwards. Not connected before the first verb."""
    told = Told()
    with _definition(name, wire) as definition:
        async with open_host(_start(folder, definition), emit=told.emit) as host:
            yield Peered(host=host, told=told, name=name, wire=wire)


def _start(folder: Path, definition: str) -> dict[str, Any]:
    file = folder / "mcp.toml"
    file.write_text(definition)
    return {
        "config_file": str(file),
        "state_dir": str(folder / "state"),
        "log_dir": str(folder / "logs"),
        "cwd": str(folder),
        "headless": True,
        "sampling": True,
        "roots": {"folders": [str(folder)], "modern": True},
        "log_level": "debug",
    }


@contextmanager
def _definition(name: PeerName, wire: Wire) -> Generator[str]:
    policy = f"read = {json.dumps([use.tool for use in USES[name] if use.effect == 'read'])}"
    if wire == "http":
        with serving(name) as url:
            yield f"[servers.{name}]\nurl = {json.dumps(url)}\n{policy}\n"
        return
    peer = require(name)
    arguments = json.dumps(list(peer.stdio))
    yield f"[servers.{name}]\ncommand = {json.dumps(peer.command)}\nargs = {arguments}\n{policy}\n"
