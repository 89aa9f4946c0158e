"""Telling a server's own errors from those that stand in for an answer (over the wire in `test_errors.py`)."""

from __future__ import annotations

import pytest
from mcp.shared.exceptions import MCPError

from mcp_host.protocol.stand_ins import ends_connection, is_own_answer
from mcp_host.protocol.transports.faults import WireFault, fault_data


def refused(code: int, message: str, status: int, *, in_session: bool = True) -> MCPError:
    fault = WireFault(fault="refused-by-http", sent=True, status=status, in_session=in_session)
    return MCPError(code=code, message=message, data=fault_data(fault))


@pytest.mark.parametrize(
    ("error", "own", "ends"),
    [
        (MCPError(code=-32602, message="no city"), True, False),
        (MCPError(code=-32000, message="out of paper"), True, False),
        (MCPError(code=-32001, message="Your login has expired"), True, False),
        (MCPError(code=-32600, message="not now"), True, False),
        (MCPError(code=-32700, message="I cannot read this"), True, False),
        (MCPError(code=-32022, message="upgraded"), True, True),
        # Words of the SDK, whoever says them: nobody knows what came of the request.
        (MCPError(code=-32000, message="Connection closed"), False, True),
        (MCPError(code=-32001, message="Request 'tools/call' timed out"), False, False),
        (MCPError(code=-32600, message="Unexpected content type: text/html"), False, False),
        (MCPError(code=-32700, message="Failed to parse JSON response: 1 validation error"), False, False),
        (refused(-32602, "no city", 400), True, False),
        (refused(-32602, "no browser session", 400), True, False),
        (refused(-32601, "HTTP 404 Not Found", 404), False, True),
        (refused(-32600, "Session terminated", 404), False, True),
        (refused(-32600, "Session not found", 404), True, True),
        (refused(-32600, "Bad Request: Missing session ID", 400), True, True),
        (refused(-32000, "Bad Request: Server not initialized", 400), True, True),
        (refused(-32001, "Session not found", 410), True, True),
        (refused(-32001, "Session not found", 503), True, True),
        (refused(-32601, "HTTP 404 Not Found", 404, in_session=False), False, False),
        (refused(-32001, "Session not found", 404, in_session=False), True, False),
        (refused(-32022, "upgraded", 400, in_session=False), True, True),
        (refused(-32603, "HTTP 400 Bad Request", 400), False, False),
        (refused(-32603, "HTTP 503 Busy", 503), False, False),
        (refused(-32603, "no session", 500), True, False),
        (refused(-32001, "Request timed out", 504), False, False),
    ],
)
def test_each_error_is_told_apart(error: MCPError, own: bool, ends: bool) -> None:
    assert (is_own_answer(error), ends_connection(error)) == (own, ends)
