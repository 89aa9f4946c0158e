"""Random definition files as people could have written them, which know by themselves what each edit must leave.

A file is a list of pieces, each of them whole lines. A piece knows which server it belongs to, so what is left without
that server follows from the list, without any reading of TOML.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from random import Random
from typing import Final, Literal

Style = Literal["headers", "dotted", "table", "inline"]
STYLES: Final[tuple[Style, ...]] = ("headers", "headers", "dotted", "table", "inline")

ALIASES: Final = ("time", "a-b", "x", "My Server", "ünï ☃", "a.b", 'q"uote', "servers", "# no", "][", "", "tab\tbed")
"""What a file may call its servers; a host would refuse most of them, an edit must still get them right."""

DECOYS: Final = (
    "[servers.time]",
    '[servers."a.b"] # note',
    "command = 'x'",
    '"""',
    "servers.x.command = 1",
    "\\\\ ] } ,",
)

WICKED: Final = (
    *("", "plain", "two\nlines", "q\"u'o\\te", "# no comment", "[servers.time]", '"""', "é☃\U0001f600", "\x00\x1f\x7f"),
    *("\u2028\u202e", "\r\n", "${HOME}/x", "$${", " blank ", "\ufeff"),
)
"""Strings that a careless writer gets wrong."""


@dataclass(frozen=True, kw_only=True)
class Piece:
    """Whole lines: a statement with its comment, or one line that is blank or a comment."""

    text: str
    """Without the end of its last line."""
    end: str
    owner: str | None = None
    """The server whose statement it is."""
    is_statement: bool = False


@dataclass(kw_only=True)
class WrittenFile:
    """One file, and what it becomes."""

    chance: Random
    style: Style
    mark: str
    line_end: Callable[[], str]
    pieces: list[Piece] = field(default_factory=list[Piece])
    ends: bool = True
    """Whether its last line has an end."""

    def text(self) -> str:
        """The whole file."""
        text = "".join(piece.text + piece.end for piece in self.pieces)
        return self.mark + (text if self.ends or not self.pieces else text[: -len(self.pieces[-1].end)])

    def add(self, alias: str, block: str) -> None:
        """Follows an edit that appended these statements, each of them one line."""
        first = self.text().find("\n")
        end = "\r\n" if first > 0 and self.text()[first - 1] == "\r" else "\n"
        if self.pieces:
            last = self.pieces[-1]
            self.pieces[-1] = last if self.ends else replace(last, end=end)
            self.pieces.append(Piece(text="", end=end))
        lines = block.removesuffix("\n").split("\n")
        self.pieces += [Piece(text=line, end=end, owner=alias, is_statement=True) for line in lines]

    def remove(self, alias: str) -> None:
        """Follows an edit that took this server's statements out."""
        for first, last in reversed(self._runs(alias)):
            self._take_out(first, last)
        if not self.pieces:
            self.ends = True
        elif not self.ends and not self.pieces[-1].text:
            self.pieces.pop()
            self.ends = True

    def _runs(self, alias: str) -> list[tuple[int, int]]:
        """The first and the last piece of each stretch in which all statements are this server's."""
        runs: list[tuple[int, int]] = []
        open_run = False
        for index, piece in enumerate(self.pieces):
            if piece.owner == alias:
                runs[-1:] = [(runs[-1][0], index)] if open_run else [*runs[-1:], (index, index)]
                open_run = True
            elif piece.is_statement:
                open_run = False
        return runs

    def _take_out(self, first: int, last: int) -> None:
        def is_blank(index: int) -> bool:
            return 0 <= index < len(self.pieces) and not self.pieces[index].text

        at_end = last + 1 == len(self.pieces)
        if is_blank(first - 1) and (at_end or is_blank(last + 1)):
            first -= 1
        elif first == 0 and is_blank(last + 1):
            last += 1
        elif at_end:
            self.ends = True
        del self.pieces[first : last + 1]


def random_file(chance: Random) -> WrittenFile:
    """A file that parses, in any of the styles in which servers can be written."""
    ends = chance.choice([("\n",), ("\n",), ("\r\n",), ("\n", "\r\n")])
    made = WrittenFile(
        chance=chance,
        style=chance.choice(STYLES),
        mark=chance.choice(["", "", "", "\ufeff"]),
        line_end=lambda: chance.choice(ends),
    )
    _Writer(file=made, chance=chance).write()
    made.ends = chance.random() < 0.7 or not made.pieces or not made.pieces[-1].text
    return made


def random_table(chance: Random) -> dict[str, object]:
    """A server's table with everything that may stand in one, and what a careless writer gets wrong."""

    def some(*values: object) -> list[object]:
        return [chance.choice(values) for _ in range(chance.randrange(4))]

    def word() -> str:
        return chance.choice(WICKED)

    nested: list[object] = [{"preview": "a"}, {"nested": {"x": [{}]}}]
    fields: dict[str, object] = {
        "command": word(),
        "args": some(*WICKED),
        "env": {word(): word() for _ in range(chance.randrange(3))},
        "authorization": {"type": "bearer", "token": "${TOKEN}"},
        "tools": some("a", "b"),
        "enabled": chance.random() < 0.5,
        "connect_timeout_seconds": chance.choice([1, 30.0, 1e-7, 1e300, 0.1]),
        "odd": chance.choice([some(1, 1.5, [], ["x", [1]], {"a": {"b": []}}), {"a": {}}, -7, "x"]),
        "reconnect": chance.choice([{}, {"enabled": True, "max_attempts": 3}]),
        "pairs": chance.choice([[], [{"preview": word(), "execute": "b"}], nested]),
    }
    chosen = chance.sample(sorted(fields), chance.randrange(len(fields) + 1))
    return {name: fields[name] for name in chosen}


@dataclass(kw_only=True)
class _Writer:
    file: WrittenFile
    chance: Random
    counter: int = 0

    def write(self) -> None:
        aliases = self.chance.sample(ALIASES, self.chance.randrange(6))
        root = [self._pair(self._name()) for _ in range(self.chance.randrange(3))]
        sections: list[list[Piece]] = [self._other() for _ in range(self.chance.randrange(3))]
        by_table: list[Piece] = []
        for alias in aliases:
            if self.file.style == "dotted" and self.chance.random() < 0.6:
                root += self._dotted(f"servers.{self._key(alias)}", alias)
            elif self.file.style == "table" and self.chance.random() < 0.6:
                by_table += self._in_table(alias)
            elif self.file.style != "inline":
                sections += self._sections(alias)
        if self.file.style == "inline":
            root.append(self._statement(f"servers = {self._inline(aliases)}"))
        if self.file.style == "table":
            sections.append([self._statement(f"[{self._gap()}servers ]"), *by_table])
        if self.chance.random() < 0.8:
            self.chance.shuffle(root)
            self.chance.shuffle(sections)
        for piece in [*root, *(piece for section in sections for piece in section)]:
            self.file.pieces += [*self._trivia(), piece]
        self.file.pieces += self._trivia()

    def _sections(self, alias: str) -> list[list[Piece]]:
        below = f"servers . {self._key(alias)}{self._gap()}.{self._gap()}"
        sections: list[list[Piece]] = []
        if self.chance.random() < 0.4:
            header = self._statement(f"[{below}{self._key('reconnect')}]", alias)
            sections.append([header, *self._pairs(alias)])
        for _ in range(self.chance.choice([0, 0, 1, 3])):
            header = self._statement(f"[[ {below}pairs]]", alias)
            inner = self._statement(f"[{below}pairs.inner]", alias)
            sections.append([header, *self._pairs(alias), inner, *self._pairs(alias)])
        if not sections or self.chance.random() < 0.8:
            header = self._statement(f"[{self._gap()}servers.{self._key(alias)}{self._gap()}]", alias)
            dotted = [self._pair(f"env.{self._key(self._name())}", alias)] if self.chance.random() < 0.3 else []
            sections.append([header, *dotted, *self._pairs(alias)])
        return sections

    def _dotted(self, prefix: str, alias: str) -> list[Piece]:
        return [self._pair(f"{prefix}.{self._key(self._name())}", alias) for _ in range(self.chance.randrange(1, 4))]

    def _in_table(self, alias: str) -> list[Piece]:
        key = self._key(alias)
        if self.chance.random() < 0.5:
            return [self._statement(f"{key} = {self._inline(['a', 'b'])}", alias)]
        return self._dotted(key, alias)

    def _other(self) -> list[Piece]:
        name = self._name()
        header = self.chance.choice([f"[{name}]", f"[[{name}]]", f"[{name}.servers.x]"])
        return [self._statement(header), *self._pairs(None)]

    def _pairs(self, owner: str | None) -> list[Piece]:
        return [self._pair(self._key(self._name()), owner) for _ in range(self.chance.randrange(4))]

    def _pair(self, key: str, owner: str | None = None) -> Piece:
        return self._statement(f"{key}{self._gap()}={self._gap()}{self._value(2)}", owner)

    def _statement(self, text: str, owner: str | None = None) -> Piece:
        comment = self.chance.choice(["", "", " ", f" # {self.chance.choice(DECOYS)}", "#"])
        text = self.chance.choice(["", "", "  ", "\t"]) + text + comment
        return Piece(text=text, end=self.file.line_end(), owner=owner, is_statement=True)

    def _trivia(self) -> list[Piece]:
        lines = self.chance.choices(["", "", "  ", "# note", f"\t# {self.chance.choice(DECOYS)}"], k=2)
        return [Piece(text=line, end=self.file.line_end()) for line in lines[: self.chance.choice([0, 0, 0, 1, 2])]]

    def _inline(self, aliases: Sequence[str]) -> str:
        def gap() -> str:
            return self.chance.choice(["", " ", f"{self.file.line_end()}  ", f" # }} ,{self.file.line_end()}"])

        members = [f"{gap()}{self._key(alias)} = {self._value(1)}{gap()}" for alias in aliases]
        last = f",{gap()}" if members and self.chance.random() < 0.3 else ""
        return "{" + ",".join(members) + last + gap() + "}"

    def _value(self, depth: int) -> str:
        end, decoy = self.file.line_end(), self.chance.choice(DECOYS)
        kind = self.chance.randrange(9 if depth else 6)
        if kind == 6:
            gaps = self.chance.choices(["", " ", f"{end}  ", f" # ] {decoy}{end}"], k=4)
            return f"[{gaps[0]}{self._value(depth - 1)}{gaps[1]},{gaps[2]}{self._value(depth - 1)},{gaps[3]}]"
        if kind == 7:
            return f"{{ a = {self._value(depth - 1)}, 'b c' . d = {self._value(depth - 1)} }}"
        if kind == 8:
            text = decoy.replace('"""', '\\"""')
            return f'"""{end}{text}{end}"two"" \\""" """""'
        return [f"'''{end}{decoy}{end}'''", "nan", "-inf", "1979-05-27 07:32:00", json.dumps(decoy), "1_000"][kind]

    def _key(self, name: str) -> str:
        bare = name.isascii() and name.replace("-", "").replace("_", "").isalnum()
        basic = json.dumps(name, ensure_ascii=self.chance.random() < 0.5)
        literal = [f"'{name}'"] if name.isprintable() and "'" not in name else []
        return self.chance.choice([name] * 3 * bare + [basic] + literal)

    def _name(self) -> str:
        self.counter += 1
        return f"k{self.counter}"

    def _gap(self) -> str:
        return self.chance.choice(["", " ", " ", "  "])
