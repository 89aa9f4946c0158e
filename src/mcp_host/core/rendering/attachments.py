"""Bytes that came as base64 inside a result: how they are read and what kind of file they make."""

from __future__ import annotations

import base64
import binascii
from typing import Final

_TO_STANDARD: Final = str.maketrans("-_", "+/")

_SUFFIXES: Final = {
    "application/gzip": ".gz",
    "application/json": ".json",
    "application/msword": ".doc",
    "application/pdf": ".pdf",
    "application/zip": ".zip",
    "audio/aac": ".aac",
    "audio/flac": ".flac",
    "audio/mp3": ".mp3",
    "audio/mpeg": ".mp3",
    "audio/ogg": ".ogg",
    "audio/wav": ".wav",
    "audio/webm": ".weba",
    "audio/x-wav": ".wav",
    "image/avif": ".avif",
    "image/bmp": ".bmp",
    "image/gif": ".gif",
    "image/jpeg": ".jpg",
    "image/png": ".png",
    "image/svg+xml": ".svg",
    "image/tiff": ".tiff",
    "image/webp": ".webp",
    "text/csv": ".csv",
    "text/html": ".html",
    "text/plain": ".txt",
    "video/mp4": ".mp4",
    "video/webm": ".webm",
}
"""Not from the `mimetypes` module: that one reads files of the system, and its answers differ between machines."""


def decoded_base64(text: str) -> bytes | None:
    """The bytes of a base64 text, or None where it is not one.

    Blanks, line breaks, a `data:` prefix, the alphabet for URLs and a missing padding are all forgiven.
    """
    if text.startswith("data:"):
        text = text.partition(",")[2]
    compact = "".join(text.split()).translate(_TO_STANDARD).rstrip("=")
    try:
        return base64.b64decode(compact + "=" * (-len(compact) % 4), validate=True)
    except (binascii.Error, ValueError):
        return None


def file_suffix(mime: str | None) -> str:
    """What a file of this type ends in; `.bin` where the type is missing or unknown. Never the server's own words."""
    return _SUFFIXES.get((mime or "").partition(";")[0].strip().lower(), ".bin")
