"""Which patterns may be run, and that the matcher's work on them is never more than was said."""

from __future__ import annotations

import random
from collections.abc import Iterator

import pytest

from mcp_host.core.schema_pattern_grammar import Choice, Glyph, Mark, Node, Repeat, Run, parse
from mcp_host.core.schema_patterns import PATTERN_LENGTH_LIMIT, STEP_LIMIT, runnable


@pytest.mark.parametrize(
    "pattern",
    [
        *("(", "[z-a]", "*", "a**", "a+{2}", "a{2}*", "(a", "a)", "[", "\\", "a{3,2}"),  # no patterns
        *("^\\p{L}+$", "(?<name>a)", "(?P<n>a)\\1", "(a)\\1", "(?=a)b", "(?!a)b", "(?i)a", "(?s:.)", "\\N{BULLET}"),
        *(
            "(a*)*",
            "(a*)+",
            "(a?){40}",
            "(a?b?)*",
            "(^)*",
            "^(a{0,9}){0,9}b$",
            "($|a)*",
            "(|)",
            "(a*|b*)c",
            "(a|)?",
            "a{0}",
            "a{1,99999}",
        ),
        "a" * (PATTERN_LENGTH_LIMIT + 1),
    ],
)
def test_what_is_outside_of_the_grammar_is_not_run(pattern: str) -> None:
    assert runnable(pattern) is None


@pytest.mark.parametrize(
    ("pattern", "length"),
    [
        ("a?" * 40 + "a" * 40 + "b", 40),
        ("^(a+)+$", 60),
        ("(a+)+b|a", 20),
        ("^(a|a)*b$", 60),
        ("^(a|ab)*c$", 60),
        ("^(.*a){10}$", 60),
        (".*.*.*x", 2_000),
        ("^([a-z]+\\.?)+$", 60),
    ],
)
def test_a_pattern_with_too_many_ways_is_not_run_on_a_long_text(pattern: str, length: int) -> None:
    found = runnable(pattern)
    assert found is not None
    assert found.steps(length) > STEP_LIMIT


@pytest.mark.parametrize(
    ("pattern", "length"),
    [
        ("^\\d{4}-\\d{2}-\\d{2}$", 10_000),
        ("^[a-z]+$", 10_000),
        ("^[a-z0-9]+(-[a-z0-9]+)*$", 2_000),
        ("^(\\+1)?\\d{10}$", 10_000),
        ("^(foo|bar)$", 10_000),
        ("^[^@\\s]+@[^@\\s]+\\.[^@\\s]+$", 254),
        ("^([a-zA-Z0-9-]+\\.)+[a-z]{2,}$", 120),
        ("^[0-9a-f]{8}-([0-9a-f]{4}-){3}[0-9a-f]{12}$", 10_000),
        ("^https?://.+", 8_000),
        ("^(0|[1-9]\\d*)\\.(0|[1-9]\\d*)\\.(0|[1-9]\\d*)$", 1_000),
        ("^[(*+]$", 10_000),
        ("\\(a\\+\\)\\+", 10_000),
        ("\\S", 10_000),
    ],
)
def test_an_ordinary_pattern_is_run_on_any_ordinary_text(pattern: str, length: int) -> None:
    found = runnable(pattern)
    assert found is not None
    assert found.steps(length) <= STEP_LIMIT


def test_the_matcher_takes_no_more_steps_than_was_said() -> None:
    chance = random.Random(5)
    told_one_way = 0
    for _ in range(3_000):
        pattern = _pattern(chance, 3)
        found = runnable(pattern)
        text = "".join(chance.choices("aaabbcd", k=chance.randint(0, 9)))
        if found is None or found.steps(len(text)) > 20_000:
            continue
        told_one_way += found.one_way
        assert _Matcher(text).search(found.tree) <= found.steps(len(text)), (pattern, text)
    assert told_one_way > 50


def test_a_tree_of_the_grammar_means_what_the_pattern_means() -> None:
    chance = random.Random(6)
    for _ in range(2_000):
        pattern = _pattern(chance, 3)
        found = runnable(pattern)
        text = "".join(chance.choices("aabé\n", k=chance.randint(0, 6)))
        if found is None or found.steps(len(text)) > 20_000:
            continue
        matcher = _Matcher(text)
        matcher.search(found.tree)
        assert matcher.matched == (found.regex.search(text) is not None), (pattern, text)


def test_any_text_is_read_as_a_pattern_or_not() -> None:
    chance = random.Random(7)
    for _ in range(5_000):
        runnable("".join(chance.choices(["a", "b", "é", *"\\[](){}|?*+^$.,-0123:=!<>dDwWsSbBAZxu\n"], k=12)))


class _Matcher:
    """Python's way of matching, counted: every try of a character, a mark, a turn or a branch is a step."""

    def __init__(self, text: str) -> None:
        self._text = text
        self.steps = 0
        self.matched = False

    def search(self, tree: Node) -> int:
        """All the steps of a search."""
        for start in range(len(self._text) + 1):
            if next(self._ends(tree, start), None) is not None:
                self.matched = True
                break
        return self.steps

    def _ends(self, node: Node, at: int) -> Iterator[int]:
        match node:
            case Glyph(mask=mask):
                self.steps += 1
                if at < len(self._text) and mask >> min(ord(self._text[at]), 128) & 1:
                    yield at + 1
            case Mark(anchors=anchors):
                self.steps += 1
                if at == 0 if anchors else self._text[at:] in ("", "\n"):
                    yield at
            case Choice(branches=branches):
                for branch in branches:
                    self.steps += 1
                    yield from self._ends(branch, at)
            case Run(parts=parts):
                yield from self._run(parts, at)
            case Repeat(body=body, least=least, most=most):
                yield from self._turns(body, at, least=least, most=len(self._text) if most is None else most)

    def _run(self, parts: tuple[Node, ...], at: int) -> Iterator[int]:
        if not parts:
            yield at
            return
        for end in self._ends(parts[0], at):
            yield from self._run(parts[1:], end)

    def _turns(self, body: Node, at: int, *, least: int, most: int) -> Iterator[int]:
        if most > 0:
            self.steps += 1
            for end in self._ends(body, at):
                yield from self._turns(body, end, least=least - 1, most=most - 1)
        if least <= 0:
            yield at


def _pattern(chance: random.Random, depth: int) -> str:
    if depth == 0:
        return chance.choice(["[ab]", ".", "[^a]", "é", "^", "$"] if chance.random() < 0.1 else list("abcdefgh"))
    parts: list[str] = []
    for _ in range(chance.randint(1, 3)):
        part = _pattern(chance, depth - 1)
        kind = chance.random()
        if kind < 0.2:
            part = f"({part}|{_pattern(chance, depth - 1)})"
        elif len(part) > 1 and not part.startswith("["):
            part = f"(?:{part})"
        parts.append(part + chance.choice(["", "", "", "?", "*", "+", "{1,2}", "{2}", "*?", "+?"]))
    return "".join(parts)


def test_a_pattern_is_made_of_its_parts() -> None:
    a, b = Glyph(mask=1 << ord("a"), width=1), Glyph(mask=1 << ord("b"), width=1)
    assert parse("^a+(?:b|a{2,3}?)$") == Run(
        parts=(
            Mark(anchors=True),
            Repeat(body=a, least=1, most=None),
            Choice(branches=(b, Repeat(body=a, least=2, most=3))),
            Mark(anchors=False),
        )
    )
