"""Reads the files of other clients, each within a size: what they offer, and what hinders it. Blocks."""

from __future__ import annotations

import errno
import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from mcp_host.core.importing.candidates import Candidate
from mcp_host.core.importing.clients import read_client_file
from mcp_host.host.regular_files import open_regular
from mcp_host.problems import Problem

SIZE_LIMIT: Final = 2 * 1024 * 1024
"""Bytes. A real one has some kilobytes, and reading this many that are all servers takes five seconds."""

WORKSPACE_LIMIT: Final = 64 * 1024
"""Bytes of a file in the workspace, which may have come from anybody."""

HISTORY_LIMIT: Final = 128 * 1024 * 1024
"""Bytes of a file that holds a person's whole history beside the servers; tens of megabytes take a second."""

CANDIDATES_LIMIT: Final = 500
"""Of one discovery. Nobody has so many servers, and each is kept in memory and takes some lines of the buffer."""


@dataclass(frozen=True, kw_only=True)
class Offers:
    """What some files offer."""

    candidates: tuple[Candidate, ...] = ()
    problems: tuple[Problem, ...] = ()
    files: int = 0
    """How many of them are there."""


def read_files(paths: Sequence[str], *, folder: str, home: str) -> Offers:
    """What those of the files offer that are there; a file that is named twice is read once."""
    candidates: list[Candidate] = []
    problems: list[Problem] = []
    seen: set[str] = set()
    for path in paths:
        real_path = os.path.realpath(path)
        if real_path in seen or not os.path.lexists(path):
            continue
        seen.add(real_path)
        try:
            text = _text_of(path, _limit(path, folder, home))
        except OSError as error:
            problems.append(_unreadable(path, error.strerror or type(error).__name__))
            continue
        found = read_client_file(text, path, folder=folder, home=home)
        candidates += found.candidates
        problems += found.problems
    if len(candidates) > CANDIDATES_LIMIT:
        problems.append(_too_many(len(candidates)))
    return Offers(candidates=tuple(candidates[:CANDIDATES_LIMIT]), problems=tuple(problems), files=len(seen))


def _limit(path: str, folder: str, home: str) -> int:
    if folder != home and Path(path).is_relative_to(folder):
        return WORKSPACE_LIMIT
    return HISTORY_LIMIT if Path(path).name == ".claude.json" else SIZE_LIMIT


def _text_of(path: str, limit: int) -> str:
    """The file's text.

    Raises:
        OSError: It cannot be read, is too large, or is no file: a folder, or a pipe that would be waited for.
    """
    with open_regular(Path(path)) as file:
        data = file.read(limit + 1)
    if len(data) > limit:
        raise OSError(errno.EFBIG, f"it has more than {limit // 1024} KiB, which no client's list of servers has")
    return data.decode("utf-8", "surrogateescape")


def _unreadable(path: str, why: str) -> Problem:
    return Problem(
        type="definition-unparsable",
        title=f"{path} cannot be read",
        detail=f"{path}: {why}",
        hint="Look at the file; a copy of its part about servers can be given by its path: :McpDiscover {file}.",
    )


def _too_many(number: int) -> Problem:
    return Problem(
        type="definition-invalid",
        title=f"Only the first {CANDIDATES_LIMIT} of {number} servers are shown",
        detail="More than that are no list that a person made.",
        hint="Give one file by its path, or take out of it what is not needed.",
    )
