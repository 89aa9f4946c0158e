"""Which tools preview and execute the same thing, and the receipt that passes between them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import pytest

from mcp_host.core.catalog.entries import Tool, parse_tool
from mcp_host.core.definitions.models import Pair as DeclaredPair
from mcp_host.core.definitions.models import StdioDefinition
from mcp_host.core.pairs import Pair, find_pair, find_pairs, lacks_receipt, may_preview, receipt_in, with_receipt
from mcp_host.problems import ProblemError

_STRING: Mapping[str, object] = {"type": "string"}
_PAIR = Pair(preview="delete_preview", execute="delete_execute", receipt="receipt")


def _tool(name: str, *names: str, required: Sequence[str] = (), **schemas: Mapping[str, object]) -> Tool:
    properties = {**dict.fromkeys(names, _STRING), **schemas}
    return parse_tool(
        {"name": name, "inputSchema": {"type": "object", "properties": properties, "required": list(required)}}
    )


@pytest.mark.parametrize(
    ("preview", "execute"),
    [
        ("delete_preview", "delete_execute"),
        ("preview_delete", "execute_delete"),
        ("previewDelete", "executeDelete"),
        ("note-delete-preview", "note-delete-execute"),
        ("prepare_delete", "commit_delete"),
        ("delete.prepare", "delete.commit"),
        ("prepare", "commit"),
    ],
)
def test_a_pair_is_found_by_its_names_from_either_half(preview: str, execute: str) -> None:
    tools = [
        _tool("other", "receipt"),
        _tool(execute, "id", "receipt", required=["id", "receipt"]),
        _tool(preview, "id", required=["id"]),
    ]
    pair = Pair(preview=preview, execute=execute, receipt="receipt")
    assert find_pair(tools, (), preview) == find_pair(tools, (), execute) == pair
    assert find_pair(tools, (), "other") is None


@pytest.mark.parametrize("argument", ["receipt", "token", "confirmation", "planId", "preview_token", "confirm-id"])
def test_the_receipt_argument_may_have_one_of_many_names(argument: str) -> None:
    tools = [_tool("delete_preview", "id"), _tool("delete_execute", "id", argument)]
    assert find_pairs(tools, ()) == (Pair(preview="delete_preview", execute="delete_execute", receipt=argument),)


def test_a_nullable_receipt_is_one_too() -> None:
    nullable: Mapping[str, object] = {"anyOf": [{"type": "string"}, {"type": "null"}]}
    tools = [_tool("delete_preview", "id"), _tool("delete_execute", "id", receipt=nullable)]
    assert find_pairs(tools, ()) == (_PAIR,)


@pytest.mark.parametrize(
    "tools",
    [
        [_tool("delete_preview", "id"), _tool("delete_execute", "id")],
        [_tool("delete_preview", "id"), _tool("delete_execute", "id", receipt={"type": "integer"})],
        [_tool("delete_preview", "id", "token"), _tool("delete_execute", "id", "token")],
        [_tool("delete_preview", "id"), _tool("delete_execute", "id", "receipt", "token")],
        [_tool("delete_preview", "id", "depth", required=["depth"]), _tool("delete_execute", "id", "receipt")],
        [_tool("delete_preview", "id"), _tool("delete_execute", "id", "receipt", "to", required=["to"])],
        [_tool("delete_preview", "id"), _tool("execute_delete", "id", "receipt")],
        [_tool("delete_preview", "id"), _tool("delete_execute", "id", "receipt"), _tool("delete-execute", "receipt")],
        [_tool("delete_preview", "id"), _tool("delete", "id", "receipt")],
    ],
    ids=[
        "no receipt argument",
        "not a string",
        "a token of both tools",
        "two candidates",
        "the preview wants more",
        "the execution wants more",
        "words in another order",
        "two tools could be meant",
        "no execute in the name",
    ],
)
def test_a_doubtful_match_is_no_pair(tools: Sequence[Tool]) -> None:
    assert find_pairs(tools, ()) == ()


def test_a_declared_pair_wins_over_the_names() -> None:
    tools = [
        _tool("delete_preview", "id"),
        _tool("delete_execute", "id", "receipt"),
        _tool("look", "id"),
        _tool("move_preview", "id"),
        _tool("move_execute", "id", "receipt"),
    ]
    declared = (DeclaredPair(preview="look", execute="delete_execute", receipt="seal"),)
    assert find_pairs(tools, declared) == (
        Pair(preview="look", execute="delete_execute", receipt="seal"),
        Pair(preview="move_preview", execute="move_execute", receipt="receipt"),
    )


def test_a_declared_pair_whose_tools_are_not_there_is_none() -> None:
    tools = [_tool("delete_preview", "id"), _tool("delete_execute", "id", "receipt")]
    declared = (DeclaredPair(preview="gone", execute="delete_execute"),)
    assert find_pair(tools, declared, "delete_execute") is None


@pytest.mark.parametrize(
    "result",
    [
        {"structuredContent": {"receipt": "r1"}},
        {"structuredContent": {"result": {"receipt": "r1"}}},
        {"content": [{"type": "text", "text": "Will delete"}, {"type": "text", "text": '{"receipt": "r1"}'}]},
        {"structuredContent": {"receipt": "r1"}, "content": [{"type": "text", "text": '{"receipt": "r2"}'}]},
    ],
)
def test_the_receipt_is_taken_out_of_the_preview(result: Mapping[str, object]) -> None:
    assert receipt_in(result, _PAIR, "notes") == "r1"


@pytest.mark.parametrize(
    "result",
    [
        {},
        {"structuredContent": {"receipt": 1}},
        {"structuredContent": {"receipt": ""}},
        {"structuredContent": ["receipt"], "content": "receipt"},
        {"content": [{"type": "text", "text": "receipt: r1"}, {"type": "text", "text": "[" * 100_000}, 7]},
    ],
)
def test_a_preview_without_a_receipt_is_a_problem(result: Mapping[str, object]) -> None:
    with pytest.raises(ProblemError) as refused:
        receipt_in(result, _PAIR, "notes")
    problem = refused.value.problem
    assert (problem.type, problem.alias, problem.tool) == ("protocol-violated", "notes", "delete_execute")


def test_the_receipt_joins_the_arguments() -> None:
    arguments = {"id": "7"}
    execute = _tool("delete_execute", "id", "receipt")
    assert lacks_receipt(arguments, _PAIR)
    assert with_receipt(arguments, _PAIR, "r1", execute) == {"id": "7", "receipt": "r1"}
    assert arguments == {"id": "7"}
    assert not lacks_receipt({"id": "7", "receipt": "mine"}, _PAIR)


def test_only_a_person_lets_a_preview_run_unreviewed() -> None:
    declared = DeclaredPair(preview="delete_preview", execute="delete_execute")
    for pairs, read, allowed in (((), (), False), ((declared,), (), True), ((), ("delete_preview",), True)):
        definition = StdioDefinition(command="x", pairs=pairs, read=read)
        assert may_preview(_PAIR, definition) is allowed


def test_an_execute_tool_that_takes_the_receipt_alone_gets_it_alone() -> None:
    tools = [_tool("delete_preview", "id", required=["id"]), _tool("delete_execute", "receipt", required=["receipt"])]
    assert find_pairs(tools, ()) == (_PAIR,)
    assert with_receipt({"id": "7"}, _PAIR, "r1", tools[1]) == {"receipt": "r1"}
