"""A small MCP server to try everything with: `python -m mcp_host.demo`. Nothing else in the package imports it."""
