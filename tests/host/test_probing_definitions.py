"""What a definition would come to is found without starting anything, and no variable's value comes out."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

import pytest

from mcp_host.core.definitions.document import read_document
from mcp_host.host.probing_definitions import NO_PATH, Findings, look_at, untouched_references, written_target
from mcp_host.views.doctor import ReferenceCheck

TRAP = '#!/bin/sh\ntouch "$0.was-run"\n'


def program(folder: Path, name: str = "program") -> Path:
    """An executable that would leave a trace if it ran."""
    folder.mkdir(parents=True, exist_ok=True)
    file = folder / name
    file.write_text(TRAP)
    file.chmod(0o700)
    return file


def found(table: str, environment: Mapping[str, str] | None = None, *, is_fed: bool = False) -> Findings:
    """The findings about `[servers.one]` with these lines."""
    document = read_document(f"[servers.one]\n{table}\n", "mcp.toml", layer="user")
    assert document.problems == ()
    return look_at(document.definitions["one"], environment or {}, is_fed=is_fed)


def test_a_command_is_found_where_the_start_would_find_it_and_is_not_run(tmp_path: Path) -> None:
    file = program(tmp_path / "bin")
    path = f"relative:/nowhere:{tmp_path}/bin:{tmp_path}/other"
    assert found('command = "program"', {"PATH": path}) == Findings(executable=str(file))
    assert found(f'command = "{file}"') == Findings(executable=str(file))
    assert found('command = "~/bin/program"', {"HOME": str(tmp_path)}).executable == str(file)
    assert [each.name for each in tmp_path.iterdir()] == ["bin"]
    assert [each.name for each in (tmp_path / "bin").iterdir()] == ["program"]


def test_the_path_of_the_definition_counts_before_the_one_of_the_editor(tmp_path: Path) -> None:
    file = program(tmp_path / "own")
    table = 'command = "program"\nenv = { PATH = "${HOME}/own:${PATH}", TOKEN = "${NOT_SET}" }'
    environment = {"PATH": "/nowhere", "HOME": str(tmp_path)}
    assert found(table, environment).executable == str(file)
    missing = found(table.replace("/own", "/others"), environment)
    assert (missing.executable, missing.searched) == (None, (f"{tmp_path}/others", "/nowhere"))


@pytest.mark.parametrize(
    ("command", "environment", "searched"),
    [
        ("program", {"PATH": "/a:/b"}, ("/a", "/b")),
        ("no-such-program", {"PATH": "relative:."}, tuple(os.defpath.split(":"))),
        ("/nowhere/program", {}, ("/nowhere/program",)),
        ("${NOT_SET}/program", {"PATH": "/a"}, ()),
    ],
)
def test_a_command_that_is_not_there_says_where_it_was_looked_for(
    command: str, environment: dict[str, str], searched: tuple[str, ...]
) -> None:
    findings = found(f'command = "{command}"', environment)
    assert (findings.executable, findings.searched, findings.problem) == (None, searched, None)


def test_a_path_without_any_place_to_look_in_says_so() -> None:
    assert found('command = "program"\nenv = { PATH = "relative:." }').searched == (NO_PATH,)


def test_what_cannot_be_executed_is_not_found(tmp_path: Path) -> None:
    program(tmp_path).chmod(0o600)
    assert found(f'command = "{tmp_path}/program"').searched == (f"{tmp_path}/program",)
    assert found('command = "program"', {"PATH": str(tmp_path)}).searched == (str(tmp_path),)


def test_a_path_that_comes_from_a_variable_is_redacted_like_everything_else(tmp_path: Path) -> None:
    program(tmp_path)
    table = 'command = "${WHERE_IT_IS}/program"\ncwd = "${WHERE_IT_IS}/gone"'
    findings = found(table, {"WHERE_IT_IS": str(tmp_path)})
    assert findings.executable == "[redacted]/program"
    assert findings.warnings == ("its folder (cwd) is not there: [redacted]/gone",)
    assert found(table, {"WHERE_IT_IS": f"{tmp_path}/x"}).searched == ("[redacted]/program",)


def test_references_are_told_by_name_and_state() -> None:
    table = 'command = "/x"\nargs = ["${A:-b}", "${LEVEL}"]\nenv = { A_TOKEN = "${A_TOKEN}", E = "${EMPTY}" }'
    findings = found(table, {"A_TOKEN": "hunter2-and-more", "EMPTY": "", "LEVEL": "1"})
    assert findings.references == (
        ReferenceCheck(field="args[0]", name="A", state="fallback"),
        ReferenceCheck(field="args[1]", name="LEVEL", state="set"),
        ReferenceCheck(field="env.A_TOKEN", name="A_TOKEN", state="set"),
        ReferenceCheck(field="env.E", name="EMPTY", state="set"),
    )
    assert findings.warnings == ("EMPTY (env.E) is set, but empty",)
    assert "hunter2" not in repr(findings)
    assert [one.state for one in found(table).references] == ["fallback", "missing", "missing", "missing"]
    assert [one.state for one in found(table, is_fed=True).references] == ["set"] * 4


def test_an_empty_token_is_as_good_as_none() -> None:
    table = 'url = "https://x.test"\nauthorization = { type = "bearer", token = "${T}" }'
    assert [one.state for one in found(table, {"T": ""}).references] == ["missing"]


@pytest.mark.parametrize(
    ("argument", "environment", "is_said"),
    [
        ("${API_TOKEN}", {"API_TOKEN": "x"}, True),
        ("--key=${WORD:-none}", {"WORD": "a-long-value-of-its-own"}, True),
        ("${FED_BY_SOMEBODY}", {}, True),
        ("${TZ:-UTC}", {"TZ": "Europe/Vienna"}, False),
        ("${LEVEL}", {"LEVEL": "debug"}, False),
        ("${HOME}/x", {"HOME": "/home/somebody"}, False),
        ("${PORT:-8000}", {}, False),
        ("$${NAME}", {}, False),
    ],
)
def test_a_secret_among_the_arguments_is_warned_of(argument: str, environment: dict[str, str], is_said: bool) -> None:
    findings = found(f'command = "/x"\nargs = ["-v", "{argument}"]', environment)
    said = [warning for warning in findings.warnings if warning.startswith("everybody who lists processes sees ")]
    assert (len(said), all("args[1]" in warning for warning in said)) == (int(is_said), True)


@pytest.mark.parametrize(
    ("url", "environment", "is_said"),
    [
        ("http://example.com/mcp", {}, True),
        ("http://${WHERE}/mcp", {"WHERE": "example.com"}, True),
        ("http://192.168.0.2/${NOT_SET}", {}, True),
        ("https://example.com/mcp", {}, False),
        ("http://localhost:3000/mcp", {}, False),
        ("http://127.0.0.1/mcp", {}, False),
        ("http://${WHERE}/mcp", {"WHERE": "[::1]:80"}, False),
        ("http://${WHERE}/mcp", {}, False),
    ],
)
def test_an_address_elsewhere_without_encryption_is_warned_of(
    url: str, environment: dict[str, str], is_said: bool
) -> None:
    findings = found(f'url = "{url}"', environment)
    assert [warning[:24] for warning in findings.warnings] == ["http:// is not encrypted"] * is_said
    assert (findings.executable, findings.searched) == (None, ())


def test_what_the_values_make_impossible_is_the_problem_and_a_missing_reference_is_none() -> None:
    table = 'url = "${WHERE}"\nheaders = { X-Team = "${TEAM}" }'
    invalid = found(table, {"WHERE": "no url at all", "TEAM": "a"}).problem
    assert invalid is not None
    assert (invalid.type, "no url at all" in invalid.model_dump_json()) == ("definition-invalid", False)
    assert found(table, {"WHERE": "https://x.test"}).problem is None


def test_what_nobody_approved_is_told_as_written() -> None:
    document = read_document('[servers.one]\ncommand = "${A}/x"\nargs = ["${B}"]\n', "mcp.toml", layer="project")
    definition = document.definitions["one"].definition
    assert written_target(definition) == "${A}/x"
    assert [replace(one, field="") for one in untouched_references(definition)] == [
        ReferenceCheck(field="", name=name, state="not looked at") for name in ("A", "B")
    ]
