"""What is taken out of event streams, wherever the bytes are cut into chunks."""

from __future__ import annotations

import pytest

from mcp_host.protocol.transports.event_fields import EventFields

DATA = b'event: message\ndata: {"id": 5, "retry": 1}\ndata: id: 7\n\n'


def filtered(text: bytes, *, resumable: bool, size: int) -> bytes:
    fields = EventFields(resumable=resumable)
    chunks = [text[start : start + size] for start in range(0, len(text), size)]
    return b"".join(map(fields.feed, chunks)) + fields.take_rest()


@pytest.mark.parametrize("size", [1, 2, 3, 5, 64, 10_000])
@pytest.mark.parametrize("end", [b"\n", b"\r", b"\r\n"])
def test_a_modern_stream_has_no_ids_and_no_waits(end: bytes, size: int) -> None:
    text = b"id: 1\nretry: 500\nretry\nid\nid:\n" + DATA + b"retry: 5\n\n"
    expected = b":id: 1\n:retry: 500\n:retry\n:id\n:id:\n" + DATA + b":retry: 5\n\n"
    found = filtered(text.replace(b"\n", end), resumable=False, size=size)
    assert found == expected.replace(b"\n", end)


@pytest.mark.parametrize("size", [1, 2, 3, 5, 64, 10_000])
def test_a_resumable_stream_keeps_its_ids_and_the_waits_that_somebody_may_mean(size: int) -> None:
    good = b"id: 1\nretry: 500\nretry:0\nretry: 999999999\n" + DATA
    long = b"retry: " + b"9" * 400
    assert filtered(good + long + b"\nretry: -1\nretry: 1e3\n\n", resumable=True, size=size) == (
        good + b":" + long + b"\n:retry: -1\n:retry: 1e3\n\n"
    )


@pytest.mark.parametrize("size", [1, 2, 3, 10_000])
@pytest.mark.parametrize("mark", [b"", b"\xef\xbb\xbf"])
def test_a_byte_order_mark_does_not_hide_the_first_field(mark: bytes, size: int) -> None:
    assert filtered(mark + DATA, resumable=True, size=size) == DATA


def test_nothing_is_held_back_but_the_start_of_a_field() -> None:
    fields = EventFields(resumable=True)
    assert fields.feed(b'data: {"jsonrpc"') == b'data: {"jsonrpc"'
    assert fields.feed(b': "2.0"}\nret') == b': "2.0"}\n'
    assert fields.feed(b"ry: 5") == b""
    assert fields.feed(b"\n\nid of nothing, and so no field") == b"retry: 5\n\nid of nothing, and so no field"[:10]
    assert fields.take_rest() == b"id of nothing, and so no field"


def test_what_is_no_field_of_ours_stays_as_it_is_however_long() -> None:
    line = b"id" + b"x" * 100_000 + b"\n"
    assert filtered(line, resumable=False, size=1000) == line
