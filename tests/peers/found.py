"""Where each real server is after `scripts/peers.sh`, and how a test gets one.

The policy: in CI (`CI=true`) a peer is installed if need be, and one that cannot be had fails the test; elsewhere
nothing is downloaded behind anybody's back, and the test is skipped with the command that would install the peers.
"""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
import threading
from collections.abc import Generator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import IO, Literal

import pytest

ROOT = Path(__file__).parents[2]
INSTALLER = ROOT / "scripts" / "peers.sh"
INSTALLED = ROOT / ".cache" / "peers"

PeerName = Literal["time", "git", "everything", "ts", "ts-tasks"]

_INSTALL_SECONDS = 900
"""A cold install took half a minute; a slow mirror may take many."""


@dataclass(frozen=True, kw_only=True)
class Peer:
    """One server: an exact executable and its arguments, as a definition has them."""

    name: PeerName
    part: Literal["ts", "everything", "python"]
    """What `scripts/peers.sh` calls the part that it comes with."""
    command: str
    stdio: tuple[str, ...]
    """The arguments for stdio."""
    http: tuple[str, ...] | None = None
    """The arguments for Streamable HTTP, where `{port}` stands for the port; None when the peer has no HTTP."""
    http_environment: Mapping[str, str] = field(default_factory=dict[str, str])
    """What HTTP needs in the environment, with `{port}` as above."""
    http_path: str = "/mcp"


_NODE = shutil.which("node") or "node"
_TS = INSTALLED / "ts"
_EVERYTHING = INSTALLED / "everything/node_modules/@modelcontextprotocol/server-everything/dist/index.js"


def _python_peer(name: Literal["time", "git"]) -> Peer:
    return Peer(name=name, part="python", command=str(INSTALLED / f"venv/bin/mcp-server-{name}"), stdio=())


def _ts_peer(name: PeerName, script: Path) -> Peer:
    http = (str(script), "http", "{port}")
    return Peer(name=name, part="ts", command=_NODE, stdio=(str(script), "stdio"), http=http)


PEERS: Mapping[PeerName, Peer] = {
    "time": _python_peer("time"),
    "git": _python_peer("git"),
    "everything": Peer(
        name="everything",
        part="everything",
        command=_NODE,
        stdio=(str(_EVERYTHING), "stdio"),
        http=(str(_EVERYTHING), "streamableHttp"),
        http_environment={"PORT": "{port}"},
    ),
    "ts": _ts_peer("ts", _TS / "peer.mjs"),
    "ts-tasks": _ts_peer("ts-tasks", _TS / "tasks_peer.mjs"),
}


def require(name: PeerName) -> Peer:
    """Return the peer, there to be started. Otherwise the test fails in CI and is skipped elsewhere."""
    peer = PEERS[name]
    in_ci = os.environ.get("CI") == "true"
    fault = _run_installer(peer.part, install=in_ci)
    if fault is None:
        return peer
    reason = f"the peer {name} is not there: {fault}"
    if in_ci:
        pytest.fail(reason)
    pytest.skip(reason)


@contextmanager
def serving(name: PeerName) -> Generator[str]:
    """Run a required peer on a free port of this machine and give its address; it is stopped at the end."""
    peer = require(name)
    if peer.http is None:
        raise ValueError(f"the peer {name} has no HTTP")
    port = str(_free_port())
    command = [peer.command, *(part.replace("{port}", port) for part in peer.http)]
    environment = {key: value.replace("{port}", port) for key, value in peer.http_environment.items()}
    with subprocess.Popen(
        command,
        env={**os.environ, **environment},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
    ) as process:
        assert process.stderr
        # What it says later is read and dropped, lest the pipe fill up.
        rest = threading.Thread(target=process.stderr.read)
        try:
            _wait_until_listening(name, process.stderr)
            rest.start()
            yield f"http://127.0.0.1:{port}{peer.http_path}"
        finally:
            process.kill()
            if rest.is_alive():
                rest.join()


@cache
def _run_installer(part: str, *, install: bool) -> str | None:
    """Install or only look, once in a test run; return what the installer complained of, None when all is there."""
    command = ["sh", str(INSTALLER), *([] if install else ["--check"]), part]
    done = subprocess.run(
        command, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False, timeout=_INSTALL_SECONDS
    )
    return done.stderr.strip() if done.returncode else None


def _free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        return listener.getsockname()[1]


def _wait_until_listening(name: PeerName, errors: IO[str]) -> None:
    """Every HTTP peer says on stderr that it is listening."""
    said: list[str] = []
    for line in errors:
        said.append(line)
        if "listening" in line:
            return
    raise RuntimeError(f"the peer {name} ended instead of listening: {''.join(said)}")
