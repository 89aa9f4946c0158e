"""What one layer says before anybody judges it, and where each of its words stands."""

from __future__ import annotations

import pytest

from mcp_host.core.definitions.sources import Origin, Source, read_source, session_source
from mcp_host.problems import Problem

FILE = "/home/me/.config/nvim/mcp.toml"
LITERAL = "sk-live-0123456789"


def read(text: str) -> Source:
    return read_source(text, FILE, layer="user")


def test_a_file_gives_its_tables_unjudged() -> None:
    source = read('[servers.time]\ncommand = 1\nunknown = "x"\n[servers."no alias"]\n[servers]\nodd = "no table"\n')
    assert source.tables == {"time": {"command": 1, "unknown": "x"}, "no alias": {}, "odd": "no table"}
    assert (source.layer, source.file, source.problems, source.unparsable) == ("user", FILE, (), None)


def test_every_path_has_its_line_or_the_line_around_it() -> None:
    source = read('\n[servers.time]\nargs = [\n  "a",\n  "b",\n]\nenv.A = "1"\n')
    assert [
        source.line(("servers", "time", *path)) for path in [(), ("args",), ("args", 1), ("env", "A"), ("tools", 3)]
    ] == [2, 3, 5, 7, 2]
    assert source.place(("servers", "time", "args", 0)) == f"{FILE}:4"
    assert source.origin(("servers", "time", "args")) == Origin(layer="user", file=FILE, line=3, place=f"{FILE}:3")


def test_what_the_file_does_not_hold_is_placed_in_the_file() -> None:
    assert read("").place(("servers", "time")) == FILE
    assert read("").line(("servers", "time")) is None


def test_tables_that_nothing_reads_are_problems_of_the_source() -> None:
    source = read('\n[mcpServers.time]\ncommand = "x"\n[servers.good]\n')
    assert list(source.tables) == ["good"]
    assert source.problems == (
        Problem(
            type="definition-invalid",
            title=f"{FILE}: mcpServers is a top-level table that nothing reads",
            detail=f"{FILE}:2: mcpServers is a top-level table that nothing reads",
            hint="Did you mean `servers`? Write each server as `[servers.{alias}]`.",
        ),
    )


@pytest.mark.parametrize("text", ["servers = 1", '[[servers]]\nx = "y"'])
def test_servers_that_are_no_table_define_nothing(text: str) -> None:
    source = read(text)
    assert source.tables == {}
    assert [problem.hint for problem in source.problems] == ["Write one table a server, as in `[servers.time]`."]


def test_a_text_that_is_not_toml_says_so_and_nothing_else() -> None:
    source = read('[servers.time]\ncommand = "x')
    assert source.unparsable is not None
    assert source.unparsable.type == "definition-unparsable"
    assert source.unparsable.detail.startswith(f"{FILE}:2:")
    assert source == Source(layer="user", file=FILE, unparsable=source.unparsable)


def test_this_session_gives_tables_without_lines() -> None:
    source = session_source({"time": {"command": "x"}})
    assert source == Source(layer="session", file="this session", tables={"time": {"command": "x"}})
    assert source.origin(("servers", "time", "command")) == Origin(
        layer="session", file="this session", line=None, place="this session"
    )


def test_no_repr_shows_what_a_table_holds() -> None:
    text = f'[servers.time]\nenv = {{ API_TOKEN = "{LITERAL}" }}\n'
    assert LITERAL not in repr(read(text)) + repr(session_source({"x": {"command": LITERAL}}))
