"""A server that dies while a call is under way. Its other tool, `echo`, works."""

from __future__ import annotations

import os
import signal
import sys

from wire import ECHO, Json, echo, serve, write

TOOLS: list[Json] = [
    ECHO,
    {
        "name": "crash",
        "description": "End the server before the answer",
        "inputSchema": {
            "type": "object",
            "properties": {"how": {"enum": ["killed", "exit", "half"], "default": "killed"}},
        },
    },
]


def call(parameters: Json) -> Json:
    """Echo, or end: by a signal, with exit status 3 and a last word on stderr, or in the middle of the answer."""
    if parameters["name"] != "crash":
        return echo(parameters)
    arguments: Json = parameters.get("arguments") or {}
    how = arguments.get("how", "killed")
    if how == "killed":
        os.kill(os.getpid(), signal.SIGKILL)
    if how == "half":
        write(b'{"jsonrpc": "2.0", "id": 1, "result": {"content": [{"type": "te')
    sys.stderr.write("crash_in_call: out of paper\n")
    sys.stderr.flush()
    os._exit(3)


if __name__ == "__main__":
    serve(tools=TOOLS, call=call)
