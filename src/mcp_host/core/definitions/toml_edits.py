"""Adds a server to a TOML text or takes one out of it, so that every other byte stays as its owner wrote it.

A text is cut and joined at the borders of its statements, never written anew. What comes of it is parsed and compared
with what was meant; where the two differ the text stays untouched, because a person can edit what this cannot.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise
from typing import Final, cast

import tomli

from mcp_host.core.definitions.positions import line_of
from mcp_host.core.definitions.toml_text import server_member, server_toml
from mcp_host.core.definitions.toml_walk import Member, Statement, Unwalked, statements


class AlreadyThere(Exception):
    """The text defines that server, on `line`."""

    def __init__(self, alias: str, *, line: int) -> None:
        self.line = line
        super().__init__(f"{alias} is defined on line {line}")


class NotThere(KeyError):
    """The text does not define that server."""


class Unedited(Exception):
    """The text cannot be edited safely: `why`, and the `line` that a person would have to look at."""

    def __init__(self, why: str, *, line: int) -> None:
        self.why = why
        self.line = line
        super().__init__(f"line {line}: {why}")


def with_server(text: str, alias: str, table: Mapping[str, object]) -> str:
    """The text with one more server, behind everything else; or inside `servers = { … }` where that is what it has.

    Raises:
        AlreadyThere: nothing is overwritten.
        Unedited: the text is sound and nothing can be added to it safely.
        Unwritable: the table has a value that TOML has no form for.
        ValueError, RecursionError: the text is not TOML.
    """
    data = _parsed(text)
    servers = data.get("servers", {})
    if not isinstance(servers, dict):
        raise Unedited("`servers` is not a table", line=_line(text))
    if alias in servers:
        raise AlreadyThere(alias, line=_line(text, alias))
    block = server_toml(alias, table)
    expected = {**data, "servers": {**cast("_Table", servers), **cast("_Table", _parsed(block)["servers"])}}
    edited = _appended(text, block)
    if not _says(edited, expected):
        edited = _inserted(text, server_member(alias, table))
    if edited is None or not _says(edited, expected):
        raise Unedited("`servers` cannot be added to in the form it has here", line=_line(text))
    return edited


def without_server(text: str, alias: str) -> str:
    """The text without the statements of one server and what stands between them.

    Comments above the first and behind the last of them stay, for they may be about anything. Adding a server and
    taking it out again gives the very text that was there before.

    Raises:
        NotThere: there is nothing to take out.
        Unedited: the text is sound and the server cannot be taken out of it safely.
        ValueError, RecursionError: the text is not TOML.
    """
    data = _parsed(text)
    servers = data.get("servers")
    if not isinstance(servers, dict) or alias not in servers:
        raise NotThere(alias)
    left = {name: server for name, server in cast("_Table", servers).items() if name != alias}
    try:
        found = statements(text)
    except Unwalked as error:
        raise Unedited("what is here is not understood well enough to edit around it", line=error.line) from error
    edited = _cut(text, [*_lines_of(text, found, alias), *_member_spans(text, found, alias)])
    if not _says(edited, {**data, "servers": left}):
        raise Unedited(f"{alias} cannot be told from the rest of the file", line=_line(text, alias))
    return edited


_Table = dict[str, object]
_Span = tuple[int, int]

_MARK: Final = "\ufeff"
"""A byte order mark: part of the file, and of no statement."""


def _parsed(text: str) -> _Table:
    """The text's data with floats as they are spelled: NaN does not equal itself."""
    return tomli.loads(text.removeprefix(_MARK), parse_float=str)


def _says(text: str, expected: _Table) -> bool:
    """Whether the text holds exactly this. A `servers` without any server is as good as none."""
    try:
        data = _parsed(text)
    except (ValueError, RecursionError):
        return False
    return {"servers": {}, **data} == {"servers": {}, **expected}


def _line(text: str, *alias: str) -> int:
    return line_of(text, ("servers", *alias)) or 1


def _line_end(text: str) -> str:
    """How the text's first line ends."""
    first = text.find("\n")
    return "\r\n" if first > 0 and text[first - 1] == "\r" else "\n"


def _appended(text: str, block: str) -> str:
    """The block behind a blank line. A text that does not end with its last line's end does not do so afterwards."""
    end = _line_end(text)
    block = block.replace("\n", end)
    if text in {"", _MARK}:
        return text + block
    if text.endswith("\n"):
        return text + end + block
    return text + end + end + block.removesuffix(end)


def _inserted(text: str, member: str) -> str | None:
    """The text with a last member in `servers = { … }`; None where it has no such statement."""
    try:
        found = next(statement for statement in statements(text) if statement.path == ("servers",))
    except (StopIteration, Unwalked):
        return None
    if found.members is None:
        return None
    if found.members:
        at, member = found.members[-1].end, f", {member}"
    else:
        at = found.inside
    return text[:at] + member + text[at:]


def _cut(text: str, spans: Sequence[_Span]) -> str:
    ordered = [(0, 0), *sorted(spans), (len(text), len(text))]
    return "".join(text[end:start] for (_, end), (start, _) in pairwise(ordered))


def _lines_of(text: str, found: Sequence[Statement], alias: str) -> Iterator[_Span]:
    """The lines from each first to each last of the server's statements that follow one another."""
    run: list[Statement] = []
    for statement in [*found, None]:
        if statement is not None and statement.path[:2] == ("servers", alias):
            run.append(statement)
        elif run:
            yield _with_blank_line(text, *_whole_lines(text, run[0].start, run[-1].end))
            run = []


def _whole_lines(text: str, start: int, end: int) -> _Span:
    first = max(text.rfind("\n", 0, start) + 1, _first(text))
    last = text.find("\n", end)
    return first, len(text) if last < 0 else last + 1


def _with_blank_line(text: str, start: int, end: int) -> _Span:
    """The lines and the blank one that sets them apart, where another one or an end of the text does so without it."""
    before = _blank_line_before(text, start)
    after = end + len(_line_end_at(text, end))
    if end == len(text) and before < start and not text.endswith("\n"):
        # Nothing ended the last line, so nothing may end the one that becomes the last.
        return before - len(_line_end_before(text, before)), end
    if before < start and (end == len(text) or after > end):
        return before, end
    return start, after if start == _first(text) else end


def _first(text: str) -> int:
    return len(_MARK) if text.startswith(_MARK) else 0


def _blank_line_before(text: str, at: int) -> int:
    """Where the blank line that ends right before `at` begins; `at` where there is none."""
    start = at - len(_line_end_before(text, at))
    return start if start == _first(text) or _line_end_before(text, start) else at


def _line_end_before(text: str, at: int) -> str:
    return next((end for end in ("\r\n", "\n") if text.endswith(end, 0, at)), "")


def _line_end_at(text: str, at: int) -> str:
    return next((end for end in ("\r\n", "\n") if text.startswith(end, at)), "")


_OWN_LINE: Final = re.compile(r"[ \t]*(,?)[ \t]*(?:#[^\n]*|\r)?\n")
"""What may stand behind a member for the line to be its own: a comma and a comment."""


def _member_spans(text: str, found: Sequence[Statement], alias: str) -> Iterator[_Span]:
    """Where `servers = { … }` is one inline table: the server's members, and the commas that are one too many then."""
    assigned = (each.members for each in found if each.path == ("servers",))
    members = list(next(assigned, None) or ())
    kept = [member for member in members if member.path[:2] != ("servers", alias)]
    comma = kept[-1].comma if kept else None
    for member in members:
        if member in kept:
            continue
        line = _own_line(text, member)
        yield line or (len(text[: member.start].rstrip(" \t")), member.end)
        if member is members[-1] and comma is not None and (line is None or member.comma is None):
            # The comma of the last member, if it has one, now ends the one that is kept.
            yield comma, comma + 1
        elif line is None and member.comma is not None:
            yield member.comma, member.comma + 1


def _own_line(text: str, member: Member) -> _Span | None:
    """The member's line, where nothing but its comma and a comment share it."""
    start = len(text[: member.start].rstrip(" \t"))
    rest = _OWN_LINE.match(text, member.end)
    if rest is None or not _line_end_before(text, start) or (member.comma is not None) != (rest[1] == ","):
        return None
    return start, rest.end()
