"""Servers that were offered the workspace's folders are told when the editor goes to other ones."""

from __future__ import annotations

from pathlib import Path

import anyio
import pytest

from tests.host.support import open_desk
from tests.protocol.over_http import answers, initialized, methods, refuses, replies
from tests.protocol.transports.raw_http import RawHttpServer, Request, serving

pytestmark = pytest.mark.anyio

CHANGED = "notifications/roots/list_changed"


@pytest.mark.behaviour("roots.workspace-folder")
async def test_a_legacy_server_is_told_that_the_folders_changed(tmp_path: Path) -> None:
    told = anyio.Event()

    async def take(request: Request) -> None:
        await request.raw(b"HTTP/1.1 202 Accepted\r\ncontent-length: 0\r\n\r\n")
        told.set()

    server = RawHttpServer(
        handlers={
            "server/discover": refuses(-32601),
            "initialize": answers(initialized(tools={})),
            "tools/list": answers({"tools": []}),
            CHANGED: take,
            "GET": replies(405),
        }
    )
    (tmp_path / "there").mkdir()
    with anyio.fail_after(10):
        async with serving(server):
            definition = f'[servers.web]\nurl = "{server.url}"\n'
            async with open_desk(tmp_path, definition) as desk:
                await desk.ask("survey", alias="web")
                assert CHANGED not in methods(server)
                await desk.ask("workspace", cwd=str(tmp_path / "there"))
                await told.wait()
    [begun] = [request.message for request in server.seen if request.message.get("method") == "initialize"]
    assert begun["params"]["capabilities"]["roots"] == {"listChanged": True}
