"""The questions that a VS Code file asks (`inputs`), and the variables that answer them here."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final

from mcp_host.core.definitions.faults import FieldPath
from mcp_host.core.definitions.secret_names import names_a_secret
from mcp_host.core.importing.json_kinds import array_of, object_of
from mcp_host.core.importing.literal_secrets import find_secrets
from mcp_host.core.importing.secret_variables import named_after, variable_name
from mcp_host.core.strict_json import is_encodable


@dataclass(frozen=True, kw_only=True)
class Input:
    """One question."""

    id: str
    path: FieldPath | None
    """Where it stands in the file; None: nowhere."""
    is_command: bool = False
    default: str | None = field(default=None, repr=False)
    """What the client proposes; never for a password."""
    options: tuple[str, ...] = ()
    fills: str | None = None
    """The environment variable of a server that is nothing but the answer."""

    def variable(self, alias: str) -> str:
        """The variable for the answer: what it fills, else its id. A single word is too common to stand alone."""
        name = variable_name(self.fills or self.id).upper()
        return name if "_" in name.strip("_") else named_after(alias, name)

    def told(self, client: str, name: str) -> str:
        """What a person is to know about it."""
        if self.path is None:
            return f"The file asks for `{name}` by an input that it does not define; set the variable."
        if self.is_command:
            return f"{client} runs a command of its own for `{name}`; here somebody has to set the variable."
        if self.default is not None:
            return f"{client} asks for `{name}`; here the variable says it, and its proposal holds without it."
        if self.options:
            return f"{client} asks for `{name}`: one of {', '.join(self.options)}."
        return f"{client} asks for `{name}`; here the variable says it."


def read_inputs(value: object, path: FieldPath, servers: Mapping[str, object]) -> dict[str, Input]:
    """The questions of a file, by id. What cannot be read is as if it were not there."""
    fills = _filled(servers)
    inputs: dict[str, Input] = {}
    for index, element in enumerate(array_of(value) or []):
        entry = object_of(element) or {}
        identifier = entry.get("id")
        if not isinstance(identifier, str) or not identifier:
            continue
        is_secret = entry.get("password") is True or names_a_secret(identifier)
        inputs[identifier] = Input(
            id=identifier,
            path=(*path, index),
            is_command=entry.get("type") == "command",
            default=None if is_secret else _default(entry.get("default")),
            options=tuple(_options(entry.get("options"))),
            fills=fills.get(identifier),
        )
    return inputs


def _filled(servers: Mapping[str, object]) -> dict[str, str]:
    fills: dict[str, str] = {}
    for entry in servers.values():
        env = object_of((object_of(entry) or {}).get("env")) or {}
        for key, value in env.items():
            match = _WHOLE.fullmatch(value) if isinstance(value, str) else None
            if match is not None:
                fills.setdefault(match["id"], key)
    return fills


def _default(value: object) -> str | None:
    """A proposal that can be a fallback, which ends at the first brace."""
    if not isinstance(value, str) or not value or not is_encodable(value):
        return None
    return None if "}" in value or "${" in value or find_secrets(value) else value


def _options(value: object) -> list[str]:
    options: list[str] = []
    for option in (array_of(value) or [])[:_OPTIONS_SHOWN]:
        text = (object_of(option) or {"value": option}).get("value")
        if isinstance(text, str) and is_encodable(text) and not find_secrets(text):
            options.append(text)
    return options


_OPTIONS_SHOWN: Final = 20
_WHOLE: Final = re.compile(r"\$\{input:(?P<id>[^}]+)\}")
