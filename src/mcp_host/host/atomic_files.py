"""Replaces a file whole, so that whoever reads it sees the old bytes or the new ones, and one writer at a time.

The new bytes go to a file beside the old one, which then takes its name. A process that is killed on the way leaves
that file behind; the next write knows it by its name and by nobody holding it, and takes it away.
"""

from __future__ import annotations

import errno
import fcntl
import os
import re
import secrets
import stat
import sys
import time
from collections.abc import Generator
from contextlib import contextmanager, suppress
from hashlib import sha256
from pathlib import Path
from types import EllipsisType
from typing import Final

from mcp_host.host.regular_files import open_regular
from mcp_host.problems import Problem, ProblemError

LOCK_SECONDS: Final = 10.0
"""How long one writer waits for the others: each needs a few milliseconds, or a second on a slow disk."""

_LOCK_POLL_SECONDS: Final = 0.002
"""flock cannot be waited for with a bound, so it is asked for again: two milliseconds are a fraction of one write."""

_SUFFIX: Final = ".mcp-host-new"


class ChangedMeanwhile(Exception):
    """The file does not hold what it was supposed to hold when it should have been replaced; it was left alone."""


def write_atomically(
    path: Path, data: bytes, *, mode_if_new: int = 0o600, replacing: bytes | EllipsisType | None = ...
) -> None:
    """The file holds exactly this, on the disk, with the mode and the owner that it had; a new one has `mode_if_new`.

    A symbolic link stays, and what it points to is replaced. Missing folders are made, for their owner alone. With
    `replacing` (None: no file) the file must hold just that when the new one takes its place. Other hard links to the
    file keep the old bytes.

    Raises:
        ChangedMeanwhile: it does not hold `replacing`.
        OSError: it could not be replaced, or is marked as not to be written; the old bytes are all there.
    """
    target = Path(os.path.realpath(path))
    _make_folder(target.parent)
    old = _writable(target)
    _take_away_left_over(target)
    temporary, file = _create_beside(target)
    try:
        with os.fdopen(file, "wb") as opened:
            opened.write(data)
            opened.flush()
            _dress(opened.fileno(), target, old, mode_if_new)
            os.fsync(opened.fileno())
            # Compared as late as can be: an editor that writes the file takes no lock of ours.
            if not isinstance(replacing, EllipsisType) and read_if_there(target) != replacing:
                raise ChangedMeanwhile
            os.replace(temporary, target)
    except BaseException:
        with suppress(OSError):
            temporary.unlink()
        raise
    _sync_folder(target.parent)


def read_if_there(path: Path) -> bytes | None:
    """The bytes of a regular file; None where there is none.

    Raises:
        OSError: it cannot be read, or is something else: a folder, a pipe, a link to itself.
    """
    try:
        with open_regular(path) as file:
            return file.read()
    except FileNotFoundError:
        return None


@contextmanager
def locked(path: Path, locks: Path, *, seconds: float = LOCK_SECONDS) -> Generator[None, None, None]:
    """Inside, no other process or thread that asks in the same way has this file. Blocks: not for the event loop.

    The lock is a file of its own in the folder `locks`, since the file itself is replaced by each write.

    Raises:
        ProblemError: `definition-conflict`, when the others took longer than `seconds`.
        OSError: the folder of the locks cannot be used.
    """
    _make_folder(locks)
    name = sha256(os.fsencode(os.path.realpath(path))).hexdigest()
    deadline = time.monotonic() + seconds
    # Who waits holds the turn meanwhile, so one who lets go and comes straight back stands behind, not before them.
    turn = _take(locks / f"{name}.turn", path, deadline)
    try:
        lock = _take(locks / f"{name}.lock", path, deadline)
    finally:
        os.close(turn)
    try:
        yield
    finally:
        os.close(lock)


def _take(lock: Path, path: Path, deadline: float) -> int:
    """An open file whose lock is held; closing it lets go, and so does the end of the process, however it comes."""
    file = os.open(lock, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600)
    try:
        while not _is_taken(file):
            if time.monotonic() >= deadline:
                raise ProblemError(_busy(path))
            time.sleep(_LOCK_POLL_SECONDS)
    except BaseException:
        os.close(file)
        raise
    return file


def _is_taken(file: int) -> bool:
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def _busy(path: Path) -> Problem:
    return Problem(
        type="definition-conflict",
        title=f"{path} is being written by another editor",
        detail=f"{path}: it did not come free in time, so nothing was written.",
        hint="Do it again; if that goes on, look for an editor that hangs.",
        retryable=True,
    )


def _make_folder(folder: Path) -> None:
    if not folder.exists():
        _make_folder(folder.parent)
        folder.mkdir(mode=0o700, exist_ok=True)


def _writable(target: Path) -> os.stat_result | None:
    """What is known of the file that will be replaced; None where there is none yet.

    Replacing asks for the folder's permission only, and a superuser needs none: what the owner marked as not to be
    written is respected all the same.
    """
    if not stat.S_IMODE(target.parent.stat().st_mode) & 0o222:
        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), str(target.parent))
    try:
        found = target.stat(follow_symlinks=False)
    except FileNotFoundError:
        return None
    if not stat.S_ISREG(found.st_mode):
        raise OSError(errno.EINVAL, "not a regular file", str(target))
    if not found.st_mode & 0o222 or not os.access(target, os.W_OK):
        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), str(target))
    return found


def _create_beside(target: Path) -> tuple[Path, int]:
    """A new file in the same folder, held by a lock, so that nobody takes it for one that was left over."""
    while True:
        path = target.parent / f".{target.name}.{secrets.token_hex(8)}{_SUFFIX}"
        file = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600)
        with suppress(OSError):  # a file system without locks: nothing is taken away there either
            fcntl.flock(file, fcntl.LOCK_EX)
        if os.fstat(file).st_nlink:
            return path, file
        os.close(file)  # taken away before it was locked


def _take_away_left_over(target: Path) -> None:
    """What killed writers of this file left behind is gone. Raises nothing: it is only housekeeping."""
    left_over = re.compile(rf"\.{re.escape(target.name)}\.[0-9a-f]{{16}}{re.escape(_SUFFIX)}")
    with suppress(OSError):
        for name in os.listdir(target.parent):
            if left_over.fullmatch(name):
                with suppress(OSError):
                    _take_away(target.parent / name)


def _take_away(path: Path) -> None:
    file = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    try:
        if stat.S_ISREG(os.fstat(file).st_mode) and _is_taken(file):
            path.unlink()
    finally:
        os.close(file)


def _dress(file: int, target: Path, old: os.stat_result | None, mode_if_new: int) -> None:
    """What the file that will be replaced has: its owner, its mode, its access list. Each of them changes the next."""
    if old is None:
        os.fchmod(file, mode_if_new)
        return
    new = os.fstat(file)
    if (new.st_uid, new.st_gid) != (old.st_uid, old.st_gid):
        os.fchown(file, old.st_uid, old.st_gid)
    os.fchmod(file, stat.S_IMODE(old.st_mode))
    if sys.platform == "linux":
        _copy_access_list(file, target)


def _copy_access_list(file: int, target: Path) -> None:
    """Without its list a file's group may do what the list allowed to others; a new file may have got one it lacked."""
    try:
        listed = os.getxattr(target, _ACCESS_LIST)
    except OSError:
        with suppress(OSError):
            os.removexattr(file, _ACCESS_LIST)
    else:
        os.setxattr(file, _ACCESS_LIST, listed)


_ACCESS_LIST: Final = "system.posix_acl_access"


def _sync_folder(folder: Path) -> None:
    """The new name survives a power failure, on file systems where a folder can be synced."""
    with suppress(OSError):
        file = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
        try:
            os.fsync(file)
        finally:
            os.close(file)
