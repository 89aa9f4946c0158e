"""Lines out of chunks: any cut gives the same lines, and memory stays within the cap."""

from __future__ import annotations

import random
import tracemalloc

import pytest

from mcp_host.protocol.transports.lines import LineSplitter, LineTooLong


def split(chunks: list[bytes], cap_bytes: int = 100) -> list[bytes]:
    splitter = LineSplitter(cap_bytes)
    return [bytes(line) for chunk in chunks for line in splitter.feed(chunk)]


def test_any_cut_into_chunks_gives_the_same_lines() -> None:
    stream = "one\n\ntwo\r\nthree\u2028still three\u0085\nrest".encode()
    for seed in range(200):
        cuts = sorted(random.Random(seed).sample(range(len(stream)), seed % 10))
        chunks = [stream[a:b] for a, b in zip([0, *cuts], [*cuts, len(stream)], strict=True)]
        splitter = LineSplitter()
        lines = [bytes(line) for chunk in chunks for line in splitter.feed(chunk)]
        assert lines == stream.split(b"\n")[:-1]
        assert splitter.take_rest() == b"rest"


def test_a_line_of_exactly_the_cap_passes() -> None:
    assert split([b"a" * 60, b"a" * 40 + b"\n"]) == [b"a" * 100]


def test_good_lines_before_one_that_is_too_long_are_delivered() -> None:
    delivered: list[bytes] = []
    with pytest.raises(LineTooLong):
        delivered.extend(map(bytes, LineSplitter(100).feed(b"good\nalso good\n" + b"a" * 101)))
    assert delivered == [b"good", b"also good"]


@pytest.mark.parametrize("end", [b"", b"\n"])
def test_a_line_over_the_cap_is_refused_whether_or_not_it_has_ended(end: bytes) -> None:
    with pytest.raises(LineTooLong):
        split([b"a" * 60, b"a" * 41 + end])


def test_an_endless_line_holds_no_more_memory_than_the_cap_and_a_chunk() -> None:
    cap, chunk = 8_000_000, b"a" * 65_536
    splitter = LineSplitter(cap)
    tracemalloc.start()
    try:
        with pytest.raises(LineTooLong):
            sum(len(list(splitter.feed(chunk))) for _ in range(1000))
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert peak < cap * 1.2 + len(chunk)
