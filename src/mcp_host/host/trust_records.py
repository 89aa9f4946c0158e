"""What a person said about the project files of this machine: yes to one exact text, or that a file is to be ignored.

One small file (0600) for each project file, in the state folder. It holds the digest of the text and the sound
definitions of it as they are shown, so that the next change can be shown as a difference; never the text itself.
"""

from __future__ import annotations

import hashlib
import json
import logging
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from pydantic import BaseModel, ConfigDict

from mcp_host.host.atomic_files import write_atomically

logger = logging.getLogger(__name__)


class TrustRecord(BaseModel):
    """One decision about one project file."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    file: str
    """The path by which the project file is found."""
    decision: Literal["approved", "ignored"]
    decided_at: str
    """For people, in UTC: `2026-12-01 03:11 UTC`."""
    digest: str = ""
    """Of what was approved, as the reading of the file has it."""
    lines: tuple[str, ...] = ()
    """The approved definitions as they were shown."""


@dataclass(frozen=True, kw_only=True)
class TrustRecords:
    """The records of one state folder. All methods touch the disk and none waits for anything else."""

    folder: Path

    def of(self, file: Path) -> TrustRecord | None:
        """What was said last about the file; None also where the record cannot be read or is another file's."""
        try:
            record = TrustRecord.model_validate(json.loads(self._path(file).read_bytes()))
        except FileNotFoundError:
            return None
        except (OSError, ValueError, RecursionError):  # pydantic's own error is a ValueError
            logger.warning("the trust record of a project file cannot be read: it is asked about again")
            return None
        return record if record.file == str(file) else None

    def keep(self, record: TrustRecord) -> None:
        """The record takes the place of any earlier one about the same file.

        Raises:
            OSError: The state folder cannot be written to.
        """
        self.folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        # Not pydantic's JSON: a path or a text need not be UTF-8, and escaped every character can be kept.
        data = json.dumps(record.model_dump(), indent=1).encode("ascii")
        write_atomically(self._path(Path(record.file)), data)

    def _path(self, file: Path) -> Path:
        return self.folder / f"{hashlib.sha256(str(file).encode('utf-8', 'surrogateescape')).hexdigest()}.json"
