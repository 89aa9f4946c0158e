"""The one table of a server's life."""

from __future__ import annotations

import itertools
from typing import get_args

import pytest

from mcp_host.core.lifecycle import TABLE, Event, ImpossibleEvent, Status, may, step

_STATUSES: tuple[Status, ...] = get_args(Status)
_EVENTS: tuple[Event, ...] = get_args(Event)


def _after(status: Status, *events: Event) -> Status:
    for event in events:
        status = step(status, event)
    return status


@pytest.mark.parametrize(
    ("events", "status"),
    [
        (("start", "connected"), "ready"),
        (("start", "connected", "lost", "retry", "connected"), "ready"),
        (("start", "lost", "gave_up"), "failed"),
        (("start", "lost", "gave_up", "start", "connected"), "ready"),
        (("start", "refused", "authorize", "unauthorized", "authorize", "authorized", "connected"), "ready"),
        (("start", "connected", "refused"), "needs_auth"),
        (("start", "connected", "stop", "stop", "stopped"), "off"),
        (("stop",), "off"),
    ],
)
def test_a_server_lives_like_this(events: tuple[Event, ...], status: Status) -> None:
    assert _after("off", *events) == status


def test_every_status_is_in_the_table_and_can_be_reached() -> None:
    reached: set[Status] = {"off"}
    for _ in _STATUSES:
        reached |= {following for status in reached for following in TABLE[status].values()}
    assert reached == set(TABLE) == set(_STATUSES)


def test_every_event_happens_somewhere() -> None:
    assert {event for row in TABLE.values() for event in row} == set(_EVENTS)


def test_every_server_can_be_stopped() -> None:
    assert [_after(status, "stop") for status in _STATUSES if status != "off"] == ["stopping"] * 7


def test_a_stopping_server_cannot_be_started() -> None:
    with pytest.raises(ImpossibleEvent):
        step("stopping", "start")


def test_may_and_step_agree() -> None:
    for status, event in itertools.product(_STATUSES, _EVENTS):
        if may(status, event):
            assert step(status, event) in _STATUSES
        else:
            with pytest.raises(ImpossibleEvent):
                step(status, event)
