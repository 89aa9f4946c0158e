"""What is shown of a question, without a server."""

from __future__ import annotations

import json
from collections.abc import Mapping

import anyio
import pytest

from mcp_host.core.interactions.requests import Asked
from mcp_host.host.answers import Answer
from mcp_host.host.asking import Asking
from mcp_host.host.events import EventName
from mcp_host.host.interactions import Interactions
from mcp_host.host.redactions import Redactions
from tests.core.interactions.samples import fields, form_request

pytestmark = pytest.mark.anyio

SECRET = "s3cr3t-t0ken-value"


def tell_nobody(_event: EventName, _data: Mapping[str, object]) -> None:
    pass


async def test_why_a_server_asks_is_shown_without_what_it_was_told_in_confidence() -> None:
    redactions = Redactions()
    redactions.learn("demo", frozenset({SECRET}))
    interactions = Interactions(emit=tell_nobody, attended=True, roots=lambda: (), find_call=lambda _: None)
    asking = Asking(interactions=interactions, redactions=redactions, can_sample=False)
    question = Asked(
        alias="demo",
        requests=(form_request(fields(a={"type": "string"})),),
        doing=f"reading res://x?token={SECRET}",
    )
    named = Asked(alias="demo", requests=question.requests, doing="calling", tool=f"get_{SECRET}")
    shown: list[Answer] = []
    with anyio.fail_after(5):
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(interactions.respond, question)
            tasks.start_soon(interactions.respond, named)
            await anyio.wait_all_tasks_blocked()
            shown.append(await asking.all(None))
            tasks.cancel_scope.cancel()
    view = shown[0].view
    assert view is not None
    words = "\n".join([*view().lines, json.dumps(shown[0].document)])
    assert "res://x?token=[redacted]" in words
    assert "get_[redacted]" in words
    assert SECRET not in words
