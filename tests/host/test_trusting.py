"""The verbs about the project's file: shown whole, approved as exactly what was shown, ignored."""

from __future__ import annotations

import json
import os
import stat
from collections.abc import Callable
from pathlib import Path

import anyio
import pytest

from mcp_host.host.project_file import PROJECT_FILE, SIZE_LIMIT
from mcp_host.problems import ProblemError
from tests.host.project_support import Opened, ProjectDesk, open_project, texts_in

pytestmark = pytest.mark.anyio

SECRET = "sk-live-0123456789abcdef"
USER = '[servers.two]\ncommand = "user-two"\n'
PROJECT = """\
[servers.one]
command = "first"
args = ["--verbose", "${WORD:-x}"]
[servers.two]
summary = "from the project"
"""
FAULTY = f'[servers.bad]\ncommand = "bad"\nenv = {{ API_TOKEN = "{SECRET}" }}\n'


def signed(changes: list[str], signs: str = "+-") -> list[str]:
    return [line for line in changes if line[0] in signs]


# --- what is shown ------------------------------------------------------------------------------------------------


async def test_an_unapproved_file_is_shown_with_what_it_would_run_and_what_other_layers_add(tmp_path: Path) -> None:
    with anyio.fail_after(5):
        async with open_project(tmp_path, USER, project=PROJECT, opened_by=Opened()) as desk:
            shown = await desk.trust()
            assert (shown["file"], shown["realPath"], shown["state"]) == (str(desk.project), None, "untrusted")
            assert (shown["approvedAt"], shown["changes"], shown["problems"]) == (None, [], [])
            one, two = shown["servers"]
            assert (one["alias"], one["target"], one["fields"]) == (
                "one",
                "stdio",
                {"command": '"first"', "args": '["--verbose", "${WORD:-x}"]'},
            )
            assert (two["alias"], two["fields"]) == ("two", {"summary": '"from the project"'})
            assert two["inherited"] == [{"field": "command", "value": '"user-two"', "place": f"user {desk.file}:2"}]
            answer = await desk.ask("trust")
            assert answer.document["host"] == {"digest": shown["digest"], "state": "untrusted"}
            assert answer.view is not None
            assert any('"${WORD:-x}"' in line for line in answer.view().lines)


async def test_a_look_approves_nothing_and_keeps_nothing(tmp_path: Path) -> None:
    with anyio.fail_after(5):
        async with open_project(tmp_path, project=PROJECT, opened_by=Opened()) as desk:
            for _ in range(2):
                assert (await desk.trust())["state"] == "untrusted"
            assert not (desk.state / "trust").exists()


async def test_without_a_file_it_says_so_and_there_is_nothing_to_ignore(tmp_path: Path) -> None:
    with anyio.fail_after(5):
        async with open_project(tmp_path, opened_by=Opened()) as desk:
            shown = await desk.trust()
            assert (shown["state"], shown["servers"], shown["problems"]) == ("absent", [], [])
            assert (await desk.problem("untrust")).type == "usage"
            assert (await desk.problem("trust", digest=shown["digest"])).type == "definition-conflict"


async def test_a_link_is_shown_with_where_it_leads(tmp_path: Path) -> None:
    with anyio.fail_after(5):
        async with open_project(tmp_path, opened_by=Opened()) as desk:
            elsewhere = tmp_path / "elsewhere.toml"
            elsewhere.write_text(PROJECT)
            desk.project.parent.mkdir()
            desk.project.symlink_to(elsewhere)
            assert (await desk.trust())["realPath"] == str(elsewhere)


# --- a yes --------------------------------------------------------------------------------------------------------


async def test_a_yes_to_what_is_shown_counts_at_once_and_for_the_next_editor(tmp_path: Path) -> None:
    opened = Opened()
    with anyio.fail_after(10):
        async with open_project(tmp_path, USER, project=PROJECT, opened_by=opened) as desk:
            assert (await desk.problem("survey", alias="one")).type == "definition-untrusted"
            shown = await desk.approve()
            assert (shown["state"], shown["approvedAt"].endswith(" UTC")) == ("trusted", True)
            await desk.ask("survey", alias="one")
        async with open_project(tmp_path, USER, opened_by=opened) as desk:
            assert ((await desk.trust())["state"], (await desk.layers())["project"]) == ("trusted", "read")
            await desk.ask("survey", alias="two")
            assert opened.aliases == ["one", "two"]


@pytest.mark.parametrize("digest", ["", "0" * 64, "the digest of an earlier text"])
async def test_a_yes_to_another_text_is_a_conflict_and_nothing_is_kept(tmp_path: Path, digest: str) -> None:
    with anyio.fail_after(5):
        async with open_project(tmp_path, project=PROJECT, opened_by=Opened()) as desk:
            problem = await desk.problem("trust", digest=digest)
            assert (problem.type, problem.exit_code) == ("definition-conflict", 2)
            assert ((await desk.trust())["state"], (desk.state / "trust").exists()) == ("untrusted", False)


async def test_a_text_that_changes_between_the_look_and_the_yes_is_not_approved(tmp_path: Path) -> None:
    opened = Opened()
    with anyio.fail_after(5):
        async with open_project(tmp_path, project=PROJECT, opened_by=opened) as desk:
            digest = (await desk.trust())["digest"]
            desk.define_project(PROJECT.replace("first", "other"))
            assert (await desk.problem("trust", digest=digest)).type == "definition-conflict"
            assert (await desk.problem("survey", alias="one")).type == "definition-untrusted"
            desk.define_project(PROJECT)
            assert (await desk.trust(digest))["state"] == "trusted"
            assert opened.aliases == []


async def test_a_text_that_does_not_parse_cannot_be_approved(tmp_path: Path) -> None:
    with anyio.fail_after(5):
        async with open_project(tmp_path, project="[servers.one", opened_by=Opened()) as desk:
            shown = await desk.trust()
            assert [problem["type"] for problem in shown["problems"]] == ["definition-unparsable"]
            problem = await desk.problem("trust", digest=shown["digest"])
            assert (problem.type, (desk.state / "trust").exists()) == ("definition-unparsable", False)


async def test_where_nothing_can_be_kept_the_yes_fails_and_nothing_is_trusted(tmp_path: Path) -> None:
    with anyio.fail_after(5):
        async with open_project(tmp_path, project=PROJECT, opened_by=Opened()) as desk:
            desk.state.mkdir(exist_ok=True)
            (desk.state / "trust").write_text("in the way")
            shown = await desk.trust()
            for verb, params in (("trust", {"digest": shown["digest"]}), ("untrust", {})):
                problem = await desk.problem(verb, **params)
                assert (problem.type, problem.exit_code) == ("host-failed", 1)
                assert problem.detail.startswith(f"{desk.state / 'trust'}: ")
            assert (await desk.trust())["state"] == "untrusted"


async def test_what_is_kept_of_a_yes_is_the_owners_alone_and_holds_no_secret_of_a_faulty_definition(
    tmp_path: Path,
) -> None:
    with anyio.fail_after(5):
        async with open_project(tmp_path, project=PROJECT + FAULTY, opened_by=Opened()) as desk:
            await desk.approve()
            (record,) = (desk.state / "trust").iterdir()
            modes = [stat.S_IMODE(path.stat().st_mode) for path in (desk.state / "trust", record)]
            assert modes == [0o700, 0o600]
            kept = json.loads(record.read_text())
            assert (kept["file"], kept["decision"]) == (str(desk.project), "approved")
            assert kept["lines"][-1] == "[servers.bad]  # faulty"
            listed = json.dumps(await desk.document("list"))
            assert "definition-invalid" in listed
        assert SECRET not in "\n".join([listed, *texts_in(desk.state), *texts_in(desk.logs)])


async def test_one_yes_among_several_editors_counts_for_all_of_them(tmp_path: Path) -> None:
    with anyio.fail_after(10):
        async with (
            open_project(tmp_path, project=PROJECT, opened_by=Opened()) as first,
            open_project(tmp_path, opened_by=Opened()) as second,
        ):
            await first.approve()
            await second.ask("survey", alias="one")
            await second.ask("untrust")
            assert await first.rows() == {}


# --- a change after a yes -----------------------------------------------------------------------------------------


async def test_what_changed_since_the_last_yes_is_shown_until_the_next(tmp_path: Path) -> None:
    with anyio.fail_after(5):
        async with open_project(tmp_path, project=PROJECT + FAULTY, opened_by=Opened()) as desk:
            approved = await desk.approve()
            desk.define_project(
                PROJECT.replace('"first"', '"first"\ncwd = "/elsewhere"') + '[servers.new]\nurl = "u"\n'
            )
            shown = await desk.trust()
            assert (shown["state"], shown["approvedAt"]) == ("changed", approved["approvedAt"])
            assert signed(shown["changes"]) == [
                '+ cwd = "/elsewhere"',
                "- [servers.bad]  # faulty",
                "+ [servers.new]  # faulty",
            ]
            assert '  command = "first"' in shown["changes"]
            shown = await desk.approve()
            assert (shown["state"], shown["changes"]) == ("trusted", [])


async def test_where_only_a_comment_or_the_link_changed_no_line_did(tmp_path: Path) -> None:
    with anyio.fail_after(5):
        async with open_project(tmp_path, project=PROJECT, opened_by=Opened()) as desk:
            await desk.approve()
            desk.define_project(PROJECT + "# a remark\n")
            answer = await desk.ask("trust")
            assert answer.view is not None
            (changed,) = (line for line in answer.view().lines if line.startswith("Changed since"))
            assert changed == "Changed since your last yes (0 added, 0 removed)"


async def test_a_change_of_every_line_of_a_great_file_is_soon_shown(tmp_path: Path) -> None:
    old, new = ("".join(f'[servers.s{n}]\ncommand = "{word} {n}"\n' for n in range(200)) for word in ("one", "two"))
    with anyio.fail_after(20):
        async with open_project(tmp_path, project=old, opened_by=Opened()) as desk:
            await desk.approve()
            desk.define_project(new)
            shown = await desk.trust()
            assert len(signed(shown["changes"], "+")) == len(signed(shown["changes"], "-"))


async def test_a_change_stops_what_ran_and_is_told_once(tmp_path: Path) -> None:
    with anyio.fail_after(10):
        async with open_project(tmp_path, project=PROJECT, opened_by=Opened()) as desk:
            await desk.events.wait_for("McpTrustNeeded", lambda data: data["state"] == "untrusted")
            await desk.approve()
            await desk.ask("survey", alias="one")
            assert (await desk.statuses())["one"] == "ready"
            desk.define_project(PROJECT + "# edited\n")
            assert (await desk.statuses())["one"] == "off"
            for _ in range(3):
                await desk.ask("list")
            told = [(data["file"], data["state"]) for data in desk.events.of("McpTrustNeeded")]
            assert told == [(str(desk.project), "untrusted"), (str(desk.project), "changed")]
            desk.define_project(PROJECT)
            assert await desk.layers() == {"environment": "absent", "user": "read", "project": "read"}
            desk.define_project(PROJECT + "# edited\n")
            await desk.ask("list")
            assert len(desk.events.of("McpTrustNeeded")) == 3


# --- a no ---------------------------------------------------------------------------------------------------------


async def test_an_ignored_file_stops_its_servers_and_the_users_count_again(tmp_path: Path) -> None:
    opened = Opened()
    with anyio.fail_after(10):
        async with open_project(tmp_path, USER, project=PROJECT, opened_by=opened) as desk:
            await desk.approve()
            for alias in ("one", "two"):
                await desk.ask("survey", alias=alias)
            assert (await desk.document("untrust"))["trust"]["state"] == "ignored"
            rows = await desk.rows()
            assert {alias: (row["layer"], row["status"]) for alias, row in rows.items()} == {"two": ("user", "ready")}
            assert (await desk.problem("survey", alias="one")).type == "server-unknown"
            desk.define_project(PROJECT + "# edited\n")
            assert (await desk.layers(), len(desk.events.of("McpTrustNeeded"))) == (
                {"environment": "absent", "user": "read", "project": "ignored"},
                1,
            )
            assert (await desk.approve())["state"] == "trusted"
            assert opened.aliases == ["one", "two"]  # the one that stayed was never connected anew


# --- what lies in its place ---------------------------------------------------------------------------------------


def _pipe(path: Path) -> None:
    os.mkfifo(path)


def _folder(path: Path) -> None:
    path.mkdir()


def _nowhere(path: Path) -> None:
    path.symlink_to("nowhere")


def _too_great(path: Path) -> None:
    path.write_text("#" * (SIZE_LIMIT + 1))


@pytest.mark.parametrize(
    ("made", "layer"),
    [(_pipe, "unreadable"), (_folder, "unreadable"), (_nowhere, "absent"), (_too_great, "unreadable")],
)
async def test_whatever_lies_in_its_place_the_others_work_and_it_is_said(
    tmp_path: Path, made: Callable[[Path], None], layer: str
) -> None:
    opened = Opened()
    (tmp_path / "work" / ".nvim").mkdir(parents=True)
    made(tmp_path / "work" / PROJECT_FILE)
    with anyio.fail_after(10):
        async with open_project(tmp_path, USER, opened_by=opened) as desk:
            await desk.ask("survey", alias="two")
            assert (await desk.layers())["project"] == layer
            shown = await desk.trust()
            expected = ["definition-unparsable"] if layer == "unreadable" else []
            assert (shown["state"], [problem["type"] for problem in shown["problems"]]) == ("absent", expected)
            refused = await desk.problem("trust", digest=shown["digest"])
            assert refused.type == (expected or ["definition-conflict"])[0]
            added = await _try_to_add(desk)
            assert added == ("definition-unparsable" if layer == "unreadable" else "added")
            assert opened.aliases == ["two"]


async def _try_to_add(desk: ProjectDesk) -> str:
    try:
        answer = await desk.ask("add", alias="new", target="new", layer="project")
    except ProblemError as error:
        return error.problem.type
    return answer.kind


@pytest.mark.parametrize("name", [b"\xff\xfe", "ü \u202e ' \" [x]".encode()])
async def test_a_folder_and_a_server_of_any_name_can_be_approved(tmp_path: Path, name: bytes) -> None:
    work = os.fsdecode(name)
    with anyio.fail_after(10):
        async with open_project(tmp_path, project="", opened_by=Opened(), work=work) as desk:
            desk.project.write_text(PROJECT + '[servers."\u202e"]\ncommand = "x"\n')
            assert (await desk.approve())["state"] == "trusted"
            await desk.ask("disable", alias="one")
            assert (await desk.problem("survey", alias="one")).type == "server-disabled"


async def test_a_server_that_an_earlier_yes_did_not_know_is_marked_as_new(tmp_path: Path) -> None:
    with anyio.fail_after(10):
        async with open_project(tmp_path, project=PROJECT, opened_by=Opened()) as desk:
            assert not any("new" in one for server in (await desk.trust())["servers"] for one in server["cautions"])
            await desk.approve()
            desk.define_project(PROJECT + '[servers.later]\ncommand = "sh"\nargs = ["-c", "x"]\n')
            cautions = {server["alias"]: server["cautions"] for server in (await desk.trust())["servers"]}
            assert cautions.pop("later") == ["is new since your last yes", "has sh run what its arguments say"]
            assert not any("new" in one for of_server in cautions.values() for one in of_server)
