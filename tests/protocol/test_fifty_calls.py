"""Fifty calls at once on one connection: each gets its own answer, whatever becomes of two of them."""

from __future__ import annotations

from pathlib import Path

import anyio
import pytest

from mcp_host.core.catalog.catalog import Era
from tests.host.support import ERAS
from tests.protocol.fifty_calls import CLOSED, COUNT, FAILS, GIVES_UP, Told, Wires, fifty_calls, over_http, over_stdio

pytestmark = pytest.mark.anyio


async def told_of(folder: Path, wires: Wires) -> Told:
    with anyio.fail_after(20):
        return await fifty_calls(folder, wires)


def check_answers(told: Told) -> None:
    """Forty-eight got their own answer, the other two a problem."""
    others = set(range(COUNT)) - {GIVES_UP, FAILS}
    assert told.texts == {number: str(number) for number in others}
    assert set(told.problems) == {GIVES_UP, FAILS}
    assert told.problems[GIVES_UP].type == "cancelled"


def check_order(told: Told) -> None:
    """All calls were there when the one was cancelled, and its id alone was; after that came all the answers."""
    place = told.capture.index(told.arrival)
    called = [seen.id for seen in told.capture[:place] if seen.method == "tools/call"]
    asked = [seen.id for seen in told.capture if seen.method == "tools/call"]
    answered = [seen.id for seen in told.capture[place:] if seen.direction == "from server"]
    assert (len(asked), called) == (COUNT, asked)
    assert told.arrival.id in asked
    assert told.arrival.id not in answered
    assert told.arrival.at >= told.cancelled_at


@pytest.mark.behaviour("transports.cancelled-over-stdio")
@pytest.mark.parametrize("era", ERAS)
async def test_over_stdio_one_is_cancelled_by_a_message_and_the_others_are_answered(tmp_path: Path, era: Era) -> None:
    told = await told_of(tmp_path, over_stdio(era))
    check_answers(told)
    check_order(told)
    assert told.arrival.method == "notifications/cancelled"
    assert told.problems[FAILS].type == "request-refused"


@pytest.mark.behaviour("transports.cancelled-over-http")
async def test_over_http_one_is_cancelled_by_closing_its_request_and_the_others_are_answered(tmp_path: Path) -> None:
    told = await told_of(tmp_path, over_http)
    check_answers(told)
    check_order(told)
    assert told.arrival.method == CLOSED
    assert told.problems[FAILS].type == "server-unavailable"
