"""The session's ends of an HTTP wire: a server that asks and asks is read no further while our answers wait."""

from __future__ import annotations

import anyio
import mcp_types
import pytest
from mcp.shared.message import SessionMessage

from mcp_host.protocol.transports.streams import CheckingWriter, TrustingReader, UnreadAnswers
from tests.protocol.transports.support import request

pytestmark = pytest.mark.anyio


def answer(number: int) -> SessionMessage:
    return SessionMessage(mcp_types.JSONRPCResponse(jsonrpc="2.0", id=number, result={}))


async def test_nothing_is_read_while_too_many_answers_wait_and_requests_of_ours_do_not_count() -> None:
    unread = UnreadAnswers(limit=3)
    to_session, from_server = anyio.create_memory_object_stream[SessionMessage | Exception](100)
    to_server, from_session = anyio.create_memory_object_stream[SessionMessage](0)
    reader, writer = TrustingReader(from_server, unread), CheckingWriter(to_server, unread)
    heard: list[object] = []

    async def hear() -> None:
        async for item in reader:
            heard.append(item)

    with anyio.fail_after(5), to_session, from_server, to_server, from_session:
        async with anyio.create_task_group() as tasks:
            for number in range(5):
                tasks.start_soon(writer.send, request(number, "ours"))
            for number in range(3):
                tasks.start_soon(writer.send, answer(number))
            await anyio.wait_all_tasks_blocked()
            await to_session.send(request(1, "theirs"))
            tasks.start_soon(hear)
            await anyio.wait_all_tasks_blocked()
            assert heard == []
            for _ in range(6):
                await from_session.receive()
            await anyio.wait_all_tasks_blocked()
            assert len(heard) == 1
            tasks.cancel_scope.cancel()
