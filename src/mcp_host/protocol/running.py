"""The calls of one connection that wait for their answers, and which of them a server may be asking about.

A legacy server does not say for what it asks a person something. Where one of them runs, it is that one; where several
do, nobody can tell.
"""

from __future__ import annotations

from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass, field

import anyio

from mcp_host.protocol.client_side import NotAnswered
from mcp_host.protocol.wording import Attempt


@dataclass(kw_only=True, eq=False)
class RunningRequest:
    """One of them."""

    attempt: Attempt
    call: str | None = None
    """The id of the call that it belongs to."""
    questions: set[anyio.CancelScope] = field(repr=False)
    """What a person is being asked for it, each to be withdrawn when the request is given up."""
    refusal: NotAnswered | None = None
    """Why something that the server asked for it got no answer."""


class RunningRequests:
    """Those of one connection, the oldest first."""

    def __init__(self) -> None:
        self._running: list[RunningRequest] = []
        self.questions_of_any: set[anyio.CancelScope] = set()
        """What a person is being asked where nobody can tell for which."""

    @contextmanager
    def entered(
        self, attempt: Attempt, call: str | None, questions: set[anyio.CancelScope]
    ) -> Generator[RunningRequest]:
        """It runs meanwhile. When it ends in an exception, what is still asked for it is withdrawn."""
        request = RunningRequest(attempt=attempt, call=call, questions=questions)
        self._running.append(request)
        try:
            yield request
        except BaseException:
            _withdraw(request.questions)
            raise
        finally:
            self._running.remove(request)

    def withdraw_questions(self) -> None:
        """Nobody is asked for anything any more: the server is gone."""
        for request in self._running:
            _withdraw(request.questions)
        _withdraw(self.questions_of_any)

    def only_one(self) -> RunningRequest | None:
        """The one that runs, None where several do or none."""
        return self._running[0] if len(self._running) == 1 else None

    def words(self) -> str:
        """What runs, to follow "while"."""
        only = self.only_one()
        if only is not None:
            return only.attempt.doing
        return f"{len(self._running)} calls of it run" if self._running else "it runs on its own"


def _withdraw(questions: set[anyio.CancelScope]) -> None:
    for question in tuple(questions):
        question.cancel()
