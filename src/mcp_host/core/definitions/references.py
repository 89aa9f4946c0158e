"""The `${NAME}` language: naming a value of the environment without writing it down.

`${NAME}` is the variable's value, `${NAME:-text}` falls back to `text` where the variable is unset or empty (as in a
shell), and `$${` stands for a literal `${`. Every other `$` is itself. Nothing nests: a fallback is plain text up to
the next `}`, without a `${`. This file knows no environment: it is handed a lookup.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Final

Lookup = Callable[[str], str | None]
"""From a variable's name to its value; None where it is unset."""


class MissingReference(Exception):
    """A variable is unset and its reference has no fallback."""

    def __init__(self, name: str) -> None:
        super().__init__(f"the environment variable {name} is not set")
        self.name = name


def reference_names(text: str) -> tuple[str, ...]:
    """The variables that `text` names, each once, in order."""
    return tuple(dict.fromkeys(name for name, _ in named_references(text)))


def named_references(text: str) -> tuple[tuple[str, bool], ...]:
    """Every reference of `text` in order: the variable that it names, and whether it has a fallback."""
    if _START not in text:
        return ()
    return tuple((match["name"], match["fallback"] is not None) for match in _TOKEN.finditer(text) if match["name"])


def resolve_text(text: str, lookup: Lookup) -> str:
    """`text` with every reference replaced. A resolved value is never looked at again.

    Raises:
        MissingReference: a named variable is unset and has no fallback.
    """

    def replacement(match: re.Match[str]) -> str:
        name, fallback = match["name"], match["fallback"]
        if name is None:
            return "${" if match[0] == "$${" else match[0]
        value = lookup(name)
        if fallback is not None and not value:
            return fallback
        if value is None:
            raise MissingReference(name)
        return value

    return _TOKEN.sub(replacement, text)


def replace_references(text: str, stand_in: str) -> str:
    """`text` with `stand_in` for every reference, to look at the shape of what a person wrote around them."""
    return _TOKEN.sub(lambda match: stand_in if match["name"] else match[0], text)


def is_whole_reference(text: str) -> bool:
    """Whether `text` is exactly one reference and nothing else."""
    match = _TOKEN.fullmatch(text)
    return match is not None and match["name"] is not None


def is_credential_reference(text: str) -> bool:
    """Whether `text` is one whole reference without a fallback: a fallback would be the credential in plain text."""
    match = _TOKEN.fullmatch(text)
    return match is not None and match["name"] is not None and not match["fallback"]


def has_malformed_reference(text: str) -> bool:
    """Whether a `${` starts something that is no reference (`${env:NAME}`, `${A:-${B}}`) and is not escaped."""
    return _START in text and any(match[0] == _START for match in _TOKEN.finditer(text))


_START: Final = "${"
_TOKEN: Final = re.compile(
    r"\$\$\{"  # a literal `${`
    r"|\$\{(?P<name>[A-Za-z_][A-Za-z0-9_]*)(?::-(?P<fallback>(?:[^}$]|\$(?!\{))*))?\}"
    r"|\$\{"  # what starts like a reference and is none
)
"""A fallback ends before the next `${`, which keeps the search linear and refuses nesting."""
