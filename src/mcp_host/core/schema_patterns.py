"""How long a text may be for a server's regular expression to be run on it.

A schema's `pattern` is the server's, and for results so is the text: together they can keep Python's backtracking
matcher busy for years, and it cannot be interrupted. So each pattern gets a length up to which it certainly ends soon.
A longer text is not checked: a server checks its own arguments anyway, and we never claim a fault we did not see.
"""

from __future__ import annotations

import functools
import re
import warnings
from typing import Final

STEP_BUDGET: Final = 20_000_000
"""Matcher steps one check may take at worst; about half a second."""

NESTED_LENGTH_LIMIT: Final = 20
"""For a repetition inside a repetition the steps double with each character: 2 to the power of this is the budget."""


@functools.lru_cache(maxsize=1024)
def checkable_length(pattern: str) -> int:
    """The longest text that the pattern may be run on; 0 for one that Python cannot read (ECMA-only syntax)."""
    if not _is_readable(pattern):
        return 0
    repeats, nested = _repetition(pattern)
    # A search tries every start, and every unbounded repeat multiplies by the length once more.
    return NESTED_LENGTH_LIMIT if nested else int(STEP_BUDGET ** (1 / (repeats + 1)))


def _is_readable(pattern: str) -> bool:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # "possible nested set": a remark to the pattern's author, not to our user
            re.compile(pattern)
    except (re.error, RecursionError, OverflowError):
        return False
    return True


def _repetition(pattern: str) -> tuple[int, bool]:
    """How many unbounded repeats there are, and whether one holds another repeat or a choice."""
    units = _units(pattern)
    repeats, nested = 0, False
    varies = [False]  # one flag an open group: does it hold a repeat or a choice?
    for unit, following in zip(units, [*units[1:], ""], strict=True):
        if unit == "(":
            varies.append(False)
        elif unit == ")":
            inner = varies.pop()
            nested = nested or (inner and _repeats(following))
            varies[-1] = varies[-1] or inner
        elif _repeats(unit):
            repeats += 1
            varies[-1] = True
        elif unit == "|":
            varies[-1] = True
    return repeats, nested


_UNIT: Final = re.compile(r"\\.|\[\^?\]?(?:\\.|[^\]\\])*\]|\{\d*,?\d*\}|.", re.DOTALL)


def _units(pattern: str) -> list[str]:
    """The pattern cut into escapes, character classes, counted repeats and single characters."""
    return _UNIT.findall(pattern)


def _repeats(unit: str) -> bool:
    return unit in ("*", "+") or (len(unit) > 2 and unit.startswith("{"))
