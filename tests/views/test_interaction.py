"""What a server asks is shown with who asks and why first, and what is to be filled in is TOML and nothing else."""

from __future__ import annotations

import json

import pytest
import tomli

from mcp_host.core.interactions.answer_text import answer_text, read_answer_text
from mcp_host.core.interactions.requests import Asked, InputRequest
from mcp_host.core.interactions.responses import accepted_form
from mcp_host.core.rendering.text import display_width
from mcp_host.views.interaction import (
    InteractionFacts,
    State,
    interaction_document,
    interaction_view,
    interactions_document,
    interactions_view,
)
from mcp_host.views.view import Item, View
from tests.core.interactions.samples import (
    EVERY_KIND,
    asked,
    fields,
    form_request,
    roots_request,
    sampling_request,
    url_request,
)
from tests.views.samples import HOSTILE, assert_safe, text_of

FORM = asked(form_request(fields(name={"type": "string", "default": "Ada"})))
VISIT = asked(url_request("https://mcp.example.com/connect?x=1"))


def _facts(question: Asked, *, state: State = "open", can_sample: bool = False) -> InteractionFacts:
    return InteractionFacts(id="q1", asked=question, roots=("/home/me/work",), state=state, can_sample=can_sample)


def _marked(view: View, group: str) -> list[str]:
    return [view.lines[mark.row].encode()[mark.start : mark.end].decode() for mark in view.marks if mark.group == group]


@pytest.mark.behaviour("interaction.who-asks")
def test_a_form_says_who_asks_and_why_and_then_what() -> None:
    view = interaction_view(_facts(FORM))
    assert view.lines == (
        "# notes asks you to fill this in, for its tool add_contact (call c7)",
        "# Lines that begin with # are not sent; a field that you fill in loses its #.",
        "#   Please fill this in.",
        "",
        "# text",
        'name = "Ada"',
    )
    assert (view.filetype, view.title) == ("toml", "notes asks · q1")
    assert view.items == (Item(row=0, kind="interaction", alias="notes", name="q1"),)
    assert _marked(view, "McpAlias") == ["notes"]
    assert _marked(view, "McpTool") == ["add_contact"]


def test_without_a_tool_it_says_what_runs() -> None:
    question = Asked(alias="notes", requests=FORM.requests, doing="reading note://1")
    assert interaction_view(_facts(question)).lines[0] == "# notes asks you to fill this in, while reading note://1"


@pytest.mark.behaviour("url.consent-first")
def test_an_address_is_a_page_to_read_with_its_host_to_be_seen() -> None:
    view = interaction_view(_facts(VISIT))
    assert view.lines == (
        "notes asks you to visit an address, for its tool add_contact (call c7)",
        "It is opened by gx and by nothing else; :write says that you were there.",
        "",
        "  Please connect your account.",
        "",
        "  https://mcp.example.com/connect?x=1",
        "",
        "It leads to mcp.example.com",
    )
    assert view.filetype == "mcp-interaction"
    assert _marked(view, "McpTitle") == ["mcp.example.com", "mcp.example.com"]
    assert view.items == (
        Item(row=0, kind="interaction", alias="notes", name="q1"),
        Item(row=5, kind="url", alias="notes", name="https://mcp.example.com/connect?x=1"),
    )


def test_an_address_that_is_not_opened_from_here_is_only_to_be_read() -> None:
    view = interaction_view(_facts(asked(url_request("file:///etc/passwd"))))
    assert [item.kind for item in view.items] == ["interaction"]
    assert view.lines[1] == ":write says that you were there."
    assert "  file:///etc/passwd" in view.lines
    assert _marked(view, "McpProblem") == ["! this address is no http or https address, so it is not opened from here"]


def test_folders_beside_an_address_are_mentioned() -> None:
    view = interaction_view(_facts(asked(*VISIT.requests, roots_request())))
    assert view.lines[0].startswith("notes asks you to visit an address")
    assert view.lines[-2:] == ("It also asks for your folders, and is sent:", "  file:///home/me/work")


def test_several_requests_are_counted() -> None:
    question = asked(*FORM.requests, *VISIT.requests, roots_request())
    view = interaction_view(_facts(question))
    assert view.lines[0].startswith("# notes asks for 2 things at once")
    assert tomli.loads(text_of(view)) == {"request": {"name": "Ada"}, "visit": {}}
    assert [item.kind for item in view.items] == ["interaction", "url"]


@pytest.mark.parametrize("can_sample", [True, False])
def test_a_completion_says_what_can_write_it(can_sample: bool) -> None:
    view = interaction_view(_facts(asked(sampling_request()), can_sample=can_sample))
    assert view.lines[0].startswith("# notes asks for a model's answer")
    assert ("# :McpSample has your function write the model's answer here." in view.lines) is can_sample


@pytest.mark.parametrize(
    ("state", "words"),
    [
        ("answered", "It was answered."),
        ("declined", "It was declined."),
        ("cancelled", "It was left without an answer."),
        ("withdrawn", "It is over: the call ended first."),
    ],
)
def test_one_that_is_over_says_so_and_is_no_form_any_more(state: State, words: str) -> None:
    view = interaction_view(_facts(FORM, state=state))
    assert view.lines[1] == f"# {words} Nothing can be sent any more."
    assert view.filetype == "mcp-interaction"


def test_the_page_changes_nothing_of_the_text_to_fill_in() -> None:
    schema = fields(
        a={"type": "string", "default": 'x \n  "y"\t\n' + "z" * 2000}, b={"type": "array", "default": [" "]}
    )
    question = asked(form_request(schema))
    view = interaction_view(_facts(question))
    body = tuple(one.text for one in answer_text(question))
    assert view.lines[2:] == body
    assert read_answer_text(question, text_of(view))["request"] == accepted_form(
        {"a": 'x \n  "y"\t\n' + "z" * 2000, "b": [" "]}
    )


def test_drafts_are_shown() -> None:
    drafts = {"request": accepted_form({"name": "Grace"})}
    view = interaction_view(InteractionFacts(id="q1", asked=FORM, drafts=drafts))
    assert view.lines[-1] == 'name = "Grace"'


def test_ten_fields_are_compact_and_fit_eighty_columns() -> None:
    view = interaction_view(_facts(asked(form_request(EVERY_KIND))))
    assert max(map(display_width, view.lines)) <= 80
    assert len(view.lines) <= 50


def _hostile() -> tuple[Asked, ...]:
    schema = {
        **fields(a={"type": "string", "title": HOSTILE, "description": HOSTILE, "default": HOSTILE}),
        "required": [HOSTILE],
    }
    requests = (
        form_request(schema, key=HOSTILE, message=HOSTILE),
        url_request(f"https://{HOSTILE}/{HOSTILE}", key=f"u{HOSTILE}", message=HOSTILE),
        sampling_request(key=f"s{HOSTILE}", systemPrompt=HOSTILE, messages=[{"role": HOSTILE, "content": HOSTILE}]),
        InputRequest(key="?", method=HOSTILE, params={HOSTILE: HOSTILE}),
    )
    return tuple(
        Asked(alias=HOSTILE, requests=some, doing=HOSTILE, tool=tool, call=HOSTILE)
        for some in (requests, *((one,) for one in requests), ())
        for tool in (HOSTILE, None)
    )


@pytest.mark.behaviour("interaction.hostile-words")
def test_hostile_words_everywhere_stay_words() -> None:
    questions = [_facts(question) for question in _hostile()]
    for facts in questions:
        view = interaction_view(facts)
        assert_safe(view)
        if view.filetype == "toml":
            assert len(tomli.loads(text_of(view))) <= 4
        json.dumps(interaction_document(facts), ensure_ascii=False).encode()
    assert_safe(interactions_view(questions))


def test_a_text_that_no_buffer_holds_is_cut_and_says_so() -> None:
    question = asked(*(sampling_request(key=f"s{at}", systemPrompt="x\n" * 15_000) for at in range(5)))
    view = interaction_view(_facts(question))
    assert len(view.lines) == 50_001
    assert view.lines[-1].startswith("# ! ")
    assert view.lines[-1].endswith(" more lines are not shown")


def test_the_queue_has_a_line_for_each() -> None:
    view = interactions_view([_facts(FORM), _facts(VISIT, state="declined")])
    assert view.lines == (
        "Questions (1 open)",
        "  q1  notes.add_contact  asks you to fill this in  waits for you  Please fill this in.",
        "  q1  notes.add_contact  asks you to visit an address  was declined  Please connect your account.",
    )
    assert view.items == (
        Item(row=1, kind="interaction", alias="notes", name="q1"),
        Item(row=2, kind="interaction", alias="notes", name="q1"),
    )
    assert (view.filetype, view.title) == ("mcp-interactions", "questions")


def test_an_empty_queue_says_so() -> None:
    assert interactions_view([]).lines == ("Questions (0 open)", "  No server asks anything.")


def test_the_document_has_the_requests_as_they_came() -> None:
    question = asked(*FORM.requests, *VISIT.requests, sampling_request(), roots_request())
    document = interaction_document(_facts(question))
    assert document == {
        "interaction": {
            "interaction": "q1",
            "alias": "notes",
            "tool": "add_contact",
            "call": "c7",
            "doing": "calling add_contact",
            "state": "open",
            "requests": [
                {
                    "key": "request",
                    "kind": "form",
                    "method": "elicitation/create",
                    "message": "Please fill this in.",
                    "requestedSchema": fields(name={"type": "string", "default": "Ada"}),
                },
                {
                    "key": "visit",
                    "kind": "url",
                    "method": "elicitation/create",
                    "message": "Please connect your account.",
                    "url": "https://mcp.example.com/connect?x=1",
                    "host": "mcp.example.com",
                    "can_open": True,
                    "cautions": [],
                },
                {
                    "key": "capital",
                    "kind": "sampling",
                    "method": "sampling/createMessage",
                    "messages": [{"role": "user", "content": {"type": "text", "text": "What is the capital?"}}],
                    "maxTokens": 100,
                },
                {"key": "folders", "kind": "roots", "method": "roots/list", "roots": ["file:///home/me/work"]},
            ],
        }
    }
    assert interactions_document([_facts(question)]) == {"interactions": [document["interaction"]]}


def test_a_server_cannot_name_what_is_ours_to_name() -> None:
    request = InputRequest(
        key="k",
        method="elicitation/create",
        params={"mode": "url", "url": "file:///x", "kind": "form", "key": "other", "can_open": True, "_meta": {}},
    )
    document = interaction_document(InteractionFacts(id="q1", asked=Asked(alias="a", requests=(request,), doing="x")))
    assert json.loads(json.dumps(document))["interaction"]["requests"] == [
        {
            "url": "file:///x",
            "kind": "url",
            "key": "k",
            "can_open": False,
            "method": "elicitation/create",
            "host": "",
            "cautions": ["is no http or https address, so it is not opened from here"],
        }
    ]
