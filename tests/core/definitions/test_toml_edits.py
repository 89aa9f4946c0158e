"""A server is added or taken out, and everything else in the file stays byte for byte."""

from __future__ import annotations

import pytest
import tomli

from mcp_host.core.definitions.toml_edits import AlreadyThere, NotThere, Unedited, with_server, without_server
from mcp_host.core.definitions.toml_text import Unwritable
from tests.core.definitions.random_edits import edit_at_random

TIME: dict[str, object] = {"command": "mcp-time", "reconnect": {"enabled": False}}

CAREFUL = '''\
# keep me
instructions = """
[servers.unic]
keep this unrelated text
"""

[servers."unic"] # note
command = "python3" # why
args = [
  "a", # one
  "b",
]

# about the way it reconnects
[servers.unic.reconnect]
enabled = false

# about z
[servers.z]
command = 'C:\\raw'
'''

WITHOUT_UNIC = '''\
# keep me
instructions = """
[servers.unic]
keep this unrelated text
"""

# about z
[servers.z]
command = 'C:\\raw'
'''


@pytest.mark.parametrize("seed", range(10))
def test_a_thousand_random_edits_change_nothing_but_their_server(seed: int) -> None:
    assert edit_at_random(seed, 1000).total >= 1000


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", '[servers.x]\ncommand = "y"\n'),
        ("\ufeff", '\ufeff[servers.x]\ncommand = "y"\n'),
        ("a = 1 # one\n", 'a = 1 # one\n\n[servers.x]\ncommand = "y"\n'),
        ("a = 1\n\n# end\n\n", 'a = 1\n\n# end\n\n\n[servers.x]\ncommand = "y"\n'),
        ("a = 1", 'a = 1\n\n[servers.x]\ncommand = "y"'),
        ("\ufeffa = 1\r\n", '\ufeffa = 1\r\n\r\n[servers.x]\r\ncommand = "y"\r\n'),
        ("a = '''\r\n'''", "a = '''\r\n'''\r\n\r\n[servers.x]\r\ncommand = \"y\""),
        ("[servers]\n", '[servers]\n\n[servers.x]\ncommand = "y"\n'),
        ("servers.a.command = 1\n", 'servers.a.command = 1\n\n[servers.x]\ncommand = "y"\n'),
        ("servers = {}\n", 'servers = {x = { command = "y" }}\n'),
        ("servers = { } # none\n", 'servers = {x = { command = "y" } } # none\n'),
        ("servers = { a = 1 }\n[b]\n", 'servers = { a = 1, x = { command = "y" } }\n[b]\n'),
        ("servers = {\n  a = 1, # one\n}\n", 'servers = {\n  a = 1, x = { command = "y" }, # one\n}\n'),
        ("servers = {\n  a = 1 # one\n  ,\n}\n", 'servers = {\n  a = 1, x = { command = "y" } # one\n  ,\n}\n'),
    ],
)
def test_a_server_is_added_behind_the_rest_and_taking_it_out_gives_back_the_text(text: str, expected: str) -> None:
    added = with_server(text, "x", {"command": "y"})
    assert added == expected
    assert without_server(added, "x") == text


def test_text_in_strings_and_quoted_headers_with_comments_are_told_apart() -> None:
    assert without_server(CAREFUL, "unic") == WITHOUT_UNIC
    added = with_server(CAREFUL, "time", TIME)
    assert added.startswith(CAREFUL)
    assert tomli.loads(added)["servers"]["time"] == TIME
    assert without_server(added, "time") == CAREFUL


def test_servers_that_were_added_one_after_the_other_go_in_any_order() -> None:
    one, other = with_server(CAREFUL, "a", TIME), with_server(CAREFUL, "b", TIME)
    both = with_server(one, "b", TIME)
    assert without_server(both, "b") == one
    assert without_server(both, "a") == other


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        # whole lines go, with the comments on them and between them; those around them stay
        ("# a\n[servers.x] # b\n  # c\n\ty = 1 # d\n# e\n", "# a\n# e\n"),
        # one of the two blank lines around goes too, or the only one where nothing follows
        ("a = 1\n\n[servers.x]\n\n[b]\n", "a = 1\n\n[b]\n"),
        ("a = 1\n\n[servers.x]\n[b]\n", "a = 1\n\n[b]\n"),
        ("a = 1\n[servers.x]\n\n[b]\n", "a = 1\n\n[b]\n"),
        ("[servers.x]\n\n[b]\n", "[b]\n"),
        ("\ufeff[servers.x]\r\n\r\n[b]\r\n", "\ufeff[b]\r\n"),
        ("a = 1\n\n[servers.x]", "a = 1"),
        ("a = 1\n[servers.x]", "a = 1\n"),
        ("[servers.x]\na = 1", ""),
        # a blank line that holds blanks is somebody's line
        ("a = 1\n \n[servers.x]\n", "a = 1\n \n"),
        # spread over the file, in every spelling
        ('[ servers . "x" . a]\n[b]\n[["servers".x.pairs]]\nc = 1\n[d]\n[servers.\'x\']\ne = 1\n[f]', "[b]\n[d]\n[f]"),
        ("servers.x.a = 1\nb = 2\nservers.x.c.d = 3\n[servers.e]\n", "b = 2\n[servers.e]\n"),
        ("[servers]\nx.a = 1\ny.b = 2\nx.c = [\n]\n", "[servers]\ny.b = 2\n"),
        ("[servers]\nx = { a = 1 }\n", "[servers]\n"),
        ("[[servers.x]]\n[[servers.x]]\n[servers.y]\n", "[servers.y]\n"),
        ("servers.x = 1\n", ""),
        # members of an inline table
        ("servers = { x = 1 }", "servers = { }"),
        ("servers = { x = 1, a = 2 }", "servers = { a = 2 }"),
        ("servers = { a = 2, x = 1 }", "servers = { a = 2 }"),
        ("servers = { a = 2, x.a = 1, b = 3, x.b = 1 }", "servers = { a = 2, b = 3 }"),
        ("servers = { a = 2, x = 1, }", "servers = { a = 2, }"),
        ("servers = { x = 1, } # no", "servers = { } # no"),
        ("servers = {\n  a = 1, # a\n  x = 2, # x\n  b = 3\n}\n", "servers = {\n  a = 1, # a\n  b = 3\n}\n"),
        ("servers = {\n  a = 1, # a\n  x = 2 # x\n}\n", "servers = {\n  a = 1 # a\n}\n"),
        ("servers = {\r\n  a = 1,\r\n  x = 2,\r\n}\r\n", "servers = {\r\n  a = 1,\r\n}\r\n"),
        ("servers = {\n  a = 1, # a\n  x = 2 # x\n  , # y\n}\n", "servers = {\n  a = 1 # a\n # x\n  , # y\n}\n"),
    ],
)
def test_a_server_goes_with_its_lines_and_with_nothing_else(text: str, expected: str) -> None:
    assert without_server(text, "x") == expected


def test_a_server_is_never_overwritten() -> None:
    with pytest.raises(AlreadyThere) as caught:
        with_server(CAREFUL, "unic", TIME)
    assert caught.value.line == 7


@pytest.mark.parametrize("text", ["", "[servers.y]\n", "servers = 1\n", "[[servers]]\nx = 1\n", "[x]\n"])
def test_a_server_that_is_not_there_cannot_be_taken_out(text: str) -> None:
    with pytest.raises(NotThere):
        without_server(text, "x")


@pytest.mark.parametrize("text", ["a = 1\nservers = 1\n", "a = 1\n[[servers]]\n", "a = 1\nservers = []\n"])
def test_what_is_no_table_of_servers_is_left_to_its_owner(text: str) -> None:
    with pytest.raises(Unedited) as caught:
        with_server(text, "x", TIME)
    assert (caught.value.line, caught.value.why) == (2, "`servers` is not a table")


def test_what_nests_too_deep_to_be_walked_is_not_edited_around() -> None:
    deep = "a = " + "[" * 70 + "]" * 70 + "\n"
    text = f"[servers.x]\n{deep}[servers.y]\n"
    with pytest.raises(Unedited) as caught:
        without_server(text, "y")
    assert caught.value.line == 2
    inside = f"servers = {{ }}\n{deep}"
    with pytest.raises(Unedited):
        with_server(inside, "x", TIME)
    assert with_server(text, "z", TIME).startswith(text)


@pytest.mark.parametrize(
    "text", ["[servers.x", "a = 1\na = 2\n", 'a = "\\d"', "[servers.x]\n[servers.x]\n", "a = 1\r\rb"]
)
def test_a_text_that_is_not_toml_is_not_edited(text: str) -> None:
    for edit in (lambda: with_server(text, "y", TIME), lambda: without_server(text, "x")):
        with pytest.raises(tomli.TOMLDecodeError):
            edit()


def test_a_table_that_toml_has_no_form_for_is_not_added() -> None:
    with pytest.raises(Unwritable):
        with_server("servers = {}", "x", {"args": None})
