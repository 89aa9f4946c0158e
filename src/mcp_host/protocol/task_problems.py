"""What is said of a call whose task came to no result."""

from __future__ import annotations

from typing import Final

from mcp_host.core.tasks import Task
from mcp_host.problems import Problem
from mcp_host.protocol.errors import RequestFailed
from mcp_host.protocol.wording import Attempt, not_reachable, refused, timed_out

_WORDS_CAP: Final = 8192
"""Characters of a server's words that a problem takes along."""


def failed(attempt: Attempt, task: Task) -> RequestFailed:
    """The task ended in a JSON-RPC error, as the call itself might have."""
    error = task.error
    code = error.code if error is not None else None
    said = [f"Error {code}: {error.message}" if error is not None and code is not None else "It gives no error."]
    if task.message is not None:
        said.append(task.message)
    hint = "The words above are the server's own; they say what it objects to."
    return RequestFailed(refused(attempt, _cut(said), hint=hint), sent=True, answered=True, code=code)


def cancelled_by_server(attempt: Attempt, task: Task) -> RequestFailed:
    """The task was cancelled, and not by us."""
    said = ["It was cancelled there before it was finished."]
    if task.message is not None:
        said.append(task.message)
    problem = refused(attempt, _cut(said), hint="Nobody here cancelled it. The server's own log may say why.")
    title = f"{attempt.alias} cancelled its task while {attempt.doing}"
    return RequestFailed(problem.model_copy(update={"title": title}), sent=True, answered=True)


def forgotten(attempt: Attempt, failure: RequestFailed) -> RequestFailed:
    """The server does not know the task, or its time is over: what became of the work does not show."""
    problem = refused(attempt, failure.problem.detail, hint="The task may have ended and its result been let go.")
    title = f"{attempt.alias} does not know its task any more (while {attempt.doing})"
    return RequestFailed(problem.model_copy(update={"title": title}), sent=True, answered=False)


def outlived(attempt: Attempt, task: Task) -> RequestFailed:
    """The time that the server gave the task is over, and it has not ended."""
    problem = timed_out(attempt).model_copy(
        update={
            "title": f"The time of {attempt.alias}'s task was over before it had ended (while {attempt.doing})",
            "detail": f"The server gave it {(task.ttl_ms or 0) / 1000:g} s, and it is still {task.status}.",
            "hint": "How long a task may take is the server's to say.",
            "retryable": False,
        }
    )
    return RequestFailed(problem, sent=True, answered=False)


def connection_lost(attempt: Attempt, problem: Problem | None) -> RequestFailed:
    """The connection ended while the task ran, and with it all that was known of the task."""
    ours = not_reachable(attempt, "The connection ended while its task ran.")
    return RequestFailed(
        (problem or ours).model_copy(update={"retryable": False}), sent=True, answered=False, ended=True
    )


def _cut(said: list[str]) -> str:
    return "\n".join(said)[:_WORDS_CAP]
