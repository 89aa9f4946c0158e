"""The layers merged: which word counts, who gave it, what it hides, and whom a fault names."""

from __future__ import annotations

import random
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import pytest

from mcp_host.core.definitions.document import read_document
from mcp_host.core.definitions.environment import read_environment
from mcp_host.core.definitions.layers import Defined, Hidden, Merged, Origin, merge
from mcp_host.core.definitions.models import HttpDefinition, StdioDefinition
from mcp_host.core.definitions.sources import Source, read_source, session_source
from mcp_host.problems import Problem

USER = "/home/me/.config/nvim/mcp.toml"
PROJECT = "/srv/app/.nvim/mcp.toml"
LITERAL = "sk-live-0123456789"
NO_LITERAL = "names a secret, and a secret must not stand in the file as a literal"
EXPOSED = "must start with https://: over http:// anybody on the way could read"
BESIDE = "stands beside authorization, which sets it"


def layers(
    *,
    env: Mapping[str, str] | None = None,
    user: str = "",
    project: str = "",
    session: Mapping[str, object] | None = None,
) -> list[Source]:
    return [
        read_environment({f"NVIM_MCP_{name}": value for name, value in (env or {}).items()}),
        read_source(user, USER, layer="user"),
        read_source(project, PROJECT, layer="project"),
        session_source({"x": session} if session is not None else {}),
    ]


def merged_x(**said: Any) -> Defined:
    return merge(layers(**said)).definitions["x"]


def test_nothing_merges_to_nothing() -> None:
    assert merge([]) == merge(layers()) == Merged()


def test_the_nearest_word_on_each_field_counts_and_arrays_and_tables_replace() -> None:
    found = merged_x(
        env={"X": "from-env", "X_ARGS": '["env"]', "X_SUMMARY": "env", "X_CWD": "/env"},
        user='[servers.x]\nargs = ["user", "more"]\nenv = { A = "1", B = "2" }\nsummary = "user"\n',
        project='\n[servers.x]\nenv = { C = "3" }\nread = ["r"]\n',
        session={"summary": "session"},
    )
    definition = StdioDefinition(
        command="from-env",
        args=("user", "more"),
        cwd="/env",
        env={"C": "3"},
        read=("r",),
        summary="session",
    )
    environment = "the environment variable NVIM_MCP_X"
    assert found == Defined(
        alias="x",
        definition=definition,
        file="this session",
        line=None,
        layer="session",
        hidden=(
            Hidden(layer="environment", file="the environment", line=None, fields=("args", "summary")),
            Hidden(layer="user", file=USER, line=1, fields=("env", "summary")),
        ),
        origins={
            "command": Origin(layer="environment", file="the environment", line=None, place=environment),
            "cwd": Origin(layer="environment", file="the environment", line=None, place=f"{environment}_CWD"),
            "args": Origin(layer="user", file=USER, line=2, place=f"{USER}:2"),
            "env": Origin(layer="project", file=PROJECT, line=3, place=f"{PROJECT}:3"),
            "read": Origin(layer="project", file=PROJECT, line=4, place=f"{PROJECT}:4"),
            "summary": Origin(layer="session", file="this session", line=None, place="this session"),
        },
    )


def test_the_nearest_mention_is_where_a_server_stands_whatever_it_gives() -> None:
    found = merge(layers(user='[servers.x]\ncommand = "x"\n', project="\n\n[servers.x]\n"))
    assert (found.definitions["x"].layer, found.definitions["x"].line) == ("project", 3)
    assert found.mentions == {"x": Origin(layer="project", file=PROJECT, line=3, place=f"{PROJECT}:3")}
    assert found.definitions["x"].hidden == ()


STDIO = '[servers.x]\ncommand = "x"\nargs = ["a"]\ncwd = "/c"\nenv = { A = "1" }\ntransport = "stdio"\nsummary = "s"\n'
HTTP = (
    '[servers.x]\nurl = "https://h"\nheaders = { A = "1" }\ntransport = "sse"\nsummary = "s"\n'
    'authorization = { type = "bearer", token = "${T}" }\n'
)


def test_the_other_target_hides_all_that_goes_with_the_lower_one() -> None:
    found = merged_x(user=STDIO, project='[servers.x]\nurl = "https://h"\n')
    assert found.definition == HttpDefinition(url="https://h", summary="s")
    fields = ("command", "args", "cwd", "env", "transport")
    assert found.hidden == (Hidden(layer="user", file=USER, line=1, fields=fields),)
    assert sorted(found.origins) == ["summary", "url"]
    found = merged_x(user=HTTP, session={"command": "y"})
    assert found.definition == StdioDefinition(command="y", summary="s")
    fields = ("url", "headers", "transport", "authorization")
    assert found.hidden == (Hidden(layer="user", file=USER, line=1, fields=fields),)


def test_what_was_hidden_by_the_other_target_does_not_come_back() -> None:
    found = merged_x(user=STDIO, project='[servers.x]\nurl = "https://h"\n', session={"command": "y"})
    assert found.definition == StdioDefinition(command="y", summary="s")
    assert found.hidden == (
        Hidden(layer="user", file=USER, line=1, fields=("command", "args", "cwd", "env", "transport")),
        Hidden(layer="project", file=PROJECT, line=1, fields=("url",)),
    )


def test_the_same_target_again_keeps_what_goes_with_it() -> None:
    found = merged_x(user=HTTP, project='[servers.x]\nurl = "https://other"\n')
    assert isinstance(found.definition, HttpDefinition)
    assert (found.definition.url, found.definition.transport) == ("https://other", "sse")
    assert found.definition.authorization is not None
    assert found.hidden == (Hidden(layer="user", file=USER, line=1, fields=("url",)),)


def test_the_environments_defaults_count_where_nobody_says_otherwise_and_are_not_hidden() -> None:
    env = {"ENABLED": '["y"]', "CONNECT_TIMEOUT": "5", "REQUEST_TIMEOUT": "7"}
    user = '[servers.x]\ncommand = "x"\nconnect_timeout_seconds = 9\n[servers.y]\ncommand = "y"\n'
    found = merge(layers(env=env, user=user, project="[servers.y]\nenabled = false\n")).definitions
    assert found["x"].definition == StdioDefinition(
        command="x", enabled=False, connect_timeout_seconds=9, request_timeout_seconds=7
    )
    assert found["y"].definition == StdioDefinition(
        command="y", enabled=False, connect_timeout_seconds=5, request_timeout_seconds=7
    )
    assert (found["x"].hidden, found["y"].hidden) == ((), ())
    assert found["x"].layer == "user"
    assert {name: origin.place for name, origin in found["x"].origins.items()} == {
        "enabled": "the environment variable NVIM_MCP_ENABLED",
        "request_timeout_seconds": "the environment variable NVIM_MCP_REQUEST_TIMEOUT",
        "command": f"{USER}:2",
        "connect_timeout_seconds": f"{USER}:3",
    }


def test_defaults_define_no_server() -> None:
    assert merge(layers(env={"ENABLED": '["x"]', "CONNECT_TIMEOUT": "5"})) == Merged()


def test_a_default_that_cannot_be_read_disables_no_server() -> None:
    found = merge(layers(env={"CONNECT_TIMEOUT": "soon"}, user='[servers.x]\ncommand = "x"\n'))
    assert list(found.definitions) == ["x"]
    assert [problem.title for problem in found.problems] == ["NVIM_MCP_CONNECT_TIMEOUT is not a number of seconds"]


@pytest.mark.parametrize(
    ("user", "project", "detail"),
    [
        ("command = 1", "read = ['r']", f"{USER}:2: servers.x.command must be a string, not an integer"),
        ("command = 'x'", "env = { A = 1 }", f"{PROJECT}:2: servers.x.env.A must be a string, not an integer"),
        ("command = 'x'", "comand = 'y'", f"{PROJECT}:2: servers.x.comand is not a known key"),
        (
            "command = 'x'\ntools = ['a']",
            "read = ['a', 'b']",
            f"{PROJECT}:2: servers.x.read[1] names a tool that is not in tools (tools: {USER}:3)",
        ),
        (
            "command = 'x'\nread = ['b']",
            "tools = ['a']",
            f"{USER}:3: servers.x.read[0] names a tool that is not in tools (tools: {PROJECT}:2)",
        ),
        (
            "command = 'x'",
            "headers = {}",
            f"{PROJECT}:2: servers.x.headers is an option of servers with a url (command: {USER}:2)",
        ),
        (
            "command = 'x'",
            "transport = 'sse'",
            f"{PROJECT}:2: servers.x.transport needs url, and command is given (command: {USER}:2)",
        ),
        (
            "url = 'https://h'\nheaders = { X-Api-Key = '${KEY}' }",
            "url = 'http://h'",
            f"{PROJECT}:2: servers.x.url {EXPOSED} the header X-Api-Key (headers: {USER}:3)",
        ),
        (
            "url = 'https://h'\nheaders = { Authorization = '${KEY}' }",
            "authorization = { type = 'oauth' }",
            f"{USER}:3: servers.x.headers.Authorization {BESIDE} (authorization: {PROJECT}:2)",
        ),
        ("summary = 's'", "args = ['a']", f"{PROJECT}:1: servers.x has neither command nor url"),
        (
            "command = 'x'\nurl = 'https://h'",
            "read = ['r']",
            f"{USER}:3: servers.x.url stands beside command: only one may be given",
        ),
    ],
)
def test_a_fault_names_the_layer_that_gave_the_field(user: str, project: str, detail: str) -> None:
    found = merge(layers(user=f"[servers.x]\n{user}\n", project=f"[servers.x]\n{project}\n"))
    (problem,) = found.problems
    assert problem.detail == detail
    assert found.broken == {"x": problem}
    assert found.definitions == {}


def test_faults_of_several_layers_are_one_problem_with_a_place_each() -> None:
    env = {"X": "x y", "X_ARGS": "[", "X_ENV": f'{{"API_TOKEN": "{LITERAL}"}}'}
    found = merge(layers(env=env, user="[servers.x]\nsummary = 1\n", session={"read": "r"}))
    (problem,) = found.problems
    assert problem.title == 'Server "x" is off: 5 faults in its definition'
    assert [cause.detail.partition(" must")[0] for cause in problem.causes] == [
        "the environment variable NVIM_MCP_X_ARGS: servers.x.args is not JSON (look at character 2)",
        "this session: servers.x.read",
        f"{USER}:2: servers.x.summary",
        "the environment variable NVIM_MCP_X: servers.x.command",
        "the environment variable NVIM_MCP_X_ENV: servers.x.env.API_TOKEN names a secret, and a secret",
    ]
    assert LITERAL not in problem.model_dump_json()


def test_what_is_hidden_is_not_judged() -> None:
    found = merge(
        layers(
            env={"X": "https://h", "X_HEADERS": "{", "X_TOOLS": "[", "X_ENV": "{}"},
            user='[servers.x]\ncommand = "x"\ntools = ["a"]\nread = 1\n',
            project='[servers.x]\nread = ["a"]\nenv = { A = "1" }\n',
        )
    )
    assert found.problems == ()
    assert found.definitions["x"].definition == StdioDefinition(command="x", tools=("a",), read=("a",), env={"A": "1"})
    assert [hidden.fields for hidden in found.definitions["x"].hidden] == [
        ("url", "headers", "tools", "env"),
        ("read",),
    ]


@pytest.mark.parametrize(
    ("user", "project", "place"),
    [("5", "{ command = 'x' }", f"{USER}:2"), ("{ command = 'x' }", "5", f"{PROJECT}:2")],
)
def test_a_server_that_is_no_table_in_one_layer_is_off(user: str, project: str, place: str) -> None:
    found = merge(layers(user=f"[servers]\nx = {user}\n", project=f"[servers]\nx = {project}\n"))
    assert found.problems == (
        Problem(
            type="definition-invalid",
            title='Server "x" is off: its definition must be a table, not an integer',
            detail=f"{place}: servers.x must be a table, not an integer",
            hint="Write a table, as in `[servers.x]`.",
            alias="x",
        ),
    )


def test_one_bad_definition_among_20_good_ones_disables_itself_whatever_the_layer() -> None:
    env = {f"GOOD{index}": "x" for index in range(5)}
    user = "".join(f'[servers.good{index}]\ncommand = "x"\n' for index in range(3, 13))
    project = "".join(f'[servers.good{index}]\nsummary = "s"\ncommand = "x"\n' for index in range(11, 20))
    for place, bad in (("env", '["x"'), ("user", "comand = 'x'"), ("project", "env = { A_TOKEN = 'sk-live-01' }")):
        found = merge(
            layers(
                env=env | ({"BAD": "x", "BAD_ARGS": bad} if place == "env" else {}),
                user=user + (f"[servers.bad]\ncommand = 'x'\n{bad}\n" if place == "user" else ""),
                project=project + (f"[servers.bad]\ncommand = 'x'\n{bad}\n" if place == "project" else ""),
            )
        )
        assert sorted(found.definitions) == sorted(f"good{index}" for index in range(20))
        (problem,) = found.problems
        assert found.broken == {"bad": problem}
        assert (problem.detail, problem.hint) == {
            "env": (
                "the environment variable NVIM_MCP_BAD_ARGS: servers.bad.args is not JSON (look at character 5)",
                'Set `NVIM_MCP_BAD_ARGS` to a JSON array of strings, as in `["-y", "some-server"]`.',
            ),
            "user": (f"{USER}:23: servers.bad.comand is not a known key", "Did you mean `command`?"),
            "project": (
                f"{PROJECT}:30: servers.bad.env.A_TOKEN {NO_LITERAL}",
                'Put the value into an environment variable and write `"${A_TOKEN}"`.',
            ),
        }[place]


def test_problems_come_layer_by_layer_and_a_broken_server_with_its_nearest_mention() -> None:
    found = merge(
        layers(
            env={"LONE_ARGS": "[]", "X": "x"},
            user="other = 1\n[servers.a]\nb = 1\n[servers.x]\nc = 1\n",
            project='top = 1\n[servers.x]\n[servers."no alias"]\n',
        )
    )
    assert [problem.title.partition(":")[0] for problem in found.problems] == [
        "NVIM_MCP_LONE_ARGS belongs to no server",
        USER,
        'Server "a" is off',
        PROJECT,
        'Server "x" is off',
        'Server "no alias" is off',
    ]
    assert list(found.broken) == ["x", "a", "no alias"]
    assert {alias: origin.place for alias, origin in found.mentions.items()} == {
        "x": f"{PROJECT}:2",
        "a": f"{USER}:2",
        "no alias": f"{PROJECT}:3",
    }


def test_a_text_that_cannot_be_read_is_a_problem_and_leaves_what_was_handed_on_with_it() -> None:
    unreadable = read_source("[servers", USER, layer="user")
    kept = replace(read_source('[servers.x]\ncommand = "x"\n', USER, layer="user"), unparsable=unreadable.unparsable)
    project = read_source('[servers.y]\ncommand = "y"\n', PROJECT, layer="project")
    assert merge([unreadable, project]).problems == (unreadable.unparsable,)
    assert list(merge([unreadable, project]).definitions) == ["y"]
    assert merge([kept, project]).problems == (unreadable.unparsable,)
    assert list(merge([kept, project]).definitions) == ["x", "y"]


def test_a_file_by_itself_is_what_its_document_says() -> None:
    text = STDIO + "[servers.bad]\n[other]\n"
    merged, document = merge([read_source(text, USER, layer="user")]), read_document(text, USER, layer="user")
    assert (merged.definitions, merged.broken, merged.problems) == (
        document.definitions,
        document.broken,
        document.problems,
    )


def test_any_layers_merge_to_what_a_single_table_with_the_nearest_fields_says() -> None:
    """Against the plain rule, for servers that keep their target."""
    fields: list[tuple[str, list[object]]] = [
        ("command", ["a", "b", "c", "bad line"]),
        ("args", [["x"], ["y", "z"], [], [1]]),
        ("env", [{}, {"A": "1"}, {"B": "2"}, {"API_TOKEN": LITERAL}]),
        ("tools", [["r"], ["r", "s"], ["s", "t"]]),
        ("read", [["r"], ["s"]]),
        ("enabled", [True, False, "yes"]),
    ]
    chance = random.Random(11)
    sound = 0
    for _ in range(2000):
        tables = [{name: chance.choice(values) for name, values in fields if chance.random() < 0.3} for _ in range(3)]
        together: dict[str, object] = {}
        for table in tables:
            for name in [name for name in together if name in table]:
                del together[name]
            together |= table
        apart = merge([session_source({"x": table}) for table in tables])
        alone = merge([session_source({"x": together})])
        assert {alias: defined.definition for alias, defined in apart.definitions.items()} == {
            alias: defined.definition for alias, defined in alone.definitions.items()
        }
        assert [problem.title for problem in apart.problems] == [problem.title for problem in alone.problems]
        assert not any(LITERAL in problem.model_dump_json() for problem in apart.problems)
        sound += len(apart.definitions)
    assert sound > 100


def test_every_word_about_a_server_is_in_force_or_hidden_and_nothing_else_is() -> None:
    options = {
        "command": "x",
        "args": ["a"],
        "cwd": "/c",
        "env": {"A": "1"},
        "url": "https://h",
        "headers": {"A": "1"},
        "authorization": {"type": "oauth"},
        "summary": "s",
        "enabled": True,
    }
    chance = random.Random(13)
    sound = 0
    for _ in range(3000):
        target = chance.choice(["command", "url"])
        tables = [
            {
                name: value
                for name, value in options.items()
                if (name == target or name not in {"command", "url"}) and chance.random() < 0.4
            }
            for target in (target, chance.choice(["command", "url"]), chance.choice(["command", "url"]))
        ]
        sources = [replace(session_source({"x": table}), file=str(number)) for number, table in enumerate(tables)]
        found = merge(sources).definitions.get("x")
        if found is None:
            continue
        sound += 1
        said = [(str(number), name) for number, table in enumerate(tables) for name in table]
        in_force = [(origin.file, name) for name, origin in found.origins.items()]
        hidden = [(one.file, name) for one in found.hidden for name in one.fields]
        assert sorted(in_force + hidden) == sorted(said)
        assert {"command", "url"} & found.origins.keys() == {
            "command" if found.definition.transport == "stdio" else "url"
        }
        target_given_by = int(next(origin.file for name, origin in found.origins.items() if name in {"command", "url"}))
        assert not any({"command", "url"} & table.keys() for table in tables[target_given_by + 1 :])
    assert sound > 100
