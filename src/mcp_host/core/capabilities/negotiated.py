"""What both sides of one connection have, from what the server declared and what it was told.

A server may declare anything; what no row of the matrix knows keeps the server's own spelling.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from mcp_host.core.capabilities.capability import Capability, Fragment, Partial, Supported
from mcp_host.core.capabilities.matrix import MATRIX
from mcp_host.core.catalog.catalog import Era
from mcp_host.core.catalog.json_values import as_object

_EXTENSIONS: Final = "extensions"
_OPEN: Final = frozenset({_EXTENSIONS, "experimental"})
"""Members that say nothing by being there: what is in them does. Many servers send an empty one."""


@dataclass(frozen=True, kw_only=True)
class Negotiated:
    """The capabilities of one connection; what belongs to its revision and is never declared is not among them."""

    shared: tuple[Capability, ...] = ()
    """The server declared it and this host does it."""
    usable: tuple[Capability, ...] = ()
    """The server was told of it and may use it; servers have no word of their own for it."""
    unused: tuple[Capability, ...] = ()
    """The server declared it, and this host does not do it or did not offer it."""
    unknown: tuple[str, ...] = ()
    """What the server declared and no row knows, in its own spelling."""


def negotiate_capabilities(
    era: Era,
    *,
    declared: Mapping[str, object],
    told: Mapping[str, object],
    matrix: Sequence[Capability] = MATRIX,
) -> Negotiated:
    """What comes of the two objects. Raises nothing, whatever the server declared."""
    shared: list[Capability] = []
    usable: list[Capability] = []
    unused: list[Capability] = []
    for capability in matrix:
        if era not in capability.eras:
            continue
        is_done = isinstance(capability.standing, Supported | Partial)
        is_told = _says(told, capability.client_says)
        if not capability.server_says:
            if is_done and is_told and capability.client_says:
                usable.append(capability)
        elif _says(declared, capability.server_says):
            (shared if is_done and is_told else unused).append(capability)
    return Negotiated(
        shared=tuple(shared), usable=tuple(usable), unused=tuple(unused), unknown=_unknown(era, declared, matrix)
    )


def _says(capabilities: Mapping[str, object], fragment: Fragment) -> bool:
    """Whether everything in the fragment is in there; nothing always is."""
    for key, value in fragment.items():
        said = capabilities.get(key)
        if said is None or said is False:
            return False
        if value is True and said is not True:
            return False
        if not isinstance(value, bool) and value and not _says(as_object(said) or {}, value):
            return False
    return True


def _unknown(era: Era, declared: Mapping[str, object], matrix: Sequence[Capability]) -> tuple[str, ...]:
    known = [capability.server_says for capability in matrix if era in capability.eras]
    names = {name for fragment in known for name in fragment} | _OPEN
    extensions = {name for fragment in known for name in as_object(fragment.get(_EXTENSIONS)) or {}}
    return (
        *(name for name in declared if name not in names),
        *(name for name in as_object(declared.get(_EXTENSIONS)) or {} if name not in extensions),
    )
