"""What the independent TypeScript peers of 2026-07-28 show of the host, tool by tool, on both wires."""

from __future__ import annotations

import json
from collections.abc import AsyncGenerator

import anyio
import pytest

from tests.peers.uses import USES, Use
from tests.peers.using import SECONDS, WIRES, Data, Peered, peered

pytestmark = [pytest.mark.servers, pytest.mark.anyio]


@pytest.fixture(scope="module", params=WIRES)
async def peer(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory, anyio_backend: str
) -> AsyncGenerator[Peered]:
    """The peer, for all tests of this file."""
    async with peered(tmp_path_factory.mktemp("ts"), "ts", request.param) as opened:
        yield opened


@pytest.fixture(scope="module", params=WIRES)
async def tasks_peer(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory, anyio_backend: str
) -> AsyncGenerator[Peered]:
    """The peer of tasks, for all tests of this file."""
    async with peered(tmp_path_factory.mktemp("ts-tasks"), "ts-tasks", request.param) as opened:
        yield opened


def _named(use: Use) -> str:
    return use.tool


@pytest.mark.parametrize("use", USES["ts"], ids=_named)
async def test_each_tool_ends_as_it_shall(peer: Peered, use: Use) -> None:
    used = await peer.use(use)
    assert (used.end, use.says in used.said) == (use.end, True), used


@pytest.mark.parametrize("use", USES["ts-tasks"], ids=_named)
async def test_each_tool_of_the_tasks_peer_ends_as_it_shall(tasks_peer: Peered, use: Use) -> None:
    used = await tasks_peer.use(use)
    assert (used.end, use.says in used.said) == (use.end, True), used


async def test_no_tool_is_left_out(peer: Peered) -> None:
    await peer.use(next(use for use in USES["ts"] if use.tool == "later"))
    assert await peer.listed() == {use.tool for use in USES["ts"]}


async def test_no_tool_of_the_tasks_peer_is_left_out(tasks_peer: Peered) -> None:
    assert await tasks_peer.listed() == {use.tool for use in USES["ts-tasks"]}


@pytest.mark.parametrize("action", ["decline", "cancel"])
async def test_the_peer_hears_which_no_it_was(peer: Peered, action: str) -> None:
    used = await peer.call("ask_form", answers=[{"key": "who", "action": action}])
    assert (used.end, used.said) == ("failed", f"user said {action}")


async def test_an_answer_that_does_not_fit_the_form_is_never_sent(peer: Peered) -> None:
    used = await peer.call("ask_form", answers=[{"key": "who", "content": {"name": "", "color": "green"}}])
    assert (used.end, used.said) == ("failed", "user said decline")
    (asked,) = used.document["host"]["interactions"]
    assert (asked["by"], asked["action"], asked["problem"]["type"]) == ("nobody", "decline", "input-required")


@pytest.mark.behaviour("peers.state-of-two-rounds")
async def test_a_second_round_has_the_state_of_the_first(peer: Peered) -> None:
    answers = [{"key": "ok", "content": {"ok": True}}, {"key": "link"}]
    used = await peer.call("ask_two_rounds", answers=answers)
    link = json.loads(used.said.removeprefix("two rounds done: "))
    assert (link["kind"], link["action"]) == ("elicit", "accept")
    asked = used.document["host"]["interactions"]
    assert [(one["kinds"], one["action"], one["by"]) for one in asked] == [
        (["form"], "accept", "answers"),
        (["url"], "accept", "answers"),
    ]


@pytest.mark.behaviour("peers.asked-for-all-at-once")
async def test_what_is_asked_for_together_is_answered_together(peer: Peered) -> None:
    used = await peer.use(next(use for use in USES["ts"] if use.tool == "ask_all"))
    responses = json.loads(used.said)
    assert responses["f"] == {"action": "accept", "content": {"n": 3}}
    assert (responses["sum"]["model"], responses["sum"]["content"]["text"]) == ("by-hand", "hi there")
    (root,) = responses["roots"]["roots"]
    assert root["uri"].startswith("file:///")
    (asked,) = used.document["host"]["interactions"]
    assert sorted(asked["kinds"]) == ["form", "roots", "sampling"]


@pytest.mark.behaviour("peers.progress-and-log")
async def test_progress_and_log_messages_arrive_while_it_runs(peer: Peered) -> None:
    seen = len(peer.told.events)
    used = await peer.call("count", {"n": 3, "ms": 1})
    assert used.document["structuredContent"] == {"done": 3}
    call = used.document["host"]["call"]
    progress = [data for data in peer.told.of("McpProgress", since=seen) if data["call"] == call]
    assert [(data["progress"], data["total"], data["message"]) for data in progress] == [
        (1, 3, "step 1"),
        (2, 3, "step 2"),
        (3, 3, "step 3"),
    ]
    logged = await peer.told.wait_for("McpLog", lambda data: data["text"] == "step 3", since=seen)
    assert (logged["alias"], logged["level"]) == ("ts", "info")


@pytest.mark.behaviour("peers.cancelled-call-is-over")
async def test_a_cancelled_call_is_over_and_the_connection_serves_the_next(peer: Peered) -> None:
    async def until_it_counts(call: str) -> None:
        await peer.told.wait_for("McpProgress", lambda data: data["call"] == call)

    used = await peer.cancelled("count", {"n": 2_000, "ms": 1}, once=until_it_counts)
    assert used.end == "cancelled"
    assert (await peer.call("aborts")).end == "succeeded"


@pytest.mark.behaviour("peers.arguments-as-headers")
@pytest.mark.parametrize(("region", "header"), [("eu", "eu"), ("Übersee", "=?base64?w5xiZXJzZWU=?=")])
async def test_annotated_arguments_travel_as_headers_too(peer: Peered, region: str, header: str) -> None:
    echoed = json.loads((await peer.call("hdr", {"region": region, "q": "x"})).said)
    assert echoed["a"] == {"region": region, "q": "x"}
    if peer.wire == "stdio":
        assert echoed["h"] == {}
        return
    assert echoed["h"] == {
        "mcp-method": "tools/call",
        "mcp-name": "hdr",
        "mcp-param-region": header,
        "mcp-protocol-version": "2026-07-28",
    }


@pytest.mark.behaviour("peers.dynamic-tool")
async def test_a_tool_that_comes_and_goes_is_told_and_followed(peer: Peered) -> None:
    for _ in range(2):
        seen = len(peer.told.events)
        is_there = (await peer.call("flip")).said == "later true"

        def says_so(data: Data, is_there: bool = is_there) -> bool:
            return ("later" in data["tools"]) is is_there

        await peer.told.wait_for("McpCatalogChanged", says_so, since=seen)
        used = await peer.call("later")
        if is_there:
            assert (used.end, used.said) == ("succeeded", "later")
        else:
            assert used.problem is not None
            assert (used.end, used.problem.type) == ("refused", "tool-unknown")


@pytest.mark.behaviour("peers.resource-kept-until-it-changes")
async def test_a_resource_is_kept_as_its_hint_says_and_until_the_peer_says_that_it_changed(peer: Peered) -> None:
    first = await peer.ask("read", uri="config://app", fresh=True)
    again = await peer.ask("read", uri="config://app")
    assert (again["contents"], "ageSeconds" in again["host"]) == (first["contents"], True)
    seen = len(peer.told.events)
    assert (await peer.call("touch")).said == "touched"
    await peer.told.wait_for("McpResourceUpdated", lambda data: data["uri"] == "config://app", since=seen)
    changed = await peer.ask("read", uri="config://app")
    assert "ageSeconds" not in changed["host"]
    assert changed["contents"] != first["contents"]


@pytest.mark.behaviour("peers.big-text")
async def test_a_text_beyond_a_mebibyte_arrives_whole(peer: Peered) -> None:
    assert (await peer.call("big", {"kib": 2048})).said == "x" * 2048 * 1024


async def test_a_prompt_is_filled_in(peer: Peered) -> None:
    prompt = await peer.ask("prompt", prompt="review", arguments={"lang": "lua"})
    assert prompt["messages"] == [{"role": "user", "content": {"type": "text", "text": "review lua"}}]


@pytest.mark.behaviour("peers.task-answered-once")
async def test_a_task_is_asked_about_by_name_and_its_questions_are_answered_once(tasks_peer: Peered) -> None:
    before = len(json.loads((await tasks_peer.call("seen")).said))
    used = await tasks_peer.call("ask", answers=[{"key": "name", "content": {"name": "Ada"}}])
    assert (used.end, used.said) == ("succeeded", "hi Ada")
    seen = json.loads((await tasks_peer.call("seen")).said)[before:]
    assert [entry[2] for entry in seen if entry[0] == "update"] == [["name"]]
    # Over HTTP the peer compares the Mcp-Name header with the task; stdio has none.
    assert {entry[1] for entry in seen if entry[0] == "get"} == {tasks_peer.wire == "http"}


@pytest.mark.behaviour("peers.failed-task-keeps-its-error")
async def test_a_failed_task_keeps_the_words_of_its_error(tasks_peer: Peered) -> None:
    used = await tasks_peer.call("fail")
    assert used.problem is not None
    assert (used.problem.type, "boom" in used.problem.detail) == ("request-refused", True)


@pytest.mark.behaviour("peers.cancelled-task")
async def test_a_cancelled_task_is_cancelled_at_the_peer(tasks_peer: Peered) -> None:
    before = len(json.loads((await tasks_peer.call("seen")).said))
    used = await tasks_peer.use(next(use for use in USES["ts-tasks"] if use.tool == "forever"))
    assert used.end == "cancelled"
    with anyio.fail_after(SECONDS):
        while ["cancel"] not in json.loads((await tasks_peer.call("seen")).said)[before:]:
            pass
