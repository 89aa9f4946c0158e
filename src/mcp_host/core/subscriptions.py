"""Which changes of a server are listened for: the filter of one `subscriptions/listen`, and when to try it again.

A filter is what we want, or what a server agreed to: the same members both times (specification 2026-07-28,
"Subscriptions"; `taskIds` is of the extension for tasks).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Final, Literal

from mcp_host.core.catalog.json_values import as_array, as_object
from mcp_host.core.tasks import TASKS_EXTENSION

ListKind = Literal["tools", "resources", "prompts"]

_LISTS: Final[Mapping[ListKind, str]] = {
    "tools": "toolsListChanged",
    "resources": "resourcesListChanged",
    "prompts": "promptsListChanged",
}


@dataclass(frozen=True, kw_only=True)
class ListenFilter:
    """A set of changes. Two are equal when they mean the same."""

    lists: frozenset[ListKind] = frozenset()
    uris: frozenset[str] = frozenset()
    task_ids: frozenset[str] = frozenset()

    @property
    def is_empty(self) -> bool:
        """It lets nothing through."""
        return not (self.lists or self.uris or self.task_ids)

    def to_wire(self) -> dict[str, Any]:
        """The object as it goes on the wire: nothing in it that is not wanted."""
        wire: dict[str, Any] = {member: True for kind, member in _LISTS.items() if kind in self.lists}
        if self.uris:
            wire["resourceSubscriptions"] = sorted(self.uris)
        if self.task_ids:
            wire["taskIds"] = sorted(self.task_ids)
        return wire

    def without(self, other: ListenFilter) -> ListenFilter:
        """What of this the other does not have."""
        return ListenFilter(
            lists=self.lists - other.lists, uris=self.uris - other.uris, task_ids=self.task_ids - other.task_ids
        )

    def within(self, other: ListenFilter) -> ListenFilter:
        """What of this the other has, too."""
        return self.without(self.without(other))

    def joined(self, other: ListenFilter) -> ListenFilter:
        """What either has."""
        return ListenFilter(
            lists=self.lists | other.lists, uris=self.uris | other.uris, task_ids=self.task_ids | other.task_ids
        )


def read_filter(value: object) -> ListenFilter | None:
    """The filter in an acknowledgement; members that are odd let nothing through. None where it is no filter."""
    members = as_object(value)
    if members is None:
        return None
    return ListenFilter(
        lists=frozenset(kind for kind, member in _LISTS.items() if members.get(member) is True),
        uris=_texts(members.get("resourceSubscriptions")),
        task_ids=_texts(members.get("taskIds")),
    )


@dataclass(frozen=True, kw_only=True)
class Listenable:
    """What a server says that it tells when it changes."""

    lists: frozenset[ListKind] = frozenset()
    resources: bool = False
    """Single resources can be subscribed to."""
    tasks: bool = False
    """It may make tasks of calls."""

    @property
    def is_anything(self) -> bool:
        """There is something to listen for."""
        return bool(self.lists or self.resources or self.tasks)

    def filter_for(self, *, uris: Iterable[str], task_ids: Iterable[str]) -> ListenFilter:
        """What to listen for: all of the lists, and of these resources and tasks what the server has to say."""
        return ListenFilter(
            lists=self.lists,
            uris=frozenset(uris) if self.resources else frozenset(),
            task_ids=frozenset(task_ids) if self.tasks else frozenset(),
        )


def listenable(capabilities: Mapping[str, object], *, tasks_offered: bool) -> Listenable:
    """What a server's capabilities declare. Nothing is asked for that was not declared."""
    extensions = as_object(capabilities.get("extensions")) or {}
    return Listenable(
        lists=frozenset(kind for kind in _LISTS if _declares(capabilities, kind, "listChanged")),
        resources=_declares(capabilities, "resources", "subscribe"),
        tasks=tasks_offered and TASKS_EXTENSION in extensions,
    )


@dataclass(frozen=True, kw_only=True)
class ListenPace:
    """The times of listening, all in seconds."""

    acknowledge_seconds: float = 30.0
    """For a server to agree. The stream itself has no limit."""
    first_retry_seconds: float = 0.5
    longest_retry_seconds: float = 60.0
    lasting_seconds: float = 60.0
    """A stream that was there for so long was a good one: its end counts as the first."""

    def retry_seconds(self, failures: int) -> float:
        """How long to wait after so many failures in a row: twice as long each time. Counted from 1."""
        # Bounded before it is computed: a power of a large number does not fit a float.
        return min(self.first_retry_seconds * 2 ** min(failures - 1, 30), self.longest_retry_seconds)


def _declares(capabilities: Mapping[str, object], capability: str, member: str) -> bool:
    return (as_object(capabilities.get(capability)) or {}).get(member) is True


def _texts(value: object) -> frozenset[str]:
    return frozenset(item for item in as_array(value) or () if isinstance(item, str))
