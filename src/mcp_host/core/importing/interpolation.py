"""From the placeholders of other clients to references: `${env:NAME}`, `$NAME`, `${workspaceFolder}`, `${input:id}`.

What only its own client can fill in (a question, the output of a command) is handed to whoever translates, to put a
reference of its choice there. Whatever is no placeholder is escaped, so that a reference is never made by accident.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Final, Literal

AskedKind = Literal["input", "command"]
"""A question of the client by its id, or a command (of a shell or of the client)."""

PLACEHOLDER_LIMIT: Final = 4096
"""Characters. Longer ones are text: each of them is looked at, and they may nest."""


@dataclass(frozen=True, kw_only=True)
class Dialect:
    """How a client reads the texts of its file."""

    expands_plain: bool = True
    """Whether `${NAME}` is a variable to it. Otherwise it hands that on as it stands."""
    bare: Literal["nowhere", "anywhere", "whole"] = "nowhere"
    """Where `$NAME` is a variable to it: anywhere in a text, or only as a whole argument."""
    reads_own_env: bool = False
    """Whether the `env` of the server itself comes before the environment."""
    inherits_empty: bool = False
    """Whether null and "" in env mean the variable of that name."""


def _nothing_is_left(_: str) -> bool:
    return False


@dataclass(frozen=True, kw_only=True)
class Translation:
    """How one text is translated, and what is told meanwhile."""

    client: str
    dialect: Dialect
    folder: str
    """The folder of the workspace."""
    ask: Callable[[AskedKind, str], str]
    """The reference to put in place of what only the client can fill in."""
    note: Callable[[str], None]
    own_env: Mapping[str, str] = field(default_factory=dict[str, str])
    """Variables of the server itself, translated."""
    is_left: Callable[[str], bool] = _nothing_is_left
    """Whether the server's process fills in this variable itself, so that its `${NAME}` has to reach it."""

    def of(self, text: str) -> str:
        """The text with references instead of placeholders."""
        if self.dialect.bare == "whole" and (bare := _BARE.fullmatch(text)):
            return self._variable(bare["name"], None)
        closings = _closings(text)
        parts: list[str] = []
        at = 0
        while (opening := text.find("${", at)) >= 0:
            parts.append(self._plain(text[at:opening]))
            closing = closings.get(opening)
            is_read = closing is not None and closing - opening <= PLACEHOLDER_LIMIT
            reference = self._placeholder(text[opening + 2 : closing]) if is_read else None
            if closing is None or reference is None:
                parts.append("$${")
                at = opening + 2
            else:
                parts.append(reference)
                at = closing + 1
        parts.append(self._plain(text[at:]))
        return "".join(parts)

    def _plain(self, text: str) -> str:
        if self.dialect.bare != "anywhere":
            return text
        return _BARE.sub(lambda match: self._variable(match["name"], None), text)

    def _placeholder(self, body: str) -> str | None:
        """What stands for `${body}`; None where that is no placeholder of any client."""
        known = self._predefined(body)
        if known is not None:
            return known
        kind, colon, rest = body.partition(":")
        match kind, bool(colon):
            case "env", True:
                return self._named(rest, is_plain=False)
            case "input", True:
                return self.ask("input", rest)
            case "cmd" | "command" | "config", True:
                return self.ask("command", rest.strip())
            case _:
                return self._named(body)

    def _named(self, body: str, *, is_plain: bool = True) -> str | None:
        match = _NAMED.fullmatch(body)
        return None if match is None else self._variable(match["name"], match["fallback"], is_plain=is_plain)

    def _variable(self, name: str, fallback: str | None, *, is_plain: bool = True) -> str:
        if self.dialect.reads_own_env and name in self.own_env:
            return self.own_env[name]
        if is_plain and self.is_left(name):
            self.note(f"`${{{name}}}` is left to the server itself, which fills it in from its env.")
            return f"$${{{name}}}"
        if is_plain and not self.dialect.expands_plain:
            self.note(f"{self.client} hands `${{{name}}}` on as it stands; here it is the variable of the environment.")
        if fallback is None:
            return f"${{{name}}}"
        if "${" in fallback:
            self.note(f"The fallback of `${{{name}}}` refers to another variable, which no fallback can here.")
            return f"${{{name}}}"
        return f"${{{name}:-{fallback}}}"

    def _predefined(self, body: str) -> str | None:
        name = body.partition(":")[0]
        if name in _FOLDERS:
            self.note(f"`${{{name}}}` became {self.folder}: the definition is about this folder.")
            return escaped(self.folder.rstrip("/") or "/")
        if name == "workspaceFolderBasename":
            self.note("`${workspaceFolderBasename}` became the name of the workspace's folder.")
            return escaped(self.folder.rstrip("/").rpartition("/")[2])
        if body == "userHome":
            return "${HOME}"
        return "/" if body in {"pathSeparator", "/"} else None


def escaped(text: str) -> str:
    """The text as one in which references may stand, and none does."""
    return text.replace("${", "$${")


_FOLDERS: Final = frozenset({"workspaceFolder", "workspaceRoot", "cwd", "CWD", "CLAUDE_PROJECT_DIR"})
"""What clients call the folder of the workspace."""

_NAMED: Final = re.compile(r"(?P<name>[A-Za-z_][A-Za-z0-9_]*)(?::-(?P<fallback>.*))?", re.DOTALL)
_BARE: Final = re.compile(r"\$(?P<name>[A-Za-z_][A-Za-z0-9_]*)")
_BRACE: Final = re.compile(r"\$\{|\}")


def _closings(text: str) -> dict[int, int]:
    """For each `${` that is closed, where; they nest."""
    opened: list[int] = []
    closings: dict[int, int] = {}
    for match in _BRACE.finditer(text):
        if match[0] == "${":
            opened.append(match.start())
        elif opened:
            closings[opened.pop()] = match.start()
    return closings
