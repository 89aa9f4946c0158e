"""One line for a server or a tool, and where a first sentence ends."""

from __future__ import annotations

import pytest

from mcp_host.core.catalog.catalog import Catalog, Listed, ServerIdentity, build_catalog
from mcp_host.core.catalog.entries import Tool, parse_tool
from mcp_host.core.catalog.summaries import SENTENCE_LIMIT, cut_at_word, first_sentence, one_liner, orientation


def tool(**more: object) -> Tool:
    return parse_tool({"name": "get_it", "inputSchema": {"type": "object"}, **more})


def server(*tools: str, description: str | None = None, title: str | None = None, told: str | None = None) -> Catalog:
    identity = ServerIdentity(
        name="n", era="legacy", revision="2025-11-25", description=description, title=title, instructions=told
    )
    listed = Listed(tools=tuple({"name": name, "inputSchema": {}} for name in tools))
    return build_catalog("alias", 1, identity, listed)


def test_a_tool_is_told_by_the_nearest_words_there_are() -> None:
    full = {"title": "Title", "annotations": {"title": "Annotated"}, "description": "Gets it. Really."}
    assert one_liner(tool(**full), "Authored\n words") == "Authored words"
    assert one_liner(tool(**full)) == "Title"
    assert one_liner(tool(**full), " ") == "Title"
    assert one_liner(tool(**{**full, "title": None})) == "Annotated"
    assert one_liner(tool(description="Gets it. Really.")) == "Gets it."
    assert one_liner(tool()) == "get_it"


def test_a_title_that_only_repeats_the_name_gives_way_to_the_description() -> None:
    assert one_liner(tool(title="get_it", description="Gets it.")) == "Gets it."
    assert one_liner(tool(title="get_it")) == "get_it"


def test_a_server_is_told_by_the_nearest_words_there_are() -> None:
    full = server("a", "b", description="What it\nis. All of it.", title="Title", told="First. Second.")
    assert orientation(full, "Authored") == "Authored"
    assert orientation(full) == "What it is. All of it."
    assert orientation(server("a", title="Title", told="First. Second.")) == "Title"
    assert orientation(server("a", told="First. Second.")) == "First."
    assert orientation(server("a", "b")) == "a, b"
    assert orientation(server()) == "n"


def test_many_tool_names_are_cut_between_names() -> None:
    line = orientation(server(*(f"tool_{i}" for i in range(10_000))))
    assert line.endswith("…")
    assert line.removesuffix("…").split(", ")[-1].startswith("tool_")
    assert len(line) <= 240


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("Gets it. Then more.", "Gets it."),
        ("Gets it", "Gets it"),
        ("Takes e.g. this one. Then that.", "Takes e.g. this one."),
        ("Takes (i.e. One) of it. Then that.", "Takes (i.e. One) of it."),
        ("Compares A vs. B. Done.", "Compares A vs. B. Done."),
        ("Of the U.S. Navy. Ok.", "Of the U.S. Navy."),
        ("So am I. Yes.", "So am I."),
        ("Waits... then goes. End.", "Waits... then goes."),
        ("Runs v1.2 of node.js now! Yes.", "Runs v1.2 of node.js now!"),
        ('Says "yes." Then goes.', 'Says "yes."'),
        ("これは文です。次の文。", "これは文です。"),
        ("One line\nof a paragraph.\n\nAnother.", "One line of a paragraph."),
        ("No full stop\n\nAnother.", "No full stop"),
        ("Gets it\nArgs:\n    x: the x. Yes.", "Gets it"),
        ("\n\n   Indented.\n", "Indented."),
        ("# Heading\n\nThe body. More.", "The body."),
        ("# Heading #", "Heading"),
        ("- first\n- second", "first"),
        ("1. first\n2. second", "first"),
        ("> quoted. More", "quoted."),
        ("```\ncode\n```", "code"),
        ("---\nAfter a rule.", "After a rule."),
        ("Uses:\n- a\n- b", "Uses:"),
        ("", ""),
        (" \n\t\u2028 ", ""),
    ],
)
def test_a_first_sentence_ends_here(text: str, sentence: str) -> None:
    assert first_sentence(text) == sentence


def test_a_long_sentence_is_cut_between_words() -> None:
    line = first_sentence("word " * 100)
    assert line == "word " * 23 + "word…"
    assert len(line) <= SENTENCE_LIMIT


def test_a_text_without_spaces_is_cut_at_the_limit() -> None:
    assert first_sentence("x" * 1_000_000) == "x" * (SENTENCE_LIMIT - 1) + "…"


def test_a_text_that_fits_is_not_cut() -> None:
    assert cut_at_word("exactly", 7) == "exactly"
    assert cut_at_word("exactly!", 7) == "exactl…"
