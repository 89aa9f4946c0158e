"""What is said when somebody names a thing that the server does not offer."""

from __future__ import annotations

from collections.abc import Sequence
from difflib import get_close_matches
from typing import Final

from mcp_host.host.live_server import LiveServer, Offering
from mcp_host.problems import Problem, ProblemError

CLOSE_NAMES: Final = 3
"""Names that a misspelt one is compared to in the text: more would hide the right one."""

COMPARED_NAMES: Final = 2000
"""Names that are looked at for close ones: comparing ten thousand would take a second."""


def unknown_tool(live: LiveServer | Offering, name: str) -> ProblemError:
    """The server has no tool of this name."""
    return ProblemError(
        Problem(
            type="tool-unknown",
            title=f"{live.alias} has no tool named {name}",
            detail=_close(name, [tool.name for tool in live.catalog.tools], "tools"),
            hint=f":McpTools {live.alias} shows them.",
            alias=live.alias,
            tool=name,
        )
    )


def disabled_tool(live: LiveServer | Offering, name: str) -> ProblemError:
    """The server has the tool, and the definition leaves it out."""
    return ProblemError(
        Problem(
            type="tool-disabled",
            title=f"{live.alias}.{name} is not enabled",
            detail=f"{live.defined.file} lists the tools of {live.alias}, and this one is not among them.",
            hint=f'Add "{name}" to tools under [servers.{live.alias}].',
            alias=live.alias,
            tool=name,
        )
    )


def unknown_prompt(live: LiveServer | Offering, name: str) -> ProblemError:
    """The server has no prompt of this name."""
    return ProblemError(
        Problem(
            type="prompt-unknown",
            title=f"{live.alias} has no prompt named {name}",
            detail=_close(name, [prompt.name for prompt in live.catalog.prompts], "prompts"),
            hint=f"Its survey (:Mcp, then <CR> on {live.alias}) lists them.",
            alias=live.alias,
        )
    )


def _close(name: str, known: Sequence[str], kind: str) -> str:
    close = get_close_matches(name, known[:COMPARED_NAMES], n=CLOSE_NAMES)
    return f"Close to it: {', '.join(close)}." if close else f"It lists {len(known)} {kind}."
