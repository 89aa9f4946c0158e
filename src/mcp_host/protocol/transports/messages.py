"""Between bytes and JSON-RPC messages, for wires that carry one message a line.

The SDK drops a line that it cannot parse, and the call it answered waits for ever. Here an answer that cannot be read
becomes an error answer to its own call; only lines that answer nothing are junk.
"""

from __future__ import annotations

import json
import re
from typing import Any, Final, cast

import mcp_types
from mcp.shared.exceptions import MCPError
from pydantic_core import from_json

from mcp_host.protocol.transports.faults import WireFault, fault_data, trusted_error
from mcp_host.protocol.transports.surrogates import replace_lone_surrogates

_EDGE_BYTES: Final = 1024
"""How far from either end of a broken answer its id is looked for: serialisers write it first or last."""

_ID: Final = re.compile(rb'"id"\s*:\s*(-?\d{1,18}|"(?:[^"\\]|\\.){0,200}")')


def parse_line(line: bytes | bytearray) -> mcp_types.JSONRPCMessage | None:
    """The message in a line; an error answer where the line is an answer that cannot be read; None for junk."""
    message = _validated(line)
    if message is None and line.lstrip().startswith(b"{"):
        # Bad bytes and lone surrogates are the two faults that honest servers have: mended, the rest can be read.
        mended = replace_lone_surrogates(line.decode("utf-8", "replace").encode())
        message = _validated(mended) or _unreadable_answer(mended)
    return message


def encode_message(message: mcp_types.JSONRPCMessage) -> bytes:
    """The message as JSON text without an LF.

    Raises:
        MCPError: INVALID_PARAMS, with a `WireFault`: it holds text that is not Unicode. Nothing was sent.
    """
    try:
        return message.model_dump_json(by_alias=True, exclude_unset=True).encode()
    except ValueError as error:
        raise MCPError(
            code=mcp_types.INVALID_PARAMS,
            message="The message holds text that cannot be encoded as UTF-8.",
            data=fault_data(WireFault(fault="encode", sent=False)),
        ) from error


def _validated(line: bytes | bytearray) -> mcp_types.JSONRPCMessage | None:
    try:
        # In two steps: the adapter's own parsing holds four copies of a 50 MB line at once, this holds one.
        message = mcp_types.jsonrpc_message_adapter.validate_python(from_json(line), by_name=False)
    except ValueError:  # a ValidationError is one too
        return None
    if isinstance(message, mcp_types.JSONRPCError):
        message.error = trusted_error(message.error)
    return message


def _unreadable_answer(line: bytes) -> mcp_types.JSONRPCError | None:
    request_id = _answered_id(line)
    if request_id is None:
        return None
    return mcp_types.JSONRPCError(
        jsonrpc="2.0",
        id=request_id,
        error=mcp_types.ErrorData(
            code=mcp_types.PARSE_ERROR,
            message="The server's answer is not a valid JSON-RPC message.",
            data=fault_data(WireFault(fault="unreadable", sent=True)),
        ),
    )


def _answered_id(line: bytes) -> int | str | None:
    try:
        members = json.loads(line)
    except (ValueError, RecursionError):
        return _id_in_text(line)
    if not isinstance(members, dict) or "method" in members or not ({"jsonrpc", "result", "error"} & members.keys()):
        return None  # a structured log line may well have an id
    request_id = cast("dict[str, Any]", members).get("id")
    return request_id if isinstance(request_id, int | str) and not isinstance(request_id, bool) else None


def _id_in_text(line: bytes) -> int | str | None:
    """The id in a line that is no JSON, if the line looks like an answer. A wrong guess finds no waiting call."""
    head, tail = line[:_EDGE_BYTES], line[-_EDGE_BYTES:]
    if b'"jsonrpc"' not in head + tail or not (b'"result"' in line or b'"error"' in line):
        return None
    found = _ID.search(head) or _ID.search(tail)
    if found is None:
        return None
    try:
        return cast("int | str", json.loads(found.group(1)))
    except ValueError:
        return None
