"""The questions to a person's resolver: asked once, answered once, and their values kept by nobody on the way."""

from __future__ import annotations

import logging
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import anyio
import pytest

from mcp_host.editor.feed import Message
from mcp_host.editor.questions import Questions
from mcp_host.host.launches import Fed

pytestmark = pytest.mark.anyio

SECRET = "hunter2-4f9a8b7c6d5e"


@dataclass(kw_only=True)
class Editor:
    """What was sent to one, and the answers that came of it."""

    sent: list[Message] = field(default_factory=list[Message])
    fed: dict[str, Fed] = field(default_factory=dict[str, Fed])
    questions: Questions = field(init=False)

    def __post_init__(self) -> None:
        self.questions = Questions(send=self.sent.append)

    async def ask(self, alias: str, *names: str) -> None:
        self.fed[alias] = await self.questions.ask(alias, names)

    async def until_sent(self, count: int) -> None:
        while len(self.sent) < count:
            await anyio.lowlevel.checkpoint()

    async def answered(self, **params: Any) -> None:
        await self.questions.answered(params)


@pytest.fixture
def editor() -> Editor:
    return Editor()


async def answer_to(editor: Editor, params: Mapping[str, Any], *names: str) -> Fed:
    """What comes of one answer to the first question."""
    with anyio.fail_after(5):
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(editor.ask, "one", *names)
            await editor.until_sent(1)
            await editor.answered(question=1, **params)
    return editor.fed["one"]


async def test_a_question_names_the_server_and_what_it_lacks_and_its_answer_reaches_who_asked(editor: Editor) -> None:
    fed = await answer_to(editor, {"values": {"A": SECRET}, "failed": {"B": "no such entry"}}, "A", "B")
    assert editor.sent == [{"question": 1, "names": ["A", "B"], "alias": "one"}]
    assert fed == Fed(values={"A": SECRET}, failed={"B": "no such entry"})


async def test_questions_at_once_have_numbers_of_their_own_and_are_answered_in_any_order(editor: Editor) -> None:
    numbers: dict[str, object] = {}
    with anyio.fail_after(5):
        async with anyio.create_task_group() as tasks:
            for alias in ("one", "two", "three"):
                tasks.start_soon(editor.ask, alias, "NAME")
            await editor.until_sent(3)
            numbers |= {str(message["alias"]): message["question"] for message in editor.sent}
            for alias in ("three", "one", "two"):
                await editor.answered(question=numbers[alias], values={"NAME": f"value of {alias}"})
    assert {alias: dict(fed.values) for alias, fed in editor.fed.items()} == {
        alias: {"NAME": f"value of {alias}"} for alias in ("one", "two", "three")
    }
    assert set(numbers.values()) == {1, 2, 3}


@pytest.mark.parametrize(
    ("params", "fed"),
    [
        ({}, Fed()),
        ({"values": [], "failed": []}, Fed()),  # empty Lua tables cross as lists
        ({"values": None, "failed": "no"}, Fed()),
        ({"values": {"A": 7, "B": None}}, Fed()),
        ({"values": {"A": b"bytes", "B": ["x"]}}, Fed()),
        ({"values": {"A": {"x": SECRET}, "B": True}, "failed": {"A": 1}}, Fed()),
        ({"values": {"OTHER": SECRET, "A": "x", "": "y", 1: "z"}}, Fed(values={"A": "x"})),
        ({"failed": {"OTHER": SECRET, "B": "locked"}}, Fed(failed={"B": "locked"})),
        ({"values": {"A": ""}}, Fed(values={"A": ""})),
        ({"values": {"A": "x"}, "more": 1}, Fed(values={"A": "x"})),
    ],
)
async def test_only_texts_that_were_asked_for_are_taken(editor: Editor, params: dict[str, Any], fed: Fed) -> None:
    assert await answer_to(editor, params, "A", "B") == fed


async def test_without_an_answer_in_time_every_name_has_that_reason(editor: Editor) -> None:
    editor.questions.seconds = 0.01
    with anyio.fail_after(5):
        await editor.ask("one", "A", "B")
    why = "your resolve function did not answer within 0.01 s"
    assert editor.fed["one"] == Fed(failed={"A": why, "B": why})


async def test_a_late_answer_is_dropped_and_is_none_to_a_later_question(editor: Editor) -> None:
    editor.questions.seconds = 0.01
    with anyio.fail_after(5):
        await editor.ask("one", "A")
        editor.questions.seconds = 5
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(editor.ask, "two", "A")
            await editor.until_sent(2)
            await editor.answered(question=1, values={"A": "late"})
            await editor.answered(question=2, values={"A": "in time"})
    assert (editor.fed["one"].values, editor.fed["two"].values) == ({}, {"A": "in time"})


async def test_the_first_answer_counts(editor: Editor) -> None:
    with anyio.fail_after(5):
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(editor.ask, "one", "A")
            await editor.until_sent(1)
            await editor.answered(question=1, values={"A": "first"})
            await editor.answered(question=1, values={"A": "second"})
    assert editor.fed["one"].values == {"A": "first"}


@pytest.mark.parametrize("number", [None, 0, 2, -1, "1", 1.0, True, [1], {}])
async def test_an_answer_to_no_question_is_dropped(editor: Editor, number: object) -> None:
    with anyio.fail_after(5):
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(editor.ask, "one", "A")
            await editor.until_sent(1)
            await editor.answered(question=number, values={"A": "for nobody"})
            await editor.answered(values={"A": "for nobody"})
            await editor.answered(question=1, values={"A": "mine"})
    assert editor.fed["one"].values == {"A": "mine"}


async def test_who_stops_waiting_leaves_no_question_behind(editor: Editor) -> None:
    with anyio.fail_after(5):
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(editor.ask, "one", "A")
            await editor.until_sent(1)
            tasks.cancel_scope.cancel()
        await editor.answered(question=1, values={"A": SECRET})
    assert (editor.fed, SECRET in repr(editor.questions)) == ({}, False)


async def test_a_value_stands_in_no_log_and_no_repr(editor: Editor, caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.DEBUG):
        params: dict[str, Any] = {"values": {"A": SECRET, "OTHER": SECRET, "B": [SECRET]}}
        fed = await answer_to(editor, params, "A", "B")
        await editor.answered(question=1, **params)
        await editor.answered(question="1", **params)
    assert fed.values == {"A": SECRET}
    assert SECRET not in caplog.text + repr(fed) + repr(editor.questions)
