"""From where to where the statements of a text reach, and when that cannot be said."""

from __future__ import annotations

from random import Random

import pytest

from mcp_host.core.definitions.faults import FieldPath
from mcp_host.core.definitions.toml_walk import Unwalked, statements
from tests.core.definitions.written_files import random_file

TEXT = '''\ufeff\
a.'b' = 1_000   # [decoy]
  "c" = """
[decoy]
""" # = 1
[[ t ]] # note
d = [ # ]
  1, { e = 1 },
]
[[t]]
[t . "u v"]\r
w = 1979-05-27 07:32:00 \r
x = { y = 1 , 'z'.k = { l = 2 }, # }
  m = "}" }
n = {}'''


def test_a_statement_reaches_from_its_first_character_to_its_last() -> None:
    assert [(statement.path, TEXT[statement.start : statement.end]) for statement in statements(TEXT)] == [
        (("a", "b"), "a.'b' = 1_000"),
        (("c",), '"c" = """\n[decoy]\n"""'),
        (("t", 0), "[[ t ]]"),
        (("t", 0, "d"), "d = [ # ]\n  1, { e = 1 },\n]"),
        (("t", 1), "[[t]]"),
        (("t", 1, "u v"), '[t . "u v"]'),
        (("t", 1, "u v", "w"), "w = 1979-05-27 07:32:00"),
        (("t", 1, "u v", "x"), "x = { y = 1 , 'z'.k = { l = 2 }, # }\n  m = \"}\" }"),
        (("t", 1, "u v", "n"), "n = {}"),
    ]


def test_the_members_of_an_inline_table_are_known_with_their_commas() -> None:
    *_, full, empty = statements(TEXT)
    assert full.members is not None
    table: FieldPath = ("t", 1, "u v", "x")
    assert [(member.path, TEXT[member.start : member.end]) for member in full.members] == [
        ((*table, "y"), "y = 1"),
        ((*table, "z", "k"), "'z'.k = { l = 2 }"),
        ((*table, "m"), 'm = "}"'),
    ]
    assert [member.comma and TEXT[member.comma - 1 : member.comma + 3] for member in full.members] == [
        " , '",
        "}, #",
        None,
    ]
    assert TEXT[: full.inside].endswith("x = {")
    assert (empty.members, TEXT[empty.inside :]) == ((), "}")


def test_an_inline_table_deeper_in_a_value_gives_a_statement_no_members() -> None:
    assert [statement.members for statement in statements("a = [{ b = 1 }]\n[c]\nd = '{'")] == [None, None, None]


def test_nothing_but_blanks_and_comments_stands_between_statements() -> None:
    for seed in range(300):
        text = random_file(Random(seed)).text()
        end = len("\ufeff") if text.startswith("\ufeff") else 0
        for statement in statements(text):
            for line in text[end : statement.start].split("\n"):
                assert not line.strip(" \t\r") or line.lstrip(" \t").startswith("#"), (text, line)
            end = statement.end


@pytest.mark.parametrize(
    ("text", "line"),
    [("a = 1\n[open", 2), ("a = 1\n\nb = 'x", 3), ("c d", 1), ("a = " + "[" * 70 + "]" * 70, 1), ("a = {\n b\n}", 2)],
)
def test_a_text_that_cannot_be_read_to_its_end_gives_no_statements(text: str, line: int) -> None:
    with pytest.raises(Unwalked) as caught:
        statements(text)
    assert caught.value.line == line
