"""Takes out of an event stream what would make the SDK's client open streams that nobody wants, or fall over.

Specification 2026-07-28 knows no event ids: a stream that broke off is over, and asking for its rest would only put off
the failure. A `retry` that is no count of milliseconds anybody means cannot be waited for: one of four hundred digits
ends the SDK's whole connection with an OverflowError. A field that is taken out becomes a comment.
"""

from __future__ import annotations

import re
from typing import Final

HELD_BYTES: Final = 64
"""As much of an unfinished line is held back until it is known what it says; no field that stays is longer."""

_BOM: Final = b"\xef\xbb\xbf"
_ODD_RETRY: Final = rb"(?<=[\r\n])(?=retry(?!: ?[0-9]{1,9}[\r\n]))"
_ODD: Final = re.compile(_ODD_RETRY)
_RESUMPTION: Final = re.compile(rb"(?<=[\r\n])(?=(?:id|retry)[:\r\n])|" + _ODD_RETRY)
_SIGNS: Final = (b"\nid", b"\rid", b"\nretry", b"\rretry")
"""Looked for first: the patterns go byte by byte, which a result of fifty megabytes would feel."""


class EventFields:
    """The filter for one stream; holds back the start of a line that may be one of the fields."""

    def __init__(self, *, resumable: bool) -> None:
        """`resumable`: the stream may be asked for again, so ids and waits of the server stay."""
        self._unwanted = _ODD if resumable else _RESUMPTION
        self._held = b""
        self._before = b"\n"
        """The last byte that was let through: where a line starts, a field may."""
        self._begun = False

    def feed(self, chunk: bytes) -> bytes:
        """The chunk without the unwanted fields, and without what must wait for the rest of its line."""
        text = self._held + chunk
        if not self._begun:
            # Half of the three bytes may have come: nothing starts with one of them otherwise.
            if len(text) < len(_BOM) and _BOM.startswith(text):
                self._held = text
                return b""
            text = text.removeprefix(_BOM)
            self._begun = True
        cut = max(text.rfind(b"\n"), text.rfind(b"\r")) + 1
        starts_line = cut > 0 or self._before in b"\r\n"
        if not (starts_line and _may_be_unwanted(text[cut:])):
            cut = len(text)
        self._held = text[cut:]
        return self._let_through(text[:cut])

    def take_rest(self) -> bytes:
        """What was held back when the stream ended."""
        rest, self._held = self._held, b""
        return self._let_through(rest)

    def _let_through(self, text: bytes) -> bytes:
        if not text:
            return b""
        text, self._before = self._before + text, text[-1:]
        return (self._unwanted.sub(b":", text) if any(sign in text for sign in _SIGNS) else text)[1:]


def _may_be_unwanted(line: bytes) -> bool:
    if not line or len(line) > HELD_BYTES:
        return False
    return any(line.startswith(name) or name.startswith(line) for name in (b"id", b"retry"))
