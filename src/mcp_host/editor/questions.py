"""Questions to the editor: the values of names that definitions refer to and the environment lacks.

Whoever called `setup{ resolve }` answers them. The values go to who asked and are kept nowhere here.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import count
from typing import Any, Final, cast

import anyio

from mcp_host.editor.feed import Message
from mcp_host.host.launches import Fed

ANSWER_SECONDS: Final = 120.0
"""A password manager may ask for a finger or a passphrase first; nobody should wait for ever."""


@dataclass(kw_only=True)
class _Question:
    names: tuple[str, ...]
    answered: anyio.Event = field(default_factory=anyio.Event)
    fed: Fed = field(default_factory=Fed)


@dataclass(kw_only=True)
class Questions:
    """The open questions to one editor. All methods run in the host's loop."""

    send: Callable[[Message], None]
    seconds: float = ANSWER_SECONDS
    _open: dict[int, _Question] = field(default_factory=dict[int, _Question], init=False, repr=False)
    _numbers: count[int] = field(default_factory=lambda: count(1), init=False, repr=False)

    async def ask(self, alias: str, names: tuple[str, ...]) -> Fed:
        """What the person's resolver says, within `seconds`."""
        number, question = next(self._numbers), _Question(names=names)
        self._open[number] = question
        try:
            self.send({"question": number, "names": list(names), "alias": alias})
            with anyio.move_on_after(self.seconds):
                await question.answered.wait()
                return question.fed
        finally:
            del self._open[number]
        why = f"your resolve function did not answer within {self.seconds:g} s"
        return Fed(failed=dict.fromkeys(names, why))

    async def answered(self, params: Mapping[str, Any]) -> None:
        """One `resolved` of the editor; a second answer, and one that nobody waits for any more, is dropped."""
        number = params.get("question")
        question = self._open.get(number) if type(number) is int else None
        if question is not None and not question.answered.is_set():
            values = _texts(params.get("values"), question.names)
            question.fed = Fed(values=values, failed=_texts(params.get("failed"), question.names))
            question.answered.set()


def _texts(members: object, names: Sequence[str]) -> dict[str, str]:
    """The members that were asked for and are text. An empty Lua table crosses as a list."""
    if not isinstance(members, Mapping):
        return {}
    given = cast("Mapping[str, object]", members)
    return {name: text for name in names if isinstance(text := given.get(name), str)}
