"""A server that cannot bear an unknown first message, in the way that its argument names.

`exits` and `closes` (its output, and stays) when the first message is not `initialize`; `answers` it with an error and
exits then. `always` exits whatever comes first; `late` also answers everything after the handshake but a list:
it exits there. On stderr each says which process of this server it is: the first, the second.
"""

from __future__ import annotations

import os
import signal
import sys

from wire import Json, note_process, send, serve


def leave() -> None:
    """End with a last word."""
    sys.stderr.write(f"first_word: process {started()} leaves\n")
    sys.stderr.flush()
    os._exit(4)


def started() -> int:
    """How many processes of this server were started so far, this one included."""
    with open(os.environ["MCP_PIDS"], encoding="utf-8") as pids:
        return len(pids.readlines())


def discover(_: Json) -> Json:
    """The unknown first message."""
    if sys.argv[1] == "closes":
        os.close(1)
        signal.pause()
    if sys.argv[1] == "answers":
        send({"id": 1, "error": {"code": -32600, "message": "expected initialize"}})
    leave()
    return {}


def end(_: Json) -> Json:
    """No answer."""
    leave()
    return {}


if __name__ == "__main__":
    if sys.argv[1] == "always":
        note_process(os.getpid())
        sys.stdin.readline()
        leave()
    late = {"tools/list": end} if sys.argv[1] == "late" else {}
    serve({"server/discover": discover, **late})
