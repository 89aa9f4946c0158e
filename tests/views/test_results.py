"""A result is shown whole, with its faults named first."""

from __future__ import annotations

from dataclasses import replace

from mcp_host.core.rendering.content import render_content, saved
from mcp_host.views.results import ResultFacts, result_view
from mcp_host.views.view import Item
from tests.views.samples import HOSTILE, assert_safe, text_of

BLOCKS: list[object] = [
    {"type": "text", "text": "one\n\ttwo"},
    {"type": "image", "data": "iVBORw0KGgo=", "mimeType": "image/png"},
    {"type": "audio", "data": "UklGRg=="},
    {"type": "resource", "resource": {"uri": "x://a", "text": "body"}},
    {"type": "resource", "resource": {"uri": "x://b", "blob": "AAEC", "mimeType": "application/pdf"}},
    {"type": "resource_link", "uri": "file://scratch/a.txt", "name": "a"},
    {"type": "hologram", "data": "?"},
]

RESULT = """\
✓ time.convert_time · read · 0.03 s
! output does not match the tool's outputSchema: $.id is missing
! part 7: unknown content type hologram, shown as it came

one
\ttwo

[image · image/png · 8 bytes] → /state/1.png
[audio · type not given · 4 bytes] (not saved)

x://a
body

x://b · application/pdf
[blob · application/pdf · 3 bytes] (not saved)
→ a · file://scratch/a.txt

! unknown content type hologram, shown as it came
{
  "type": "hologram",
  "data": "?"
}

structuredContent
{
  "nope": 1
}"""

FACTS = ResultFacts(alias="time", name="convert_time", effect="read", duration_seconds=0.0312)


def test_every_part_is_shown_in_order_below_the_faults() -> None:
    parts = list(render_content({"content": BLOCKS, "structuredContent": {"nope": 1}}))
    parts[1] = saved(parts[1], "/state/1.png")
    facts = replace(FACTS, faults=("output does not match the tool's outputSchema: $.id is missing",))
    view = result_view(facts=facts, parts=parts)
    assert text_of(view) == RESULT
    assert view.items == (
        Item(row=7, kind="path", alias="time", name="/state/1.png"),
        Item(row=10, kind="link", alias="time", name="x://a"),
        Item(row=13, kind="link", alias="time", name="x://b"),
        Item(row=15, kind="link", alias="time", name="file://scratch/a.txt"),
    )
    assert view.filetype == "mcp-result"


def test_the_header_says_how_it_ended() -> None:
    parts = render_content({"content": [{"type": "text", "text": "no"}]})
    failed = result_view(facts=replace(FACTS, outcome="failed", duration_seconds=0.001), parts=parts)
    assert failed.lines == ("✗ time.convert_time · read · under 0.01 s", "", "no")
    replayed = result_view(facts=replace(FACTS, effect="host", receipt="r-1", replayed=True), parts=parts)
    assert replayed.lines[0] == (
        "✓ time.convert_time · host · 0.03 s · receipt r-1 · replayed: the recorded result, nothing ran now"
    )
    unknown = result_view(facts=replace(FACTS, outcome="unknown", duration_seconds=120), parts=())
    assert unknown.lines == (
        "? time.convert_time · read · 120 s",
        "! sent, and no answer came: it may have run or not. It is not tried again by itself",
    )


def test_resources_and_prompts_have_their_own_header() -> None:
    resource = result_view(facts=ResultFacts(kind="resource", alias="a", name="x://a"), parts=())
    assert resource.lines == ("✓ a · resource x://a", "", "(empty)")
    prompt = {"messages": [{"role": "user", "content": {"type": "text", "text": "hi"}}]}
    assert result_view(facts=ResultFacts(kind="prompt", alias="a", name="p"), parts=render_content(prompt)).lines == (
        "✓ a · prompt p",
        "",
        "user",
        "hi",
    )


def test_a_hostile_result_is_text() -> None:
    content: list[object] = [
        {"type": "text", "text": HOSTILE},
        {"type": HOSTILE, HOSTILE: HOSTILE},
        {"type": "image", "data": "", "mimeType": HOSTILE},
        {"type": "resource_link", "uri": HOSTILE, "name": HOSTILE},
        {"type": "resource", "resource": {"uri": HOSTILE, "mimeType": HOSTILE, "text": HOSTILE}},
    ]
    parts = [saved(part, HOSTILE) for part in render_content({"content": content, "structuredContent": HOSTILE})]
    facts = ResultFacts(alias=HOSTILE, name=HOSTILE, receipt=HOSTILE, faults=(HOSTILE,), full_path=HOSTILE)
    assert_safe(result_view(facts=facts, parts=parts))
    assert_safe(result_view(facts=replace(facts, kind="prompt"), parts=parts))
