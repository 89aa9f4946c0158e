"""Which variable each secret of a file is kept in from now on: one name for one value, and never the same for two.

This is the only place that remembers the values, as long as a file is read, so that a secret is recognised where
nothing but its value tells. They are in no repr.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Final

from mcp_host.core.definitions.secret_names import variable_for


class SecretVariables:
    """The variables of one file. `taken` are the names that its own placeholders use already."""

    def __init__(self, taken: Iterable[str] = ()) -> None:
        self._values: dict[str, str | None] = dict.fromkeys(taken)
        self._names: dict[str, str] = {}
        self._numbers: dict[str, int] = {}

    def name_for(self, value: str, wanted: str, *, alias: str) -> str:
        """The variable for this value: the one it has already, else `wanted`, or another where that is taken."""
        if len(value) >= SHARED_LENGTH and value in self._names:
            return self._names[value]
        wider = named_after(alias, wanted)
        name = next((name for name in (wanted, wider) if self._values.get(name, value) == value), None)
        while name is None:
            self._numbers[wider] = self._numbers.get(wider, 1) + 1
            numbered = f"{wider}_{self._numbers[wider]}"
            name = numbered if numbered not in self._values else None
        self._values[name] = value
        self._names.setdefault(value, name)
        return name

    def hidden(self, text: str, among: Iterable[str] = ()) -> str:
        """The text with a reference instead of the secret that it is, or that stands in it and is kept in `among`."""
        if len(text) >= SHARED_LENGTH and text in self._names:
            return f"${{{self._names[text]}}}"
        for name in among:
            value = self._values.get(name)
            if value is not None and len(value) >= EMBEDDED_LENGTH and value in text:
                text = text.replace(value, f"${{{name}}}")
        return text


SHARED_LENGTH: Final = 8
"""From this length on, the same value twice is the same secret. Shorter ones ("admin") are alike by chance."""

EMBEDDED_LENGTH: Final = 12
"""From this length on, a value inside another text is the secret and no word."""


def variable_name(key: str) -> str:
    """The key itself where it can be a variable, else the one that its value would be kept in."""
    return key if _VARIABLE.fullmatch(key) else variable_for(key)


def named_after(alias: str, key: str) -> str:
    """A variable for what `key` is to this server: ALIAS_TOKEN, without saying twice whose it is."""
    owner, name = variable_for(alias), variable_for(re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", key.lstrip("-")))
    name = name.removeprefix("X_") or "TOKEN"
    return name if name.partition("_")[0] == owner.partition("_")[0] else f"{owner}_{name}"


_VARIABLE: Final = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
