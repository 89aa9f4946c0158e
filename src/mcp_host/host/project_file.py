"""The project's definition file: where it is, what it says, and whether a person said yes to exactly that.

Reading and parsing it is all that happens before the yes: no reference is looked up and nothing is started or reached.
The bytes that are compared with the yes are the bytes that are parsed.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Callable, Generator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final, Literal

from mcp_host.core.definitions.sources import Source, read_bytes
from mcp_host.host.regular_files import open_regular
from mcp_host.host.trust_records import TrustRecord, TrustRecords
from mcp_host.problems import Problem

PROJECT_FILE: Final = Path(".nvim") / "mcp.toml"

SIZE_LIMIT: Final = 64 * 1024
"""A project file comes from anybody; a real one has a few kilobytes, and all of it is drawn for whoever trusts it."""

SERVERS_LIMIT: Final = 200
"""Nobody reviews more of them."""

ProjectState = Literal["absent", "unreadable", "untrusted", "changed", "trusted", "ignored"]


@dataclass(frozen=True, kw_only=True)
class ProjectReading:
    """The project file as it is now."""

    file: Path
    """The path by which it is found, whether it exists or not."""
    state: ProjectState
    real_path: str = ""
    digest: str = ""
    """sha256, in hex, of everything that a yes is to: the bytes, where they are, and what the file builds upon."""
    data: bytes = field(default=b"", repr=False)
    source: Source | None = None
    """What it says. Only where `state` is "trusted" may anything be done with it beyond showing it."""
    record: TrustRecord | None = None
    """What was said about it last."""
    problem: Problem | None = None
    """Why it cannot be read."""

    @property
    def project(self) -> Path:
        """The folder of the project."""
        return project_of(self.file)


def project_of(file: Path) -> Path:
    """The folder that a project file is about."""
    return file.parent.parent


def workspace_of(folder: Path) -> Path:
    """The nearest ancestor with a `.git`, else with a project file, else the folder itself.

    A project file does not move it within a repository: what is disabled there would come back.
    """
    return _nearest_with(Path(".git"), folder) or _nearest_with(PROJECT_FILE, folder) or folder


def _nearest_with(marker: Path, folder: Path) -> Path | None:
    return next((one for one in (folder, *folder.parents) if os.path.lexists(one / marker)), None)


@dataclass(kw_only=True)
class ProjectFile:
    """Reads the file again whenever it is asked; the same reading is handed out while nothing has changed."""

    folder: Path
    """The editor's folder."""
    records: TrustRecords
    below: Callable[[Source], str]
    """What the lower layers say about the servers of the file, as one text: a yes is to what both come to."""
    _reading: ProjectReading | None = field(default=None, init=False, repr=False)
    _held: ProjectReading | None = field(default=None, init=False, repr=False)

    @property
    def path(self) -> Path:
        """Where the project file is: in the nearest ancestor that has one. Else where it would be."""
        return (_nearest_with(PROJECT_FILE, self.folder) or workspace_of(self.folder)) / PROJECT_FILE

    def current(self) -> ProjectReading:
        """The file as it is now, and what a person said about it; what is held where it is held."""
        held = self._held
        return held if held is not None and held.file == self.path else self.now()

    @contextmanager
    def held(self) -> Generator[ProjectReading, None, None]:
        """Inside, the file counts as it is now. For our own change of it and the yes to that, which are two steps:
        nobody shall take the one without the other for a stranger's change. One at a time."""
        self._held = self.now()
        try:
            yield self._held
        finally:
            self._held = None

    def now(self) -> ProjectReading:
        """As `current`, whether it is held or not."""
        reading = self._read(self.path)
        if reading == self._reading and self._reading is not None:
            return self._reading  # with the same source object: whoever compares by identity sees no change
        self._reading = reading
        return reading

    def _read(self, path: Path) -> ProjectReading:
        try:
            data, real_path = _bytes_of(path)
        except (FileNotFoundError, NotADirectoryError):
            return ProjectReading(file=path, state="absent")
        except OSError as error:
            return ProjectReading(
                file=path, state="unreadable", problem=_unreadable(path, error.strerror or "an error")
            )
        if len(data) > SIZE_LIMIT:
            return ProjectReading(
                file=path, state="unreadable", problem=_unreadable(path, f"it has more than {SIZE_LIMIT} bytes")
            )
        record, known = self.records.of(path), self._reading
        is_known = known is not None and (known.file, known.data) == (path, data)
        if known is not None and is_known and known.state == "unreadable":
            return known
        source = known.source if known is not None and is_known else None
        if source is None:
            source = read_bytes(data, str(path), layer="project")
        digest = _digest(path, real_path, self.below(source), data)
        if known is not None and is_known and (known.digest, known.record) == (digest, record):
            return known
        if len(source.tables) > SERVERS_LIMIT:
            problem = _unreadable(path, f"it has more than {SERVERS_LIMIT} servers")
            return ProjectReading(file=path, state="unreadable", data=data, problem=problem)
        return ProjectReading(
            file=path,
            state=_state(record, digest),
            real_path=real_path,
            digest=digest,
            data=data,
            source=source,
            record=record,
        )


def _digest(path: Path, real_path: str, below: str, data: bytes) -> str:
    said = json.dumps([str(path), real_path, below, hashlib.sha256(data).hexdigest()])
    return hashlib.sha256(said.encode("ascii")).hexdigest()


def _bytes_of(path: Path) -> tuple[bytes, str]:
    """The file's bytes and the real path they came from.

    Raises:
        OSError: It cannot be read, is no regular file, or was swapped for another one meanwhile.
    """
    with open_regular(path) as file:
        opened = os.fstat(file.fileno())
        data = file.read(SIZE_LIMIT + 1)
        real_path = os.path.realpath(path)
        found = os.stat(real_path)
    if (opened.st_dev, opened.st_ino) != (found.st_dev, found.st_ino):
        raise OSError(0, "it was replaced while it was read")
    return data, real_path


def _state(record: TrustRecord | None, digest: str) -> ProjectState:
    if record is None:
        return "untrusted"
    if record.decision == "ignored":
        return "ignored"
    return "trusted" if record.digest == digest else "changed"


def _unreadable(path: Path, why: str) -> Problem:
    return Problem(
        type="definition-unparsable",
        title="The project's definition file cannot be read",
        detail=f"{path}: {why}",
        hint="Look at the file; until it can be read, nothing of it counts.",
    )
