"""The demo server as a client of each era meets it: every tool, resource and prompt once."""

from __future__ import annotations

import base64
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from typing import Any, Literal

import anyio
import pytest
from mcp import Client
from mcp.client import ClientRequestContext
from mcp.shared.exceptions import MCPError
from mcp_types import INVALID_PARAMS, ElicitRequestParams, ElicitResult, Result

from mcp_host import __version__
from mcp_host.demo.picture import gradient_png
from mcp_host.demo.server import ABOUT, INSTRUCTIONS, build_server

Era = Literal["auto", "legacy"]

NOTE_1 = {
    "id": "note-1",
    "title": "Shopping",
    "text": "Rye bread, two lemons, and coffee for the weekend.",
    "tags": ["home"],
    "written": "2026-03-14",
}
NOTE_1_RECEIPT = "delete-note-1-58c06643827257e8"
ROW_2 = {"id": "note-2", "title": "Release checklist", "tags": ["work", "lists"], "written": "2026-05-02"}
ROW_4 = {"id": "note-4", "title": "Questions for the review", "tags": ["work"], "written": "2026-07-09"}
NOTE_3_MARKDOWN = "# Birds at the lake\n\nA grey heron, nine coots, and one very cross swan. Grüße from Zoë.\n"


@pytest.fixture(params=["auto", "legacy"])
def era(request: pytest.FixtureRequest) -> Era:
    return request.param


async def introduce_ada(context: ClientRequestContext, params: ElicitRequestParams) -> ElicitResult:
    return ElicitResult(action="accept", content={"name": "Ada", "tone": "cheerful"})


@asynccontextmanager
async def connected(era: Era) -> AsyncGenerator[Client]:
    with anyio.fail_after(20):
        async with Client(build_server(), mode=era, elicitation_callback=introduce_ada) as client:
            yield client


def wire(result: Result) -> dict[str, Any]:
    """The result as it was sent, without what only one of the eras adds."""
    return result.model_dump(mode="json", by_alias=True, exclude_none=True, exclude={"meta", "result_type"})


def success(text: str, structured: object) -> dict[str, Any]:
    return {"content": [{"type": "text", "text": text}], "structuredContent": structured, "isError": False}


def refusal(text: str) -> dict[str, Any]:
    return {"content": [{"type": "text", "text": text}], "isError": True}


async def call(client: Client, tool: str, /, **arguments: object) -> dict[str, Any]:
    return wire(await client.call_tool(tool, arguments))


@pytest.mark.anyio
async def test_the_server_says_who_it_is_in_the_era_that_was_asked_for(era: Era) -> None:
    async with connected(era) as client:
        revision = {"auto": "2026-07-28", "legacy": "2025-11-25"}[era]
        assert (client.protocol_version, client.instructions) == (revision, INSTRUCTIONS)
        assert client.server_info is not None
        assert client.server_info.model_dump(exclude_none=True) == {
            "name": "mcp-host-demo",
            "title": "Demo notebook",
            "version": __version__,
            "description": "Notes in memory, to try an MCP client with",
        }


@pytest.mark.anyio
async def test_every_tool_has_a_title_a_description_and_says_whether_it_only_reads(era: Era) -> None:
    async with connected(era) as client:
        tools = (await client.list_tools()).tools
        claims = {tool.name: tool.annotations.read_only_hint for tool in tools if tool.annotations}
        assert claims == {
            "note_list": True,
            "note_read": True,
            "note_search": True,
            "note_add": False,
            "note_append": False,
            "note_delete_preview": True,
            "note_delete_execute": False,
            "count_slowly": True,
            "picture": True,
            "statistics": True,
            "ask_name": True,
            "fail": True,
        }
        assert [tool.name for tool in tools if not (tool.title and tool.description)] == []


@pytest.mark.anyio
async def test_notes_are_listed_by_tag_and_order(era: Era) -> None:
    async with connected(era) as client:
        result = await client.call_tool("note_list", {"tag": "work", "order": "newest"})
        assert result.structured_content == {"notes": [ROW_4, ROW_2], "total": 2}


@pytest.mark.anyio
async def test_a_note_is_read_whole(era: Era) -> None:
    async with connected(era) as client:
        assert await call(client, "note_read", id="note-1") == success(f"Shopping\n\n{NOTE_1['text']}", NOTE_1)


@pytest.mark.anyio
async def test_an_unknown_note_is_refused_with_the_ones_there_are(era: Era) -> None:
    async with connected(era) as client:
        assert await call(client, "note_read", id="note-9") == refusal(
            "Error executing tool note_read: There is no note note-9. Notes: note-1, note-2, note-3, note-4."
        )


@pytest.mark.anyio
async def test_a_search_narrows_by_words_field_tags_and_period(era: Era) -> None:
    async with connected(era) as client:
        result = await client.call_tool(
            "note_search",
            {"query": "IS the", "field": "text", "tags": ["work"], "written": {"since": "2026-06-01"}, "limit": 5},
        )
        assert result.structured_content == {"notes": [ROW_4], "total": 1}


@pytest.mark.anyio
async def test_an_added_note_gets_the_next_id_and_becomes_a_resource(era: Era) -> None:
    async with connected(era) as client:
        note = {"id": "note-5", "title": "Tea", "text": "Green.", "tags": ["home"], "written": "2026-08-01"}
        added = await call(client, "note_add", title="Tea", text="Green.", tags=["home"])
        assert added == success("Added note-5: Tea", note)
        listed = [resource.uri for resource in (await client.list_resources()).resources]
        assert listed == [
            "demo://about",
            "note://note-1",
            "note://note-2",
            "note://note-3",
            "note://note-4",
            "note://note-5",
        ]


@pytest.mark.anyio
async def test_a_deletion_shows_the_note_and_is_carried_out_once(era: Era) -> None:
    async with connected(era) as client:
        preview = await call(client, "note_delete_preview", id="note-1")
        assert preview == success(
            f"Would delete note-1: Shopping (50 characters). Receipt: {NOTE_1_RECEIPT}",
            {"deletes": NOTE_1, "receipt": NOTE_1_RECEIPT},
        )
        assert await call(client, "note_delete_execute", receipt=NOTE_1_RECEIPT) == success(
            "Deleted note-1: Shopping", {"deleted": NOTE_1, "remaining": 3}
        )
        assert await call(client, "note_delete_execute", receipt=NOTE_1_RECEIPT) == refusal(
            "Error executing tool note_delete_execute: "
            "This receipt was used already: the note is deleted. Nothing was done."
        )


@pytest.mark.anyio
async def test_a_deletion_is_refused_when_the_note_changed_since_it_was_shown(era: Era) -> None:
    async with connected(era) as client:
        await client.call_tool("note_delete_preview", {"id": "note-1"})
        changed = {**NOTE_1, "text": f"{NOTE_1['text']}\nAnd salt.", "written": "2026-08-01"}
        appended = await call(client, "note_append", id="note-1", text="And salt.")
        assert appended == success("Changed note-1: Shopping", changed)
        assert await call(client, "note_delete_execute", receipt=NOTE_1_RECEIPT) == refusal(
            "Error executing tool note_delete_execute: "
            "note-1 changed since the preview. Nothing was deleted; call note_delete_preview again."
        )


@pytest.mark.anyio
async def test_a_receipt_that_was_never_issued_deletes_nothing(era: Era) -> None:
    async with connected(era) as client:
        assert await call(client, "note_delete_execute", receipt=NOTE_1_RECEIPT) == refusal(
            "Error executing tool note_delete_execute: "
            "This receipt is unknown here. Call note_delete_preview to get one."
        )


@pytest.mark.anyio
async def test_counting_reports_each_step(era: Era) -> None:
    steps: list[tuple[float, float | None, str | None]] = []
    all_told = anyio.Event()

    async def note_step(progress: float, total: float | None, message: str | None) -> None:
        steps.append((progress, total, message))
        if progress == total:
            all_told.set()

    async with connected(era) as client:
        result = await client.call_tool("count_slowly", {"to": 2, "pause_seconds": 0}, progress_callback=note_step)
        await all_told.wait()
        assert wire(result) == success("Counted to 2.", {"result": "Counted to 2."})
    assert steps == [(1, 2, "Counted 1 of 2"), (2, 2, "Counted 2 of 2")]


@pytest.mark.anyio
async def test_a_cancelled_count_stops_on_the_server_too(era: Era) -> None:
    counting, stopped = anyio.Event(), anyio.Event()

    async def wait_for_ever(seconds: float) -> None:
        counting.set()
        try:
            await anyio.sleep_forever()
        finally:
            stopped.set()

    with anyio.fail_after(20):
        async with Client(build_server(wait=wait_for_ever), mode=era) as client, anyio.create_task_group() as group:
            group.start_soon(client.call_tool, "count_slowly")
            await counting.wait()
            group.cancel_scope.cancel()
            with anyio.CancelScope(shield=True):
                await stopped.wait()


@pytest.mark.anyio
async def test_a_picture_is_a_png_with_a_caption(era: Era) -> None:
    async with connected(era) as client:
        assert await call(client, "picture", width=3, height=2, colour="red") == {
            "content": [
                {"type": "text", "text": "A gradient from black to red, 3 by 2 pixels."},
                {
                    "type": "image",
                    "data": base64.b64encode(gradient_png(3, 2, "red")).decode(),
                    "mimeType": "image/png",
                },
            ],
            "isError": False,
        }


@pytest.mark.anyio
async def test_statistics_are_structured(era: Era) -> None:
    async with connected(era) as client:
        result = await client.call_tool("statistics")
        assert result.structured_content == {
            "notes": 4,
            "words": 55,
            "tags": {"home": 1, "lists": 1, "outdoors": 1, "work": 2},
            "longest": {"id": "note-2", "words": 17},
        }


@pytest.mark.anyio
async def test_a_person_is_asked_with_a_form_and_greeted(era: Era) -> None:
    async with connected(era) as client:
        assert await call(client, "ask_name") == success("Hello Ada!", {"result": "Hello Ada!"})


@pytest.mark.anyio
async def test_a_person_may_decline_the_form(era: Era) -> None:
    async def decline(context: ClientRequestContext, params: ElicitRequestParams) -> ElicitResult:
        return ElicitResult(action="decline")

    with anyio.fail_after(20):
        async with Client(build_server(), mode=era, elicitation_callback=decline) as client:
            nobody = "Nobody was introduced."
            assert await call(client, "ask_name") == success(nobody, {"result": nobody})


@pytest.mark.anyio
async def test_the_failing_tool_answers_with_a_fault(era: Era) -> None:
    async with connected(era) as client:
        assert await call(client, "fail") == refusal("This tool always fails.")


@pytest.mark.anyio
async def test_resources_and_the_template_read_as_text(era: Era) -> None:
    async with connected(era) as client:
        templates = (await client.list_resource_templates()).resource_templates
        assert [template.uri_template for template in templates] == ["note://{id}"]
        about, note = await client.read_resource("demo://about"), await client.read_resource("note://note-3")
        assert wire(about)["contents"] == [{"uri": "demo://about", "mimeType": "text/plain", "text": ABOUT}]
        assert wire(note)["contents"] == [
            {"uri": "note://note-3", "mimeType": "text/markdown", "text": NOTE_3_MARKDOWN}
        ]


@pytest.mark.anyio
async def test_a_prompt_embeds_the_note(era: Era) -> None:
    async with connected(era) as client:
        (prompt,) = (await client.list_prompts()).prompts
        assert [(a.name, a.required) for a in prompt.arguments or ()] == [("id", True), ("style", False)]
        body = {"uri": "note://note-3", "mimeType": "text/markdown", "text": NOTE_3_MARKDOWN}
        request = "Summarize the note note-3, 'Birds at the lake', as one sentence."
        result = await client.get_prompt("summarize_note", {"id": "note-3", "style": "one sentence"})
        assert wire(result) == {
            "description": "Ask for a summary of one note",
            "messages": [
                {"role": "user", "content": {"type": "text", "text": request}},
                {"role": "user", "content": {"type": "resource", "resource": body}},
            ],
        }


@pytest.mark.anyio
async def test_a_prompt_or_resource_of_an_unknown_note_is_an_invalid_parameter(era: Era) -> None:
    async with connected(era) as client:
        with pytest.raises(MCPError) as of_prompt:
            await client.get_prompt("summarize_note", {"id": "note-9"})
        with pytest.raises(MCPError) as of_resource:
            await client.read_resource("note://note-9")
        assert (of_prompt.value.code, of_resource.value.code) == (INVALID_PARAMS, INVALID_PARAMS)
