"""A consequential call on a real server: git_commit happens once, when it was reviewed, and never otherwise."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import pytest

from tests.editor.neovim import Finished, Homes, run_headless
from tests.peers.found import require

pytestmark = pytest.mark.servers


class Bench:
    """A scratch repository, the git server defined for it, and headless editors that use it."""

    def __init__(self, root: Path, repository: Path) -> None:
        self.root = root
        self.repository = repository
        self.homes = Homes(root=root / "homes")
        self.homes.definitions.parent.mkdir(parents=True)
        peer = require("git")
        arguments = json.dumps([*peer.stdio, "--repository", str(repository)])
        self.definition = f"[servers.git]\ncommand = {json.dumps(peer.command)}\nargs = {arguments}\n"
        self.homes.definitions.write_text(self.definition)
        self.call = f"git git_commit {json.dumps({'repo_path': str(repository), 'message': 'Second'})}"

    def run(self, *commands: str) -> Finished:
        return run_headless(self.homes.environment(), self.root, *commands)

    def commits(self) -> list[str]:
        log = ["git", "log", "--format=%s"]
        return subprocess.run(log, cwd=self.repository, check=True, capture_output=True, text=True).stdout.splitlines()


@pytest.fixture
def bench(tmp_path: Path, scratch_repository: Path) -> Bench:
    """See `Bench`."""
    return Bench(tmp_path, scratch_repository)


def test_a_commit_that_nobody_reviewed_is_not_made(bench: Bench) -> None:
    finished = bench.run(f"McpExec {bench.call}", "qa")
    assert (finished.exit_code, finished.stdout) == (6, "")
    assert json.loads(finished.stderr)["type"] == "review-required"
    assert bench.commits() == ["First"]


def test_a_reviewed_commit_is_made_exactly_once_and_a_second_accept_replays(bench: Bench) -> None:
    finished = bench.run(f"McpPreview {bench.call}", "McpAccept", "McpAccept", "qa")
    assert finished.exit_code == 0, finished.stderr
    _, first, second = (json.loads(line) for line in finished.stdout.splitlines())
    assert first["content"] == second["content"]
    assert (first["host"]["replayed"], second["host"]["replayed"]) == (False, True)
    assert bench.commits() == ["Second", "First"]


def test_a_definition_edited_in_between_refuses_the_commit(bench: Bench) -> None:
    edited = bench.root / "edited.toml"
    edited.write_text(bench.definition + 'summary = "edited"\n')
    finished = bench.run(
        f"McpPreview {bench.call}",
        f"call writefile(readfile('{edited}'), '{bench.homes.definitions}')",
        "McpAccept",
        "qa",
    )
    assert finished.exit_code == 7
    assert json.loads(finished.stderr)["type"] == "receipt-stale"
    assert bench.commits() == ["First"]
