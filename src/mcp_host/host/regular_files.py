"""Opens a file that may be anything: what is no regular file is refused, and nothing is ever waited for.

A project's file comes from anybody. Where a pipe lies in its place, opening it as usual would wait for a writer for
ever.
"""

from __future__ import annotations

import errno
import os
import stat
from pathlib import Path
from typing import BinaryIO


def open_regular(path: Path) -> BinaryIO:
    """The file, open for reading.

    Raises:
        OSError: It cannot be read, or is something else: a folder, a pipe, a device, a link to itself.
    """
    file = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_NOCTTY | os.O_CLOEXEC)
    try:
        mode = os.fstat(file).st_mode
        if stat.S_ISDIR(mode):
            raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), str(path))
        if not stat.S_ISREG(mode):
            raise OSError(errno.EINVAL, "It is not a regular file", str(path))
        return os.fdopen(file, "rb")
    except BaseException:
        os.close(file)
        raise
