"""How much an editor hears of what servers ask, and what becomes of an answer that meets the end of its call."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Callable, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any

import anyio
import pytest
from anyio.abc import TaskGroup

from mcp_host.core.interactions.requests import ELICITATION, Asked, InputRequest
from mcp_host.host.interactions import OPENINGS_A_SECOND, Interaction, Interactions
from tests.host.support import Events

pytestmark = pytest.mark.anyio

YES: Mapping[str, Mapping[str, Any]] = {"who": {"action": "accept", "content": {}}}


@dataclass(kw_only=True)
class Table:
    """Where servers ask; the clock stands."""

    tasks: TaskGroup
    now: float = 1_000.0
    count: int = 0
    events: Events = field(default_factory=Events)
    answered: list[Mapping[str, Mapping[str, Any]]] = field(default_factory=list[Mapping[str, Mapping[str, Any]]])

    def __post_init__(self) -> None:
        self.interactions = Interactions(
            emit=self.events.emit, attended=True, roots=tuple, find_call=lambda _: None, clock=lambda: self.now
        )

    async def ask(self, alias: str = "loud") -> tuple[str, anyio.CancelScope]:
        """A server asks; the id of the interaction, and what takes it back."""
        request = InputRequest(key="who", method=ELICITATION, params={"message": "Who?"})
        scope = anyio.CancelScope()

        async def respond() -> None:
            with scope:
                asked = Asked(alias=alias, requests=(request,), doing="it runs on its own")
                self.answered.append(await self.interactions.respond(asked))

        self.tasks.start_soon(respond)
        await anyio.wait_all_tasks_blocked()
        self.count += 1
        return f"q{self.count}", scope

    async def take_back(self, scope: anyio.CancelScope) -> None:
        scope.cancel()
        await anyio.wait_all_tasks_blocked()

    def told(self) -> list[tuple[object, object]]:
        return [(data["interaction"], data["state"]) for data in self.events.of("McpInteraction")]


@asynccontextmanager
async def table() -> AsyncGenerator[Table]:
    with anyio.fail_after(10):
        async with anyio.create_task_group() as tasks:
            yield Table(tasks=tasks)
            tasks.cancel_scope.cancel()


async def flood(table: Table) -> None:
    """As much as the editor is told of in a second has come and gone."""
    for _ in range(OPENINGS_A_SECOND):
        _, scope = await table.ask()
        await table.take_back(scope)


async def test_what_comes_and_goes_beyond_the_limit_is_not_told_of() -> None:
    async with table() as asked:
        await flood(asked)
        await flood(asked)
        names = [f"q{number}" for number in range(1, OPENINGS_A_SECOND + 1)]
        assert asked.told() == [(name, state) for name in names for state in ("open", "withdrawn")]


async def test_what_stays_is_told_of_when_there_is_room_again_and_so_is_its_end() -> None:
    async with table() as asked:
        await flood(asked)
        asked.now += 1 - 2**-20
        name, _ = await asked.ask()
        assert name not in dict(asked.told())
        asked.now += 2**-20
        await asked.events.wait_for("McpInteraction", lambda data: data["interaction"] == name)
        asked.interactions.answer(asked.interactions.find(name), YES)
        await anyio.wait_all_tasks_blocked()
        assert asked.told()[-2:] == [(name, "open"), (name, "answered")]
        assert asked.answered == [YES]


async def test_what_was_looked_at_before_it_was_told_of_has_its_end_told() -> None:
    async with table() as asked:
        await flood(asked)
        name, scope = await asked.ask()
        assert asked.interactions.all()[-1].id == name
        await asked.take_back(scope)
        assert asked.told()[-1] == (name, "withdrawn")


async def test_a_server_that_floods_takes_nothing_from_another() -> None:
    async with table() as asked:
        await flood(asked)
        name, _ = await asked.ask("quiet")
        assert asked.told()[-1] == (name, "open")


DECISIONS: dict[str, Callable[[Interactions, Interaction], None]] = {
    "answer": lambda interactions, interaction: interactions.answer(interaction, YES),
    "decline": lambda interactions, interaction: interactions.decline(interaction),
}


@pytest.mark.parametrize("first", ["the decision", "the end"])
@pytest.mark.parametrize("decision", DECISIONS)
async def test_a_decision_that_meets_the_end_of_its_call_is_withdrawn_and_kept_nowhere(
    decision: str, first: str
) -> None:
    async with table() as asked:
        name, scope = await asked.ask()
        interaction = asked.interactions.find(name)
        if first == "the end":
            scope.cancel()
        DECISIONS[decision](asked.interactions, interaction)
        scope.cancel()
        await anyio.wait_all_tasks_blocked()
        assert asked.answered == []
        assert (interaction.state, interaction.answers, interaction.refusal) == ("withdrawn", None, None)
        assert asked.told()[-1] == (name, "withdrawn")
