"""A lost server is tried again later each time, never in a storm, and once a minute after the budget."""

from __future__ import annotations

import random
from collections.abc import Callable

import pytest

from mcp_host.core.backoff import BURST_STARTS, SLOW_SECONDS, Backoff
from mcp_host.core.definitions.models import Reconnect

POLICY = Reconnect()


def crash_loop(policy: Reconnect, *, minutes: float, chance: Callable[[], float] = lambda: 0.0) -> list[float]:
    """When a server is started that comes up and dies at once, each time."""
    now, backoff, starts = 1_000.0, Backoff(), list[float]()
    begin = now
    while now - begin < minutes * 60:
        starts.append(now - begin)
        backoff = backoff.started(now)
        now = backoff.following(policy, now, chance()).at
        backoff = backoff.tried()
    return starts


def test_delays_double_up_to_the_maximum_and_then_it_is_slow() -> None:
    policy = Reconnect(initial_delay_seconds=1, max_delay_seconds=5, max_attempts=5)
    backoff, delays = Backoff(), list[tuple[float, bool]]()
    for _ in range(7):
        retry = backoff.following(policy, 0.0, 0.0)
        delays.append((retry.at, retry.is_slow))
        backoff = backoff.tried()
    assert delays == [(1, False), (2, False), (4, False), (5, False), (5, False), (60, True), (60, True)]


def test_chance_takes_up_to_half_of_a_delay() -> None:
    policy = Reconnect(initial_delay_seconds=4)
    assert [Backoff().following(policy, 0.0, chance).at for chance in (0.0, 0.5, 1.0)] == [4, 3, 2]


def test_no_attempts_means_slow_from_the_first() -> None:
    retry = Backoff().following(Reconnect(max_attempts=0), 10.0, 0.3)
    assert (retry.attempt, retry.at, retry.is_slow) == (1, 10.0 + SLOW_SECONDS, True)


@pytest.mark.parametrize("seed", range(50))
def test_a_crash_loop_is_no_storm_whatever_the_definition_says(seed: int) -> None:
    chances = random.Random(seed)
    initial = chances.choice([0.001, 0.1, 1.0, 10.0, 100.0])
    more, attempts = chances.choice([0.0, 1.0, 1_000.0]), chances.choice([0, 1, 10, 1_000])
    policy = Reconnect(initial_delay_seconds=initial, max_delay_seconds=initial + more, max_attempts=attempts)
    starts = crash_loop(policy, minutes=30, chance=chances.random)
    assert sum(start < 60 for start in starts) <= BURST_STARTS
    assert all(number <= BURST_STARTS + start / SLOW_SECONDS + 1e-6 for number, start in enumerate(starts, start=1))


def test_the_default_tries_six_times_in_the_first_minute() -> None:
    starts = crash_loop(POLICY, minutes=3)
    assert starts[:6] == [0, 0.5, 1.5, 3.5, 7.5, 15.5]
    assert [round(start) for start in starts[6:]] == [60, 120]


def test_an_outage_is_over_within_a_minute_of_its_end() -> None:
    now, backoff = 0.0, Backoff().started(0.0)
    while True:
        retry = backoff.following(POLICY, now, 0.0)
        if retry.at >= 600:
            break
        now, backoff = retry.at, backoff.tried().started(retry.at)
    assert retry.at <= 660


def test_numbers_stay_small_in_a_year_of_attempts() -> None:
    backoff = Backoff(attempts=1_000_000)
    assert backoff.following(Reconnect(max_attempts=2_000_000), 0.0, 0.0).at == POLICY.max_delay_seconds
