"""An MCP host that lives in Neovim."""

__version__ = "0.1.0"
