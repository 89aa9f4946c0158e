"""How much of a text a buffer shows.

Neovim stops answering for seconds to minutes where a buffer holds one very long line followed by very many others. So
what is over the caps is cut here, and said so; the whole text goes to a file, which is the host's to write.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

LINE_CAP_BYTES: Final = 65_536
"""Longest line shown; far past anything a person reads, far below where the redraw begins to be felt."""

BUFFER_CAP_BYTES: Final = 5_000_000
BUFFER_CAP_LINES: Final = 50_000


@dataclass(frozen=True, kw_only=True)
class Capped:
    """The lines that are shown."""

    lines: tuple[str, ...]
    cut: bool
    note: str
    """How much was cut, in words; empty when nothing was."""


def capped(lines: Sequence[str]) -> Capped:
    """The safe lines as far as a buffer shows them: long lines cut first, then whole lines at the end left out."""
    kept: list[str] = []
    shortened = total = 0
    for line in lines[:BUFFER_CAP_LINES]:
        shown, size = _cut_line(line)
        total += size + 1
        if total > BUFFER_CAP_BYTES:
            break
        shortened += shown is not line
        kept.append(shown)
    return Capped(
        lines=tuple(kept), cut=bool(shortened) or len(kept) < len(lines), note=_note(shortened, len(kept), lines)
    )


def wrapped(lines: Sequence[str]) -> tuple[str, ...]:
    """The lines with those over the line cap broken into several: nothing is lost, as a proposal must have it."""
    if all(len(line) * 4 <= LINE_CAP_BYTES for line in lines):
        return tuple(lines)
    step = LINE_CAP_BYTES // 4
    return tuple(line[at : at + step] for line in lines for at in range(0, max(len(line), 1), step))


def byte_length(text: str) -> int:
    """How many bytes a safe text takes in a buffer."""
    return len(text) if text.isascii() else len(text.encode())


def sized(count: int) -> str:
    """A number of bytes as people read it: `812 bytes`, `4.9 kB`, `12.0 MB`."""
    if count < 1000:
        return "1 byte" if count == 1 else f"{count} bytes"
    return f"{count / 1000:.1f} kB" if count < 1_000_000 else f"{count / 1_000_000:.1f} MB"


def _cut_line(line: str) -> tuple[str, int]:
    size = byte_length(line)
    if size <= LINE_CAP_BYTES:
        return line, size
    more = f" … [{size - LINE_CAP_BYTES:,} bytes more]"
    # A code point that the cut would split is left out whole.
    shown = line.encode()[: LINE_CAP_BYTES - byte_length(more)].decode(errors="ignore") + more
    return shown, byte_length(shown)


def _note(shortened: int, kept: int, lines: Sequence[str]) -> str:
    notes: list[str] = []
    if shortened:
        notes.append(f"{shortened:,} {'line' if shortened == 1 else 'lines'} cut after 64 KiB")
    if kept < len(lines):
        missing = sum(byte_length(line) + 1 for line in lines[kept:])
        notes.append(f"{len(lines) - kept:,} of {len(lines):,} lines not shown ({sized(missing)})")
    return ", ".join(notes)
