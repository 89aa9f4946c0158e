"""From the text of another client's file to candidates. Which client's it is, its path and its content tell."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Final, cast

import tomli

from mcp_host.core.definitions.faults import FieldPath, field_name
from mcp_host.core.definitions.positions import Positions
from mcp_host.core.importing.aliases import Aliases
from mcp_host.core.importing.candidates import Candidate
from mcp_host.core.importing.client_table import CLAUDE_CODE_USER, CLIENTS, CODEX, GEMINI, OTHER, VS_CODE, ZED, Client
from mcp_host.core.importing.draft import Draft, Origins, is_name, shown
from mcp_host.core.importing.entries import depends_on_folder, disabled_in, read_entry, variables_of
from mcp_host.core.importing.inputs import read_inputs
from mcp_host.core.importing.json_kinds import kind_of, object_of
from mcp_host.core.importing.json_text import NotJson, read_json_text
from mcp_host.core.importing.secret_variables import SecretVariables
from mcp_host.problems import Problem


@dataclass(frozen=True, kw_only=True)
class ClientFile:
    """What another client's file has to offer."""

    client: str
    """The client's name; empty where the file is none of a known client."""
    candidates: tuple[Candidate, ...] = ()
    problems: tuple[Problem, ...] = ()


def read_client_file(text: str, file: str, *, folder: str, home: str) -> ClientFile:
    """The servers of another client's file.

    `folder` is the folder of the workspace, and what is relative in a file of it begins there. Nothing raises: what
    cannot be read is a problem, and what cannot be taken over a note or a fault of its candidate.
    """
    try:
        return _read(text, file, folder=folder, home=home)
    except RecursionError:  # values that nest almost too deeply to be parsed are too deep to be compared
        return ClientFile(client="", problems=(_unparsable(file, "readable", f"{file}:1:1: it is nested too deeply"),))


def known_files(workspace: str, home: str, *, mac: bool) -> tuple[str, ...]:
    """Where the clients keep their servers: in a workspace, then for a person."""
    return (*(f"{workspace}/{name}" for name in _OF_WORKSPACE), *_files_of_person(home, mac=mac))


def _files_of_person(home: str, *, mac: bool) -> tuple[str, ...]:
    settings = f"{home}/{'Library/Application Support' if mac else '.config'}"
    return (*(f"{home}/{name}" for name in _OF_PERSON), *(f"{settings}/{name}" for name in _OF_SETTINGS))


_OF_WORKSPACE: Final = (
    ".mcp.json",
    ".vscode/mcp.json",
    ".cursor/mcp.json",
    ".codex/config.toml",
    ".zed/settings.json",
    ".gemini/settings.json",
    ".mcphub/servers.json",
)
_OF_PERSON: Final = (
    ".claude.json",
    ".cursor/mcp.json",
    ".codex/config.toml",
    ".gemini/settings.json",
    ".config/zed/settings.json",
    ".config/mcphub/servers.json",
)
_OF_SETTINGS: Final = ("Claude/claude_desktop_config.json", "Code/User/mcp.json")


def _read(text: str, file: str, *, folder: str, home: str) -> ClientFile:
    by_name = next((client for client in CLIENTS if f"/{_slashed(file)}".endswith(client.endings)), None)
    is_toml = by_name.is_toml if by_name is not None else _looks_like_toml(text, file)
    document = _toml(text, file) if is_toml else _json(text, file)
    if isinstance(document, Problem):
        return ClientFile(client="" if by_name is None else by_name.name, problems=(document,))
    client = by_name or (_by_content_of_toml if is_toml else _by_content)(document.root)
    if client is None:
        return ClientFile(client="", problems=(_unknown(file),))
    is_of_person = _slashed(file) in (*_files_of_person(home, mac=True), *_files_of_person(home, mac=False))
    is_of_project = not is_of_person and _is_inside(_slashed(file), folder)
    return _Reader(document=document, client=client, file=file, folder=folder, is_of_project=is_of_project).read()


@dataclass(frozen=True, kw_only=True)
class _Document:
    """A file that was read."""

    root: Mapping[str, object]
    line_of: Callable[[FieldPath], int | None]
    doubled: Callable[[FieldPath], tuple[str, ...]]


@dataclass(frozen=True, kw_only=True)
class _Group:
    """Servers that stand together."""

    path: FieldPath
    servers: object
    around: Mapping[str, object]
    project: str | None = None
    """The folder that they are for, where the file says one."""


@dataclass(kw_only=True)
class _Reader:
    document: _Document
    client: Client
    file: str
    folder: str
    is_of_project: bool
    problems: list[Problem] = field(default_factory=list[Problem])
    aliases: Aliases = field(default_factory=Aliases)
    seen: dict[str, list[tuple[object, Draft]]] = field(default_factory=dict[str, list[tuple[object, Draft]]])
    """The entries by name, for those that stand in more than one project."""

    def read(self) -> ClientFile:
        groups = list(self._groups())
        if not groups and self.client.is_only_for_servers:
            self._complain(
                (), f"has no `{'.'.join(self.client.keys[0])}`, under which {self.client.name} keeps servers"
            )
        variables = SecretVariables(name for group in groups for name in variables_of(group.servers))
        drafts = [draft for group in groups for draft in self._drafts(group, variables)]
        candidates = tuple(draft.finished() for draft in drafts)
        return ClientFile(client=self.client.name, candidates=candidates, problems=tuple(self.problems))

    def _groups(self) -> Iterator[_Group]:
        root = self.document.root
        for keys in (*self.client.keys, *((OTHER.keys[0],) if not self.client.is_toml else ())):
            servers, around = _inside(root, keys)
            if servers is not None:
                yield _Group(path=keys, servers=servers, around=around)
                break
        projects = object_of(root.get("projects")) if self.client is CLAUDE_CODE_USER else None
        for folder, project in (projects or {}).items():
            settings = object_of(project) or {}
            if settings.get("mcpServers"):
                path = ("projects", folder, "mcpServers")
                yield _Group(path=path, servers=settings["mcpServers"], around=settings, project=folder)

    def _drafts(self, group: _Group, variables: SecretVariables) -> Iterator[Draft]:
        servers = object_of(group.servers)
        if servers is None:
            self._complain(group.path, f"must be an object of servers, not {kind_of(group.servers)}")
            return
        for name in self.document.doubled(group.path):
            text = "stands there more than once, and the last one counts"
            self._complain((*group.path, name), text, hint="Keep one of them.")
        origins = self._origins(group, servers, variables)
        disabled = disabled_in(group.around)
        for name, entry in servers.items():
            earlier = self._earlier(name, entry)
            if earlier is not None:
                earlier.note(f"The project {shown(group.project or '')} has the same server.")
                continue
            draft = Draft(
                alias=self.aliases.take(name if is_name(name) else ""), origins=origins, path=(*group.path, name)
            )
            if draft.alias != name:
                draft.note(f"It is called `{shown(name)}` there, which is no alias.")
            if group.project is not None:
                draft.note(f"It is only for the project {shown(group.project)} there.")
            for key in self.document.doubled(draft.path):
                draft.note(f"`{shown(key)}` stands in it more than once, and the last one counts.")
            read_entry(draft, entry, self.client)
            if name in disabled:
                draft.set("enabled", False)
            self.seen.setdefault(name, []).append((entry, draft))
            yield draft

    def _earlier(self, name: str, entry: object) -> Draft | None:
        """The draft of the same server, which another project of the file has word for word."""
        if depends_on_folder(entry):
            return None
        return next((draft for seen, draft in self.seen.get(name, []) if seen == entry), None)

    def _origins(self, group: _Group, servers: Mapping[str, object], variables: SecretVariables) -> Origins:
        path = (*group.path[:-1], "inputs")
        return Origins(
            client=self.client.name,
            file=self.file,
            folder=self.folder if group.project is None else group.project,
            variables=variables,
            is_of_project=self.is_of_project or group.project is not None,
            dialect=self.client.dialect,
            line_of=self.document.line_of,
            inputs=read_inputs(group.around.get("inputs"), path, servers),
        )

    def _complain(self, path: FieldPath, text: str, *, hint: str | None = None) -> None:
        line = self.document.line_of(path) if path else None
        place = self.file if line is None else f"{self.file}:{line}"
        name = shown(field_name(path)) or "the file"
        self.problems.append(
            Problem(
                type="definition-invalid",
                title=f"{self.file}: {name} {text}",
                detail=f"{place}: {name} {text}",
                hint=hint or f"Compare it with the documentation of {self.client.name}.",
            )
        )


def _inside(root: Mapping[str, object], keys: FieldPath) -> tuple[object, Mapping[str, object]]:
    """What stands at the end of the keys, None where nothing does, and what is around it."""
    around: Mapping[str, object] = root
    found: object = root
    for key in keys:
        members = object_of(found)
        if members is None:
            return None, root
        around, found = members, members.get(str(key))
    return found, around


def _json(text: str, file: str) -> _Document | Problem:
    try:
        json_text = read_json_text(text)
    except NotJson as error:
        return _unparsable(file, "JSON", f"{file}:{error.line}:{error.column}: {error.reason}")
    root = object_of(json_text.value)
    if root is None:
        return _unknown(file)
    return _Document(root=root, line_of=json_text.line_of, doubled=json_text.doubled)


def _toml(text: str, file: str) -> _Document | Problem:
    text = text.removeprefix("\ufeff")
    try:
        root = cast("dict[str, object]", tomli.loads(text))
    except tomli.TOMLDecodeError as error:
        if not file.endswith(".toml"):
            return _unknown(file)
        return _unparsable(file, "TOML", f"{file}:{error.lineno}:{error.colno}: {error.msg}")
    except (ValueError, RecursionError):
        return _unparsable(file, "TOML", f"{file}:1:1: a number is too long, or values nest too deeply")
    return _Document(root=root, line_of=Positions(text).line_of, doubled=lambda _: ())


def _unparsable(file: str, language: str, detail: str) -> Problem:
    return Problem(
        type="definition-unparsable",
        title=f"{file} is not {language}, so none of its servers can be read",
        detail=detail,
        hint="Mend the place that is named.",
    )


def _unknown(file: str) -> Problem:
    known = ", ".join(dict.fromkeys(f"{client.name} ({client.endings[0].lstrip('/')})" for client in CLIENTS))
    return Problem(
        type="definition-invalid",
        title=f"{file} is not a file of an MCP client that is known here",
        detail=f"{file} has none of mcpServers, servers, context_servers and mcp_servers.",
        hint=f"Known: {known}, and whatever has an `mcpServers` object.",
    )


def _by_content(root: Mapping[str, object]) -> Client | None:
    """The client whose words the file uses, whatever it is called."""
    if "context_servers" in root:
        return ZED
    servers = root.get("mcpServers")
    if object_of(root.get("projects")) is not None and (servers is not None or "numStartups" in root):
        return CLAUDE_CODE_USER
    if servers is not None:
        entries = (object_of(servers) or {}).values()
        return GEMINI if any("httpUrl" in (object_of(entry) or {}) for entry in entries) else OTHER
    return VS_CODE if _inside(root, ("servers",))[0] or _inside(root, ("mcp", "servers"))[0] else None


def _by_content_of_toml(root: Mapping[str, object]) -> Client | None:
    return CODEX if "mcp_servers" in root else None


def _looks_like_toml(text: str, file: str) -> bool:
    return file.endswith(".toml") or not text.lstrip("\ufeff \t\r\n").startswith(("{", "/"))


def _slashed(file: str) -> str:
    return file.replace("\\", "/")


def _is_inside(file: str, folder: str) -> bool:
    return not file.startswith(("/", "~")) or file.startswith(f"{folder.rstrip('/')}/")
