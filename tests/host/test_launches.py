"""References resolved once for a connection, by the environment and then by a person's resolver."""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import anyio
import pytest

from mcp_host.core.definitions.document import Defined, read_document
from mcp_host.core.definitions.launch import StdioLaunch
from mcp_host.host.launches import Fed, Launches, Prepared
from mcp_host.host.redactions import Redactions
from mcp_host.host.settings import Settings
from mcp_host.problems import Problem, ProblemError
from tests.host.project_support import Opened, ProjectDesk, open_project, texts_in
from tests.host.support import problem_of, script

pytestmark = pytest.mark.anyio

SECRET = "hunter2-4f9a8b7c6d5e"
NEEDS = 'command = "one"\nenv = { TOKEN = "${GIVEN}" }\n'


@dataclass(kw_only=True)
class Resolver:
    """A person's, who knows these values; it can be made to wait."""

    values: Mapping[str, str] = field(default_factory=dict[str, str])
    failed: Mapping[str, str] = field(default_factory=dict[str, str])
    asked: list[tuple[str, tuple[str, ...]]] = field(default_factory=list[tuple[str, tuple[str, ...]]])
    comes: anyio.Event = field(default_factory=anyio.Event)
    """Somebody has asked."""
    answers: anyio.Event | None = None
    """Waited for before each answer."""

    async def __call__(self, alias: str, names: tuple[str, ...]) -> Fed:
        self.asked.append((alias, names))
        self.comes.set()
        if self.answers is not None:
            await self.answers.wait()
        return Fed(values=self.values, failed=self.failed)

    def answer(self) -> None:
        assert self.answers is not None
        self.answers.set()


def launches_with(resolver: Resolver, **environment: str) -> Launches:
    nowhere = Path("/nowhere")
    settings = Settings(
        config_file=nowhere,
        state_dir=nowhere,
        log_dir=nowhere,
        cwd=Path("/work"),
        headless=False,
        environment={"PATH": "/bin", **environment},
    )
    return Launches(settings=settings, redactions=Redactions(), folder=lambda _: settings.cwd, ask=resolver)


def one(text: str = NEEDS) -> Defined:
    return read_document(f"[servers.one]\n{text}", "mcp.toml", layer="user").definitions["one"]


def stdio(prepared: Prepared) -> StdioLaunch:
    assert isinstance(prepared.launch, StdioLaunch)
    return prepared.launch


async def refusal(launches: Launches, text: str) -> Problem:
    return await problem_of(lambda: launches.prepare(one(text), is_idle=lambda: True))


# --- what is asked ------------------------------------------------------------------------------------------------


async def test_all_names_that_the_environment_lacks_are_asked_in_one_question(tmp_path: Path) -> None:
    resolver = Resolver(values={"A": "value-of-a", "B": "value-of-b", "SET": "not this", "MORE": "unasked"})
    launches = launches_with(resolver, SET="from the environment", EMPTY="")
    text = 'command = "one"\nargs = ["${A}", "${SET}", "${B}-${A}"]\nenv = { E = "${EMPTY:-fallback}" }\n'
    launch = stdio(await launches.prepare(one(text), is_idle=lambda: True))
    assert resolver.asked == [("one", ("A", "B", "EMPTY"))]
    assert launch.args == ("value-of-a", "from the environment", "value-of-b-value-of-a")
    assert launch.env == {"PATH": "/bin", "E": "fallback"}


async def test_where_the_environment_has_all_names_nobody_is_asked() -> None:
    resolver = Resolver(values={"GIVEN": "other"})
    prepared = await launches_with(resolver, GIVEN=SECRET).prepare(one(), is_idle=lambda: True)
    assert (stdio(prepared).env["TOKEN"], prepared.is_fed, resolver.asked) == (SECRET, False, [])


@pytest.mark.parametrize(("given", "expected"), [({"GIVEN": SECRET}, SECRET), ({"GIVEN": ""}, "y"), ({}, "y")])
async def test_a_fallback_counts_only_where_the_resolver_has_nothing(given: dict[str, str], expected: str) -> None:
    resolver = Resolver(values=given)
    text = 'command = "one"\nargs = ["${GIVEN:-y}"]\n'
    launch = stdio(await launches_with(resolver).prepare(one(text), is_idle=lambda: True))
    assert (launch.args, resolver.asked) == ((expected,), [("one", ("GIVEN",))])


async def test_a_server_without_a_cwd_runs_where_the_editor_was_started() -> None:
    launches = launches_with(Resolver())
    assert stdio(await launches.prepare(one('command = "one"'), is_idle=lambda: True)).cwd == "/work"
    assert stdio(await launches.prepare(one('command = "one"\ncwd = "/other"'), is_idle=lambda: True)).cwd == "/other"


# --- how often ----------------------------------------------------------------------------------------------------


async def test_a_launch_is_kept_while_its_connection_is_there_and_made_anew_after_it() -> None:
    resolver = Resolver(values={"GIVEN": SECRET})
    launches = launches_with(resolver)
    defined = one()
    first = await launches.prepare(defined, is_idle=lambda: True)
    assert (await launches.prepare(defined, is_idle=lambda: False)) is first
    resolver.values = {"GIVEN": "another-token"}
    second = await launches.prepare(defined, is_idle=lambda: True)
    assert (stdio(second).env["TOKEN"], len(resolver.asked)) == ("another-token", 2)
    assert second.identity != first.identity
    assert launches.known("one") is second


async def test_a_resolver_that_gave_nothing_is_not_asked_again() -> None:
    resolver = Resolver()
    launches, defined = launches_with(resolver), one('command = "one"\nargs = ["${GIVEN:-y}"]')
    first = await launches.prepare(defined, is_idle=lambda: True)
    assert (await launches.prepare(defined, is_idle=lambda: True)) is first
    assert len(resolver.asked) == 1


async def test_an_edit_of_policy_or_labels_asks_nobody_and_keeps_the_identity() -> None:
    resolver = Resolver(values={"GIVEN": SECRET})
    launches = launches_with(resolver)
    first = await launches.prepare(one(), is_idle=lambda: True)
    edited = one(NEEDS + 'read = ["echo"]\nsummary = "edited"\n')
    assert launches.is_outdated(edited) is False
    second = await launches.prepare(edited, is_idle=lambda: False)
    assert (second.defined, second.identity, second.launch) == (edited, first.identity, first.launch)
    assert len(resolver.asked) == 1


@pytest.mark.parametrize("edit", ['args = ["x"]\n', 'cwd = "/x"\n'])
async def test_an_edit_of_what_a_connection_is_made_of_makes_the_launch_anew(edit: str) -> None:
    launches = launches_with(Resolver(values={"GIVEN": SECRET}))
    assert launches.is_outdated(one()) is False  # nothing was prepared yet
    first = await launches.prepare(one(), is_idle=lambda: True)
    assert launches.is_outdated(one(NEEDS + edit)) is True
    assert (await launches.prepare(one(NEEDS + edit), is_idle=lambda: False)).identity != first.identity


async def test_two_who_connect_at_once_ask_once(tmp_path: Path) -> None:
    resolver = Resolver(values={"GIVEN": SECRET}, answers=anyio.Event())
    opened = Opened()
    with anyio.fail_after(10):
        async with open_project(tmp_path, f"[servers.one]\n{NEEDS}", ask=resolver, opened_by=opened) as desk:
            async with anyio.create_task_group() as tasks:
                for _ in range(4):
                    tasks.start_soon(lambda: desk.ask("survey", alias="one"))
                await resolver.comes.wait()
                resolver.answer()
            assert (len(resolver.asked), opened.aliases) == (1, ["one"])


async def test_a_connection_that_was_lost_asks_again_and_gets_the_new_value(tmp_path: Path) -> None:
    resolver, opened = Resolver(values={"GIVEN": SECRET}), Opened()
    with anyio.fail_after(10):
        async with open_project(tmp_path, f"[servers.one]\n{NEEDS}", ask=resolver, opened_by=opened) as desk:
            for _ in range(2):
                await desk.ask("survey", alias="one")
            opened.connections["one"].ended.set()  # nobody has noticed yet
            resolver.values = {"GIVEN": "another-token"}
            await desk.ask("enable", alias="one")
            assert opened.environment_of("one")["TOKEN"] == "another-token"
            assert (len(resolver.asked), opened.aliases) == (2, ["one", "one"])


# --- what comes in the way ----------------------------------------------------------------------------------------


async def test_why_there_is_no_value_stands_in_the_problem_and_no_value_does() -> None:
    resolver = Resolver(values={"GIVEN": SECRET}, failed={"TWO": "pass: two is not in the password store"})
    problem = await refusal(launches_with(resolver), NEEDS.replace('"${GIVEN}"', '"${GIVEN}", T = "${TWO}"'))
    assert (problem.type, problem.exit_code) == ("reference-missing", 2)
    assert problem.detail.split("\n") == [
        "mcp.toml:3: servers.one.env.T refers to ${TWO}, which is unset or empty in the environment",
        "TWO: pass: two is not in the password store",
    ]
    assert SECRET not in problem.model_dump_json()


async def test_a_reason_for_what_is_not_missing_is_not_told() -> None:
    resolver = Resolver(values={"GIVEN": SECRET, "AT": "x\0y"}, failed={"GIVEN": "half a reason"})
    problem = await refusal(launches_with(resolver), NEEDS + 'args = ["${AT}"]\n')
    assert (problem.type, "half a reason" in problem.detail) == ("definition-invalid", False)
    assert SECRET not in problem.model_dump_json()


async def test_a_definition_that_changes_while_a_person_is_asked_is_not_connected_as_it_was(tmp_path: Path) -> None:
    resolver, opened = Resolver(values={"GIVEN": SECRET}, answers=anyio.Event()), Opened()
    with anyio.fail_after(10):
        async with open_project(tmp_path, f"[servers.one]\n{NEEDS}", ask=resolver, opened_by=opened) as desk:

            async def edit() -> None:
                desk.define(f'[servers.one]\n{NEEDS}args = ["edited"]\n')

            await _while_asked(desk, resolver, edit)
            ((alias, launch),) = opened.launches
            assert isinstance(launch, StdioLaunch)
            assert (alias, launch.args) == ("one", ("edited",))


async def test_a_server_that_is_disabled_while_a_person_is_asked_is_not_connected(tmp_path: Path) -> None:
    resolver, opened = Resolver(values={"GIVEN": SECRET}, answers=anyio.Event()), Opened()
    with anyio.fail_after(10):
        async with open_project(tmp_path, f"[servers.one]\n{NEEDS}", ask=resolver, opened_by=opened) as desk:
            problem = await _while_asked(desk, resolver, lambda: desk.ask("disable", alias="one"))
            assert problem is not None
            assert (problem.type, opened.aliases) == ("server-disabled", [])


async def test_a_project_file_that_is_ignored_while_a_person_is_asked_connects_nothing(tmp_path: Path) -> None:
    resolver, opened = Resolver(values={"GIVEN": SECRET}, answers=anyio.Event()), Opened()
    with anyio.fail_after(10):
        project = f"[servers.one]\n{NEEDS}"
        async with open_project(tmp_path, project=project, ask=resolver, opened_by=opened) as desk:
            await desk.approve()
            problem = await _while_asked(desk, resolver, lambda: desk.ask("untrust"))
            assert problem is not None
            assert (problem.type, opened.aliases) == ("server-unknown", [])


async def _while_asked(
    desk: ProjectDesk, resolver: Resolver, happens: Callable[[], Awaitable[object]]
) -> Problem | None:
    """Something happens while a use of the server waits for a person; the problem of that use, if it has one."""
    found: list[Problem] = []

    async def use() -> None:
        try:
            await desk.ask("survey", alias="one")
        except ProblemError as error:
            found.append(error.problem)

    async with anyio.create_task_group() as tasks:
        tasks.start_soon(use)
        await resolver.comes.wait()
        await happens()
        resolver.answer()
    return found[0] if found else None


# --- where a value goes -------------------------------------------------------------------------------------------


async def test_a_given_value_reaches_its_own_server_and_is_shown_nowhere(tmp_path: Path) -> None:
    resolver = Resolver(values={"GIVEN": SECRET})
    definitions = script("one", "polite", env={"TOKEN": "${GIVEN}"}, more='read = ["process", "echo"]') + script(
        "two", "polite", more='read = ["process"]'
    )
    with anyio.fail_after(15):
        async with open_project(tmp_path, definitions, ask=resolver) as desk:
            shown = [
                json.dumps(await desk.document("exec", alias="one", tool="process")),
                json.dumps(await desk.document("exec", alias="one", tool="echo", arguments={"text": SECRET})),
                json.dumps(await desk.document("list")),
                json.dumps(desk.events.told),
            ]
            assert "TOKEN" in shown[0]
            assert "TOKEN" not in (await _environment(desk, "two"))
            assert resolver.asked == [("one", ("GIVEN",))]
    assert not [text for text in (*shown, *texts_in(tmp_path)) if SECRET in text]


async def _environment(desk: ProjectDesk, alias: str) -> dict[str, Any]:
    document = await desk.document("exec", alias=alias, tool="process")
    seen: dict[str, Any] = json.loads(document["content"][0]["text"])
    assert SECRET not in json.dumps(seen)
    return seen["environment"]
