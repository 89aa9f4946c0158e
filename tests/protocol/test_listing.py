"""Catalogs read from servers: pages and their ends, lists that are missing or odd, entries that are malformed."""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable, Mapping
from typing import Literal

import anyio
import pytest

from mcp_host.core.catalog.catalog import Catalog, Dropped, Era
from mcp_host.problems import ProblemError
from mcp_host.protocol.connection import Connection
from mcp_host.protocol.errors import RequestFailed
from mcp_host.protocol.listing import ENTRY_CAP, PAGE_CAP, fetch_tool, list_everything
from tests.protocol.over_http import answers, connected, discovered, initialized, methods, refuses, replies
from tests.protocol.transports.raw_http import Handler, Request

pytestmark = pytest.mark.anyio

Pages = Callable[[str | None], Mapping[str, object]]
OBJECT = {"type": "object"}


def tool(name: str, **members: object) -> dict[str, object]:
    return {"name": name, "inputSchema": OBJECT, **members}


def pages(page: Pages) -> Handler:
    """Answers each cursor with its page."""

    async def handler(request: Request) -> None:
        await request.answer({"resultType": "complete", **page(request.message.get("params", {}).get("cursor"))})

    return handler


def serving(era: Era, capabilities: Mapping[str, object], **lists: Handler) -> dict[str, Handler]:
    """The handlers of a server of this era; `tools="…"` answers `tools/list`."""
    opened = (
        {"server/discover": answers(discovered(**capabilities))}
        if era == "modern"
        else {"server/discover": refuses(-32601), "initialize": answers(initialized(**capabilities))}
    )
    named = {"templates": "resources/templates/list"}
    return {**opened, **{named.get(name, f"{name}/list"): handler for name, handler in lists.items()}}


async def catalog_of(handlers: Mapping[str, Handler]) -> tuple[Catalog, list[str]]:
    """What is listed, and the methods that were asked for it."""
    async with connected(handlers) as (connection, server):
        catalog = await list_everything(connection, generation=3, timeout_seconds=60)
        return catalog, [method for method in methods(server) if method.endswith("/list")]


def names(catalog: Catalog) -> list[str]:
    return [listed.name for listed in catalog.tools]


async def failure_of(handlers: Mapping[str, Handler]) -> tuple[ProblemError, Connection]:
    async with connected(handlers) as (connection, _):
        with pytest.raises(ProblemError) as caught:
            await list_everything(connection, generation=1, timeout_seconds=5)
        return caught.value, connection


async def test_pages_are_read_to_the_last_one_in_order() -> None:
    def page(cursor: str | None) -> Mapping[str, object]:
        number = int(cursor or 0)
        more = {"nextCursor": str(number + 1)} if number < 2 else {"nextCursor": None}
        return {"tools": [tool(f"t{number}a"), tool(f"t{number}b")], **more}

    with anyio.fail_after(5):
        catalog, asked = await catalog_of(serving("modern", {"tools": {}}, tools=pages(page)))
    assert names(catalog) == ["t0a", "t0b", "t1a", "t1b", "t2a", "t2b"]
    assert (catalog.warnings, catalog.dropped, catalog.generation, asked) == ((), (), 3, ["tools/list"] * 3)


async def test_a_cursor_that_repeats_ends_the_list_with_a_warning() -> None:
    def page(cursor: str | None) -> Mapping[str, object]:
        return {"tools": [tool(f"after_{cursor}")], "nextCursor": "again"}

    with anyio.fail_after(5):
        catalog, asked = await catalog_of(serving("modern", {"tools": {}}, tools=pages(page)))
    assert names(catalog) == ["after_None", "after_again"]
    assert catalog.warnings == ("tools/list repeats its cursor: its list was cut at 2 entries",)
    assert len(asked) == 2


async def test_an_empty_cursor_is_the_end() -> None:
    def page(cursor: str | None) -> Mapping[str, object]:
        return {"tools": [tool(f"after_{cursor}")], "nextCursor": "2" if cursor is None else ""}

    with anyio.fail_after(5):
        catalog, asked = await catalog_of(serving("modern", {"tools": {}}, tools=pages(page)))
    assert (names(catalog), catalog.warnings, len(asked)) == (["after_None", "after_2"], (), 2)


def endless(cursor: str | None) -> Mapping[str, object]:
    """One more page after each."""
    number = int(cursor or 0)
    return {"tools": [tool(f"t{number}")], "nextCursor": str(number + 1)}


async def test_a_list_without_an_end_is_cut_with_a_warning() -> None:
    with anyio.fail_after(60):
        catalog, asked = await catalog_of(serving("modern", {"tools": {}}, tools=pages(endless)))
    assert len(catalog.tools) == len(asked) == PAGE_CAP
    assert catalog.warnings == (f"tools/list did not end after {PAGE_CAP} pages: the rest is left out",)


READERS: dict[str, Callable[[Connection], Awaitable[object]]] = {
    "everything": lambda connection: list_everything(connection, generation=1, timeout_seconds=0.1),
    "one tool": lambda connection: fetch_tool(connection, "t999999", timeout_seconds=0.1),
}


@pytest.mark.parametrize("reader", READERS)
async def test_all_pages_together_have_one_deadline(reader: str) -> None:
    # Each page comes at once, so no single request is ever late; a thousand of them take longer than the deadline.
    with anyio.fail_after(30):
        async with connected(serving("modern", {"tools": {}}, tools=pages(endless))) as (connection, server):
            with pytest.raises(RequestFailed) as caught:
                await READERS[reader](connection)
            assert 1 < methods(server).count("tools/list") < PAGE_CAP
    problem = caught.value.problem
    assert (problem.type, problem.retryable) == ("request-timed-out", True)
    assert problem.title == "web did not answer in time while reading tools/list page by page"


async def test_a_list_with_too_many_entries_is_cut_with_a_warning() -> None:
    def page(cursor: str | None) -> Mapping[str, object]:
        if cursor is None:
            return {"prompts": [{"name": f"p{number}"} for number in range(ENTRY_CAP - 1)], "nextCursor": "2"}
        return {"prompts": [{"name": "last"}, {"name": "beyond"}], "nextCursor": "3"}

    with anyio.fail_after(30):
        catalog, asked = await catalog_of(serving("modern", {"prompts": {}}, prompts=pages(page)))
    assert (len(catalog.prompts), catalog.prompts[-1].name, len(asked)) == (ENTRY_CAP, "last", 2)
    assert catalog.warnings == (f"prompts/list holds more than {ENTRY_CAP} entries: the rest is left out",)


@pytest.mark.parametrize("era", ["modern", "legacy"])
async def test_only_what_the_server_declares_is_asked_for(era: Era) -> None:
    prompts = answers({"prompts": [{"name": "p"}]})
    with anyio.fail_after(5):
        catalog, asked = await catalog_of(serving(era, {"prompts": {}}, prompts=prompts))
    assert ([prompt.name for prompt in catalog.prompts], catalog.tools, asked) == (["p"], (), ["prompts/list"])


@pytest.mark.parametrize("status", [200, 404])
async def test_a_server_with_resources_may_lack_templates(status: int) -> None:
    handlers = serving(
        "modern",
        {"resources": {}},
        resources=answers({"resources": [{"uri": "a://b", "name": "b"}]}),
        templates=refuses(-32601, status=status),
    )
    with anyio.fail_after(5):
        catalog, asked = await catalog_of(handlers)
    assert [resource.uri for resource in catalog.resources] == ["a://b"]
    assert (catalog.templates, catalog.warnings) == ((), ())
    assert sorted(asked) == ["resources/list", "resources/templates/list"]


@pytest.mark.parametrize(
    "lists", [{"tools": refuses(-32603, "broken")}, {"resources": refuses(-32603), "templates": refuses(-32603)}]
)
async def test_a_list_that_is_refused_fails_by_itself_and_stays_to_be_read(lists: dict[str, Handler]) -> None:
    capabilities: dict[str, object] = {name: dict[str, object]() for name in lists if name != "templates"}
    with anyio.fail_after(5):
        failure, connection = await failure_of(serving("modern", capabilities, **lists))
    assert isinstance(failure, RequestFailed)
    assert (failure.problem.type, failure.code, connection.lists_stale) == ("request-refused", -32603, True)


@pytest.mark.parametrize("answer", [{}, {"tools": None}, {"tools": {"name": "x"}}, {"tool": []}])
async def test_an_answer_without_a_list_breaks_the_protocol(answer: dict[str, object]) -> None:
    with anyio.fail_after(5):
        failure, _ = await failure_of(serving("modern", {"tools": {}}, tools=answers(answer)))
    assert (failure.problem.type, failure.problem.alias) == ("protocol-violated", "web")
    assert failure.problem.detail == 'The answer has no list under "tools".'


async def test_malformed_entries_are_dropped_and_named() -> None:
    listed = [tool("good"), {"name": "no_schema"}, "text", {"inputSchema": OBJECT}, tool("good"), tool("last")]
    with anyio.fail_after(5):
        catalog, _ = await catalog_of(serving("modern", {"tools": {}}, tools=answers({"tools": listed})))
    assert names(catalog) == ["good", "last"]
    assert [(entry.kind, entry.label) for entry in catalog.dropped] == [
        ("tool", "no_schema"),
        ("tool", "#3"),
        ("tool", "#4"),
        ("tool", "good"),
    ]


@pytest.mark.parametrize(("era", "kept"), [("modern", ["fine"]), ("legacy", ["fine", "bad"])])
async def test_a_tool_with_an_invalid_header_annotation_is_dropped_in_the_modern_era(
    era: Literal["modern", "legacy"], kept: list[str]
) -> None:
    def region(header: str) -> dict[str, object]:
        return {"type": "object", "properties": {"region": {"type": "string", "x-mcp-header": header}}}

    listed = [
        {"name": "fine", "inputSchema": region("Region")},
        {"name": "bad", "inputSchema": region("not a token")},
    ]
    with anyio.fail_after(5):
        catalog, _ = await catalog_of(serving(era, {"tools": {}}, tools=answers({"tools": listed})))
    assert names(catalog) == kept
    reason = "has an invalid x-mcp-header (property 'region': x-mcp-header 'not a token' is not an RFC 9110 token)"
    assert catalog.dropped == (() if era == "legacy" else (Dropped(kind="tool", label="bad", reason=reason),))


async def test_one_tool_is_looked_for_up_to_its_page_only() -> None:
    def page(cursor: str | None) -> Mapping[str, object]:
        number = int(cursor or 0)
        return {"tools": [tool(f"t{number}", description=f"page {number}")], "nextCursor": str(number + 1)}

    with anyio.fail_after(5):
        async with connected(serving("modern", {"tools": {}}, tools=pages(page))) as (connection, server):
            found = await fetch_tool(connection, "t2", timeout_seconds=5)
            assert found is not None
            assert (found.name, found.description) == ("t2", "page 2")
            assert methods(server).count("tools/list") == 3


async def test_a_tool_that_is_gone_or_malformed_is_none() -> None:
    listed = answers({"tools": [tool("there"), {"name": "malformed"}]})
    with anyio.fail_after(5):
        async with connected(serving("modern", {"tools": {}}, tools=listed)) as (connection, _):
            assert await fetch_tool(connection, "gone", timeout_seconds=5) is None
            assert await fetch_tool(connection, "malformed", timeout_seconds=5) is None


async def test_a_list_that_could_not_be_read_is_no_missing_tool() -> None:
    with anyio.fail_after(5):
        async with connected(serving("modern", {"tools": {}}, tools=replies(503))) as (connection, _):
            with pytest.raises(RequestFailed) as caught:
                await fetch_tool(connection, "any", timeout_seconds=5)
    assert caught.value.problem.type == "server-unavailable"


async def test_ten_thousand_tools_come_in_pages_and_stay_in_order() -> None:
    def page(cursor: str | None) -> Mapping[str, object]:
        number = int(cursor or 0)
        more = {"nextCursor": str(number + 1)} if number < 9 else {}
        return {"tools": [tool(f"t{number * 1000 + index}") for index in range(1000)], **more}

    with anyio.fail_after(20):
        catalog, asked = await catalog_of(serving("modern", {"tools": {}}, tools=pages(page)))
    assert names(catalog) == [f"t{number}" for number in range(10_000)]
    assert len(asked) == 10
    assert json.dumps(catalog.tools[0].raw) == json.dumps(tool("t0"))


@pytest.mark.behaviour("caching.lists-read-again-when-old")
async def test_lists_are_read_again_when_the_time_that_their_server_gave_is_over() -> None:
    hints = {"tools": [tool("one")], "ttlMs": 60_000, "cacheScope": "private"}
    with anyio.fail_after(5):
        async with connected(serving("modern", {"tools": {}}, tools=pages(lambda _: hints))) as (connection, _):
            began = anyio.current_time()
            await list_everything(connection, generation=1, timeout_seconds=5)
            fresh_until = connection.lists_fresh_until
            assert fresh_until is not None
            assert began + 60 <= fresh_until <= anyio.current_time() + 60
            assert not connection.must_relist
            connection.lists_fresh_until = anyio.current_time()
            assert connection.must_relist
