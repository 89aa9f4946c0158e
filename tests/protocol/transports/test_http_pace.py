"""Event streams that do not last are opened ever more slowly."""

from __future__ import annotations

from mcp_host.protocol.transports.http_pace import StreamPace


def test_the_first_stream_is_opened_at_once() -> None:
    assert StreamPace().delay(1000.0) == 0


def test_streams_that_end_at_once_are_opened_ever_more_slowly() -> None:
    pace, now, waits = StreamPace(), 1000.0, list[float]()
    for _ in range(9):
        waits.append(pace.delay(now))
        now += waits[-1]
    assert waits == [0, 1, 2, 4, 8, 16, 30, 30, 30]


def test_a_stream_that_lasted_brings_back_the_floor() -> None:
    pace, now = StreamPace(), 1000.0
    for _ in range(9):
        now += pace.delay(now)
    now += 120
    assert pace.delay(now) == 0
    assert pace.delay(now) == 1
