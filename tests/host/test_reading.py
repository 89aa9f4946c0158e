"""Resources and prompts."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import anyio
import pytest

from mcp_host.core.catalog.catalog import Era
from tests.host.support import ERAS, demo, demo_in_memory, open_desk

pytestmark = pytest.mark.anyio

NOTE = "# Shopping\n\nRye bread, two lemons, and coffee for the weekend.\n"


@pytest.mark.parametrize("era", ERAS)
async def test_a_resource_is_what_the_server_sent_with_where_it_came_from(tmp_path: Path, era: Era) -> None:
    with anyio.fail_after(5):
        async with open_desk(tmp_path, demo(), demo_in_memory(era)) as desk:
            answer = await desk.ask("read", alias="demo", uri="note://note-1")
            document: dict[str, Any] = dict(answer.document)
            assert (answer.kind, answer.exit) == ("resource", 0)
            assert document["contents"] == [{"uri": "note://note-1", "mimeType": "text/markdown", "text": NOTE}]
            assert document["host"].pop("durationSeconds") >= 0
            assert document["host"] == {"alias": "demo", "resource": "note://note-1", "call": "c1"}
            assert answer.view is not None
            assert "Rye bread, two lemons, and coffee for the weekend." in answer.view().lines


@pytest.mark.parametrize("era", ERAS)
@pytest.mark.parametrize("uri", ["note://note-99", "nowhere://at/all"])
async def test_a_resource_that_is_not_there_is_unknown(tmp_path: Path, era: Era, uri: str) -> None:
    with anyio.fail_after(5):
        async with open_desk(tmp_path, demo(), demo_in_memory(era)) as desk:
            problem = await desk.problem("read", alias="demo", uri=uri)
            assert (problem.type, problem.exit_code, problem.title) == (
                "resource-unknown",
                3,
                f"demo has no resource {uri}",
            )


@pytest.mark.parametrize("era", ERAS)
@pytest.mark.parametrize("arguments", ['{"id": "note-1"}', {"id": "note-1"}])
async def test_a_prompt_is_filled_in_by_the_server(tmp_path: Path, era: Era, arguments: object) -> None:
    with anyio.fail_after(5):
        async with open_desk(tmp_path, demo(), demo_in_memory(era)) as desk:
            answer = await desk.ask("prompt", alias="demo", prompt="summarize_note", arguments=arguments)
            document: dict[str, Any] = dict(answer.document)
            words = "Summarize the note note-1, 'Shopping', as three short points."
            body = {"uri": "note://note-1", "mimeType": "text/markdown", "text": NOTE}
            assert document["messages"] == [
                {"role": "user", "content": {"type": "text", "text": words}},
                {"role": "user", "content": {"type": "resource", "resource": body}},
            ]
            assert document["host"].pop("durationSeconds") >= 0
            assert document["host"] == {"alias": "demo", "prompt": "summarize_note", "call": "c1"}


async def test_a_misspelt_prompt_gets_close_names(tmp_path: Path) -> None:
    with anyio.fail_after(5):
        async with open_desk(tmp_path, demo(), demo_in_memory()) as desk:
            problem = await desk.problem("prompt", alias="demo", prompt="summarise_note")
            assert (problem.type, problem.detail) == ("prompt-unknown", "Close to it: summarize_note.")


@pytest.mark.parametrize(
    ("arguments", "detail"),
    [
        (None, "$.id: is required and missing"),
        ('{"id": 1}', "$.id: must be a string, as all arguments of prompts are"),
    ],
)
async def test_arguments_that_do_not_fit_a_prompt_are_not_sent(
    tmp_path: Path, arguments: str | None, detail: str
) -> None:
    with anyio.fail_after(5):
        async with open_desk(tmp_path, demo(), demo_in_memory()) as desk:
            problem = await desk.problem("prompt", alias="demo", prompt="summarize_note", arguments=arguments)
            assert (problem.type, problem.detail) == ("arguments-invalid", detail)


@pytest.mark.parametrize("era", ERAS)
async def test_a_prompt_that_the_server_refuses_says_its_words(tmp_path: Path, era: Era) -> None:
    with anyio.fail_after(5):
        async with open_desk(tmp_path, demo(), demo_in_memory(era)) as desk:
            problem = await desk.problem("prompt", alias="demo", prompt="summarize_note", arguments={"id": "note-99"})
            assert problem.type == "request-refused"
            assert "There is no note note-99." in problem.detail
