"""Random edits of random files, each of them judged byte by byte and by what the text then says."""

from __future__ import annotations

from dataclasses import dataclass, replace
from random import Random
from typing import Any, Final

import tomli

from mcp_host.core.definitions.toml_edits import with_server, without_server
from mcp_host.core.definitions.toml_text import server_toml
from tests.core.definitions.written_files import ALIASES, WrittenFile, random_file, random_table

EDITS_OF_A_FILE: Final = 12
"""Later edits meet what earlier ones left."""


@dataclass(kw_only=True)
class Edits:
    """How many edits were made and judged."""

    files: int = 0
    added: int = 0
    removed: int = 0

    @property
    def total(self) -> int:
        return self.added + self.removed


def edit_at_random(seed: int, edits: int) -> Edits:
    """Makes at least so many edits.

    Raises:
        AssertionError: one of them was not what it had to be; the texts are in it.
    """
    chance = Random(seed)
    done = Edits()
    while done.total < edits:
        file = random_file(chance)
        text = file.text()
        done.files += 1
        for _ in range(EDITS_OF_A_FILE):
            alias = chance.choice(ALIASES)
            if alias in said(text).get("servers", {}):
                text = _remove(file, text, alias)
                done.removed += 1
            else:
                text = _add(file, text, alias, random_table(chance))
                done.added += 1
    return done


def said(text: str) -> dict[str, Any]:
    """What the text says, with floats as they are spelled, because NaN does not equal itself."""
    return tomli.loads(text.removeprefix("\ufeff"), parse_float=str)


def _add(file: WrittenFile, text: str, alias: str, table: dict[str, object]) -> str:
    edited = with_server(text, alias, table)
    before, after = said(text), said(edited)
    assert tomli.loads(edited.removeprefix("\ufeff"))["servers"][alias] == table, (text, edited)
    del after["servers"][alias]
    assert after == {**before, "servers": before.get("servers", {})}, (text, edited)
    assert without_server(edited, alias) == text, (text, edited)
    if file.style == "inline":
        _replace_inline(file, text, edited)
    else:
        file.add(alias, server_toml(alias, table))
    assert edited == file.text(), (text, edited, file.text())
    return edited


def _remove(file: WrittenFile, text: str, alias: str) -> str:
    edited = without_server(text, alias)
    expected, after = said(text), said(edited)
    del expected["servers"][alias]
    assert {"servers": {}, **after} == expected, (text, edited)
    if file.style == "inline":
        _replace_inline(file, text, edited)
    else:
        file.remove(alias)
    assert edited == file.text(), (text, edited, file.text())
    return edited


def _replace_inline(file: WrittenFile, text: str, edited: str) -> None:
    """Follows an edit inside `servers = { … }`: what stands around that statement's braces has to be the same."""
    index = next(index for index, piece in enumerate(file.pieces) if piece.text.lstrip().startswith("servers = {"))
    piece = file.pieces[index]
    start = file.mark + "".join(each.text + each.end for each in file.pieces[:index])
    start += piece.text[: piece.text.index("{") + 1]
    end = text[len(start) :]
    end = end[_closing(piece.text) - piece.text.index("{") - 1 :]
    assert edited.startswith(start), (text, edited)
    assert edited.endswith(end), (text, edited)
    inside = edited[len(start) : len(edited) - len(end)]
    new = piece.text[: piece.text.index("{") + 1] + inside + piece.text[_closing(piece.text) :]
    file.pieces[index] = replace(piece, text=new)


def _closing(text: str) -> int:
    """Where the inline table of a statement closes: at the first brace with which the text so far is TOML."""
    at = text.index("{")
    while True:
        at = text.index("}", at + 1)
        try:
            tomli.loads(text[: at + 1].lstrip())
        except ValueError:
            continue
        return at
