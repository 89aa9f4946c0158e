"""A server that answers no call before all have come and one of them was cancelled; then all the others at once.

`slow_calls.py ERA COUNT` waits for COUNT calls. The calls of `give_up` are to be cancelled: they get a progress message
when everything has come. The calls of `fail` are refused. Every message goes to the file `MCP_CAPTURE`, one JSON
text a line, with the seconds of the system's monotonic clock.
"""

from __future__ import annotations

import json
import os
import sys
import time

from wire import NO_SUCH_METHOD, REVISION, Json, text, write

MODERN = "2026-07-28"
TOOLS: list[Json] = [{"name": name, "inputSchema": {"type": "object"}} for name in ("wait", "give_up", "fail")]
SERVER: Json = {"name": "slow_calls", "version": "1.0.0"}


class SlowCalls:
    """The calls that wait, in the order in which they came."""

    def __init__(self, era: str, count: int) -> None:
        self._era = era
        self._count = count
        self._waiting: dict[object, Json] = {}
        self._capture = open(os.environ["MCP_CAPTURE"], "a", encoding="utf-8")  # noqa: SIM115 (open as long as the process)

    def serve(self) -> None:
        """Until standard input ends."""
        for line in sys.stdin.buffer:
            message: Json = json.loads(line)
            self._note("to server", message)
            self._hear(message)

    def _hear(self, message: Json) -> None:
        method = message.get("method")
        if method == "tools/call":
            self._waiting[message["id"]] = message["params"]
            if len(self._waiting) == self._count:
                self._tell_those_who_give_up()
        elif method == "notifications/cancelled":
            del self._waiting[message["params"]["requestId"]]
            self._answer_the_others()
        elif "id" in message:
            self._answer(message["id"], method, message.get("params") or {})

    def _tell_those_who_give_up(self) -> None:
        for params in self._waiting.values():
            if params["name"] == "give_up":
                told = {"progressToken": params["_meta"]["progressToken"], "progress": 1}
                self._send({"method": "notifications/progress", "params": told})

    def _answer_the_others(self) -> None:
        for request_id, params in reversed(self._waiting.items()):
            if params["name"] == "fail":
                self._send({"id": request_id, "error": {"code": -32603, "message": "out of paper"}})
            else:
                self._send({"id": request_id, "result": self._result(text(str(params["arguments"]["number"])))})

    def _answer(self, request_id: object, method: object, params: Json) -> None:
        known: dict[object, Json] = {
            "tools/list": self._result({"tools": TOOLS}),
            "server/discover": self._result({"supportedVersions": [MODERN], "capabilities": {"tools": {}}}),
            "initialize": {
                "protocolVersion": params.get("protocolVersion", REVISION),
                "capabilities": {"tools": {}},
                "serverInfo": SERVER,
            },
        }
        if method not in known or (method == "server/discover" and self._era == "legacy"):
            self._send({"id": request_id, "error": {"code": NO_SUCH_METHOD, "message": "Method not found"}})
        else:
            self._send({"id": request_id, "result": known[method]})

    def _result(self, members: Json) -> Json:
        return members if self._era == "legacy" else {"resultType": "complete", **members}

    def _send(self, message: Json) -> None:
        write(json.dumps({"jsonrpc": "2.0", **message}).encode() + b"\n")
        self._note("from server", message)

    def _note(self, direction: str, message: Json) -> None:
        params: Json = message.get("params") or {}
        request_id = message.get("id", params.get("requestId"))
        line = {"at": time.monotonic(), "direction": direction, "method": message.get("method"), "id": request_id}
        self._capture.write(json.dumps(line) + "\n")
        self._capture.flush()


if __name__ == "__main__":
    SlowCalls(sys.argv[1], int(sys.argv[2])).serve()
