"""A picture made of nothing but code: a PNG with a gradient of one colour."""

from __future__ import annotations

import struct
import zlib
from typing import Literal

Colour = Literal["red", "green", "blue", "grey"]

_CHANNELS: dict[Colour, tuple[int, int, int]] = {
    "red": (1, 0, 0),
    "green": (0, 1, 0),
    "blue": (0, 0, 1),
    "grey": (1, 1, 1),
}


def gradient_png(width: int, height: int, colour: Colour) -> bytes:
    """Return a PNG of this size (each side at least 1) that goes from black on the left to the colour on the right."""
    steps = max(width - 1, 1)
    row = b"\0" + b"".join(
        bytes(channel * 255 * column // steps for channel in _CHANNELS[colour]) for column in range(width)
    )
    header = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    pixels = zlib.compress(row * height, 9)
    return b"\x89PNG\r\n\x1a\n" + _chunk(b"IHDR", header) + _chunk(b"IDAT", pixels) + _chunk(b"IEND", b"")


def _chunk(kind: bytes, data: bytes) -> bytes:
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
