"""Whatever a server says, the text is TOML with the names that it asks for and no others, and reads back as it was."""

from __future__ import annotations

from collections.abc import Mapping
from random import Random
from typing import cast

import pytest
import tomli

from mcp_host.core.interactions.answer_text import answer_text, read_answer_text
from mcp_host.core.interactions.form import read_form
from mcp_host.core.interactions.requests import Asked, InputRequest
from mcp_host.core.interactions.responses import accepted_form, content_from_defaults
from tests.core.interactions.samples import HOSTILE, asked, fields, form_request, sampling_request, url_request

_WORDS = ("a", "b c", 'quo"te', "line\nbreak", "back\\slash", "語", "\u202e", "# x = 1", "[t]", "", "tab\t", " edge ")


def _text(chance: Random) -> str:
    return "".join(chance.choice(_WORDS) for _ in range(chance.randrange(4)))


def _field(chance: Random) -> tuple[dict[str, object], object]:
    """A field and a value that fits it."""
    match chance.randrange(7):
        case 0:
            return {"type": "string", "maxLength": 60}, _text(chance)
        case 1:
            return {"type": "integer", "minimum": -5}, chance.randrange(-5, 1 << 40)
        case 2:
            return {"type": "number"}, chance.choice([chance.random() * 1e9, 3, -0.25])
        case 3:
            return {"type": "boolean"}, chance.random() < 0.5
        case 4:
            values = list({_text(chance) for _ in range(5)})
            titled = [{"const": value, "title": _text(chance)} for value in values]
            return chance.choice([{"enum": values}, {"type": "string", "oneOf": titled}]), chance.choice(values)
        case 5:
            values = list({_text(chance) for _ in range(5)})
            chosen = chance.sample(values, chance.randrange(1, len(values) + 1))
            return {"type": "array", "minItems": 1, "items": {"type": "string", "enum": values}}, chosen
        case _:
            value = {_text(chance): [_text(chance), {"n": 1}]} if chance.random() < 0.5 else [_text(chance)]
            return {"description": _text(chance)}, value


def _form(chance: Random) -> tuple[dict[str, object], dict[str, object]]:
    """A form, and a content that fits it."""
    properties: dict[str, object] = {}
    content: dict[str, object] = {}
    for number in range(chance.randrange(1, 6)):
        name = f"{_text(chance)}{number}"
        schema, value = _field(chance)
        properties[name] = {**schema, "title": _text(chance)}
        content[name] = value
    return {"type": "object", "properties": properties, "required": list(content)[:1]}, content


def _written(question: Asked, drafts: Mapping[str, Mapping[str, object]] | None = None) -> str:
    return "\n".join(one.text for one in answer_text(question, drafts=drafts))


def test_a_content_that_fits_is_read_back_from_its_text() -> None:
    chance = Random(3)
    for _ in range(40):
        forms = [_form(chance) for _ in range(chance.randrange(1, 4))]
        requests = [form_request(schema, key=f"{_text(chance)}{at}") for at, (schema, _) in enumerate(forms)]
        answers = {one.key: accepted_form(content) for one, (_, content) in zip(requests, forms, strict=True)}
        question = asked(*requests)
        assert read_answer_text(question, _written(question, answers)) == answers


def test_the_text_of_the_defaults_reads_back_as_the_defaults() -> None:
    chance = Random(4)
    for _ in range(40):
        schema, content = _form(chance)
        properties = cast("dict[str, dict[str, object]]", schema["properties"])
        for name, value in content.items():
            properties[name]["default"] = value
        question = asked(form_request(schema))
        defaults = content_from_defaults(read_form(schema))
        assert defaults == content
        assert read_answer_text(question, _written(question)) == {"request": accepted_form(defaults)}


def test_a_completion_is_read_back_from_its_text() -> None:
    chance = Random(5)
    question = asked(sampling_request())
    for _ in range(200):
        text = _text(chance) + chance.choice(["x", "x\n", "x\n\n", '"""', "\\"])
        draft = {"role": "assistant", "content": {"type": "text", "text": text}, "model": _text(chance) or "m"}
        assert read_answer_text(question, _written(question, {"capital": draft})) == {"capital": draft}


@pytest.mark.behaviour("interaction.hostile-words")
@pytest.mark.parametrize("words", [*HOSTILE, "D" * 100_000, "\n[x]\ny = 1\n" * 9_000])
def test_hostile_words_everywhere_neither_break_the_text_nor_add_to_it(words: str) -> None:
    schema = {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        **fields(
            text={"type": "string", "title": words, "description": words, "default": words, "pattern": words},
            one={"oneOf": [{"const": words, "title": words}, {"const": "b"}], "title": words},
            some={"type": "array", "items": {"enum": [words, "b"]}, "description": words, "enumNames": [words]},
            old={"type": "string", "enum": ["a", words], "enumNames": [words, words], "format": words},
            any={"type": words, "title": words, "properties": {words: {"const": words}}},
            **{words: {"type": "string", "description": words}},
        ),
        "required": [words],
    }
    form = form_request(schema, key=f"form{words}", message=words)
    completion = sampling_request(
        key=f"completion{words}",
        systemPrompt=words,
        messages=[
            {"role": words, "content": [{"type": "text", "text": words}, {"type": words, words: words}]},
            {"role": "user", "content": {"type": "image", "mimeType": words, "data": words}},
            {"role": "user", "content": {"type": "tool_use", "name": words, "id": words, "input": {words: words}}},
            {"role": "user", "content": {"type": "tool_result", "toolUseId": words, "content": [words]}},
        ],
        modelPreferences={"hints": [{"name": words}], "costPriority": words},
        stopSequences=[words],
        includeContext=words,
        temperature=words,
        maxTokens=words,
        tools=[{"name": words}],
        metadata={words: words},
    )
    address = url_request(f"https://a.example/{words}", key=f"url{words}", message=words)
    for question in (asked(form, completion, address), asked(form), asked(completion)):
        _assert_harmless(question, words)


def _assert_harmless(question: Asked, words: str) -> None:
    lines = [one.text for one in answer_text(question, roots=(f"/{words}",))]
    text = "\n".join(lines)
    assert all(one.replace("\ufe0f", "").isprintable() and len(one) <= 8_010 for one in lines)
    document = tomli.loads(text)
    if len(question.requests) == 1:
        _assert_members(question.requests[0], document, words)
    else:
        assert len(document) == len(question.requests)
        for request, (name, table) in zip(question.requests, document.items(), strict=True):
            assert name == request.key or name.startswith("request-")
            _assert_members(request, cast("dict[str, object]", table), words)


def _assert_members(request: InputRequest, members: dict[str, object], words: str) -> None:
    if request.kind == "sampling":
        assert members == {"model": "human", "stop_reason": "endTurn", "text": "\n"}
    elif request.kind == "url":
        assert members == {}
    else:
        assert set(members) <= {"text"}
        assert members.get("text", words) == words


@pytest.mark.parametrize("schema", [{"properties": {"a": {"$ref": "#"}}}, {"properties": [1]}, {"required": "all"}])
def test_a_schema_that_makes_no_sense_has_a_text_all_the_same(schema: object) -> None:
    tomli.loads(_written(asked(form_request(schema))))
