"""The card says everything about one tool."""

from __future__ import annotations

import json

from mcp_host.core.catalog.entries import parse_tool
from mcp_host.core.definitions.models import StdioDefinition
from mcp_host.views.card import tool_document, tool_view
from mcp_host.views.view import Item
from tests.views.samples import CONVERT, DEFINITION, HOSTILE, NOW, RESET, assert_safe, text_of

CARD = """\
time · convert_time
Convert a time between zones

  Callable    time__convert_time
  Effect      host · each call is reviewed first: the definition's `read` does not name it
  Takes       {"source_timezone": string, "time": string, "target_timezone"?: string, "count"?: integer, \
"style"?: "short" | "long"}
  Returns     {"time": string}

Description
  Convert time between timezones.

  Args are IANA names.

Arguments (5)
  source_timezone  string  required
      Where the time is from.
      An IANA name.
  time             string  required
      24-hour format
      pattern ^[0-9:]+$
  target_timezone  string
      default "UTC"
  count            integer
      1..9
  style            string
      one of "short", "long"

Annotations (claimed by the server, not verified)
  readOnlyHint     true
  destructiveHint  false"""


def test_the_card_shows_description_arguments_effect_and_claims() -> None:
    view = tool_view(alias="time", tool=parse_tool(CONVERT), definition=DEFINITION)
    assert text_of(view) == CARD
    assert view.items[0] == Item(row=0, kind="tool", alias="time", name="convert_time")
    assert (view.filetype, view.title) == ("mcp-tool", "time · convert_time")


def test_the_effect_says_why() -> None:
    lines = tool_view(alias="time", tool=parse_tool(NOW), definition=DEFINITION).lines
    assert "  Effect      read · runs without review: the definition's `read` names it" in lines


def test_a_tool_about_which_nothing_is_said_is_a_short_card() -> None:
    assert tool_view(alias="time", tool=parse_tool(RESET), definition=DEFINITION).lines == (
        "time · reset",
        "",
        "  Callable    time__reset",
        "  Effect      host · each call is reviewed first: the definition's `read` does not name it",
        "  Takes       {}",
        "",
        "Arguments (none)",
    )


def test_the_document_is_the_servers_object_and_the_hosts_words() -> None:
    assert tool_document(alias="time", tool=parse_tool(CONVERT), definition=DEFINITION) == {
        "tool": CONVERT,
        "host": {
            "alias": "time",
            "tool": "convert_time",
            "callableName": "time__convert_time",
            "summary": "Convert a time between zones",
            "signature": '{"source_timezone": string, "time": string, "target_timezone"?: string, "count"?: integer, '
            '"style"?: "short" | "long"}',
            "outputSignature": '{"time": string}',
            "effect": "host",
        },
    }


def test_a_hostile_tool_is_shown_and_can_do_nothing() -> None:
    named = HOSTILE.replace("\ud800", "")
    schema = {
        "type": "object",
        "properties": {
            HOSTILE: {
                "type": "string",
                "description": HOSTILE,
                "enum": [HOSTILE],
                "default": HOSTILE,
                "pattern": HOSTILE,
                "format": HOSTILE,
                "examples": [HOSTILE],
                "const": HOSTILE,
            }
        },
    }
    tool = parse_tool(
        {
            "name": named,
            "title": HOSTILE,
            "description": HOSTILE * 20_000,
            "inputSchema": schema,
            "outputSchema": schema,
            "annotations": {HOSTILE: HOSTILE, "title": HOSTILE, "x": [HOSTILE]},
        }
    )
    definition = StdioDefinition(command="x")
    assert_safe(tool_view(alias="time", tool=tool, definition=definition))
    json.dumps(tool_document(alias="time", tool=tool, definition=definition), ensure_ascii=False).encode()
