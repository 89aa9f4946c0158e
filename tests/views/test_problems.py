"""A problem on a page: what happened, the particulars, the next step."""

from __future__ import annotations

from mcp_host.problems import Problem
from mcp_host.views.problems import add_problem
from mcp_host.views.view import Item, Page, Target

PROBLEM = Problem(type="usage", title="It is wrong.", detail="here\nand there", hint="Mend it.")


def test_a_problem_is_its_title_its_particulars_and_the_next_step() -> None:
    page = Page()
    add_problem(page, PROBLEM, indent="  ", target=Target(kind="server", alias="a", name="a"))
    view = page.view(filetype="f", title="")
    assert view.lines == ("  ! It is wrong.", "    here", "    and there", "    → Mend it.")
    assert view.items == tuple(Item(row=row, kind="server", alias="a", name="a") for row in range(4))


def test_a_problem_without_a_next_step_or_a_target_has_none() -> None:
    page = Page()
    add_problem(page, PROBLEM.model_copy(update={"hint": "", "detail": "here"}))
    view = page.view(filetype="f", title="")
    assert (view.lines, view.items) == (("! It is wrong.", "  here"), ())
