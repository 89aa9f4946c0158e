"""One file of definitions: what loads, what is broken, and where each problem points."""

from __future__ import annotations

import random

import pytest

from mcp_host.core.definitions.document import Defined, Document, read_document
from mcp_host.core.definitions.models import StdioDefinition
from mcp_host.core.definitions.sources import Origin
from mcp_host.problems import Problem

FILE = "/home/me/.config/nvim/mcp.toml"


def read(text: str) -> Document:
    return read_document(text, FILE, layer="user")


def test_an_empty_file_defines_nothing_and_is_no_problem() -> None:
    assert read("") == read("# only a comment\n") == read("[servers]\n") == Document(file=FILE, layer="user")


def test_a_definition_knows_its_file_line_and_layer() -> None:
    assert read('\n[servers.time]\ncommand = "x"\n') == Document(
        file=FILE,
        layer="user",
        definitions={
            "time": Defined(
                alias="time",
                definition=StdioDefinition(command="x"),
                file=FILE,
                line=2,
                layer="user",
                origins={"command": Origin(layer="user", file=FILE, line=3, place=f"{FILE}:3")},
            )
        },
    )


def test_a_byte_order_mark_and_carriage_returns_are_read_over() -> None:
    document = read('\ufeff[servers.time]\r\ncommand = "x"\r\n')
    assert [(defined.line, defined.alias) for defined in document.definitions.values()] == [(1, "time")]


def test_a_bad_escape_is_told_with_line_column_and_reason() -> None:
    document = read('[servers.case]\nargs = ["F:\\projects\\start.py"]\n[servers.good]\ncommand = "x"\n')
    assert document == Document(
        file=FILE,
        layer="user",
        unparsable=Problem(
            type="definition-unparsable",
            title=f"{FILE} is not TOML, so it cannot be read",
            detail=f"{FILE}:2:12: Unescaped '\\' in a string",
            hint="Write a backslash twice (\"C:\\\\dir\"), or the whole text in single quotes ('C:\\dir').",
        ),
    )


@pytest.mark.parametrize(
    "text", ["a = " + "[" * 3000, "a = " + "9" * 5000, "a." * 3000 + "b = 1", "a = 'x", "[a]\n[a]\n"]
)
def test_no_text_raises(text: str) -> None:
    unparsable = read(text).unparsable
    assert unparsable is not None
    assert unparsable.type == "definition-unparsable"
    assert FILE in unparsable.detail


def test_arbitrary_text_is_a_document_or_unparsable() -> None:
    chance = random.Random(3)
    pieces = [
        "[servers",
        "[[",
        "]",
        ".a",
        '"',
        "'",
        "=",
        "command",
        "url",
        "{",
        "}",
        "\n",
        "1",
        ",",
        " ",
        "#",
        "x",
        "\\",
    ]
    for _ in range(3000):
        document = read("".join(chance.choices(pieces, k=12)))
        assert document.unparsable is None or not document.problems


def test_unknown_tables_and_keys_are_problems_and_the_good_servers_load() -> None:
    document = read(
        '[mcp.servers."mcp-obsidian"]\ncommand = "python3"\n[servers.typo]\ncomand = "python3"\n[servers.badtype]\n'
        'command = "python3"\n[servers.badtype.env]\nenv_vars = [ "KEY" ]\n[servers.good]\ncommand = "python3"\n'
    )
    assert list(document.definitions) == ["good"]
    assert document.problems == (
        Problem(
            type="definition-invalid",
            title=f"{FILE}: mcp is a top-level table that nothing reads",
            detail=f"{FILE}:1: mcp is a top-level table that nothing reads",
            hint="Did you mean `servers`? Write each server as `[servers.{alias}]`.",
        ),
        Problem(
            type="definition-invalid",
            title='Server "typo" is off: comand is not a known key',
            detail=f"{FILE}:4: servers.typo.comand is not a known key",
            hint="Did you mean `command`?",
            alias="typo",
        ),
        Problem(
            type="definition-invalid",
            title='Server "badtype" is off: env.env_vars must be a string, not an array',
            detail=f"{FILE}:8: servers.badtype.env.env_vars must be a string, not an array",
            hint="Write one string here.",
            alias="badtype",
        ),
    )
    assert document.broken == {"typo": document.problems[1], "badtype": document.problems[2]}


@pytest.mark.parametrize("key", ["server", "Servers", "mcp_servers", "mcpServers", "mcp"])
def test_a_table_that_was_meant_to_be_servers_gets_the_right_name(key: str) -> None:
    (problem,) = read(f"[{key}.x]\n").problems
    assert problem.hint == "Did you mean `servers`? Write each server as `[servers.{alias}]`."


def test_text_that_looks_like_a_header_is_text() -> None:
    document = read(
        '# keep me\ninstructions = """\n[servers.unic]\nkeep this\n"""\n[servers."unic"] # note\ncommand = "python3"\n'
    )
    assert [(defined.alias, defined.line) for defined in document.definitions.values()] == [("unic", 6)]
    assert [problem.detail for problem in document.problems] == [
        f"{FILE}:2: instructions is a top-level key that nothing reads"
    ]


def test_each_bad_entry_is_one_problem_that_names_the_rule_and_the_others_load() -> None:
    document = read(
        '[servers.none]\nargs = ["x"]\n[servers.both]\ncommand = "x"\nurl = "http://127.0.0.1:1/mcp"\n'
        '[servers.list]\ncommand = ["x"]\n[servers.scheme]\nurl = "htp:/x"\n'
        '[servers."sp ace.and/slash"]\ncommand = "x"\n'
        '[servers.good]\ncommand = "x"\n'
    )
    starts = "one starts with a-z, goes on with a-z, 0-9 and -, and has at most 32 characters"
    no_alias = f"has a name that is no alias: {starts}"
    assert list(document.definitions) == ["good"]
    assert [problem.detail for problem in document.problems] == [
        f"{FILE}:1: servers.none has neither command nor url",
        f"{FILE}:5: servers.both.url stands beside command: only one may be given",
        f"{FILE}:7: servers.list.command must be a string, not an array",
        f"{FILE}:9: servers.scheme.url must start with http:// or https://",
        f'{FILE}:10: servers."sp ace.and/slash" {no_alias}',
    ]
    assert document.problems[-1].hint == "Rename it, as in `[servers.sp-ace-and-slash]`."


@pytest.mark.parametrize(
    ("text", "detail", "hint"),
    [
        ("servers = 1", "servers must be a table, not an integer", "Write one table a server, as in `[servers.time]`."),
        ("[[servers]]", "servers must be a table, not an array", "Write one table a server, as in `[servers.time]`."),
        (
            '[servers]\ncommand = "x"',
            "servers.command must be a table, not a string",
            "Write it under its server's alias: `[servers.time]`, then `command = …`.",
        ),
        (
            "[[servers.x]]",
            "servers.x must be a table, not an array",
            "Write `[servers.x]` with single brackets, once.",
        ),
        (
            "servers.x = 1979-05-27",
            "servers.x must be a table, not a date or time",
            "Write a table, as in `[servers.x]`.",
        ),
        (
            "servers.x.pairs = 1\nservers.x.command = 'y'",
            "servers.x.pairs must be an array, not an integer",
            'Write `[[servers.x.pairs]]` with preview = "…" and execute = "…".',
        ),
    ],
)
def test_a_wrong_shape_is_told_with_the_right_one(text: str, detail: str, hint: str) -> None:
    (problem,) = read(text).problems
    assert problem.detail.partition(": ")[2] == detail
    assert problem.hint == hint


def test_several_faults_of_one_server_are_one_problem_with_a_line_and_a_cause_each() -> None:
    document = read(
        '[servers.x]\ncommand = "a b"\nread = ["r"]\nenv = { A = "1",\n  API_TOKEN = "sk-live-0123456789" }\n'
        "[[servers.x.pairs]]\npreview = 1\n"
    )
    (problem,) = document.problems
    assert problem == document.broken["x"]
    assert problem.title == 'Server "x" is off: 4 faults in its definition'
    assert [cause.detail for cause in problem.causes] == [
        f"{FILE}:7: servers.x.pairs[0].preview must be a string, not an integer",
        f"{FILE}:6: servers.x.pairs[0].execute is missing",
        f"{FILE}:2: servers.x.command must be one executable, not a command line (no shell reads it)",
        f"{FILE}:5: servers.x.env.API_TOKEN names a secret, and a secret must not stand in the file as a literal",
    ]
    assert problem.detail.splitlines() == [f"{cause.detail}. {cause.hint}" for cause in problem.causes]
    assert "sk-live" not in problem.model_dump_json()


def test_no_problem_quotes_a_value() -> None:
    secret = "sk-live-0123456789"
    texts = [
        f'[servers.x]\nurl = "http://h"\nauthorization = {{ type = "bearer", token = "{secret}" }}',
        f'[servers.x]\nurl = "http://h"\nauthorization = "{secret}"',
        f'[servers.x]\nurl = "http://h"\nauthorization = {{ type = "{secret}" }}',
        f'[servers.x]\nurl = "http://h"\nheaders = {{ Authorization = "Bearer {secret}" }}',
        f'[servers.x]\nurl = "http://h"\nheaders = ["X-Api-Key: {secret}"]',
        f'[servers.x]\nurl = "http://u:{secret}@h"',
        f'[servers.x]\nurl = "{secret}"\ntransport = "{secret}"',
        f'[servers.x]\ncommand = "x --key {secret}"',
        f'[servers.x]\ncommand = "x"\nenv = {{ API_KEY = "${{A:-{secret}}}", B = "${{b {secret}", C = ["{secret}"] }}',
        f'[servers.x]\ncommand = "x"\nunknown = "{secret}"\nenabled = "{secret}"\nreconnect = {{ a = "{secret}" }}',
        f'token = "{secret}"\n[servers]\nx = "{secret}"',
        f'[servers.x]\ncommand = "x"\ntoken = "{secret}',
    ]
    for text in texts:
        document = read(text)
        problems = [*document.problems, *([document.unparsable] if document.unparsable else [])]
        assert problems, text
        assert not any(secret in problem.model_dump_json() for problem in problems), text
