"""The user's definition file as it is now, and the last good reading of it while it does not parse."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from pathlib import Path

from mcp_host.core.definitions.sources import Source, read_bytes, read_source
from mcp_host.host.regular_files import open_regular
from mcp_host.problems import Problem


@dataclass(kw_only=True)
class DefinitionFile:
    """Reads the file again whenever it is asked: an edit counts from the next verb on, without a restart."""

    path: Path
    exists: bool = field(default=False, init=False)
    """Whether there was such a file when it was read last."""
    _read: tuple[bytes, bool] | None = field(default=None, init=False, repr=False)
    """The bytes that were read last, and whether there was a file."""
    _source: Source | None = field(default=None, init=False, repr=False)
    _last_good: Source | None = field(default=None, init=False, repr=False)

    def current(self) -> Source:
        """What the file says now; `unparsable` is set on it when its tables are the last good ones (or none)."""
        try:
            with open_regular(self.path) as file:
                data, self.exists = file.read(), True
        except (FileNotFoundError, NotADirectoryError):
            data, self.exists = b"", False
        except OSError as error:
            self._read = None
            unreadable = _unreadable(self.path, error)
            if self._source is None or self._source.unparsable != _in_force(unreadable, self._last_good):
                self._source = self._kept(read_source("", str(self.path), layer="user"), unreadable)
            return self._source
        if self._source is None or (data, self.exists) != self._read:
            self._read = data, self.exists
            self._source = self._parse(data)
        return self._source

    def _parse(self, data: bytes) -> Source:
        source = read_bytes(data, str(self.path), layer="user")
        if source.unparsable is None:
            self._last_good = source
            return source
        return self._kept(source, source.unparsable)

    def _kept(self, source: Source, problem: Problem) -> Source:
        """The last good source where there is one, with what is wrong now."""
        kept = self._last_good if self._last_good is not None else source
        return replace(kept, unparsable=_in_force(problem, self._last_good))


def _in_force(problem: Problem, last_good: Source | None) -> Problem:
    """The problem with the good news in it: what was read last goes on serving."""
    if last_good is None:
        return problem
    return problem.model_copy(update={"detail": f"{problem.detail}\nThe last good definitions stay in force."})


def _unreadable(path: Path, error: OSError) -> Problem:
    return Problem(
        type="definition-unparsable",
        title="The definition file cannot be read",
        detail=f"{path}: {error.strerror}",
        hint="Check what it is, and its permissions.",
    )
