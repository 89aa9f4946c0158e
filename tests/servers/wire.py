"""What the small servers beside this file share: a legacy MCP server on stdio, written with the standard library only.

Each server is a script of its own (`python tests/servers/polite.py`); this file is found beside it. Two environment
variables let a test look on: every process id is appended to the file `MCP_PIDS`, one a line, and every message that
arrives to the file `MCP_WIRE`, one JSON text a line.
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable
from typing import Any

Json = dict[str, Any]

REVISION = "2025-06-18"
NO_SUCH_METHOD = -32601
ECHO: Json = {
    "name": "echo",
    "description": "Return the arguments as JSON",
    "inputSchema": {"type": "object", "properties": {"text": {"type": "string"}}},
}


class LastAnswer(Exception):
    """Raised by a handler to answer with `result` and then end the server at once."""

    def __init__(self, result: Json) -> None:
        super().__init__("last answer")
        self.result = result


class Refusal(Exception):
    """Raised by a handler to answer with a JSON-RPC error."""

    def __init__(self, code: int, message: str) -> None:
        super().__init__(message)
        self.error: Json = {"code": code, "message": message}


def text(words: str, **members: object) -> Json:
    """A tool's result with one text block."""
    return {"content": [{"type": "text", "text": words}], **members}


def echo(parameters: Json) -> Json:
    """The answer of the `echo` tool, and of any tool a server has nothing better for."""
    return text(json.dumps(parameters.get("arguments") or {}, ensure_ascii=False))


def write(data: bytes) -> None:
    """Put bytes on standard output as they are."""
    sys.stdout.buffer.write(data)
    sys.stdout.buffer.flush()


def send(message: Json) -> None:
    """Send one message."""
    write(json.dumps({"jsonrpc": "2.0", **message}).encode() + b"\n")


def note_process(process_id: int) -> None:
    """Let the test know of a process that it may have to look for later."""
    _append("MCP_PIDS", str(process_id))


def serve(
    handlers: dict[str, Callable[[Json], Json]] | None = None,
    *,
    tools: list[Json] | None = None,
    call: Callable[[Json], Json] = echo,
    initialize: Json | None = None,
) -> None:
    """Answer until standard input ends.

    `handlers` are by method, from a request's params to its result, and go before the ones made from `tools` and
    `call`. `initialize` is laid over the members of the usual answer to that request.
    """
    note_process(os.getpid())
    known: dict[str, Callable[[Json], Json]] = {
        "initialize": lambda parameters: _initialized(parameters, initialize or {}),
        "tools/list": lambda _: {"tools": [ECHO] if tools is None else tools},
        "tools/call": call,
        "ping": lambda _: {},
        **(handlers or {}),
    }
    for line in sys.stdin.buffer:
        _append("MCP_WIRE", line.decode(errors="replace").strip())
        message: Json = json.loads(line)
        if "id" in message and "method" in message:
            _answer(message, known.get(message["method"]))


def _answer(message: Json, handler: Callable[[Json], Json] | None) -> None:
    if handler is None:
        send({"id": message["id"], "error": {"code": NO_SUCH_METHOD, "message": "Method not found"}})
        return
    try:
        send({"id": message["id"], "result": handler(message.get("params") or {})})
    except Refusal as refusal:
        send({"id": message["id"], "error": refusal.error})
    except LastAnswer as last:
        send({"id": message["id"], "result": last.result})
        sys.exit(0)


def _initialized(parameters: Json, members: Json) -> Json:
    name = os.path.splitext(os.path.basename(sys.argv[0]))[0]
    return {
        "protocolVersion": parameters.get("protocolVersion", REVISION),
        "capabilities": {"tools": {}},
        "serverInfo": {"name": name, "version": "1.0.0"},
        **members,
    }


def _append(variable: str, line: str) -> None:
    if path := os.environ.get(variable):
        with open(path, "a", encoding="utf-8") as file:
            file.write(line + "\n")
