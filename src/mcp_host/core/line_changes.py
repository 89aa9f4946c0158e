"""What changed from one list of lines to another: both as one list, each line with its sign.

The lines come out of files that anybody may have written, so the work is bounded: whoever looks at a change must not
wait for it, whatever it is.
"""

from __future__ import annotations

from collections.abc import Sequence
from difflib import SequenceMatcher
from typing import Final

COMPARED_LINES: Final = 600
"""Old and new lines that are compared one by one, between the first and the last that differ. The worst of them take a
fraction of a second, ten times as many take minutes; a real file has a few dozen."""


def line_changes(old: Sequence[str], new: Sequence[str]) -> tuple[str, ...]:
    """The lines of both, in order: `- ` before those of the old that went, `+ ` before those that came, two blanks
    before those that stayed. Where too many differ, the old ones go whole and the new ones come whole."""
    first = _common(old, new)
    last = _common(old[first:][::-1], new[first:][::-1])
    went, came = old[first : len(old) - last], new[first : len(new) - last]
    stayed_behind = old[len(old) - last :]
    return (*_signed("  ", old[:first]), *_between(went, came), *_signed("  ", stayed_behind))


def _between(went: Sequence[str], came: Sequence[str]) -> list[str]:
    if len(went) + len(came) > COMPARED_LINES:
        return [*_signed("- ", went), *_signed("+ ", came)]
    changes: list[str] = []
    for tag, start, end, new_start, new_end in SequenceMatcher(None, went, came, autojunk=False).get_opcodes():
        if tag == "equal":
            changes += _signed("  ", went[start:end])
        else:
            changes += _signed("- ", went[start:end]) + _signed("+ ", came[new_start:new_end])
    return changes


def _common(old: Sequence[str], new: Sequence[str]) -> int:
    """How many lines both begin with."""
    for count, (one, other) in enumerate(zip(old, new, strict=False)):
        if one != other:
            return count
    return min(len(old), len(new))


def _signed(sign: str, lines: Sequence[str]) -> list[str]:
    return [sign + line for line in lines]
