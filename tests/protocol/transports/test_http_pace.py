"""Event streams that do not last are opened ever more slowly, and none more than thirty times a minute."""

from __future__ import annotations

import pytest

from mcp_host.protocol.transports.http_pace import StreamPace


def test_streams_that_end_at_once_are_opened_ever_more_slowly() -> None:
    pace, now, waits = StreamPace(), 1000.0, list[float]()
    for _ in range(10):
        waits.append(pace.delay(now))
        now += waits[-1]
    assert waits == [0, 0, 0, 0, 2.5, 5, 10, 20, 30, 30]


def test_a_server_that_gives_a_stream_up_now_and_then_is_followed_at_its_own_pace() -> None:
    pace, now = StreamPace(), 1000.0
    for _ in range(100):
        assert pace.delay(now) == 0
        now += 5


def test_a_stream_that_lasted_brings_back_the_beginning() -> None:
    pace, now = StreamPace(), 1000.0
    for _ in range(10):
        now += pace.delay(now)
    now += 30
    assert [pace.delay(now) for _ in range(5)] == [0, 0, 0, 0, 2.5]


@pytest.mark.parametrize("lasting", [[0.0], [0.99], [1.0], [2.4], [0.0, 0.0, 0.0, 0.0, 30.0], [0.0, 1.0]])
def test_no_minute_sees_more_than_thirty_openings(lasting: list[float]) -> None:
    pace, now, opened = StreamPace(), 1000.0, list[float]()
    for opening in range(1000):
        now += pace.delay(now)
        opened.append(now)
        now += lasting[opening % len(lasting)]
    assert max(sum(start <= at < start + 60 for at in opened) for start in opened) <= 30
