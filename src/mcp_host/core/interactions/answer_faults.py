"""What is wrong with an answer, with its place in the text that somebody wrote, and the problem that says so."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from mcp_host.core.interactions.requests import Asked
from mcp_host.problems import Problem, ProblemError

FAULTS_TOLD: Final = 20


@dataclass(frozen=True, kw_only=True)
class AnswerFault:
    """One thing that is wrong."""

    message: str
    """With the name of what it is about."""
    line: int | None = None
    """Of the text, from 1; None where no line is to blame."""

    def __str__(self) -> str:
        return f"line {self.line}: {self.message}" if self.line is not None else self.message


def answer_refused(asked: Asked, faults: Sequence[AnswerFault]) -> ProblemError:
    """The problem of an answer that does not fit; the server still waits for one."""
    told = [str(fault) for fault in faults[:FAULTS_TOLD]]
    more = len(faults) - len(told)
    return ProblemError(
        Problem(
            type="arguments-invalid",
            title=f"The answer does not fit what {asked.alias} asks for; nothing was sent",
            detail="\n".join([*told, *([f"and {more} more"] if more > 0 else [])]),
            hint="Mend what is named and write again, or decline: the server still waits.",
            alias=asked.alias,
            tool=asked.tool,
        )
    )
