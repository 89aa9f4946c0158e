"""What a server asks of a person: who asks and for which call first, in our own words, then its request.

Where something is to be filled in, the whole buffer is TOML and everything else in it a comment; an address alone is a
page to read. The queue has a line for each question, and scripts get a document with the raw requests.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, Literal

from mcp_host.core.interactions.answer_tables import is_editable, of_person
from mcp_host.core.interactions.answer_text import answer_text, request_lines
from mcp_host.core.interactions.requests import Asked, InputRequest
from mcp_host.core.interactions.responses import Answers, root_uri
from mcp_host.core.interactions.text_lines import Piece, Role, TextLine, commented, line
from mcp_host.core.interactions.urls import read_url
from mcp_host.core.rendering.caps import BUFFER_CAP_BYTES, BUFFER_CAP_LINES, byte_length
from mcp_host.core.rendering.text import clipped, encodable, safe_line
from mcp_host.views.view import Group, Page, Span, Target, View, column, column_width

State = Literal["open", "answered", "declined", "cancelled", "withdrawn"]

STATE_WORDS: Final[Mapping[State, str]] = {
    "open": "waits for you",
    "answered": "was answered",
    "declined": "was declined",
    "cancelled": "was left without an answer",
    "withdrawn": "is over: the call ended first",
}


@dataclass(frozen=True, kw_only=True)
class InteractionFacts:
    """One question of a server, and what became of it."""

    id: str
    asked: Asked
    """As anybody may see it."""
    roots: tuple[str, ...] = ()
    """The folders that are sent where they are asked for."""
    state: State = "open"
    can_sample: bool = False
    """A function is configured that can write a model's answer."""
    drafts: Answers = field(default_factory=dict[str, Mapping[str, Any]], repr=False)
    """Raw answers to begin with, by key."""


def interaction_view(facts: InteractionFacts) -> View:
    """The `mcp://interaction/{id}` buffer. While it is open and has something to fill in, it is the text to fill in."""
    editable = is_editable(facts.asked)
    page = Page()
    target = Target(kind="interaction", alias=facts.asked.alias, name=facts.id)
    head = _head(facts, editable=editable)
    body = answer_text(facts.asked, roots=facts.roots, drafts=facts.drafts) if editable else _read_only(facts)
    gap = () if editable and _is_lone_form(facts.asked) else (line(),)
    shown = _within_buffer((*(commented(head) if editable else head), *gap, *body))
    for at, one in enumerate(shown):
        _add(page, one, facts.asked.alias, target if at == 0 else None)
    is_toml = editable and facts.state == "open"
    # All of it is ours or a comment, so that a highlighter of TOML finds nothing in it to follow.
    return page.view(filetype="toml" if is_toml else "mcp-interaction", title=f"{facts.asked.alias} asks · {facts.id}")


def interactions_view(questions: Sequence[InteractionFacts]) -> View:
    """The queue: a line for each question, in the order given."""
    page = Page()
    waiting = sum(facts.state == "open" for facts in questions)
    page.heading(f"Questions ({waiting} open)")
    width = column_width((_asker(facts.asked) for facts in questions), 40)
    for facts in questions:
        state: Span = (STATE_WORDS[facts.state], "McpKey" if facts.state == "open" else "McpMuted")
        page.line(
            "  ",
            (facts.id, "McpKey"),
            "  ",
            *column(_asker(facts.asked), "McpTool", width),
            _wanted(facts.asked),
            "  ",
            state,
            "  ",
            (clipped(safe_line(_message(facts.asked)), _MESSAGE_LIMIT), "McpSummary"),
            target=Target(kind="interaction", alias=facts.asked.alias, name=facts.id),
        )
    if not questions:
        page.line("  ", ("No server asks anything.", "McpMuted"))
    return page.view(filetype="mcp-interactions", title="questions")


def interaction_document(facts: InteractionFacts) -> dict[str, object]:
    """The question for scripts, its requests as they came."""
    return {"interaction": _document(facts)}


def interactions_document(questions: Iterable[InteractionFacts]) -> dict[str, object]:
    """All of them, each as in the document of one."""
    return {"interactions": [_document(facts) for facts in questions]}


_GROUPS: Final[Mapping[Role, Group]] = {
    "alias": "McpAlias",
    "tool": "McpTool",
    "host": "McpTitle",
    "rule": "McpKey",
    "caution": "McpProblem",
}

_MESSAGE_LIMIT: Final = 200
_NAME_LIMIT: Final = 200


def _head(facts: InteractionFacts, *, editable: bool) -> tuple[TextLine, ...]:
    asked = facts.asked
    call = f" (call {safe_line(asked.call)})" if asked.call is not None else ""
    why = f", while {_short(asked.doing)}" if asked.tool is None else ", for its tool "
    tool: Piece = (_short(asked.tool), "tool") if asked.tool is not None else ""
    who = line((safe_line(asked.alias), "alias"), f" {_wanted(asked)}{why}", tool, call)
    if facts.state != "open":
        return who, line((f"It {STATE_WORDS[facts.state]}. Nothing can be sent any more.", "rule"))
    return who, *(_how_to_answer(facts) if editable else _how_to_visit(asked))


def _how_to_answer(facts: InteractionFacts) -> Iterable[TextLine]:
    yield line(("Lines that begin with # are not sent; a field that you fill in loses its #.", "rule"))
    if facts.can_sample and any(one.kind == "sampling" for one in facts.asked.requests):
        yield line((":McpSample has your function write the model's answer here.", "rule"))


def _how_to_visit(asked: Asked) -> Iterable[TextLine]:
    can_open = any(one.kind == "url" and read_url(str(one.params.get("url"))).can_open for one in asked.requests)
    opens = "It is opened by gx and by nothing else; " if can_open else ""
    yield line((f"{opens}:write says that you were there.", "rule"))


def _read_only(facts: InteractionFacts) -> Iterable[TextLine]:
    for at, request in enumerate(facts.asked.requests):
        if at:
            yield line()
        yield from request_lines(request, facts.roots)


def _add(page: Page, one: TextLine, alias: str, target: Target | None) -> None:
    spans: list[Span] = [piece if isinstance(piece, str) else (piece[0], _GROUPS[piece[1]]) for piece in one.pieces]
    if one.url is not None:
        target = Target(kind="url", alias=alias, name=one.url)
    page.line(*spans, target=target)


def _within_buffer(lines: Sequence[TextLine]) -> Sequence[TextLine]:
    """The lines as far as a buffer shows them; what is cut is said, as a comment, where it was."""
    total = 0
    for at, one in enumerate(lines[:BUFFER_CAP_LINES]):
        total += byte_length(one.text) + 1
        if total > BUFFER_CAP_BYTES:
            return (*lines[:at], _cut(len(lines) - at))
    left = len(lines) - BUFFER_CAP_LINES
    return (*lines[:BUFFER_CAP_LINES], _cut(left)) if left > 0 else lines


def _cut(count: int) -> TextLine:
    return line("# ", (f"! {count:,} more lines are not shown", "caution"))


def _short(text: str) -> str:
    return clipped(safe_line(text), _NAME_LIMIT)


def _is_lone_form(asked: Asked) -> bool:
    return [request.kind for request in of_person(asked)] == ["form"]


def _wanted(asked: Asked) -> str:
    """What it asks for, to follow its name."""
    requests = of_person(asked)
    if len(requests) != 1:
        return f"asks for {len(requests)} things at once" if requests else "asks for your folders"
    match requests[0].kind:
        case "form":
            return "asks you to fill this in"
        case "url":
            return "asks you to visit an address"
        case "sampling":
            return "asks for a model's answer"
        case "roots" | None:
            return "asks for something that is not known here"


def _asker(asked: Asked) -> str:
    return f"{asked.alias}.{asked.tool}" if asked.tool is not None else asked.alias


def _message(asked: Asked) -> str:
    messages = (request.params.get("message") for request in asked.requests)
    return " · ".join(message for message in messages if isinstance(message, str))


def _document(facts: InteractionFacts) -> object:
    asked = facts.asked
    document: dict[str, object] = {"interaction": facts.id, "alias": asked.alias}
    if asked.tool is not None:
        document["tool"] = asked.tool
    if asked.call is not None:
        document["call"] = asked.call
    requests = [_request(request, facts.roots) for request in asked.requests]
    return encodable({**document, "doing": asked.doing, "state": facts.state, "requests": requests})


def _request(request: InputRequest, roots: Sequence[str]) -> dict[str, object]:
    """The request, flat: its parameters as the server spelled them, but for what is ours to name."""
    params = {name: value for name, value in request.params.items() if name not in ("_meta", "mode")}
    ours: dict[str, object] = {"key": request.key, "kind": request.kind, "method": request.method}
    url = request.params.get("url")
    if request.kind == "url" and isinstance(url, str):
        facts = read_url(url)
        ours |= {"host": facts.host, "can_open": facts.can_open, "cautions": list(facts.cautions)}
    if request.kind == "roots":
        ours["roots"] = [root_uri(folder) for folder in roots]
    return {**params, **ours}
