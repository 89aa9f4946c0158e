"""Connections from launches: what is started, how often, and what a failure says."""

from __future__ import annotations

import json
import os
import sys
from dataclasses import dataclass
from pathlib import Path

import anyio
import pytest

from mcp_host.core.definitions.launch import HttpLaunch, OauthLaunch, StdioLaunch
from mcp_host.host.opening import opening
from mcp_host.problems import ProblemError
from mcp_host.protocol.client_side import ClientSide
from mcp_host.protocol.listing import list_everything
from tests.protocol.transports.support import living_members, none_left, server_log

pytestmark = pytest.mark.anyio

SERVERS = Path(__file__).parents[1] / "servers"


@dataclass(frozen=True)
class Started:
    """A launch of a server beside the tests, and what it told of itself."""

    folder: Path
    file: str
    args: tuple[str, ...] = ()

    @property
    def launch(self) -> StdioLaunch:
        env = {"PATH": os.environ["PATH"], "MCP_PIDS": str(self.folder / "pids"), "MCP_WIRE": str(self.folder / "wire")}
        return StdioLaunch(
            command=sys.executable,
            args=(str(SERVERS / self.file), *self.args),
            cwd=None,
            env=env,
            secrets=frozenset(),
        )

    @property
    def pids(self) -> list[int]:
        return [int(line) for line in (self.folder / "pids").read_text().split()]

    @property
    def methods(self) -> list[str]:
        return [json.loads(line)["method"] for line in (self.folder / "wire").read_text().splitlines()]


@pytest.mark.parametrize("way", ["exits", "closes", "answers"])
async def test_a_server_that_ends_on_discover_is_started_once_more_with_the_handshake(tmp_path: Path, way: str) -> None:
    server, log = Started(tmp_path, "first_word.py", (way,)), server_log(tmp_path)
    with anyio.fail_after(10):
        async with opening("shy", server.launch, log, ClientSide()) as connection:
            assert connection.identity.era == "legacy"
            catalog = await list_everything(connection, generation=1, timeout_seconds=5)
            first, second = server.pids
            assert not living_members(first)
    assert [tool.name for tool in catalog.tools] == ["echo"]
    assert server.methods == ["server/discover", "initialize", "notifications/initialized", "tools/list"]
    assert "started once more" in log.path.read_text()
    await none_left(second)


async def test_a_server_that_ends_whatever_comes_is_started_twice_and_its_second_end_is_shown(tmp_path: Path) -> None:
    server = Started(tmp_path, "first_word.py", ("always",))
    with anyio.fail_after(10), pytest.raises(ProblemError) as caught:
        async with opening("shy", server.launch, server_log(tmp_path), ClientSide()):
            pass
    problem = caught.value.problem
    assert (problem.type, problem.alias, len(server.pids)) == ("server-unavailable", "shy", 2)
    assert "process 2 leaves" in problem.detail


async def test_a_server_that_ends_after_the_handshake_is_not_started_again(tmp_path: Path) -> None:
    server = Started(tmp_path, "first_word.py", ("late",))
    with anyio.fail_after(10):
        async with opening("shy", server.launch, server_log(tmp_path), ClientSide()) as connection:
            started = len(server.pids)
            with pytest.raises(ProblemError):
                await list_everything(connection, generation=1, timeout_seconds=5)
            await connection.ended.wait()
    problem = connection.end_problem()
    assert problem is not None
    assert (problem.type, len(server.pids)) == ("server-unavailable", started)
    assert f"process {started} leaves" in problem.detail


async def test_a_command_that_cannot_be_started_is_tried_once(tmp_path: Path) -> None:
    launch = StdioLaunch(
        command=str(tmp_path / "nowhere"), args=(), cwd=None, env={"PATH": "/bin"}, secrets=frozenset()
    )
    with anyio.fail_after(5), pytest.raises(ProblemError) as caught:
        async with opening("gone", launch, server_log(tmp_path), ClientSide()):
            pass
    assert (caught.value.problem.type, caught.value.problem.alias) == ("server-unavailable", "gone")


async def test_giving_up_on_a_mute_server_leaves_no_process(tmp_path: Path) -> None:
    server = Started(tmp_path, "mute.py")
    with anyio.fail_after(10):
        async with anyio.create_task_group() as tasks:

            async def connect() -> None:
                async with opening("mute", server.launch, server_log(tmp_path), ClientSide()):
                    raise AssertionError("it never answers")

            tasks.start_soon(connect)
            while not (tmp_path / "pids").exists() or not server.pids:
                await anyio.lowlevel.checkpoint()
            tasks.cancel_scope.cancel()
        await none_left(server.pids[0])


async def test_a_sign_in_is_refused_before_anything_is_sent(tmp_path: Path) -> None:
    oauth = OauthLaunch(client_id=None, client_secret=None, client_metadata_url=None, scope=None)
    launch = HttpLaunch(url="http://127.0.0.1:9/mcp", headers={}, secrets=frozenset(), authorization=oauth)
    with pytest.raises(ProblemError) as caught:
        async with opening("old", launch, server_log(tmp_path), ClientSide()):
            pass
    assert (caught.value.problem.type, caught.value.problem.alias) == ("authorization-required", "old")
