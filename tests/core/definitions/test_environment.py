"""Servers that environment variables define: which variable gives what, and what is wrong with the others."""

from __future__ import annotations

import random
from collections.abc import Mapping

import pytest

from mcp_host.core.definitions.environment import read_environment
from mcp_host.core.definitions.layers import merge
from mcp_host.core.definitions.sources import Source
from mcp_host.problems import Problem

LITERAL = "sk-live-0123456789"
NO_LITERAL = "names a secret, and a secret must not stand in a definition as a literal"
RELATIVE_CWD = "is a relative path, which depends on the folder that the editor was started in"
EXPOSED = "must start with https://: over http:// anybody on the way could read"


def read(**variables: str) -> Source:
    return read_environment({f"NVIM_MCP_{name}": value for name, value in variables.items()})


def problem_of(**variables: str) -> Problem:
    """The one problem of these variables, checked to quote no value and to speak of no TOML."""
    (problem,) = merge([read(**variables)]).problems
    assert LITERAL not in problem.model_dump_json()
    assert " = " not in problem.hint
    assert "[servers" not in problem.hint
    return problem


def test_nothing_is_said_by_variables_of_others() -> None:
    assert read_environment({"PATH": "/bin", "NVIM": "x", "NVIM_MCP": "x", "MY_NVIM_MCP_TIME": "x"}) == Source(
        layer="environment", file="the environment"
    )


@pytest.mark.parametrize(
    ("value", "table"),
    [
        ("mcp-server-time", {"command": "mcp-server-time"}),
        ("/usr/bin/time server", {"command": "/usr/bin/time server"}),
        ("~/bin/x", {"command": "~/bin/x"}),
        ("https://example.test/mcp", {"url": "https://example.test/mcp"}),
        ("http:/odd", {"url": "http:/odd"}),
        ("a:b", {"command": "a:b"}),
    ],
)
def test_a_server_is_a_url_or_an_executable(value: str, table: Mapping[str, str]) -> None:
    assert read(MY_TIME2=value).tables == {"my-time2": table}


def test_companions_give_the_other_fields() -> None:
    assert read(
        TIME="mcp-server-time",
        TIME_ARGS='["--zone", "${TZ:-UTC}"]',
        TIME_CWD="/srv",
        TIME_ENV='{"LOG_LEVEL": "debug"}',
        TIME_TOOLS='["now", "convert_time"]',
        TIME_READ='["now"]',
        TIME_SUMMARY="Clock",
        TIME_NOW_SUMMARY="Say the time",
        TIME_CONVERT_TIME_SUMMARY="Convert a time",
        WEB="https://example.test/mcp",
        WEB_HEADERS='{"X-Team": "core"}',
    ).tables == {
        "time": {
            "command": "mcp-server-time",
            "args": ["--zone", "${TZ:-UTC}"],
            "cwd": "/srv",
            "env": {"LOG_LEVEL": "debug"},
            "tools": ["now", "convert_time"],
            "read": ["now"],
            "summary": "Clock",
            "tool_summaries": {"now": "Say the time", "convert_time": "Convert a time"},
        },
        "web": {"url": "https://example.test/mcp", "headers": {"X-Team": "core"}},
    }


@pytest.mark.parametrize(
    ("value", "token"),
    [
        (LITERAL, "${NVIM_MCP_WEB_BEARER}"),
        ("${MY_TOKEN}", "${MY_TOKEN}"),
        ("${MY_TOKEN:-x}", "${NVIM_MCP_WEB_BEARER}"),
        ("x${MY_TOKEN}", "${NVIM_MCP_WEB_BEARER}"),
    ],
)
def test_a_token_stands_in_no_definition(value: str, token: str) -> None:
    tables = read(WEB="https://example.test/mcp", WEB_BEARER=value).tables
    assert tables == {"web": {"url": "https://example.test/mcp", "authorization": {"type": "bearer", "token": token}}}


def test_the_longest_server_has_the_companion() -> None:
    assert read(A="x", A_B="y", A_ARGS='["1"]', A_B_ARGS='["2"]', A_B_C_SUMMARY="s", A_C_SUMMARY="t").tables == {
        "a": {"command": "x", "args": ["1"], "tool_summaries": {"c": "t"}},
        "a-b": {"command": "y", "args": ["2"], "tool_summaries": {"c": "s"}},
    }
    assert read(A="x", A_B_SUMMARY="s").tables == {"a": {"command": "x", "tool_summaries": {"b": "s"}}}


def test_a_companion_of_a_server_is_no_server_even_with_companions_of_its_own() -> None:
    assert read(WEB="x", WEB_READ='["r"]', WEB_READ_SUMMARY="s").tables == {
        "web": {"command": "x", "read": ["r"], "tool_summaries": {"read": "s"}}
    }


@pytest.mark.parametrize("value", ["https://example.test/mcp", "/usr/bin/web-read", "~/bin/web-read"])
def test_a_server_may_be_called_like_a_companion_when_its_value_can_be_nothing_else(value: str) -> None:
    source = read(WEB_READ=value, WEB_READ_TOOLS='["a"]')
    assert list(source.tables) == ["web-read"]
    assert source.problems == ()


def test_an_empty_variable_is_as_if_it_were_not_set() -> None:
    source = read(OFF="", OFF_ARGS='["x"]', ON="x", ON_ARGS="", LONE_ARGS="", ENABLED="", CONNECT_TIMEOUT="")
    assert source.tables == {"on": {"command": "x"}}
    assert (source.problems, source.defaults, source.enabled_aliases) == ((), {}, None)


@pytest.mark.parametrize(
    ("name", "value", "owner"),
    [
        ("TIME_ARGS", f'["{LITERAL}"]', "`NVIM_MCP_TIME`"),
        ("TIME_ENV", LITERAL, "`NVIM_MCP_TIME`"),
        ("MY_TIME_CWD", "/srv", "`NVIM_MCP_MY_TIME`"),
        ("TIME_BEARER", f"https://{LITERAL}", "`NVIM_MCP_TIME`"),
        ("TIME_NOW_SUMMARY", "Say the time", "its server's variable"),
        ("BEARER", LITERAL, "its server's variable"),
    ],
)
def test_a_companion_without_its_server_is_a_problem_and_never_a_command(name: str, value: str, owner: str) -> None:
    assert problem_of(**{name: value}) == Problem(
        type="definition-invalid",
        title=f"NVIM_MCP_{name} belongs to no server",
        detail=f"the environment variable NVIM_MCP_{name} belongs to no server",
        hint=f"Set {owner} to an executable or a URL, or unset this one.",
    )


@pytest.mark.parametrize("value", [LITERAL, f"/{LITERAL}"])
def test_a_variable_that_names_a_secret_is_no_server(value: str) -> None:
    problem = problem_of(GITHUB_TOKEN=value)
    assert problem.title == "NVIM_MCP_GITHUB_TOKEN names a secret, and so it is not taken for a server"
    assert read(GITHUB_TOKEN=value).tables == {}


@pytest.mark.parametrize(
    ("name", "meant"), [("Time", "NVIM_MCP_TIME"), ("my.time", "NVIM_MCP_MY_TIME"), ("", "NVIM_MCP_TIME")]
)
def test_a_variable_that_is_not_in_capital_letters_is_told_the_right_name(name: str, meant: str) -> None:
    problem = problem_of(**{name: "x"})
    assert problem.title == f"NVIM_MCP_{name} names no server"
    assert problem.hint == f"Write the alias in capital letters, as in `{meant}`."


def test_a_name_that_is_no_alias_is_refused_as_in_a_file() -> None:
    problem = problem_of(**{"9_TIME": "x"})
    assert problem.title == (
        'Server "9-time" is off: its definition has a name that is no alias: one starts with a-z, goes on with a-z, '
        "0-9 and -, and has at most 32 characters"
    )
    assert problem.detail.startswith("the environment variable NVIM_MCP_9_TIME: ")
    assert problem.hint == "Rename it, as in `NVIM_MCP_TIME`."


@pytest.mark.parametrize(
    ("companion", "value", "text", "hint"),
    [
        ("ARGS", f'["{LITERAL}"', "args is not JSON (look at character 22)", "a JSON array of strings, as in "),
        ("ARGS", LITERAL, "args is not JSON (look at character 1)", "a JSON array of strings, as in "),
        ("ARGS", f'{{"{LITERAL}": 1}}', "args must be a JSON array", "a JSON array of strings, as in "),
        ("TOOLS", '"now"', "tools must be a JSON array", "a JSON array of strings, as in "),
        ("READ", "null", "read must be a JSON array", "a JSON array of strings, as in "),
        ("ENV", f'["{LITERAL}"]', "env must be a JSON object", "a JSON object of strings, as in "),
        ("ENV", '{"A": "1", "A": "2"}', "env has a key twice", "a JSON object of strings, as in "),
        ("ARGS", "[" * 100_000, "args is JSON that nests too deeply or holds too long a number", "a JSON array"),
    ],
)
def test_json_that_is_none_disables_its_server_and_says_what_to_write(
    companion: str, value: str, text: str, hint: str
) -> None:
    problem = problem_of(TIME="x", **{f"TIME_{companion}": value})
    assert problem.title == f'Server "time" is off: {text}'
    assert problem.detail == f"the environment variable NVIM_MCP_TIME_{companion}: servers.time.{text}"
    assert problem.hint.startswith(f"Set `NVIM_MCP_TIME_{companion}` to {hint}")
    assert problem.alias == "time"


@pytest.mark.parametrize(
    ("variables", "detail", "hint"),
    [
        (
            {"X": "x", "X_ENV": f'{{"API_TOKEN": "{LITERAL}"}}'},
            f"NVIM_MCP_X_ENV: servers.x.env.API_TOKEN {NO_LITERAL}",
            'Put the value into a variable of its own and write `"${API_TOKEN}"`.',
        ),
        (
            {"X": "https://h", "X_HEADERS": f'{{"Authorization": "Bearer {LITERAL}"}}'},
            "NVIM_MCP_X_HEADERS: servers.x.headers.Authorization must not stand in a definition as a literal",
            "Set `NVIM_MCP_X_BEARER` to the token instead of the header.",
        ),
        (
            {"MY_X": f"npx -y {LITERAL}"},
            "NVIM_MCP_MY_X: servers.my-x.command must be one executable, not a command line (no shell reads it)",
            """Set its arguments apart, as in `NVIM_MCP_MY_X_ARGS='["-y", "some-server"]'`.""",
        ),
        (
            {"X": "bin/x"},
            "NVIM_MCP_X: servers.x.command is a relative path, which would run whatever the editor's folder holds",
            "Write the whole path (it may start with `~/`), or a name to look up on PATH: `npx`.",
        ),
        (
            {"X": "x", "X_CWD": "srv"},
            f"NVIM_MCP_X_CWD: servers.x.cwd {RELATIVE_CWD}",
            "Write the whole path, as in `/srv/work` or `~/work`.",
        ),
        (
            {"X": f"https://u:{LITERAL}@h/"},
            "NVIM_MCP_X: servers.x.url holds a user name or password before its host",
            """Leave it out and set `NVIM_MCP_X_HEADERS='{"Authorization": "Basic ${CREDENTIALS}"}'`.""",
        ),
        (
            {"X": "x", "X_ENV": '{"": "1"}'},
            'NVIM_MCP_X_ENV: servers.x.env."" is not the name of an environment variable',
            """Write the variable's name as the key, as in `{"LOG_LEVEL": "debug"}`.""",
        ),
        (
            {"X": "x", "X_ARGS": "[1]"},
            "NVIM_MCP_X_ARGS: servers.x.args[0] must be a string, not an integer",
            "Put it in quotes.",
        ),
        (
            {"X": "x", "X_ENV": '{"A": null}'},
            "NVIM_MCP_X_ENV: servers.x.env.A must be a string, not null",
            "Write one string here.",
        ),
        (
            {"X": "https://h", "X_ARGS": f'["{LITERAL}"]'},
            "NVIM_MCP_X_ARGS: servers.x.args is an option of servers with a command",
            "Remove it: only a server with a command has it.",
        ),
        (
            {"X": "x", "X_BEARER": LITERAL},
            "NVIM_MCP_X_BEARER: servers.x.authorization is an option of servers with a url",
            "Remove it: only a server with a url has it.",
        ),
        (
            {"X": "http://example.test", "X_BEARER": LITERAL},
            f"NVIM_MCP_X: servers.x.url {EXPOSED} what `authorization` sends",
            "Write it as `https://host/path`. Plain http is for this machine alone (localhost, 127.0.0.1, [::1]).",
        ),
        (
            {"X": "x", "X_TOOLS": '["a"]', "X_READ": '["a", "b"]'},
            "NVIM_MCP_X_READ: servers.x.read[1] names a tool that is not in tools",
            "Add it to tools, or remove it here.",
        ),
    ],
)
def test_a_fault_names_its_variable_and_is_mended_without_toml(
    variables: Mapping[str, str], detail: str, hint: str
) -> None:
    problem = problem_of(**variables)
    assert problem.detail == f"the environment variable {detail}"
    assert problem.hint == hint


def test_each_field_is_placed_at_its_variable() -> None:
    source = read(TIME="x", TIME_ARGS='["a"]', TIME_NOW_SUMMARY="s")
    places = {
        ("servers", "time"): "NVIM_MCP_TIME",
        ("servers", "time", "command"): "NVIM_MCP_TIME",
        ("servers", "time", "args", 0): "NVIM_MCP_TIME_ARGS",
        ("servers", "time", "tool_summaries"): "NVIM_MCP_TIME_NOW_SUMMARY",
        ("servers", "time", "tool_summaries", "now"): "NVIM_MCP_TIME_NOW_SUMMARY",
    }
    assert {path: source.place(path) for path in places} == {
        path: f"the environment variable {name}" for path, name in places.items()
    }
    assert source.line(("servers", "time")) is None


@pytest.mark.parametrize(
    ("value", "is_enabled"), [("true", True), ("1", True), ("TRUE ", True), ("false", False), ("0", False)]
)
def test_a_switch_is_the_default_of_every_server(value: str, is_enabled: bool) -> None:
    assert read(ENABLED=value).default_fields("any") == {"enabled": is_enabled}


def test_a_list_of_aliases_enables_them_and_no_other() -> None:
    source = read(ENABLED='["time", "git"]', CONNECT_TIMEOUT="5", REQUEST_TIMEOUT="0.5")
    seconds = {"connect_timeout_seconds": 5.0, "request_timeout_seconds": 0.5}
    assert source.default_fields("git") == {"enabled": True, **seconds}
    assert source.default_fields("web") == {"enabled": False, **seconds}


@pytest.mark.parametrize("value", ["time,git", "yes", '{"time": true}', f'["{LITERAL}'])
def test_an_unreadable_switch_enables_nothing_and_says_so(value: str) -> None:
    problem = problem_of(ENABLED=value)
    assert problem.title == "NVIM_MCP_ENABLED is neither true nor false nor a JSON array"
    assert read(ENABLED=value).default_fields("time") == {"enabled": False}


def test_an_entry_that_is_no_alias_is_a_problem_and_the_others_count() -> None:
    source = read(ENABLED='["time", "My Time", 3, ["x"], null]')
    assert source.enabled_aliases == {"time"}
    assert [problem.title for problem in source.problems] == [
        f"NVIM_MCP_ENABLED holds no alias at [{index}]" for index in (1, 2, 3, 4)
    ]


@pytest.mark.parametrize("value", ["0", "-1", "nan", "inf", "1e3", "30s", "soon", "١", "1_0", "9" * 5000])
def test_a_time_limit_is_a_number_of_seconds_above_nothing(value: str) -> None:
    source = read(CONNECT_TIMEOUT=value)
    assert source.defaults == {}
    assert [problem.title for problem in source.problems] == ["NVIM_MCP_CONNECT_TIMEOUT is not a number of seconds"]


def test_the_order_of_the_variables_means_nothing() -> None:
    variables = {"NVIM_MCP_A": "x", "NVIM_MCP_A_B_SUMMARY": "1", "NVIM_MCP_A_C_SUMMARY": "2", "NVIM_MCP_B": "y"}
    variables |= {"NVIM_MCP_LONE_ARGS": "[]", "NVIM_MCP_X_CWD": "/", "NVIM_MCP_A_ENV": "{", "NVIM_MCP_B_C": "z"}
    expected = read_environment(variables)
    for seed in range(50):
        items = list(variables.items())
        random.Random(seed).shuffle(items)
        found = read_environment(dict(items))
        assert found == expected
        assert list(found.tables) == list(expected.tables)


def test_no_variables_raise_or_are_quoted() -> None:
    chance = random.Random(5)
    parts = ["A", "B", "TIME", "ARGS", "ENV", "READ", "SUMMARY", "BEARER", "HEADERS", "ENABLED", "TOOLS", "x", "", "9"]
    marked = LITERAL
    values = [f'["{marked}"]', f'{{"API_TOKEN": "{marked}"}}', f"npx {marked}", f"https://u:{marked}@h", "", "[]", "{}"]
    for _ in range(3000):
        variables = {
            f"NVIM_MCP_{'_'.join(chance.choices(parts, k=chance.randrange(1, 4)))}": chance.choice(values)
            for _ in range(5)
        }
        merged = merge([read_environment(variables)])
        assert not any(marked in problem.model_dump_json() for problem in merged.problems), variables
