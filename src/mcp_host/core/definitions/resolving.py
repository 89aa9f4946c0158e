"""Resolves the references of one definition, and gathers what is missing and what must be redacted on the way.

All missing variables of a definition become one problem, so that they are set once.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final

from mcp_host.core.definitions.faults import Fault, FieldPath, field_name
from mcp_host.core.definitions.references import (
    Lookup,
    MissingReference,
    named_references,
    reference_names,
    resolve_text,
)
from mcp_host.core.definitions.secret_names import names_a_secret
from mcp_host.problems import Problem, ProblemError


@dataclass(kw_only=True)
class Resolver:
    """One pass over the fields of one definition; `finish` ends it."""

    alias: str
    environment: Mapping[str, str] = field(repr=False)
    place: str
    """Where the definition stands, as file:line."""
    places: Mapping[str, str] = field(default_factory=dict[str, str])
    """Where a top-level field of it stands, if that is elsewhere."""
    fed: Mapping[str, str] = field(default_factory=dict[str, str], repr=False)
    """What a person gave for names that the environment lacks; all of it is secret."""
    secrets: set[str] = field(default_factory=set[str], repr=False)
    """The resolved values that must not be shown; see `_is_secret`."""
    _missing: list[tuple[FieldPath, str]] = field(default_factory=list[tuple[FieldPath, str]])
    _faults: dict[FieldPath, Fault] = field(default_factory=dict[FieldPath, Fault])

    def __post_init__(self) -> None:
        self.secrets |= {value for value in self.fed.values() if len(value) >= _SHORTEST_SECRET}

    def text(self, path: FieldPath, text: str) -> str:
        """The resolved text of a field, or nothing where a variable is missing (`finish` says so)."""
        under_secret = any(isinstance(key, str) and names_a_secret(key) for key in path)
        for name in reference_names(text):
            value = self._lookup(name) or ""
            if _is_secret(name, value, under_secret=under_secret):
                self.secrets.add(value)
        try:
            resolved = resolve_text(text, self._lookup)
        except MissingReference:
            self._missing += [(path, name) for name in _missing_names(text, self._lookup)]
            return ""
        if "\0" in resolved:
            self._faults[path] = _NUL
        return resolved

    def optional(self, path: FieldPath, text: str | None) -> str | None:
        """As `text`, of a field that need not be given."""
        return None if text is None else self.text(path, text)

    def credential(self, path: FieldPath, text: str) -> str:
        """As `text`, of a field that is a secret and useless when empty: an empty variable counts as missing."""
        value = self.text(path, text)
        if len(value) >= _SHORTEST_SECRET:
            self.secrets.add(value)
        if not value and (path, reference_names(text)[0]) not in self._missing:
            self._missing.append((path, reference_names(text)[0]))
        return value

    def path(self, path: FieldPath, text: str) -> str:
        """As `text`, with a `~/` that the file itself has at the start standing for `${HOME}/`."""
        return self.text(path, with_home(text))

    def finish(self, faults: Mapping[FieldPath, Fault | None]) -> None:
        """Ends the pass. `faults` are those of resolved values; nothing of a value gets into the problem.

        Raises:
            ProblemError: "reference-missing" or "definition-invalid".
        """
        if self._missing:
            raise ProblemError(self._missing_problem())
        for path, fault in {**faults, **self._faults}.items():
            if fault is not None:
                raise ProblemError(self._faulty_problem(path, fault))

    def _lookup(self, name: str) -> str | None:
        """The environment's value, or where it has none (an empty one is none) what a person gave."""
        value = self.environment.get(name)
        return value or self.fed.get(name) or value

    def _missing_problem(self) -> Problem:
        names = list(dict.fromkeys(name for _, name in self._missing))
        one = len(names) == 1
        listed = ", ".join(names)
        return Problem(
            type="reference-missing",
            title=f'Server "{self.alias}" is off: {listed} {"is" if one else "are"} not set',
            detail="\n".join(
                f"{self._place(path)}: {self._field(path)} refers to ${{{name}}}, "
                "which is unset or empty in the environment"
                for path, name in self._missing
            ),
            hint=f"Set {listed} and start the editor again, or hand {'it' if one else 'them'} over with "
            f"`setup{{ resolve = … }}`{self._fallback_hint()}.",
            alias=self.alias,
        )

    def _fallback_hint(self) -> str:
        """Offered only where the rules let one stand."""
        for path, name in self._missing:
            if not any(isinstance(key, str) and names_a_secret(key) for key in (*path, name)):
                return f", or write a fallback: `${{{name}:-fallback}}`"
        return ""

    def _faulty_problem(self, path: FieldPath, fault: Fault) -> Problem:
        return Problem(
            type="definition-invalid",
            title=f'Server "{self.alias}" is off: {field_name(path)} {fault.text}, once its references are resolved',
            detail=f"{self._place(path)}: {self._field(path)} {fault.text}, once its references are resolved",
            hint=f"Look at the variables it refers to. {fault.hint}",
            alias=self.alias,
        )

    def _place(self, path: FieldPath) -> str:
        return self.places.get(str(path[0]), self.place)

    def _field(self, path: FieldPath) -> str:
        return field_name(("servers", self.alias, *path))


def with_home(text: str) -> str:
    """A path with a `~/` that the file itself has at the start written as the reference that it is."""
    return "${HOME}" + text[1:] if text == "~" or text.startswith("~/") else text


_NUL: Final = Fault(text="holds a NUL character", hint="No program or server can be given one.")
"""No variable of the environment can hold one, what a person's resolver says can."""

_SHORTEST_SECRET: Final = 4
"""Shorter values stand in too many innocent places to be redacted."""

_SHORTEST_UNNAMED_SECRET: Final = 8
"""Where nothing names a secret, shorter values are mostly words: `FMT=text` must not redact every "text"."""

_HARMLESS: Final = re.compile(
    "HOME|USER|USERNAME|LOGNAME|PATH|PWD|OLDPWD|SHELL|TZ|TMPDIR|TMP|TEMP|HOSTNAME|LANG|LANGUAGE|LC_[A-Z]+|XDG_[A-Z_]+"
    "|TERM|COLORTERM|TERM_PROGRAM|DISPLAY|WAYLAND_DISPLAY|EDITOR|VISUAL|PAGER|BROWSER|VIRTUAL_ENV"
)
"""Variables whose values are no secret, and would tear holes into every text if they were redacted."""


def _is_secret(name: str, value: str, *, under_secret: bool) -> bool:
    """Whether the value of this variable must not be shown; `under_secret`: it stands under a key that names a secret.

    What is named as a secret is one. What is not named is one when it is long, since a mistake then costs a word in a
    text and the other mistake costs a credential.
    """
    if len(value) < _SHORTEST_SECRET:
        return False
    if under_secret or names_a_secret(name):
        return True
    return len(value) >= _SHORTEST_UNNAMED_SECRET and not _HARMLESS.fullmatch(name)


def _missing_names(text: str, lookup: Lookup) -> list[str]:
    """Every variable of a text that is missing, not only the first."""
    return list(
        dict.fromkeys(name for name, falls_back in named_references(text) if not falls_back and lookup(name) is None)
    )
