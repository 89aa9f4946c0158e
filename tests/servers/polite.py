"""A server that does everything right: it answers, and leaves when its input ends."""

from __future__ import annotations

import json
import os
import sys

from wire import ECHO, Json, echo, serve, text

TOOLS: list[Json] = [
    ECHO,
    {"name": "process", "description": "How this process was started", "inputSchema": {"type": "object"}},
]


def call(parameters: Json) -> Json:
    """Echo, or tell what the host gave this process."""
    if parameters["name"] != "process":
        return echo(parameters)
    seen = {"pid": os.getpid(), "arguments": sys.argv[1:], "directory": os.getcwd(), "environment": dict(os.environ)}
    return text(json.dumps(seen))


if __name__ == "__main__":
    serve(tools=TOOLS, call=call)
