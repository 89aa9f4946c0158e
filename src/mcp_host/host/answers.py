"""What a verb comes to: one document for scripts, and the view of it for people, drawn only when somebody looks."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Literal

from mcp_host.problems import ExitCode
from mcp_host.views.view import View

AnswerKind = Literal[
    "servers",
    "server",
    "survey",
    "tools",
    "card",
    "result",
    "resource",
    "prompt",
    "proposal",
    "proposals",
    "call",
    "trust",
    "candidates",
    "template",
    "added",
    "removed",
    "doctor",
    "workspace",
    "interactions",
    "interaction",
    "capabilities",
    "completion",
]


@dataclass(frozen=True, kw_only=True)
class Answer:
    """The answer to one verb."""

    kind: AnswerKind
    document: Mapping[str, object]
    """The stable JSON object that `doc/mcp_host.txt` describes for this verb."""
    view: Callable[[], View] | None = None
    """Draws the buffer for it; None where there is nothing to look at."""
    exit: ExitCode = 0
    """What a headless verb ends the editor with."""
