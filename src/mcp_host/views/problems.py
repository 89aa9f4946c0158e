"""A problem as lines of a page: what happened, the particulars below it, and the next step."""

from __future__ import annotations

from mcp_host.core.rendering.text import safe_lines
from mcp_host.problems import Problem
from mcp_host.views.view import Page, Target


def add_problem(page: Page, problem: Problem, *, indent: str = "", target: Target | None = None) -> None:
    """Add the problem; all of its lines stand for the target."""
    page.line(indent, (f"! {problem.title}", "McpProblem"), target=target)
    for line in safe_lines(problem.detail):
        page.text(line, indent=indent + "  ", group="McpMuted", target=target)
    if problem.hint:
        page.line(indent, "  → ", problem.hint, target=target)
