"""On which line of a TOML text a key, a table or an element of an array stands.

It never complains: where a text is not TOML, a path that was not reached gets the line of the nearest thing around it.
"""

from __future__ import annotations

from mcp_host.core.definitions.faults import FieldPath
from mcp_host.core.definitions.toml_walk import Walk


def line_of(text: str, path: FieldPath) -> int | None:
    """The line (from 1) where `path` is written, or else the line of the nearest thing that encloses it.

    None where nothing of the path is in the text.
    """
    return Positions(text).line_of(path)


class Positions:
    """The lines of everything in one text, for looking up more than one path."""

    def __init__(self, text: str) -> None:
        walk = Walk(text)
        self._explicit = walk.explicit
        self._implied = walk.implied

    def line_of(self, path: FieldPath) -> int | None:
        """As the function of this name."""
        for length in range(len(path), 0, -1):
            prefix = path[:length]
            line = self._explicit.get(prefix) or self._implied.get(prefix)
            if line is not None:
                return line
        return None
