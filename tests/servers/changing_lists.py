"""A server whose list of tools grows. Its tool `add` adds one more and says so, as often as it is told to.

With `unasked`, it says so without having declared that it would. With `meanwhile`, the first list that is read after an
`add` grows once more while it is being answered: what is answered is old already.
"""

from __future__ import annotations

import sys

from wire import Json, send, serve, text

LATE: list[Json] = []
ADD: Json = {
    "name": "add",
    "description": "Add a tool and announce it",
    "inputSchema": {"type": "object", "properties": {"times": {"type": "integer", "minimum": 0}}},
}


def grow() -> None:
    """One more tool is there."""
    LATE.append({"name": f"late_{len(LATE) + 1}", "inputSchema": {"type": "object"}})


def announce(times: int = 1) -> None:
    """The list changed, so many times over."""
    for _ in range(times):
        send({"method": "notifications/tools/list_changed"})


def listed(_: Json) -> Json:
    """The list as it is, or was a moment ago."""
    answer = {"tools": [ADD, *LATE]}
    if "meanwhile" in sys.argv and len(LATE) == 1:
        grow()
        announce()
    return answer


def call(parameters: Json) -> Json:
    """Add a tool."""
    grow()
    announce(parameters.get("arguments", {}).get("times", 1))
    return text("added")


if __name__ == "__main__":
    declared: Json = {} if "unasked" in sys.argv else {"listChanged": True}
    serve({"tools/list": listed}, call=call, initialize={"capabilities": {"tools": declared}})
