"""From a command line or a URL that a person gave to a candidate, with references instead of its secrets."""

from __future__ import annotations

import base64
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Final
from urllib.parse import unquote, urlsplit

from mcp_host.core.definitions.secret_names import names_a_secret
from mcp_host.core.importing.aliases import fitting_alias
from mcp_host.core.importing.candidates import Candidate
from mcp_host.core.importing.client_table import OTHER
from mcp_host.core.importing.draft import Draft, Origins, is_name
from mcp_host.core.importing.entries import read_entry, variables_of
from mcp_host.core.importing.json_kinds import object_of
from mcp_host.core.importing.secret_variables import SecretVariables


@dataclass(frozen=True, kw_only=True)
class Typed:
    """A candidate, and apart from it the secrets that were typed: for the one who tries it out, in memory only."""

    candidate: Candidate
    values: Mapping[str, str] = field(repr=False)
    """By variable, those that the candidate refers to among them: texts in which references may stand."""


def from_command_line(words: Sequence[str], *, folder: str) -> Candidate:
    """The candidate of a command line. `NAME=value` before the command are variables, `./x` is in the folder."""
    return typed_command_line(words, folder=folder).candidate


def from_url(url: str) -> Candidate:
    """The candidate of a URL."""
    return typed_url(url).candidate


def typed_command_line(words: Sequence[str], *, folder: str) -> Typed:
    """As `from_command_line`, with the secrets."""
    env: dict[str, object] = {}
    rest = list(words)
    if rest[:1] == ["env"] and len(rest) > 1 and _VARIABLE.match(rest[1]):
        del rest[0]
    while rest and (match := _VARIABLE.match(rest[0])):
        env[match["name"]] = rest.pop(0)[match.end() :]
    entry: dict[str, object] = {"env": env, "args": rest[1:]}
    if rest:
        entry["command"] = rest[0]
    typed = _typed(_name_in(_telling_word(rest)), entry, source="the command line", folder=folder)
    if any(secret and secret in _telling_word(rest) for secret in typed.values.values()):
        return _typed(_name_in(rest[0]), entry, source="the command line", folder=folder)
    return typed


def typed_url(url: str) -> Typed:
    """As `from_url`, with the secrets."""
    typed = _typed(_host_name(url), {"url": url}, source="the URL", folder="")
    headers = object_of(typed.candidate.table.get("headers"))
    match = _USER_INFO.match(url)
    if headers is None or match is None or "${" in match["info"]:
        return typed
    # A URL brings no header but the one that its name and password become.
    name = str(headers["Authorization"]).removeprefix("Basic ${").removesuffix("}")
    user, _, password = unquote(match["info"]).partition(":")
    credentials = base64.b64encode(f"{user}:{password}".encode("utf-8", "replace")).decode("ascii")
    # Nobody refers to the password by itself, but a server may repeat it.
    values = {**typed.values, name: credentials, f"{name}_PASSWORD": password}
    return Typed(candidate=typed.candidate, values=values)


@dataclass(kw_only=True)
class _TypedDraft(Draft):
    """A draft that keeps the secrets, which stand nowhere else."""

    values: dict[str, str] = field(default_factory=dict[str, str], repr=False)

    def secret(self, value: str, wanted: str, *path: str | int) -> str:
        name = super().secret(value, wanted, *path)
        self.values[name] = value
        return name


def _typed(name: str, entry: dict[str, object], *, source: str, folder: str) -> Typed:
    variables = SecretVariables(variables_of({name: entry}))
    origins = Origins(client=source, file=source, folder=folder, variables=variables, is_of_project=bool(folder))
    draft = _TypedDraft(alias=fitting_alias(name if is_name(name) else ""), origins=origins, path=())
    read_entry(draft, entry, OTHER)
    return Typed(candidate=draft.finished(), values=draft.values)


def _telling_word(words: Sequence[str]) -> str:
    """The word that says best what runs: the package of a runner, else the program."""
    if not words:
        return ""
    if words[0].rpartition("/")[2] in _RUNNERS:
        said = (word for before, word in pairwise(words) if not word.startswith("-") and not _has_value(before))
        return next((word for word in said if word not in _VERBS and "=" not in word), words[0])
    return words[0]


def _has_value(word: str) -> bool:
    """Whether it is an option of a runner with a word behind it."""
    return word in _WITH_VALUE or (word.startswith("-") and names_a_secret(word))


def _name_in(word: str) -> str:
    named = re.split(r"(?<=.)[@:]", word.rstrip("/").rpartition("/")[2])[0]
    return _EXTENSION.sub("", named)


def _host_name(url: str) -> str:
    """The part of a host that says whose it is: `example` of `mcp.example.com`."""
    try:
        host = urlsplit(url).hostname or ""
    except ValueError:
        return ""
    if host == "localhost" or ":" in host or host.replace(".", "").isdigit():
        return "local"
    labels = host.split(".")
    telling = [label for label in labels[:-1] if label not in _PLAIN_LABELS]
    return (telling or labels)[-1]


_USER_INFO: Final = re.compile(r"[A-Za-z]+://(?P<info>[^/?#]*)@")
_VARIABLE: Final = re.compile(r"(?P<name>[A-Za-z_][A-Za-z0-9_]*)=")
_RUNNERS: Final = frozenset(
    {
        *(
            "npx",
            "bunx",
            "pnpx",
            "uvx",
            "pipx",
            "uv",
            "bun",
            "deno",
            "node",
            "tsx",
            "python",
            "python3",
            "ruby",
            "java",
        ),
        *("go", "docker", "podman", "nerdctl"),
    }
)
_WITH_VALUE: Final = frozenset(
    {
        *("--directory", "--project", "--from", "--with", "--python", "-p", "--package"),
        *("-e", "--env", "-v", "--volume", "--name", "--network", "--mount"),
    }
)
"""Options of runners that have a word behind them."""
_VERBS: Final = frozenset({"run", "exec", "dlx", "tool", "x", "start"})
_EXTENSION: Final = re.compile(r"\.(?:py|js|ts|mjs|cjs|sh|rb|jar)$")
_PLAIN_LABELS: Final = frozenset({"www", "api", "mcp", "com", "co", "org", "net"})
