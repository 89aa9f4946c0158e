"""A server that repeats its environment's TOKEN wherever it speaks; with `unwelcoming` already in the handshake."""

from __future__ import annotations

import os
import sys

from wire import Json, Refusal, send, serve, text

TOKEN = os.environ.get("TOKEN", "")
TOOLS: list[Json] = [
    {"name": name, "description": f"Knows {TOKEN}", "inputSchema": {"type": "object"}}
    for name in ("refuse", "fault", "progress", "die")
]


def call(parameters: Json) -> Json:
    """Say the token in the way that the tool is named for."""
    if parameters["name"] == "refuse":
        raise Refusal(-32001, f"{TOKEN} is refused")
    if parameters["name"] == "progress":
        told = {"progressToken": parameters["_meta"]["progressToken"], "progress": 1, "message": TOKEN}
        send({"method": "notifications/progress", "params": told})
    if parameters["name"] == "die":
        sys.stderr.write(f"dying with {TOKEN}\n")
        sys.stderr.flush()
        os._exit(3)
    return text(f"{TOKEN} at fault", isError=parameters["name"] == "fault")


def unwelcome(_: Json) -> Json:
    """Refuse the handshake."""
    raise Refusal(-32001, f"{TOKEN} is not welcome")


if __name__ == "__main__":
    serve(
        {"initialize": unwelcome} if "unwelcoming" in sys.argv else {},
        tools=TOOLS,
        call=call,
        initialize={"instructions": f"Signed in as {TOKEN}"},
    )
