"""All servers together: when each is connected, reconnected, stopped or left alone. With real processes."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import anyio
import pytest

from tests.host.support import Desk, alive_in, demo, is_alive, kill, open_desk, pids_in, script

pytestmark = pytest.mark.anyio


def noting(
    folder: Path, *, alias: str = "one", name: str = "polite", args: tuple[str, ...] = (), more: str = ""
) -> str:
    """A definition whose processes note themselves in `<folder>/<alias>.pids`."""
    return script(alias, name, *args, more=more, env={"MCP_PIDS": str(folder / f"{alias}.pids")})


async def _all(*asked: Callable[[], Any]) -> None:
    async with anyio.create_task_group() as tasks:
        for one in asked:
            tasks.start_soon(one)


async def _statuses(desk: Desk) -> dict[str, str]:
    return {row["alias"]: row["status"] for row in (await desk.document("list"))["servers"]}


async def _until_gone(pid: int) -> None:
    """Bounded by the caller: nothing tells of the death of a process that is not our child."""
    while is_alive(pid):
        await anyio.lowlevel.checkpoint()


async def test_a_server_starts_at_its_first_use_and_is_gone_with_the_host(tmp_path: Path) -> None:
    pids = tmp_path / "one.pids"
    with anyio.fail_after(10):
        async with open_desk(tmp_path, noting(tmp_path)) as desk:
            assert (await _statuses(desk), pids_in(pids)) == ({"one": "off"}, [])
            await desk.ask("survey", alias="one")
            await desk.ask("survey", alias="one")
            assert await _statuses(desk) == {"one": "ready"}
            assert len(alive_in(pids)) == 1
        assert (len(pids_in(pids)), alive_in(pids)) == (1, [])


async def test_two_first_uses_at_once_start_one_process(tmp_path: Path) -> None:
    with anyio.fail_after(10):
        async with open_desk(tmp_path, noting(tmp_path)) as desk:
            await _all(*(lambda: desk.ask("survey", alias="one") for _ in range(3)))
            assert len(pids_in(tmp_path / "one.pids")) == 1


async def test_edited_arguments_end_the_old_process_and_start_the_new_one(tmp_path: Path) -> None:
    pids = tmp_path / "one.pids"
    with anyio.fail_after(10):
        async with open_desk(tmp_path, noting(tmp_path)) as desk:
            await desk.ask("survey", alias="one")
            desk.define(noting(tmp_path, args=("edited",)))
            await _all(*(lambda: desk.ask("survey", alias="one") for _ in range(3)))
            first, second = pids_in(pids)
            assert alive_in(pids) == [second]
            assert first != second
        assert alive_in(pids) == []


async def test_edited_labels_and_policy_reconnect_nothing_and_count_at_once(tmp_path: Path) -> None:
    with anyio.fail_after(10):
        async with open_desk(tmp_path, noting(tmp_path)) as desk:
            assert (await desk.problem("exec", alias="one", tool="echo")).type == "review-required"
            desk.define(noting(tmp_path, more='summary = "edited"\nread = ["echo"]\nrequest_timeout_seconds = 5'))
            assert (await desk.document("exec", alias="one", tool="echo"))["host"]["effect"] == "read"
            assert (await desk.document("list"))["servers"][0]["summary"] == "edited"
            assert len(pids_in(tmp_path / "one.pids")) == 1


async def test_a_removed_definition_ends_its_process_at_the_next_list(tmp_path: Path) -> None:
    with anyio.fail_after(10):
        async with open_desk(tmp_path, noting(tmp_path)) as desk:
            await desk.ask("survey", alias="one")
            desk.define("")
            assert await _statuses(desk) == {}
            assert alive_in(tmp_path / "one.pids") == []
            assert (await desk.problem("survey", alias="one")).type == "server-unknown"


@pytest.mark.parametrize("edit", ["", "removed"])
async def test_a_definition_that_is_removed_or_not_enabled_ends_its_process_at_the_next_use_of_another(
    tmp_path: Path, edit: str
) -> None:
    other = noting(tmp_path, alias="two")
    with anyio.fail_after(10):
        async with open_desk(tmp_path, noting(tmp_path) + other) as desk:
            await desk.ask("survey", alias="one")
            desk.define(other if edit == "removed" else noting(tmp_path, more="enabled = false") + other)
            await desk.ask("survey", alias="two")
            await _until_gone(pids_in(tmp_path / "one.pids")[0])
            assert await _statuses(desk) == ({"two": "ready"} if edit else {"one": "off", "two": "ready"})


async def test_a_file_that_stops_parsing_stops_no_server(tmp_path: Path) -> None:
    with anyio.fail_after(10):
        async with open_desk(tmp_path, noting(tmp_path, more='read = ["echo"]')) as desk:
            await desk.ask("survey", alias="one")
            desk.define("[servers.one\n")
            assert (await desk.document("exec", alias="one", tool="echo"))["host"]["outcome"] == "succeeded"
            listed = await desk.document("list")
            assert [row["status"] for row in listed["servers"]] == ["ready"]
            assert [problem["type"] for problem in listed["problems"]] == ["definition-unparsable"]
            assert len(alive_in(tmp_path / "one.pids")) == 1


async def test_a_server_that_the_definition_does_not_enable_is_refused(tmp_path: Path) -> None:
    with anyio.fail_after(10):
        async with open_desk(tmp_path, noting(tmp_path, more="enabled = false")) as desk:
            problem = await desk.problem("enable", alias="one")
            assert (problem.type, problem.exit_code) == ("server-disabled", 4)
            assert "Set enabled = true" in problem.hint
            assert pids_in(tmp_path / "one.pids") == []


async def test_a_person_disables_a_server_and_enables_it_again(tmp_path: Path) -> None:
    pids = tmp_path / "one.pids"
    with anyio.fail_after(10):
        async with open_desk(tmp_path, noting(tmp_path)) as desk:
            await desk.ask("survey", alias="one")
            disabled = await desk.document("disable", alias="one")
            assert (disabled["server"]["status"], alive_in(pids)) == ("off", [])
            problem = await desk.problem("exec", alias="one", tool="echo")
            assert (problem.type, problem.hint) == ("server-disabled", ":McpEnable one enables and connects it.")
            assert (await desk.document("tools"))["tools"] == []
            assert (await desk.document("enable", alias="one"))["server"]["status"] == "ready"
            assert len(alive_in(pids)) == 1


async def test_a_server_that_exited_shows_its_last_words_and_what_it_offered_until_it_is_back(tmp_path: Path) -> None:
    pids = tmp_path / "one.pids"
    slow = "reconnect = { initial_delay_seconds = 30 }"
    with anyio.fail_after(10):
        async with open_desk(tmp_path, noting(tmp_path, name="crash_in_call", more=slow)) as desk:
            await desk.problem("exec", alias="one", tool="crash", arguments={"how": "exit"}, accept=True)
            await desk.events.wait_for("McpServerStatus", lambda data: data["status"] == "waiting")
            row = (await desk.document("list"))["servers"][0]
            assert (row["status"], row["problem"]["title"]) == ("waiting", "one exited with code 3")
            assert "crash_in_call: out of paper" in row["problem"]["detail"]
            assert (row["retry"]["attempt"], row["retry"]["of"]) == (1, 10)
            assert 0 < row["retry"]["inSeconds"] <= 30
            assert [tool["name"] for tool in (await desk.document("survey", alias="one"))["tools"]] == ["echo", "crash"]
            assert (await desk.document("card", alias="one", tool="crash"))["tool"]["name"] == "crash"
            assert (await desk.document("tools"))["tools"][1]["name"] == "crash"
            problem = await desk.problem("exec", alias="one", tool="crash", accept=True)
            assert "the next try is in" in problem.title
            assert len(pids_in(pids)) == 1
            await desk.ask("enable", alias="one")
            assert (len(pids_in(pids)), len(alive_in(pids))) == (2, 1)
            row = (await desk.document("list"))["servers"][0]
            assert (row["status"], "problem" in row, "retry" in row) == ("ready", False, False)


async def test_a_killed_server_is_started_again_by_itself(tmp_path: Path) -> None:
    pids = tmp_path / "one.pids"
    with anyio.fail_after(10):
        async with open_desk(tmp_path, noting(tmp_path, more='read = ["echo"]')) as desk:
            await desk.ask("survey", alias="one")
            kill(pids_in(pids)[0])
            await desk.events.wait_for("McpServerStatus", lambda data: data["status"] == "waiting")
            await desk.events.wait_for("McpServerStatus", lambda _: len(alive_in(pids)) == 1)
            assert (await desk.document("exec", alias="one", tool="echo"))["host"]["outcome"] == "succeeded"
            assert len(alive_in(pids)) == 1


async def test_the_last_words_of_an_earlier_process_are_not_those_of_a_later_one(tmp_path: Path) -> None:
    with anyio.fail_after(10):
        async with open_desk(tmp_path, noting(tmp_path, name="crash_in_call")) as desk:
            await desk.problem("exec", alias="one", tool="crash", arguments={"how": "exit"}, accept=True)
            desk.define(noting(tmp_path, name="mute", more="connect_timeout_seconds = 0.3"))
            problem = await desk.problem("survey", alias="one")
            assert problem.detail == "It wrote nothing to stderr."


async def test_a_mute_server_fails_at_its_deadline_and_leaves_no_process(tmp_path: Path) -> None:
    pids = tmp_path / "one.pids"
    with anyio.fail_after(10):
        async with open_desk(tmp_path, noting(tmp_path, name="mute", more="connect_timeout_seconds = 0.3")) as desk:
            problem = await desk.problem("survey", alias="one")
            assert (problem.type, problem.title) == ("server-unavailable", "one did not connect within 0.3 s")
            assert (await _statuses(desk), alive_in(pids)) == ({"one": "failed"}, [])


async def test_enabling_a_failed_server_tries_it_again(tmp_path: Path) -> None:
    with anyio.fail_after(10):
        async with open_desk(tmp_path, script("one", "no_such_file")) as desk:
            problem = await desk.problem("enable", alias="one")
            assert (problem.type, await _statuses(desk)) == ("server-unavailable", {"one": "failed"})
            desk.define(noting(tmp_path))
            assert (await desk.document("enable", alias="one"))["server"]["status"] == "ready"


async def test_disabling_a_server_that_is_connecting_ends_it(tmp_path: Path) -> None:
    pids = tmp_path / "one.pids"
    with anyio.fail_after(10):
        async with open_desk(tmp_path, noting(tmp_path, name="mute")) as desk:
            problems: list[str] = []

            async def survey() -> None:
                problems.append((await desk.problem("survey", alias="one")).type)

            async with anyio.create_task_group() as tasks:
                tasks.start_soon(survey)
                while not pids_in(pids):  # a file tells nobody that it was written
                    await anyio.lowlevel.checkpoint()
                await desk.ask("disable", alias="one")
            assert (problems, alive_in(pids), await _statuses(desk)) == (["cancelled"], [], {"one": "off"})


async def test_an_edit_that_restarts_a_server_leaves_the_outcome_of_a_running_effect_unknown(tmp_path: Path) -> None:
    seconds = {"to": 5, "pause_seconds": 10}
    with anyio.fail_after(20):
        async with open_desk(tmp_path, demo("one")) as desk:
            ended: list[str] = []

            async def count_slowly() -> None:
                found = await desk.problem("exec", alias="one", tool="count_slowly", arguments=seconds, accept=True)
                ended.append(found.type)

            async with anyio.create_task_group() as tasks:
                tasks.start_soon(count_slowly)
                await desk.events.wait_for("McpCall", lambda data: data["state"] == "started")
                desk.define(noting(tmp_path))
                await desk.ask("survey", alias="one")
            assert ended == ["outcome-unknown"]


async def test_broken_aliases_never_disturb_a_good_one(tmp_path: Path) -> None:
    definitions = (
        noting(tmp_path, alias="good")
        + "\n".join(
            noting(tmp_path, alias=f"mute-{number}", name="mute", more="connect_timeout_seconds = 2")
            for number in range(2)
        )
        + '[servers.absent]\ncommand = "no-such-program-anywhere"\n[servers.broken]\ncomand = "misspelt"\n'
        + '[servers.lacking]\ncommand = "x"\nenv = { TOKEN = "${MCP_HOST_TEST_NEVER_SET}" }\n'
    )
    with anyio.fail_after(20):
        async with open_desk(tmp_path, definitions) as desk:
            async with anyio.create_task_group() as tasks:
                tasks.start_soon(lambda: desk.ask("tools"))
                await desk.events.wait_for("McpServerStatus", lambda data: data["alias"] == "mute-1")
                with anyio.fail_after(1.5):
                    assert (await desk.document("tools", alias="good"))["tools"][0]["name"] == "echo"
                tasks.cancel_scope.cancel()
            for alias in ("mute-0", "mute-1"):
                await desk.ask("disable", alias=alias)
            tools = await desk.document("tools")
            assert [row["alias"] for row in tools["tools"]] == ["good", "good"]
            assert [(problem["alias"], problem["type"]) for problem in tools["problems"]] == [
                ("absent", "server-unavailable"),
                ("lacking", "reference-missing"),
                ("broken", "definition-invalid"),
            ]
