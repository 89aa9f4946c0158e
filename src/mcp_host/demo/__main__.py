"""`python -m mcp_host.demo`: the demo on stdio, or with `--http PORT` as Streamable HTTP on this machine only.

Standard output carries the protocol and nothing else; what is for people goes to standard error.
"""

from __future__ import annotations

import argparse
import socket
import sys
from collections.abc import Sequence

import anyio
from mcp.server.mcpserver import MCPServer

from mcp_host.demo.server import build_server

LOOPBACK = "127.0.0.1"


def main(arguments: Sequence[str] | None = None) -> None:
    """Serve until standard input ends (stdio) or the process is interrupted (HTTP)."""
    parser = argparse.ArgumentParser(prog="python -m mcp_host.demo", description="A small server to try a host with.")
    help_text = f"serve http://{LOOPBACK}:PORT/mcp instead of stdio; 0 takes a free port and says which"
    parser.add_argument("--http", type=int, metavar="PORT", help=help_text)
    port: int | None = parser.parse_args(arguments).http
    server = build_server()
    try:
        if port is None:
            anyio.run(server.run_stdio_async)
        else:
            anyio.run(_serve_http, server, port)
    except KeyboardInterrupt:
        sys.exit(130)


async def _serve_http(server: MCPServer, port: int) -> None:
    import uvicorn

    with socket.create_server((LOOPBACK, port)) as listener:
        sys.stderr.write(f"listening on http://{LOOPBACK}:{listener.getsockname()[1]}/mcp\n")
        # uvicorn's access log would go to standard output.
        configuration = uvicorn.Config(server.streamable_http_app(), log_level="warning", access_log=False)
        await uvicorn.Server(configuration).serve(sockets=[listener])


if __name__ == "__main__":
    main()
