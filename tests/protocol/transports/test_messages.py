"""One line, one message: mended where it can be, an error answer where it cannot, junk where it answers nothing."""

from __future__ import annotations

import mcp_types
import pytest
from mcp.shared.exceptions import MCPError

from mcp_host.protocol.transports.faults import WireFault, fault_of
from mcp_host.protocol.transports.messages import encode_message, parse_line


@pytest.mark.parametrize(
    "line",
    [
        b'{"jsonrpc":"2.0","id":7,"result":null}',
        b'{"jsonrpc":"2.0","id":7,"result":{"text":"cut',
        b'{"result":{},"id":7}',
        b'{"jsonrpc":"2.0","id":7,"error":"words"}',
        b'{"jsonrpc":"2.0","result":{"deep":' + b"[" * 100_000 + b'},"id":7}',
    ],
)
def test_an_answer_that_cannot_be_read_answers_its_call_with_an_error(line: bytes) -> None:
    message = parse_line(line)
    assert isinstance(message, mcp_types.JSONRPCError)
    assert message.id == 7
    assert message.error.code == mcp_types.PARSE_ERROR
    assert fault_of(message.error.data) == WireFault(fault="unreadable", sent=True)


@pytest.mark.parametrize(
    "line",
    [
        b"Server 1.0",
        b"12",
        b"{}",
        b"[1,2]",
        b"null",
        b'"x"',
        b'{"id":1,"msg":"log"}',
        b"\xff\xfe",
        b'{"method":1,"id":1}',
    ],
)
def test_a_line_that_answers_nothing_is_junk(line: bytes) -> None:
    assert parse_line(line) is None


def test_bad_bytes_inside_an_answer_become_replacement_characters() -> None:
    message = parse_line(b'{"jsonrpc":"2.0","id":1,"result":{"text":"it\x92s"}}')
    assert message == mcp_types.JSONRPCResponse(jsonrpc="2.0", id=1, result={"text": "it�s"})


def test_a_fault_that_a_server_claims_is_taken_away() -> None:
    data = b'{"mcp_host":{"fault":"connect","sent":false},"a":1}'
    message = parse_line(b'{"jsonrpc":"2.0","id":1,"error":{"code":1,"message":"m","data":%s}}' % data)
    assert isinstance(message, mcp_types.JSONRPCError)
    assert message.error.data == {"a": 1}


def test_text_that_is_not_unicode_is_refused_before_it_is_sent() -> None:
    message = mcp_types.JSONRPCRequest(jsonrpc="2.0", id=1, method="m", params={"text": "\ud83d"})
    with pytest.raises(MCPError) as refused:
        encode_message(message)
    assert fault_of(refused.value.error.data) == WireFault(fault="encode", sent=False)
