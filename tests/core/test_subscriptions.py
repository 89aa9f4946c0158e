"""What is listened for, what a server agrees to, and when it is asked again."""

from __future__ import annotations

from typing import Any

import pytest

from mcp_host.core.subscriptions import Listenable, ListenFilter, ListenPace, listenable, read_filter
from mcp_host.core.tasks import TASKS_EXTENSION

EVERYTHING: dict[str, Any] = {
    "tools": {"listChanged": True},
    "prompts": {"listChanged": True},
    "resources": {"listChanged": True, "subscribe": True},
    "extensions": {TASKS_EXTENSION: {}},
}


@pytest.mark.behaviour("listening.declared-only")
@pytest.mark.parametrize(
    ("capabilities", "found"),
    [
        (EVERYTHING, Listenable(lists=frozenset({"tools", "prompts", "resources"}), resources=True, tasks=True)),
        ({"tools": {}, "resources": {"listChanged": False}, "prompts": {"listChanged": "yes"}}, Listenable()),
        ({"resources": {"subscribe": True}}, Listenable(resources=True)),
        ({"tools": None, "extensions": [TASKS_EXTENSION]}, Listenable()),
    ],
)
def test_only_what_is_declared_can_be_listened_for(capabilities: dict[str, Any], found: Listenable) -> None:
    assert listenable(capabilities, tasks_offered=True) == found
    assert found.is_anything == (found != Listenable())


def test_tasks_are_listened_for_where_both_sides_have_them() -> None:
    assert listenable(EVERYTHING, tasks_offered=False).tasks is False


def test_a_filter_holds_what_is_watched_as_far_as_the_server_tells_it() -> None:
    everything = listenable(EVERYTHING, tasks_offered=True).filter_for(uris=["b:", "a:"], task_ids=["t"])
    assert everything.to_wire() == {
        "toolsListChanged": True,
        "promptsListChanged": True,
        "resourcesListChanged": True,
        "resourceSubscriptions": ["a:", "b:"],
        "taskIds": ["t"],
    }
    assert Listenable(lists=frozenset({"tools"})).filter_for(uris=["a:"], task_ids=["t"]).to_wire() == {
        "toolsListChanged": True
    }
    assert Listenable().filter_for(uris=["a:"], task_ids=["t"]).is_empty


@pytest.mark.behaviour("listening.honoured-subset")
def test_what_a_server_agrees_to_is_read_back_and_compared() -> None:
    wanted = ListenFilter(lists=frozenset({"tools", "prompts"}), uris=frozenset({"a:", "b:"}), task_ids=frozenset("t"))
    assert read_filter(wanted.to_wire()) == wanted
    agreed = read_filter({"toolsListChanged": True, "promptsListChanged": False, "resourceSubscriptions": ["a:", 3]})
    assert agreed is not None
    assert wanted.without(agreed) == ListenFilter(
        lists=frozenset({"prompts"}), uris=frozenset({"b:"}), task_ids=frozenset("t")
    )


@pytest.mark.parametrize("odd", [None, [], "toolsListChanged", 1])
def test_what_is_no_filter_agrees_to_nothing(odd: object) -> None:
    assert read_filter(odd) is None


@pytest.mark.parametrize("odd", [1, "true", None])
def test_a_member_that_is_odd_lets_nothing_through(odd: object) -> None:
    members = ("toolsListChanged", "resourceSubscriptions", "taskIds")
    assert read_filter(dict.fromkeys(members, odd)) == ListenFilter()


@pytest.mark.behaviour("listening.again-after-loss")
def test_a_server_is_asked_again_later_each_time_up_to_a_bound() -> None:
    pace = ListenPace(first_retry_seconds=0.5, longest_retry_seconds=60)
    assert [pace.retry_seconds(failures) for failures in (1, 2, 3, 7, 8, 10**6)] == [0.5, 1, 2, 32, 60, 60]
