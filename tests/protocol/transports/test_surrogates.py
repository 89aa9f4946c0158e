"""Escaped lone surrogates in JSON text, whole or cut anywhere."""

from __future__ import annotations

from mcp_host.protocol.transports.surrogates import SurrogateMender, replace_lone_surrogates

TEXT = rb'"\ud83d\ude00 \ud83d \uDE00 \\ud83d \\\ud83d \ud83d\ud83d\ude00 \u0041 \ud83d\n \\"'
MENDED = rb'"\ud83d\ude00 \ufffd \ufffd \\ud83d \\\ufffd \ufffd\ud83d\ude00 \u0041 \ufffd\n \\"'


def test_only_lone_surrogates_are_replaced() -> None:
    assert replace_lone_surrogates(TEXT) == MENDED


def test_any_two_cuts_into_chunks_give_the_same_text() -> None:
    for first in range(len(TEXT)):
        for second in range(first, len(TEXT)):
            mender = SurrogateMender()
            mended = mender.feed(TEXT[:first]) + mender.feed(TEXT[first:second]) + mender.feed(TEXT[second:])
            assert mended + mender.take_rest() == MENDED


def test_nothing_is_held_back_after_the_end_of_an_event() -> None:
    mender = SurrogateMender()
    assert mender.feed(b'data: "\\ud83d"\n\n') == b'data: "\\ufffd"\n\n'
    assert mender.take_rest() == b""
