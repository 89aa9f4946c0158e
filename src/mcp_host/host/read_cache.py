"""Resources that were read and may be shown again without asking, for as long as their server said.

The policy: what the specification calls private is kept for the connection identity that read it and for nobody else;
what it calls public, for everybody who reaches a server at the same place. A change that is announced while a read is
under way counts against its result too, since nobody knows which of the two came first. Nothing is written to disk.
"""

from __future__ import annotations

from collections import OrderedDict, deque
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Final

from mcp_host.core.caching import cache_hint, is_within, weight

ENTRY_CAP: Final = 200
"""Resources kept at a time; the one that was not used for longest goes first."""
TOTAL_CAP_BYTES: Final = 32 * 1024 * 1024
"""In all. An editor holds what it shows anyway; this is for what it may show again."""
ENTRY_CAP_BYTES: Final = TOTAL_CAP_BYTES // 4
"""For one result: a single large one must not drive out everything else."""

_CHANGES_CAP: Final = 1000
"""Announced changes remembered. A read during which more were announced is not kept, whatever it was."""


@dataclass(frozen=True, kw_only=True)
class Kept:
    """A result that may be used again."""

    raw: Mapping[str, object] = field(repr=False)
    age_seconds: float


@dataclass(frozen=True, kw_only=True)
class _Key:
    alias: str
    uri: str
    readers: str
    """The connection identity, or the place whose visitors all may see it."""
    is_public: bool


@dataclass(frozen=True, kw_only=True)
class _Entry:
    raw: Mapping[str, object] = field(repr=False)
    received_at: float
    fresh_until: float
    weight: int


@dataclass(frozen=True, kw_only=True)
class _Change:
    alias: str
    uri: str | None
    """None: any of the server's."""

    def concerns(self, alias: str, uri: str) -> bool:
        return self.alias == alias and (self.uri is None or is_within(uri, self.uri))


class ReadCache:
    """The results of `resources/read` that are fresh. Only for those of modern servers: others give no times."""

    def __init__(
        self,
        *,
        clock: Callable[[], float],
        entry_cap: int = ENTRY_CAP,
        total_cap_bytes: int = TOTAL_CAP_BYTES,
        entry_cap_bytes: int = ENTRY_CAP_BYTES,
    ) -> None:
        """`clock` gives seconds that never go back."""
        self._clock = clock
        self._entry_cap = entry_cap
        self._total_cap_bytes = total_cap_bytes
        self._entry_cap_bytes = entry_cap_bytes
        self._entries: OrderedDict[_Key, _Entry] = OrderedDict()
        self._changes: deque[_Change] = deque(maxlen=_CHANGES_CAP)
        self._change_count = 0

    def get(self, alias: str, uri: str, identity: str, *, place: str | None = None) -> Kept | None:
        """The result that may be used again, None where the server has to be asked. A person's reload does not ask.

        Args:
            place: Where the server is, without what it lets us in with; None where that is not known, and then nothing
                is shared between identities.
        """
        now = self._clock()
        for key in _keys(alias, uri, identity, place):
            entry = self._entries.get(key)
            if entry is not None and now < entry.fresh_until:
                self._entries.move_to_end(key)
                return Kept(raw=entry.raw, age_seconds=now - entry.received_at)
        return None

    def mark(self) -> int:
        """To be taken before the server is asked, for `put`."""
        return self._change_count

    def put(
        self,
        alias: str,
        uri: str,
        identity: str,
        raw: Mapping[str, object],
        *,
        place: str | None = None,
        mark: int | None = None,
    ) -> None:
        """The result has come just now: it replaces what was known, and is kept where the server allows that.

        Not for a result that came after the server had asked for something: it is for that once, whatever it says.

        Args:
            mark: From before the server was asked: what was changed since is not kept.
        """
        keys = _keys(alias, uri, identity, place)
        for key in keys:
            self._entries.pop(key, None)
        hint = cache_hint(raw, era="modern")
        if not hint.is_cacheable or (mark is not None and self._changed_since(mark, alias, uri)):
            return
        size = weight(raw)
        if size > self._entry_cap_bytes:
            return
        now = self._clock()
        self._entries[keys[-1] if hint.scope == "public" else keys[0]] = _Entry(
            raw=raw, received_at=now, fresh_until=now + hint.ttl_ms / 1000, weight=size
        )
        self._make_room(now)

    def forget(self, alias: str, uri: str) -> None:
        """This resource has changed, or is gone; so has what it is a part of."""
        self._forget(_Change(alias=alias, uri=uri))

    def forget_server(self, alias: str) -> None:
        """The server's list of resources has changed (it does not say which), or it is another server now."""
        self._forget(_Change(alias=alias, uri=None))

    def _forget(self, change: _Change) -> None:
        self._changes.append(change)
        self._change_count += 1
        for key in [key for key in self._entries if change.concerns(key.alias, key.uri)]:
            del self._entries[key]

    def _changed_since(self, mark: int, alias: str, uri: str) -> bool:
        since = self._change_count - mark
        if since > len(self._changes):
            return True  # so many that the first of them are forgotten
        return any(self._changes[-1 - back].concerns(alias, uri) for back in range(since))

    def _make_room(self, now: float) -> None:
        for key in [key for key, entry in self._entries.items() if entry.fresh_until <= now]:
            del self._entries[key]
        total = sum(entry.weight for entry in self._entries.values())
        while len(self._entries) > self._entry_cap or total > self._total_cap_bytes:
            _, oldest = self._entries.popitem(last=False)
            total -= oldest.weight


def _keys(alias: str, uri: str, identity: str, place: str | None) -> tuple[_Key, ...]:
    """The reader's own, and everybody's where that is known."""
    mine = _Key(alias=alias, uri=uri, readers=identity, is_public=False)
    if place is None:
        return (mine,)
    return mine, _Key(alias=alias, uri=uri, readers=place, is_public=True)
