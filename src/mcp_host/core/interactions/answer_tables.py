"""Which requests of an interaction a person answers, and in which tables of the text."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from mcp_host.core.interactions.requests import Asked, InputRequest
from mcp_host.core.interactions.toml_spelling import Unspelled, toml_key

VISITED: Final = "visited"
"""The one member of an address's table: true where somebody went there."""


def of_person(asked: Asked) -> tuple[InputRequest, ...]:
    """The requests that need a person: all but those for roots, which the host answers."""
    return tuple(request for request in asked.requests if request.kind != "roots")


def is_editable(asked: Asked) -> bool:
    """Whether there is something to fill in. An address alone is answered by saying that one was there."""
    return any(request.kind in ("form", "sampling") for request in asked.requests)


def table_names(asked: Asked) -> Mapping[str, str]:
    """The name of each request's table, by key. A key that no line has room for is replaced by a number."""
    requests = of_person(asked)
    taken = {request.key for request in requests}
    names: dict[str, str] = {}
    for number, request in enumerate(requests, start=1):
        names[request.key] = request.key if _is_spelled(request.key) else _free(f"request-{number}", taken)
    return names


def _is_spelled(key: str) -> bool:
    try:
        toml_key(key)
    except Unspelled:
        return False
    return True


def _free(name: str, taken: set[str]) -> str:
    while name in taken:
        name += "-"
    taken.add(name)
    return name
