"""What is known about a project's file that may wait for a yes, and what its servers say, as values."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Final, Literal, cast

import tomli

from mcp_host.core.definitions.faults import FieldPath
from mcp_host.core.definitions.layers import Hidden
from mcp_host.problems import Problem

TrustTarget = Literal["stdio", "http", "sse", "unknown"]
TrustState = Literal["untrusted", "changed", "trusted", "ignored", "absent"]


@dataclass(frozen=True, kw_only=True)
class TrustServer:
    """One server that the project's file mentions."""

    alias: str
    target: TrustTarget
    """With what other layers give; unknown where the file is too wrong to tell."""
    fields: tuple[tuple[str, str], ...]
    """What the file itself says: the name and the TOML value, unexpanded and whole."""
    inherited: tuple[tuple[str, str, str], ...] = ()
    """What other layers say and the file leaves standing: the name, the TOML value, the place ("user mcp.toml:7")."""
    hides: tuple[Hidden, ...] = ()
    """What other layers say and the file contradicts."""
    is_new: bool = False
    """There was a yes, and it was not to this server."""
    problem: Problem | None = None
    """Why the server would be off even after a yes."""


@dataclass(frozen=True, kw_only=True)
class TrustFacts:
    """A project's file, exactly as it was read."""

    file: str
    real_path: str | None = None
    """Only where it is another path, behind a symbolic link."""
    digest: str
    """Of exactly the text that is shown."""
    state: TrustState
    approved_at: str | None = None
    """When the last yes was said, ready to read; views know no clock."""
    servers: tuple[TrustServer, ...] = ()
    changes: tuple[str, ...] = ()
    """What changed in the text since the last yes: lines that start with `+`, `-` or a blank."""
    problems: tuple[Problem, ...] = ()


@dataclass(frozen=True, kw_only=True)
class Said:
    """One field of a server."""

    value: object
    """A text that is no TOML value is a string of it, so that it is shown in any case."""
    place: str = ""
    """Where it is from; empty: the project's file."""


@dataclass(frozen=True, kw_only=True)
class Leaf:
    """One value that has no parts, or an empty array or table."""

    path: FieldPath
    """From the server's table down."""
    value: object


def said_fields(server: TrustServer) -> dict[str, Said]:
    """Everything that would hold for the server after a yes, by the field's name."""
    found = {name: Said(value=_value(text), place=place) for name, text, place in server.inherited}
    return found | {name: Said(value=_value(text)) for name, text in server.fields}


def leaves(value: object, path: FieldPath) -> Iterator[Leaf]:
    """Every single value in a field's value, in order."""
    parts: Iterable[tuple[str | int, object]] = ()
    if isinstance(value, Mapping):
        parts = cast("Mapping[str, object]", value).items()
    elif isinstance(value, list):
        parts = enumerate(cast("list[object]", value))
    is_leaf = True
    for name, member in parts:
        is_leaf = False
        yield from leaves(member, (*path, name))
    if is_leaf:
        yield Leaf(path=path, value=cast("object", value))


_KEY: Final = "value"


def _value(text: str) -> object:
    try:
        table = tomli.loads(f"{_KEY} = {text.strip()}")
    except (ValueError, RecursionError):
        return text
    # A text that goes on behind its value must not lose what follows.
    return table[_KEY] if len(table) == 1 else text
