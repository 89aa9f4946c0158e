"""The queue towards the editor: in order, together, and only what msgpack can carry."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from typing import Any

import msgpack
import pytest

from mcp_host.editor.feed import BATCH_MESSAGES, RECEIVE, Feed, encodable


class Recorder:
    """An editor that keeps what it is told, and calls back when the test says so."""

    def __init__(self) -> None:
        self.due: deque[Callable[..., Any]] = deque()
        self.batches: list[list[Any]] = []

    def async_call(self, fn: Callable[..., Any], *args: Any, **kwargs: Any) -> None:
        self.due.append(lambda: fn(*args, **kwargs))

    def exec_lua(self, code: str, *args: Any, **kwargs: Any) -> None:
        assert (code, kwargs) == (RECEIVE, {"async_": True})
        self.batches.append(args[0])

    def stop_loop(self) -> None:
        raise AssertionError("nothing here ends the loop")

    def turn(self) -> None:
        """One turn of the editor's loop."""
        for _ in range(len(self.due)):
            self.due.popleft()()


def test_messages_of_one_turn_travel_together_and_in_order() -> None:
    editor = Recorder()
    feed = Feed(editor)
    for number in range(3):
        feed.send({"reply": number})
    assert len(editor.due) == 1
    editor.turn()
    assert editor.batches == [[{"reply": 0}, {"reply": 1}, {"reply": 2}]]


def test_a_burst_is_sent_over_several_turns_and_nothing_is_lost() -> None:
    editor = Recorder()
    feed = Feed(editor)
    for number in range(BATCH_MESSAGES * 2 + 1):
        feed.send({"reply": number})
    while editor.due:
        editor.turn()
    assert [len(batch) for batch in editor.batches] == [BATCH_MESSAGES, BATCH_MESSAGES, 1]
    assert [message["reply"] for batch in editor.batches for message in batch] == list(range(BATCH_MESSAGES * 2 + 1))


@pytest.mark.parametrize(
    ("value", "carried"),
    [
        ("a\ud800b", "a?b"),
        ("é", "é"),
        (2**64, str(2**64)),
        (-(2**63), -(2**63)),
        ({"k\udfff": [True, None, 1.5]}, {"k?": [True, None, 1.5]}),
        (("a", {"b": (1,)}), ["a", {"b": [1]}]),
    ],
)
def test_whatever_a_server_sent_can_be_carried(value: object, carried: object) -> None:
    assert encodable(value) == carried
    msgpack.packb(encodable(value))  # pyright: ignore[reportUnknownMemberType] (it carries no types)
