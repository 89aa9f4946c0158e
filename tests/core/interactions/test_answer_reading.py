"""What somebody wrote is read as it was meant or refused by line; all is answered together or nothing is."""

from __future__ import annotations

import pytest

from mcp_host.core.interactions.answer_text import answer_text, is_editable, read_answer_text
from mcp_host.core.interactions.requests import Asked, InputRequest
from mcp_host.problems import ProblemError
from tests.core.interactions.counting import calls_of
from tests.core.interactions.samples import (
    EVERY_KIND,
    asked,
    fields,
    form_request,
    roots_request,
    sampling_request,
    url_request,
)

BREAK = "\n"
NO_NAME, NO_EMAIL, NO_TEXT = '#name = ""', '#email = ""', 'text = """'
FORM = asked(form_request(EVERY_KIND))
TWO = asked(form_request({**fields(a={"type": "string"}), "required": ["a"]}, key="form"), url_request("https://a.b"))


def _content(text: str, question: Asked = FORM) -> object:
    (answer,) = read_answer_text(question, text).values()
    assert answer["action"] == "accept"
    return answer["content"]


def _refused(text: str, question: Asked = FORM) -> list[str]:
    with pytest.raises(ProblemError) as caught:
        read_answer_text(question, text)
    problem = caught.value.problem
    assert (problem.type, problem.alias, problem.tool) == ("arguments-invalid", "notes", "add_contact")
    return problem.detail.split("\n")


def _written(question: Asked, *changes: tuple[str, str]) -> str:
    text = "\n".join(one.text for one in answer_text(question))
    for before, after in changes:
        assert before in text
        text = text.replace(before, after)
    return text


@pytest.mark.behaviour("form.review-and-modify")
def test_what_is_filled_in_and_what_was_there_is_sent() -> None:
    text = _written(FORM, ('#name = ""', 'name = "Ada"'), ('#email = ""', 'email = "a@b.c"'), ("age = 30", "#age = 30"))
    assert _content(text) == {
        "name": "Ada",
        "email": "a@b.c",
        "page": "https://example.com/me",
        "share": 0.5,
        "agree": False,
        "color": "Green",
        "pets": ["Cat"],
    }


def test_absent_empty_and_the_default_are_three_answers() -> None:
    question = asked(form_request(fields(a={"type": "string", "default": "x"})))
    assert _content("#a = 1", question) == {}
    assert _content('a = ""', question) == {"a": ""}
    assert _content(_written(question), question) == {"a": "x"}


def test_comments_of_a_person_and_texts_over_several_lines_are_fine() -> None:
    question = asked(form_request(fields(a={"type": "string"}, b={"type": "integer"})))
    text = 'a = """\none\n  "two" \n"""  # mine\n# b = 1\n\nb = 0x10\n'
    assert _content(text, question) == {"a": 'one\n  "two" \n', "b": 16}


@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_ends_of_lines_and_a_mark_at_the_beginning_do_not_matter(end: str) -> None:
    question = asked(form_request(fields(a={"type": "string"})))
    assert _content(f"\ufeff# x{end}a = 'y'{end}", question) == {"a": "y"}


def test_dates_without_quotes_are_the_texts_that_are_asked_for() -> None:
    text = 'name = "A"\nemail = "a@b.c"\nborn = 1815-12-10\nsince = 2026-01-31T13:45:00Z'
    content = _content(text)
    assert isinstance(content, dict)
    assert (content["born"], content["since"]) == ("1815-12-10", "2026-01-31T13:45:00+00:00")
    assert _refused("name = 1815-12-10\nemail = 'a@b.c'") == [
        "line 1: name is a date or a time without quotes; write it as text, in quotes"
    ]
    assert _refused("name = 'A'\nemail = 'a@b.c'\nborn = 1815-12-10T00:00:00\nsince = 2026-01-31T13:45:00") == [
        "line 3: born is a date or a time without quotes; write it as text, in quotes",
        "line 4: since must end in its time zone: Z, or an offset such as +02:00",
    ]


@pytest.mark.behaviour("form.required-refused")
def test_what_is_required_and_not_filled_in_is_refused_at_its_line() -> None:
    text = _written(FORM)
    lines = text.split("\n")
    assert _refused(text) == [
        f"line {lines.index(NO_NAME) + 1}: name is required: fill it in, without a # before it",
        f"line {lines.index(NO_EMAIL) + 1}: email is required: fill it in, without a # before it",
    ]
    assert _refused("") == [
        "name is required: fill it in, without a # before it",
        "email is required: fill it in, without a # before it",
    ]


def test_each_fault_has_the_line_of_its_field() -> None:
    assert _refused('# hello\nname = ""\n"email" = "x"\n\npets = [\n  "Cow",\n]\nshre = 1\n') == [
        "line 2: name must have at least 1 characters, has 0",
        "line 3: email must be an email address such as name@example.com",
        'line 5: pets may only hold one of "Cat", "Dog", "Fish"',
        "line 8: shre is not asked for; did you mean share?",
    ]


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ("name = \n", "line 1: this is not TOML: invalid value"),
        ("x = 1\nname = Ada\n", "line 2: this is not TOML: invalid value"),
        ("name = 'a'\nname = 'b'", "line 2: this is not TOML: cannot overwrite a value"),
        ('name = "C:\\dir"', "line 1: this is not TOML: unescaped '\\' in a string"),
        ("age = " + "9" * 5000, "this is not TOML: a number is too long, or values nest too deeply"),
    ],
)
def test_what_is_not_toml_is_refused_at_its_line(text: str, fault: str) -> None:
    (told,) = _refused(text)
    assert told.startswith(fault)


def test_a_backslash_that_is_written_once_is_explained() -> None:
    assert "a backslash is written twice, or the text in single quotes" in _refused('name = "C:\\dir"')[0]


def test_a_field_of_any_shape_may_be_a_table_of_its_own() -> None:
    question = asked(form_request(fields(where={"type": "object", "properties": {"zip": {"type": "string"}}})))
    assert _content("[where]\nzip = '1'", question) == {"where": {"zip": "1"}}
    assert _refused("\n[where]\nzip = 1", question) == ["line 2: where.zip must be a string, not 1"]


@pytest.mark.behaviour("interaction.answered-as-a-whole")
def test_several_requests_are_answered_together_or_not_at_all() -> None:
    text = _written(TWO, ('#a = ""', 'a = "x"'))
    assert _refused(text, TWO) == ["line 13: take the # away from `visited = true` once you were there, or decline"]
    text = _written(TWO, ("#visited", "visited"))
    assert _refused(text, TWO) == ["line 5: a is required: fill it in, without a # before it"]
    text = _written(TWO, ('#a = ""', 'a = "x"'), ("#visited", "visited"))
    assert read_answer_text(TWO, text) == {
        "form": {"action": "accept", "content": {"a": "x"}},
        "visit": {"action": "accept"},
    }


def test_a_table_that_is_missing_unknown_or_no_table_is_refused() -> None:
    assert _refused("[form]\na = 'x'\n[other]\n", TWO) == [
        "the table [visit] is missing: all that is asked is answered together",
        "line 3: other belongs to nothing that is asked",
    ]
    assert _refused("form = 1\n[visit]\nvisited = true", TWO) == ["line 1: form must be the table [form]"]
    assert _refused("[form]\na = 'x'\n[visit]\nvisited = false\nseen = true", TWO) == [
        "line 4: take the # away from `visited = true` once you were there, or decline",
        "line 5: seen is not asked for: there is visited only",
    ]


def test_twice_as_many_missing_members_are_twice_the_work() -> None:
    def work(count: int) -> int:
        names = [f"field{at}" for at in range(count)]
        schema = {**fields(**{name: {"type": "string"} for name in names}), "required": names}
        question = asked(form_request(schema))
        text = "\n".join(f'#{name} = ""' for name in names)
        assert _refused(text, question)[1] == "line 2: field1 is required: fill it in, without a # before it"
        return calls_of(lambda: _refused(text, question))

    assert work(1_000) < 3 * work(500)


def test_a_missing_member_is_looked_for_in_its_own_table() -> None:
    schema = {**fields(a={"type": "string"}), "required": ["a"]}
    question = asked(form_request(schema, key="one"), form_request(schema, key="two"))
    text = _written(question).replace('#a = ""', 'a = "x"', 1)
    line = text.split("\n").index('#a = ""') + 1
    assert _refused(text, question) == [f"line {line}: a is required: fill it in, without a # before it"]
    assert _refused("[one]\n[two]\n#a = ''", question) == [
        "line 1: a is required: fill it in, without a # before it",
        "line 3: a is required: fill it in, without a # before it",
    ]


def test_folders_are_not_a_persons_to_answer() -> None:
    question = asked(roots_request(), form_request(fields(a={"type": "string"})))
    assert read_answer_text(question, 'a = "x"') == {"request": {"action": "accept", "content": {"a": "x"}}}


@pytest.mark.behaviour("url.accept-without-content")
def test_an_address_alone_is_answered_by_answering() -> None:
    question = asked(url_request("https://a.b"), url_request("https://c.d", key="other"), roots_request())
    assert not is_editable(question)
    assert read_answer_text(question, "whatever stood there [") == {
        "visit": {"action": "accept"},
        "other": {"action": "accept"},
    }


@pytest.mark.behaviour("sampling.written-by-hand")
def test_a_completion_is_read_as_a_result() -> None:
    question = asked(sampling_request())
    text = _written(question, ('text = """\n\n"""', 'text = """\nParis.\n"""'))
    assert read_answer_text(question, text) == {
        "capital": {
            "role": "assistant",
            "content": {"type": "text", "text": "Paris."},
            "model": "human",
            "stopReason": "endTurn",
        }
    }


def test_a_completion_that_nobody_wrote_is_refused_at_its_line() -> None:
    question = asked(sampling_request())
    text = _written(question)
    assert _refused(text, question) == [
        f"line {text.split(BREAK).index(NO_TEXT) + 1}: text is still empty: write the answer between its quotes"
    ]


def test_what_nobody_here_knows_cannot_be_answered() -> None:
    strange = InputRequest(key="x", method="elicitation/create", params={"mode": "dance"})
    assert _refused("", asked(strange, form_request(fields()))) == ["nobody here can answer elicitation/create"]


def test_only_so_many_faults_are_told() -> None:
    told = _refused("\n".join(f"x{number} = 1" for number in range(100)) + "\nname = 'a'\nemail = 'a@b.c'")
    assert len(told) == 21
    assert told[-1] == "and 80 more"


def test_a_refusal_never_repeats_what_was_written() -> None:
    told = _refused("name = 7\nemail = 'hunter2 hunter2'\ncolor = 'hunter2'\nborn = 'hunter2'\npage = 'hunter2'")
    assert len(told) == 5
    assert "hunter2" not in "\n".join(told)
