"""A server whose lists are wrong, in the way that its argument names.

`malformed`: good tools with bad ones between them, and the same for resources, templates and prompts.
`repeated-cursor`: every page of tools names the same next page. `endless-cursor`: every page names a new one.
"""

from __future__ import annotations

import sys
from functools import partial

from wire import ECHO, Json, serve

GOOD: Json = {"name": "good", "description": "Nothing is wrong with this one", "inputSchema": {"type": "object"}}

MALFORMED: dict[str, Json] = {
    "tools/list": {
        "tools": [
            ECHO,
            {"name": "schema_is_text", "inputSchema": "object"},
            {"name": "required_is_text", "inputSchema": {"type": "object", "required": "text"}},
            {"description": "no name", "inputSchema": {"type": "object"}},
            {"name": "no_schema"},
            "not even an object",
            GOOD,
        ]
    },
    "resources/list": {
        "resources": [{"uri": "case://good", "name": "good"}, {"name": "no uri"}, {"uri": 7, "name": "number"}]
    },
    "resources/templates/list": {
        "resourceTemplates": [{"uriTemplate": "case://{id}", "name": "good"}, {"name": "no template"}]
    },
    "prompts/list": {
        "prompts": [{"name": "good"}, {"description": "no name"}, {"name": "arguments_are_text", "arguments": "a, b"}]
    },
}

MALFORMED_CAPABILITIES: Json = {"capabilities": {"tools": {}, "resources": {}, "prompts": {}}}


def malformed(method: str, _: Json) -> Json:
    """The list with bad entries."""
    return MALFORMED[method]


def repeated_cursor(_: Json) -> Json:
    """One tool, and the same next page for ever."""
    return {"tools": [ECHO], "nextCursor": "8"}


def endless_cursor(parameters: Json) -> Json:
    """One tool a page, and always one more page."""
    page = int(parameters.get("cursor") or 0)
    return {"tools": [{**GOOD, "name": f"good_{page}"}], "nextCursor": str(page + 1)}


if __name__ == "__main__":
    match sys.argv[1]:
        case "malformed":
            serve({method: partial(malformed, method) for method in MALFORMED}, initialize=MALFORMED_CAPABILITIES)
        case "repeated-cursor":
            serve({"tools/list": repeated_cursor})
        case "endless-cursor":
            serve({"tools/list": endless_cursor})
        case unknown:
            sys.exit(f"bad_entries.py: unknown way {unknown}")
