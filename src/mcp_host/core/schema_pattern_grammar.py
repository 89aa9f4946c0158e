"""The grammar of the regular expressions that may be run: what each is made of, or that it is made of something else.

Literals, escapes, classes, `.`, anchors, groups, `|` and repeats. A repeated thing that can be empty (`(a*)*`) and a
choice between two empty things are outside of it: they have a way for every split of nothing.
"""

from __future__ import annotations

import functools
import re
import warnings
from dataclasses import dataclass
from typing import Final

COUNT_LIMIT: Final = 10_000
"""In `{n,m}`: more is no pattern that a person wrote."""

_OTHERS: Final = 1 << 128
"""In a mask, all characters beyond ASCII together, as if they were one: two masks rather overlap than not."""


@dataclass(frozen=True, kw_only=True)
class Glyph:
    """One character out of some."""

    mask: int
    """A bit for each ASCII character it may be, and `_OTHERS`."""
    width: int
    """What testing a character against it costs."""


@dataclass(frozen=True, kw_only=True)
class Mark:
    """A place between characters: `^`, `$`, a border of a word."""

    anchors: bool
    """It is the start of the text."""


@dataclass(frozen=True, kw_only=True)
class Repeat:
    """Something, some times over."""

    body: Node
    least: int
    most: int | None


@dataclass(frozen=True, kw_only=True)
class Run:
    """One thing after the other."""

    parts: tuple[Node, ...]


@dataclass(frozen=True, kw_only=True)
class Choice:
    """One thing or another."""

    branches: tuple[Node, ...]


Node = Glyph | Mark | Repeat | Run | Choice


def parse(pattern: str) -> Node | None:
    """What the pattern is made of; None where it holds something else."""
    try:
        return _Reader(pattern).whole()
    except (_NotInGrammar, RecursionError):
        return None


class _NotInGrammar(Exception):
    pass


_TOKEN: Final = re.compile(
    r"\[\^?\]?(?:\\.|[^\]\\])*\]"  # a class
    r"|\\x[0-9a-fA-F]{2}|\\u[0-9a-fA-F]{4}"
    r"|\\[^0-9]"  # an escape that is no back reference
    r"|\(\?:"
    r"|\(\?"  # a flag, a look-around, a name
    r"|\{[0-9]{1,6}(?:,[0-9]{0,6})?\}"
    r"|.",
    re.DOTALL,
)
_COUNT: Final = re.compile(r"\{(\d+)(,)?(\d*)\}")
_MARKS: Final = {"^": True, r"\A": True, "$": False, r"\Z": False, r"\b": False, r"\B": False}
_ESCAPES: Final = frozenset("dDsSwWtnrfvaxu")
"""Letters that mean something after a backslash, to Python as to ECMAScript. (`a` means it to Python alone.)"""


class _Reader:
    def __init__(self, pattern: str) -> None:
        self._tokens: list[str] = _TOKEN.findall(pattern)
        if len("".join(self._tokens)) != len(pattern):
            raise _NotInGrammar
        self._at = 0

    def whole(self) -> Node:
        tree = self._choice()
        if self._at < len(self._tokens):
            raise _NotInGrammar  # a `)` too many
        return tree

    def _next(self) -> str:
        return self._tokens[self._at] if self._at < len(self._tokens) else ""

    def _choice(self) -> Node:
        branches = [self._run()]
        while self._next() == "|":
            self._at += 1
            branches.append(self._run())
        if len(branches) == 1:
            return branches[0]
        if sum(map(_can_be_empty, branches)) > 1:
            raise _NotInGrammar
        return Choice(branches=tuple(branches))

    def _run(self) -> Node:
        parts: list[Node] = []
        while self._next() not in ("", "|", ")"):
            parts.append(self._repeated(self._atom()))
        return parts[0] if len(parts) == 1 else Run(parts=tuple(parts))

    def _atom(self) -> Node:
        token = self._next()
        self._at += 1
        if token in _MARKS:
            return Mark(anchors=_MARKS[token])
        if token in ("(", "(?:"):
            inner = self._choice()
            if self._next() != ")":
                raise _NotInGrammar
            self._at += 1
            return inner
        if token in ("*", "+", "?", "(?") or _COUNT.fullmatch(token):
            raise _NotInGrammar
        if token.startswith("\\") and (len(token) < 2 or (token[1].isalpha() and token[1] not in _ESCAPES)):
            raise _NotInGrammar
        return Glyph(mask=_mask(token), width=1 + len(token) // 4)

    def _repeated(self, atom: Node) -> Node:
        counts = _counts(self._next())
        if counts is None:
            return atom
        self._at += 1
        if self._next() == "?":  # lazy: the same ways in another order
            self._at += 1
        if _counts(self._next()) is not None or _can_be_empty(atom):
            raise _NotInGrammar
        least, most = counts
        return Repeat(body=atom, least=least, most=most)


def _counts(token: str) -> tuple[int, int | None] | None:
    if token in ("*", "+", "?"):
        return (1 if token == "+" else 0), (1 if token == "?" else None)
    found = _COUNT.fullmatch(token)
    if found is None:
        return None
    least = int(found[1])
    most = least if found[2] is None else int(found[3]) if found[3] else None
    if max(least, most or 0) > COUNT_LIMIT or most == 0:
        raise _NotInGrammar
    return least, most


def _can_be_empty(node: Node) -> bool:
    match node:
        case Glyph():
            return False
        case Mark():
            return True
        case Repeat(least=least):
            return least == 0
        case Run(parts=parts):
            return all(map(_can_be_empty, parts))
        case Choice(branches=branches):
            return any(map(_can_be_empty, branches))


@functools.lru_cache(maxsize=1024)
def _mask(token: str) -> int:
    """The characters that a literal, an escape or a class may be, by asking Python's own matcher."""
    if len(token) == 1 and token != ".":
        return 1 << ord(token) if token.isascii() else _OTHERS
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            fits = re.compile(token).fullmatch
    except re.error:
        raise _NotInGrammar from None
    mask = sum(1 << code for code in range(128) if fits(chr(code)))
    is_ascii_alone = token.isascii() and not token.startswith("[^") and not re.search(r"\\[a-zA-Z]|^\.", token)
    return mask if is_ascii_alone else mask | _OTHERS
