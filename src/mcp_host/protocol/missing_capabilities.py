"""What a server says that it needs of its client, by name, and how a person can offer it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final

from mcp_host.core.catalog.json_values import as_object
from mcp_host.problems import Problem
from mcp_host.protocol.wording import Attempt, named, refused

_NAME_LIMIT: Final = 8
"""Names that are told. Nobody reads on, and a server may send thousands."""

_OFFERED_BY: Final[Mapping[str, str]] = {
    "sampling": "name who answers it: setup{ sampling = … }",
    "roots": "allow it: setup{ roots = { modern = true } }",
    "elicitation": "make the call in an editor with a screen, or give the answers beforehand",
}
"""For the first part of a capability's name."""


def missing_capabilities(attempt: Attempt, detail: str, data: object) -> Problem:
    """The server refused because of capabilities that it was not told of.

    Args:
        detail: What it said.
        data: What its error holds: `requiredCapabilities`, if it keeps to the specification.
    """
    required = tuple(_names(as_object((as_object(data) or {}).get("requiredCapabilities")) or {}))
    told = ", ".join(named(name) for name in required[:_NAME_LIMIT]) + (", …" if len(required) > _NAME_LIMIT else "")
    ways = dict.fromkeys(way for name in required if (way := _OFFERED_BY.get(name.partition(".")[0])) is not None)
    return refused(
        attempt,
        f"{detail}\nIt asks for what this host does not offer on this connection{': ' if told else ''}{told}.",
        hint=f"To offer it, {'; and '.join(ways)}." if ways else "Ask for something that the server can do without it.",
    )


def _names(required: Mapping[str, object]) -> Iterator[str]:
    for name, value in required.items():
        parts = as_object(value)
        yield from (f"{name}.{part}" for part in parts) if parts else (name,)
