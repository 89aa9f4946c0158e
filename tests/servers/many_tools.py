"""A server with many tools, in pages of 100. Its argument is how many (10,000 when absent)."""

from __future__ import annotations

import sys

from wire import Json, serve

PAGE = 100
DESCRIPTION = "One of very many. " + "It is described at length, as such tools are. " * 40


def tool(number: int) -> Json:
    """The tool of this number; each has the same shape."""
    schema = {
        "type": "object",
        "properties": {"path": {"type": "string"}, "depth": {"type": "integer", "default": 1}},
        "required": ["path"],
    }
    return {"name": f"tool_{number:05d}", "description": DESCRIPTION, "inputSchema": schema}


def page_of(count: int, parameters: Json) -> Json:
    """The page that starts at the cursor."""
    start = int(parameters.get("cursor") or 0)
    end = min(start + PAGE, count)
    return {
        "tools": [tool(number) for number in range(start, end)],
        **({"nextCursor": str(end)} if end < count else {}),
    }


if __name__ == "__main__":
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 10_000
    serve({"tools/list": lambda parameters: page_of(count, parameters)})
