"""Reading one listed entry: what is kept, what is malformed and how it is named."""

from __future__ import annotations

import pytest

from mcp_host.core.catalog.entries import (
    MalformedEntry,
    Prompt,
    PromptArgument,
    Resource,
    ResourceTemplate,
    Tool,
    parse_prompt,
    parse_resource,
    parse_template,
    parse_tool,
)
from mcp_host.core.catalog.json_values import MAX_DEPTH

EMPTY: dict[str, object] = {"type": "object"}


def nested(depth: int) -> dict[str, object]:
    schema: dict[str, object] = {}
    for _ in range(depth):
        schema = {"not": schema}
    return schema


def test_a_tool_keeps_every_field_and_the_servers_own_object() -> None:
    raw: dict[str, object] = {
        "name": "t",
        "title": "T",
        "description": "Does it.",
        "inputSchema": EMPTY,
        "outputSchema": {"type": "object", "properties": {}},
        "annotations": {"readOnlyHint": True},
        "_meta": {"x": 1},
    }
    tool = parse_tool(raw)
    assert tool == Tool(
        name="t",
        title="T",
        description="Does it.",
        input_schema=EMPTY,
        output_schema={"type": "object", "properties": {}},
        annotations={"readOnlyHint": True},
        raw=raw,
    )
    assert tool.raw is raw


@pytest.mark.parametrize("odd", [None, 7, [], {}, "", "  "])
def test_a_describing_field_of_the_wrong_type_counts_as_absent(odd: object) -> None:
    raw = {"name": "t", "title": odd, "description": odd, "inputSchema": EMPTY, "annotations": odd, "icons": odd}
    tool = parse_tool(raw)
    assert (tool.title, tool.description, tool.annotations) == (None, None, {})


def test_an_output_schema_that_is_no_object_counts_as_absent() -> None:
    assert parse_tool({"name": "t", "inputSchema": EMPTY, "outputSchema": [1]}).output_schema is None


def test_null_members_of_the_input_schema_count_as_absent_and_raw_keeps_them() -> None:
    schema = {"type": "object", "properties": None, "required": None, "title": "x"}
    tool = parse_tool({"name": "t", "inputSchema": schema})
    assert tool.input_schema == {"type": "object", "title": "x"}
    assert tool.raw["inputSchema"] is schema


@pytest.mark.parametrize("schema", [{}, {"type": None}, {"type": ["object", "null"]}, {"type": "object", "$ref": 3}])
def test_an_odd_input_schema_that_admits_objects_is_kept(schema: object) -> None:
    assert parse_tool({"name": "t", "inputSchema": schema}).name == "t"


@pytest.mark.parametrize(
    "schema",
    [
        None,
        [],
        "object",
        True,
        {"type": "string"},
        {"type": ["string"]},
        {"type": 1},
        {"type": "object", "required": "a"},
        {"type": "object", "required": [1]},
        {"type": "object", "required": {"a": True}},
        {"type": "object", "properties": ["a"]},
        nested(MAX_DEPTH + 1),
        nested(10_000),
    ],
)
def test_an_input_schema_that_arguments_cannot_be_checked_against_is_malformed(schema: object) -> None:
    with pytest.raises(MalformedEntry) as caught:
        parse_tool({"name": "t", "inputSchema": schema})
    assert caught.value.label == "t"


def test_a_tool_without_an_input_schema_is_malformed() -> None:
    with pytest.raises(MalformedEntry):
        parse_tool({"name": "t"})


@pytest.mark.parametrize("raw", [None, 3, "t", [], {}, {"name": None}, {"name": 3}, {"name": ""}, {"name": " "}])
def test_an_entry_without_a_name_is_labelled_by_its_position(raw: object) -> None:
    for parse in (parse_tool, parse_prompt, parse_resource, parse_template):
        with pytest.raises(MalformedEntry) as caught:
            parse(raw, 4)
        assert caught.value.label == "#4"


def test_a_name_that_no_transport_can_send_is_malformed() -> None:
    with pytest.raises(MalformedEntry):
        parse_tool({"name": "\ud800", "inputSchema": EMPTY})


def test_a_resource_without_a_name_goes_by_its_uri() -> None:
    raw = {"uri": "x://1", "mimeType": "text/plain", "title": None}
    assert parse_resource(raw) == Resource(uri="x://1", name="x://1", mime_type="text/plain", raw=raw)


def test_a_template_is_read() -> None:
    raw = {"uriTemplate": "x://{id}", "name": "one", "description": "D"}
    assert parse_template(raw) == ResourceTemplate(uri_template="x://{id}", name="one", description="D", raw=raw)


def test_a_prompt_is_read_with_its_arguments() -> None:
    raw = {"name": "p", "arguments": [{"name": "a", "required": True}, {"name": "b", "title": "B", "required": "yes"}]}
    arguments = (PromptArgument(name="a", required=True), PromptArgument(name="b", title="B"))
    assert parse_prompt(raw) == Prompt(name="p", arguments=arguments, raw=raw)


def test_a_prompt_whose_argument_has_no_name_is_malformed() -> None:
    with pytest.raises(MalformedEntry) as caught:
        parse_prompt({"name": "p", "arguments": [{"name": "a"}, {"required": True}]})
    assert caught.value.label == "p"


def test_a_prompt_without_a_list_of_arguments_takes_none() -> None:
    odd: tuple[object, ...] = (None, {}, "a")
    for arguments in odd:
        assert parse_prompt({"name": "p", "arguments": arguments}).arguments == ()
