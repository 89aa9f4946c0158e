"""One server's life: beginning, ending, being lost, and all of it at the same time."""

from __future__ import annotations

from collections.abc import Callable, Coroutine
from dataclasses import replace
from pathlib import Path
from typing import Any

import anyio
import pytest

from mcp_host.core.catalog.catalog import Era
from mcp_host.host.live_server import LiveServer
from mcp_host.host.opening import Launch
from mcp_host.problems import Problem, ProblemError
from tests.host.supervising import HTTP_LAUNCH, LAUNCH, Gate, bench_in, prepared, supervisor_with
from tests.host.support import ERAS, Events, problem_of

pytestmark = pytest.mark.anyio


async def _all(*asked: Callable[[], Coroutine[Any, Any, Any]]) -> list[Any]:
    """What each came to, a problem or a value, all asked at the same time."""
    found: list[Any] = [None] * len(asked)

    async def ask(position: int, one: Callable[[], Coroutine[Any, Any, Any]]) -> None:
        try:
            found[position] = await one()
        except ProblemError as error:
            found[position] = error.problem

    async with anyio.create_task_group() as tasks:
        for position, one in enumerate(asked):
            tasks.start_soon(ask, position, one)
    return found


@pytest.mark.parametrize("era", ERAS)
async def test_a_server_becomes_ready_with_its_catalog_and_off_when_it_is_stopped(tmp_path: Path, era: Era) -> None:
    with anyio.fail_after(5):
        async with bench_in(tmp_path, era) as bench:
            live = await bench.ready()
            assert (live.alias, live.identity, live.catalog.generation) == ("demo", "one", 1)
            assert bench.supervisor.live == live
            await bench.supervisor.stop()
            assert (bench.supervisor.live, bench.statuses()) == (None, ["starting", "ready", "stopping", "off"])
            changed = bench.events.of("McpCatalogChanged")
            assert changed == [{"alias": "demo", "generation": 1, "tools": ["grow"], "resources": [], "prompts": []}]


async def test_everybody_who_asks_at_once_gets_the_same_connection(tmp_path: Path) -> None:
    with anyio.fail_after(5):
        async with bench_in(tmp_path) as bench:
            first, second = await _all(bench.ready, bench.ready)
            assert first.connection is second.connection
            assert bench.gate.entered == 1


async def test_another_launch_closes_the_connection_before_it_opens_its_own(tmp_path: Path) -> None:
    with anyio.fail_after(5):
        async with bench_in(tmp_path) as bench:
            await bench.ready("one")
            live = await bench.ready("two")
            assert (live.identity, bench.gate.entered, bench.gate.left) == ("two", 2, 1)
            assert bench.statuses() == ["starting", "ready", "stopping", "off", "starting", "ready"]


async def test_two_who_find_an_edited_launch_at_once_get_one_new_connection(tmp_path: Path) -> None:
    with anyio.fail_after(5):
        async with bench_in(tmp_path) as bench:
            await bench.ready("one")
            first, second = await _all(lambda: bench.ready("two"), lambda: bench.ready("two"))
            assert first.connection is second.connection
            assert (bench.gate.entered, bench.gate.left) == (2, 1)


async def test_who_asks_while_it_is_being_stopped_gets_a_new_connection(tmp_path: Path) -> None:
    with anyio.fail_after(5):
        async with bench_in(tmp_path) as bench:
            await bench.ready()
            _, live = await _all(bench.supervisor.stop, bench.ready)
            assert isinstance(live, LiveServer)
            assert (bench.supervisor.status, bench.gate.entered) == ("ready", 2)


async def test_a_stop_while_it_is_connecting_is_told_to_who_waits(tmp_path: Path) -> None:
    with anyio.fail_after(5):
        async with bench_in(tmp_path, shut=True) as bench:
            waiting: list[Problem] = []

            async def wait() -> None:
                waiting.append(await problem_of(bench.ready))

            bench.tasks.start_soon(wait)
            await anyio.wait_all_tasks_blocked()
            await bench.supervisor.stop()
            await anyio.wait_all_tasks_blocked()
            assert [problem.type for problem in waiting] == ["cancelled"]
            assert (bench.supervisor.status, bench.gate.entered, bench.gate.left) == ("off", 1, 1)


@pytest.mark.parametrize("steps", range(30))
async def test_a_stop_at_any_moment_of_connecting_ends_in_off(tmp_path: Path, steps: int) -> None:
    with anyio.fail_after(5):
        async with bench_in(tmp_path) as bench:

            async def stop() -> None:
                for _ in range(steps):
                    await anyio.lowlevel.checkpoint()
                await bench.supervisor.stop()

            found, _ = await _all(bench.ready, stop)
            assert isinstance(found, LiveServer) or found.type == "cancelled"
            assert (bench.supervisor.status, bench.supervisor.live) == ("off", None)
            assert bench.gate.entered == bench.gate.left


async def test_a_stop_that_is_itself_cancelled_still_ends_in_off(tmp_path: Path) -> None:
    with anyio.fail_after(5):
        async with bench_in(tmp_path) as bench:
            await bench.ready()
            async with anyio.create_task_group() as tasks:
                tasks.start_soon(bench.supervisor.stop)
                await anyio.lowlevel.checkpoint()
                tasks.cancel_scope.cancel()
            await bench.ready()
            assert bench.supervisor.status == "ready"


async def test_a_fault_of_our_own_fails_one_server_and_says_nothing_of_the_value(tmp_path: Path) -> None:
    with anyio.fail_after(5):
        async with bench_in(tmp_path) as bench:
            bench.gate.fault = ZeroDivisionError("value-in-the-text")
            problem = await problem_of(bench.ready)
            assert (problem.type, bench.supervisor.status, bench.supervisor.problem) == ("internal", "failed", problem)
            assert "value-in-the-text" not in problem.model_dump_json()
            bench.gate.fault = None
            await bench.ready()


async def test_a_server_that_wants_an_authorization_says_so_in_its_status(tmp_path: Path) -> None:
    refusal = Problem(type="authorization-required", title="no", detail="no", hint="no", alias="demo")
    with anyio.fail_after(5):
        async with bench_in(tmp_path) as bench:
            bench.gate.fault = ProblemError(refusal)
            assert await problem_of(bench.ready) == refusal
            assert bench.supervisor.status == "needs_auth"


@pytest.mark.parametrize(
    ("launch", "words"), [(LAUNCH, "It wrote nothing to stderr."), (HTTP_LAUNCH, "Its address did not answer in time")]
)
async def test_a_connect_deadline_is_a_problem_that_fits_the_transport(
    tmp_path: Path, launch: Launch, words: str
) -> None:
    with anyio.fail_after(5):
        async with bench_in(tmp_path, shut=True) as bench:
            problem = await problem_of(lambda: bench.ready(more="connect_timeout_seconds = 0.05", launch=launch))
            assert (problem.type, problem.title) == ("server-unavailable", "demo did not connect within 0.05 s")
            assert problem.detail.startswith(words)
            assert (bench.supervisor.status, bench.gate.left) == ("failed", 1)


async def test_an_edited_policy_is_there_at_once_and_leaves_what_was_handed_out_before_as_it_was(
    tmp_path: Path,
) -> None:
    with anyio.fail_after(5):
        async with bench_in(tmp_path) as bench:
            before = await bench.ready()
            after = await bench.ready(more='read = ["grow"]')
            assert (before.defined.definition.read, after.defined.definition.read) == ((), ("grow",))
            assert (before.connection is after.connection, bench.gate.entered) == (True, 1)


async def test_a_changed_list_is_read_at_the_next_use_and_once_however_many_ask(tmp_path: Path) -> None:
    with anyio.fail_after(5):
        async with bench_in(tmp_path) as bench:
            before = await bench.ready()
            await _grow(before)
            first, second = await _all(bench.ready, bench.ready)
            names = [tool.name for tool in first.catalog.tools]
            assert (names, first.catalog.generation) == (["grow", "grown_1"], 2)
            assert second.catalog is first.catalog
            assert [tool.name for tool in before.catalog.tools] == ["grow"]
            assert [data["generation"] for data in bench.events.of("McpCatalogChanged")] == [1, 2]


async def test_a_list_that_was_said_to_change_and_did_not_keeps_its_generation(tmp_path: Path) -> None:
    with anyio.fail_after(5):
        async with bench_in(tmp_path) as bench:
            before = await bench.ready()
            before.connection.lists_stale = True
            after = await bench.ready()
            assert (after.catalog, before.connection.lists_stale) == (before.catalog, False)


async def test_lists_that_could_not_be_read_are_a_problem_and_are_read_at_the_next_use(tmp_path: Path) -> None:
    with anyio.fail_after(5):
        async with bench_in(tmp_path) as bench:
            live = await bench.ready()
            await _grow(live)
            problem = await problem_of(lambda: bench.ready(more="request_timeout_seconds = 1e-9"))
            assert (problem.type, bench.supervisor.status) == ("request-timed-out", "ready")
            after = await bench.ready()
            assert [tool.name for tool in after.catalog.tools] == ["grow", "grown_1"]


async def test_a_verb_that_is_cancelled_while_it_relists_leaves_the_lists_to_the_next(tmp_path: Path) -> None:
    with anyio.fail_after(5):
        async with bench_in(tmp_path) as bench:
            live = await bench.ready()
            await _grow(live)
            async with anyio.create_task_group() as tasks:
                tasks.start_soon(bench.ready)
                await anyio.lowlevel.checkpoint()
                await anyio.lowlevel.checkpoint()
                tasks.cancel_scope.cancel()
            after = await bench.ready()
            assert [tool.name for tool in after.catalog.tools] == ["grow", "grown_1"]


async def test_a_stop_while_it_relists_is_a_problem_of_the_verb_alone(tmp_path: Path) -> None:
    with anyio.fail_after(5):
        async with bench_in(tmp_path) as bench:
            await _grow(await bench.ready())
            found, _ = await _all(bench.ready, bench.supervisor.stop)
            assert isinstance(found, LiveServer | Problem)
            assert bench.supervisor.status == "off"
            assert [tool.name for tool in (await bench.ready()).catalog.tools] == ["grow", "grown_1"]


async def _grow(live: LiveServer) -> None:
    tool = live.catalog.tool("grow")
    assert tool is not None
    await live.connection.call_tool(tool, {}, timeout_seconds=5)
    while not live.connection.lists_stale:  # the notification may come after the answer
        await anyio.lowlevel.checkpoint()


async def test_only_so_many_connect_at_once_and_those_that_are_connected_wait_for_nobody(tmp_path: Path) -> None:
    with anyio.fail_after(5):
        async with bench_in(tmp_path) as bench:
            await bench.ready()
            slow = [Gate(memory=replace(bench.gate.memory)) for _ in range(3)]
            others = [
                supervisor_with(tmp_path, bench.tasks, gate, Events(), clock=bench.clock, defining=bench.defining)
                for gate in slow
            ]
            for other in others:
                other._places = bench.supervisor._places  # pyright: ignore[reportPrivateUsage] (as the fleet does)
                bench.tasks.start_soon(other.ready, prepared("one"))
            await anyio.wait_all_tasks_blocked()
            assert [gate.entered for gate in slow] == [1, 1, 0]
            await bench.ready()
            slow[0].open.set()
            await anyio.wait_all_tasks_blocked()
            assert [gate.entered for gate in slow] == [1, 1, 1]
            bench.tasks.cancel_scope.cancel()
