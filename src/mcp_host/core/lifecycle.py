"""The life of one server as people see it: its statuses, what happens to it, and the one table of what follows.

It knows no timers and no attempts: who retries, when, and when to give up is the supervisor's, which tells it here.
A server in `stopping` cannot be started: whoever wants it back waits for `stopped` first.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final, Literal

Status = Literal["off", "starting", "ready", "needs_auth", "authenticating", "waiting", "failed", "stopping"]
"""`waiting`: lost, and tried again soon by itself. `failed`: not reached, or not any more: what it offered is
withdrawn. It is tried again at the next use, and once a minute where it was there before."""

Event = Literal[
    "start",  # somebody needs the server, or asks for it again
    "connected",
    "lost",  # the connection ended, or could not be made, and is tried again
    "retry",  # the delay is over
    "gave_up",  # it is not tried again
    "refused",  # the server wants an authorization that is not there
    "authorize",  # a person began to authorize
    "authorized",
    "unauthorized",  # the authorization did not succeed
    "stop",
    "stopped",
]

TABLE: Final[Mapping[Status, Mapping[Event, Status]]] = {
    "off": {"start": "starting", "stop": "off"},
    "starting": {
        "connected": "ready",
        "lost": "waiting",
        "gave_up": "failed",
        "refused": "needs_auth",
        "stop": "stopping",
    },
    "ready": {"lost": "waiting", "gave_up": "failed", "refused": "needs_auth", "stop": "stopping"},
    "needs_auth": {"start": "starting", "authorize": "authenticating", "stop": "stopping"},
    "authenticating": {
        "authorized": "starting",
        "unauthorized": "needs_auth",
        "gave_up": "failed",
        "stop": "stopping",
    },
    "waiting": {"start": "starting", "retry": "starting", "gave_up": "failed", "stop": "stopping"},
    "failed": {"start": "starting", "retry": "starting", "stop": "stopping"},
    "stopping": {"stop": "stopping", "stopped": "off"},
}


class ImpossibleEvent(Exception):
    """Our own mistake: something was reported about a server that cannot happen in its status."""

    def __init__(self, status: Status, event: Event) -> None:
        super().__init__(f"{event} cannot happen to a server that is {status}")
        self.status: Status = status
        self.event: Event = event


def step(status: Status, event: Event) -> Status:
    """The status after the event.

    Raises:
        ImpossibleEvent: The table has no such step.
    """
    following = TABLE[status].get(event)
    if following is None:
        raise ImpossibleEvent(status, event)
    return following


def may(status: Status, event: Event) -> bool:
    """Whether the table has a step for the event."""
    return event in TABLE[status]
