"""Calls that run, end, are cancelled, get no answer, and are kept."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path

import anyio
import pytest
from mcp.server.mcpserver import Context, MCPServer
from mcp.shared.exceptions import MCPError

from mcp_host.core.catalog.catalog import Era
from mcp_host.core.policy import Effect
from mcp_host.host.call import Call
from mcp_host.host.calls import KEPT_RESULTS, Calls
from mcp_host.host.live_server import LiveServer
from mcp_host.problems import Problem
from tests.host.support import ERAS, Events, live_in_memory, open_desk, problem_of, script

pytestmark = pytest.mark.anyio


@dataclass(kw_only=True)
class Bench:
    """Calls with a clock that goes on by one second whenever it is read."""

    live: LiveServer
    entered: anyio.Event
    """Set when the server has begun to carry out `never`."""
    events: Events = field(default_factory=Events)
    calls: Calls = field(init=False)
    seconds: float = 0.0

    def __post_init__(self) -> None:
        self.calls = Calls(emit=self.events.emit, clock=self._tick)

    def _tick(self) -> float:
        self.seconds += 1
        return self.seconds

    async def run(self, name: str, *, effect: Effect = "read", **arguments: object) -> Call:
        tool = self.live.catalog.tool(name)
        assert tool is not None
        return await self.calls.run(self.live, tool, arguments, effect=effect)

    def states(self) -> list[Mapping[str, object]]:
        return self.events.of("McpCall")


@asynccontextmanager
async def bench_with(era: Era, *, more: str = "") -> AsyncGenerator[Bench]:
    server, entered = MCPServer("small"), anyio.Event()

    @server.tool()
    def add(left: int, right: int) -> int:
        return left + right

    @server.tool()
    async def report(context: Context) -> str:
        await context.report_progress(1, 4, "a quarter")
        await context.report_progress(2)
        return "reported"

    @server.tool()
    async def never() -> str:
        entered.set()
        await anyio.sleep_forever()
        return "unreachable"

    @server.tool()
    def refuse() -> str:
        raise MCPError(code=-32001, message="not today")

    async with live_in_memory(server, era, more=more) as live:
        yield Bench(live=live, entered=entered)


def state(call: str, tool: str, state: str) -> dict[str, object]:
    return {"call": call, "alias": "demo", "kind": "tool", "tool": tool, "state": state}


@pytest.mark.parametrize("era", ERAS)
async def test_a_call_has_an_id_a_duration_and_an_outcome_and_is_told(era: Era) -> None:
    with anyio.fail_after(5):
        async with bench_with(era) as bench:
            call = await bench.run("add", left=1, right=2)
            assert (call.id, call.state, call.duration_seconds, bench.calls.running()) == ("c1", "succeeded", 1.0, ())
            assert call.outcome is not None
            assert call.outcome.result is not None
            assert call.outcome.result["structuredContent"] == {"result": 3}
            assert bench.calls.ended("c1") is call
            assert bench.states() == [state("c1", "add", "started"), state("c1", "add", "succeeded")]


@pytest.mark.parametrize("era", ERAS)
async def test_progress_is_told_with_what_the_server_gave(era: Era) -> None:
    with anyio.fail_after(5):
        async with bench_with(era) as bench:
            await bench.run("report")
            await bench.events.wait_for("McpProgress", lambda data: data["progress"] == 2)
            named = {"call": "c1", "alias": "demo", "kind": "tool", "tool": "report"}
            assert bench.events.of("McpProgress") == [
                {**named, "progress": 1, "total": 4, "message": "a quarter"},
                {**named, "progress": 2},
            ]


@pytest.mark.parametrize("era", ERAS)
async def test_a_cancelled_read_is_a_problem(era: Era) -> None:
    with anyio.fail_after(5):
        async with bench_with(era) as bench:
            problem = (await _cancelled(bench, "read"))[0]
            assert isinstance(problem, Problem)
            assert (problem.type, problem.tool, problem.exit_code) == ("cancelled", "never", 9)
            assert bench.states()[-1] == state("c1", "never", "failed")


@pytest.mark.parametrize("era", ERAS)
async def test_a_cancelled_effect_has_an_unknown_outcome(era: Era) -> None:
    with anyio.fail_after(5):
        async with bench_with(era) as bench:
            call = (await _cancelled(bench, "host"))[0]
            assert isinstance(call, Call)
            assert _unknown_causes(call) == ["cancelled"]
            assert bench.states()[-1] == state("c1", "never", "unknown")


async def _cancelled(bench: Bench, effect: Effect) -> list[Call | Problem]:
    ended: list[Call | Problem] = []

    async def run() -> None:
        if effect == "host":
            ended.append(await bench.run("never", effect="host"))
        else:
            ended.append(await problem_of(lambda: bench.run("never")))

    async with anyio.create_task_group() as tasks:
        tasks.start_soon(run)
        await bench.entered.wait()
        assert [call.id for call in bench.calls.running()] == ["c1"]
        bench.calls.cancel("c1")
    return ended


def _unknown_causes(call: Call) -> list[str]:
    assert call.outcome is not None
    assert call.outcome.problem is not None
    assert (call.outcome.kind, call.outcome.problem.type) == ("unknown", "outcome-unknown")
    return [cause.type for cause in call.outcome.problem.causes]


@pytest.mark.parametrize("era", ERAS)
async def test_a_read_that_is_not_answered_in_time_is_a_problem(era: Era) -> None:
    with anyio.fail_after(5):
        async with bench_with(era, more="request_timeout_seconds = 0.05") as bench:
            problem = await problem_of(lambda: bench.run("never"))
            assert (problem.type, problem.exit_code) == ("request-timed-out", 9)


@pytest.mark.parametrize("era", ERAS)
async def test_an_effect_that_is_not_answered_in_time_has_an_unknown_outcome(era: Era) -> None:
    with anyio.fail_after(5):
        async with bench_with(era, more="request_timeout_seconds = 0.05") as bench:
            assert _unknown_causes(await bench.run("never", effect="host")) == ["request-timed-out"]


@pytest.mark.parametrize("effect", ["read", "host"])
@pytest.mark.parametrize("era", ERAS)
async def test_a_refusal_of_the_server_is_a_failed_outcome(era: Era, effect: Effect) -> None:
    with anyio.fail_after(5):
        async with bench_with(era) as bench:
            call = await bench.run("refuse", effect=effect)
            assert call.outcome is not None
            assert call.outcome.problem is not None
            assert (call.state, call.outcome.problem.type, call.outcome.exit_code) == ("failed", "request-refused", 5)
            assert "not today" in call.outcome.problem.detail


@pytest.mark.parametrize("effect", ["read", "host"])
async def test_a_call_that_never_left_is_a_problem_and_no_unknown_outcome(effect: Effect) -> None:
    with anyio.fail_after(5):
        async with bench_with("modern") as bench:
            bench.live.connection.ended.set()
            problem = await problem_of(lambda: bench.run("add", effect=effect, left=1, right=2))
            assert (problem.type, bench.calls.ended("c1").state) == ("server-unavailable", "failed")


async def test_a_call_whose_asker_was_cancelled_is_kept_with_an_outcome() -> None:
    with anyio.fail_after(5):
        async with bench_with("modern") as bench, anyio.create_task_group() as tasks:
            tasks.start_soon(lambda: bench.run("never", effect="host"))
            await bench.entered.wait()
            tasks.cancel_scope.cancel()
        assert _unknown_causes(bench.calls.ended("c1")) == ["cancelled"]
        assert bench.states()[-1] == state("c1", "never", "unknown")


async def test_only_the_last_results_are_kept() -> None:
    with anyio.fail_after(10):
        async with bench_with("modern") as bench:
            for _ in range(KEPT_RESULTS + 1):
                await bench.run("add", left=1, right=2)
            assert bench.calls.ended("c2").id == "c2"
            problem = await problem_of(lambda: _ended(bench, "c1"))
            assert (problem.type, problem.exit_code) == ("call-unknown", 3)


async def _ended(bench: Bench, call: str) -> Call:
    return bench.calls.ended(call)


async def test_only_a_call_that_runs_can_be_cancelled() -> None:
    with anyio.fail_after(5):
        async with bench_with("modern") as bench:
            await bench.run("add", left=1, right=2)

            async def cancel() -> None:
                bench.calls.cancel("c1")

            assert (await problem_of(cancel)).type == "call-unknown"


@pytest.mark.parametrize("how", ["killed", "exit", "half"])
async def test_a_server_that_dies_in_a_read_is_a_problem_that_says_how(tmp_path: Path, how: str) -> None:
    with anyio.fail_after(10):
        async with open_desk(tmp_path, script("dies", "crash_in_call", more='read = ["crash"]')) as desk:
            problem = await desk.problem("exec", alias="dies", tool="crash", arguments={"how": how})
            words = {"killed": "killed by signal 9"}.get(how, "exited with code 3")
            assert (problem.type, problem.title, problem.tool) == ("server-unavailable", f"dies {words}", "crash")
            assert how == "killed" or "out of paper" in problem.detail
            alive = await desk.document("exec", alias="dies", tool="echo", accept=True)
            assert alive["host"]["outcome"] == "succeeded"


async def test_a_server_that_dies_in_an_effect_leaves_its_outcome_unknown_with_the_cause(tmp_path: Path) -> None:
    with anyio.fail_after(10):
        async with open_desk(tmp_path, script("dies", "crash_in_call")) as desk:
            problem = await desk.problem("exec", alias="dies", tool="crash", accept=True)
            assert (problem.type, problem.exit_code) == ("outcome-unknown", 10)
            assert [cause.title for cause in problem.causes] == ["dies killed by signal 9"]
            assert await desk.problem("accept") == problem
            receipts = (await desk.document("proposals"))["receipts"]
            assert [receipt["state"] for receipt in receipts] == ["unknown"]
