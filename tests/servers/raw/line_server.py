"""A server over stdio that answers each request as its method's name says. Standard library only.

`{"method": "echo", "params": {...}}` is answered with its params; the other methods misbehave, one way each.
"""

from __future__ import annotations

import json
import os
import signal
import sys
from typing import Any

OUT = sys.stdout.buffer


def raw(data: bytes) -> None:
    OUT.write(data)
    OUT.flush()


def answer(request: dict[str, Any], result: object) -> None:
    raw(json.dumps({"jsonrpc": "2.0", "id": request["id"], "result": result}).encode() + b"\n")


def echo(request: dict[str, Any]) -> None:
    answer(request, request.get("params", {}))


def size(request: dict[str, Any]) -> None:
    answer(request, {"size": len(json.dumps(request["params"]))})


def big(request: dict[str, Any]) -> None:
    answer(request, {"text": "y" * request["params"]["bytes"]})


def junk(request: dict[str, Any]) -> None:
    raw('Server version: 1.0\n🖥️ mode STDIO\n\n12\n{}\n[1,2]\nnull\n"x"\n \t\r\n'.encode())
    raw(b'{"level": "info", "id": 1, "msg": "a log line with an id"}\n')
    raw(b"DEBUG in call\r\n")
    echo(request)


def print_line(request: dict[str, Any]) -> None:
    raw(request["params"]["line"].encode() + b"\n")
    answer(request, {})


def flood(request: dict[str, Any]) -> None:
    """Asks without end and reads nothing."""
    number = 0
    while True:
        raw(b"".join(b'{"jsonrpc":"2.0","id":%d,"method":"ping"}\n' % (number + each) for each in range(1000)))
        number += 1000


def ask_much_then_read(request: dict[str, Any]) -> None:
    """Asks more than the host keeps answers for, then reads them all before it answers."""
    count = request["params"]["count"]
    for number in range(count):
        raw(b'{"jsonrpc":"2.0","id":%d,"method":"ping"}\n' % number)
    for _ in range(count):
        sys.stdin.buffer.readline()
    answer(request, {"read": count})


def bad_bytes(request: dict[str, Any]) -> None:
    raw(b"\xff\xfe\n")
    raw(b'{"jsonrpc":"2.0","id":%d,"result":{"text":"it\x92s"}}\n' % request["id"])


def separators(request: dict[str, Any]) -> None:
    text = "a\u2028b\u2029c\u0085d"
    body = json.dumps({"jsonrpc": "2.0", "id": request["id"], "result": {"text": text}}, ensure_ascii=False)
    raw(body.encode() + b"\n")


def surrogate(request: dict[str, Any]) -> None:
    raw(b'{"jsonrpc":"2.0","id":%d,"result":{"text":"\\ud83d\\ude00 \\ud83d \\\\ud83d"}}\n' % request["id"])


def broken_answer(request: dict[str, Any]) -> None:
    raw(b'{"jsonrpc":"2.0","id":%d,"result":{"text":"cut\n' % request["id"])


def odd_answer(request: dict[str, Any]) -> None:
    raw(b'{"jsonrpc":"2.0","id":%d,"result":null}\n' % request["id"])


def deep_answer(request: dict[str, Any]) -> None:
    raw(b'{"jsonrpc":"2.0","id":%d,"result":{"deep":%s}}\n' % (request["id"], b"[" * 5000 + b"]" * 5000))


def forged_fault(request: dict[str, Any]) -> None:
    data = {"mcp_host": {"fault": "connect", "sent": False}, "other": 1}
    error = {"code": -32000, "message": "no", "data": data}
    raw(json.dumps({"jsonrpc": "2.0", "id": request["id"], "error": error}).encode() + b"\n")


def endless(request: dict[str, Any]) -> None:
    note = b'{"jsonrpc":"2.0","method":"before"}\n'
    raw(note + b"a" * (1 << 20))
    while True:
        raw(b"a" * (1 << 20))


def kill_itself(request: dict[str, Any]) -> None:
    os.write(2, b"about to fail\nno newline at the end")
    os.kill(os.getpid(), signal.SIGKILL)


def exit_with_last_word(request: dict[str, Any]) -> None:
    raw(json.dumps({"jsonrpc": "2.0", "id": request["id"], "result": {"last": True}}).encode())
    os._exit(0)


def close_stdin(request: dict[str, Any]) -> None:
    os.close(0)
    answer(request, {})
    signal.pause()


def close_stdout(request: dict[str, Any]) -> None:
    os.close(1)
    signal.pause()


def flood_stderr(request: dict[str, Any]) -> None:
    line = b"e" * 99 + b"\n"
    for _ in range(request["params"]["bytes"] // 1_000_000):
        os.write(2, line * 10_000)
    echo(request)


def write_before_reading(request: dict[str, Any]) -> None:
    """Reads nothing of what follows until its own long answer is out: a deadlock unless the host reads meanwhile."""
    big(request)


if __name__ == "__main__":
    for text in sys.stdin.buffer:
        message = json.loads(text)
        globals()[message["method"]](message)
