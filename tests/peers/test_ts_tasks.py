"""Tasks of an independent peer below the host, on both wires: several at once, and one that the peer does not know."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import anyio
import pytest

from mcp_host.core.catalog.entries import Tool, parse_tool
from mcp_host.core.interactions.requests import Asked
from mcp_host.core.offers import Offer
from mcp_host.protocol.client_side import ClientSide
from mcp_host.protocol.errors import RequestFailed
from mcp_host.protocol.tasks import drive_task
from tests.peers.connected import connected
from tests.peers.using import WIRES, Wire

pytestmark = [pytest.mark.servers, pytest.mark.anyio]

TASKS = 5


@pytest.mark.parametrize("wire", WIRES)
async def test_several_tasks_at_once_are_each_asked_and_answered_once(tmp_path: Path, wire: Wire) -> None:
    asked: list[Asked] = []

    async def respond(question: Asked) -> Mapping[str, Mapping[str, Any]]:
        asked.append(question)
        return {"name": {"action": "accept", "content": {"name": question.call}}}

    results: dict[str, str] = {}
    side = ClientSide(offer=Offer(), respond=respond)
    with anyio.fail_after(20):
        async with connected(tmp_path, "ts-tasks", wire, side) as connection:

            async def call(name: str) -> None:
                raw = await connection.call_tool(_tool("ask"), {}, timeout_seconds=5, call=name)
                results[name] = raw["content"][0]["text"]

            async with anyio.create_task_group() as tasks:
                for number in range(TASKS):
                    tasks.start_soon(call, f"c{number}")
            assert connection.tasks_running == {}
            seen = await connection.call_tool(_tool("seen"), {}, timeout_seconds=5)
    assert results == {f"c{number}": f"hi c{number}" for number in range(TASKS)}
    assert sorted(question.call or "" for question in asked) == sorted(results)
    requests = json.loads(seen["content"][0]["text"])
    updates = [request for request in requests if request[0] == "update"]
    assert [keys for _, _, keys in updates] == [["name"]] * TASKS
    polls = [request for request in requests if request[0] == "get"]
    assert all(is_named for _, is_named in polls) == (wire == "http")
    assert not [request for request in requests if request[0] == "cancel"]


@pytest.mark.parametrize("wire", WIRES)
async def test_a_task_that_the_peer_does_not_know_leaves_the_outcome_open(tmp_path: Path, wire: Wire) -> None:
    created = {"resultType": "task", "taskId": "never-there", "status": "working", "pollIntervalMs": 50}
    with anyio.fail_after(20):
        async with connected(tmp_path, "ts-tasks", wire, ClientSide(offer=Offer())) as connection:
            with pytest.raises(RequestFailed) as caught:
                await drive_task(connection, created, tool=_tool("slow"), timeout_seconds=5)
    assert (caught.value.sent, caught.value.answered) == (True, False)
    assert "Task not found" in caught.value.problem.detail


def _tool(name: str) -> Tool:
    return parse_tool({"name": name, "inputSchema": {"type": "object"}})
