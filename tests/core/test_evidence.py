"""What a receipt rests on, and what counts as a change."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import pytest

from mcp_host.core.catalog.catalog import ServerIdentity
from mcp_host.core.catalog.entries import parse_tool
from mcp_host.core.definitions.models import StdioDefinition
from mcp_host.core.evidence import Evidence, differences, fingerprint_of, gather

_DEFINITION = StdioDefinition(command="server", env={"TOKEN": "${TOKEN}"})
_IDENTITY = ServerIdentity(name="notes", version="1.0", era="modern", revision="2026-07-28")
_RAW: Mapping[str, object] = {"name": "delete", "description": "Deletes", "inputSchema": {"type": "object"}}
_ARGUMENTS: Mapping[str, object] = {"b": 1, "a": 2}
_PREVIEW: Mapping[str, object] = {"content": [{"type": "text", "text": "1 note"}]}


def _evidence() -> Evidence:
    return gather(
        definition=_DEFINITION, identity=_IDENTITY, tool=parse_tool(_RAW), arguments=_ARGUMENTS, preview=_PREVIEW
    )


def test_the_same_things_give_the_same_evidence_in_any_order_of_members() -> None:
    again = gather(
        definition=StdioDefinition(command="server", env={"TOKEN": "${TOKEN}"}),
        identity=replace(_IDENTITY, instructions="Reworded", capabilities={"tools": {}}),
        tool=parse_tool({name: _RAW[name] for name in sorted(_RAW, reverse=True)}),
        arguments={"a": 2, "b": 1},
        preview=fingerprint_of(_PREVIEW),
    )
    assert again == _evidence()
    assert differences(again, _evidence(), alias="notes", tool="delete") == ()


def test_evidence_holds_fingerprints_and_nothing_else() -> None:
    parts = vars(_evidence())
    assert {len(part) for part in parts.values()} == {64}
    assert set("".join(parts.values())) <= set("0123456789abcdef")


@pytest.mark.parametrize(
    "change",
    [
        {"description": "Deletes everything"},
        {"inputSchema": {"type": "object", "properties": {"n": {}}}},
        {"annotations": {"readOnlyHint": True}},
        {"title": "Delete"},
    ],
)
def test_any_change_of_the_tool_is_a_difference(change: Mapping[str, object]) -> None:
    changed = gather(
        definition=_DEFINITION,
        identity=_IDENTITY,
        tool=parse_tool({**_RAW, **change}),
        arguments=_ARGUMENTS,
        preview=_PREVIEW,
    )
    assert differences(_evidence(), changed, alias="notes", tool="delete") == (
        "notes changed the definition of delete",
    )


def test_each_difference_is_said_in_words() -> None:
    changed = gather(
        definition=StdioDefinition(command="other"),
        identity=replace(_IDENTITY, version="1.1"),
        tool=None,
        arguments={"a": 2.0, "b": 1},
    )
    assert differences(_evidence(), changed, alias="notes", tool="delete") == (
        "the definition of notes changed",
        "notes is another server, version or protocol revision now",
        "notes no longer offers delete",
        "the arguments are not the ones that were shown",
        "the server's preview is another one",
    )


def test_whatever_a_server_sends_as_a_preview_has_a_fingerprint() -> None:
    assert len(fingerprint_of({"text": "\ud800", "number": float("nan")})) == 64
