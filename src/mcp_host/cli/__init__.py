"""The `mcp-host` console script."""
