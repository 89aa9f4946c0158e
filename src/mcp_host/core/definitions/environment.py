"""The lowest layer: servers that environment variables define, `NVIM_MCP_<ALIAS>` with their companions.

The variables are handed in. An empty one is as if it were not set, and the companions of an empty one say nothing. No
problem quotes a value. A variable whose name speaks of a credential or of a companion is not taken for a server unless
its value can be nothing else: commands are shown, and that value may be a secret.
"""

from __future__ import annotations

import json
import re
from collections.abc import Container, Mapping
from dataclasses import dataclass, field, replace
from typing import Final, cast

from mcp_host.core.definitions.faults import Fault, FieldPath
from mcp_host.core.definitions.models import is_alias
from mcp_host.core.definitions.references import is_credential_reference
from mcp_host.core.definitions.secret_names import names_a_secret
from mcp_host.core.definitions.sources import THE_ENVIRONMENT, Source
from mcp_host.problems import Problem


def read_environment(variables: Mapping[str, str]) -> Source:
    """What the environment says about servers."""
    # Only these are looked up: no other variable is anybody's business before a definition refers to it.
    values = {name[len(_PREFIX) :]: variables[name] for name in sorted(variables) if name.startswith(_PREFIX)}
    reading = _Reading()
    for name in _OF_EVERY_SERVER:
        if value := values.pop(name, ""):
            reading.of_every_server(name, value)
    bases = _bases(values)
    for base in sorted(bases):
        if values[base]:
            reading.server(base, values[base])
    for name, value in values.items():
        owner = _owner(name, bases)
        if name in bases or not value or (owner is not None and not values[owner]):
            continue
        if owner is not None:
            reading.companion(owner, name[len(owner) + 1 :], value)
        else:
            reading.problems.append(_ownerless(name))
    return reading.source()


def suited_to_variables(fault: Fault, alias: str) -> Fault:
    """The fault of something that the environment gave, said to somebody who sets variables and writes no TOML."""
    hint = _HEADER.sub(lambda match: _variable(match["alias"]), fault.hint)
    for toml, variables in _IN_VARIABLES.items():
        hint = hint.replace(toml, variables.replace("{base}", _variable(alias)))
    return replace(fault, text=fault.text.replace("in the file", "in a definition"), hint=hint)


_PREFIX: Final = "NVIM_MCP_"

_COMPANIONS: Final = {
    "ARGS": "args",
    "BEARER": "authorization",
    "CWD": "cwd",
    "ENV": "env",
    "HEADERS": "headers",
    "READ": "read",
    "SUMMARY": "summary",
    "TOOLS": "tools",
}
"""What comes after a server's variable to the field that it gives. `_<TOOL>_SUMMARY` is one too."""

_OF_EVERY_SERVER: Final = {
    "CONNECT_TIMEOUT": "connect_timeout_seconds",
    "ENABLED": "enabled",
    "REQUEST_TIMEOUT": "request_timeout_seconds",
}

_SHAPES: Final[dict[str, tuple[type, str]]] = {
    "args": (list, 'a JSON array of strings, as in `["-y", "some-server"]`'),
    "env": (dict, 'a JSON object of strings, as in `{"LOG_LEVEL": "debug"}`'),
    "headers": (dict, 'a JSON object of strings, as in `{"X-Team": "core"}`'),
    "read": (list, 'a JSON array of strings, as in `["search"]`'),
    "tools": (list, 'a JSON array of strings, as in `["search", "fetch"]`'),
}
"""The fields that are written as JSON: what the JSON must be, and how to say so."""

_IN_VARIABLES: Final = {
    "Put the value into an environment variable": "Put the value into a variable of its own",
    'Put the token into an environment variable and write `authorization = { type = "bearer", token = "${NAME}" }` '
    "instead of the header.": "Set `{base}_BEARER` to the token instead of the header.",
    'Write its arguments in args, as in `command = "npx"` and `args = ["-y", "some-server"]`.': (
        """Set its arguments apart, as in `{base}_ARGS='["-y", "some-server"]'`."""
    ),
    '`command = "npx"`': "`npx`",
    '`cwd = "/srv/work"` or `cwd = "~/work"`': "`/srv/work` or `~/work`",
    'write `headers = { Authorization = "Basic ${CREDENTIALS}" }`': (
        """set `{base}_HEADERS='{"Authorization": "Basic ${CREDENTIALS}"}'`"""
    ),
    '`env = { LOG_LEVEL = "debug" }`': '`{"LOG_LEVEL": "debug"}`',
}
"""Hints for files to hints for variables, piece by piece."""

_HEADER: Final = re.compile(r"\[servers\.(?P<alias>[a-z0-9-]+)\]")
_TARGET_URL: Final = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*:/")
_WHOLE_PATH: Final = re.compile(r"~?/")
_COMPANION: Final = re.compile(rf"{'|'.join(_COMPANIONS)}|.+_SUMMARY")
_LIKE_A_COMPANION: Final = re.compile(rf"(?:(?P<base>.*)_)?(?P<suffix>{'|'.join(_COMPANIONS)})")
_NAME: Final = re.compile(r"[A-Z0-9_]+")
_SECONDS: Final = re.compile(r"[0-9]{1,9}(?:\.[0-9]{1,9})?")


def _bases(values: Mapping[str, str]) -> frozenset[str]:
    """The names that stand for a server. A shorter one is asked first, since it may explain a longer one."""
    bases: set[str] = set()
    for name in sorted(values, key=len):
        if _NAME.fullmatch(name) and _owner(name, bases) is None and _may_be_server(name, values[name]):
            bases.add(name)
    return frozenset(bases)


def _owner(name: str, bases: Container[str]) -> str | None:
    """The server that a companion belongs to: the one with the longest name."""
    for match in reversed(list(re.finditer("_", name))):
        if name[: match.start()] in bases and _COMPANION.fullmatch(name, match.end()):
            return name[: match.start()]
    return None


def _may_be_server(name: str, value: str) -> bool:
    like_a_companion = _LIKE_A_COMPANION.fullmatch(name)
    if like_a_companion is None and not names_a_secret(name):
        return True
    suffix = like_a_companion["suffix"] if like_a_companion is not None else None
    if suffix == "BEARER":
        return False
    if suffix is not None and _COMPANIONS[suffix] in _SHAPES and _WHOLE_PATH.match(value):
        return True  # no attempt at JSON looks like that
    return _TARGET_URL.match(value) is not None


def _ownerless(name: str) -> Problem:
    variable = f"{_PREFIX}{name}"
    if _NAME.fullmatch(name) is None:
        meant = f"{_PREFIX}{re.sub('[^A-Z0-9]', '_', name.upper()) or 'TIME'}"
        return _problem(variable, "names no server", hint=f"Write the alias in capital letters, as in `{meant}`.")
    like_a_companion = _LIKE_A_COMPANION.fullmatch(name)
    if like_a_companion is None:
        hint = "Give the variable a name that does not start with NVIM_MCP_, and refer to it in a definition; "
        hint += "or define the server in a file, if it is one."
        return _problem(variable, "names a secret, and so it is not taken for a server", hint=hint)
    base = like_a_companion["base"]
    owner = f"`{_PREFIX}{base}`" if base and like_a_companion["suffix"] != "SUMMARY" else "its server's variable"
    hint = f"Set {owner} to an executable or a URL, or unset this one."
    return _problem(variable, "belongs to no server", hint=hint)


def _problem(variable: str, text: str, *, hint: str) -> Problem:
    return Problem(
        type="definition-invalid",
        title=f"{variable} {text}",
        detail=f"the environment variable {variable} {text}",
        hint=hint,
    )


@dataclass(kw_only=True)
class _Reading:
    """What has been read so far."""

    tables: dict[str, dict[str, object]] = field(default_factory=dict[str, dict[str, object]])
    tool_summaries: dict[str, dict[str, str]] = field(default_factory=dict[str, dict[str, str]])
    defaults: dict[str, object] = field(default_factory=dict[str, object])
    enabled_aliases: frozenset[str] | None = None
    faults: dict[str, list[Fault]] = field(default_factory=dict[str, list[Fault]])
    problems: list[Problem] = field(default_factory=list[Problem])
    variables: dict[FieldPath, str] = field(default_factory=dict[FieldPath, str])

    def source(self) -> Source:
        return Source(
            layer="environment",
            file=THE_ENVIRONMENT,
            tables=self.tables,
            defaults=self.defaults,
            enabled_aliases=self.enabled_aliases,
            faults={alias: tuple(faults) for alias, faults in self.faults.items()},
            problems=tuple(self.problems),
            variables=self.variables,
        )

    def server(self, base: str, value: str) -> None:
        alias = _alias(base)
        self.tables[alias] = {"url" if _TARGET_URL.match(value) else "command": value}
        self.variables["servers", alias] = f"{_PREFIX}{base}"

    def companion(self, base: str, suffix: str, value: str) -> None:
        alias, variable = _alias(base), f"{_PREFIX}{base}_{suffix}"
        table = self.tables[alias]
        name = _COMPANIONS.get(suffix, "tool_summaries")
        self.variables.setdefault(("servers", alias, name), variable)
        if name == "tool_summaries":
            tool = suffix.removesuffix("_SUMMARY").lower()
            self.variables["servers", alias, name, tool] = variable
            self.tool_summaries.setdefault(alias, {})[tool] = value
            table[name] = self.tool_summaries[alias]
        elif name == "authorization":
            token = value if is_credential_reference(value) else f"${{{variable}}}"
            table[name] = {"type": "bearer", "token": token}
        elif name in _SHAPES:
            kind, shape = _SHAPES[name]
            try:
                table[name] = _json(value, kind)
            except _NotThat as error:
                fault = Fault(path=(name,), text=error.text, hint=f"Set `{variable}` to {shape}.")
                self.faults.setdefault(alias, []).append(fault)
        else:
            table[name] = value

    def of_every_server(self, name: str, value: str) -> None:
        variable, key = f"{_PREFIX}{name}", _OF_EVERY_SERVER[name]
        self.variables["defaults", key] = variable
        if key == "enabled":
            self._enabled(variable, value)
        elif _SECONDS.fullmatch(value) and float(value) > 0:
            self.defaults[key] = float(value)
        else:
            hint = "Write a number of seconds above 0, as in `30`."
            self.problems.append(_problem(variable, "is not a number of seconds", hint=hint))

    def _enabled(self, variable: str, value: str) -> None:
        switch = _SWITCH.get(value.strip().lower())
        if switch is not None:
            self.defaults["enabled"] = switch
            return
        self.enabled_aliases = frozenset()
        hint = (
            'Write `true`, `false` or a JSON array of aliases, as in `["time"]`; until then no server is enabled by it.'
        )
        try:
            named = _json(value, list)
        except _NotThat:
            text = "is neither true nor false nor a JSON array"
            self.problems.append(_problem(variable, text, hint=hint))
            return
        aliases = frozenset(name for name in cast("list[object]", named) if isinstance(name, str) and is_alias(name))
        self.enabled_aliases = aliases
        for index, name in enumerate(cast("list[object]", named)):
            if not isinstance(name, str) or name not in aliases:
                hint = "Write the aliases of servers as `:McpList` shows them; the others count."
                self.problems.append(_problem(variable, f"holds no alias at [{index}]", hint=hint))


_SWITCH: Final = {"true": True, "1": True, "false": False, "0": False}


class _NotThat(Exception):
    """The text is not the JSON that it should be; `text` says why without a word of it."""

    def __init__(self, text: str) -> None:
        super().__init__(text)
        self.text = text


def _json(value: str, kind: type) -> object:
    try:
        found: object = json.loads(value, object_pairs_hook=_once)
    except json.JSONDecodeError as error:
        raise _NotThat(f"is not JSON (look at character {error.pos + 1})") from None
    except (ValueError, RecursionError):
        raise _NotThat("is JSON that nests too deeply or holds too long a number") from None
    if not isinstance(found, kind):
        raise _NotThat(f"must be a JSON {'array' if kind is list else 'object'}")
    return found


def _once(pairs: list[tuple[str, object]]) -> dict[str, object]:
    found = dict(pairs)
    if len(found) < len(pairs):
        raise _NotThat("has a key twice")
    return found


def _alias(base: str) -> str:
    return base.lower().replace("_", "-")


def _variable(alias: str) -> str:
    return f"{_PREFIX}{alias.upper().replace('-', '_')}"
