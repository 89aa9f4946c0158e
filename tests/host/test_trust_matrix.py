"""A trust matrix: whatever changes in an approved project file, nothing of it is run, reached or looked up before a
new yes, on none of the ways in.

Traps tell: a program that notes its process first of all, an address that counts connections, and an environment that
notes every name that is looked up.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import Final

import anyio
import pytest

from mcp_host.core.definitions.models import HttpDefinition, StdioDefinition
from mcp_host.host.launches import Fed
from tests.host.support import is_alive
from tests.host.trust_matrix import BASES, CHANGES, REMOVED, Change, fields_of, with_value
from tests.host.trust_traps import (
    ALIAS,
    CALL,
    IN_MEMORY,
    NAMING,
    OTHERS,
    VERDICTS,
    enabled,
    names_in,
    open_host_at,
    refused,
    refused_everywhere,
    set_traps,
    stopped,
    untouched,
)

pytestmark = pytest.mark.anyio

SECONDS: Final = 30.0
CHANGED_TOKEN: Final = with_value(BASES["stdio"], ("env", "TOKEN"), "${TRAP_OTHER_TOKEN}")


def test_the_matrix_has_every_field_of_every_definition() -> None:
    fields = {*fields_of(StdioDefinition, ("stdio",)), *fields_of(HttpDefinition, ("http",))}
    assert {change.field for change in CHANGES} == fields


@pytest.mark.parametrize("change", CHANGES, ids=str)
def test_each_row_of_the_matrix_changes_that_field_alone(change: Change) -> None:
    before, after = BASES[change.base], change.table()
    assert before != after
    assert with_value(before, change.path, None) == with_value(after, change.path, None)


async def test_the_matrix_has_every_verb_of_the_host(tmp_path: Path) -> None:
    with anyio.fail_after(SECONDS):
        async with set_traps(tmp_path) as traps, open_host_at(traps, traps.environment()) as desk:
            known = (await desk.problem("no-verb")).detail.removeprefix("Known: ").removesuffix(".").split(", ")
    in_matrix = {verb for verb, _ in (*NAMING, *(step for way in OTHERS for step in way))}
    assert in_matrix | IN_MEMORY | VERDICTS == set(known)


@pytest.mark.parametrize("base", BASES)
async def test_nothing_is_run_reached_or_looked_up_before_the_first_yes(base: str, tmp_path: Path) -> None:
    with anyio.fail_after(SECONDS):
        async with set_traps(tmp_path) as traps:
            environment = traps.environment()
            async with open_host_at(traps, environment) as desk:
                assert not environment.looked_up
                desk.define_project(traps.text(BASES[base]))
                await refused_everywhere(desk, receipt=False)
                assert traps.seen() == (0, 0, 0, 0)
                assert untouched(environment)


@pytest.mark.parametrize("change", CHANGES, ids=str)
async def test_a_change_of_one_field_asks_again_before_anything_is_run_reached_or_looked_up(
    change: Change, tmp_path: Path
) -> None:
    base, changed = BASES[change.base], change.table()
    runs = change.before == "ready"
    with anyio.fail_after(SECONDS):
        async with set_traps(tmp_path) as traps:
            environment = traps.environment()
            async with open_host_at(traps, environment) as desk:
                desk.define_project(traps.text(base))
                await desk.approve()
                assert await enabled(desk) == change.before
                if runs:
                    await desk.ask("preview", **CALL)
                desk.define_project(traps.text(changed))
                before = traps.seen()
                environment.looked_up.clear()
                await refused_everywhere(desk, first=CHANGES.index(change), receipt=runs)
                if runs:
                    await stopped(desk, traps)
                if change.value is not REMOVED:
                    desk.define_project(traps.text(with_value(base, change.path, REMOVED)))
                    for verb, params in NAMING:
                        if runs or verb != "accept":
                            await refused(desk, verb, params)
                assert traps.seen() == before
                assert untouched(environment)

            environment = traps.environment()
            async with open_host_at(traps, environment, headless=True) as desk:
                desk.define_project(traps.text(changed))
                await refused_everywhere(desk, receipt=False)
                assert traps.seen() == before
                assert untouched(environment)
                await desk.approve()
                assert await enabled(desk) == change.ends
            if change.ends == "ready":
                assert traps.seen() > before, "the traps notice what runs"
            if change.ends in ("ready", "authorization-required"):
                assert names_in(traps.text(changed)) <= environment.looked_up, "and so does the environment"


async def test_any_other_byte_asks_again_and_the_approved_ones_need_no_new_yes(tmp_path: Path) -> None:
    with anyio.fail_after(SECONDS):
        async with set_traps(tmp_path) as traps:
            environment = traps.environment()
            text = traps.text(BASES["stdio"])
            others = {
                "a comment": text.replace("[servers.trap]", "[servers.trap]  # as before"),
                "a comment line": text + "# nothing more\n",
                "a blank": text.replace(" = ", "  = ", 1),
                "a line": text + "\n",
                "line ends": text.replace("\n", "\r\n"),
                "a mark at the start": "\ufeff" + text,
                "no last line end": text.rstrip("\n"),
                "an order": text.replace(
                    'read = ["process"]\nsummary = "Notes"', 'summary = "Notes"\nread = ["process"]'
                ),
                "a second server": text + traps.text({"command": "never-run"}, "second"),
                "an escape": text.replace('"Notes"', '"\\u004eotes"'),
            }
            async with open_host_at(traps, environment) as desk:
                desk.define_project(text)
                await desk.approve()
                for number, (what, other) in enumerate(others.items()):
                    assert await enabled(desk) == "ready", what
                    assert other != text, what
                    before = traps.seen()
                    environment.looked_up.clear()
                    desk.project.write_bytes(other.encode())
                    await refused_everywhere(desk, first=number, receipt=False)
                    await stopped(desk, traps)
                    assert traps.seen() == before, what
                    assert untouched(environment), what
                    desk.define_project(text)


async def test_a_file_that_another_one_takes_the_place_of_asks_again_unless_it_is_the_same(tmp_path: Path) -> None:
    with anyio.fail_after(SECONDS):
        async with set_traps(tmp_path) as traps:
            text, changed = traps.text(BASES["stdio"]), traps.text(CHANGED_TOKEN)
            for name, content in (("one", text), ("same", text), ("other", changed)):
                folder = tmp_path / name
                folder.mkdir()
                (folder / "mcp.toml").write_text(content)
            async with open_host_at(traps, traps.environment()) as desk:
                nvim, file = desk.project.parent, desk.project

                async def refuses() -> None:
                    before = traps.seen()
                    await refused_everywhere(desk, receipt=False)
                    await stopped(desk, traps)
                    assert traps.seen() == before

                def swap(link: Path, target: Path) -> None:
                    """As a checkout does it: there is never no file."""
                    (tmp_path / "next").symlink_to(target)
                    os.replace(tmp_path / "next", link)

                nvim.mkdir()
                swap(file, tmp_path / "one" / "mcp.toml")
                await desk.approve()
                for target in ("other", "same"):
                    assert await enabled(desk) == "ready"
                    swap(file, tmp_path / target / "mcp.toml")
                    await refuses()
                    swap(file, tmp_path / "one" / "mcp.toml")
                file.unlink()
                nvim.rmdir()
                swap(nvim, tmp_path / "one")
                await desk.approve()
                for target in ("other", "same"):
                    assert await enabled(desk) == "ready"
                    swap(nvim, tmp_path / target)
                    await refuses()
                    swap(nvim, tmp_path / "one")

                nvim.unlink()
                desk.define_project(text)
                await desk.approve()
                for content in (changed, text):
                    assert await enabled(desk) == "ready"
                    (tmp_path / "branch").write_text(content)
                    os.replace(tmp_path / "branch", file)
                    if content == changed:
                        await refuses()
                        desk.define_project(text)
                assert await enabled(desk) == "ready", "another file with the approved bytes is the approved file"

                # A copy of the approved file elsewhere is nobody's approved file.
                inner = desk.work / "inner" / ".nvim"
                inner.mkdir(parents=True)
                (inner / "mcp.toml").write_text(text)
                before = traps.seen()
                await desk.ask("workspace", cwd=str(inner.parent))
                await refused(desk, "enable", {"alias": ALIAS})
                await stopped(desk, traps)
                await desk.ask("workspace", cwd=str(desk.work))
                assert traps.seen() == before
                assert await enabled(desk) == "ready"

                # What is no file any more defines nothing.
                file.unlink()
                os.mkfifo(file)
                assert (await desk.problem("survey", alias=ALIAS)).type == "definition-unparsable"
                await stopped(desk, traps)


async def test_an_edit_stops_the_servers_though_nobody_asks_for_anything(tmp_path: Path) -> None:
    with anyio.fail_after(SECONDS):
        async with set_traps(tmp_path) as traps:
            environment = traps.environment()
            async with open_host_at(traps, environment) as desk:
                text = traps.text(BASES["stdio"]) + traps.text(BASES["bearer"], "remote")
                desk.define_project(text)
                await desk.approve()
                assert await enabled(desk) == "ready"
                assert (await desk.document("enable", alias="remote"))["server"]["status"] == "ready"
                before = traps.seen()
                environment.looked_up.clear()
                desk.define_project(text + "# a comment\n")
                for alias in (ALIAS, "remote"):
                    await desk.events.wait_for("McpServerStatus", {"alias": alias, "status": "off"}.__eq__)
                needed = await desk.events.wait_for("McpTrustNeeded", lambda data: data["state"] == "changed")
                assert needed["digest"] == (await desk.trust())["digest"]
                assert not any(is_alive(pid) for pid in traps.ran)
                assert traps.seen() == before
                assert not environment.looked_up


async def test_what_is_written_into_an_unapproved_file_by_a_command_approves_nothing(tmp_path: Path) -> None:
    project = {"alias": "other", "layer": "project"}
    with anyio.fail_after(SECONDS):
        async with set_traps(tmp_path) as traps:
            environment = traps.environment()
            async with open_host_at(traps, environment) as desk:
                desk.define_project(traps.text(BASES["stdio"]))
                assert (await desk.document("add", target="never-run", **project))["added"]["waits"]
                await refused_everywhere(desk, receipt=False)
                await desk.approve()
                desk.define_project(traps.text(CHANGED_TOKEN) + traps.text({"command": "never-run"}, "other"))
                assert (await desk.document("remove", **project))["removed"]["waits"]
                await refused_everywhere(desk, receipt=False)
                assert traps.seen() == (0, 0, 0, 0)
                assert untouched(environment)
                # But whoever adds to what is approved has said yes to what they wrote.
                await desk.approve()
                assert not (await desk.document("add", target="never-run", **project))["added"]["waits"]
                assert await enabled(desk) == "ready"


async def test_no_other_layer_runs_a_server_that_an_unapproved_file_says_something_about(tmp_path: Path) -> None:
    mention = f'[servers.{ALIAS}]\nsummary = "Mine now"\n'
    with anyio.fail_after(SECONDS):
        async with set_traps(tmp_path) as traps:
            traps.variables |= {"NVIM_MCP_TRAP": str(tmp_path / "trap")}
            environment = traps.environment()
            async with open_host_at(traps, environment) as desk:
                assert environment.looked_up == {"NVIM_MCP_TRAP"}, "of the whole environment"
                desk.define_project(mention)
                await refused_everywhere(desk, receipt=False)
                desk.define(traps.text(BASES["stdio"]))
                await refused_everywhere(desk, receipt=False)
                await desk.ask("add", alias=ALIAS, target=str(tmp_path / "trap"), layer="session")
                await refused(desk, "enable", {"alias": ALIAS})
                assert traps.seen() == (0, 0, 0, 0)
                assert environment.looked_up <= {"NVIM_MCP_TRAP", "HOME"}
                await desk.approve()
                assert await enabled(desk) == "ready"
                desk.define_project(mention.replace("now", "again"))
                await refused(desk, "survey", {"alias": ALIAS})
                await stopped(desk, traps)
                # What lies below an approved file is approved with it, and asks again when it changes.
                desk.define_project(mention)
                assert await enabled(desk) == "ready"
                before = traps.seen()
                environment.looked_up.clear()
                desk.define(traps.text(CHANGED_TOKEN))
                await refused_everywhere(desk, receipt=False)
                await stopped(desk, traps)
                assert traps.seen() == before
                assert untouched(environment)


async def test_a_yes_is_to_the_text_that_was_shown_and_a_no_is_to_any(tmp_path: Path) -> None:
    with anyio.fail_after(SECONDS):
        async with set_traps(tmp_path) as traps:
            environment = traps.environment()
            async with open_host_at(traps, environment) as desk:
                desk.define_project(traps.text(BASES["stdio"]))
                shown = await desk.trust()
                desk.define_project(traps.text(CHANGED_TOKEN))
                assert (await desk.problem("trust", digest=shown["digest"])).type == "definition-conflict"
                for digest in ("", "0" * 64, (await desk.trust())["digest"][:12]):
                    assert (await desk.problem("trust", digest=digest)).type == "definition-conflict"
                await refused_everywhere(desk, receipt=False)
                for text in (traps.text(CHANGED_TOKEN), traps.text(BASES["stdio"])):
                    await desk.ask("untrust")
                    assert await enabled(desk) == "server-unknown"
                    desk.define_project(text)
                    assert await enabled(desk) == "server-unknown", "whatever it says"
                assert traps.seen() == (0, 0, 0, 0)
                assert untouched(environment)
                await desk.approve()
                assert await enabled(desk) == "ready"
                await desk.ask("untrust")
                await stopped(desk, traps)


async def test_a_file_that_changes_while_a_secret_is_being_asked_for_is_not_run(tmp_path: Path) -> None:
    asked, go_on = anyio.Event(), anyio.Event()

    async def ask(alias: str, names: tuple[str, ...]) -> Fed:
        assert (alias, names) == (ALIAS, ("TRAP_TOKEN",))
        asked.set()
        await go_on.wait()
        return Fed(values={"TRAP_TOKEN": "given"})

    with anyio.fail_after(SECONDS):
        async with set_traps(tmp_path) as traps:
            del traps.variables["TRAP_TOKEN"]
            environment = traps.environment()
            async with open_host_at(traps, environment, ask=ask) as desk, anyio.create_task_group() as tasks:
                desk.define_project(traps.text(BASES["stdio"]))
                await desk.approve()
                tasks.start_soon(refused, desk, "enable", {"alias": ALIAS})
                await asked.wait()
                desk.define_project(traps.text(CHANGED_TOKEN))
                go_on.set()
            assert traps.seen() == (0, 0, 0, 0)
            assert "TRAP_OTHER_TOKEN" not in environment.looked_up
