"""Whatever a server sends back is shown in order, and what is odd about it is named."""

from __future__ import annotations

import base64

import pytest

from mcp_host.core.rendering.content import Part, part_faults, render_content, saved

BLOCKS: list[object] = [
    {"type": "text", "text": "one"},
    {"type": "image", "data": "iVBORw0KGgo=", "mimeType": "image/png"},
    {"type": "audio", "data": "UklGRg=="},
    {"type": "resource", "resource": {"uri": "x://a", "text": "body\nmore"}},
    {"type": "resource", "resource": {"uri": "x://b", "blob": "AAEC", "mimeType": "application/pdf"}},
    {"type": "resource_link", "uri": "file://scratch/a.txt", "name": "a", "size": 12},
    {"type": "hologram", "data": "?"},
]

PNG = base64.b64decode("iVBORw0KGgo=")


def test_every_known_block_is_shown_in_order_and_an_unknown_one_as_it_came() -> None:
    parts = render_content({"content": BLOCKS})
    assert parts == (
        Part(kind="text", lines=("one",)),
        Part(kind="attachment", lines=("image · image/png · 8 bytes",), mime="image/png", size=8, data=PNG),
        Part(kind="attachment", lines=("audio · type not given · 4 bytes",), size=4, data=b"RIFF"),
        Part(kind="resource", lines=("body", "more"), label="x://a", uri="x://a"),
        Part(
            kind="attachment",
            lines=("blob · application/pdf · 3 bytes",),
            label="x://b · application/pdf",
            uri="x://b",
            mime="application/pdf",
            size=3,
            data=b"\x00\x01\x02",
        ),
        Part(kind="link", lines=("a · file://scratch/a.txt · 12 bytes",), uri="file://scratch/a.txt", size=12),
        Part(
            kind="unknown",
            lines=("{", '  "type": "hologram",', '  "data": "?"', "}"),
            fault="unknown content type hologram, shown as it came",
        ),
    )
    assert part_faults(parts) == ("part 7: unknown content type hologram, shown as it came",)


def test_a_saved_attachment_has_a_path_and_lets_its_bytes_go() -> None:
    part = saved(render_content({"content": BLOCKS})[1], "/state/1.png")
    assert (part.path, part.data, part.size) == ("/state/1.png", None, 8)


def test_structured_content_is_laid_out_after_the_text_that_says_something_else() -> None:
    parts = render_content({"content": [{"type": "text", "text": "did it"}], "structuredContent": {"id": 1}})
    assert parts == (
        Part(kind="text", lines=("did it",)),
        Part(kind="json", label="structuredContent", lines=("{", '  "id": 1', "}")),
    )


def test_structured_content_that_the_text_repeats_is_shown_once() -> None:
    text = {"type": "text", "text": '{"b": [1], "a": true}'}
    image = {"type": "image", "data": "", "mimeType": "image/png"}
    parts = render_content({"content": [image, text], "structuredContent": {"a": True, "b": [1]}})
    assert [part.kind for part in parts] == ["attachment", "json"]
    assert parts[1].lines == ("{", '  "a": true,', '  "b": [', "    1", "  ]", "}")


def test_true_is_not_one() -> None:
    parts = render_content({"content": [{"type": "text", "text": '{"a":1}'}], "structuredContent": {"a": True}})
    assert len(parts) == 2


@pytest.mark.parametrize(
    ("texts", "structured", "kinds"),
    [
        (["two\nlines"], {"result": "two\nlines"}, ["text"]),
        (["5"], {"result": 5}, ["text"]),
        (["a", "b"], {"result": ["a", "b"]}, ["text", "text"]),
        (['{"x": 1}', '{"x": 2}'], {"result": [{"x": 1}, {"x": 2}]}, ["json"]),
        (['[{"x": 1}]'], {"result": [{"x": 1}]}, ["json"]),
        (["a"], {"result": "b"}, ["text", "json"]),
        ([], {"result": []}, ["json"]),
        (["a"], {"result": "a", "more": 1}, ["text", "json"]),
    ],
)
def test_the_wrapper_of_the_frameworks_is_seen_through(texts: list[str], structured: object, kinds: list[str]) -> None:
    content = [{"type": "text", "text": text} for text in texts]
    assert [part.kind for part in render_content({"content": content, "structuredContent": structured})] == kinds


def test_compact_json_in_a_text_is_laid_out_and_other_text_is_not() -> None:
    parts = render_content(
        {
            "content": [
                {"type": "text", "text": '{"a":1.10}'},
                {"type": "text", "text": '{\n "a": 1\n}'},
                {"type": "text", "text": "[see {below}]"},
            ]
        }
    )
    assert [(part.kind, part.lines) for part in parts] == [
        ("json", ("{", '  "a": 1.10', "}")),
        ("text", ("{", ' "a": 1', "}")),
        ("text", ("[see {below}]",)),
    ]


@pytest.mark.parametrize(
    ("result", "fault"),
    [
        ({}, "the result has no content"),
        ({"content": ["bare"]}, "a content block without a type"),
        ({"content": "bare"}, "a content block without a type"),
        ({"content": {"type": 7}}, "unknown content type 7, shown as it came"),
        ({"content": [{"type": "text"}]}, "a text block whose text is no string"),
        ({"content": [{"type": "image", "data": "*"}]}, "image data that is not base64, shown as it came"),
        ({"content": [{"type": "audio"}]}, "audio data that is not base64, shown as it came"),
        ({"content": [{"type": "resource"}]}, "a resource without text or blob"),
        ({"content": [{"type": "resource", "resource": {"text": 1}}]}, "a resource whose text is no string"),
        ({"content": [{"type": "resource_link"}]}, "a resource link without a uri"),
        ({"contents": [7]}, "a resource without text or blob"),
        ({"messages": ["x"]}, "not a prompt message"),
    ],
)
def test_an_odd_result_is_shown_and_its_fault_named(result: dict[str, object], fault: str) -> None:
    (part,) = render_content(result)
    assert (part.kind, part.fault) == ("unknown", fault)
    assert part.lines


@pytest.mark.parametrize("result", [{"content": []}, {"content": None}, {"contents": []}, {"messages": []}])
def test_an_empty_result_is_no_parts(result: dict[str, object]) -> None:
    assert render_content(result) == ()


def test_the_contents_of_a_resource_carry_their_uri() -> None:
    parts = render_content({"contents": [{"uri": "x://a", "mimeType": "text/plain", "text": "hi"}]})
    assert parts == (Part(kind="text", lines=("hi",), label="x://a · text/plain", uri="x://a", mime="text/plain"),)


def test_the_messages_of_a_prompt_carry_their_role() -> None:
    parts = render_content(
        {
            "description": "About",
            "messages": [
                {"role": "user", "content": {"type": "text", "text": "q"}},
                {"role": "assistant", "content": [{"type": "resource", "resource": {"uri": "x://a", "text": "t"}}]},
            ],
        }
    )
    assert [(part.label, part.lines) for part in parts] == [
        ("description", ("About",)),
        ("user", ("q",)),
        ("assistant · x://a", ("t",)),
    ]


def test_hostile_text_is_safe_in_every_field() -> None:
    evil = "\x1b]52;c;x\x07\u202e\ud800\x00\r\n\x9b"
    results: list[dict[str, object]] = [
        {
            "content": [
                {"type": "text", "text": evil},
                {"type": evil, evil: evil},
                {"type": "image", "data": "", "mimeType": evil},
                {"type": "resource_link", "uri": evil, "name": evil, "title": evil, "description": evil},
                {"type": "resource", "resource": {"uri": evil, "mimeType": evil, "text": evil}},
                {"type": "resource", "resource": {"uri": evil, "mimeType": evil, "blob": evil}},
                evil,
            ],
            "structuredContent": {evil: evil},
        },
        {"description": evil, "messages": [{"role": evil, "content": {"type": "text", "text": evil}}]},
    ]
    for result in results:
        for part in render_content(result):
            for line in (*part.lines, part.label, part.fault or ""):
                assert line.isprintable()
                line.encode()
