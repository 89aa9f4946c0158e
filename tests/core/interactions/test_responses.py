"""The raw results that go over the wire."""

from __future__ import annotations

import pytest

from mcp_host.core.interactions.form import read_form
from mcp_host.core.interactions.responses import (
    accepted_form,
    accepted_url,
    content_from_defaults,
    declined,
    dismissed,
    roots_answer,
    sampled,
)
from tests.core.interactions.samples import (
    EVERY_KIND,
    form_request,
    roots_request,
    sampling_request,
    url_request,
)


@pytest.mark.behaviour("elicitation.three-actions")
def test_yes_no_and_neither_are_three_results() -> None:
    form, url = form_request({}), url_request("https://a.b")
    assert accepted_form({"a": 1}) == {"action": "accept", "content": {"a": 1}}
    assert accepted_url() == {"action": "accept"}
    assert [declined(form), declined(url)] == [{"action": "decline"}] * 2
    assert [dismissed(form), dismissed(url)] == [{"action": "cancel"}] * 2


def test_a_completion_and_the_folders_have_no_polite_no() -> None:
    for request in (sampling_request(), roots_request()):
        assert (declined(request), dismissed(request)) == (None, None)


def test_a_completion_is_one_text() -> None:
    assert sampled("hi", model="m", stop_reason="maxTokens") == {
        "role": "assistant",
        "content": {"type": "text", "text": "hi"},
        "model": "m",
        "stopReason": "maxTokens",
    }


@pytest.mark.behaviour("roots.file-uris")
def test_folders_are_file_uris_with_their_names() -> None:
    assert roots_answer(("/home/me/my work", "/", "file:///x%20y/z/", "/söme/#1?", "/bad\udcff")) == {
        "roots": [
            {"uri": "file:///home/me/my%20work", "name": "my work"},
            {"uri": "file:///", "name": "/"},
            {"uri": "file:///x%20y/z/", "name": "z"},
            {"uri": "file:///s%C3%B6me/%231%3F", "name": "#1?"},
            {"uri": "file:///bad%FF", "name": "bad?"},
        ]
    }


def test_the_defaults_are_those_of_the_schema_and_no_others() -> None:
    assert content_from_defaults(read_form(EVERY_KIND)) == {
        "page": "https://example.com/me",
        "age": 30,
        "share": 0.5,
        "agree": False,
        "color": "Green",
        "pets": ["Cat"],
    }
