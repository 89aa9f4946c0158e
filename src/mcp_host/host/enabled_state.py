"""Which servers a person disabled in which workspace. Kept in the state folder, apart from the definitions.

One small file (0600) for each workspace that has something disabled. Editors of the same workspace share it: each
reads it again when it has changed.
"""

from __future__ import annotations

import hashlib
import json
import logging
from dataclasses import dataclass, field
from pathlib import Path
from typing import cast

from mcp_host.host.atomic_files import locked, write_atomically

logger = logging.getLogger(__name__)


@dataclass(kw_only=True)
class EnabledState:
    """The disabled aliases of every workspace."""

    folder: Path
    locks: Path
    _known: dict[Path, tuple[object, frozenset[str]]] = field(
        default_factory=dict[Path, tuple[object, frozenset[str]]], init=False, repr=False
    )

    def disabled(self, workspace: Path) -> frozenset[str]:
        """The aliases that are disabled there; none where the file is missing or cannot be read."""
        path = self._path(workspace)
        try:
            stat = path.stat()
        except OSError:
            return frozenset()
        signature = (stat.st_mtime_ns, stat.st_size, stat.st_ino)
        known = self._known.get(path)
        if known is None or known[0] != signature:
            known = self._known[path] = signature, _read(path)
        return known[1]

    def keep(self, workspace: Path, alias: str, *, disabled: bool) -> None:
        """The alias is disabled there, or no longer. Blocks while another editor writes.

        Raises:
            OSError: The state folder cannot be written to.
            ProblemError: Another editor holds the lock for too long.
        """
        path = self._path(workspace)
        self.folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        with locked(path, self.locks):
            before = _read(path) if path.exists() else frozenset[str]()
            after = before | {alias} if disabled else before - {alias}
            if after == before:
                return
            said = {"workspace": str(workspace), "disabled": sorted(after)}
            write_atomically(path, json.dumps(said, indent=1).encode("utf-8", "surrogateescape"))

    def _path(self, workspace: Path) -> Path:
        return self.folder / f"{hashlib.sha256(str(workspace).encode('utf-8', 'surrogateescape')).hexdigest()}.json"


def _read(path: Path) -> frozenset[str]:
    try:
        said = json.loads(path.read_bytes())
    except (OSError, ValueError, RecursionError):
        logger.warning("the file of disabled servers %s cannot be read: none counts as disabled", path.name)
        return frozenset()
    disabled = cast("dict[str, object]", said).get("disabled") if isinstance(said, dict) else None
    if not isinstance(disabled, list):
        return frozenset()
    return frozenset(alias for alias in cast("list[object]", disabled) if isinstance(alias, str))
