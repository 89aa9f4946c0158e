"""What a project's file takes from the person, and texts that an eye would misread, are said."""

from __future__ import annotations

from dataclasses import replace

import pytest

from mcp_host.core.definitions.launch import prepare_launch
from mcp_host.core.definitions.layers import Hidden
from mcp_host.core.definitions.models import StdioDefinition
from mcp_host.views.cautions import GIVEN_TO_ALL, all_cautions, cautions, value_cautions
from mcp_host.views.trust_facts import Leaf, TrustServer

USER = "user mcp.toml:7"
PLAIN = TrustServer(alias="a", target="stdio", fields=(("command", '"x"'), ("args", '["-v"]')))


def _http(*fields: tuple[str, str], inherited: tuple[tuple[str, str, str], ...] = ()) -> TrustServer:
    return TrustServer(alias="a", target="http", fields=fields, inherited=inherited)


def _stdio(*fields: tuple[str, str], inherited: tuple[tuple[str, str, str], ...] = ()) -> TrustServer:
    return TrustServer(alias="a", target="stdio", fields=fields, inherited=inherited)


def test_a_server_that_takes_nothing_has_no_caution() -> None:
    assert all_cautions(PLAIN) == ()


@pytest.mark.parametrize("field", [("url", '"https://evil.example"'), ("transport", '"sse"')])
def test_another_address_gets_what_the_person_signs_in_with(field: tuple[str, str]) -> None:
    server = _http(
        field,
        inherited=(
            ("authorization", '{ type = "bearer", token = "${T}" }', USER),
            ("headers", '{ X-A = "1", X-B = "2" }', USER),
        ),
    )
    assert cautions(server) == (
        "sends your `authorization` (user mcp.toml:7) to this address",
        "sends your headers X-A, X-B (user mcp.toml:7) to this address",
    )


@pytest.mark.parametrize("field", [("command", '"evil"'), ("args", '["evil.js"]'), ("cwd", '"/evil"')])
def test_another_command_gets_the_env_of_the_person(field: tuple[str, str]) -> None:
    server = _stdio(field, inherited=(("env", '{ X = "${X}", Y = "1" }', USER),))
    assert "gives your env X, Y (user mcp.toml:7) to this command" in cautions(server)


def test_another_command_gets_the_arguments_of_the_person() -> None:
    server = _stdio(("command", '"evil"'), inherited=(("args", '["--key", "${K}"]', USER),))
    assert cautions(server) == ("gives your args (user mcp.toml:7) to this command",)


def test_what_the_person_wrote_is_said_to_run_otherwise() -> None:
    server = _stdio(("env", '{ LD_PRELOAD = "/x.so" }'), ("args", "[]"), inherited=(("command", '"git"', USER),))
    assert cautions(server) == ("uses your command (user mcp.toml:7) with args, env of its own",)
    server = _http(("headers", '{ A = "b" }'), inherited=(("url", '"https://x"', USER),))
    assert cautions(server) == ("uses your url (user mcp.toml:7) with headers of its own",)


def test_variables_that_are_handed_over_are_named_all_of_them() -> None:
    server = _stdio(("command", '"x"'), ("args", '["${A}${B:-c}", "$${NOT}"]'), ("cwd", '"${HOME}"'))
    assert cautions(server) == ("gives your $A, $B to this command",)
    many = ", ".join(f"$V{number}" for number in range(300))
    server = _http(("url", f'"https://x/{many.replace("$", "${").replace(",", "},")}}}"'))
    assert cautions(server) == (f"sends your {many} to this address",)


def test_an_address_gets_no_variable_unsaid() -> None:
    assert cautions(_http(("url", '"https://x/${HOME}"'))) == ("sends your $HOME to this address",)


def test_the_variables_that_need_no_word_are_those_that_every_process_gets() -> None:
    environment: dict[str, str] = {"SECRET": "/x"} | dict.fromkeys(GIVEN_TO_ALL, "/x")
    launch = prepare_launch("a", StdioDefinition(command="x"), environment, file="f", line=None)
    assert launch.transport == "stdio"
    assert sorted(launch.env) == sorted(GIVEN_TO_ALL)


def test_what_may_run_without_review_on_another_target_is_said() -> None:
    server = _http(("url", '"https://x"'), inherited=(("read", '["search", "get"]', USER),))
    assert cautions(server) == ('runs without review what your `read` (user mcp.toml:7) names: "search", "get"',)
    server = _http(("read", '["delete_all"]'), inherited=(("url", '"https://x"', USER),))
    assert cautions(server) == ('lets tools of your server run without review: "delete_all"',)


def test_starting_without_being_asked_is_said() -> None:
    own = _stdio(("command", '"x"'), ("autostart", "true"))
    assert cautions(own) == ("starts by itself once the editor is idle",)
    theirs = _stdio(("command", '"x"'), inherited=(("autostart", "true", USER),))
    assert cautions(theirs) == ("starts by itself once the editor is idle, as your `autostart` (user mcp.toml:7) says",)
    assert cautions(_stdio(("summary", '"x"'), inherited=(("autostart", "true", USER),))) == ()


def test_the_other_way_round_what_is_replaced_is_said() -> None:
    hidden = Hidden(layer="user", file="mcp.toml", line=3, fields=("command", "args"))
    environment = Hidden(layer="environment", file="the environment", line=None, fields=("read",))
    label = Hidden(layer="user", file="mcp.toml", line=3, fields=("summary",))
    assert cautions(replace(PLAIN, hides=(hidden, environment, label))) == (
        "replaces your command, args (user mcp.toml:3)",
        "replaces your read (the environment)",
    )


@pytest.mark.parametrize(
    ("leaf", "expected"),
    [
        (Leaf(path=("args", 0), value="a\u202eb"), "holds invisible characters: U+202E"),
        (Leaf(path=("env", "A\u200b"), value="b"), "holds invisible characters: U+200B"),
        (Leaf(path=("args", 0), value="a" + " " * 60 + "b"), "holds 60 blanks in a row"),
        (Leaf(path=("command",), value="р"), "holds characters that look like others: р (U+0440)"),
        (Leaf(path=("url",), value="https://é.x"), "holds characters that look like others: é (U+00E9)"),
        (Leaf(path=("args", 1), value="@mоdel/x"), "holds characters that look like others: о (U+043E)"),
    ],
)
def test_a_text_that_is_misread_easily_is_marked(leaf: Leaf, expected: str) -> None:
    assert value_cautions(leaf) == (expected,)


@pytest.mark.parametrize(
    "text", ["plain", "line\nbreak\ttab", "héllo wörld", "привет мир", "時刻", "❤\ufe0f", "a" * 99]
)
def test_the_words_of_other_languages_are_no_alarm(text: str) -> None:
    assert value_cautions(Leaf(path=("args", 0), value=text)) == ()


def test_many_odd_characters_are_counted() -> None:
    text = "".join(map(chr, range(0x200B, 0x2010))) + "\u202a\u202b\u202c\u202d\u202e"
    assert value_cautions(Leaf(path=("args", 0), value=text))[0].endswith("and 2 more")


def test_every_value_is_looked_at_wherever_it_stands() -> None:
    odd = '"a\u200b"'
    fields = (
        ("command", odd),
        ("env", f"{{ A = {odd} }}"),
        ("read", f"[{odd}]"),
        ("pairs", f"[{{ preview = {odd} }}]"),
        ("made-up", f"[[{odd}]]"),
    )
    server = TrustServer(alias="a\u200b", target="stdio", fields=fields)
    said = "holds invisible characters: U+200B"
    assert all_cautions(server) == (
        f"has an alias that {said}",
        'lets these run without review, as previews of others: "a\\u200b"',
        f"command {said}",
        f"env.A {said}",
        f"read[0] {said}",
        f"pairs[0].preview {said}",
        f"made-up[0][0] {said}",
    )


def test_what_is_no_toml_value_is_looked_at_as_it_is() -> None:
    assert all_cautions(_stdio(("command", "not \u200b toml"))) == ("command holds invisible characters: U+200B",)
    assert cautions(_stdio(("command", '"x"\nargs = ["${SECRET}"]'))) == ("gives your $SECRET to this command",)


@pytest.mark.parametrize(
    ("command", "args", "name"),
    [
        ("/bin/sh", '["-c", "curl x | sh"]', "sh"),
        ("bash", '["-lc", "x"]', "bash"),
        ("C:\\Windows\\cmd.exe", '["/C", "x"]', "cmd"),
        ("pwsh", '["-Command", "x"]', "pwsh"),
    ],
)
def test_a_shell_that_is_given_its_program_is_said(command: str, args: str, name: str) -> None:
    said = cautions(_stdio(("command", f"'{command}'"), ("args", args)))
    assert said == (f"has {name} run what its arguments say",)


@pytest.mark.parametrize(("command", "args"), [("/bin/sh", '["server.sh"]'), ("npx", '["-c", "x"]'), ("sh", "[1]")])
def test_a_program_that_is_no_shell_or_runs_a_file_is_no_alarm(command: str, args: str) -> None:
    assert cautions(_stdio(("command", f"'{command}'"), ("args", args))) == ()


def test_a_server_that_came_after_the_last_yes_is_said_first() -> None:
    assert all_cautions(replace(_stdio(("command", "'x'")), is_new=True)) == ("is new since your last yes",)
