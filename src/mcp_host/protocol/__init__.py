"""The only floor that meets the MCP SDK: transports, negotiation, connections, listing and the border for errors."""
