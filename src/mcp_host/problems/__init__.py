"""A problem: what went wrong for a person, what it was about and what to do next.

Every floor raises problems and nothing else that a person could meet. Foreign exceptions become problems at one
border, `protocol/errors.py`. A problem's text never holds a resolved reference or any other credential.
"""

from __future__ import annotations

from pydantic import BaseModel, ConfigDict

from mcp_host.problems.kinds import EXIT_CODES, EXIT_TOOL_FAILED, ExitCode, ProblemType

__all__ = ["EXIT_CODES", "EXIT_TOOL_FAILED", "ExitCode", "Problem", "ProblemError", "ProblemType"]


class Problem(BaseModel):
    """One typed error, as people, scripts and Lua plugins see it."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    type: ProblemType
    title: str
    """One short sentence: what happened, naming the server where there is one."""
    detail: str
    """The particulars: the file and line, the field, the server's own words. May span lines."""
    hint: str
    """The next step, as a command or an edit."""
    alias: str | None = None
    tool: str | None = None
    retryable: bool = False
    """True where doing the same thing again may work without anything having been changed."""
    causes: tuple[Problem, ...] = ()

    @property
    def exit_code(self) -> ExitCode:
        """What a headless verb ends the editor with for this problem."""
        return EXIT_CODES[self.type]


class ProblemError(Exception):
    """Carries a `Problem` from where it is found to where it is shown."""

    def __init__(self, problem: Problem) -> None:
        super().__init__(f"{problem.type}: {problem.title}")
        self.problem = problem
