"""How much work a server's regular expression can be on a text of some length: it is run only when that is little.

A schema's `pattern` is the server's, and for results so is the text: together they can keep Python's backtracking
matcher busy for years, and it cannot be interrupted. So a pattern is read here first, in a grammar of our own
(`schema_pattern_grammar.py`); what is outside of it (look-around, back references, flags) is never run. Of the rest,
two upper bounds are known, and the lower one counts:

- *Every way.* A repeat can end in as many places as it may have turns, and for each the rest is tried again: the work
  multiplies. `a?` has two ways, so forty of them have 2 to the power of 40. The one exception is a repeated single
  character whose follower cannot be that character: there the rest gets beyond its first character in one place only.
- *One way.* If after each character only one place of the pattern can take the next, and there is one way to get to it,
  backtracking tries each alternative and fails at its first character. The work is the length of the text times that of
  the pattern, however repeats are nested: `^[a-z]+(-[a-z]+)*$`.

Both count what a search does from one start; a pattern that is not anchored is tried from every place of the text.
"""

from __future__ import annotations

import functools
import re
import warnings
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Final

from mcp_host.core.schema_pattern_grammar import Choice, Glyph, Mark, Node, Repeat, Run, parse

STEP_LIMIT: Final = 500_000
"""Matcher steps that one search may take at worst: some ten milliseconds."""

PATTERN_LENGTH_LIMIT: Final = 500
"""Characters of a pattern: reading one takes the square of its length."""

_ENDLESS: Final = 10**15
"""As good as infinite; keeps the numbers small."""


@dataclass(frozen=True, kw_only=True)
class RunnablePattern:
    """A pattern whose work is known."""

    regex: re.Pattern[str]
    tree: Node = field(repr=False)
    one_way: bool
    anchored: bool
    """It can match at the start of the text alone."""

    def steps(self, length: int) -> int:
        """The matcher's steps on a text of this length at most; the same for lengths up to the next power of two."""
        length = (1 << length.bit_length()) - 1
        starts = 1 if self.anchored else length + 1
        steps, _ = _work(self.tree, length)
        if self.one_way:
            steps = min(steps, (length + 1) * 4 * (len(self.regex.pattern) + 1))
        return min(length + starts * (steps + 1), _ENDLESS)


@functools.lru_cache(maxsize=512)
def runnable(pattern: str) -> RunnablePattern | None:
    """The pattern as it may be run; None where its work cannot be known, or Python cannot read it."""
    if len(pattern) > PATTERN_LENGTH_LIMIT:
        return None
    tree = parse(pattern)
    if tree is None:
        return None
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # "possible nested set": a remark to the pattern's author, not to our user
            regex = re.compile(pattern)
    except (re.error, RecursionError, OverflowError):
        return None
    return RunnablePattern(regex=regex, tree=tree, one_way=_Places().is_one_way(tree), anchored=_is_anchored(tree))


# --- every way --------------------------------------------------------------------------------------------------------


def _work(node: Node, length: int) -> tuple[int, int]:
    """Steps to try every way of a node from one place, and how many ways there are at most."""
    match node:
        case Glyph(width=width):
            return width, 1
        case Mark():
            return 1, 1
        case Choice(branches=branches):
            works = [_work(branch, length) for branch in branches]
            return _sum(steps + 1 for steps, _ in works), _sum(ways for _, ways in works)
        case Repeat():
            return _repeat_work(node, length)
        case Run(parts=parts):
            return _run_work(parts, length)


def _repeat_work(node: Repeat, length: int) -> tuple[int, int]:
    most = length if node.most is None else min(node.most, length)
    steps, ways = _work(node.body, length)
    if ways == 1:
        return (most + 1) * (steps + 1), max(1, most - min(node.least, most) + 1)
    total_steps, total_ways, level = 1, 1, 1
    for _ in range(most):
        total_steps = total_steps + level * (steps + 1)
        level *= ways
        total_ways += level
        if total_ways >= _ENDLESS:
            return _ENDLESS, _ENDLESS
    return total_steps + level * (steps + 1), total_ways  # one turn more is tried than there can be


def _run_work(parts: tuple[Node, ...], length: int) -> tuple[int, int]:
    steps, ways = 0, 1  # of what follows
    for index in range(len(parts) - 1, -1, -1):
        part = parts[index]
        own_steps, own_ways = _work(part, length)
        if isinstance(part, Repeat) and isinstance(part.body, Glyph) and _is_told_apart(part.body, parts[index + 1 :]):
            # From all but one of the places where it can end, the first character of what follows fails.
            steps = own_steps + own_ways * 2 * _first_width(parts[index + 1 :]) + steps
        else:
            steps = own_steps + own_ways * steps
            ways = own_ways * ways
        steps, ways = min(steps, _ENDLESS), min(ways, _ENDLESS)
    return steps, ways


def _is_told_apart(body: Glyph, following: tuple[Node, ...]) -> bool:
    """Whether what follows must begin with one character, which cannot be the repeated one."""
    match following[:1]:
        case (Glyph(mask=mask),):
            return not mask & body.mask
        case (Repeat(body=Glyph(mask=mask), least=least),) if least > 0:
            return not mask & body.mask
        case _:
            return False


def _first_width(following: tuple[Node, ...]) -> int:
    first = following[0]
    glyph = first.body if isinstance(first, Repeat) else first
    return 1 + (glyph.width if isinstance(glyph, Glyph) else 1)


def _sum(numbers: Iterable[int]) -> int:
    return min(sum(numbers), _ENDLESS)


def _is_anchored(node: Node) -> bool:
    match node:
        case Mark(anchors=anchors):
            return anchors
        case Choice(branches=branches):
            return all(map(_is_anchored, branches))
        case Run(parts=parts):
            return bool(parts) and _is_anchored(parts[0])
        case _:
            return False


# --- one way ----------------------------------------------------------------------------------------------------------


class _Places:
    """Glushkov's construction: every character of the pattern is a place, with the places that may come after it."""

    def __init__(self) -> None:
        self._masks: list[int] = []
        self._after: list[set[int]] = []
        self._is_ambiguous = False

    def is_one_way(self, tree: Node) -> bool:
        first, _, _ = self._read(tree)
        return not self._is_ambiguous and all(self._are_apart(places) for places in (first, *self._after))

    def _are_apart(self, places: set[int]) -> bool:
        seen = 0
        for place in places:
            if seen & self._masks[place]:
                return False
            seen |= self._masks[place]
        return True

    def _read(self, node: Node) -> tuple[set[int], set[int], bool]:
        """The places a node can begin and end with, and whether it can be empty."""
        match node:
            case Glyph(mask=mask):
                self._masks.append(mask)
                self._after.append(set())
                place = len(self._masks) - 1
                return {place}, {place}, False
            case Mark():
                return set(), set(), True
            case Choice(branches=branches):
                read = [self._read(branch) for branch in branches]
                return (
                    {place for first, _, _ in read for place in first},
                    {place for _, last, _ in read for place in last},
                    any(empty for _, _, empty in read),
                )
            case Repeat(body=body, least=least, most=most):
                first, last, _ = self._read(body)
                if most != 1:  # a counted repeat is read as an endless one, which is stricter
                    self._join(last, first)
                return first, last, least == 0
            case Run(parts=parts):
                return self._read_run(parts)

    def _read_run(self, parts: tuple[Node, ...]) -> tuple[set[int], set[int], bool]:
        first: set[int] = set()
        last: set[int] = set()
        empty = True
        for part in parts:
            part_first, part_last, part_empty = self._read(part)
            self._join(last, part_first)
            if empty:
                first = first | part_first
            last = last | part_last if part_empty else part_last
            empty = empty and part_empty
        return first, last, empty

    def _join(self, last: set[int], first: set[int]) -> None:
        for place in last:
            # The same place twice is two ways to the same end, as in `(a+)+`.
            self._is_ambiguous = self._is_ambiguous or not self._after[place].isdisjoint(first)
            self._after[place] |= first
