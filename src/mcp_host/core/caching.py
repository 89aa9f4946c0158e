"""How long a result may be used again, and by whom: the hints that servers of 2026-07-28 put into results.

A hint is the server's word about its own data and is believed in one direction only: what is missing or odd means that
the result is old at once and nobody else's. Who keeps results is decided in `host/read_cache.py`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Final, Literal

from mcp_host.core.catalog.catalog import Era
from mcp_host.core.catalog.json_values import as_array, as_object

LONGEST_TTL_MS: Final = 24 * 60 * 60 * 1000
"""What a server says about next year is no promise that anybody should rely on."""
UNANNOUNCED_SECONDS: Final = 300.0
"""How long a list counts as fresh that has no time of its own, of a server that announces no changes."""

CacheScope = Literal["public", "private"]


@dataclass(frozen=True, kw_only=True)
class CacheHint:
    """What a server says about using one of its results again."""

    ttl_ms: int = 0
    """From when it arrived; 0: it is old at once."""
    scope: CacheScope = "private"
    """`public`: it is the same for everybody whom the server lets in."""

    @property
    def is_cacheable(self) -> bool:
        """Whether it is worth keeping at all."""
        return self.ttl_ms > 0


NOT_CACHEABLE: Final = CacheHint()


def cache_hint(raw: Mapping[str, object], *, era: Era) -> CacheHint:
    """The hint in a raw result. Only complete results of modern servers have one; what is odd counts as absent."""
    if era == "legacy" or raw.get("resultType", "complete") != "complete":
        return NOT_CACHEABLE
    return CacheHint(
        ttl_ms=_ttl_ms(raw.get("ttlMs")), scope="public" if raw.get("cacheScope") == "public" else "private"
    )


def list_fresh_seconds(pages: Iterable[Mapping[str, object]], *, era: Era, announced: bool) -> float | None:
    """How long one list may be used before it is read again; None: until the server says that it changed.

    The page that is old first decides, because the pages are read again together.

    A list that is "old at once" would be read before each use of any tool. So such a one is used until its change is
    announced, and where no announcement is to be expected, for `UNANNOUNCED_SECONDS`: the specification leaves the
    heuristic to clients.

    Args:
        announced: The server declares `listChanged` for the list, and did not refuse to announce it.
    """
    if era == "legacy":
        return None
    ttls = [cache_hint(page, era=era).ttl_ms for page in pages]
    if ttls and min(ttls) > 0:
        return min(ttls) / 1000
    return None if announced else UNANNOUNCED_SECONDS


def soonest(times: Iterable[float | None]) -> float | None:
    """The first of several moments, or the shortest of several times, where None is never."""
    return min((time for time in times if time is not None), default=None)


def weight(raw: Mapping[str, object]) -> int:
    """About how many bytes a raw result takes in memory: its texts, and a little for each value."""
    total = 0
    rest: list[object] = [raw]
    while rest:
        value = rest.pop()
        total += _VALUE_BYTES
        if isinstance(value, str):
            total += len(value)
        elif (members := as_object(value)) is not None:
            total += sum(len(name) for name in members)
            rest.extend(members.values())
        elif (items := as_array(value)) is not None:
            rest.extend(items)
    return total


def is_within(uri: str, changed: str) -> bool:
    """Whether a change of the second resource is one of the first: it is the same, or lies below it."""
    return changed == uri or changed.startswith(f"{uri.rstrip('/')}/")


_VALUE_BYTES: Final = 16


def _ttl_ms(value: object) -> int:
    if isinstance(value, bool) or not isinstance(value, int | float):
        return 0
    # Written so that no-number, which JSON parsers let through, is out.
    return int(min(value, LONGEST_TTL_MS)) if value > 0 else 0
