"""Whether a request was offered is read from what the server was told, and from the revision that it agreed on."""

from __future__ import annotations

from typing import Any

import pytest

from mcp_host.core.catalog.catalog import ServerIdentity
from mcp_host.core.interactions.requests import InputRequest
from mcp_host.protocol.envelope import Envelope
from mcp_host.protocol.offering import offers_tasks, offers_urls, refusal_of

MODERN, LATEST = "2026-07-28", "2025-11-25"
FORM: dict[str, Any] = {}
URL: dict[str, Any] = {"mode": "url"}


def envelope(capabilities: dict[str, Any], revision: str = MODERN) -> Envelope:
    identity = ServerIdentity(era="modern" if revision == MODERN else "legacy", revision=revision)
    return Envelope(identity=identity, client_info={}, capabilities=capabilities)


def code(method: str, params: dict[str, Any], capabilities: dict[str, Any], revision: str = MODERN) -> int | None:
    refusal = refusal_of(InputRequest(key="k", method=method, params=params), envelope(capabilities, revision))
    return refusal.code if refusal is not None else None


@pytest.mark.behaviour("mrtr.only-what-was-offered")
@pytest.mark.behaviour("legacy.only-what-was-offered")
@pytest.mark.parametrize(
    ("capability", "params", "expected"),
    [
        (None, FORM, -32601),
        ({}, FORM, None),
        ({}, URL, -32602),
        ({"form": {}}, FORM, None),
        ({"form": {}}, URL, -32602),
        ({"url": {}}, FORM, -32602),
        ({"url": {}}, URL, None),
        ({"form": {}, "url": {}}, {"mode": "form"}, None),
        ({"form": {}}, {"mode": None}, None),
        ({"url": {}}, {"mode": None}, -32602),
        ({"form": {}, "url": {}}, {"mode": "voice"}, -32602),
        ({"form": {}, "url": {}}, {"mode": 3}, -32602),
        (True, FORM, -32601),
    ],
)
def test_an_elicitation_is_offered_by_its_mode(capability: Any, params: dict[str, Any], expected: int | None) -> None:
    told = {} if capability is None else {"elicitation": capability}
    assert code("elicitation/create", params, told) == expected
    assert code("elicitation/create", params, told, LATEST) == expected


def test_sampling_with_tools_is_offered_by_name() -> None:
    with_tools: list[Any] = [{"tools": []}, {"toolChoice": {"mode": "auto"}}]
    for params in with_tools:
        assert code("sampling/createMessage", params, {"sampling": {}}) == -32602
        assert code("sampling/createMessage", params, {"sampling": {"tools": {}}}) is None
    assert code("sampling/createMessage", {}, {"sampling": {}}) is None
    assert code("sampling/createMessage", {}, {"elicitation": {}}) == -32601


def test_sampling_whose_tools_are_null_wants_none() -> None:
    params = {"tools": None, "toolChoice": None}
    assert code("sampling/createMessage", params, {"sampling": {}}) is None
    assert code("sampling/createMessage", {**params, "tools": []}, {"sampling": {}}) == -32602


def test_nothing_else_is_ever_offered() -> None:
    assert code("tools/list", {}, {"elicitation": {}, "sampling": {}, "roots": {}, "": {}}) == -32601


@pytest.mark.parametrize(
    ("told", "revision", "offered"),
    [
        ({"elicitation": {"form": {}, "url": {}}}, MODERN, True),
        ({"elicitation": {"form": {}, "url": {}}}, LATEST, True),
        ({"elicitation": {"form": {}, "url": {}}}, "2025-06-18", False),
        ({"elicitation": {}}, MODERN, False),
        ({}, MODERN, False),
    ],
)
def test_urls_are_offered_where_they_were_told(told: dict[str, Any], revision: str, offered: bool) -> None:
    assert offers_urls(envelope(told, revision)) == offered


@pytest.mark.parametrize(
    ("told", "offered"),
    [
        ({"extensions": {"io.modelcontextprotocol/tasks": {}}}, True),
        ({"extensions": {}}, False),
        ({"extensions": None}, False),
        ({}, False),
    ],
)
def test_tasks_are_offered_where_they_were_told(told: dict[str, Any], offered: bool) -> None:
    assert offers_tasks(envelope(told)) == offered
