"""What an editor is told when its question was answered and the answer cannot be shown."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, cast

import anyio
import pytest

from mcp_host.editor.peer import Peer
from mcp_host.host.answers import Answer
from mcp_host.host.host import Host
from mcp_host.views.view import View

pytestmark = pytest.mark.anyio


class Listening:
    """An editor that keeps every message and runs what it is asked to at once."""

    def __init__(self) -> None:
        self.messages: list[dict[str, Any]] = []

    def async_call(self, fn: Callable[..., Any], *args: Any, **kwargs: Any) -> None:
        fn(*args, **kwargs)

    def exec_lua(self, code: str, *args: Any, **kwargs: Any) -> None:
        self.messages += args[0]

    def stop_loop(self) -> None:
        raise AssertionError("nothing here ends the loop")


class CannotDraw:
    """A host whose answer breaks where it is drawn."""

    async def answer(self, verb: str, values: Mapping[str, Any]) -> Answer:
        def view() -> View:
            raise ValueError("the server's own words")

        return Answer(kind="result", document={"asked": verb, **values}, view=view)


async def test_whoever_asks_is_told_when_the_answer_cannot_be_shown() -> None:
    editor = Listening()
    peer = Peer(editor)
    peer._host = cast("Host", CannotDraw())  # pyright: ignore[reportPrivateUsage] (no other way to break a view)
    peer._host_is_up.set()  # pyright: ignore[reportPrivateUsage]
    with anyio.fail_after(5), pytest.raises(ValueError, match="own words"):
        await peer._answer(7, "exec", {"want": "view"})  # pyright: ignore[reportPrivateUsage]
    (message,) = editor.messages
    assert (message["reply"], message["exit"], message["problem"]["type"]) == (7, 1, "internal")
    assert "own words" not in str(message)
