"""The reference language: what is replaced, what stays, and that no text can break it."""

from __future__ import annotations

import random

import pytest

from mcp_host.core.definitions.references import (
    MissingReference,
    has_malformed_reference,
    is_credential_reference,
    is_whole_reference,
    named_references,
    reference_names,
    replace_references,
    resolve_text,
)

NOTHING: dict[str, str] = {}
ENVIRONMENT = {"TOKEN": "s3cr3t", "EMPTY": "", "ODD": "${TOKEN} $${X}"}


@pytest.mark.parametrize(
    ("text", "resolved"),
    [
        ("${TOKEN}", "s3cr3t"),
        ("a ${TOKEN} b ${TOKEN}", "a s3cr3t b s3cr3t"),
        ("${NOPE:-dflt}", "dflt"),
        ("${NOPE:-}", ""),
        ("${EMPTY}", ""),
        ("${EMPTY:-dflt}", "dflt"),
        ("${TOKEN:-dflt}", "s3cr3t"),
        ("${NOPE:-a $ b {c :- d}", "a $ b {c :- d"),
        ("$${KEEP} 100%$", "${KEEP} 100%$"),
        ("$$${TOKEN}", "$${TOKEN}"),
        ("$TOKEN $ $$ $(x) {TOKEN}", "$TOKEN $ $$ $(x) {TOKEN}"),
        ("${", "${"),
        ("${}", "${}"),
        ("${1A} ${A-b} ${env:A} ${A", "${1A} ${A-b} ${env:A} ${A"),
        ("", ""),
    ],
)
def test_a_text_is_resolved_as_written(text: str, resolved: str) -> None:
    assert resolve_text(text, ENVIRONMENT.get) == resolved


def test_a_resolved_value_is_never_resolved_again() -> None:
    assert resolve_text("${ODD}", ENVIRONMENT.get) == "${TOKEN} $${X}"


def test_a_missing_variable_is_named() -> None:
    with pytest.raises(MissingReference) as caught:
        resolve_text("${TOKEN}${NOPE}", ENVIRONMENT.get)
    assert caught.value.name == "NOPE"


def test_the_names_of_a_text_come_once_and_in_order() -> None:
    assert reference_names("${B} $${C} ${A:-x} ${B:-y} ${d e}") == ("B", "A")


@pytest.mark.parametrize(
    ("text", "whole", "credential"),
    [
        ("${A}", True, True),
        ("${A:-}", True, True),
        ("${A:-x}", True, False),
        ("${A} ", False, False),
        ("${A}\n", False, False),
        ("${A}${B}", False, False),
        ("$${A}", False, False),
        ("${A", False, False),
        ("A", False, False),
    ],
)
def test_a_whole_reference_has_nothing_around_it(text: str, whole: bool, credential: bool) -> None:
    assert (is_whole_reference(text), is_credential_reference(text)) == (whole, credential)


@pytest.mark.parametrize(
    ("text", "malformed"),
    [
        ("${A} $${B} $C $", False),
        ("${env:A}", True),
        ("${A:-${B}}", True),
        ("${A", True),
        ("${}", True),
        ("$${A:-${B}", False),
        ("$$${", False),
    ],
)
def test_what_only_looks_like_a_reference_is_recognised(text: str, malformed: bool) -> None:
    assert has_malformed_reference(text) == malformed


def test_references_can_be_replaced_to_see_the_shape_around_them() -> None:
    assert replace_references("${A}/x/${B:-c} $${D}", "1") == "1/x/1 $${D}"


def test_arbitrary_text_resolves_or_names_what_is_missing() -> None:
    chance = random.Random(7)
    pieces = ["$", "${", "}", ":-", "A", "B", "_", "1", " ", "\n", "{", "\ud800", "é", "\0", "$${", "${A}", "${B:-c}"]
    for _ in range(20_000):
        text = "".join(chance.choices(pieces, k=chance.randrange(12)))
        assert isinstance(resolve_text(text, lambda _: "v"), str)
        outcome = _outcome(text, {"A": "1"})
        assert isinstance(outcome, str) or outcome.name in reference_names(text)


def test_text_without_a_dollar_is_itself() -> None:
    chance = random.Random(8)
    for _ in range(2000):
        text = "".join(chr(chance.randrange(1, 0x3000)) for _ in range(20)).replace("$", "")
        assert resolve_text(text, NOTHING.get) == text


def test_a_long_run_of_openings_takes_linear_time() -> None:
    text = "${A:-" * 200_000
    assert resolve_text(text, NOTHING.get) == text


def _outcome(text: str, environment: dict[str, str]) -> str | MissingReference:
    try:
        return resolve_text(text, environment.get)
    except MissingReference as error:
        return error


def test_every_reference_is_told_in_order_with_whether_it_has_a_fallback() -> None:
    assert named_references("${A} ${B:-b} $${C} ${A:-} ${A} ${bad d}") == (
        ("A", False),
        ("B", True),
        ("A", True),
        ("A", False),
    )
    assert named_references("no $ {A} $A") == ()
