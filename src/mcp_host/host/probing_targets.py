"""What a person means by the words behind `:McpDiscover`: a URL, a file of another client, or a command line."""

from __future__ import annotations

import os
import re
import shlex
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final, TypeAlias

from mcp_host.problems import Problem, ProblemError


@dataclass(frozen=True, kw_only=True)
class UrlTarget:
    """A server to reach. The URL may hold secrets."""

    url: str = field(repr=False)


@dataclass(frozen=True, kw_only=True)
class FileTarget:
    """A file that is there, by its absolute path."""

    path: Path


@dataclass(frozen=True, kw_only=True)
class CommandTarget:
    """A program to start. The words may hold secrets."""

    words: tuple[str, ...] = field(repr=False)


Target: TypeAlias = UrlTarget | FileTarget | CommandTarget


def read_target(text: str, *, folder: Path, home: Path) -> Target:
    """What the text means; a relative path begins in `folder`.

    Raises:
        ProblemError: `usage`, for what can be none of the three. It quotes nothing but the name of a file.
    """
    text = text.strip()
    if _URL.match(text):
        return UrlTarget(url=text)
    # As it stands first: nobody quotes a path with a blank in it where nothing but a path is given.
    path = _file(text, folder=folder, home=home)
    if path is not None:
        return FileTarget(path=path)
    words = _words(text)
    if len(words) == 1:
        path = _file(words[0], folder=folder, home=home)
        if path is not None:
            return FileTarget(path=path)
        if words[0].lower().endswith(_ENDINGS):
            raise ProblemError(_no_file(words[0]))
    return CommandTarget(words=words)


def read_server(text: str) -> UrlTarget | CommandTarget:
    """The same where only a server can be meant.

    Raises:
        ProblemError: `usage`.
    """
    text = text.strip()
    return UrlTarget(url=text) if _URL.match(text) else CommandTarget(words=_words(text))


_URL: Final = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*://")
_ENDINGS: Final = (".json", ".jsonc", ".json5", ".toml")
"""What the files of clients end in; a program does not."""


def _file(text: str, *, folder: Path, home: Path) -> Path | None:
    if not text.lower().endswith(_ENDINGS):
        return None
    written = home / text[2:] if text.startswith("~/") else folder / text
    path = os.path.normpath(written)
    return Path(path) if os.path.exists(path) else None


def _words(text: str) -> tuple[str, ...]:
    try:
        return tuple(shlex.split(text))
    except ValueError as error:
        raise ProblemError(
            Problem(
                type="usage",
                title="The command line cannot be split into words",
                detail=f"{error}.",  # shlex names what is missing, and quotes nothing
                hint="Close the quotation, or write a backslash before a quote or backslash that is meant literally.",
            )
        ) from None


def _no_file(name: str) -> Problem:
    return Problem(
        type="usage",
        title=f"There is no file {name}",
        detail="A relative path begins in the editor's folder.",
        hint="Correct the path; :McpDiscover alone looks for the files of the clients that are known.",
    )
