"""Everything a server lists, page by page, into a catalog.

A server whose cursor repeats, that never stops paging or lists too much gets what came so far and a warning in its
survey. One that is slow fails: all pages of all its lists share one deadline. What a single entry must look like is
decided in `core/catalog/entries.py`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Final, cast

import anyio
from mcp.shared.inbound import find_invalid_x_mcp_header

from mcp_host.core.caching import list_fresh_seconds, soonest
from mcp_host.core.catalog.catalog import Catalog, Dropped, Listed, build_catalog
from mcp_host.core.catalog.entries import MalformedEntry, Tool, parse_tool
from mcp_host.core.catalog.json_values import as_object
from mcp_host.problems import ProblemError
from mcp_host.protocol.connection import Connection
from mcp_host.protocol.errors import METHOD_NOT_FOUND, RequestFailed, unwrap
from mcp_host.protocol.wording import Attempt, violated

PAGE_CAP: Final = 1000
"""Pages read of one list. At a hundred entries a page this is ten times the largest server anybody reported."""

ENTRY_CAP: Final = 50_000
"""Entries kept of one list: five times that largest server. One page may hold a million, and each is kept in memory."""


@dataclass(frozen=True, kw_only=True)
class _List:
    """One of the four lists and how it is asked for."""

    method: str
    member: str
    capability: str
    optional: bool = False
    """True where a server may lack the method although it declares the capability."""


_TOOLS: Final = _List(method="tools/list", member="tools", capability="tools")
_RESOURCES: Final = _List(method="resources/list", member="resources", capability="resources")
_TEMPLATES: Final = _List(
    method="resources/templates/list", member="resourceTemplates", capability="resources", optional=True
)
_PROMPTS: Final = _List(method="prompts/list", member="prompts", capability="prompts")
_LISTS: Final = (_TOOLS, _RESOURCES, _TEMPLATES, _PROMPTS)


@dataclass(kw_only=True)
class _Pages:
    entries: list[object] = field(default_factory=list[object])
    raw: list[Mapping[str, object]] = field(default_factory=list[Mapping[str, object]])
    """The pages without their entries: how long they are good for."""
    warnings: list[str] = field(default_factory=list[str])


async def list_everything(connection: Connection, *, generation: int, timeout_seconds: float) -> Catalog:
    """The server's whole catalog; the four lists are read at the same time.

    Args:
        timeout_seconds: For all pages of all lists together.

    Raises:
        RequestFailed: A list could not be read to its end.
        ProblemError: The answer to a list request has no list in it.
    """
    pages = {part.method: _Pages() for part in _LISTS}
    connection.lists_stale = False
    began = anyio.current_time()
    deadline = began + timeout_seconds

    async def read(part: _List) -> None:
        await _read_pages(connection, part, pages[part.method], deadline=deadline)

    try:
        async with anyio.create_task_group() as tasks:
            for part in _LISTS:
                if part.capability in connection.identity.capabilities:
                    tasks.start_soon(read, part)
    except Exception as error:  # boundary: the task group wraps what its tasks raise
        connection.lists_stale = True  # or nobody would read the change that was announced
        raise unwrap(error) from error
    fresh_seconds = soonest(_fresh_seconds(connection, part, pages[part.method]) for part in _LISTS)
    connection.lists_fresh_until = None if fresh_seconds is None else began + fresh_seconds
    catalog = build_catalog(
        connection.alias,
        generation,
        connection.identity,
        Listed(
            tools=tuple(pages[_TOOLS.method].entries),
            resources=tuple(pages[_RESOURCES.method].entries),
            templates=tuple(pages[_TEMPLATES.method].entries),
            prompts=tuple(pages[_PROMPTS.method].entries),
        ),
        warnings=tuple(warning for part in pages.values() for warning in part.warnings),
    )
    return _without_bad_headers(catalog) if connection.identity.era == "modern" else catalog


def _fresh_seconds(connection: Connection, part: _List, pages: _Pages) -> float | None:
    """How long this list may be used before it is read again; None: until the server says that it changed."""
    if not pages.raw:
        return None
    declared = as_object(connection.identity.capabilities.get(part.capability)) or {}
    refused = connection.listening.refused.lists if connection.listening is not None else frozenset[str]()
    announced = declared.get("listChanged") is True and part.capability not in refused
    return list_fresh_seconds(pages.raw, era=connection.identity.era, announced=announced)


async def fetch_tool(connection: Connection, name: str, *, timeout_seconds: float) -> Tool | None:
    """The server's definition of one tool as of now, None where it no longer lists a usable one.

    Args:
        timeout_seconds: For all the pages up to the tool's.

    Raises:
        RequestFailed: The list could not be read.
    """
    pages = _Pages()
    deadline = anyio.current_time() + timeout_seconds
    await _read_pages(connection, _TOOLS, pages, deadline=deadline, until=name)
    for raw in pages.entries:
        if _is_named(raw, name):
            try:
                return parse_tool(raw)
            except MalformedEntry:
                return None
    return None


async def _read_pages(
    connection: Connection, part: _List, pages: _Pages, *, deadline: float, until: str | None = None
) -> None:
    cursor: str | None = None
    seen: set[str] = set()
    for _ in range(PAGE_CAP):
        page = await _page(connection, part, cursor, deadline)
        entries = _entries(connection.alias, part, page)
        pages.raw.append({name: value for name, value in page.items() if name != part.member})
        room = ENTRY_CAP - len(pages.entries)
        pages.entries.extend(entries[:room])
        if len(entries) > room:
            pages.warnings.append(f"{part.method} holds more than {ENTRY_CAP} entries: the rest is left out")
            return
        cursor = _next_cursor(page)
        if cursor is None or (until is not None and any(_is_named(entry, until) for entry in entries)):
            return
        if cursor in seen:
            pages.warnings.append(f"{part.method} repeats its cursor: its list was cut at {len(pages.entries)} entries")
            return
        seen.add(cursor)
    pages.warnings.append(f"{part.method} did not end after {PAGE_CAP} pages: the rest is left out")


async def _page(connection: Connection, part: _List, cursor: str | None, deadline: float) -> Mapping[str, object]:
    first = cursor is None
    try:
        return await connection.request(
            part.method,
            {} if first else {"cursor": cursor},
            doing=f"reading {part.method}" if first else f"reading {part.method} page by page",
            timeout_seconds=max(deadline - anyio.current_time(), 0),
        )
    except RequestFailed as failure:
        if part.optional and failure.code == METHOD_NOT_FOUND:
            return {part.member: []}
        raise


def _next_cursor(page: Mapping[str, object]) -> str | None:
    # An empty one is an end too: servers of languages without a null send it.
    cursor = page.get("nextCursor")
    return cursor if isinstance(cursor, str) and cursor else None


def _entries(alias: str, part: _List, page: Mapping[str, object]) -> list[object]:
    entries = page.get(part.member)
    if isinstance(entries, list):
        return cast("list[object]", entries)
    attempt = Attempt(alias=alias, doing=f"reading {part.method}")
    raise ProblemError(violated(attempt, f'The answer has no list under "{part.member}".'))


def _is_named(entry: object, name: str) -> bool:
    return isinstance(entry, dict) and cast("dict[str, object]", entry).get("name") == name


def _without_bad_headers(catalog: Catalog) -> Catalog:
    # Specification 2026-07-28, "Mcp-Param headers": a tool with an invalid annotation MUST be dropped.
    faults = {tool.name: find_invalid_x_mcp_header(dict(tool.input_schema)) for tool in catalog.tools}
    bad = tuple(
        Dropped(kind="tool", label=name, reason=f"has an invalid x-mcp-header ({fault})")
        for name, fault in faults.items()
        if fault is not None
    )
    if not bad:
        return catalog
    kept = tuple(tool for tool in catalog.tools if faults[tool.name] is None)
    return replace(catalog, tools=kept, dropped=catalog.dropped + bad)
