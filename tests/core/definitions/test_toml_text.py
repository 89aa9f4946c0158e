"""What a server's table becomes in a file."""

from __future__ import annotations

from random import Random

import pytest
import tomli

from mcp_host.core.definitions.faults import FieldPath
from mcp_host.core.definitions.toml_text import Unwritable, server_member, server_toml, toml_value
from tests.core.definitions.written_files import ALIASES, random_table

TABLE: dict[str, object] = {
    "pairs": [{"preview": "delete_preview", "execute": "delete_execute"}, {"preview": "a", "execute": "b"}],
    "reconnect": {"enabled": True, "initial_delay_seconds": 0.5},
    "always_listed": ["convert_time"],
    "request_timeout_seconds": 60,
    "connect_timeout_seconds": 30.0,
    "autostart": False,
    "enabled": True,
    "unheard_of": {"x": [1, {"y": "z"}]},
    "tool_summaries": {"convert_time": 'Convert a "time"', "a b": "two\nlines"},
    "summary": "Clock and time zones ☃",
    "read": [],
    "tools": ("convert_time", "get_current_time"),
    "env": {"TOKEN": "${TIME_TOKEN}", "EMPTY": ""},
    "cwd": "${HOME}/work",
    "args": ["--local-timezone", "${TZ:-UTC}", "C:\\raw"],
    "command": "mcp-server-time",
}


def test_a_server_is_written_in_the_order_in_which_it_is_read() -> None:
    assert server_toml("time", TABLE) == (
        "[servers.time]\n"
        'command = "mcp-server-time"\n'
        'args = ["--local-timezone", "${TZ:-UTC}", "C:\\\\raw"]\n'
        'cwd = "${HOME}/work"\n'
        'env = { TOKEN = "${TIME_TOKEN}", EMPTY = "" }\n'
        'tools = ["convert_time", "get_current_time"]\n'
        "read = []\n"
        'summary = "Clock and time zones ☃"\n'
        'tool_summaries = { convert_time = "Convert a \\"time\\"", "a b" = "two\\nlines" }\n'
        "enabled = true\n"
        "autostart = false\n"
        "connect_timeout_seconds = 30.0\n"
        "request_timeout_seconds = 60\n"
        'always_listed = ["convert_time"]\n'
        'unheard_of = { x = [1, { y = "z" }] }\n'
        "[servers.time.reconnect]\n"
        "enabled = true\n"
        "initial_delay_seconds = 0.5\n"
        "[[servers.time.pairs]]\n"
        'preview = "delete_preview"\n'
        'execute = "delete_execute"\n'
        "[[servers.time.pairs]]\n"
        'preview = "a"\n'
        'execute = "b"\n'
    )


def test_a_remote_server_has_its_transport_and_its_authorization_first() -> None:
    table = {
        "summary": "",
        "authorization": {"type": "bearer", "token": "${T}"},
        "headers": {"X-Team": "${TEAM}"},
        "url": "https://example.test/mcp",
        "transport": "sse",
    }
    assert server_toml("remote", table) == (
        "[servers.remote]\n"
        'transport = "sse"\n'
        'url = "https://example.test/mcp"\n'
        'headers = { X-Team = "${TEAM}" }\n'
        'authorization = { type = "bearer", token = "${T}" }\n'
        'summary = ""\n'
    )


def test_a_server_without_anything_is_its_header() -> None:
    assert server_toml("my server", {}) == '[servers."my server"]\n'


def test_what_should_be_a_table_and_is_not_is_written_as_it_is() -> None:
    table: dict[str, object] = {"reconnect": 1, "pairs": [{"preview": "a"}, "b"], "env": {}}
    text = 'env = {}\nreconnect = 1\npairs = [{ preview = "a" }, "b"]\n'
    assert server_toml("x", table) == f"[servers.x]\n{text}"
    assert server_toml("x", {"pairs": []}) == "[servers.x]\npairs = []\n"


def test_inside_an_inline_table_a_server_is_one_member_on_one_line() -> None:
    table: dict[str, object] = {
        "reconnect": {"enabled": True},
        "command": "x",
        "pairs": [{"preview": "a\nb"}],
        "env": {},
    }
    expected = '{ command = "x", env = {}, reconnect = { enabled = true }, pairs = [{ preview = "a\\nb" }] }'
    assert server_member("a.b", table) == f'"a.b" = {expected}'


def test_what_is_written_parses_to_the_same_table_and_no_line_holds_part_of_a_value() -> None:
    chance = Random(7)
    for _ in range(500):
        alias, table = chance.choice(ALIASES), random_table(chance)
        text = server_toml(alias, table)
        assert tomli.loads(text) == {"servers": {alias: table}}
        assert tomli.loads("servers = { " + server_member(alias, table) + " }") == {"servers": {alias: table}}
        for line in text.removesuffix("\n").split("\n"):
            tomli.loads(line)


def test_numbers_keep_their_kind() -> None:
    values = [1, 1.0, True, -0.0, 1e300, 1e-7, 2**70, float("inf")]
    read = tomli.loads(server_toml("x", {"odd": values, "nan": float("nan")}))["servers"]["x"]
    assert [(type(value), value) for value in read["odd"]] == [(type(value), value) for value in values]
    assert read["nan"] != read["nan"]


@pytest.mark.parametrize(
    ("table", "path"),
    [
        ({"cwd": None}, ("cwd",)),
        ({"args": ["a", None]}, ("args", 1)),
        ({"pairs": [{"preview": "a"}, {"preview": {"x": None}}]}, ("pairs", 1, "preview", "x")),
        ({"reconnect": {"enabled": object()}}, ("reconnect", "enabled")),
        ({"summary": "half a pair: \ud83d"}, ("summary",)),
        ({"env": {"\udc80": "x"}}, ("env", "\udc80")),
        ({"env": {1: "x"}}, ("env",)),
        ({"odd": {"x"}}, ("odd",)),
    ],
)
def test_what_toml_has_no_form_for_is_refused_by_its_place(table: dict[str, object], path: FieldPath) -> None:
    for write in (server_toml, server_member):
        with pytest.raises(Unwritable) as caught:
            write("x", table)
        assert caught.value.path == path


def test_what_nests_absurdly_deep_is_refused_by_its_field() -> None:
    deep: object = "x"
    for _ in range(5000):
        deep = [deep]
    with pytest.raises(Unwritable) as caught:
        server_toml("x", {"odd": deep})
    assert caught.value.path == ("odd",)


@pytest.mark.parametrize(
    ("value", "text"),
    [("a\nb", '"a\\nb"'), ({"A": "1", "b c": []}, '{ A = "1", "b c" = [] }'), ((True, 1.0), "[true, 1.0]"), ({}, "{}")],
)
def test_a_value_by_itself_is_written_as_behind_its_key(value: object, text: str) -> None:
    assert toml_value(value) == text
    assert server_toml("x", {"odd": value}) == f"[servers.x]\nodd = {text}\n"
