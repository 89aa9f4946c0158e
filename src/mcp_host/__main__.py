"""`python -m mcp_host`: the peer that Neovim starts with `jobstart(…, {rpc = true})`."""

from __future__ import annotations

from mcp_host.editor.peer import main

if __name__ == "__main__":
    main()
