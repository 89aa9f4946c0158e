"""Fixtures with a real Neovim."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Protocol

import pytest

from tests.editor.neovim import HEADLESS_SECONDS, Finished, Homes, run_headless
from tests.editor.talking import Editor, running_editor


class Headless(Protocol):
    """Runs Ex commands in a Neovim without a user interface, as `-c` does, and returns how it ended."""

    def __call__(self, *commands: str, seconds: float = HEADLESS_SECONDS, **environment: str) -> Finished: ...


@pytest.fixture
def homes(tmp_path: Path) -> Homes:
    """The folders that the editors of this test share."""
    found = Homes(root=tmp_path / "homes")
    found.definitions.parent.mkdir(parents=True)
    return found


@pytest.fixture
def workspace(tmp_path: Path) -> Path:
    """The folder that the editors of this test start in (headless ones) and may write to."""
    folder = tmp_path / "workspace"
    folder.mkdir()
    return folder


@pytest.fixture
def define(homes: Homes) -> Callable[[str], Path]:
    """Writes the user's definitions file and returns its path."""

    def write(text: str) -> Path:
        homes.definitions.write_text(text)
        return homes.definitions

    return write


@pytest.fixture
def start_editor(homes: Homes) -> Iterator[Callable[..., Editor]]:
    """Starts Neovims with further arguments; each must end by itself when the test is over."""
    with ExitStack() as editors:
        yield lambda *more: editors.enter_context(running_editor(homes.environment(), *more))


@pytest.fixture
def editor(start_editor: Callable[..., Editor]) -> Editor:
    """A running Neovim with this plugin and a user interface of 80 by 24."""
    return start_editor()


@pytest.fixture
def headless(homes: Homes, workspace: Path) -> Headless:
    """See `Headless`."""

    def run(*commands: str, seconds: float = HEADLESS_SECONDS, **environment: str) -> Finished:
        return run_headless(homes.environment() | environment, workspace, *commands, seconds=seconds)

    return run
