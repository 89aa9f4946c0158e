"""The four formats of a form's texts, judged in bounded time."""

from __future__ import annotations

import pytest

from mcp_host.core.interactions.formats import format_fault

FITTING = {
    "email": [
        "ada@example.com",
        "a.b+c_d@sub.example.co.uk",
        "o'brien@example.ie",
        "root@localhost",
        '"two words"@example.com',
        "me@[127.0.0.1]",
        "jürgen@müller.example",
    ],
    "uri": ["https://example.com", "http://[::1]:80/a?b=c#d", "mailto:a@b.c", "urn:isbn:0451450523", "file:///x%20y"],
    "date": ["2026-01-31", "2024-02-29", "0001-01-01"],
    "date-time": [
        "2026-01-31T13:45:00Z",
        "2026-01-31t13:45:00.123z",
        "2026-01-31T13:45:00+02:00",
        "2016-12-31T23:59:60Z",
    ],
}
MISFITS = {
    "email": [
        "",
        "ada",
        "@example.com",
        "ada@",
        "a b@example.com",
        "a..b@example.com",
        ".a@example.com",
        "a@b@example.com",
        "a@-example.com",
        "a@exa mple.com",
        "a@example..com",
        "a@.",
        "a" * 65 + "@example.com",
        "a@" + "b" * 260,
        "a\n@example.com",
        "a@example.com\n",
        '"a"b"@example.com',
        "a@[]",
    ],
    "uri": ["", "example.com", "/path", "https:", "https://exa mple.com", "https://ex.com/ü", "a:%zz", "a:b\n", "1a:b"],
    "date": ["", "2026-1-31", "2026-02-30", "20260131", "2026-W05-6", "2026-01-31 ", "2026-01-31\n", "0000-01-01"],
    "date-time": [
        "",
        "2026-01-31",
        "2026-01-31 13:45:00Z",
        "2026-01-31T13:45Z",
        "2026-01-31T13:45:00",
        "2026-01-31T24:00:00Z",
        "2026-01-31T13:60:00Z",
        "2026-01-31T13:45:61Z",
        "2026-01-31T13:45:00+24:00",
        "2026-02-30T13:45:00Z",
        "2026-01-31T13:45:00.Z",
    ],
}


@pytest.mark.parametrize(("name", "text"), [(name, text) for name, texts in FITTING.items() for text in texts])
def test_a_text_of_the_format_has_no_fault(name: str, text: str) -> None:
    assert format_fault(name, text) is None


@pytest.mark.behaviour("form.formats")
@pytest.mark.parametrize(("name", "text"), [(name, text) for name, texts in MISFITS.items() for text in texts])
def test_a_text_of_another_form_is_told_what_is_wanted(name: str, text: str) -> None:
    fault = format_fault(name, text)
    assert fault is not None
    assert fault.startswith(("must be ", "must end ", "is ", "holds "))


@pytest.mark.parametrize("name", ["phone", "", None, 7, ["email"]])
def test_a_format_that_nobody_knows_takes_every_text(name: object) -> None:
    assert format_fault(name, "anything") is None


@pytest.mark.parametrize("text", ["a" * 200_000, "a." * 100_000, "@" * 200_000, "a@" + "b." * 100_000, "%" * 200_000])
def test_a_text_of_any_length_is_judged(text: str) -> None:
    for name in FITTING:
        assert format_fault(name, text) is not None
