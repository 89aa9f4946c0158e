"""What the reference server, of the handshake revisions, shows of the host, tool by tool, on both wires."""

from __future__ import annotations

import base64
import gzip
import json
from collections.abc import AsyncGenerator
from pathlib import Path
from typing import Any

import pytest

from tests.peers.uses import USES, Use
from tests.peers.using import WIRES, Peered, peered

pytestmark = [pytest.mark.servers, pytest.mark.anyio]

_FORM = "trigger-elicitation-request"
_URL = "trigger-url-elicitation"
_PNG = b"\x89PNG"


@pytest.fixture(scope="module", params=WIRES)
async def everything(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory, anyio_backend: str
) -> AsyncGenerator[Peered]:
    """The server, for all tests of this file."""
    async with peered(tmp_path_factory.mktemp("everything"), "everything", request.param) as opened:
        yield opened


@pytest.mark.parametrize("use", USES["everything"], ids=lambda use: use.tool)
async def test_each_tool_ends_as_it_shall(everything: Peered, use: Use) -> None:
    used = await everything.use(use)
    assert (used.end, use.says in used.said) == (use.end, True), used


async def test_no_tool_is_left_out(everything: Peered) -> None:
    assert await everything.listed() == {use.tool for use in USES["everything"]}


@pytest.mark.behaviour("peers.legacy-form")
async def test_a_form_goes_back_as_it_was_filled_in(everything: Peered) -> None:
    content = {
        "name": "Ada",
        "integer": 100,
        "titledMultipleSelectEnum": ["fish-1", "fish-3"],
        "birthdate": "1815-12-10",
    }
    used = await everything.call(_FORM, answers=[{"kind": "form", "content": content}])
    assert _raw_result(used.said) == {"action": "accept", "content": content}
    (asked,) = used.document["host"]["interactions"]
    assert (asked["kinds"], asked["by"]) == (["form"], "answers")


@pytest.mark.parametrize("action", ["decline", "cancel"])
async def test_the_server_hears_which_no_it_was(everything: Peered, action: str) -> None:
    used = await everything.call(_FORM, answers=[{"kind": "form", "action": action}])
    assert _raw_result(used.said) == {"action": action}


@pytest.mark.parametrize(
    "content",
    [
        pytest.param("defaults", id="defaults-lack-what-is-required"),
        pytest.param({"name": "Ada", "integer": 101}, id="out-of-range"),
        pytest.param({"name": "Ada", "email": "nobody"}, id="not-the-format"),
        pytest.param({"name": "Ada", "titledSingleSelectEnum": "Superman"}, id="title-for-a-value"),
        pytest.param({"name": "Ada", "untitledMultipleSelectEnum": []}, id="too-few"),
    ],
)
async def test_an_answer_that_does_not_fit_the_form_is_never_sent(everything: Peered, content: Any) -> None:
    used = await everything.call(_FORM, answers=[{"kind": "form", "content": content}])
    assert _raw_result(used.said) == {"action": "decline"}
    (asked,) = used.document["host"]["interactions"]
    assert (asked["by"], asked["problem"]["type"]) == ("nobody", "input-required")


@pytest.mark.behaviour("peers.legacy-url")
@pytest.mark.parametrize(("action", "says"), [("accept", "completed the URL"), ("decline", "declined to open")])
async def test_the_server_hears_whether_its_page_was_visited(everything: Peered, action: str, says: str) -> None:
    arguments = {"url": "https://example.com/sign-in", "message": "Sign in"}
    used = await everything.call(_URL, arguments, answers=[{"kind": "url", "action": action}])
    assert says in used.said
    assert _raw_result(used.said) == {"action": action}


@pytest.mark.behaviour("peers.legacy-url-required")
async def test_a_call_that_needs_a_page_first_is_sent_again_after_it(everything: Peered) -> None:
    arguments = {"url": "https://example.com/required", "message": "And this one", "errorPath": True}
    used = await everything.call(_URL, arguments, answers=[{"kind": "url"}])
    assert (used.end, "completed the URL" in used.said) == ("succeeded", True)
    asked = used.document["host"]["interactions"]
    assert [one["message"] for one in asked] == [
        "Open this link to satisfy the prerequisite, then retry the request.",
        "And this one",
    ]


@pytest.mark.behaviour("peers.legacy-sampling")
async def test_a_completion_goes_back_as_it_was_given(everything: Peered) -> None:
    result = {"role": "assistant", "content": {"type": "text", "text": "good day"}, "model": "by-hand"}
    answers = [{"kind": "sampling", "result": result}]
    used = await everything.call("trigger-sampling-request", {"prompt": "greet"}, answers=answers)
    assert json.loads(used.said.removeprefix("LLM sampling result: \n")) == result


async def test_a_completion_that_is_declined_ends_the_call_with_an_error(everything: Peered) -> None:
    answers = [{"kind": "sampling", "action": "decline"}]
    used = await everything.call("trigger-sampling-request", {"prompt": "greet"}, answers=answers)
    assert used.end == "failed"
    (asked,) = used.document["host"]["interactions"]
    assert (asked["kinds"], asked["action"]) == (["sampling"], "refused")


@pytest.mark.behaviour("peers.legacy-roots")
async def test_the_server_knows_the_folders_of_the_workspace(everything: Peered) -> None:
    used = await everything.call("get-roots-list")
    assert "URI: file:///" in used.said
    told = await everything.told.wait_for("McpLog", lambda data: "Roots updated: 1 root(s)" in data["text"])
    assert (told["level"], told["logger"]) == ("info", "everything-server")


@pytest.mark.behaviour("peers.legacy-progress")
async def test_progress_arrives_while_it_runs(everything: Peered) -> None:
    seen = len(everything.told.events)
    used = await everything.call("trigger-long-running-operation", {"duration": 0.04, "steps": 4})
    call = used.document["host"]["call"]
    progress = [data for data in everything.told.of("McpProgress", since=seen) if data["call"] == call]
    assert [(data["progress"], data["total"]) for data in progress] == [(1, 4), (2, 4), (3, 4), (4, 4)]


@pytest.mark.behaviour("peers.legacy-log")
async def test_log_messages_of_every_level_arrive_when_they_are_asked_for(everything: Peered) -> None:
    seen = len(everything.told.events)
    await _switch_on(everything, "toggle-simulated-logging")
    await everything.told.wait_for(
        "McpLog", lambda data: "-level" in data["text"] or "level-" in data["text"], since=seen
    )
    await everything.call("toggle-simulated-logging")


async def test_pictures_links_and_embedded_resources_arrive_as_they_are(everything: Peered) -> None:
    picture = _blocks((await everything.call("get-tiny-image")).document, "image")[0]
    assert (picture["mimeType"], base64.b64decode(picture["data"])[:4]) == ("image/png", _PNG)
    links = _blocks((await everything.call("get-resource-links", {"count": 4})).document, "resource_link")
    assert [link["uri"] for link in links] == [
        f"demo://resource/dynamic/{'text' if number % 2 == 0 else 'blob'}/{number}" for number in range(1, 5)
    ]
    linked = await everything.ask("read", uri=links[0]["uri"])
    assert base64.b64decode(linked["contents"][0]["blob"]).startswith(b"Resource 1")
    reference = await everything.call("get-resource-reference", {"resourceType": "Text", "resourceId": 6})
    assert _blocks(reference.document, "resource")[0]["resource"]["text"].startswith("Resource 6")
    annotated = await everything.call("get-annotated-message", {"messageType": "error", "includeImage": True})
    assert [block["annotations"]["priority"] for block in annotated.document["content"]] == [1.0, 0.5]


@pytest.mark.behaviour("peers.legacy-list-changed")
async def test_a_resource_that_a_call_makes_is_told_and_can_be_read(everything: Peered) -> None:
    name = f"made-on-{everything.wire}.gz"
    seen = len(everything.told.events)
    used = await everything.call("gzip-file-as-resource", {"name": name, "data": "data:text/plain,hello"})
    (link,) = _blocks(used.document, "resource_link")
    await everything.told.wait_for("McpCatalogChanged", lambda data: link["uri"] in data["resources"], since=seen)
    made = await everything.ask("read", uri=link["uri"])
    assert gzip.decompress(base64.b64decode(made["contents"][0]["blob"])) == b"hello"


@pytest.mark.behaviour("peers.legacy-subscribe")
async def test_a_resource_that_was_read_is_told_when_it_changes(everything: Peered) -> None:
    uri = "demo://resource/dynamic/text/77"
    seen = len(everything.told.events)
    await everything.ask("read", uri=uri)
    await everything.told.wait_for("McpLog", lambda data: f"Subscribe Resource request for URI: {uri}" in data["text"])
    await _switch_on(everything, "toggle-subscriber-updates")
    await everything.told.wait_for("McpResourceUpdated", lambda data: data["uri"] == uri, since=seen)
    await everything.call("toggle-subscriber-updates")


@pytest.mark.behaviour("peers.legacy-completion")
async def test_arguments_are_completed_with_those_that_are_known(everything: Peered) -> None:
    async def completed(kind: str, name: str, argument: str, value: str, **known: str) -> list[str]:
        wanted = {"kind": kind, "name": name, "argument": argument, "value": value, "arguments": known}
        return (await everything.ask("complete", **wanted))["completion"]["values"]

    assert await completed("prompt", "completable-prompt", "department", "E") == ["Engineering"]
    assert await completed("prompt", "completable-prompt", "name", "A", department="Engineering") == ["Alice"]
    assert await completed("template", "demo://resource/dynamic/text/{resourceId}", "resourceId", "4") == ["4"]


async def test_each_prompt_is_filled_in(everything: Peered) -> None:
    given: dict[str, tuple[dict[str, str], str]] = {
        "simple-prompt": ({}, "This is a simple prompt"),
        "args-prompt": ({"city": "Bern", "state": "BE"}, "Bern, BE"),
        "completable-prompt": ({"department": "Sales", "name": "Eve"}, "promote Eve"),
        "resource-prompt": ({"resourceType": "Text", "resourceId": "5"}, "id: 5"),
    }
    survey = await everything.ask("survey")
    assert {prompt["name"] for prompt in survey["prompts"]} == set(given)
    for name, (arguments, says) in given.items():
        prompt = await everything.ask("prompt", prompt=name, arguments=arguments)
        assert says in prompt["messages"][0]["content"]["text"]


@pytest.mark.behaviour("peers.legacy-task-refused")
async def test_a_tool_that_must_run_as_a_task_of_the_old_kind_is_refused(everything: Peered) -> None:
    used = await everything.call("simulate-research-query", {"topic": "python"})
    assert (used.end, "requires task augmentation" in used.said) == ("failed", True)


@pytest.mark.behaviour("peers.stopped-by-signal")
async def test_a_server_that_outlives_its_input_is_gone_all_the_same(tmp_path: Path) -> None:
    others = _children()
    async with peered(tmp_path, "everything", "stdio") as opened:
        await opened.call("toggle-simulated-logging")  # its timer keeps the process alive
        (server,) = _children() - others
    assert server not in _children()


def _children() -> frozenset[int]:
    """The processes that this one has started and that are not over."""
    return frozenset(
        int(pid) for path in Path("/proc/self/task").glob("*/children") for pid in path.read_text().split()
    )


async def _switch_on(everything: Peered, tool: str) -> None:
    if (await everything.call(tool)).said.startswith("Stopped"):
        await everything.call(tool)


def _blocks(document: Any, kind: str) -> list[dict[str, Any]]:
    return [block for block in document["content"] if block["type"] == kind]


def _raw_result(said: str) -> dict[str, Any]:
    return json.loads(said.partition("Raw result: ")[2])
