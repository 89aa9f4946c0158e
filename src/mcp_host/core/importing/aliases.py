"""From what another client calls a server to an alias, each only once in a file."""

from __future__ import annotations

import re
import unicodedata
from typing import Final

from mcp_host.core.definitions.models import is_alias

ALIAS_LENGTH: Final = 32


def fitting_alias(name: str) -> str:
    """The name as an alias. Of a name like `com.example/notes` the part behind the last slash; "server" of nothing."""
    parts = [part for part in name[-_LENGTH_READ:].split("/") if _USABLE.search(part)]
    plain = unicodedata.normalize("NFKD", parts[-1] if parts else name[:_LENGTH_READ])
    plain = "".join(character for character in plain if not unicodedata.combining(character))
    alias = _UNFIT.sub("-", plain.lower()).strip("-")
    if alias and not alias[0].isalpha():
        alias = f"mcp-{alias}"
    return alias[:ALIAS_LENGTH].rstrip("-") or "server"


class Aliases:
    """The aliases of one file."""

    def __init__(self) -> None:
        self._next: dict[str, int] = {}

    def take(self, name: str) -> str:
        """An alias for this name that was not given away before."""
        wanted = fitting_alias(name)
        alias = wanted
        while alias in self._next:
            self._next[wanted] += 1
            suffix = f"-{self._next[wanted]}"
            alias = wanted[: ALIAS_LENGTH - len(suffix)].rstrip("-") + suffix
        self._next.setdefault(alias, 1)
        assert is_alias(alias)
        return alias


_LENGTH_READ: Final = 200
"""Characters of a name that are looked at; an alias keeps 32 of them at most."""

_UNFIT: Final = re.compile(r"[^a-z0-9]+")
_USABLE: Final = re.compile(r"[A-Za-z0-9]")
