"""The tests, mirroring `src/mcp_host`; support that several of them share stands beside them."""
