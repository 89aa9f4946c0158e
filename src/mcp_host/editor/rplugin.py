"""The host as a classic remote plugin: the same peer, loaded by Neovim's own Python provider.

Commands live in `plugin/mcp_host.lua` alone, so nothing here needs a manifest (`:UpdateRemotePlugins`).
"""

from __future__ import annotations

from typing import Any

import pynvim

from mcp_host.editor.peer import NOTIFICATION, STOP_REQUEST, Peer


@pynvim.plugin
class McpHostPlugin:
    """What the remote plugin shim registers; a thin wrapper over `Peer`."""

    def __init__(self, nvim: pynvim.Nvim) -> None:
        self._peer = Peer(nvim)

    @pynvim.rpc_export(NOTIFICATION, sync=False)
    def notify(self, *args: Any) -> None:
        """One message from Lua."""
        self._peer.notified(NOTIFICATION, list(args))

    @pynvim.rpc_export(STOP_REQUEST, sync=True)
    def stop(self, *_: Any) -> bool:
        """The bounded stop at the editor's exit."""
        return self._peer.stop()
