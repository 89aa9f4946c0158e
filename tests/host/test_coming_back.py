"""A server that was lost comes back by itself: when, how often, and what is offered and said meanwhile."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import anyio
import pytest

from mcp_host.core.catalog.catalog import Era
from mcp_host.problems import Problem, ProblemError
from tests.host.supervising import HTTP_LAUNCH, Bench, bench_in, prepared
from tests.host.support import ERAS, problem_of

pytestmark = pytest.mark.anyio

AWAY = ProblemError(
    Problem(type="server-unavailable", title="demo exited", detail="It is away.", hint="-", alias="demo")
)


def last(bench: Bench) -> dict[str, Any]:
    return dict(bench.events.of("McpServerStatus")[-1])


@pytest.mark.parametrize("era", ERAS)
async def test_a_lost_server_comes_back_after_the_initial_delay_and_nobody_is_told_of_the_same_lists(
    tmp_path: Path, era: Era
) -> None:
    with anyio.fail_after(5):
        async with bench_in(tmp_path, era) as bench:
            first = await bench.ready()
            await bench.lose(first)
            assert (bench.supervisor.live, bench.supervisor.keeper.published) == (None, first.catalog)
            assert last(bench) == {
                "alias": "demo",
                "status": "waiting",
                "problem": "demo ended",
                "attempt": 1,
                "retryInSeconds": 0.5,
            }
            await bench.clock.go(0.49)
            assert bench.gate.entered == 1
            await bench.clock.go(0.01)
            second = bench.supervisor.live
            assert second is not None
            assert second.connection is not first.connection
            assert second.catalog.generation == first.catalog.generation
            assert bench.statuses() == ["starting", "ready", "waiting", "starting", "ready"]
            assert (bench.supervisor.problem, len(bench.events.of("McpCatalogChanged"))) == (None, 1)


async def test_other_lists_after_a_loss_are_told(tmp_path: Path) -> None:
    with anyio.fail_after(5):
        async with bench_in(tmp_path) as bench:
            await bench.lose(await bench.ready())
            bench.server.add_tool(lambda: "new", name="new")
            await bench.clock.go(0.5)
            assert [data["tools"] for data in bench.events.of("McpCatalogChanged")] == [["grow"], ["grow", "new"]]


async def test_who_needs_it_waits_for_an_attempt_that_is_near(tmp_path: Path) -> None:
    with anyio.fail_after(5):
        async with bench_in(tmp_path) as bench:
            await bench.lose(await bench.ready())
            found = bench.use()
            await anyio.wait_all_tasks_blocked()
            assert (found, bench.gate.entered) == ([], 1)
            await bench.clock.go(0.5)
            assert found == [bench.supervisor.live]


async def test_delays_grow_and_who_needs_it_is_told_when_the_next_attempt_is(tmp_path: Path) -> None:
    with anyio.fail_after(5):
        async with bench_in(tmp_path) as bench:
            await bench.lose(await bench.ready())
            bench.gate.fault = AWAY
            for delay in (0.5, 1, 2):
                await bench.clock.go(delay)
            assert last(bench) | {"attempt": 4, "retryInSeconds": 4.0} == last(bench)
            await bench.clock.go(1)
            problem = await problem_of(bench.ready)
            assert (problem.type, problem.retryable) == ("server-unavailable", True)
            assert problem.title == "demo is not connected; the next try is in 3 s"
            assert problem.detail == "demo exited: It is away."
            assert bench.gate.entered == 4


async def test_who_asks_for_the_connection_itself_never_waits(tmp_path: Path) -> None:
    with anyio.fail_after(5):
        async with bench_in(tmp_path) as bench:
            await bench.lose(await bench.ready())
            bench.gate.fault = AWAY
            for delay in (0.5, 1, 2):
                await bench.clock.go(delay)
            assert (await problem_of(lambda: bench.ready(asked_for=True))).title == "demo exited"
            bench.gate.fault = None
            assert await bench.ready(asked_for=True) == bench.supervisor.live


async def test_a_server_that_comes_up_and_ends_each_time_is_no_storm(tmp_path: Path) -> None:
    with anyio.fail_after(20):
        async with bench_in(tmp_path) as bench:
            starts: list[float] = []
            await bench.ready()
            began = bench.clock.time
            while bench.clock.time < began + 600:
                assert bench.supervisor.live is not None
                starts.append(bench.clock.time - began)
                await bench.lose(bench.supervisor.live)
                assert bench.supervisor.retry is not None
                _, seconds = bench.supervisor.retry
                if seconds > 2:  # nobody who needs it brings an attempt forward
                    await bench.clock.go(1)
                    await problem_of(bench.ready)
                    seconds -= 1
                await bench.clock.go(seconds)
            assert sum(start < 60 for start in starts) == 6
            assert [round(start / 60) for start in starts[6:]] == [1, 2, 3, 4, 5, 6, 7, 8, 9]


async def test_after_the_budget_nothing_is_offered_and_it_is_tried_once_a_minute_and_at_the_next_use(
    tmp_path: Path,
) -> None:
    budget = "reconnect = { max_attempts = 2 }"
    with anyio.fail_after(5):
        async with bench_in(tmp_path) as bench:
            await bench.lose(await bench.ready(more=budget))
            bench.gate.fault = AWAY
            await bench.clock.go(0.5)
            assert bench.supervisor.keeper.published is not None
            await bench.clock.go(1)
            assert bench.supervisor.keeper.published is None
            assert last(bench) | {"status": "failed", "attempt": 3, "retryInSeconds": 60.0} == last(bench)
            assert bench.events.of("McpCatalogChanged")[-1]["tools"] == []
            assert (await problem_of(lambda: bench.ready(more=budget))).title == "demo exited"
            await bench.clock.go(59)
            assert bench.gate.entered == 4
            bench.gate.fault = None
            await bench.clock.go(1)
            assert bench.supervisor.live is not None
            assert bench.events.of("McpCatalogChanged")[-1]["tools"] == ["grow"]
            log = (tmp_path / "demo.log").read_text()
            assert "attempt 2 of 2 to get it back in 1.0 s" in log
            assert "given up after 2 attempts; tried again in 60 s, and at the next use" in log


async def test_a_connection_that_outlives_the_longest_delay_begins_anew(tmp_path: Path) -> None:
    with anyio.fail_after(5):
        async with bench_in(tmp_path) as bench:
            await bench.ready()
            for _ in range(3):
                assert bench.supervisor.live is not None
                await bench.lose(bench.supervisor.live)
                await bench.clock.go(10)
            assert last(bench)["status"] == "ready"
            await bench.clock.go(30)
            assert bench.supervisor.live is not None
            await bench.lose(bench.supervisor.live)
            assert last(bench) | {"attempt": 1, "retryInSeconds": 0.5} == last(bench)


async def test_where_reconnecting_is_not_enabled_it_comes_back_at_the_next_use_alone(tmp_path: Path) -> None:
    manual = "reconnect = { enabled = false }"
    with anyio.fail_after(5):
        async with bench_in(tmp_path) as bench:
            await bench.lose(await bench.ready(more=manual))
            assert (bench.supervisor.status, bench.supervisor.keeper.published) == ("failed", None)
            assert "attempt" not in last(bench)
            await bench.clock.go(1_000)
            assert bench.gate.entered == 1
            await bench.ready(more=manual)
            assert bench.gate.entered == 2


async def test_a_server_that_was_never_there_is_tried_at_a_use_alone_and_in_no_storm(tmp_path: Path) -> None:
    with anyio.fail_after(5):
        async with bench_in(tmp_path) as bench:
            bench.gate.fault = AWAY
            titles = [(await problem_of(bench.ready)).title for _ in range(8)]
            assert titles == ["demo exited"] * 6 + ["demo is not connected; the next try is in 60 s"] * 2
            assert (bench.gate.entered, bench.supervisor.status) == (6, "failed")
            await bench.clock.go(1_000)
            assert bench.gate.entered == 6
            bench.gate.fault = None
            await bench.ready()


async def test_a_stop_between_two_attempts_ends_them(tmp_path: Path) -> None:
    with anyio.fail_after(5):
        async with bench_in(tmp_path) as bench:
            await bench.lose(await bench.ready())
            await bench.supervisor.stop()
            await bench.clock.go(1_000)
            assert (bench.supervisor.status, bench.gate.entered) == ("off", 1)
            assert bench.supervisor.keeper.published is None


async def test_a_server_that_wants_an_authorization_when_it_is_tried_again_is_left_alone(tmp_path: Path) -> None:
    refusal = Problem(type="authorization-required", title="no", detail="no", hint="no", alias="demo")
    with anyio.fail_after(5):
        async with bench_in(tmp_path) as bench:
            await bench.lose(await bench.ready())
            bench.gate.fault = ProblemError(refusal)
            await bench.clock.go(0.5)
            assert bench.supervisor.status == "needs_auth"
            await bench.clock.go(1_000)
            assert bench.gate.entered == 2


async def test_an_attempt_begins_with_the_definition_as_it_is_then(tmp_path: Path) -> None:
    with anyio.fail_after(5):
        async with bench_in(tmp_path) as bench:
            await bench.lose(await bench.ready())
            missing = Problem(type="reference-missing", title="no TOKEN", detail="-", hint="-", alias="demo")
            bench.defining.fault = missing
            await bench.clock.go(0.5)
            assert (bench.supervisor.problem, bench.gate.entered) == (missing, 1)
            bench.defining.fault, bench.defining.now = None, prepared("two")
            await bench.clock.go(1)
            assert bench.supervisor.live is not None
            assert bench.supervisor.live.identity == "two"


async def test_an_address_that_answered_a_moment_ago_is_asked_again_at_once_and_then_as_any_other(
    tmp_path: Path,
) -> None:
    with anyio.fail_after(5):
        async with bench_in(tmp_path) as bench:
            await bench.lose(await bench.ready(launch=HTTP_LAUNCH))
            await bench.clock.go(0)
            assert (bench.supervisor.status, bench.gate.entered) == ("ready", 2)
            assert bench.supervisor.live is not None
            await bench.lose(bench.supervisor.live)
            await bench.clock.go(0)
            assert last(bench) | {"status": "waiting", "attempt": 2, "retryInSeconds": 1.0} == last(bench)


@pytest.mark.parametrize("era", ERAS)
async def test_resources_that_are_of_interest_are_watched_again_and_count_as_changed(tmp_path: Path, era: Era) -> None:
    with anyio.fail_after(5):
        async with bench_in(tmp_path, era) as bench:
            live = await bench.ready()
            assert live.connection.listening is not None
            live.connection.listening.watch_resource("note://1")
            await bench.lose(live)
            await bench.clock.go(0.5)
            assert bench.supervisor.live is not None
            assert bench.supervisor.live.connection.listening is not None
            assert bench.supervisor.live.connection.listening.watched_resources == ("note://1",)
            assert bench.changed == ["note://1"]
