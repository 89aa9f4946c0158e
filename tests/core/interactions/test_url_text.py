"""An address is shown so that a person can judge it, and takes no more room than it has length."""

from __future__ import annotations

import pytest

from mcp_host.core.interactions.text_lines import TextLine
from mcp_host.core.interactions.url_text import url_lines
from mcp_host.core.interactions.urls import OPENABLE_LENGTH

START = "https://a.example/"


def _lines(url: str) -> list[TextLine]:
    return list(url_lines({"url": url}))


def _longest(start: str = START) -> str:
    return start + "x" * (OPENABLE_LENGTH - len(start) - len("/end")) + "/end"


def _size(lines: list[TextLine]) -> int:
    return sum(len(one.text) + len(one.url or "") for one in lines)


def test_the_longest_address_that_may_be_opened_is_shown_to_its_end() -> None:
    url = _longest()
    shown = [one.text.removeprefix("  ") for one in _lines(url)[1:] if one.text.startswith("  ")]
    assert len(shown) > 1
    assert "".join(shown) == url


@pytest.mark.parametrize("url", ["https://a.example/b", _longest(), _longest(f"https://{'u' * 5_000}@a.example/")])
def test_an_address_is_carried_by_the_first_of_its_lines_alone(url: str) -> None:
    lines = _lines(url)
    assert [at for at, one in enumerate(lines) if one.url is not None] == [1]
    assert lines[1].url == url
    assert url.startswith(lines[1].text.strip())


def test_an_address_that_is_too_long_is_shown_by_its_beginning_and_carried_by_no_line() -> None:
    url = START + "x" * 500_000
    lines = _lines(url)
    assert [one.text for one in lines if one.url is not None] == []
    assert lines[1].text == f"  {url[:74]}"
    assert "  … 499,618 characters more" in [one.text for one in lines]
    assert [one.text for one in lines[-3:]] == [
        "It leads to a.example",
        "! this address has 500,018 characters, which is too long, so it is not",
        "  opened from here",
    ]


def test_one_character_more_makes_an_address_too_long() -> None:
    assert any(one.url is not None for one in _lines(_longest()))
    assert not any(one.url is not None for one in _lines(_longest() + "x"))


@pytest.mark.parametrize("rest", ["x", "\u202e", "@", "a.", "\n", "%41", " x"])
@pytest.mark.parametrize("start", [START, "https://", "https://u@", "http://xn--", "javascript:", ""])
def test_however_long_an_address_is_little_is_sent_of_it(start: str, rest: str) -> None:
    assert _size(_lines(start + rest * 300_000)) < 2 * OPENABLE_LENGTH
    assert _size(_lines(_longest(start))) < 3 * OPENABLE_LENGTH
