"""What a server says unasked reaches our side, and what is malformed does not."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import anyio
import pytest

from mcp_host.protocol.client_side import ClientSide
from tests.protocol.scripted import EVERYTHING, called, scripted

pytestmark = pytest.mark.anyio

ERAS = ("modern", "legacy")


@dataclass
class Ears:
    heard: list[tuple[object, ...]] = field(default_factory=list[tuple[object, ...]])

    def side(self) -> ClientSide:
        return ClientSide(
            offer=EVERYTHING,
            on_list_changed=lambda kind: self.heard.append(("list", kind)),
            on_resource_updated=lambda uri: self.heard.append(("resource", uri)),
            on_log=lambda level, logger, data: self.heard.append(("log", level, logger, data)),
            on_url_completed=lambda elicitation: self.heard.append(("url", elicitation)),
        )


SAID: tuple[tuple[str, Any], ...] = (
    ("notifications/tools/list_changed", None),
    ("notifications/resources/list_changed", {}),
    ("notifications/prompts/list_changed", {"_meta": {}}),
    ("notifications/resources/updated", {"uri": "file:///a"}),
    ("notifications/message", {"level": "info", "data": {"text": "hi"}}),
    ("notifications/message", {"level": "error", "logger": "db", "data": None}),
    ("notifications/elicitation/complete", {"elicitationId": "e1"}),
)
HEARD: list[tuple[object, ...]] = [
    ("list", "tools"),
    ("list", "resources"),
    ("list", "prompts"),
    ("resource", "file:///a"),
    ("log", "info", None, {"text": "hi"}),
    ("log", "error", "db", None),
    ("url", "e1"),
]
MALFORMED: tuple[tuple[str, Any], ...] = (
    ("notifications/resources/updated", None),
    ("notifications/resources/updated", {"uri": 1}),
    ("notifications/message", {"level": "info"}),
    ("notifications/message", {"level": 3, "data": "x"}),
    ("notifications/message", {"level": "info", "logger": 3, "data": "x"}),
    ("notifications/elicitation/complete", {"elicitationId": ["e1"]}),
)


@pytest.mark.behaviour("notifications.reach-our-side")
@pytest.mark.behaviour("notifications.malformed-ignored")
@pytest.mark.parametrize("era", ERAS)
async def test_our_side_hears_what_is_well_formed(era: Any) -> None:
    ears = Ears()
    async with scripted(era, side=ears.side()) as (connection, peer), called(connection) as ended:
        request = await peer.request("tools/call")
        assert not connection.lists_stale
        for method, params in (*MALFORMED, *SAID):
            await peer.say(method, params)
        await peer.answer(request, content=[])
        await ended.done.wait()
        assert (ears.heard, connection.lists_stale) == (HEARD, True)


async def test_the_lists_are_stale_before_our_side_hears_of_it() -> None:
    stale: list[bool] = []
    opened = anyio.Event()

    def note(_kind: object) -> None:
        stale.append(connection.lists_stale)
        opened.set()

    with anyio.fail_after(5):
        async with scripted("legacy", side=ClientSide(on_list_changed=note)) as (connection, peer):
            await peer.say("notifications/tools/list_changed")
            await opened.wait()
    assert stale == [True]
