"""A page keeps every line safe and every mark on its line."""

from __future__ import annotations

from mcp_host.views.view import Item, Mark, Page, Target, View, column, column_width
from tests.views.samples import HOSTILE, assert_safe


def test_a_page_becomes_lines_marks_and_items() -> None:
    page = Page()
    page.heading("Tools")
    page.line("  ", ("é", "McpTool"), " ", ("read", "McpEffectRead"), target=Target(kind="tool", alias="a", name="é"))
    assert page.view(filetype="mcp-survey", title="a") == View(
        lines=("Tools", "  é read"),
        marks=(
            Mark(row=0, start=0, end=5, group="McpTitle"),
            Mark(row=1, start=2, end=4, group="McpTool"),
            Mark(row=1, start=5, end=9, group="McpEffectRead"),
        ),
        items=(Item(row=1, kind="tool", alias="a", name="é"),),
        filetype="mcp-survey",
        title="a",
    )


def test_a_message_has_everything_but_the_lines() -> None:
    page = Page()
    page.line(("x", "McpOk"), target=Target(kind="server", alias="a", name="a\ud800"))
    assert page.view(filetype="mcp-servers", title="t\n").to_message() == {
        "marks": [[0, 0, 1, "McpOk"]],
        "items": [{"row": 0, "kind": "server", "alias": "a", "name": "a\ufffd"}],
        "filetype": "mcp-servers",
        "title": "t ⏎",
        "line_count": 1,
    }


def test_a_mark_ends_with_its_line() -> None:
    page = Page()
    page.line(("name   ", "McpTool"), ("  ", "McpMuted"), "")
    assert page.view(filetype="f", title="").marks == (Mark(row=0, start=0, end=4, group="McpTool"),)


def test_gaps_do_not_double_and_do_not_end_a_page() -> None:
    page = Page()
    page.blank()
    page.line("a")
    page.blank()
    page.blank()
    page.text("b")
    page.heading("c")
    page.blank()
    assert page.view(filetype="f", title="").lines == ("a", "", "b", "", "c")


def test_text_keeps_tabs_and_blanks_and_stands_behind_its_indent() -> None:
    page = Page()
    page.text("a\n\n\tb  ", indent="  ", group="McpMuted", target=Target(kind="path", alias="", name="/p"))
    view = page.view(filetype="f", title="")
    assert view.lines == ("  a", "", "  \tb  ")
    assert view.marks == (
        Mark(row=0, start=2, end=3, group="McpMuted"),
        Mark(row=2, start=2, end=6, group="McpMuted"),
    )
    assert view.items == (Item(row=0, kind="path", alias="", name="/p"),)


def test_no_door_of_a_page_lets_hostile_text_through() -> None:
    page = Page()
    target = Target(kind="tool", alias=HOSTILE, name=HOSTILE)
    page.line(HOSTILE, (HOSTILE, "McpTool"), target=target)
    page.heading(HOSTILE, HOSTILE)
    page.field(HOSTILE, (HOSTILE, "McpTool"))
    page.text(HOSTILE, group="McpMuted", target=target)
    page.block([HOSTILE, HOSTILE], indent="│ ", group="McpMuted")
    page.problem(HOSTILE)
    page.line(*column(HOSTILE, "McpTool", 3))
    page.line(("é" * 1_000_000, "McpTool"))
    view = page.view(filetype="f", title=HOSTILE)
    assert_safe(view)
    assert max(len(line.encode()) for line in view.lines) <= 65_536


def test_a_long_text_sticks_out_of_its_column_and_does_not_widen_it() -> None:
    assert column_width(["ab", "世界", "x" * 50], 10) == 4
    assert column("世", "McpTool", 4) == (("世", "McpTool"), "    ")
    assert column("toolong", "McpTool", 4) == (("toolong", "McpTool"), "  ")


def test_a_text_wider_than_its_column_keeps_its_distance_to_the_next_one() -> None:
    page = Page()
    page.line(*column("a-very-long-name", "McpTool", 4), "host")
    assert page.view(filetype="mcp-survey", title="").lines == ("a-very-long-name  host",)
