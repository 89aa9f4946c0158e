"""A server's process: started exactly, named when it cannot be, and nothing of its group left behind."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
from pathlib import Path

import anyio
import pytest

from mcp_host.problems import ProblemError
from mcp_host.protocol.transports.process import ServerProcess, kill_all_groups, registered_groups
from mcp_host.protocol.transports.process_groups import spawning
from tests.protocol.transports.support import Launch, living_members, none_left, raw_server

pytestmark = pytest.mark.anyio


async def started(mode: str) -> tuple[ServerProcess, int | None]:
    """The server once it has said that it stands, and its child."""
    process = await ServerProcess.start(raw_server("process_server.py", mode), alias="raw")
    line = b""
    while not line.endswith(b"\n"):
        line += await process.stdout.receive()
    return process, json.loads(line)["params"]["child"]


@pytest.mark.parametrize("mode", ["polite", "stubborn", "parent", "abandoning", "chatty"])
async def test_a_stopped_server_leaves_no_process(mode: str) -> None:
    with anyio.fail_after(5):
        process, child = await started(mode)
        assert process.pid in registered_groups()
        assert living_members(process.pid) == {process.pid, child} - {None}
        with anyio.fail_after(2):
            await process.stop()
        await none_left(process.pid)
    assert process.pid not in registered_groups()
    assert process.exit_words is not None


async def test_a_child_that_outlives_a_leader_which_left_by_itself_is_killed() -> None:
    with anyio.fail_after(5):
        process, child = await started("abandoning")
        await process.stdin.send(b"leave\n")
        await process.wait_exited()
        assert living_members(process.pid) == {child}
        await process.stop()
        await none_left(process.pid)
    assert process.exit_words == "exited with code 3"


@pytest.mark.parametrize(("mode", "words"), [("polite", "exited with code 0"), ("stubborn", "killed by signal 9")])
async def test_the_end_is_told_in_words(mode: str, words: str) -> None:
    with anyio.fail_after(5):
        process, _ = await started(mode)
        assert process.exit_words is None
        await process.stop()
    assert process.exit_words == words


@pytest.mark.parametrize("mode", ["polite", "stubborn", "abandoning"])
async def test_where_ends_have_no_descriptor_a_thread_waits_for_them(
    monkeypatch: pytest.MonkeyPatch, mode: str
) -> None:
    def refuse(_pid: int) -> int:
        raise PermissionError

    monkeypatch.setattr(os, "pidfd_open", refuse, raising=False)
    with anyio.fail_after(5):
        process, _ = await started(mode)
        async with anyio.create_task_group() as tasks:
            for _ in range(3):
                tasks.start_soon(process.wait_exited)
            tasks.start_soon(process.stop)
        await none_left(process.pid)
    assert process.exit_words is not None


async def test_stopping_twice_at_once_is_stopping_once() -> None:
    with anyio.fail_after(5):
        process, _ = await started("stubborn")
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(process.stop)
            tasks.start_soon(process.stop)
        await process.stop()
        await none_left(process.pid)


async def test_a_cancelled_stop_still_stops() -> None:
    with anyio.fail_after(5):
        process, _ = await started("stubborn")
        with anyio.CancelScope() as scope:
            scope.cancel()
            await process.stop()
        await none_left(process.pid)


async def test_a_cancelled_start_leaves_a_process_only_where_its_caller_has_it() -> None:
    before = registered_groups()
    process = None
    with anyio.fail_after(5):
        with anyio.CancelScope() as scope:
            scope.cancel()
            process = await ServerProcess.start(raw_server("process_server.py", "stubborn"), alias="raw")
        assert process is not None
        assert registered_groups() - before == {process.pid}
        await process.stop()
        await none_left(process.pid)


async def test_every_group_can_be_killed_from_a_thread_without_a_loop() -> None:
    with anyio.fail_after(5):
        stubborn, _ = await started("stubborn")
        parent, _ = await started("parent")
        abandoning, _ = await started("abandoning")
        await abandoning.stdin.send(b"leave\n")
        await abandoning.wait_exited()
        await anyio.to_thread.run_sync(kill_all_groups)
        for process in (stubborn, parent, abandoning):
            await none_left(process.pid)
            await process.stop()
    assert not registered_groups()


def test_a_sweep_waits_for_a_start_in_progress_and_kills_what_it_started() -> None:
    reader, writer = os.pipe()
    bracket = spawning()
    launched = bracket.__enter__()
    pid = os.posix_spawn(
        "/bin/sh", ["sh", "-c", "read x"], {}, setsid=True, file_actions=[(os.POSIX_SPAWN_DUP2, reader, 0)]
    )
    launched.append(pid)
    sweep = threading.Thread(target=kill_all_groups)
    sweep.start()
    bracket.__exit__(None, None, None)
    _, status = os.waitpid(pid, 0)
    sweep.join()
    os.close(reader)
    os.close(writer)
    assert os.waitstatus_to_exitcode(status) == -9
    assert not registered_groups()


async def refused(launch: Launch) -> ProblemError:
    with pytest.raises(ProblemError) as refusal:
        await ServerProcess.start(launch, alias="clock")
    assert refusal.value.problem.type == "server-unavailable"
    assert refusal.value.problem.alias == "clock"
    assert "clock" in refusal.value.problem.title
    return refusal.value


async def test_a_command_that_is_on_no_path_names_the_path_of_the_launch() -> None:
    refusal = await refused(Launch(command="no-such-server", env={"PATH": "/opt/a:/opt/b"}))
    assert "'no-such-server' was not found" in refusal.problem.detail
    assert "/opt/a:/opt/b" in refusal.problem.detail


async def test_the_path_of_the_launch_is_the_one_searched(tmp_path: Path) -> None:
    program = tmp_path / "only-here"
    program.write_text("#!/bin/sh\nexit 5\n")
    program.chmod(0o755)
    process = await ServerProcess.start(Launch(command="only-here", env={"PATH": str(tmp_path)}), alias="raw")
    with anyio.fail_after(5):
        await process.wait_exited()
        await process.stop()
    assert process.exit_words == "exited with code 5"


@pytest.mark.parametrize("path", ["", ".", ":", "::", "/opt/none:", ":/opt/none", ".:/opt/none", "bin", "./bin:bin"])
async def test_a_command_is_never_looked_up_in_the_editors_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, path: str
) -> None:
    (tmp_path / "bin").mkdir()
    for program in (tmp_path / "my-server", tmp_path / "bin" / "my-server"):
        program.write_text("#!/bin/sh\nexit 5\n")
        program.chmod(0o755)
    monkeypatch.chdir(tmp_path)
    for cwd in (None, str(tmp_path)):
        refusal = await refused(Launch(command="my-server", cwd=cwd, env={"PATH": path}))
        assert "'my-server' was not found" in refusal.problem.detail
        searched = "/opt/none" if "/opt/none" in path else "nothing"
        assert refusal.problem.detail.endswith(f": {searched}")
        assert ("left out" in refusal.problem.detail) == (path != "")


async def test_a_command_that_is_a_relative_path_is_not_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "run").write_text("#!/bin/sh\nexit 5\n")
    (tmp_path / "run").chmod(0o755)
    monkeypatch.chdir(tmp_path)
    assert "relative path" in (await refused(Launch(command="./run"))).problem.detail


async def test_without_a_path_the_systems_own_is_searched(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "sh").write_text("#!/bin/sh\nexit 5\n")
    (tmp_path / "sh").chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path))
    process = await ServerProcess.start(Launch(command="sh", args=("-c", "exit 3"), env={}), alias="raw")
    with anyio.fail_after(5):
        await process.wait_exited()
        await process.stop()
    assert process.exit_words == "exited with code 3"


async def test_a_missing_folder_is_told_apart_from_a_missing_command(tmp_path: Path) -> None:
    refusal = await refused(Launch(cwd=str(tmp_path / "gone")))
    assert "gone" in refusal.problem.detail
    assert "cwd" in refusal.problem.detail
    file = tmp_path / "file"
    file.touch()
    assert "cwd" in (await refused(Launch(cwd=str(file)))).problem.detail


async def test_a_file_that_may_not_be_executed_says_so(tmp_path: Path) -> None:
    file = tmp_path / "server"
    file.write_text("#!/bin/sh\n")
    refusal = await refused(Launch(command=str(file)))
    assert "may not be executed" in refusal.problem.detail
    assert "does not exist" in (await refused(Launch(command=str(file) + "x"))).problem.detail


async def test_a_missing_interpreter_is_not_called_a_missing_command(tmp_path: Path) -> None:
    file = tmp_path / "server"
    file.write_text("#!/no/such/interpreter\n")
    file.chmod(0o755)
    assert "interpreter" in (await refused(Launch(command=str(file)))).problem.detail


async def test_a_character_that_no_process_can_be_given_is_refused_without_showing_it() -> None:
    refusal = await refused(Launch(args=("s3cret\0",)))
    assert "s3cret" not in str(refusal.problem)


async def test_nothing_but_the_launch_reaches_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "x")
    script = "import os, sys; sys.stdout.write(' '.join(os.environ))"
    launch = Launch(args=("-I", "-S", "-c", script), env={"PATH": "/bin", "EMPTY": ""})
    process = await ServerProcess.start(launch, alias="raw")
    with anyio.fail_after(5):
        await process.wait_exited()
        printed = await process.stdout.receive()
        await process.stop()
    assert {"EMPTY", "PATH"} <= set(printed.decode().split()) <= {"EMPTY", "PATH", "LC_CTYPE"}


def test_servers_can_be_started_before_the_sdk_is_imported() -> None:
    script = (
        "import sys, mcp_host.protocol.transports.process, mcp_host.protocol.transports.server_log; "
        "import mcp_host.protocol.transports.lines; sys.exit('mcp' in sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", script], check=False).returncode == 0
