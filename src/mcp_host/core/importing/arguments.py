"""The arguments of a server that another client starts: where secrets and relative paths stand in them."""

from __future__ import annotations

import re
from typing import Final

from mcp_host.core.definitions.secret_names import names_a_secret
from mcp_host.core.importing.draft import Draft
from mcp_host.core.importing.json_kinds import array_of, kind_of, text_of, unfit
from mcp_host.core.importing.literal_secrets import (
    after_scheme,
    find_secrets,
    is_reference,
    secret_fallbacks,
    without_fallback,
)
from mcp_host.core.importing.secret_variables import named_after, variable_name


def read_args(draft: Draft, value: object, *path: str | int) -> None:
    """The arguments; read after the command and the environment, which decide about some."""
    elements = array_of(value)
    if elements is None:
        draft.refuse(path, f"must be an array of strings, not {kind_of(value)}.")
        return
    texts: list[str] = []
    for index, raw in enumerate(elements):
        text = text_of(raw)
        if text is None:
            draft.refuse((*path, index), f"must be a string, not {unfit(raw)}.")
            return
        texts.append(text)
    arguments = _Arguments(draft, texts, path)
    draft.set("args", [arguments.read(index) for index in range(len(texts))], *path)
    arguments.tell()


def concealed(draft: Draft, text: str, *path: str | int) -> str:
    """The translated text with a reference instead of every literal secret in it."""
    for name in secret_fallbacks(text):
        draft.credential(f"${{{name}:-}}", name, *path)
        text = without_fallback(text, name)
    parts: list[str] = []
    at = 0
    for span in find_secrets(text):
        is_variable = re.fullmatch(r"[A-Z][A-Z0-9]*_[A-Z0-9_]+", span.key) is not None
        wanted = span.key if is_variable else named_after(draft.alias, span.key)
        parts += [text[at : span.start], f"${{{draft.secret(text[span.start : span.end], wanted, *path)}}}"]
        at = span.end
    return "".join([*parts, text[at:]])


class _Arguments:
    """The arguments of one server, which say of each other what they are."""

    def __init__(self, draft: Draft, texts: list[str], path: tuple[str | int, ...]) -> None:
        self._draft = draft
        self._texts = texts
        self._path = path
        program = str(draft.table.get("command", "")).rpartition("/")[2]
        self._is_container = program in _CONTAINERS
        self._is_remote = program == _REMOTE or any(_REMOTE_PACKAGE.fullmatch(text) for text in texts)
        self._is_script = program in _SHELLS and any(_SCRIPT.fullmatch(text) for text in texts)
        self._exposed: dict[str, None] = {}

    def read(self, index: int) -> str:
        """One argument, as it is written from now on."""
        raw, before = self._texts[index], self._texts[index - 1] if index else ""
        flag = before if before.startswith("-") else (match[0] if (match := _ASSIGNED.match(raw)) else "token")
        key = flag.rstrip("=") if names_a_secret(flag) else "token"
        text = self._draft.translate(raw, *self._path, index, key=key, is_left=self._is_left)
        if self._is_container and (before in {"-e", "--env"} or text.startswith("--env=")):
            return self._container_variable(text, index)
        if before in _HEADER_FLAGS:
            return self._header(text, index)
        if before.startswith("-") and "=" not in before and not text.startswith("-") and _takes_a_secret(before):
            return self._whole(text, named_after(self._draft.alias, before), index)
        match = _ASSIGNED.match(text)
        if match is not None and match["name"].lower() in _HEADER_FLAGS_WITH_VALUE:
            return match[0] + self._header(text[match.end() :], index)
        if match is not None and names_a_secret(match["name"]):
            is_variable = match["name"].isupper() and not match[0].startswith("-")
            wanted = match["name"] if is_variable else named_after(self._draft.alias, match["name"])
            return match[0] + self._whole(text[match.end() :], variable_name(wanted), index)
        if text.startswith(("./", "../")) and "cwd" not in self._draft.table:
            return self._draft.absolute(text, "An argument")
        written = concealed(self._draft, text, *self._path, index)
        if written != text:
            self._exposed[written] = None
        return written

    def tell(self) -> None:
        """Says what a person should know about the arguments as a whole."""
        if self._exposed:
            self._draft.note(
                "A secret stands in args, and other users of the machine can read the arguments of a process: "
                "where the server can read it from a variable, give it in env."
            )
        if self._is_remote:
            self._draft.note(
                "mcp-remote only leads to a URL, which can be reached without it: `url` instead of `command`."
            )

    def _whole(self, text: str, wanted: str, index: int) -> str:
        if not text or is_reference(text):
            return text
        reference = self._draft.credential(text, wanted, *self._path, index)
        self._exposed[reference] = None
        return reference

    def _container_variable(self, text: str, index: int) -> str:
        """`-e NAME=value` as `-e NAME`, which the container takes over from the variables of the command."""
        flag = "--env=" if text.startswith("--env=") else ""
        name, equals, value = text.removeprefix(flag).partition("=")
        is_secret = names_a_secret(name) or bool(find_secrets(value))
        if not equals or not value or not is_secret or is_reference(value):
            return concealed(self._draft, text, *self._path, index)
        variable = self._draft.secret(value, variable_name(name), *self._path, index)
        self._draft.env.setdefault(name, f"${{{variable}}}")
        return flag + name

    def _header(self, text: str, index: int) -> str:
        """A `Name: value`. mcp-remote fills in variables by itself, so that the secret is in no argument."""
        name, colon, value = text.partition(":")
        space = value[: len(value) - len(value.lstrip())]
        scheme, credential = after_scheme(value.lstrip())
        is_secret = names_a_secret(name) or bool(find_secrets(value))
        if not colon or not credential or not is_secret or is_reference(credential):
            return concealed(self._draft, text, *self._path, index)
        key = "token" if name.strip().lower() == "authorization" else name.strip()
        variable = self._draft.secret(credential, named_after(self._draft.alias, key), *self._path, index)
        if self._is_remote:
            self._draft.env.setdefault(variable, f"${{{variable}}}")
            return f"{name}:{space}{scheme}$${{{variable}}}"
        self._exposed[variable] = None
        return f"{name}:{space}{scheme}${{{variable}}}"

    def _is_left(self, name: str) -> bool:
        """Whether the process has this variable and fills it in: a script, mcp-remote, or a client that hands it on."""
        dialect = self._draft.origins.dialect
        if self._is_script and not dialect.expands_plain:
            return True
        return name in self._draft.env and (self._is_remote or not dialect.expands_plain)


def _takes_a_secret(flag: str) -> bool:
    return names_a_secret(flag) and not flag.endswith("stdin")


_REMOTE: Final = "mcp-remote"
_REMOTE_PACKAGE: Final = re.compile(r"mcp-remote(?:@[\w.^~-]+)?")
_CONTAINERS: Final = frozenset({"docker", "podman", "nerdctl", "finch"})
_SHELLS: Final = frozenset({"sh", "bash", "zsh", "dash", "ksh", "fish"})
_SCRIPT: Final = re.compile(r"-[a-z]*c")
_HEADER_FLAGS: Final = frozenset({"--header", "--headers", "-H"})
_HEADER_FLAGS_WITH_VALUE: Final = frozenset({"header", "headers"})
_ASSIGNED: Final = re.compile(r"-{0,2}(?P<name>[A-Za-z_][A-Za-z0-9_.-]*)=")
