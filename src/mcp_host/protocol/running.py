"""The calls of one connection that wait for their answers, and which of them a server may be asking about.

A legacy server does not say for what it asks a person something. Where one of them runs, it is that one; where several
do, nobody can tell.
"""

from __future__ import annotations

from collections.abc import Generator, Iterable
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Final

import anyio

from mcp_host.protocol.client_side import NotAnswered
from mcp_host.protocol.errors import RequestFailed
from mcp_host.protocol.wording import Attempt

NOT_ANSWERED: Final = "The request was not answered"
"""What a server is told of a request that got no answer. The problem's words are for the person here."""


@dataclass(kw_only=True, eq=False)
class RunningRequest:
    """One of them."""

    attempt: Attempt
    call: str | None = None
    """The id of the call that it belongs to."""
    questions: set[anyio.CancelScope] = field(repr=False)
    """What a person is being asked for it, each to be withdrawn when the request has ended."""
    refusal: NotAnswered | None = None
    """Why something that the server asked for it got no answer."""

    def explained(self, failure: RequestFailed) -> RequestFailed | None:
        """The failure with the reason that is known here and not to the server; None where there is none."""
        refusal = self.refusal
        if refusal is None or failure.code is None:
            return None
        if failure.code == refusal.code and NOT_ANSWERED in failure.problem.detail:
            # The server hands our own no back to us. Why it was said, we know better.
            return RequestFailed(refusal.problem, sent=True, answered=True, code=failure.code)
        # It may have failed for another reason: -1 is anybody's code.
        causes = (*failure.problem.causes, refusal.problem)
        return RequestFailed(
            failure.problem.model_copy(update={"causes": causes}),
            sent=failure.sent,
            answered=failure.answered,
            code=failure.code,
            data=failure.data,
            ended=failure.ended,
        )


class RunningRequests:
    """Those of one connection, the oldest first."""

    def __init__(self) -> None:
        self._running: list[RunningRequest] = []
        self._questions: dict[anyio.CancelScope, set[RunningRequest]] = {}
        """What a server asks a person in requests of its own, each with those that ran when it came and still do."""

    @contextmanager
    def entered(
        self, attempt: Attempt, call: str | None, questions: set[anyio.CancelScope]
    ) -> Generator[RunningRequest]:
        """It runs meanwhile. When it has ended, what is still asked for it is withdrawn, and so is what was asked while
        it ran and can be for nothing else any more.
        """
        request = RunningRequest(attempt=attempt, call=call, questions=questions)
        self._running.append(request)
        try:
            yield request
        finally:
            self._running.remove(request)
            _withdraw(request.questions)
            self._withdraw_without(request)

    @contextmanager
    def asking(self, question: anyio.CancelScope) -> Generator[None]:
        """A person is asked something meanwhile that may be for each of those that run now. Where none does, only the
        end of the connection withdraws it.
        """
        self._questions[question] = set(self._running)
        try:
            yield
        finally:
            del self._questions[question]

    def withdraw_questions(self) -> None:
        """Nobody is asked for anything any more: the server is gone."""
        for request in self._running:
            _withdraw(request.questions)
        _withdraw(self._questions)

    def only_one(self) -> RunningRequest | None:
        """The one that runs, None where several do or none."""
        return self._running[0] if len(self._running) == 1 else None

    def words(self) -> str:
        """What runs, to follow "while"."""
        only = self.only_one()
        if only is not None:
            return only.attempt.doing
        return f"{len(self._running)} calls of it run" if self._running else "it runs on its own"

    def _withdraw_without(self, ended: RunningRequest) -> None:
        for question, asked_for in self._questions.items():
            if ended in asked_for:
                asked_for.remove(ended)
                if not asked_for:
                    question.cancel()


def _withdraw(questions: Iterable[anyio.CancelScope]) -> None:
    for question in tuple(questions):
        question.cancel()
