"""Fixtures for tests on real servers."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest


@pytest.fixture
def scratch_repository(tmp_path: Path) -> Path:
    """A git repository with one commit and one file that is staged and not committed."""
    folder = tmp_path / "repository"
    folder.mkdir()

    def git(*arguments: str) -> None:
        subprocess.run(["git", *arguments], cwd=folder, check=True, capture_output=True)

    git("init", "--quiet", "--initial-branch", "main")
    git("config", "user.name", "Tester")
    git("config", "user.email", "tester@example.invalid")
    (folder / "a.txt").write_text("one\n")
    git("add", "a.txt")
    git("commit", "--quiet", "--message", "First")
    (folder / "b.txt").write_text("two\n")
    git("add", "b.txt")
    return folder
