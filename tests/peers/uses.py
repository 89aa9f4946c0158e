"""One use of every tool of the TypeScript peers and of the reference server: what it is given and how it ends.

`tests/peers/answers.json` holds what they are told when they ask.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final, Literal

from tests.peers.found import PeerName

ANSWERS: Final = Path(__file__).parent / "answers.json"

End = Literal["succeeded", "failed", "refused", "cancelled"]
"""`failed`: the tool answered `isError`; `refused`: there is a problem in place of a result."""


@dataclass(frozen=True, kw_only=True)
class Use:
    """One call."""

    tool: str
    arguments: Mapping[str, Any] = field(default_factory=dict[str, Any])
    end: End = "succeeded"
    """`cancelled`: it ends in no other way, so whoever uses it cancels it."""
    effect: Literal["read", "host"] = "host"
    """As the definition has it: only of a read is it known, when it was cancelled, that nothing came of it."""
    says: str = ""
    """Stands in the first text of the result, or in what the problem says."""
    needs: str | None = None
    """A tool to call first: without that it is not there."""


USES: Final[Mapping[PeerName, tuple[Use, ...]]] = {
    "ts": (
        Use(tool="ask_form", says="hello Ada"),
        Use(tool="ask_two_rounds", says="two rounds done"),
        Use(tool="ask_all", says="hi there"),
        Use(tool="count", arguments={"n": 3, "ms": 1}, effect="read", says="done 3"),
        Use(tool="aborts", says="["),
        Use(tool="hdr", arguments={"region": "eu", "q": "x"}, says='"region":"eu"'),
        Use(tool="big", arguments={"kib": 64}, says="x" * 64 * 1024),
        Use(tool="meta", says="progressToken"),
        Use(tool="flip", says="later "),
        Use(tool="later", needs="flip", says="later"),
        Use(tool="touch", says="touched"),
    ),
    "ts-tasks": (
        Use(tool="ask", says="hi Ada"),
        Use(tool="fail", end="refused", says="boom"),
        Use(tool="slow", says="slow done"),
        Use(tool="forever", effect="read", end="cancelled"),
        Use(tool="seen", says="["),
    ),
    "everything": (
        Use(tool="echo", arguments={"message": "hé"}, says="Echo: hé"),
        Use(tool="get-annotated-message", arguments={"messageType": "error", "includeImage": True}, says="Error: Op"),
        Use(tool="get-env", says="PATH"),
        Use(tool="get-resource-links", arguments={"count": 3}, says="Here are 3 resource links"),
        Use(tool="get-resource-reference", arguments={"resourceType": "Blob", "resourceId": 2}, says="Resource 2"),
        Use(tool="get-roots-list", says="Current MCP Roots (1 total)"),
        Use(tool="get-structured-content", arguments={"location": "Chicago"}, says="Light rain"),
        Use(tool="get-sum", arguments={"a": 2, "b": 3}, says="The sum of 2 and 3 is 5."),
        Use(tool="get-tiny-image", says="image"),
        Use(tool="gzip-file-as-resource", arguments={"name": "used.gz", "data": "data:text/plain,hello"}),
        Use(
            tool="simulate-research-query",
            arguments={"topic": "python", "ambiguous": True},
            end="failed",
            says="requires task augmentation",
        ),
        Use(tool="toggle-simulated-logging", says="simulated"),
        Use(tool="toggle-subscriber-updates", says="simulated resource"),
        Use(tool="trigger-elicitation-request", says="User provided the requested information"),
        Use(tool="trigger-long-running-operation", arguments={"duration": 0.02, "steps": 2}, says="completed"),
        Use(tool="trigger-sampling-request", arguments={"prompt": "say hi"}, says="hi there"),
        Use(tool="trigger-url-elicitation", arguments={"url": "https://example.com/a?b=c"}, says="User completed"),
    ),
}
