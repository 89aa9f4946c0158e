"""Real servers of other people, each from five lines of TOML, called by a Neovim without a user interface."""

from __future__ import annotations

import json
from collections.abc import Callable, Generator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from tests.editor.neovim import Homes, run_headless
from tests.peers.found import PeerName, require, serving

pytestmark = pytest.mark.servers


@pytest.fixture
def ask(tmp_path: Path) -> Callable[..., dict[str, Any]]:
    """Runs one verb on a server defined by this text and returns the printed document."""
    homes = Homes(root=tmp_path / "homes")
    homes.definitions.parent.mkdir(parents=True)

    def run(definition: str, command: str) -> dict[str, Any]:
        assert len(definition.strip().splitlines()) <= 5
        homes.definitions.write_text(definition)
        finished = run_headless(homes.environment(), tmp_path, command, "qa")
        assert (finished.exit_code, finished.stderr) == (0, ""), finished
        return json.loads(finished.stdout)

    return run


@contextmanager
def _defined(name: PeerName, reads: list[str], *, http: bool, arguments: tuple[str, ...] = ()) -> Generator[str]:
    alias = f"[servers.{name}]\n"
    policy = f"read = {json.dumps(reads)}\n"
    if http:
        with serving(name) as url:
            yield f"{alias}url = {json.dumps(url)}\n{policy}"
        return
    peer = require(name)
    yield f"{alias}command = {json.dumps(peer.command)}\nargs = {json.dumps([*peer.stdio, *arguments])}\n{policy}"


def _revision_of(ask: Callable[..., dict[str, Any]], definition: str, name: str) -> tuple[str, str]:
    server = ask(definition, f"McpEnable {name}")["server"]
    return server["era"], server["revision"]


def test_the_time_server_converts_a_time(ask: Callable[..., dict[str, Any]]) -> None:
    call = '{"source_timezone": "UTC", "time": "12:00", "target_timezone": "Asia/Tokyo"}'
    with _defined("time", ["convert_time"], http=False, arguments=("--local-timezone", "UTC")) as definition:
        document = ask(definition, f"McpExec time convert_time {call}")
        assert document["structuredContent"]["time_difference"] == "+9.0h"
        assert _revision_of(ask, definition, "time") == ("modern", "2026-07-28")


def test_the_git_server_shows_a_status(ask: Callable[..., dict[str, Any]], scratch_repository: Path) -> None:
    with _defined("git", ["git_status"], http=False, arguments=("--repository", str(scratch_repository))) as definition:
        document = ask(definition, f"McpExec git git_status {json.dumps({'repo_path': str(scratch_repository)})}")
        assert document["content"][0]["text"].startswith("Repository status:")
        assert _revision_of(ask, definition, "git") == ("modern", "2026-07-28")


@pytest.mark.parametrize("http", [False, True], ids=["stdio", "http"])
def test_the_reference_server_answers_on_the_handshake_revision(ask: Callable[..., dict[str, Any]], http: bool) -> None:
    with _defined("everything", ["get-sum", "get-tiny-image", "get-structured-content"], http=http) as definition:
        document = ask(definition, 'McpExec everything get-sum {"a": 2, "b": 3}')
        assert document["content"][0]["text"] == "The sum of 2 and 3 is 5."
        structured = ask(definition, 'McpExec everything get-structured-content {"location": "New York"}')
        assert structured["structuredContent"]["conditions"] == "Cloudy"
        assert _revision_of(ask, definition, "everything") == ("legacy", "2025-11-25")


@pytest.mark.parametrize("http", [False, True], ids=["stdio", "http"])
def test_an_independent_modern_peer_answers_with_structure(ask: Callable[..., dict[str, Any]], http: bool) -> None:
    with _defined("ts", ["count", "hdr"], http=http) as definition:
        document = ask(definition, 'McpExec ts count {"n": 2, "ms": 1}')
        assert document["structuredContent"] == {"done": 2}
        headers = json.loads(ask(definition, 'McpExec ts hdr {"region": "eu", "q": "x"}')["content"][0]["text"])["h"]
        if http:
            assert (headers["mcp-param-region"], headers["mcp-name"]) == ("eu", "hdr")
        assert _revision_of(ask, definition, "ts") == ("modern", "2026-07-28")
