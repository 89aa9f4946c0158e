"""Results as answers: odd ones with their faults, attachments as files, and a disk that takes nothing."""

from __future__ import annotations

import base64
from pathlib import Path
from typing import Any, cast

import anyio
import pytest

from mcp_host.core.outcomes import Outcome
from mcp_host.host.call import Call
from mcp_host.host.redactions import Redactions
from mcp_host.host.result_files import ResultFiles
from mcp_host.host.showing import Showing
from mcp_host.problems import Problem
from tests.host.support import Desk, demo, demo_in_memory, open_desk, script

pytestmark = pytest.mark.anyio

TOOLS = (
    "every_block", "unknown_block", "missing_content", "empty", "schema_mismatch", "schema_without_structured",
    "bad_schema", "broken_base64", "fault_with_mismatch",
)  # fmt: skip
ODD = script("odd", "odd_results", more=f"read = {list(TOOLS)!r}")


async def _shown(desk: Desk, tool: str) -> tuple[dict[str, Any], tuple[str, ...]]:
    answer = await desk.ask("exec", alias="odd", tool=tool)
    assert answer.view is not None
    return dict(answer.document), tuple(answer.view().lines)


@pytest.mark.parametrize(
    ("tool", "fault"),
    [
        ("unknown_block", "content[1] is of an unknown type"),
        ("missing_content", "content is missing"),
        ("schema_mismatch", "structuredContent"),
        ("schema_without_structured", "structuredContent is missing, though schema_without_structured has"),
        ("bad_schema", "(outputSchema)"),
    ],
)
async def test_an_odd_result_is_shown_with_its_fault_and_counts_as_done(tmp_path: Path, tool: str, fault: str) -> None:
    with anyio.fail_after(10):
        async with open_desk(tmp_path, ODD) as desk:
            document, lines = await _shown(desk, tool)
            assert document["host"]["outcome"] == "succeeded"
            assert any(fault in one for one in document["host"]["faults"])
            assert any(fault in line for line in lines)


async def test_an_error_that_does_not_match_the_output_schema_has_no_fault(tmp_path: Path) -> None:
    with anyio.fail_after(10):
        async with open_desk(tmp_path, ODD) as desk:
            document, _ = await _shown(desk, "fault_with_mismatch")
            assert (document["host"]["outcome"], document["host"]["faults"]) == ("failed", [])


async def test_attachments_are_saved_for_their_owner_alone_when_they_are_looked_at(tmp_path: Path) -> None:
    with anyio.fail_after(10):
        async with open_desk(tmp_path, ODD) as desk:
            answer = await desk.ask("exec", alias="odd", tool="every_block")
            assert not (desk.state / "results").exists()
            assert answer.view is not None
            answer.view()
            files = sorted((desk.state / "results").iterdir(), key=lambda file: file.name.partition("-")[2])
            assert [file.name.partition("-")[2] for file in files] == ["c1-2.png", "c1-3.wav", "c1-5.pdf"]
            assert {file.stat().st_mode & 0o777 for file in files} == {0o600}
            assert (desk.state / "results").stat().st_mode & 0o777 == 0o700
            blocks = answer.document["content"]
            assert isinstance(blocks, list)
            assert files[0].read_bytes() == base64.b64decode(cast("list[dict[str, str]]", blocks)[1]["data"])


async def test_a_picture_of_the_demo_is_a_file(tmp_path: Path) -> None:
    with anyio.fail_after(5):
        async with open_desk(tmp_path, demo(more='read = ["picture"]'), demo_in_memory()) as desk:
            answer = await desk.ask("exec", alias="demo", tool="picture")
            assert answer.view is not None
            (path,) = [line.split("→ ")[1] for line in answer.view().lines if "→ " in line]
            (file,) = (desk.state / "results").iterdir()
            assert (path, file.read_bytes()[:4]) == (str(file), b"\x89PNG")


async def test_a_disk_that_takes_nothing_costs_the_file_and_not_the_result(tmp_path: Path) -> None:
    with anyio.fail_after(10):
        async with open_desk(tmp_path, ODD) as desk:
            desk.state.write_text("in the way of the folder")
            _, lines = await _shown(desk, "every_block")
            assert sum("(not saved)" in line for line in lines) == 3
            assert "last" in lines


async def test_a_text_too_long_for_a_buffer_is_in_a_file_as_a_whole(tmp_path: Path) -> None:
    with anyio.fail_after(20):
        async with open_desk(tmp_path, script("big", "big", more='read = ["big"]')) as desk:
            answer = await desk.ask("exec", alias="big", tool="big", arguments={"mb": 6, "lines": True})
            assert answer.view is not None
            answer.view()
            (file,) = (desk.state / "results").iterdir()
            assert file.stat().st_size == 6_000_000


async def test_an_answer_that_is_no_result_is_shown_and_ends_with_10(tmp_path: Path) -> None:
    problem = Problem(type="outcome-unknown", title="?", detail="?", hint="?")
    outcome = Outcome(kind="unknown", result={"resultType": "task"}, problem=problem)
    call = Call(id="c1", alias="odd", name="act", effect="host", started_at=0.0, outcome=outcome)
    answer = Showing(redactions=Redactions(), files=ResultFiles(folder=tmp_path)).result(call)
    assert (answer.document["resultType"], answer.exit) == ("task", 10)
