"""Files that results leave behind: images, audio, blobs, and what is too long for a buffer. Their owner's alone."""

from __future__ import annotations

import os
import re
import secrets
from dataclasses import dataclass
from pathlib import Path
from typing import Final

NAME_LIMIT: Final = 100
"""Characters of a file's name that may come from elsewhere."""

_UNSAFE: Final = re.compile(r"[^A-Za-z0-9._-]+")


@dataclass(frozen=True, kw_only=True)
class ResultFiles:
    """The folder of one editor's result files."""

    folder: Path

    def save(self, name: str, data: bytes) -> str:
        """The path of a new file with this content. An older file of the same name is left as it is.

        Raises:
            OSError: The folder cannot be written.
        """
        self.folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        # A random part, because another editor counts its calls from c1 as well.
        safe = _UNSAFE.sub("-", name)[-NAME_LIMIT:].lstrip(".-")
        path = self.folder / f"{secrets.token_hex(4)}-{safe}"
        file = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600)
        with os.fdopen(file, "wb") as opened:
            opened.write(data)
        return str(path)
