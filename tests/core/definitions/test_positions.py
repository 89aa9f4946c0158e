"""The lines that positions give, for every way TOML has of writing the same path."""

from __future__ import annotations

import random
from typing import Any, cast

import pytest
import tomli

from mcp_host.core.definitions.faults import FieldPath
from mcp_host.core.definitions.positions import Positions, line_of

TEXT = '''\
# a comment with [servers.comment]
instructions = """
[servers.unic]
command = "no" \\"""
still ""text"" here """""
raw = \'\'\'
[servers.raw]
''two''\'\'\'
[servers."unic"] # note
command = "python3" # why
args = [
  "a", # one, with ] and "
  [ "b" ],

  "c",
]
env = { A = "1", "B.C" = "}" , D.E = '#' }
"quoted \\u0041" = 1
reconnect.enabled = true
reconnect.max_attempts = 3
[[servers.unic.pairs]]
preview = "p"
[[servers.unic.pairs]]

execute = "e"
[servers.unic.pairs.inner]
x = 1979-05-27 07:32:00
[ servers . 'late' . deep ]
y = 1
[servers.late]
z = """one line"""
'''


@pytest.mark.parametrize(
    ("path", "line"),
    [
        (("instructions",), 2),
        (("raw",), 6),
        (("servers",), 9),
        (("servers", "unic"), 9),
        (("servers", "unic", "command"), 10),
        (("servers", "unic", "args"), 11),
        (("servers", "unic", "args", 0), 12),
        (("servers", "unic", "args", 1), 13),
        (("servers", "unic", "args", 1, 0), 13),
        (("servers", "unic", "args", 2), 15),
        (("servers", "unic", "env", "A"), 17),
        (("servers", "unic", "env", "B.C"), 17),
        (("servers", "unic", "env", "D", "E"), 17),
        (("servers", "unic", "quoted A"), 18),
        (("servers", "unic", "reconnect"), 19),
        (("servers", "unic", "reconnect", "max_attempts"), 20),
        (("servers", "unic", "pairs"), 21),
        (("servers", "unic", "pairs", 0), 21),
        (("servers", "unic", "pairs", 0, "preview"), 22),
        (("servers", "unic", "pairs", 1), 23),
        (("servers", "unic", "pairs", 1, "execute"), 25),
        (("servers", "unic", "pairs", 1, "inner", "x"), 27),
        (("servers", "late", "deep", "y"), 29),
        (("servers", "late"), 30),
        (("servers", "late", "z"), 31),
    ],
)
def test_everything_that_is_written_has_its_own_line(path: FieldPath, line: int) -> None:
    assert line_of(TEXT, path) == line


@pytest.mark.parametrize(
    ("path", "line"),
    [
        (("servers", "unic", "cwd"), 9),
        (("servers", "unic", "args", 7), 11),
        (("servers", "unic", "pairs", 1, "receipt"), 23),
        (("servers", "unic", "env", "A", "deeper"), 17),
        (("servers", "comment"), 9),
        (("servers", "raw"), 9),
    ],
)
def test_what_is_not_written_has_the_line_of_what_encloses_it(path: FieldPath, line: int) -> None:
    assert line_of(TEXT, path) == line


@pytest.mark.parametrize("path", [(), ("absent",), ("servers.unic",), (0,)])
def test_a_path_that_is_nowhere_in_the_text_has_no_line(path: FieldPath) -> None:
    assert line_of(TEXT, path) is None


def test_carriage_returns_and_a_byte_order_mark_do_not_move_the_lines() -> None:
    text = "\ufeffa = 1\r\n[t]\r\nb = [\r\n 1,\r\n 2 ]\r\n"
    assert [line_of(text, path) for path in [("a",), ("t",), ("t", "b", 1)]] == [1, 2, 5]


def test_a_key_inside_an_inline_table_over_several_lines_has_its_own_line() -> None:
    text = "env = {\n  A = 1, # one\n  B = { C = 2,\n  D = 3 },\n}\nz = 0\n"
    assert [line_of(text, path) for path in [("env", "A"), ("env", "B", "D"), ("z",)]] == [2, 4, 6]


@pytest.mark.parametrize("broken", ['c = "unterminated', "c = '''", "[open", "c = [1", "c d = 1", "= 1", '"\\q" = 1'])
def test_a_text_that_is_not_toml_keeps_the_lines_before_the_fault(broken: str) -> None:
    assert line_of(f"a = 1\n[t]\nb = 2\n{broken}", ("t", "b")) == 3


def test_a_value_that_nests_absurdly_deep_has_the_line_of_what_encloses_it() -> None:
    assert line_of("a = 1\nb = " + "[" * 5000, ("b", 0, 0)) == 2


def test_arbitrary_text_never_fails_and_never_gives_a_line_outside_it() -> None:
    chance = random.Random(11)
    for _ in range(3000):
        text = "".join(
            chance.choices(["[", "]", "{", "}", '"', "'", '"""', "'''", "=", ",", "\n", "a", ".", "#", "\\", " "], k=30)
        )
        positions = Positions(text)
        for path in [("a",), ("a", "a"), ("a", 0)]:
            line = positions.line_of(path)
            assert line is None or 1 <= line <= text.count("\n") + 1


def test_every_path_that_the_parser_sees_has_the_line_where_its_name_stands() -> None:
    """Each key is unique in the text, so its line can be found without knowing TOML."""
    for seed in range(300):
        text = _document(random.Random(seed))
        positions = Positions(text)
        lines = text.split("\n")
        for path in _paths(tomli.loads(text), ()):
            line = positions.line_of(path)
            assert line is not None
            name = next(part for part in reversed(path) if isinstance(part, str))
            first = next(number for number, content in enumerate(lines, 1) if name in content)
            if path[-1] == name:
                assert line == first, (text, path)
            else:
                assert line >= first, (text, path)


def _document(chance: random.Random) -> str:
    counter = iter(range(10_000))

    def name() -> str:
        return f"k{next(counter):04}"

    def key() -> str:
        return chance.choice(["{}", '"{}"', "'{}'"]).format(name())

    def value(depth: int) -> str:
        kind = chance.randrange(8 if depth else 5)
        gap = chance.choice(["", " ", "\n  ", ' # decoy ] } "\n'])
        if kind == 5:
            return "[" + "".join(f"{gap}{value(depth - 1)}{gap}," for _ in range(chance.randrange(4))) + gap + "]"
        if kind == 6:
            return "{ " + ", ".join(f"{key()} = {value(0)}" for _ in range(chance.randrange(4))) + " }"
        if kind == 7:
            return '"""\n[decoy]\ndecoy = "" \\""" # decoy\n"""'
        return ["1.5", "true", "'#decoy'", '"\\"decoy = [\\""', "'''\n[[decoy]]\n'''"][kind % 5]

    text = "".join(f"{key()} = {value(2)}\n" for _ in range(chance.randrange(3)))
    for _ in range(chance.randrange(1, 5)):
        table = f"{key()} . {key()}"
        header = chance.choice([f"[{table}]", f"[[ {table} ]]"])
        text += f"\n{header} # decoy\n" + "".join(f"{key()} = {value(2)}\n" for _ in range(chance.randrange(4)))
    return text


def _paths(value: object, path: FieldPath) -> list[FieldPath]:
    found = [path] if path else []
    if isinstance(value, dict):
        for key, inner in cast("dict[str, Any]", value).items():
            found += _paths(inner, (*path, key))
    if isinstance(value, list):
        for index, inner in enumerate(cast("list[Any]", value)):
            found += _paths(inner, (*path, index))
    return found
