"""A server that never answers its tool `never`; `seen` tells every message that has arrived. With `modern` it is one.

It says a log message when a call of `never` has arrived.
"""

from __future__ import annotations

import json
import os
import sys

from wire import Json, note_process, send, text

TOOLS: list[Json] = [{"name": name, "inputSchema": {"type": "object"}} for name in ("never", "seen")]


def answered(message: Json, seen: list[Json]) -> Json | None:
    """The result of a request; None where there is none."""
    method = message["method"]
    if method == "server/discover" and "modern" in sys.argv:
        return {"supportedVersions": ["2026-07-28"], "capabilities": {"tools": {}}}
    if method == "initialize":
        return {
            "protocolVersion": message["params"]["protocolVersion"],
            "capabilities": {"tools": {}},
            "serverInfo": {"name": "unanswering", "version": "1"},
        }
    if method == "tools/list":
        return {"tools": TOOLS}
    if method == "tools/call" and message["params"]["name"] == "seen":
        return text(json.dumps(seen))
    return None


if __name__ == "__main__":
    note_process(os.getpid())
    arrived: list[Json] = []
    for line in sys.stdin.buffer:
        received: Json = json.loads(line)
        arrived.append(received)
        if "id" not in received:
            continue
        result = answered(received, arrived)
        if result is not None:
            send({"id": received["id"], "result": result})
        elif received["method"] == "tools/call":
            send({"method": "notifications/message", "params": {"level": "info", "data": "it has arrived"}})
        else:
            send({"id": received["id"], "error": {"code": -32601, "message": "Method not found"}})
