"""What the views are drawn from in these tests: a small server like `mcp-server-time`, and texts that mean harm."""

from __future__ import annotations

from mcp_host.core.catalog.catalog import Catalog, Listed, ServerIdentity, build_catalog
from mcp_host.core.definitions.models import StdioDefinition
from mcp_host.views.view import View

HOSTILE = "two\nlines\r\x00nul\x1b[2J\x1b]52;c;cHduZWQ=\x07\x9b6n\u2028ls\u202e\u200b\ud800 %{luaeval('1')} `|qa!`"

IDENTITY = ServerIdentity(
    name="mcp-time", version="1.2.3", description="Clock and time zones.", era="modern", revision="2026-07-28"
)

CONVERT: dict[str, object] = {
    "name": "convert_time",
    "description": "Convert time between timezones.\n\nArgs are IANA names.",
    "inputSchema": {
        "type": "object",
        "properties": {
            "source_timezone": {"type": "string", "description": "Where the time is from.\nAn IANA name."},
            "time": {"type": "string", "pattern": "^[0-9:]+$", "description": "24-hour format"},
            "target_timezone": {"type": "string", "default": "UTC"},
            "count": {"type": "integer", "minimum": 1, "maximum": 9},
            "style": {"enum": ["short", "long"]},
        },
        "required": ["source_timezone", "time"],
    },
    "outputSchema": {"type": "object", "properties": {"time": {"type": "string"}}, "required": ["time"]},
    "annotations": {"readOnlyHint": True, "destructiveHint": False},
}

NOW: dict[str, object] = {
    "name": "get_current_time",
    "title": "Current time",
    "inputSchema": {"type": "object", "properties": {"timezone": {"type": "string"}}, "required": ["timezone"]},
}

RESET: dict[str, object] = {"name": "reset", "inputSchema": {"type": "object"}}

DEFINITION = StdioDefinition(
    command="mcp-server-time",
    args=("--local-timezone", "${TZ:-UTC}", "two words"),
    cwd="${HOME}/work",
    env={"TOKEN": "${TIME_TOKEN}"},
    tools=("get_current_time", "convert_time"),
    read=("get_current_time",),
    tool_summaries={"convert_time": "Convert a time between zones"},
)


def time_catalog(*tools: object, identity: ServerIdentity = IDENTITY) -> Catalog:
    """The catalog of the sample server, with these tools instead of its own when there are any."""
    listed = Listed(
        tools=tools or (NOW, CONVERT, RESET, {"name": "broken"}),
        resources=(
            {"uri": "zone://utc", "name": "utc", "description": "The zone. All of it.", "mimeType": "text/plain"},
        ),
        templates=({"uriTemplate": "zone://{name}", "name": "zone", "title": "Any zone"},),
        prompts=({"name": "plan", "arguments": [{"name": "city", "required": True}, {"name": "day"}]},),
    )
    return build_catalog("time", 1, identity, listed, warnings=("the tool list ended at a repeated cursor",))


def text_of(view: View) -> str:
    """The lines of a view as one text, to compare with what a person should see."""
    return "\n".join(view.lines)


def assert_safe(view: View) -> None:
    """Every string of the view can be encoded and none can do anything to a terminal; marks stay on their lines."""
    for line in (*view.lines, view.title, view.filetype):
        assert line.replace("\t", "").replace("\ufe0f", "").isprintable(), ascii(line)
        line.encode()
    for mark in view.marks:
        assert 0 <= mark.start < mark.end <= len(view.lines[mark.row].encode())
    for item in view.items:
        assert 0 <= item.row < len(view.lines)
        f"{item.kind}{item.alias}{item.name}".encode()
    assert len({item.row for item in view.items}) == len(view.items)
