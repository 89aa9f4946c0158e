"""The four layers of an editor together, and what an unapproved project file withholds."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

from mcp_host.core.definitions.models import StdioDefinition
from mcp_host.host.definition_layers import DefinitionLayers, layers_over
from mcp_host.host.project_file import PROJECT_FILE
from mcp_host.host.trust_records import TrustRecord, TrustRecords
from mcp_host.problems import Problem, ProblemError
from tests.host.project_support import write_project

USER = '[servers.one]\ncommand = "user-one"\n[servers.two]\ncommand = "user-two"\n'
PROJECT = '[servers.two]\nargs = ["from-the-project"]\n[servers.three]\ncommand = "project-three"\n'


def layers_in(
    folder: Path, *, user: str | None = None, project: str | None = None, variables: Mapping[str, str] | None = None
) -> DefinitionLayers:
    if user is not None:
        (folder / "mcp.toml").write_text(user)
    if project is not None:
        write_project(folder, project)
    return layers_over(
        variables or {}, folder / "mcp.toml", folder=folder, records=TrustRecords(folder=folder / "state")
    )


def say(layers: DefinitionLayers, decision: str) -> None:
    now = layers.project.current()
    values = {"file": str(now.file), "digest": now.digest}
    layers.project.records.keep(TrustRecord.model_validate({**values, "decision": decision, "decided_at": "then"}))


def commands(layers: DefinitionLayers) -> dict[str, str]:
    """The command and the arguments of everything that may be used."""
    found: dict[str, str] = {}
    for alias, one in layers.current().definitions.items():
        assert isinstance(one.definition, StdioDefinition)
        found[alias] = " ".join((one.definition.command, *one.definition.args))
    return found


def states(layers: DefinitionLayers) -> dict[str, tuple[str, int]]:
    return {one.layer: (one.state, one.servers) for one in layers.current().layers}


def problem_about(layers: DefinitionLayers, alias: str) -> Problem:
    with pytest.raises(ProblemError) as caught:
        layers.defined(alias)
    return caught.value.problem


# --- who says what ------------------------------------------------------------------------------------------------


def test_without_any_layer_there_is_nothing_and_nothing_is_wrong(tmp_path: Path) -> None:
    layers = layers_in(tmp_path)
    assert (layers.current().definitions, layers.current().problems) == ({}, ())
    assert states(layers) == {"environment": ("absent", 0), "user": ("absent", 0), "project": ("absent", 0)}
    problem = problem_about(layers, "one")
    assert (problem.type, problem.exit_code) == ("server-unknown", 3)
    assert problem.detail == "No layer of definitions defines it. No server is defined yet."
    assert problem.hint == f":McpAdd one adds it, or write [servers.one] into {tmp_path}/mcp.toml."


def test_each_nearer_layer_counts_field_by_field(tmp_path: Path) -> None:
    layers = layers_in(
        tmp_path,
        variables={"NVIM_MCP_ONE": "environment", "NVIM_MCP_ONE_ARGS": '["environment"]', "NVIM_MCP_ONE_CWD": "/e"},
        user='[servers.one]\nargs = ["user"]\nsummary = "user"\ntools = ["user"]\n',
        project='\n[servers.one]\nsummary = "project"\ntools = ["project"]\n',
    )
    say(layers, "approved")
    layers.session["one"] = {"tools": ["session"]}
    defined = layers.defined("one")
    assert isinstance(defined.definition, StdioDefinition)
    given = defined.definition.model_dump(include={"command", "args", "cwd", "summary", "tools"})
    assert given == {
        "command": "environment",
        "args": ("user",),
        "cwd": "/e",
        "summary": "project",
        "tools": ("session",),
    }
    assert {name: origin.place for name, origin in defined.origins.items()} == {
        "command": "the environment variable NVIM_MCP_ONE",
        "args": f"{tmp_path}/mcp.toml:2",
        "cwd": "the environment variable NVIM_MCP_ONE_CWD",
        "summary": f"{tmp_path / PROJECT_FILE}:3",
        "tools": "this session",
    }
    assert [(one.layer, one.line, one.fields) for one in defined.hidden] == [
        ("environment", None, ("args",)),
        ("user", 1, ("summary", "tools")),
        ("project", 2, ("tools",)),
    ]
    assert (defined.layer, defined.file, defined.line) == ("session", "this session", None)
    assert states(layers) == dict.fromkeys(("environment", "user", "project", "session"), ("read", 1))


def test_the_environments_defaults_alone_are_a_layer_that_was_read(tmp_path: Path) -> None:
    layers = layers_in(tmp_path, variables={"NVIM_MCP_ENABLED": '["one"]'})
    assert states(layers)["environment"] == ("read", 0)


# --- the same while nothing changed -------------------------------------------------------------------------------


def _edit_user(layers: DefinitionLayers) -> None:
    layers.user.path.write_text(USER + "# edited\n")


def _edit_project(layers: DefinitionLayers) -> None:
    write_project(layers.project.folder, PROJECT + "# edited\n")


def _remove_user(layers: DefinitionLayers) -> None:
    layers.user.path.unlink()


def _remove_project(layers: DefinitionLayers) -> None:
    layers.project.path.unlink()


def _approve(layers: DefinitionLayers) -> None:
    say(layers, "approved")


def _ignore(layers: DefinitionLayers) -> None:
    say(layers, "ignored")


def _define_in_session(layers: DefinitionLayers) -> None:
    layers.session["four"] = {"command": "session-four"}


def _move(layers: DefinitionLayers) -> None:
    layers.project.folder /= "elsewhere"
    write_project(layers.project.folder, PROJECT)


@pytest.mark.parametrize(
    "change",
    [
        _edit_user,
        _edit_project,
        _remove_user,
        _remove_project,
        _approve,
        _ignore,
        _define_in_session,
        _move,
    ],
)
def test_it_is_the_very_same_until_something_changes(
    tmp_path: Path, change: Callable[[DefinitionLayers], None]
) -> None:
    (tmp_path / "elsewhere").mkdir()
    layers = layers_in(tmp_path, user=USER, project=PROJECT)
    first = layers.current()
    assert layers.current() is first
    change(layers)
    second = layers.current()
    assert (second is first, layers.current() is second) == (False, True)


@pytest.mark.parametrize("change", ["a server", "another table", "the same table", "removed"])
def test_only_a_change_of_what_the_session_says_makes_it_new(tmp_path: Path, change: str) -> None:
    layers = layers_in(tmp_path)
    layers.session["one"] = {"command": "one"}
    first = layers.current()
    match change:
        case "a server":
            layers.session["two"] = {"command": "two"}
        case "another table":
            layers.session["one"] = {"command": "another"}
        case "the same table":
            layers.session["one"] = {"command": "one"}
        case _:
            del layers.session["one"]
    assert (layers.current() is first) is (change == "the same table")


# --- a project file that nobody approved --------------------------------------------------------------------------


def test_what_an_unapproved_file_mentions_is_withheld_and_the_others_may_be_used(tmp_path: Path) -> None:
    layers = layers_in(tmp_path, user=USER, project=PROJECT)
    layers.session["three"] = {"command": "session-three"}
    assert commands(layers) == {"one": "user-one"}
    effective = layers.current()
    assert (sorted(effective.untrusted), sorted(effective.withheld)) == (["three", "two"], ["three", "two"])
    file = tmp_path / PROJECT_FILE
    for alias in ("two", "three"):
        problem = problem_about(layers, alias)
        assert (problem.type, problem.exit_code, problem.alias) == ("definition-untrusted", 2, alias)
        assert problem.detail == f"{file} defines it and was never approved. Nothing was started or looked up."
    (waits,) = effective.problems
    assert (waits.type, waits.title) == ("definition-untrusted", "The project's definition file is not approved")
    assert waits.detail == f"{file} says something about: two, three. Nothing of it is used."
    assert states(layers)["project"] == ("untrusted", 2)


def test_after_a_yes_it_counts_and_after_a_change_no_more(tmp_path: Path) -> None:
    layers = layers_in(tmp_path, user=USER, project=PROJECT)
    say(layers, "approved")
    assert commands(layers) == {"one": "user-one", "two": "user-two from-the-project", "three": "project-three"}
    assert (layers.current().problems, states(layers)["project"]) == ((), ("read", 2))
    write_project(tmp_path, PROJECT.replace("three", "four"))
    assert commands(layers) == {"one": "user-one"}
    assert sorted(layers.current().untrusted) == ["four", "two"]
    assert "has changed since it was approved" in problem_about(layers, "two").detail
    assert problem_about(layers, "three").type == "server-unknown"
    write_project(tmp_path, PROJECT)
    assert sorted(commands(layers)) == ["one", "three", "two"]


def test_an_ignored_file_withholds_nothing_and_gives_nothing(tmp_path: Path) -> None:
    layers = layers_in(tmp_path, user=USER, project=PROJECT)
    say(layers, "ignored")
    assert commands(layers) == {"one": "user-one", "two": "user-two"}
    effective = layers.current()
    assert (effective.problems, effective.untrusted, states(layers)["project"]) == ((), {}, ("ignored", 2))
    assert problem_about(layers, "three").type == "server-unknown"


def test_a_broken_server_that_is_withheld_is_named_by_what_it_waits_for(tmp_path: Path) -> None:
    layers = layers_in(tmp_path, user='[servers.one]\ncomand = "x"\n', project='[servers.one]\ncommand = "x"\n')
    assert (problem_about(layers, "one").type, layers.current().broken) == ("definition-untrusted", {})


# --- what cannot be read ------------------------------------------------------------------------------------------


def test_a_file_that_was_approved_and_does_not_parse_any_more_gives_nothing(tmp_path: Path) -> None:
    layers = layers_in(tmp_path, user=USER, project=PROJECT)
    say(layers, "approved")
    layers.current()
    write_project(tmp_path, PROJECT + "[servers.four")
    assert commands(layers) == {"one": "user-one", "two": "user-two"}
    assert problem_about(layers, "three").type == "definition-unparsable"
    (problem,) = layers.current().problems
    assert (problem.type, problem.detail.split(": ")[0]) == ("definition-unparsable", f"{tmp_path / PROJECT_FILE}:5:14")


def test_an_unparsable_file_that_was_approved_as_it_is_gives_nothing(tmp_path: Path) -> None:
    layers = layers_in(tmp_path, user=USER, project="[servers.four")
    say(layers, "approved")
    assert (sorted(commands(layers)), states(layers)["project"]) == (["one", "two"], ("unparsable", 0))
    assert [problem.type for problem in layers.current().problems] == ["definition-unparsable"]


def test_a_project_file_that_cannot_be_read_is_a_problem_and_the_others_count(tmp_path: Path) -> None:
    layers = layers_in(tmp_path, user=USER)
    (tmp_path / PROJECT_FILE).mkdir(parents=True)
    assert (sorted(commands(layers)), states(layers)["project"]) == (["one", "two"], ("unreadable", 0))
    assert [problem.title for problem in layers.current().problems] == ["The project's definition file cannot be read"]
    first = layers.current()
    assert layers.current() is first


def test_the_users_last_good_definitions_are_merged_while_the_file_does_not_parse(tmp_path: Path) -> None:
    layers = layers_in(tmp_path, user=USER, project=PROJECT)
    say(layers, "approved")
    layers.current()
    layers.user.path.write_text("[servers.one")
    assert sorted(commands(layers)) == ["one", "three", "two"]
    assert states(layers)["user"] == ("unparsable", 2)
    problem = problem_about(layers, "unheard-of")
    assert (problem.type, problem.title) == (
        "definition-unparsable",
        f"{tmp_path}/mcp.toml is not TOML, so it cannot be read",
    )


def test_one_fault_disables_its_alias_alone_and_names_the_layer_that_gave_it(tmp_path: Path) -> None:
    layers = layers_in(tmp_path, user=USER, project="[servers.two]\nenv = { LEVEL = 3 }\n")
    say(layers, "approved")
    assert commands(layers) == {"one": "user-one"}
    problem = problem_about(layers, "two")
    assert (problem.type, problem.detail.split(": ")[0]) == ("definition-invalid", f"{tmp_path / PROJECT_FILE}:2")
    assert layers.current().broken == {"two": problem}
