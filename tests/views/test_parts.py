"""Parts stay within the caps of a buffer."""

from __future__ import annotations

from mcp_host.core.rendering.content import Part
from mcp_host.views.parts import Special, add_cut_notice, add_parts, overflow, shown_parts
from mcp_host.views.view import Page

BIG = (Part(kind="text", lines=("x",) * 30_000), Part(kind="text", label="user", lines=("y",) * 30_000))


def test_what_fits_does_not_overflow() -> None:
    assert overflow((Part(kind="text", lines=("a", "b")),)) is None
    assert shown_parts("a", ()).lines == ()


def test_what_does_not_fit_is_cut_over_all_parts_and_the_whole_is_there_to_save() -> None:
    shown = shown_parts("a", BIG)
    assert len(shown.lines) == 50_000
    assert shown.lines[30_000:30_002] == ("", "user")
    assert shown.special == {30_001: Special(group="McpKey")}
    assert shown.cut == "10,002 of 60,002 lines not shown (20.0 kB)"
    assert overflow(BIG) == "x\n" * 30_000 + "\nuser\n" + "y\n" * 30_000


def test_a_cut_is_said_at_the_top_with_the_file_and_again_at_the_end() -> None:
    page = Page()
    shown = shown_parts("a", BIG)
    add_cut_notice(page, shown.cut, "/state/full.txt")
    add_parts(page, shown, indent="  ")
    view = page.view(filetype="f", title="")
    assert view.lines[:3] == (
        "! too big to be shown in full: 10,002 of 60,002 lines not shown (20.0 kB)",
        "  the whole text: /state/full.txt",
        "  x",
    )
    assert view.lines[-1] == "  … 10,002 of 60,002 lines not shown (20.0 kB)"
    assert (view.items[0].kind, view.items[0].name) == ("path", "/state/full.txt")
