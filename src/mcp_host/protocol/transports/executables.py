"""Finds the executable that a command names, and never in the folder that the editor happens to be in.

An empty or relative entry of PATH means the working directory to the operating system: `command = "my-server"` would
run a file that somebody put into the workspace. So the lookup is ours, and only absolute entries take part in it.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Mapping


def searched_path(env: Mapping[str, str]) -> str:
    """The absolute entries of the environment's PATH, or of the system's own where it has no PATH."""
    entries = env.get("PATH", os.defpath).split(os.pathsep)
    return os.pathsep.join(entry for entry in entries if os.path.isabs(entry))


def find_executable(command: str, env: Mapping[str, str]) -> str:
    """The path to execute: the command itself where it is one.

    Raises:
        FileNotFoundError: No absolute entry of the PATH has that executable, or the command is a relative path.
    """
    if os.path.isabs(command):
        return command
    # With an empty path `which` answers None; it must not see the process's own PATH.
    found = None if "/" in command else shutil.which(command, path=searched_path(env))
    if found is None:
        raise FileNotFoundError
    return found
