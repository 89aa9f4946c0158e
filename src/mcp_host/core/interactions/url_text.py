"""An address that a server wants a person to visit: its host apart, and what to think about first.

It is shown to its end where it may be opened. One that is too long for that is shown by its beginning: nobody would
read it, and an editor would have to carry it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final

from mcp_host.core.interactions.text_lines import INDENT, Piece, TextLine, caution, line, words_of_server
from mcp_host.core.interactions.urls import OPENABLE_LENGTH, UrlFacts, read_url
from mcp_host.core.rendering.text import safe_line

_PIECE: Final = 2_000
"""Characters of an address on one line; a longer one goes on below, to its end."""

_BEGINNING: Final = 400
"""Characters of an address that is too long to be opened: enough to see what kind of address it is."""

_BEGINNING_LINES: Final = 20
_ID_LIMIT: Final = 200


def url_lines(params: Mapping[str, object]) -> Iterator[TextLine]:
    """The address exactly as it came, escapes and all; only where it may be opened does its first line stand for it."""
    url = params.get("url")
    if not isinstance(url, str) or not url:
        yield from caution("it names no address")
        return
    facts = read_url(url)
    host = safe_line(facts.host)
    yield line()
    yield from _beginning(url) if len(url) > OPENABLE_LENGTH else _whole(facts)
    yield line()
    yield line("It leads to ", (host, "host")) if host else line("Where it leads cannot be told.")
    for words in facts.cautions:
        yield from caution(f"this address {words}")
    name = params.get("elicitationId")
    if isinstance(name, str) and name:
        yield from words_of_server(f"Its id: {name}", indent="", most_lines=3, most_characters=_ID_LIMIT)


def _whole(facts: UrlFacts) -> Iterator[TextLine]:
    *heads, head = _pieces(safe_line(facts.before))
    tail, *tails = _pieces(safe_line(facts.after))
    lines: list[tuple[Piece, ...]] = [
        *((f"{INDENT}{piece}",) for piece in heads),
        (f"{INDENT}{head}", (safe_line(facts.host), "host"), tail),
        *((f"{INDENT}{piece}",) for piece in tails),
    ]
    for at, pieces in enumerate(lines):
        # One line is enough to find it by. On each of them, what travels would grow with the square of its length.
        yield line(*pieces, url=facts.url if facts.can_open and at == 0 else None)


def _beginning(url: str) -> Iterator[TextLine]:
    return words_of_server(url, most_lines=_BEGINNING_LINES, most_characters=_BEGINNING)


def _pieces(text: str) -> list[str]:
    return [text[at : at + _PIECE] for at in range(0, len(text), _PIECE)] or [""]
