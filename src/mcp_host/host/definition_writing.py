"""Adds a server to a file of definitions or removes one: under a lock, whole or not at all, and never over a change.

Everything here blocks, on the disk and on other editors; it is called in a worker thread. What may be written is known
here (a sound definition under a good alias), whether a person agreed to it is not.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import EllipsisType

from mcp_host.core.definitions.faults import Fault, FaultyDefinition, field_name
from mcp_host.core.definitions.models import is_alias
from mcp_host.core.definitions.parsing import parse_definition
from mcp_host.core.definitions.positions import line_of
from mcp_host.core.definitions.sources import read_source
from mcp_host.core.definitions.toml_edits import AlreadyThere, NotThere, Unedited, with_server, without_server
from mcp_host.core.definitions.toml_text import Unwritable, server_toml
from mcp_host.host.atomic_files import ChangedMeanwhile, locked, read_if_there, write_atomically
from mcp_host.problems import Problem, ProblemError


@dataclass(frozen=True, kw_only=True)
class Written:
    """One change that is on the disk."""

    path: Path
    """As it was named, though the file may be elsewhere behind a symbolic link."""
    text: str
    """What the file says now."""
    line: int
    """Where the server's first statement is, or was when it was removed."""
    before: bytes | None
    """What the file held; None: there was none."""


@dataclass(frozen=True, kw_only=True)
class DefinitionWriter:
    """Writes with locks that all editors of this user share."""

    locks: Path
    """The folder of the locks, the same for all of them; it is made when it is missing."""

    def add(
        self,
        path: Path,
        alias: str,
        table: Mapping[str, object],
        *,
        expected: bytes | EllipsisType | None = ...,
    ) -> Written:
        """The file has the server in it, behind everything else, and is otherwise what it was.

        `expected` is what the caller has seen of the file (None: that there is none) and decided upon.

        Raises:
            ProblemError: `definition-invalid` (the definition or the alias), `definition-conflict` (the alias is
                taken; the file is not as expected, cannot be written, or not edited safely), `definition-unparsable`.
        """
        checked_toml(alias, table)
        return self._edit(path, alias, lambda text: with_server(text, alias, table), expected=expected)

    def remove(self, path: Path, alias: str, *, expected: bytes | EllipsisType | None = ...) -> Written:
        """The server's statements are out of the file, which is otherwise what it was.

        Raises:
            ProblemError: `server-unknown`, `definition-conflict`, `definition-unparsable`.
        """
        return self._edit(path, alias, lambda text: without_server(text, alias), expected=expected)

    def _edit(
        self,
        path: Path,
        alias: str,
        edit: Callable[[str], str],
        *,
        expected: bytes | EllipsisType | None,
    ) -> Written:
        # Followed once, so that the file that is locked and read is the one that is written.
        try:
            real = Path(os.path.realpath(path))
            with locked(real, self.locks):
                before = _read(real, path)
                if not isinstance(expected, EllipsisType) and before != expected:
                    raise ProblemError(_changed(path, alias))
                old = _decoded(before or b"", path)
                new = _edited(old, edit, path=path, alias=alias)
                write_atomically(real, new.encode(), replacing=before)
        except ChangedMeanwhile as error:
            raise ProblemError(_changed(path, alias)) from error
        except OSError as error:
            raise ProblemError(_unwritten(path, alias, error)) from error
        return Written(path=path, text=new, line=_line(old, new, alias), before=before)


def checked_toml(alias: str, table: Mapping[str, object]) -> str:
    """The statements that define the server, once it is sure that they may be written.

    Raises:
        ProblemError: `definition-invalid`, naming each fault of the definition or of its alias.
    """
    faults: tuple[Fault, ...] = ()
    if not is_alias(alias):
        starts = "one starts with a-z, goes on with a-z, 0-9 and -, and has at most 32 characters"
        faults = (Fault(text=f"has a name that is no alias: {starts}", hint="Choose another alias."),)
    try:
        parse_definition(table)
    except FaultyDefinition as error:
        faults += error.faults
    if faults:
        raise ProblemError(_invalid(alias, faults))
    try:
        return server_toml(alias, table)
    except Unwritable as error:
        raise ProblemError(_invalid(alias, (_formless(error),))) from error


def _edited(text: str, edit: Callable[[str], str], *, path: Path, alias: str) -> str:
    try:
        return edit(text)
    except AlreadyThere as error:
        raise ProblemError(_taken(path, alias, error.line)) from error
    except NotThere as error:
        raise ProblemError(_unknown(path, alias)) from error
    except Unedited as error:
        raise ProblemError(_by_hand(path, alias, error)) from error
    except Unwritable as error:
        raise ProblemError(_invalid(alias, (_formless(error),))) from error
    except (ValueError, RecursionError) as error:
        # Which layer it is makes no difference to what is wrong with the text.
        unparsable = read_source(text, str(path), layer="user").unparsable
        raise ProblemError(unparsable or _unreadable(path, "cannot be read as TOML")) from error


def _line(old: str, new: str, alias: str) -> int:
    """Where the server is or was. What is appended is quickly found, and nearly all that is added is appended."""
    if new.startswith(old):
        return new.count("\n", 0, new.index("[", len(old))) + 1
    return line_of(new if len(new) > len(old) else old, ("servers", alias)) or 1


def _read(real: Path, path: Path) -> bytes | None:
    try:
        return read_if_there(real)
    except OSError as error:
        raise ProblemError(_unreadable(path, f"{error.strerror}")) from error


def _decoded(data: bytes, path: Path) -> str:
    try:
        return data.decode()
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise ProblemError(_unreadable(Path(f"{path}:{line}"), "a byte here is not UTF-8")) from error


def _invalid(alias: str, faults: Sequence[Fault]) -> Problem:
    said = [f"{field_name(('servers', alias, *fault.path))} {fault.text}" for fault in faults]
    hints = [fault.hint.replace("{alias}", alias) for fault in faults]
    what, hint = f"{len(faults)} faults in its definition", "Mend what is named, and add it again."
    if len(faults) == 1:
        what, hint = f"{field_name(faults[0].path) or 'its definition'} {faults[0].text}", hints[0]
    return Problem(
        type="definition-invalid",
        title=f'Server "{alias}" was not added: {what}',
        detail="\n".join(f"{text}. {mend}" for text, mend in zip(said, hints, strict=True)),
        hint=hint,
        alias=alias,
    )


def _formless(error: Unwritable) -> Fault:
    return Fault(path=error.path, text="has no form in TOML", hint="Leave it out: TOML knows no null.")


def _taken(path: Path, alias: str, line: int) -> Problem:
    return Problem(
        type="definition-conflict",
        title=f"{path} defines {alias} already",
        detail=f"{path}:{line} is where its definition begins. Nothing was written.",
        hint=f"Choose another alias, or edit what is there: {path}:{line}",
        alias=alias,
    )


def _changed(path: Path, alias: str) -> Problem:
    return Problem(
        type="definition-conflict",
        title=f"{path} was changed after it was read",
        detail=f"{path} does not hold what this change of {alias} was made for. Nothing was written.",
        hint="Look at what it says now, and give the command again.",
        alias=alias,
    )


def _by_hand(path: Path, alias: str, error: Unedited) -> Problem:
    return Problem(
        type="definition-conflict",
        title=f"{path} cannot be edited safely from outside",
        detail=f"{path}:{error.line}: {error.why}. Nothing was written.",
        hint=f"Edit {path}:{error.line} by hand.",
        alias=alias,
    )


def _unknown(path: Path, alias: str) -> Problem:
    return Problem(
        type="server-unknown",
        title=f"{path} defines no server named {alias}",
        detail=f"There is nothing to remove from {path}.",
        hint=":McpList says which file defines which server.",
        alias=alias,
    )


def _unreadable(path: Path, reason: str) -> Problem:
    return Problem(
        type="definition-unparsable",
        title="The definition file cannot be read, so nothing was written to it",
        detail=f"{path}: {reason}",
        hint="Mend it, or its permissions, and give the command again.",
    )


def _unwritten(path: Path, alias: str, error: OSError) -> Problem:
    where = f" ({error.filename})" if error.filename and error.filename != str(path) else ""
    return Problem(
        type="definition-conflict",
        title=f"{path} could not be written, and is as it was",
        detail=f"{path}: {error.strerror}{where}",
        hint="Check the permissions of the file and of its folder, and the room on the disk.",
        alias=alias,
    )
