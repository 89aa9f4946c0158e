"""Texts that differ in how they are escaped alone are the same, and what is found is shown where it was."""

from __future__ import annotations

import html
import json
import random
import re
import string
import time
from collections.abc import Callable
from urllib.parse import quote, quote_plus

import pytest

from mcp_host.core.escapes import Unescaped, is_escapable, longest_plain_run

TEXT = "pä\"ss/w+rd\\ &<1>='😀\t~x"


def in_json(text: str) -> str:
    return json.dumps(text)[1:-1]


ESCAPES: dict[str, Callable[[str], str]] = {
    "itself": str,
    "for a URL's path": quote,
    "for a URL's query": lambda text: quote(text, safe=""),
    "for a form": quote_plus,
    "in small letters": lambda text: re.sub("%..", lambda match: match[0].lower(), quote(text, safe="")),
    "only what no URL may hold": lambda text: quote(text, safe="!#$%&'()*+,/:;=?@[]~"),
    "in JSON": in_json,
    "in JSON with its letters": lambda text: json.dumps(text, ensure_ascii=False)[1:-1],
    "in JSON as PHP does it": lambda text: in_json(text).replace("/", "\\/"),
    "in JSON as Go does it": lambda text: re.sub("[<>&]", lambda match: f"\\u{ord(match[0]):04x}", in_json(text)),
    "in HTML": html.escape,
    "in HTML by numbers": lambda text: "".join(char if char.isalnum() else f"&#{ord(char)};" for char in text),
    "with backslashes": lambda text: re.sub(r"([^\w\t])", r"\\\1", text),
}


@pytest.mark.parametrize("first", ESCAPES)
@pytest.mark.parametrize("second", ESCAPES)
def test_a_text_is_the_same_escaped_once_and_twice(first: str, second: str) -> None:
    for escaped in (ESCAPES[first](TEXT), ESCAPES[second](ESCAPES[first](TEXT))):
        assert Unescaped(escaped).text == Unescaped(TEXT).text
        assert longest_plain_run(TEXT) in escaped


def test_a_part_is_shown_where_it_was_with_its_whole_escapes() -> None:
    text = 'see a%252Fb%22, \\\\\\"a/b\\\\\\", &amp;quot;a&#x2f;b and a/b'
    unescaped = Unescaped(text)
    found = [unescaped.span_before(*match.span()) for match in re.finditer("a/b", unescaped.text)]
    assert [text[start:stop] for start, stop in found] == ["a%252Fb", "a/b", "a&#x2f;b", "a/b"]


def test_what_was_never_escaped_stays_as_it_is() -> None:
    for text in ("", "plain", "100% & more", "C:\\windows\\system", "\\u12", "%zz", "&nothing;"):
        assert Unescaped(text).text == text
        assert Unescaped(text).span_before(0, len(text)) == (0, len(text))


def test_nobody_escapes_letters_digits_and_a_few_more() -> None:
    assert not is_escapable("sk-live_0123.abc")
    assert is_escapable("sk/live")
    assert [longest_plain_run(text) for text in ("sk-live_0123.abc", "ab/cde+f", "//++")] == [
        "sk-live_0123.abc",
        "cde",
        "",
    ]


def test_random_texts_are_found_in_others_however_they_are_escaped() -> None:
    chance = random.Random(7)
    letters = string.ascii_letters + string.digits + string.punctuation + " äß€😀"
    ways: tuple[Callable[[str], str], ...] = (
        quote,
        quote_plus,
        html.escape,
        in_json,
        lambda text: quote(in_json(text)),
    )
    for _ in range(500):
        secret = "".join(chance.choices(letters, k=chance.randint(6, 40))).rstrip("\\")
        for escape in ways:
            escaped = f"<{escape(secret)}>"
            unescaped = Unescaped(escaped)
            start = unescaped.text.find(Unescaped(secret).text)
            assert start >= 0, secret
            at, stop = unescaped.span_before(start, start + len(Unescaped(secret).text))
            assert (escaped[:at], escaped[stop:]) == ("<", ">"), secret


@pytest.mark.parametrize("near", ["\\", "%", "%25", "%2", "&", "&amp;", "\\u005c", "\\ud83d", "%e2%82", "&#9"])
def test_what_is_nearly_an_escape_again_and_again_is_gone_through_quickly(near: str) -> None:
    begun = time.process_time()
    Unescaped(near * 100_000)
    assert time.process_time() - begun < 5
