"""What is hidden in a question goes back to the server as it was, and its mark goes to nobody."""

from __future__ import annotations

import pytest

from mcp_host.core.interactions.answer_reading import read_answer_text
from mcp_host.core.interactions.answers import read_answers
from mcp_host.core.interactions.concealed import Concealing
from mcp_host.core.interactions.responses import accepted_form
from mcp_host.core.redaction import Redactor
from mcp_host.problems import ProblemError
from tests.core.interactions.samples import asked, fields, form_request

SITE = "https://jira.example"
CONCEALING = Concealing(redact=Redactor([SITE]).text)
QUESTION = asked(
    form_request(
        fields(
            base={"type": "string", "default": f"{SITE}/projects/7"},
            site={"type": "string", "enum": [SITE, "https://other.example"]},
            sites={"type": "array", "items": {"type": "string", "enum": [f"{SITE}/a", f"{SITE}/b"]}},
        )
    )
)


def _details(text: str) -> str:
    with pytest.raises(ProblemError) as caught:
        read_answer_text(QUESTION, text, concealing=CONCEALING)
    assert SITE not in str(caught.value.problem)
    return caught.value.problem.detail


def test_a_value_of_the_servers_that_is_shown_redacted_is_answered_as_it_is() -> None:
    text = 'base = "[redacted]/projects/7"\nsite = "[redacted]"\nsites = ["[redacted]/a", "[redacted]/b"]'
    content = {"base": f"{SITE}/projects/7", "site": SITE, "sites": [f"{SITE}/a", f"{SITE}/b"]}
    assert read_answer_text(QUESTION, text, concealing=CONCEALING) == {"request": accepted_form(content)}


def test_what_programs_were_shown_is_answered_in_the_same_way() -> None:
    answer = accepted_form({"site": "[redacted]"})
    assert read_answers(QUESTION, answer, concealing=CONCEALING) == {"request": accepted_form({"site": SITE})}
    with pytest.raises(ProblemError) as caught:
        read_answers(QUESTION, accepted_form({"base": "[redacted]/projects/8"}), concealing=CONCEALING)
    assert "base holds [redacted]" in caught.value.problem.detail


def test_the_value_itself_may_be_written_too() -> None:
    assert read_answer_text(QUESTION, f'site = "{SITE}"', concealing=CONCEALING) == {
        "request": accepted_form({"site": SITE})
    }


def test_a_value_that_was_changed_around_the_mark_is_refused_with_its_line() -> None:
    assert _details('site = "[redacted]"\nbase = "[redacted]/projects/8"') == (
        "line 2: base holds [redacted], which stands for what is not shown here: write the value itself"
    )


def test_choices_that_look_the_same_are_not_guessed() -> None:
    choices = {"type": "string", "enum": ["secret-1", "secret-2"]}
    question = asked(form_request(fields(site=choices)))
    alike = Concealing(redact=Redactor(["secret-1", "secret-2"]).text)
    with pytest.raises(ProblemError) as caught:
        read_answer_text(question, 'site = "[redacted]"', concealing=alike)
    assert "could be more than one of the server's values" in caught.value.problem.detail


def test_where_nothing_is_hidden_the_mark_is_somebodys_own_word() -> None:
    question = asked(form_request(fields(note={"type": "string"})))
    content = {"note": "write [redacted] there"}
    assert read_answers(question, accepted_form(content), concealing=CONCEALING) == {"request": accepted_form(content)}
