"""The classic remote-plugin entry: hands pynvim's loader the plugin class of the `editor` floor.

Not called `mcp_host`: a shim with the package's own name would shadow it.
"""

from mcp_host.editor.rplugin import McpHostPlugin

__all__ = ["McpHostPlugin"]
