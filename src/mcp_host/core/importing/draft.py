"""One server of another client's file while it is turned into a candidate, and what the drafts of a file share."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Final, cast

from mcp_host.core.definitions.faults import Fault, FaultyDefinition, FieldPath, field_name
from mcp_host.core.definitions.parsing import parse_definition
from mcp_host.core.definitions.references import reference_names
from mcp_host.core.importing.candidates import Candidate, NeededSecret
from mcp_host.core.importing.inputs import Input
from mcp_host.core.importing.interpolation import AskedKind, Dialect, Translation, escaped
from mcp_host.core.importing.json_kinds import array_of, object_of, unfit
from mcp_host.core.importing.literal_secrets import bare_reference, find_secrets
from mcp_host.core.importing.secret_variables import SecretVariables, named_after, variable_name
from mcp_host.core.strict_json import is_encodable


def nowhere(_: FieldPath) -> None:
    """The lines of what has none."""
    return


@dataclass(frozen=True, kw_only=True)
class Origins:
    """The file that drafts come from."""

    client: str
    file: str
    """The file, or what to call a source that is none."""
    folder: str
    """The folder of the workspace."""
    variables: SecretVariables
    is_of_project: bool = False
    """Whether the file lies in the workspace, so that its relative paths begin there."""
    dialect: Dialect = field(default_factory=Dialect)
    line_of: Callable[[FieldPath], int | None] = nowhere
    inputs: Mapping[str, Input] = field(default_factory=dict[str, Input])

    def place(self, path: FieldPath) -> str:
        """`file:line` of what stands at this path of the file."""
        line = self.line_of(path)
        return self.file if line is None else f"{self.file}:{line}"


@dataclass(kw_only=True)
class Draft:
    """A candidate in the making."""

    alias: str
    origins: Origins
    path: FieldPath
    """Where the server's entry stands in the file."""
    table: dict[str, object] = field(default_factory=dict[str, object])
    env: dict[str, str] = field(default_factory=dict[str, str])
    headers: dict[str, str] = field(default_factory=dict[str, str])
    notes: dict[str, None] = field(default_factory=dict[str, None])
    faults: list[str] = field(default_factory=list[str])
    secrets: dict[str, NeededSecret] = field(default_factory=dict[str, NeededSecret])
    places: dict[str, str] = field(default_factory=dict[str, str])
    """Where the fields of the table come from."""

    def place(self, *path: str | int) -> str:
        """`file:line` of what stands at this path of the entry."""
        return self.origins.place((*self.path, *path))

    def note(self, text: str) -> None:
        """Says something about the candidate, once."""
        self.notes[text] = None

    def refuse(self, path: FieldPath, text: str) -> None:
        """Says why the candidate cannot be added: what is wrong at this path of the entry."""
        self.faults.append(f"{self.place(*path)}: {shown(field_name(path))} {text}")

    def text(self, value: object, *path: str | int) -> str | None:
        """The value where it is a text that a file can hold; anything else is a fault."""
        if isinstance(value, str) and is_encodable(value):
            return value
        self.refuse(path, f"must be a string, not {unfit(value)}.")
        return None

    def absolute(self, path: str, what: str) -> str:
        """A relative path from the root on, where it is known from where it goes. Other paths stay as they are.

        It goes from the working directory, and that from the folder of the workspace where the file lies in it.
        """
        folder = self.table.get("cwd") or (escaped(self.origins.folder) if self.origins.is_of_project else "")
        if path.startswith(("/", "~", "$")) or not isinstance(folder, str) or not folder.startswith(("/", "~", "$")):
            return path
        folder, inside = folder.rstrip("/"), path.removeprefix("./").rstrip("/")
        self.note(f"{what} was a relative path, and begins in {folder or '/'} now.")
        return folder if inside in {"", "."} else f"{folder}/{inside}"

    def set(self, key: str, value: object, *path: str | int) -> None:
        """Gives the table a field, which comes from this path of the entry."""
        self.table[key] = value
        self.places[key] = self.place(*path)

    def secret(self, value: str, wanted: str, *path: str | int) -> str:
        """The name of the variable that this literal secret is kept in from now on."""
        name = self.origins.variables.name_for(value, wanted, alias=self.alias)
        place = self.place(*path)
        self.need(name, place, f'export {name}="…"  # the value is in {place}')
        return name

    def credential(self, text: str, wanted: str, *path: str | int) -> str:
        """One reference for a credential that is, or holds, a literal one."""
        name = bare_reference(text)
        if name is None:
            return f"${{{self.secret(text, wanted, *path)}}}"
        place = self.place(*path)
        self.note(f"The fallback of `${{{name}}}` is a credential here, and was left out.")
        self.need(name, place, f'export {name}="…"  # a value is in {place}')
        return f"${{{name}}}"

    def need(self, name: str, place: str, line: str) -> None:
        """Says that somebody has to set this variable. The line has no value in it."""
        line = _CONTROL.sub("?", line)
        self.secrets.setdefault(name, NeededSecret(reference=name, place=place, line=line))

    def translate(
        self, text: str, *path: str | int, key: str = "token", is_left: Callable[[str], bool] | None = None
    ) -> str:
        """The text with references for the client's placeholders, and for a home folder that it begins with.

        `key` is what the text is to the server; a variable for the output of a command is named after it.
        """
        translation = Translation(
            client=self.origins.client,
            dialect=self.origins.dialect,
            folder=self.origins.folder,
            ask=lambda kind, body: self._asked(kind, body, key, path),
            note=self.note,
            own_env={} if path[0] == "env" else self.env,
            is_left=is_left or (lambda _: False),
        )
        translated = translation.of(text)
        if not {"command", "cwd"} & set(path) and (translated == "~" or translated.startswith("~/")):
            return "${HOME}" + translated[1:]
        return translated

    def finished(self) -> Candidate:
        """The candidate, with everything that is wrong with its table."""
        for field_of, texts in (("env", self.env), ("headers", self.headers)):
            if texts:
                self.table[field_of] = texts
        table = {key: self._hidden(key, value) for key, value in self.table.items()}
        if not self.faults or {"command", "url"} & table.keys():
            self.faults += _faults_of(table, self.alias, self.places, self.place())
        used = frozenset(_references(table))
        return Candidate(
            alias=self.alias,
            table=table,
            client=self.origins.client,
            origin=self.place(),
            notes=tuple(self._without_secrets(note) for note in self.notes),
            secrets=tuple(secret for name, secret in self.secrets.items() if name in used),
            faults=tuple(self._without_secrets(fault) for fault in self.faults),
        )

    def _hidden(self, key: str, value: object) -> object:
        """The value without any secret of the file, found by now, that nothing else gave away."""
        hidden = self._without_secrets
        match value:
            case str() if key in _TEXTS:
                return hidden(value)
            case list() if key == "args":
                return [hidden(text) for text in cast("list[str]", value)]
            case dict() if key in {"env", "headers"}:
                return {name: hidden(text) for name, text in cast("dict[str, str]", value).items()}
            case _:
                return value

    def _without_secrets(self, text: str) -> str:
        return self.origins.variables.hidden(text, self.secrets)

    def _asked(self, kind: AskedKind, body: str, key: str, path: FieldPath) -> str:
        place, client = self.place(*path), self.origins.client
        if kind == "command":
            name = variable_name(key) if path[0] == "env" else named_after(self.alias, key)
            name = self.origins.variables.name_for(f"asked as {kind}: {body}", name, alias=self.alias)
            self.note(
                f"{client} runs a command for `${{{name}}}`. Here it has to be set, or fed by setup{{ resolve }}."
            )
            self.need(name, place, f'export {name}="$(…)"  # the command that prints it is in {place}')
            return f"${{{name}}}"
        asked = self.origins.inputs.get(body) or Input(id=body, path=None)
        name = self.origins.variables.name_for(f"asked as {kind}: {body}", asked.variable(self.alias), alias=self.alias)
        self.note(asked.told(client, name))
        if asked.default is not None:
            return f"${{{name}:-{asked.default}}}"
        place = place if asked.path is None else self.origins.place(asked.path)
        self.need(name, place, f'export {name}="…"  # {client} asks for it: {place}')
        return f"${{{name}}}"


_TEXTS: Final = frozenset({"url", "cwd", "summary"})

_CONTROL: Final = re.compile(r"[\x00-\x1f\x7f]")
"""What would end a shell's comment, or do worse to a terminal."""

SHOWN_LENGTH: Final = 60
"""Characters of a foreign name in our own sentences."""


def is_name(text: str) -> bool:
    """Whether a key of the file can be the name of something: a file can hold it, and it is no secret itself."""
    return is_encodable(text) and not find_secrets(text)


def shown(name: str) -> str:
    """A foreign name in a sentence of ours."""
    if find_secrets(name):
        return "(what looks like a secret)"
    name = name if is_encodable(name) else name.encode("utf-8", "replace").decode()
    return name if len(name) <= SHOWN_LENGTH else f"{name[:SHOWN_LENGTH]}…"


def _references(value: object) -> Iterator[str]:
    """The variables that a table refers to."""
    if isinstance(value, str):
        yield from reference_names(value)
    elif (members := object_of(value)) is not None:
        yield from (name for member in members.values() for name in _references(member))
    else:
        yield from (name for element in array_of(value) or [] for name in _references(element))


def _faults_of(table: Mapping[str, object], alias: str, places: Mapping[str, str], place: str) -> list[str]:
    try:
        parse_definition(table)
    except FaultyDefinition as error:
        return [
            _sentence(fault, alias, places.get(str(fault.path[0]) if fault.path else "", place))
            for fault in error.faults
        ]
    return []


def _sentence(fault: Fault, alias: str, place: str) -> str:
    subject = shown(field_name(fault.path)) or "the server"
    return f"{place}: {subject} {fault.text}. {fault.hint.replace('{alias}', alias)}"
