"""Where definitions come from: the layers as a document for scripts, and places as people read them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from mcp_host.core.rendering.text import encodable_text
from mcp_host.problems import Problem

LayerState = Literal["read", "absent", "unparsable", "unreadable", "untrusted", "ignored"]


@dataclass(frozen=True, kw_only=True)
class LayerFacts:
    """One layer, whether it says anything or not."""

    layer: str
    file: str
    """What to call it: a path, "the environment", "this session"."""
    state: LayerState
    servers: int = 0
    """How many aliases it mentions, whether what it says of them counts or not."""
    problems: tuple[Problem, ...] = ()
    """What is wrong with it apart from single servers."""


def layer_document(facts: LayerFacts) -> dict[str, object]:
    """The layer as a JSON document."""
    return {
        "layer": facts.layer,
        "file": encodable_text(facts.file),
        "state": facts.state,
        "servers": facts.servers,
        "problems": [problem.model_dump(mode="json", exclude_none=True) for problem in facts.problems],
    }


def spoken_place(layer: str, file: str, line: int | None) -> str:
    """`user ~/.config/nvim/mcp.toml:7`; a layer that is no file is called by its name alone."""
    if file.startswith(("the ", "this ")):
        return file
    return f"{layer} {file}" if line is None else f"{layer} {file}:{line}"
