"""Secrets leave texts and values in every form in which they travel."""

from __future__ import annotations

import base64
import json
import random
import string
from urllib.parse import quote, quote_plus, urlencode

import pytest

from mcp_host.core.redaction import MARK, Redactor

_SECRET = 'pä"ss/w+rd\\&<1>'


@pytest.mark.parametrize(
    "form",
    [
        _SECRET,
        quote(_SECRET),
        quote(_SECRET, safe=""),
        quote(_SECRET, safe="").lower(),
        quote_plus(_SECRET),
        urlencode({"k": _SECRET})[2:],
        json.dumps(_SECRET)[1:-1],
        json.dumps(_SECRET, ensure_ascii=False)[1:-1],
        json.dumps(_SECRET)[1:-1].replace("/", "\\/"),
        quote(_SECRET, safe="!#$%&'()*+,/:;=?@[]~"),
        quote(quote(json.dumps(_SECRET)[1:-1], safe="")),
        base64.b64encode(_SECRET.encode()).decode(),
        base64.urlsafe_b64encode(_SECRET.encode()).decode().rstrip("="),
    ],
)
def test_a_secret_is_found_in_each_of_its_forms(form: str) -> None:
    assert Redactor([_SECRET]).text(f"before <{form}> after") == f"before <{MARK}> after"


@pytest.mark.parametrize("user", ["", "a", "al", "ali", "alice"])
def test_a_basic_header_is_redacted_whatever_the_user_is_called(user: str) -> None:
    encoded = base64.b64encode(f"{user}:s3cr3t-t0ken".encode()).decode()
    assert Redactor(["s3cr3t-t0ken"]).text(f"Authorization: Basic {encoded}\n") == f"Authorization: Basic {MARK}\n"


def test_a_secret_that_was_escaped_before_it_was_put_into_base64_is_found() -> None:
    secret = 'a-long-secret-4f9a8b7c/+"&='
    encoded = base64.b64encode(f"?key={quote(secret)}".encode()).decode()
    assert Redactor([secret]).text(f"target: {encoded}.") == f"target: {MARK}."


def test_a_secret_that_looks_escaped_is_found_as_what_a_server_makes_of_it() -> None:
    assert Redactor(["ab%2Fcd%3D1"]).text("no key 'ab/cd=1', ab%252Fcd%253D1") == f"no key '{MARK}', {MARK}"


def test_the_longest_secret_goes_first_and_overlapping_ones_leave_nothing() -> None:
    redactor = Redactor(["abcd", "abcdefgh", "ghijkl"])
    assert redactor.text("x abcdefgh y abcd z") == f"x {MARK} y {MARK} z"
    assert redactor.text("abcdefghijkl") == MARK


def test_short_values_are_left_alone() -> None:
    assert Redactor(["", "a", "abc"]).text("abc a") == "abc a"


def test_a_key_of_several_lines_is_found_line_by_line() -> None:
    key = "-----BEGIN-----\nMIIEvQIBADANBg\nkqhkiG9w0BAQEF\n-----END-----\n"
    assert Redactor([key]).text("log: MIIEvQIBADANBg!") == f"log: {MARK}!"


def test_values_are_redacted_to_their_depth_names_and_numbers_too() -> None:
    given = {"hunter22": [{"k": "x hunter22"}, ("hunter22", 5)], "n": 12345, "t": True, "z": None}
    assert Redactor(["hunter22", "12345"]).value(given) == {
        MARK: [{"k": f"x {MARK}"}, (MARK, 5)],
        "n": MARK,
        "t": True,
        "z": None,
    }


def test_two_names_that_held_secrets_stay_two_members() -> None:
    assert Redactor(["hunter22", "hunter33"]).value({"hunter22": 1, "hunter33": 2}) == {MARK: 1, f"{MARK}*": 2}


def test_the_repr_hides_the_secrets() -> None:
    assert repr(Redactor(["hunter22", "abc"])) == "Redactor(1 secrets)"


def test_without_secrets_a_text_is_the_same_object() -> None:
    text = "nothing to hide"
    assert Redactor().text(text) is text


def test_no_secret_survives_in_random_texts_and_redacting_twice_changes_nothing() -> None:
    chance = random.Random(5)
    letters = string.ascii_letters + string.digits + '+/"\\ %'
    for _ in range(500):
        secrets = ["".join(chance.choices(letters, k=chance.randint(6, 30))) for _ in range(3)]
        redactor = Redactor(secrets)
        spoken = [form for secret in secrets for form in (secret, quote(secret), json.dumps(secret))]
        noise = ["".join(chance.choices(letters, k=5)) for _ in range(9)]
        text = "".join(word for pair in zip(spoken, noise, strict=True) for word in pair)
        redacted = redactor.text(text)
        assert not [secret for secret in secrets if secret in redacted]
        assert redactor.text(redacted) == redacted


def test_a_picture_is_searched_for_secrets_in_one_pass() -> None:
    picture = base64.b64encode(bytes(range(256)) * 12_000).decode()  # a search that backtracks takes hours on this
    assert Redactor(["sk-live-0123456789abcdef"]).text(picture) == picture


def test_a_secret_in_wrapped_base64_is_found_across_the_line_breaks() -> None:
    wrapped = base64.encodebytes(b"x" * 40 + b"sk-live-0123456789abcdef" + b"y" * 30).decode()
    shown = Redactor(["sk-live-0123456789abcdef"]).text(wrapped)
    assert "[redacted]" in shown
    assert b"sk-live" not in base64.b64decode(shown.replace("[redacted]", ""), validate=False)
