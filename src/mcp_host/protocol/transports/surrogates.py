r"""Replaces escaped lone surrogates in JSON text, which strict parsers refuse and JavaScript servers write.

A string cut in the middle of an emoji is written as `\ud83d`, and that must not cost its call the answer.
"""

from __future__ import annotations

import re
from typing import Final

_ESCAPE: Final = re.compile(
    rb"\\(?:u[dD][89aAbB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}|(u[dD][89a-fA-F][0-9a-fA-F]{2})|.)", re.DOTALL
)
"""One JSON escape: a surrogate pair, a lone surrogate (group 1), or any other. Consumed left to right, so that an
escaped backslash before a `u` is not taken for one."""

_UNFINISHED: Final = re.compile(
    rb"(?<!\\)(?:\\\\)*(\\(?:u[dD][89aAbB][0-9a-fA-F]{2}(?:\\(?:u[0-9a-fA-F]{0,3})?)?|u[0-9a-fA-F]{0,3})?)\Z"
)
"""An escape (group 1) at the end of a chunk whose meaning depends on the next: half of one, or half of a pair."""
_UNFINISHED_BYTES: Final = len(rb"\ud83d\ude0")
"""The longest of those."""


def replace_lone_surrogates(text: bytes | bytearray) -> bytes:
    r"""The text with `\ufffd` for each escaped lone surrogate, at the same length."""
    if b"\\ud" not in text and b"\\uD" not in text:
        return bytes(text)
    return _ESCAPE.sub(lambda escape: rb"\ufffd" if escape.group(1) else escape.group(), text)


class SurrogateMender:
    """The same for a stream; holds back at most one unfinished escape."""

    def __init__(self) -> None:
        self._unfinished = b""

    def feed(self, chunk: bytes) -> bytes:
        """The chunk, mended, without an escape that the next chunk must finish."""
        text = self._unfinished + chunk
        cut = _unfinished_at(text)
        self._unfinished = text[cut:]
        return replace_lone_surrogates(text[:cut])

    def take_rest(self) -> bytes:
        """What was held back when the stream ended."""
        rest, self._unfinished = self._unfinished, b""
        return replace_lone_surrogates(rest)


def _unfinished_at(text: bytes) -> int:
    """Where an unfinished escape starts, the end where there is none. Looks at the end alone: the rest may be long."""
    start = max(0, len(text) - _UNFINISHED_BYTES)
    if b"\\" not in text[start:]:
        return len(text)
    # Where a run of backslashes starts, it can be counted which of them escapes which.
    start = len(text[:start].rstrip(b"\\"))
    unfinished = _UNFINISHED.search(text[start:])
    return start + unfinished.start(1) if unfinished else len(text)
