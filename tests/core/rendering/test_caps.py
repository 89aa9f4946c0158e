"""What a buffer shows is bounded, and what was cut is said."""

from __future__ import annotations

from mcp_host.core.rendering.caps import (
    BUFFER_CAP_BYTES,
    BUFFER_CAP_LINES,
    LINE_CAP_BYTES,
    Capped,
    capped,
    sized,
    wrapped,
)


def test_what_fits_is_untouched() -> None:
    assert capped(("a", "b")) == Capped(lines=("a", "b"), cut=False, note="")
    assert capped(()) == Capped(lines=(), cut=False, note="")


def test_a_long_line_is_cut_between_code_points_and_within_the_cap() -> None:
    shown = capped(("é" * 40_000, "next"))
    assert shown.cut
    assert shown.note == "1 line cut after 64 KiB"
    assert shown.lines[0].endswith("é … [14,464 bytes more]")
    assert len(shown.lines[0].encode()) <= LINE_CAP_BYTES
    assert shown.lines[1] == "next"


def test_lines_past_the_cap_are_left_out_and_counted() -> None:
    shown = capped(["x"] * (BUFFER_CAP_LINES + 10))
    assert len(shown.lines) == BUFFER_CAP_LINES
    assert shown.note == "10 of 50,010 lines not shown (20 bytes)"


def test_many_long_lines_end_at_the_cap_of_the_buffer() -> None:
    shown = capped(["x" * 100_000] * 200)
    assert sum(len(line) + 1 for line in shown.lines) <= BUFFER_CAP_BYTES
    assert shown.note == "76 lines cut after 64 KiB, 124 of 200 lines not shown (12.4 MB)"


def test_wrapping_loses_nothing() -> None:
    long = "ab" * 100_000
    lines = wrapped(("first", long, "", "last"))
    assert lines[0] == "first"
    assert lines[-2:] == ("", "last")
    assert "".join(lines[1:-2]) == long
    assert max(map(len, lines)) <= LINE_CAP_BYTES


def test_sizes_read_well() -> None:
    assert [sized(count) for count in (0, 1, 999, 4_900, 12_000_000)] == [
        "0 bytes",
        "1 byte",
        "999 bytes",
        "4.9 kB",
        "12.0 MB",
    ]
