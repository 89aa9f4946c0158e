"""The host as a whole: verbs, their parameters, and a bounded end."""

from __future__ import annotations

import logging
from pathlib import Path
from typing import Any

import anyio
import pytest

from mcp_host.host.host import open_host
from mcp_host.problems import ProblemError
from tests.host.support import Events, demo, demo_in_memory, open_desk, script

pytestmark = pytest.mark.anyio


async def test_an_unknown_verb_is_a_usage_problem_that_names_the_known_ones(tmp_path: Path) -> None:
    with anyio.fail_after(5):
        async with open_desk(tmp_path, "") as desk:
            problem = await desk.problem("exce")
            assert (problem.type, problem.exit_code) == ("usage", 2)
            assert problem.detail.startswith(
                "Known: accept, add, answer, cancel, candidates, capabilities, card, complete, decline, disable,"
            )


@pytest.mark.parametrize(
    ("params", "detail"),
    [
        ({}, "alias: Field required\ntool: Field required"),
        ({"alias": "demo", "tool": "fail", "argument": 1}, "argument: Extra inputs are not permitted"),
        ({"alias": ["value-nobody-sees"], "tool": "fail"}, "alias: Input should be a valid string"),
    ],
)
async def test_wrong_parameters_are_named_without_their_values(
    tmp_path: Path, params: dict[str, Any], detail: str
) -> None:
    with anyio.fail_after(5):
        async with open_desk(tmp_path, demo(), demo_in_memory()) as desk:
            problem = await desk.problem("exec", **params)
            assert (problem.type, problem.title, problem.detail) == (
                "usage",
                "exec was called with the wrong parameters",
                detail,
            )


async def test_a_fault_of_our_own_is_an_internal_problem_without_values(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    with anyio.fail_after(5), caplog.at_level(logging.DEBUG, logger="mcp_host"):
        async with open_desk(tmp_path, demo(), demo_in_memory()) as desk:
            await desk.ask("survey", alias="demo")
            desk.events.fault = ZeroDivisionError("value-nobody-sees")
            problem = await desk.problem("preview", alias="demo", tool="fail")
            desk.events.fault = None
            assert (problem.type, problem.exit_code, problem.detail) == (
                "internal",
                1,
                "ZeroDivisionError (the host's log says where)",
            )
            assert "value-nobody-sees" not in problem.model_dump_json() + caplog.text
            assert "the verb preview met something unexpected: ZeroDivisionError" in caplog.text


async def test_a_start_message_with_faults_is_a_usage_problem(tmp_path: Path) -> None:
    with pytest.raises(ProblemError) as caught:
        async with open_host({"config_file": str(tmp_path)}, emit=Events().emit):
            raise AssertionError("it does not open")
    assert (caught.value.problem.type, caught.value.problem.title) == (
        "usage",
        "start was called with the wrong parameters",
    )


async def test_an_empty_lua_table_is_an_empty_object_of_arguments(tmp_path: Path) -> None:
    with anyio.fail_after(5):
        async with open_desk(tmp_path, demo(more='read = ["fail"]'), demo_in_memory()) as desk:
            assert (await desk.ask("exec", alias="demo", tool="fail", arguments=[])).exit == 5


async def test_a_host_that_is_left_while_a_server_connects_ends(tmp_path: Path) -> None:
    asked: list[str] = []
    with anyio.fail_after(10):
        async with anyio.create_task_group() as tasks, open_desk(tmp_path, script("one", "mute")) as desk:

            async def survey() -> None:
                asked.append((await desk.problem("survey", alias="one")).type)

            tasks.start_soon(survey)
            await desk.events.wait_for("McpServerStatus", lambda data: data["status"] == "starting")
    assert asked == ["cancelled"]
