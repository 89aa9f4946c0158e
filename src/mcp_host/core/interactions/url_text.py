"""An address that a server wants a person to visit: shown whole, its host apart, and what to think about first."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final

from mcp_host.core.interactions.text_lines import INDENT, TextLine, caution, line, words_of_server
from mcp_host.core.interactions.urls import read_url
from mcp_host.core.rendering.text import safe_line

_PIECE: Final = 2_000
"""Characters of an address on one line; a longer one goes on below, to its end."""

_ID_LIMIT: Final = 200


def url_lines(params: Mapping[str, object]) -> Iterator[TextLine]:
    """The address exactly as it came, escapes and all; only where it may be opened does its line stand for it."""
    url = params.get("url")
    if not isinstance(url, str) or not url:
        yield from caution("it names no address")
        return
    facts = read_url(url)
    target = url if facts.can_open else None
    host = safe_line(facts.host)
    yield line()
    *heads, head = _pieces(safe_line(facts.before))
    tail, *tails = _pieces(safe_line(facts.after))
    yield from (line(f"{INDENT}{piece}", url=target) for piece in heads)
    yield line(f"{INDENT}{head}", (host, "host"), tail, url=target)
    yield from (line(f"{INDENT}{piece}", url=target) for piece in tails)
    yield line()
    yield line("It leads to ", (host, "host")) if host else line("Where it leads cannot be told.")
    for words in facts.cautions:
        yield from caution(f"this address {words}")
    name = params.get("elicitationId")
    if isinstance(name, str) and name:
        yield from words_of_server(f"Its id: {name}", indent="", most_lines=3, most_characters=_ID_LIMIT)


def _pieces(text: str) -> list[str]:
    return [text[at : at + _PIECE] for at in range(0, len(text), _PIECE)] or [""]
