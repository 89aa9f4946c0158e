"""Servers are added to the user's file, to the project's and to this session, and removed: checked before a byte is
written."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import anyio
import pytest
import tomli

from mcp_host.core.definitions.document import read_document
from mcp_host.problems import Problem
from tests.core.importing.test_clients import FOLDER, SAMPLES
from tests.host.project_support import Opened, ProjectDesk, open_project

pytestmark = pytest.mark.anyio

SECRET = "sk-live-0123456789abcdef"
MINE = "# mine\r\n\r\n[servers.'mine'] # kept\r\ncommand = 'C:\\raw'   # as it is\r\n"


def read(path: Path) -> dict[str, Any]:
    return tomli.loads(path.read_text()).get("servers", {})


def others_in(folder: Path) -> set[str]:
    """What lies there beside what belongs there: temporary files of writes that did not end well."""
    return {path.name for path in folder.iterdir()} - {"mcp.toml", "state", "logs", "work"}


async def refused(desk: ProjectDesk, verb: str = "add", **params: Any) -> Problem:
    """The problem of a verb that changed nothing: no byte, no file, no server."""
    desk.project.parent.mkdir(exist_ok=True)
    files = [path for path in (desk.file, desk.project) if path.exists()]
    before = [(path.read_bytes(), path.stat().st_ino) for path in files], await desk.rows()
    problem = await desk.problem(verb, **params)
    after = [(path.read_bytes(), path.stat().st_ino) for path in files], await desk.rows()
    assert before == after
    assert others_in(desk.file.parent) == set()
    assert {path.name for path in desk.project.parent.iterdir()} <= {"mcp.toml"}
    return problem


# --- what is added ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("target", "options", "toml"),
    [
        ("uvx", None, 'command = "uvx"\n'),
        ("uvx mcp-server-time --utc", "", 'command = "uvx"\nargs = ["mcp-server-time", "--utc"]\n'),
        ("uvx", '{"args": ["x y"], "read": ["a"]}', 'command = "uvx"\nargs = ["x y"]\nread = ["a"]\n'),
        ("uvx", {"env": {"A": "${B}"}, "enabled": False}, 'command = "uvx"\nenv = { A = "${B}" }\nenabled = false\n'),
        ("uvx", [], 'command = "uvx"\n'),
        ("'/opt/my tools/x' -y", {}, 'command = "/opt/my tools/x"\nargs = ["-y"]\n'),
        ("https://x.test/mcp", None, 'url = "https://x.test/mcp"\n'),
        (
            "https://x.test/mcp",
            '{"authorization": {"type": "bearer", "token": "${T}"}}',
            'url = "https://x.test/mcp"\nauthorization = { type = "bearer", token = "${T}" }\n',
        ),
    ],
)
async def test_a_target_with_options_becomes_a_definition_behind_everything_else(
    tmp_path: Path, target: str, options: object, toml: str
) -> None:
    opened = Opened()
    with anyio.fail_after(5):
        async with open_project(tmp_path, opened_by=opened) as desk:
            desk.file.write_bytes(MINE.encode())
            document = await desk.document("add", alias="new", target=target, options=options)
            assert document["added"] == {
                "alias": "new",
                "layer": "user",
                "file": str(desk.file),
                "line": 6,
                "waits": False,
                "toml": f"[servers.new]\n{toml}",
                "secrets": [],
            }
            assert desk.file.read_bytes().startswith(MINE.encode())
            assert read(desk.file)["new"] == tomli.loads(toml)
            row = document["server"]
            assert (row["alias"], row["layer"], row["line"], row["status"]) == ("new", "user", 6, "off")
            assert row == (await desk.rows())["new"]
            assert (opened.aliases, others_in(tmp_path)) == ([], set())


async def test_secrets_in_a_target_become_references_and_the_lines_that_set_them(tmp_path: Path) -> None:
    with anyio.fail_after(5):
        async with open_project(tmp_path, opened_by=Opened()) as desk:
            target = f"KEY={SECRET} server --token other-{SECRET}"
            added = (await desk.document("add", alias="new", target=target))["added"]
            assert added["toml"] == (
                '[servers.new]\ncommand = "server"\nargs = ["--token", "${SERVER_TOKEN}"]\nenv = { KEY = "${KEY}" }\n'
            )
            assert [one["reference"] for one in added["secrets"]] == ["KEY", "SERVER_TOKEN"]
            assert all(one["line"].startswith(f"export {one['reference']}=") for one in added["secrets"])
            assert SECRET not in str(added) + desk.file.read_text()


async def test_a_relative_program_is_taken_from_the_editors_folder(tmp_path: Path) -> None:
    with anyio.fail_after(5):
        async with open_project(tmp_path, opened_by=Opened()) as desk:
            (desk.work / "below").mkdir()
            await desk.ask("workspace", cwd=str(desk.work / "below"))
            await desk.ask("add", alias="new", target="./server")
            assert read(desk.file)["new"] == {"command": f"{desk.work}/below/server"}


async def test_toml_is_added_without_its_comments(tmp_path: Path) -> None:
    text = '# from a template\n[servers.new]\n# either\ncommand = "x" # this\n[servers.new.env]\nA = "b"\n'
    with anyio.fail_after(5):
        async with open_project(tmp_path, opened_by=Opened()) as desk:
            added = (await desk.document("add", toml=text))["added"]
            assert added["toml"] == desk.file.read_text() == '[servers.new]\ncommand = "x"\nenv = { A = "b" }\n'


async def test_what_is_of_this_session_is_in_no_file_and_ends_with_it(tmp_path: Path) -> None:
    opened = Opened()
    with anyio.fail_after(10):
        async with open_project(tmp_path, '[servers.one]\ncommand = "user"\n', opened_by=opened) as desk:
            added = (await desk.document("add", alias="one", target="session", layer="session"))["added"]
            assert (added["layer"], added["file"], added["line"], added["waits"]) == ("session", None, None, False)
            await desk.ask("survey", alias="one")
            assert opened.launches[0][1].transport == "stdio"
            row = (await desk.rows())["one"]
            assert (row["layer"], row["file"], row["hides"]) == (
                "session",
                "this session",
                [{"layer": "user", "file": str(desk.file), "line": 1, "fields": ["command"]}],
            )
            problem = await refused(desk, alias="one", target="again", layer="session")
            assert (problem.type, problem.detail) == (
                "definition-conflict",
                "this session defines it. Nothing was written.",
            )
        assert desk.file.read_text() == '[servers.one]\ncommand = "user"\n'
        async with open_project(tmp_path, opened_by=opened) as desk:
            assert await desk.rows() == {}


@pytest.mark.parametrize("sample", SAMPLES)
async def test_what_another_client_has_is_discovered_and_added_as_it_was_shown(tmp_path: Path, sample: str) -> None:
    name = SAMPLES[sample].replace("/home/me/shop", "work").replace("/home/me/", "")
    file = tmp_path / ("work" if name.startswith((".mcp", ".vscode")) else "") / name
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text((FOLDER / sample).read_text(encoding="utf-8"))
    opened = Opened()
    with anyio.fail_after(10):
        async with open_project(tmp_path, opened_by=opened) as desk:
            found = (await desk.document("discover", target=str(file)))["candidates"]
            tables: dict[str, Any] = {}
            for one in found:
                if one["faults"]:
                    assert (await desk.problem("add", candidate=one["id"])).type == "definition-invalid"
                    continue
                added = (await desk.document("add", candidate=one["id"]))["added"]
                assert (added["alias"], added["toml"]) == (one["alias"], one["toml"])
                tables[one["alias"]] = one["table"]
            assert tables
            assert read(desk.file) == tables
            assert read_document(desk.file.read_text(), "mcp.toml", layer="user").problems == ()
            assert sorted(await desk.rows()) == sorted(tables)
            assert opened.aliases == []


async def test_a_candidate_is_added_under_another_name_and_never_over_what_is_there(tmp_path: Path) -> None:
    with anyio.fail_after(10):
        async with open_project(tmp_path, '[servers.time]\ncommand = "mine"\n', opened_by=Opened()) as desk:
            (desk.work / ".mcp.json").write_text('{"mcpServers": {"time": {"command": "uvx"}}}')
            candidate = (await desk.document("discover", target=".mcp.json"))["candidates"][0]["id"]
            for layer in ("user", "project", "session"):
                problem = await refused(desk, candidate=candidate, layer=layer)
                assert (problem.type, problem.alias) == ("definition-conflict", "time")
                assert problem.detail == f"{desk.file}:1 defines it. Nothing was written."
            await desk.ask("add", candidate=candidate, alias="clock")
            assert read(desk.file)["clock"] == {"command": "uvx"}
            assert (await refused(desk, candidate="d00000000.1")).type == "candidate-unknown"


async def test_a_secret_among_the_arguments_of_the_options_becomes_a_reference(tmp_path: Path) -> None:
    with anyio.fail_after(5):
        async with open_project(tmp_path, opened_by=Opened()) as desk:
            options = {"args": ["-y", "forge-mcp", "--token", SECRET], "read": ["a"]}
            added = (await desk.document("add", alias="forge", target="npx", options=options))["added"]
            (secret,) = added["secrets"]
            table = read(desk.file)["forge"]
            assert table == {
                "command": "npx",
                "args": ["-y", "forge-mcp", "--token", f"${{{secret['reference']}}}"],
                "read": ["a"],
            }
            assert SECRET not in desk.file.read_text() + repr(added)


# --- what is refused ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("params", "kind", "says"),
    [
        ({}, "usage", "a URL, or a program"),
        ({"alias": "new"}, "usage", "a URL, or a program"),
        ({"target": "uvx"}, "usage", "a URL, or a program"),
        ({"alias": "new", "target": "'unclosed"}, "usage", "Close the quotation"),
        ({"alias": "new", "target": "KEY=x"}, "definition-invalid", "neither command nor url"),
        ({"alias": "new", "target": "ftp://x.test"}, "definition-invalid", "http"),
        ({"alias": "New", "target": "uvx"}, "definition-invalid", "is no alias"),
        ({"alias": "x" * 33, "target": "uvx"}, "definition-invalid", "at most 32"),
        ({"alias": "a]\n[servers.b", "target": "uvx"}, "definition-invalid", "is no alias"),
        ({"alias": "new", "target": "uvx", "options": "{"}, "usage", "At column 2"),
        ({"alias": "new", "target": "uvx", "options": "[1]"}, "usage", "must be an object"),
        ({"alias": "new", "target": "uvx", "options": {"comand": "x"}}, "definition-invalid", "is not a known key"),
        ({"alias": "new", "target": "uvx", "options": {"args": "x"}}, "definition-invalid", "must be an array"),
        ({"alias": "new", "target": "uvx", "options": {"headers": {}}}, "definition-invalid", "servers.new.headers"),
        ({"alias": "new", "target": "uvx", "options": {"url": "https://x.test"}}, "definition-invalid", "beside"),
        ({"alias": "new", "target": "uvx a", "options": {"args": ["b"]}}, "usage", "what args is"),
        ({"alias": "new", "target": "uvx", "options": {"command": "npx"}}, "usage", "what command is"),
        ({"alias": "new", "target": "uvx", "options": {"summary": None}}, "definition-invalid", "no form in TOML"),
        ({"alias": "new", "target": "uvx", "options": {"tools": [], "read": ["x"]}}, "definition-invalid", "read[0]"),
        ({"toml": ""}, "definition-invalid", "It defines none."),
        ({"toml": "[servers.a]\ncommand='a'\n[servers.b]\ncommand='b'"}, "definition-invalid", "It defines 2: a, b."),
        ({"toml": "[servers.a"}, "definition-unparsable", "the new definition:1:11"),
        ({"toml": '[servers.a]\n\ncomand = "a"'}, "definition-invalid", "the new definition:3"),
        ({"toml": '[servers.a]\ncommand = ""'}, "definition-invalid", "the new definition:2"),
        ({"toml": "servers.a = 1"}, "definition-invalid", "must be a table"),
        ({"toml": "[server.a]\ncommand = 'a'"}, "definition-invalid", "the new definition:1"),
        ({"toml": "[servers.a]\ncommand = 'a'\n[more]"}, "definition-invalid", "the new definition:3"),
    ],
)
async def test_what_is_no_sound_definition_is_refused_before_a_byte_is_written(
    tmp_path: Path, params: dict[str, Any], kind: str, says: str
) -> None:
    with anyio.fail_after(5):
        async with open_project(tmp_path, "# mine\n", opened_by=Opened()) as desk:
            for layer in ("user", "project", "session"):
                problem = await refused(desk, layer=layer, **params)
                assert (problem.type, problem.exit_code) == (kind, 2)
                assert says in "\n".join((problem.title, problem.detail, problem.hint))


@pytest.mark.parametrize(
    "params",
    [
        {"target": "uvx", "options": {"env": {"API_TOKEN": SECRET}}},
        {"target": "uvx", "options": f'{{"env": {{"API_TOKEN": "{SECRET}"}}}}'},
        {"target": "uvx", "options": f'{{"env": {{"API_TOKEN": "{SECRET}"'},
        {"target": "uvx", "options": f'"{SECRET}"'},
        {"target": "https://x.test", "options": {"headers": {"Authorization": f"Bearer {SECRET}"}}},
        {"target": "https://x.test", "options": {"authorization": {"type": "bearer", "token": SECRET}}},
        {"target": "https://x.test", "options": {"headers": {"X-Api-Key": SECRET}}},
        {"target": f"uvx --token '{SECRET}"},
        {"toml": f'[servers.new]\ncommand = "x"\nenv = {{ API_TOKEN = "{SECRET}" }}\n'},
        {"toml": f'[servers.new]\ncommand = "x"\nenv = {{ API_TOKEN = "{SECRET} }}\n'},
    ],
)
async def test_a_literal_secret_is_refused_and_not_quoted(tmp_path: Path, params: dict[str, Any]) -> None:
    with anyio.fail_after(5):
        async with open_project(tmp_path, "# mine\n", opened_by=Opened()) as desk:
            problem = await refused(desk, **({"alias": "new"} if "toml" not in params else {}), **params)
            assert SECRET not in problem.model_dump_json() + str(desk.events.told)
        assert SECRET not in "".join(path.read_text() for path in desk.logs.rglob("*.log"))


async def test_an_alias_that_the_file_defines_is_a_conflict_and_one_of_another_layer_is_not(tmp_path: Path) -> None:
    user = '# mine\n[servers.one]\ncommand = "user"\n'
    with anyio.fail_after(5):
        async with open_project(tmp_path, user, opened_by=Opened()) as desk:
            problem = await refused(desk, alias="one", target="other")
            assert (problem.type, problem.exit_code) == ("definition-conflict", 2)
            assert problem.detail == f"{desk.file}:2 is where its definition begins. Nothing was written."
            await desk.ask("add", alias="one", target="nearer", layer="project")
            row = (await desk.rows())["one"]
            assert (row["layer"], row["file"], row["line"]) == ("project", str(desk.project), 1)


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("[servers.one", "definition-unparsable"),
        ("[[servers.one]]\n[servers.one]", "definition-unparsable"),
        ("servers = 1", "definition-conflict"),
    ],
)
async def test_a_file_that_cannot_be_edited_safely_is_never_written_to(tmp_path: Path, text: str, kind: str) -> None:
    with anyio.fail_after(5):
        async with open_project(tmp_path, text, opened_by=Opened()) as desk:
            problem = await refused(desk, alias="new", target="x")
            assert (problem.type, f"{desk.file}:" in problem.detail) == (kind, True)
            removing = await refused(desk, "remove", alias="one", layer="user")
            assert removing.type == ("server-unknown" if text == "servers = 1" else kind)


# --- templates ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("layer", ["user", "project", "session"])
@pytest.mark.parametrize("alias", [None, "clock", "No alias"])
async def test_a_template_of_each_layer_is_toml_that_adds_nothing_until_it_is_filled_in(
    tmp_path: Path, layer: str, alias: str | None
) -> None:
    with anyio.fail_after(5):
        async with open_project(tmp_path, opened_by=Opened()) as desk:
            answer = await desk.ask("template", layer=layer, alias=alias)
            file = {"user": str(desk.file), "project": str(desk.project), "session": "this session"}[layer]
            assert answer.document == {"template": {"layer": layer, "file": file}}
            assert answer.view is not None
            text = "\n".join(answer.view().lines)
            assert (file in text, tomli.loads(text)) == (True, {"servers": {alias or "my-server": {"command": ""}}})
            assert (await refused(desk, toml=text, layer=layer)).type == "definition-invalid"
            if alias != "No alias":
                await desk.ask("add", toml=text.replace('command = ""', 'command = "x"'), layer=layer)
                assert list(await desk.rows()) == [alias or "my-server"]
