"""A candidate: a server out of another client's file, a command line or a URL, as a definition that could be added.

A candidate holds no credential. Where the other file had one, the table has a reference and `secrets` says how to set
the variable, without its value.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True, kw_only=True)
class NeededSecret:
    """A variable that somebody has to set: its value stands in the other file, or the other client asked for it."""

    reference: str
    """The variable's name."""
    place: str
    """Where the value (or the question) stands now: `.mcp.json:7`, "the command line"."""
    line: str
    """The shell line that sets the variable, with no value in it."""


@dataclass(frozen=True, kw_only=True)
class Candidate:
    """What could be added as a server."""

    alias: str
    table: Mapping[str, object]
    """The server's table as it would be written: unexpanded, with the keys of a definition only."""
    client: str
    """Whose file it is from, as shown to people: "VS Code"."""
    origin: str
    """`file:line`, "the command line" or "the URL"."""
    notes: tuple[str, ...] = ()
    """What was changed or could not be taken over, each as a sentence."""
    secrets: tuple[NeededSecret, ...] = ()
    faults: tuple[str, ...] = ()
    """Why it cannot be added as it is; empty: it can."""
