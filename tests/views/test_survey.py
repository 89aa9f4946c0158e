"""The survey reads well and stays safe."""

from __future__ import annotations

import json

from mcp_host.core.catalog.catalog import Listed, ServerIdentity, build_catalog
from mcp_host.core.definitions.models import StdioDefinition
from mcp_host.views.survey import survey_document, survey_view
from mcp_host.views.view import Item
from tests.views.samples import CONVERT, DEFINITION, HOSTILE, NOW, RESET, assert_safe, text_of, time_catalog

SURVEY = """\
time · ready · modern 2026-07-28 · mcp-time 1.2.3
Clock and time zones.
! the tool list ended at a repeated cursor

Tools (2 of 3)
  get_current_time  read  Current time  {"timezone": string}
  convert_time      host  Convert a time between zones  {"source_timezone": string, "time": string, \
"target_timezone"?: string, "count"?: integer, "style"?: "short" | "long"}
  left out by the definition: reset

Resources (1)
  utc  The zone.  zone://utc  text/plain

Templates (1)
  zone  Any zone  zone://{name}

Prompts (1)
  plan  {"city", "day"?}

Dropped (1)
  ! tool broken has no inputSchema"""


def test_the_survey_is_a_line_a_thing_and_each_can_be_acted_on() -> None:
    view = survey_view(catalog=time_catalog(), definition=DEFINITION, status="ready")
    assert text_of(view) == SURVEY
    assert view.items == (
        Item(row=5, kind="tool", alias="time", name="get_current_time"),
        Item(row=6, kind="tool", alias="time", name="convert_time"),
        Item(row=10, kind="resource", alias="time", name="zone://utc"),
        Item(row=13, kind="template", alias="time", name="zone://{name}"),
        Item(row=16, kind="prompt", alias="time", name="plan"),
    )
    groups = {(mark.row, mark.start, mark.end): mark.group for mark in view.marks}
    assert groups[5, 2, 18] == "McpTool"
    assert groups[5, 20, 24] == "McpEffectRead"
    assert groups[6, 20, 24] == "McpEffectHost"
    assert groups[5, 40, 60] == "McpSignature"
    assert (view.filetype, view.title) == ("mcp-survey", "time · survey")


def test_a_bare_server_is_a_header_and_its_tools() -> None:
    catalog = build_catalog(
        "x", 1, ServerIdentity(era="legacy", revision="2025-06-18"), Listed(tools=(RESET, {**RESET, "name": "b" * 40}))
    )
    assert survey_view(catalog=catalog, definition=StdioDefinition(command="x"), status="ready").lines == (
        "x · ready · legacy 2025-06-18 · (no name)",
        f"reset, {'b' * 40}",
        "",
        "Tools (2)",
        "  reset  host    {}",
        f"  {'b' * 40}  host    {{}}",
    )


def test_a_server_that_is_away_says_that_this_is_what_it_offered() -> None:
    catalog = build_catalog("x", 1, ServerIdentity(era="legacy", revision="2025-06-18"), Listed(tools=(RESET,)))
    view = survey_view(catalog=catalog, definition=StdioDefinition(command="x"), status="waiting")
    assert view.lines[:2] == (
        "x · waiting · legacy 2025-06-18 · (no name)",
        "! it cannot be called now: this is what it offered before it was lost",
    )


def test_a_tool_that_only_the_definition_knows_is_a_problem() -> None:
    definition = StdioDefinition(command="x", tools=("gone",))
    lines = survey_view(catalog=time_catalog(RESET), definition=definition, status="ready").lines
    assert "Tools (0 of 1)" in lines
    assert "  ! gone is named in the definition's tools and not offered by the server" in lines


def test_a_misspelt_read_is_a_problem_and_not_a_silent_review() -> None:
    definition = StdioDefinition(command="x", read=("rest",))
    lines = survey_view(catalog=time_catalog(RESET), definition=definition, status="ready").lines
    assert "  ! rest is named in the definition's read and not offered by the server" in lines


def test_the_document_has_rows_for_tools_and_the_servers_own_objects_for_the_rest() -> None:
    document = survey_document(catalog=time_catalog(NOW, CONVERT, RESET, 7), definition=DEFINITION)
    assert {key: value for key, value in document.items() if key != "tools"} == {
        "orientation": "Clock and time zones.",
        "resources": [
            {"uri": "zone://utc", "name": "utc", "description": "The zone. All of it.", "mimeType": "text/plain"}
        ],
        "resourceTemplates": [{"uriTemplate": "zone://{name}", "name": "zone", "title": "Any zone"}],
        "prompts": [{"name": "plan", "arguments": [{"name": "city", "required": True}, {"name": "day"}]}],
        "dropped": [{"kind": "tool", "label": "#4", "reason": "is not an object"}],
        "warnings": ["the tool list ended at a repeated cursor"],
    }
    assert len(json.dumps(document["tools"])) > 100


def test_a_hostile_offer_stays_text() -> None:
    named = HOSTILE.replace("\ud800", "")
    tools = [
        {
            "name": name,
            "title": HOSTILE,
            "description": HOSTILE,
            "annotations": {"title": HOSTILE},
            "inputSchema": schema,
        }
        for name in (named, "a-b", "%#", "[x]\\", "q'\"")
        for schema in ({"properties": {HOSTILE: {"type": HOSTILE, "enum": [HOSTILE]}}, "required": [HOSTILE]},)
    ]
    entry = {"name": HOSTILE.replace("\ud800", ""), "title": HOSTILE, "description": HOSTILE, "mimeType": HOSTILE}
    catalog = build_catalog(
        "a",
        1,
        ServerIdentity(
            name=HOSTILE, version=HOSTILE, title=HOSTILE, description=HOSTILE, era="modern", revision=HOSTILE
        ),
        Listed(
            tools=(*tools, {"name": HOSTILE}, {"name": named, "inputSchema": {"x": HOSTILE}}),
            resources=({**entry, "uri": named},),
            templates=({**entry, "uriTemplate": named},),
            prompts=({**entry, "arguments": [{"name": HOSTILE}]},),
        ),
        warnings=(HOSTILE,),
    )
    definition = StdioDefinition(command="x")
    view = survey_view(catalog=catalog, definition=definition, status=HOSTILE)
    assert_safe(view)
    assert view.items[0].name == named
    json.dumps(survey_document(catalog=catalog, definition=definition), ensure_ascii=False).encode()


def test_ten_thousand_tools_with_long_descriptions_stay_a_line_each() -> None:
    tools = [
        {
            "name": f"tool_{number:05d}",
            "description": "d" * 2000,
            "inputSchema": {"type": "object", "properties": {"a": {"type": "string"}}},
        }
        for number in range(10_000)
    ]
    catalog = time_catalog(*tools)
    view = survey_view(catalog=catalog, definition=StdioDefinition(command="x"), status="ready")
    assert len(view.items) == 10_003
    assert view.lines[5].startswith("  tool_00000  host  dddd")
    assert sum(map(len, view.lines)) < 2_000_000
