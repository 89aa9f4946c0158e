"""The closed list of problem types and the exit code each one means to a script.

The words are stable: scripts and Lua plugins match on them. `doc/problems.md` has one heading for each
(a test compares the two), so a new word needs its heading in the same change.
"""

from __future__ import annotations

from typing import Final, Literal

ProblemType = Literal[
    "arguments-invalid",
    "call-unknown",
    "cancelled",
    "candidate-unknown",
    "definition-conflict",
    "definition-invalid",
    "definition-unparsable",
    "definition-untrusted",
    "host-failed",
    "input-required",
    "interaction-closed",
    "interaction-unknown",
    "internal",
    "line-too-long",
    "outcome-unknown",
    "prompt-unknown",
    "protocol-violated",
    "receipt-expired",
    "receipt-rejected",
    "receipt-stale",
    "receipt-unknown",
    "reference-missing",
    "request-refused",
    "request-timed-out",
    "resource-unknown",
    "review-required",
    "server-disabled",
    "server-unavailable",
    "server-unknown",
    "authorization-required",
    "tool-disabled",
    "tool-unknown",
    "usage",
]

ExitCode = Literal[0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10]

EXIT_CODES: Final[dict[ProblemType, ExitCode]] = {
    "internal": 1,
    "host-failed": 1,
    "usage": 2,
    "arguments-invalid": 2,
    "definition-invalid": 2,
    "definition-unparsable": 2,
    "definition-untrusted": 2,
    "definition-conflict": 2,
    "reference-missing": 2,
    "server-unknown": 3,
    "tool-unknown": 3,
    "resource-unknown": 3,
    "prompt-unknown": 3,
    "receipt-unknown": 3,
    "call-unknown": 3,
    "candidate-unknown": 3,
    "interaction-unknown": 3,
    "server-disabled": 4,
    "server-unavailable": 4,
    "tool-disabled": 4,
    "protocol-violated": 4,
    "line-too-long": 4,
    "input-required": 4,
    "request-refused": 5,
    "review-required": 6,
    "receipt-expired": 7,
    "receipt-rejected": 7,
    "receipt-stale": 7,
    "interaction-closed": 7,
    "authorization-required": 8,
    "request-timed-out": 9,
    "cancelled": 9,
    "outcome-unknown": 10,
}
"""What a headless verb ends the editor with (the exit codes of `doc/mcp_host.txt`)."""

EXIT_TOOL_FAILED: Final[ExitCode] = 5
"""The tool answered with `isError`: a result, not a problem, so no problem type stands for it."""
