"""What kind of result a modern server sent: final, a question, or a task. Legacy results have no kind."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final, Literal

from mcp_host.core.tasks import TASK_RESULT
from mcp_host.protocol.envelope import Envelope
from mcp_host.protocol.errors import RequestFailed
from mcp_host.protocol.offering import offers_tasks
from mcp_host.protocol.wording import Attempt, told_kind, violated

ResultKind = Literal["complete", "input_required", "task"]

ASKING_METHODS: Final = frozenset({"tools/call", "prompts/get", "resources/read"})
"""The requests that may be answered with a question (specification 2026-07-28, "Supported Requests")."""

_ABOUT_TASKS: Final = frozenset({"tasks/get", "tasks/update", "tasks/cancel"})
"""Their results are complete, but some texts of the extension show them as tasks, and some servers follow those."""


def kind_of(raw: Mapping[str, object], method: str, *, envelope: Envelope, attempt: Attempt) -> ResultKind:
    """The kind of this answer to a request of this method.

    Raises:
        RequestFailed: `protocol-violated`, for a kind that nobody knows or that this request cannot have. It counts as
            not answered: whatever the server did, this does not tell.
    """
    if envelope.identity.era == "legacy":
        return "complete"
    kind = raw.get("resultType", "complete")
    if kind == "complete":
        return "complete"
    if kind == "input_required" and method in ASKING_METHODS:
        return "input_required"
    if kind == TASK_RESULT and offers_tasks(envelope):
        if method == "tools/call":
            return "task"
        if method in _ABOUT_TASKS:
            return "complete"
    raise broken(attempt, f"Its result is of the kind {told_kind(kind)}, which this request cannot have.")


def broken(attempt: Attempt, detail: str) -> RequestFailed:
    """The failure that an answer comes to which the specification does not allow."""
    return RequestFailed(violated(attempt, detail), sent=True, answered=False)
