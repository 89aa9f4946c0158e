"""Files that results leave behind: images, audio, blobs, and what is too long for a buffer. Their owner's alone."""

from __future__ import annotations

import os
import re
import secrets
import time
from contextlib import suppress
from dataclasses import dataclass, field
from hashlib import sha256
from pathlib import Path
from typing import Final

NAME_LIMIT: Final = 100
"""Characters of a file's name that may come from elsewhere."""

KEPT_DAYS: Final = 7
"""How long a file stays after it was written: long enough to look at again, short enough not to fill a disk."""

_UNSAFE: Final = re.compile(r"[^A-Za-z0-9._-]+")


@dataclass(frozen=True, kw_only=True)
class ResultFiles:
    """The folder of one editor's result files."""

    folder: Path
    _saved: dict[tuple[str, bytes], str] = field(default_factory=dict[tuple[str, bytes], str], init=False, repr=False)

    def save(self, name: str, data: bytes) -> str:
        """The path of a file with this content: a new one, unless the same was saved before and is still there.

        Raises:
            OSError: The folder cannot be written.
        """
        key = name, sha256(data).digest()
        known = self._saved.get(key)
        if known is None or not Path(known).exists():
            known = self._saved[key] = self._save(name, data)
        return known

    def forget_old(self) -> None:
        """Files that no editor has needed for `KEPT_DAYS` are gone. Raises nothing: it is only housekeeping."""
        oldest = time.time() - KEPT_DAYS * 86_400
        with suppress(OSError):
            for path in list(self.folder.iterdir()):
                with suppress(OSError):
                    if path.stat(follow_symlinks=False).st_mtime < oldest:
                        path.unlink()

    def _save(self, name: str, data: bytes) -> str:
        self.folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        # A random part, because another editor counts its calls from c1 as well.
        safe = _UNSAFE.sub("-", name)[-NAME_LIMIT:].lstrip(".-")
        path = self.folder / f"{secrets.token_hex(4)}-{safe}"
        file = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600)
        with os.fdopen(file, "wb") as opened:
            opened.write(data)
        return str(path)
