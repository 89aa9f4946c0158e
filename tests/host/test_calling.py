"""The verbs that call tools, on the demo server: reads run, everything else waits for a verdict."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import anyio
import pytest
from mcp.server.mcpserver import MCPServer

from mcp_host.core.catalog.catalog import Era
from tests.host.support import ERAS, Desk, Memory, demo, demo_in_memory, open_desk

pytestmark = pytest.mark.anyio

READS = 'read = ["note_read", "note_list", "note_delete_preview", "fail"]'
ADD = {"alias": "demo", "tool": "note_add", "arguments": '{"title": "a", "text": "b"}'}
DELETE = {"alias": "demo", "tool": "note_delete_execute", "arguments": {"id": "note-1"}}
SHOPPING = {
    "id": "note-1",
    "title": "Shopping",
    "text": "Rye bread, two lemons, and coffee for the weekend.",
    "tags": ["home"],
    "written": "2026-03-14",
}


async def _titles(desk: Desk) -> list[str]:
    listed = await desk.document("exec", alias="demo", tool="note_list")
    return [note["title"] for note in listed["structuredContent"]["notes"]]


def _lasting(host: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in host.items() if name != "durationSeconds"}


@pytest.mark.parametrize("era", ERAS)
async def test_a_read_runs_at_once_and_its_result_is_the_servers_own(tmp_path: Path, era: Era) -> None:
    with anyio.fail_after(5):
        async with open_desk(tmp_path, demo(more=READS), demo_in_memory(era)) as desk:
            answer = await desk.ask("exec", alias="demo", tool="note_read", arguments='{"id": "note-1"}')
            document: dict[str, Any] = dict(answer.document)
            host = document.pop("host")
            assert (answer.kind, answer.exit, document.pop("isError", False)) == ("result", 0, False)
            assert (document.pop("resultType", "complete"), document.pop("_meta", None) is None) == (
                "complete",
                era == "legacy",
            )
            assert document == {
                "content": [{"type": "text", "text": f"{SHOPPING['title']}\n\n{SHOPPING['text']}"}],
                "structuredContent": SHOPPING,
            }
            assert _lasting(host) == {
                "alias": "demo",
                "tool": "note_read",
                "call": "c1",
                "effect": "read",
                "outcome": "succeeded",
                "faults": [],
            }
            assert (await desk.ask("result", call="c1")).document == answer.document


async def test_a_read_whose_arguments_do_not_fit_is_not_sent(tmp_path: Path) -> None:
    with anyio.fail_after(5):
        async with open_desk(tmp_path, demo(more=READS), demo_in_memory()) as desk:
            for arguments in ("{}", '{"id": 7}', "{not json", "[1]"):
                problem = await desk.problem("exec", alias="demo", tool="note_read", arguments=arguments)
                assert (problem.type, problem.exit_code) == ("arguments-invalid", 2)
            assert desk.events.of("McpCall") == []


async def test_a_tool_that_answers_with_an_error_is_a_result_with_exit_5(tmp_path: Path) -> None:
    with anyio.fail_after(5):
        async with open_desk(tmp_path, demo(more=READS), demo_in_memory()) as desk:
            answer = await desk.ask("exec", alias="demo", tool="fail")
            assert (answer.exit, answer.document["isError"]) == (5, True)
            assert answer.document["content"] == [{"type": "text", "text": "This tool always fails."}]


async def test_an_effect_that_nobody_can_review_is_not_sent(tmp_path: Path) -> None:
    with anyio.fail_after(5):
        async with open_desk(tmp_path, demo(more=READS), demo_in_memory()) as desk:
            problem = await desk.problem("exec", **ADD)
            assert (problem.type, problem.exit_code, "a" in await _titles(desk)) == ("review-required", 6, False)
            assert (await desk.document("proposals")) == {"receipts": []}


@pytest.mark.parametrize("era", ERAS)
async def test_an_effect_becomes_a_proposal_where_somebody_can_review_it(tmp_path: Path, era: Era) -> None:
    with anyio.fail_after(5):
        async with open_desk(tmp_path, demo(more=READS), demo_in_memory(era)) as desk:
            answer = await desk.ask("exec", **ADD, interactive=True)
            document: dict[str, Any] = dict(answer.document)
            receipt = document["receipt"]
            assert (answer.kind, answer.exit) == ("proposal", 0)
            assert document["host"] == {"alias": "demo", "tool": "note_add", "receipt": receipt["id"], "effect": "host"}
            assert sorted(receipt["evidence"]) == ["arguments", "definition", "identity", "tool"]
            assert {name: receipt[name] for name in ("alias", "tool", "arguments", "state")} == {
                "alias": "demo",
                "tool": "note_add",
                "arguments": {"title": "a", "text": "b"},
                "state": "pending",
            }
            assert (await desk.document("proposals")) == {"receipts": [receipt]}
            assert (await desk.ask("proposal", receipt=receipt["id"])).document == document
            assert "a" not in await _titles(desk)


@pytest.mark.parametrize("era", ERAS)
async def test_a_preview_that_is_accepted_runs_once_and_is_replayed_afterwards(tmp_path: Path, era: Era) -> None:
    with anyio.fail_after(5):
        async with open_desk(tmp_path, demo(more=READS), demo_in_memory(era)) as desk:
            receipt = (await desk.document("preview", **ADD))["receipt"]["id"]
            first = await desk.document("accept", receipt=receipt)
            second = await desk.document("accept")
            assert (first["host"]["replayed"], second["host"]["replayed"]) == (False, True)
            assert {**second, "host": {**second["host"], "replayed": False}} == first
            assert first["host"]["receipt"] == receipt
            assert (await _titles(desk)).count("a") == 1
            states = [data["state"] for data in desk.events.of("McpReceipt")]
            assert states == ["executing", "succeeded"]


async def test_an_effect_accepted_unseen_has_a_receipt_that_says_so(tmp_path: Path) -> None:
    with anyio.fail_after(5):
        async with open_desk(tmp_path, demo(more=READS), demo_in_memory()) as desk:
            answer = await desk.ask("exec", **ADD, accept=True)
            host: Any = answer.document["host"]
            assert answer.view is not None
            assert "accepted without review" in answer.view().lines[0]
            (receipt,) = (await desk.document("proposals"))["receipts"]
            assert (host["receipt"], host["call"], host["replayed"]) == (receipt["id"], receipt["call"], False)
            assert (receipt["state"], receipt["unreviewed"], host["reviewed"]) == ("succeeded", True, False)


async def test_a_rejected_proposal_does_not_run(tmp_path: Path) -> None:
    with anyio.fail_after(5):
        async with open_desk(tmp_path, demo(more=READS), demo_in_memory()) as desk:
            await desk.ask("preview", **ADD)
            assert (await desk.document("reject"))["receipt"]["state"] == "rejected"
            assert (await desk.problem("accept")).type == "receipt-rejected"
            assert "a" not in await _titles(desk)


@pytest.mark.parametrize("era", ERAS)
async def test_a_pair_is_previewed_by_the_server_and_executed_with_its_receipt(tmp_path: Path, era: Era) -> None:
    with anyio.fail_after(5):
        async with open_desk(tmp_path, demo(more=READS), demo_in_memory(era)) as desk:
            answer = await desk.ask("preview", **DELETE)
            document: dict[str, Any] = dict(answer.document)
            servers_receipt = document["preview"]["structuredContent"]["receipt"]
            assert document["preview"]["structuredContent"]["deletes"] == SHOPPING
            assert document["receipt"]["arguments"] == {"receipt": servers_receipt}
            assert "preview" in document["receipt"]["evidence"]
            assert answer.view is not None
            assert any(f"Receipt: {servers_receipt}" in line or servers_receipt in line for line in answer.view().lines)
            assert "unreviewed" not in document["receipt"]
            deleted = await desk.document("accept")
            assert deleted["structuredContent"] == {"deleted": SHOPPING, "remaining": 3}
            assert "Shopping" not in await _titles(desk)


@pytest.mark.parametrize("era", ERAS)
async def test_a_server_that_refuses_what_was_previewed_is_a_failure_with_exit_5(tmp_path: Path, era: Era) -> None:
    with anyio.fail_after(5):
        async with open_desk(tmp_path, demo(more=READS), demo_in_memory(era)) as desk:
            receipt = (await desk.document("preview", **DELETE))["receipt"]["id"]
            append = {"alias": "demo", "tool": "note_append", "arguments": {"id": "note-1", "text": "more"}}
            await desk.ask("exec", **append, accept=True)
            answer = await desk.ask("accept", receipt=receipt)
            assert (answer.exit, answer.document["isError"]) == (5, True)
            assert "changed since the preview" in str(answer.document["content"])
            again = await desk.ask("accept", receipt=receipt)
            assert (again.exit, again.document["content"]) == (5, answer.document["content"])
            assert (await desk.document("proposal", receipt=receipt))["receipt"]["state"] == "failed"
            assert "Shopping" in await _titles(desk)


async def test_a_preview_that_the_server_refuses_gives_no_receipt(tmp_path: Path) -> None:
    with anyio.fail_after(5):
        async with open_desk(tmp_path, demo(more=READS), demo_in_memory()) as desk:
            problem = await desk.problem("preview", **{**DELETE, "arguments": {"id": "note-99"}})
            assert (problem.type, problem.exit_code) == ("request-refused", 5)
            assert "There is no note note-99." in problem.detail
            assert (await desk.document("proposals")) == {"receipts": []}


async def test_a_preview_tool_that_only_its_name_recommends_is_not_called(tmp_path: Path) -> None:
    with anyio.fail_after(5):
        async with open_desk(tmp_path, demo(more='read = ["note_list"]'), demo_in_memory()) as desk:
            problem = await desk.problem("preview", **DELETE)
            assert (problem.type, desk.events.of("McpCall")) == ("review-required", [])
            assert 'Add "note_delete_preview" to read' in problem.hint


async def test_a_declared_pair_is_previewed_without_its_preview_being_a_read(tmp_path: Path) -> None:
    pair = 'pairs = [{ preview = "note_delete_preview", execute = "note_delete_execute" }]'
    with anyio.fail_after(5):
        async with open_desk(tmp_path, demo(more=pair), demo_in_memory()) as desk:
            assert (await desk.document("preview", **DELETE))["preview"]["structuredContent"]["deletes"] == SHOPPING


async def test_a_preview_tool_that_the_definition_leaves_out_is_not_called(tmp_path: Path) -> None:
    with anyio.fail_after(5):
        only = 'tools = ["note_delete_execute"]'
        async with open_desk(tmp_path, demo(more=only), demo_in_memory()) as desk:
            problem = await desk.problem("preview", **DELETE)
            assert (problem.type, desk.events.of("McpCall")) == ("arguments-invalid", [])


async def test_an_edited_definition_makes_a_receipt_stale_before_anything_is_connected(tmp_path: Path) -> None:
    with anyio.fail_after(5):
        memory = demo_in_memory()
        async with open_desk(tmp_path, demo(more=READS), memory) as desk:
            await desk.ask("preview", **ADD)
            desk.define(demo(more=READS).replace("-m", "-X"))
            problem = await desk.problem("accept")
            assert (problem.type, problem.exit_code, len(memory.connections)) == ("receipt-stale", 7, 1)
            assert "the definition of demo changed" in problem.detail
            (receipt,) = (await desk.document("proposals"))["receipts"]
            assert receipt["differences"] == ["the definition of demo changed"]


async def test_the_way_back_from_a_stale_pair_starts_from_what_was_asked_for(tmp_path: Path) -> None:
    with anyio.fail_after(5):
        async with open_desk(tmp_path, demo(more=READS), demo_in_memory()) as desk:
            await desk.ask("preview", **DELETE)
            desk.define(demo(more=READS) + 'summary = "edited"\n')
            problem = await desk.problem("accept")
            assert problem.hint.endswith(':McpPreview demo note_delete_execute {"id":"note-1"}')


async def test_a_tool_that_changed_makes_a_receipt_stale(tmp_path: Path) -> None:
    server = MCPServer("changing")
    server.add_tool(lambda: "done", name="act", description="Before")
    with anyio.fail_after(5):
        async with open_desk(tmp_path, demo(), Memory(servers={"demo": server})) as desk:
            await desk.ask("preview", alias="demo", tool="act")
            server.remove_tool("act")
            server.add_tool(lambda: "done", name="act", description="After")
            problem = await desk.problem("accept")
            assert (problem.type, "demo changed the definition of act" in problem.detail) == ("receipt-stale", True)


async def test_an_edit_while_the_evidence_is_fetched_makes_the_receipt_stale(tmp_path: Path) -> None:
    executed: list[str] = []

    class Editing(MCPServer):
        async def list_tools(self, *args: Any, **kwargs: Any) -> Any:
            edit()
            return await super().list_tools(*args, **kwargs)

    def act() -> str:
        executed.append("act")
        return "done"

    def edit() -> None:
        if desk.events.of("McpProposal"):
            desk.define(demo(more='summary = "edited"'))

    server = Editing("editing")
    server.add_tool(act)
    with anyio.fail_after(5):
        async with open_desk(tmp_path, demo(), Memory(servers={"demo": server})) as desk:
            await desk.ask("preview", alias="demo", tool="act")
            problem = await desk.problem("accept")
            assert (problem.type, executed) == ("receipt-stale", [])


async def test_a_proposal_shows_the_definition_it_was_made_under(tmp_path: Path) -> None:
    with anyio.fail_after(5):
        async with open_desk(tmp_path, demo(more='env = { MARK = "before" }'), demo_in_memory()) as desk:
            await desk.ask("preview", **ADD)
            receipt = (await desk.document("proposals"))["receipts"][0]["id"]
            before = await desk.ask("proposal", receipt=receipt)
            assert before.view is not None
            shown = before.view().lines
            desk.define(demo(more='env = { MARK = "before" }\ntool_summaries = { note_add = "Reads a note" }'))
            await desk.ask("survey", alias="demo")
            after = await desk.ask("proposal", receipt=receipt)
            assert after.view is not None
            assert after.view().lines == shown


async def test_a_running_call_is_cancelled_by_its_id(tmp_path: Path) -> None:
    slow = {"alias": "demo", "tool": "count_slowly", "arguments": {"to": 5, "pause_seconds": 10}}
    with anyio.fail_after(5):
        async with open_desk(tmp_path, demo(more='read = ["count_slowly"]'), demo_in_memory()) as desk:
            problems: list[str] = []

            async def count() -> None:
                problems.append((await desk.problem("exec", **slow)).type)

            async with anyio.create_task_group() as tasks:
                tasks.start_soon(count)
                await desk.events.wait_for("McpCall", lambda data: data["state"] == "started")
                assert await desk.document("cancel", call="c1") == {
                    "call": {
                        "call": "c1",
                        "alias": "demo",
                        "kind": "tool",
                        "tool": "count_slowly",
                        "state": "cancelling",
                    }
                }
            assert problems == ["cancelled"]
            assert (await desk.problem("cancel", call="c1")).type == "call-unknown"
            assert (await desk.problem("result", call="c1")).type == "cancelled"
            assert (await desk.problem("result", call="c9")).type == "call-unknown"
