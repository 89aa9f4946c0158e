"""How tests start Neovim: in folders of its own, this repository on its runtimepath, this interpreter for the host.

A Neovim that is talked to is in `talking.py`; one that runs commands without a user interface and ends is here.
"""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

REPOSITORY = Path(__file__).parents[2]

HEADLESS_SECONDS = 60.0

_DROPPED = ("NVIM", "XDG_", "VIM", "MYVIMRC")
"""Prefixes of variables that would join a child to an editor around the tests or to the developer's own files."""


@dataclass(frozen=True, kw_only=True)
class Homes:
    """The folders one child calls its own."""

    root: Path

    @property
    def definitions(self) -> Path:
        """The user's definitions file, `stdpath('config')/mcp.toml`."""
        return self.root / "config" / "nvim" / "mcp.toml"

    @property
    def state(self) -> Path:
        """`stdpath('state')`."""
        return self.root / "state" / "nvim"

    def environment(self) -> dict[str, str]:
        """This process's environment with these folders in it and without the editor around it."""
        kept = {name: value for name, value in os.environ.items() if not name.startswith(_DROPPED)}
        own = {f"XDG_{kind.upper()}_HOME": str(self.root / kind) for kind in ("config", "data", "state", "cache")}
        return kept | own


@dataclass(frozen=True, kw_only=True)
class Finished:
    """How a headless editor ended."""

    exit_code: int
    stdout: str
    stderr: str


def find_nvim() -> str:
    """The Neovim to test with: `MCP_HOST_NVIM`, else the one beside this interpreter, else the one on PATH.

    Raises:
        FileNotFoundError: there is none.
    """
    beside = Path(sys.executable).with_name("nvim")
    found = os.environ.get("MCP_HOST_NVIM") or (str(beside) if beside.exists() else shutil.which("nvim"))
    if not found:
        raise FileNotFoundError("no Neovim to test with: install the test extra, or set MCP_HOST_NVIM")
    return found


def arguments(*more: str) -> list[str]:
    """A clean Neovim's command line with this plugin in it, started with `more`."""
    return [
        find_nvim(),
        "--clean",
        "-n",
        *("-i", "NONE"),
        *("--cmd", f"let &runtimepath = {_quoted(str(REPOSITORY))} . ',' . &runtimepath"),
        *("--cmd", f"let g:mcp_host_python = {_quoted(sys.executable)}"),
        # Off for root, who runs the tests in a container: it would hide what a modeline in server text can do.
        *("--cmd", "set modeline"),
        *more,
    ]


def run_headless(
    environment: Mapping[str, str], folder: Path, *commands: str, seconds: float = HEADLESS_SECONDS
) -> Finished:
    """Run `commands` in a Neovim without a user interface, in `folder`, and return how it ended.

    Output goes through files: a server left behind would keep a pipe open and this call waiting.

    Raises:
        AssertionError: it did not end in time. The text holds what it had said.
    """
    argv = arguments("--headless", *(part for command in commands for part in ("-c", command)))
    stdout, stderr = (folder / f"headless-{name}.txt" for name in ("stdout", "stderr"))
    with stdout.open("wb") as out, stderr.open("wb") as err:
        child = subprocess.Popen(
            argv,
            cwd=folder,
            env=dict(environment),
            stdin=subprocess.DEVNULL,
            stdout=out,
            stderr=err,
            start_new_session=True,
        )
        try:
            exit_code = child.wait(seconds)
        except subprocess.TimeoutExpired:
            exit_code = None
        finally:
            with suppress(ProcessLookupError):
                os.killpg(child.pid, signal.SIGKILL)
            child.wait()
    said = Finished(
        exit_code=-1 if exit_code is None else exit_code,
        stdout=stdout.read_text(errors="replace"),
        stderr=stderr.read_text(errors="replace"),
    )
    assert exit_code is not None, f"still running after {seconds} s: {commands}\n{said}"
    return said


def _quoted(text: str) -> str:
    """`text` as a Vim script literal."""
    return "'" + text.replace("'", "''") + "'"
