"""The text to answer in: one request on top of it, several in a table each, and nothing accepted by default."""

from __future__ import annotations

import pytest
import tomli

from mcp_host.core.interactions.answer_text import answer_text
from mcp_host.core.interactions.requests import Asked
from mcp_host.core.interactions.responses import Answers
from mcp_host.core.interactions.text_lines import TextLine
from tests.core.interactions.samples import (
    asked,
    fields,
    form_request,
    roots_request,
    sampling_request,
    url_request,
)

NAME = {**fields(name={"type": "string"}), "required": ["name"]}


def _lines(question: Asked, *, drafts: Answers | None = None) -> list[str]:
    return [one.text for one in answer_text(question, roots=("/home/me/my work",), drafts=drafts)]


def test_one_form_stands_on_top() -> None:
    assert _lines(asked(form_request(NAME))) == [
        "#   Please fill this in.",
        "",
        "# text, required",
        '#name = ""',
    ]


def test_several_requests_have_a_table_each() -> None:
    question = asked(form_request(NAME, key="who"), url_request("https://a.example/b", key="my link"), roots_request())
    assert _lines(question) == [
        "[who]",
        "#   Please fill this in.",
        "",
        "# text, required",
        '#name = ""',
        "",
        '["my link"]',
        "#   Please connect your account.",
        "#",
        "#   https://a.example/b",
        "#",
        "# It leads to a.example",
        "#visited = true",
        "",
        "# It also asks for your folders, and is sent:",
        "#   file:///home/me/my%20work",
    ]


@pytest.mark.behaviour("url.never-by-default")
def test_an_address_is_never_visited_by_default() -> None:
    question = asked(form_request(NAME, key="who"), url_request("https://a.example/b", key="link"))
    assert tomli.loads("\n".join(_lines(question))) == {"who": {}, "link": {}}


def test_a_form_beside_folders_stands_on_top_all_the_same() -> None:
    lines = _lines(asked(roots_request(), form_request(NAME)))
    assert lines[0] == "# It also asks for your folders, and is sent:"
    assert lines[-1] == '#name = ""'
    assert not any(text.startswith("[") for text in lines)


def test_folders_that_nobody_gave_are_none() -> None:
    question = asked(form_request(NAME), roots_request())
    assert answer_text(question)[-1].text == "# It also asks for your folders, and is told of none."


@pytest.mark.behaviour("url.shown-whole")
def test_the_address_stands_on_its_line_as_it_came_and_its_host_is_marked() -> None:
    url = "https://mcp.ex%61mple.com:8443/ui/%C3%A9?x=%20&y=#z"
    question = asked(form_request(NAME), url_request("https://xn--e1afmkfd.com/a%20b?c=d", key="u"), url_request(url))
    (shown,) = [one for one in answer_text(question) if one.text.startswith("#   https://xn--")]
    assert shown == TextLine(
        pieces=("# ", "  https://", ("xn--e1afmkfd.com", "host"), "/a%20b?c=d"),
        url="https://xn--e1afmkfd.com/a%20b?c=d",
    )
    (refused,) = [one for one in answer_text(question) if "8443" in one.text]
    assert refused.text == f"#   {url}"
    assert refused.url is None


@pytest.mark.parametrize("url", [None, "", 7, ["https://a.example"]])
def test_an_address_that_is_none_is_said_to_be_missing(url: object) -> None:
    assert "# ! it names no address" in _lines(asked(form_request(NAME), url_request(url)))


@pytest.mark.behaviour("form.defaults")
def test_defaults_are_filled_in() -> None:
    schema = fields(a={"type": "string", "default": ""}, b={"type": "number", "default": 2}, c={"type": "boolean"})
    assert tomli.loads("\n".join(_lines(asked(form_request(schema))))) == {"a": "", "b": 2}


def test_a_draft_takes_the_place_of_the_defaults() -> None:
    schema = fields(a={"type": "string", "default": "x"}, b={"type": "integer"})
    drafts = {"request": {"action": "accept", "content": {"b": 1, "other name": [True]}}}
    lines = _lines(asked(form_request(schema)), drafts=drafts)
    assert tomli.loads("\n".join(lines)) == {"b": 1, "other name": [True]}


def test_a_form_without_fields_says_so() -> None:
    assert _lines(asked(form_request(fields())))[-1] == "# There is nothing to fill in: writing this says yes."


def test_a_schema_that_is_no_form_says_so_and_takes_any_name() -> None:
    assert _lines(asked(form_request("no schema"))) == [
        "#   Please fill this in.",
        "# ! the server's schema is not an object, so nothing says what it takes",
        "",
        "# Other names may be written here too: name = value",
    ]


@pytest.mark.parametrize("message", ["", "  \n", None, 7])
def test_a_request_without_a_message_says_that_it_has_none(message: object) -> None:
    assert _lines(asked(form_request(NAME, message=message)))[0] == "# (it does not say why)"


def test_a_completion_has_its_request_above_and_three_members_below() -> None:
    lines = _lines(asked(sampling_request()))
    assert lines == [
        "# user:",
        "#   What is the capital?",
        "# at most 100 tokens",
        "",
        'model = "human"',
        'stop_reason = "endTurn"',
        'text = """',
        "",
        '"""',
    ]


def test_a_form_of_very_many_fields_is_cut_and_says_so() -> None:
    schema = fields(**{f"f{number}": {"type": "string"} for number in range(600)})
    lines = _lines(asked(form_request(schema)))
    assert '#f499 = ""' in lines
    assert '#f500 = ""' not in lines
    assert lines[-1] == "# ! 100 more fields are not shown, and only sent where you write them"


def test_keys_that_no_line_has_room_for_get_numbers() -> None:
    question = asked(form_request(NAME, key="x" * 500), form_request(NAME, key="\ud800"), form_request(NAME, key="c"))
    assert [text for text in _lines(question) if text.startswith("[")] == ["[request-1]", "[request-2]", "[c]"]
