"""A server that prints to standard output before the handshake and during a call, and speaks in very long lines.

Its instructions are 129 KiB long, its tool `echo` answers with a megabyte.
"""

from __future__ import annotations

from wire import Json, serve, text, write

BANNER = 'Server version : 1.0\n🖥️ mode STDIO\n\n12\n{}\n[1,2]\nnull\n"x"\n'.encode() + b"\xff\xfe\n"


def call(_: Json) -> Json:
    """Answer, not without a remark."""
    write(b"DEBUG in call\r\n")
    return text("y" * 1_000_000)


if __name__ == "__main__":
    write(BANNER)
    serve(call=call, initialize={"instructions": "i" * 129 * 1024})
