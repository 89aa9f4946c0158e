"""A legacy server says that what it wanted somebody to do behind a URL is done."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import anyio
import pytest

from mcp_host.core.interactions.requests import ELICITATION, Asked, InputRequest
from mcp_host.host.interactions import Interactions

URL = {"mode": "url", "elicitationId": "e1", "url": "https://example.com/", "message": "Sign in"}


def ignore(_name: str, _data: Mapping[str, object]) -> None:
    """Nobody listens to the events."""


def wants_visit(alias: str, *more: Mapping[str, object]) -> Asked:
    """This server asks for a visit, and for these too."""
    requests = [InputRequest(key=f"k{n}", method=ELICITATION, params=each) for n, each in enumerate((URL, *more))]
    return Asked(alias=alias, requests=tuple(requests), doing="it runs on its own")


@pytest.mark.anyio
async def test_a_server_ends_its_own_question_about_a_url_and_no_other() -> None:
    interactions = Interactions(emit=ignore, attended=True, roots=tuple, find_call=lambda _call: None)
    answered: list[Mapping[str, Mapping[str, Any]]] = []

    async def ask(asked: Asked) -> None:
        answered.append(await interactions.respond(asked))

    with anyio.fail_after(5):
        async with anyio.create_task_group() as tasks:
            for asked in (wants_visit("ours"), wants_visit("other"), wants_visit("ours", {"message": "Who?"})):
                tasks.start_soon(ask, asked)
            await anyio.wait_all_tasks_blocked()
            interactions.url_completed("ours", "e2")
            assert [one.state for one in interactions.all()] == ["open"] * 3
            interactions.url_completed("ours", "e1")
            await anyio.wait_all_tasks_blocked()
            assert [one.state for one in interactions.all()] == ["answered", "open", "open"]
            assert answered == [{"k0": {"action": "accept"}}]
            tasks.cancel_scope.cancel()
