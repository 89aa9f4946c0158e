"""The installer and the host never run or obey what lies in the folder the editor stands in."""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path

import pytest

from tests.editor.conftest import Headless
from tests.editor.neovim import Homes

TRAPS = ("venv.py", "pip.py", "ensurepip.py", "mcp_host.py", "pynvim.py")


@pytest.fixture
def owned(workspace: Path) -> Path:
    """The file that appears when Python runs one of the modules in the workspace."""
    found = workspace / "owned"
    for name in TRAPS:
        (workspace / name).write_text(f"open({str(found)!r}, 'a').write({name!r})\n")
    return found


def _executable(path: Path, text: str) -> None:
    path.write_text(text)
    path.chmod(0o755)


def test_an_install_runs_no_module_of_the_workspace(
    headless: Headless, homes: Homes, owned: Path, tmp_path: Path
) -> None:
    bin_folder = tmp_path / "bin"
    bin_folder.mkdir()
    os.symlink(sys.executable, bin_folder / "python3")  # and no uv
    # Without an index pip ends soon: what is installed does not matter here.
    # An empty entry of PYTHONPATH is the folder that a Python stands in.
    finished = headless("McpInstall", "qa", PATH=f"{bin_folder}:/usr/bin:/bin", PIP_NO_INDEX="1", PYTHONPATH=":/none")
    problem = json.loads(finished.stderr.splitlines()[-1])
    assert (finished.exit_code, problem["type"]) == (1, "host-failed")
    assert "-I -m pip install" in problem["detail"], problem
    assert (homes.root / "data" / "nvim" / "mcp_host" / "venv" / "bin" / "python").exists()
    assert not owned.exists(), owned.read_text()


def test_uv_is_told_to_read_no_configuration_and_stands_in_a_folder_of_ours(
    headless: Headless, homes: Homes, tmp_path: Path
) -> None:
    log = tmp_path / "uv.log"
    bin_folder = tmp_path / "bin"
    bin_folder.mkdir()
    _executable(bin_folder / "uv", f'#!/bin/sh\necho "$PWD $1" >>{log}\n')
    finished = headless("McpInstall", "qa", PATH=f"{bin_folder}:/usr/bin:/bin")
    assert finished.exit_code == 0, finished
    own = homes.root / "data" / "nvim" / "mcp_host"
    assert log.read_text().splitlines() == [f"{own} --no-config"] * 2
    assert json.loads(finished.stdout)["installed"]["venv"] == f"{own}/venv"


def test_the_host_is_imported_from_its_environment_alone(headless: Headless, owned: Path, workspace: Path) -> None:
    finished = headless("McpList", "checkhealth mcp_host", "qa", PYTHONPATH=str(workspace))
    assert finished.exit_code == 0, finished
    assert json.loads(finished.stdout.splitlines()[0])["servers"] == []
    assert not owned.exists(), owned.read_text()
