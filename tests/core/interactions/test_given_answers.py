"""Answers that were given beforehand: which entry answers what, what counts once, and what is refused."""

from __future__ import annotations

import pytest

from mcp_host.core.interactions.given_answers import GivenAnswers, GivenRefusal, Unanswered, read_given_answers
from mcp_host.core.interactions.requests import InputRequest
from mcp_host.core.interactions.responses import accepted_form, sampled
from mcp_host.problems import ProblemError
from tests.core.interactions.samples import (
    asked,
    fields,
    form_request,
    roots_request,
    sampling_request,
    url_request,
)

NAME = {**fields(name={"type": "string", "default": "Ada"}, age={"type": "integer"}), "required": ["name"]}
FORM = form_request(NAME, key="form", message="Who are you, please?")
URL = url_request("https://a.b", key="url")
SAMPLING = sampling_request(key="sampling")
ROOTS = roots_request(key="roots")

OFFERS: list[tuple[list[object], set[str]]] = [
    ([], set()),
    ([{}], {"form", "url"}),
    ([{"content": "defaults"}], {"form"}),
    ([{"result": sampled("x")}], {"sampling"}),
    ([{"result": {"roots": []}}], {"roots"}),
    ([{"action": "decline"}], set()),
    ([{"action": "decline", "kind": "sampling"}], {"sampling"}),
]
READ: list[object] = [{"answers": []}, [], {"answers": {}}, {"answers": [[]]}, [{}], [{"content": []}]]
REFUSED: list[tuple[object, str]] = [
    ({}, 'an object must have "answers", a list of entries, and nothing else; it has none'),
    (
        {"answers": [], "anwsers": []},
        'an object must have "answers", a list of entries, and nothing else; anwsers is not known there',
    ),
    ("file.json", "they must be a list of entries"),
    (None, "they must be a list of entries"),
    ([7], "answers[0] must be an object"),
    ([{}, {"contnet": {}}], "answers[1].contnet is not known; did you mean content?"),
    ([{"zzz": 1}], "answers[0].zzz is not known"),
    ([{"alias": 1}], "answers[0].alias must be a server's alias, as text"),
    ([{"kind": "dance"}], 'answers[0].kind must be "form", "url", "sampling" or "roots"'),
    ([{"action": "yes"}], 'answers[0].action must be "accept", "decline" or "cancel"'),
    ([{"content": "default"}], 'answers[0].content must be an object of values by field, or "defaults"'),
    ([{"once": 1}], "answers[0].once must be true or false"),
    (
        [{"result": 1}],
        "answers[0].result must be an object: the CreateMessageResult or ListRootsResult to send",
    ),
    (
        [{"action": "decline", "content": {}}],
        'answers[0].action is "decline", so there can be neither content nor result',
    ),
    ([{"kind": "url", "content": {}}], 'answers[0].content is for a form, and its kind is "url"'),
    ([{"kind": "form", "result": {}}], 'answers[0].result is for sampling or roots, and its kind is "form"'),
    ([{"kind": "sampling"}], "answers[0].result is missing: the CreateMessageResult to send"),
    ([{"kind": "roots"}], "answers[0].result is missing: the ListRootsResult to send"),
    (
        [{"content": {}, "result": {}}],
        "answers[0] has a content (for a form) and a result (for sampling or roots): one of them must go",
    ),
]


def _given(*entries: object) -> GivenAnswers:
    return read_given_answers(list(entries))


def _faults(value: object) -> list[str]:
    with pytest.raises(ProblemError) as caught:
        read_given_answers(value)
    assert caught.value.problem.type == "usage"
    return caught.value.problem.detail.split("\n")


def test_the_first_entry_that_matches_answers() -> None:
    given = _given({"content": {"name": "one"}}, {"content": {"name": "two"}})
    for _ in range(2):
        assert given.answer(asked(FORM)) == {"form": accepted_form({"name": "one"})}


@pytest.mark.parametrize(
    "condition",
    [
        {"alias": "notes"},
        {"tool": "add_contact"},
        {"key": "form"},
        {"kind": "form"},
        {"message": "are you"},
        {"alias": "notes", "tool": "add_contact", "key": "form", "kind": "form", "message": "?"},
    ],
)
def test_an_entry_is_for_what_it_names(condition: dict[str, object]) -> None:
    given = _given({**condition, "content": {"name": "x"}})
    assert given.answer(asked(FORM)) == {"form": accepted_form({"name": "x"})}


@pytest.mark.parametrize(
    "condition", [{"alias": "other"}, {"tool": "other"}, {"key": "other"}, {"message": "are  you"}, {"message": "who"}]
)
def test_an_entry_is_for_nothing_else(condition: dict[str, object]) -> None:
    assert _given({**condition, "content": {"name": "x"}}).answer(asked(FORM)) == Unanswered(
        why="form: no entry is for it", missing=("form",)
    )


def test_the_schemas_defaults_can_be_asked_for() -> None:
    assert _given({"content": "defaults"}).answer(asked(FORM)) == {"form": accepted_form({"name": "Ada"})}


def test_each_kind_has_its_answer() -> None:
    given = _given(
        {"kind": "url"},
        {"content": {"name": "x"}},
        {"result": sampled("hi")},
        {"result": {"roots": [{"uri": "file:///x"}]}},
    )
    assert given.answer(asked(FORM, URL, SAMPLING, ROOTS)) == {
        "form": accepted_form({"name": "x"}),
        "url": {"action": "accept"},
        "sampling": sampled("hi"),
        "roots": {"roots": [{"uri": "file:///x"}]},
    }


def test_folders_that_no_entry_is_for_are_left_to_the_host() -> None:
    assert _given({"content": {"name": "x"}}).answer(asked(FORM, ROOTS)) == {"form": accepted_form({"name": "x"})}
    assert _given().answer(asked(ROOTS)) == {}


def test_an_entry_that_only_says_yes_or_no_answers_forms_and_addresses() -> None:
    assert _given({}).answer(asked(URL)) == {"url": {"action": "accept"}}
    assert _given({"action": "decline"}).answer(asked(FORM, URL)) == {
        "form": {"action": "decline"},
        "url": {"action": "decline"},
    }
    assert _given({"action": "cancel"}).answer(asked(FORM)) == {"form": {"action": "cancel"}}


def test_a_no_to_a_completion_refuses_the_whole() -> None:
    given = _given({"action": "decline", "kind": "sampling", "once": True}, {"content": {"name": "x"}})
    assert given.answer(asked(FORM, SAMPLING)) == GivenRefusal(keys=("sampling",))
    assert isinstance(given.answer(asked(FORM, SAMPLING)), Unanswered)


def test_an_entry_that_counts_once_is_used_up_by_one_request() -> None:
    given = _given({"once": True, "content": {"name": "one"}}, {"content": {"name": "two"}})
    again = form_request(NAME, key="again")
    assert given.answer(asked(FORM, again)) == {
        "form": accepted_form({"name": "one"}),
        "again": accepted_form({"name": "two"}),
    }
    assert given.answer(asked(FORM)) == {"form": accepted_form({"name": "two"})}


@pytest.mark.behaviour("interaction.given-as-a-whole")
def test_where_one_request_is_not_answered_none_is_and_nothing_is_used_up() -> None:
    given = _given({"once": True, "content": {"name": "one"}})
    assert given.answer(asked(FORM, URL)) == Unanswered(why="url: no entry is for it", missing=("url",))
    assert given.answer(asked(FORM)) == {"form": accepted_form({"name": "one"})}


@pytest.mark.behaviour("interaction.given-validated")
def test_an_answer_is_held_against_the_form() -> None:
    given = _given({"key": "form", "content": {"name": 7, "other": 1}}, {"content": {}})
    assert given.answer(asked(FORM)) == Unanswered(
        why="form: answers[0] does not fit: other is not asked for; name must be a string, not 7", missing=("form",)
    )
    assert isinstance(given.answer(asked(form_request(NAME, key="x"))), Unanswered)
    assert isinstance(_given({"result": {"role": "user"}}).answer(asked(SAMPLING)), Unanswered)
    assert isinstance(_given({"kind": "roots", "result": {"roots": [{"uri": "/x"}]}}).answer(asked(ROOTS)), Unanswered)
    no_default = form_request({**fields(a={"type": "string"}), "required": ["a"]})
    assert _given({"content": "defaults"}).answer(asked(no_default)) == Unanswered(
        why="request: answers[0] does not fit: a is required", missing=("request",)
    )


def test_what_nobody_knows_is_not_answered() -> None:
    strange = InputRequest(key="x", method="elicitation/create", params={"mode": "dance"})
    assert isinstance(_given({}, {"action": "decline"}).answer(asked(strange)), Unanswered)


def test_a_completion_is_matched_by_its_words() -> None:
    given = _given({"message": "the capital", "result": sampled("Paris")}, {"result": sampled("?")})
    assert given.answer(asked(SAMPLING)) == {"sampling": sampled("Paris")}
    assert given.answer(asked(sampling_request(key="s", messages=[]))) == {"s": sampled("?")}


@pytest.mark.parametrize(("entries", "kinds"), OFFERS)
def test_what_there_are_answers_to_can_be_offered(entries: list[object], kinds: set[str]) -> None:
    assert _given(*entries).kinds == kinds


@pytest.mark.parametrize("value", READ)
def test_lists_objects_and_empty_tables_of_lua_are_read(value: object) -> None:
    assert isinstance(read_given_answers(value), GivenAnswers)


@pytest.mark.parametrize(("value", "fault"), REFUSED)
def test_what_is_no_answer_is_refused_by_index_and_member(value: object, fault: str) -> None:
    assert _faults(value) == [fault]


def test_all_that_is_wrong_is_told_and_the_file_is_named() -> None:
    with pytest.raises(ProblemError) as caught:
        read_given_answers([{"alias": 1, "once": "no"}, {"kind": "roots"}], place="answers.json")
    problem = caught.value.problem
    assert problem.title == "The answers in answers.json cannot be used"
    assert problem.detail.split("\n") == [
        "answers[0].alias must be a server's alias, as text",
        "answers[0].once must be true or false",
        "answers[1].result is missing: the ListRootsResult to send",
    ]
    assert _faults([{"kind": 1}] * 100)[-1] == "and 80 more"


def test_a_fault_never_repeats_what_was_given() -> None:
    told = _faults([{"alias": ["hunter2"], "content": "hunter2", "result": "hunter2", "once": "hunter2"}])
    assert len(told) == 4
    assert "hunter2" not in "\n".join(told)
