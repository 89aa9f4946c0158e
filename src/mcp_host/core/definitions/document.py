"""One file of definitions by itself: what it defines, and everything that is wrong with it, by file and line.

A fault disables its own alias and nothing else; a file that does not parse defines nothing. It is what the merged
layers say when there is one layer, so a file is judged alike alone and among others.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from mcp_host.core.definitions.layers import Defined, merge
from mcp_host.core.definitions.sources import Layer, read_source
from mcp_host.problems import Problem

__all__ = ["Defined", "Document", "read_document"]


@dataclass(frozen=True, kw_only=True)
class Document:
    """What one file says."""

    file: str
    layer: str
    definitions: Mapping[str, Defined] = field(default_factory=dict[str, Defined])
    problems: tuple[Problem, ...] = ()
    """Everything wrong with what the file says: tables nobody reads, then the broken aliases, in the file's order."""
    broken: Mapping[str, Problem] = field(default_factory=dict[str, Problem])
    """The aliases that are disabled by their own fault; each problem is in `problems` too."""
    unparsable: Problem | None = None
    """The file is not TOML, so nothing else is known about it; in no other field."""


def read_document(text: str, file: str, *, layer: Layer) -> Document:
    """Everything the text of one file defines, and its problems. `file` is only what to call it."""
    source = read_source(text, file, layer=layer)
    if source.unparsable is not None:
        return Document(file=file, layer=layer, unparsable=source.unparsable)
    merged = merge([source])
    return Document(
        file=file, layer=layer, definitions=merged.definitions, problems=merged.problems, broken=merged.broken
    )
