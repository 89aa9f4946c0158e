"""The help page: its tags can be made, every link leads somewhere, and every command has its entry."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path

from tests.editor.neovim import REPOSITORY, find_nvim

LINK = re.compile(r"\|((?:mcp|:Mcp|g:mcp|g:no_mcp)[^|\s]*)\|")


def test_every_link_of_the_help_leads_somewhere_and_every_command_is_explained(tmp_path: Path) -> None:
    doc = tmp_path / "doc"
    shutil.copytree(REPOSITORY / "doc", doc)
    made = subprocess.run(
        [find_nvim(), "--clean", "--headless", "-c", f"helptags {doc}", "-c", "qa!"],
        capture_output=True,
        text=True,
        timeout=30,
        check=False,
    )
    assert made.stderr == ""
    tags = {line.split("\t")[0] for line in (doc / "tags").read_text().splitlines()}
    linked = set(LINK.findall((doc / "mcp_host.txt").read_text()))
    assert linked - tags == set()
    commands = (REPOSITORY / "lua" / "mcp_host" / "commands.lua").read_text()
    assert {f":{name}" for name in re.findall(r"command = '(\w+)'", commands)} - tags == set()
    public = re.findall(r"^function M\.(\w+)", (REPOSITORY / "lua" / "mcp_host" / "init.lua").read_text(), re.MULTILINE)
    assert {f"mcp_host.{name}()" for name in public} - tags == set()
