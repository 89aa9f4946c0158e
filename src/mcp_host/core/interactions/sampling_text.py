"""What a server wants a model to answer, in full and readable: a person decides about it before anything is generated.

Texts keep their lines. Images and sounds are named and not shown; nothing of them is decoded.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import islice
from typing import Final

from mcp_host.core.catalog.json_values import as_array, as_object, as_text
from mcp_host.core.catalog.literals import literal
from mcp_host.core.interactions.text_lines import INDENT, TextLine, caution, folded, line, words_of_server
from mcp_host.core.interactions.toml_spelling import WIDTH
from mcp_host.core.rendering.caps import sized
from mcp_host.core.rendering.json_text import safe_json
from mcp_host.core.rendering.text import clipped, safe_line


def sampling_lines(params: Mapping[str, object]) -> Iterator[TextLine]:
    """The request: its words first, then how it shall be answered."""
    conversation = _conversation(params)
    yield from islice(conversation, _LINES_LIMIT)
    if next(conversation, None) is not None:
        yield from caution("the rest of it is not shown: it is too long to be read")
    for text in _wishes(params):
        yield from (line(piece) for piece in folded(text, WIDTH - 2))


def request_texts(params: Mapping[str, object]) -> Iterator[str]:
    """Every text of the request, raw."""
    prompt = params.get("systemPrompt")
    if isinstance(prompt, str):
        yield prompt
    for message in _listed(params.get("messages")):
        for block in _listed((as_object(message) or {}).get("content")):
            text = (as_object(block) or {}).get("text")
            if isinstance(text, str):
                yield text


_LINES_LIMIT: Final = 15_000
_CHARACTERS_LIMIT: Final = 500_000
"""Of one text. Far beyond what a person reviews, and within what a buffer shows with the answer below it."""
_JSON_LINES_LIMIT: Final = 200
_WORD_LIMIT: Final = 80
_LIST_LIMIT: Final = 20
_DEEPER: Final = INDENT * 2


def _listed(value: object) -> Sequence[object]:
    """The items of a list; anything else stands for a list of itself."""
    items = as_array(value)
    return items if items is not None else () if value is None else (value,)


def _conversation(params: Mapping[str, object]) -> Iterator[TextLine]:
    prompt = params.get("systemPrompt")
    if isinstance(prompt, str) and prompt:
        yield line("system prompt:")
        yield from _words(prompt)
    messages = _listed(params.get("messages"))
    for message in messages:
        yield from _message(message)
    if not messages:
        yield from caution("it holds no message")


def _message(message: object) -> Iterator[TextLine]:
    said = as_object(message)
    if said is None:
        yield from caution("a message that is no object")
        return
    role = said.get("role")
    yield line(f"{safe_line(clipped(role, _WORD_LIMIT))}:" if isinstance(role, str) and role else "(nobody):")
    for block in _listed(said.get("content")):
        yield from _block(as_object(block), block)


def _block(block: Mapping[str, object] | None, raw: object) -> Iterator[TextLine]:
    kind = block.get("type") if block is not None else None
    text = block.get("text") if block is not None else None
    if block is not None and kind == "text" and isinstance(text, str):
        yield from _words(text)
    elif block is not None and kind in ("image", "audio"):
        yield line(INDENT, f"[{kind}, {_mime(block)}, {_size(block.get('data'))}: not shown]")
    elif block is not None and kind == "tool_use":
        yield line(INDENT, f"calls the tool {_word(block.get('name'))} ({_word(block.get('id'))}) with:")
        yield from _json(block.get("input"))
    elif block is not None and kind == "tool_result":
        failed = ", which failed" if block.get("isError") is True else ""
        yield line(INDENT, f"the tool's result ({_word(block.get('toolUseId'))}){failed}:")
        for part in _listed(block.get("content")):
            inner = as_object(part)
            yield from _json(part) if inner is None or inner.get("type") == "tool_result" else _block(inner, part)
    else:
        yield from _json(raw)


def _words(text: str) -> Iterator[TextLine]:
    return words_of_server(text, most_lines=_LINES_LIMIT, most_characters=_CHARACTERS_LIMIT)


def _json(value: object) -> Iterator[TextLine]:
    lines = safe_json(value)
    text = "\n".join(lines)
    return words_of_server(text, indent=_DEEPER, most_lines=_JSON_LINES_LIMIT, most_characters=_CHARACTERS_LIMIT)


def _mime(block: Mapping[str, object]) -> str:
    return safe_line(clipped(as_text(block.get("mimeType")) or "type not given", _WORD_LIMIT))


def _size(data: object) -> str:
    return f"about {sized(len(data) * 3 // 4)}" if isinstance(data, str) else "without data"


def _word(value: object) -> str:
    return safe_line(clipped(as_text(value) or "(not named)", _WORD_LIMIT))


def _wishes(params: Mapping[str, object]) -> Iterator[str]:
    """How it shall be answered, a line for each kind of wish."""
    most = params.get("maxTokens")
    if most is not None:
        yield f"at most {_plain(most)} tokens"
    yield from _preferences(as_object(params.get("modelPreferences")) or {})
    if params.get("temperature") is not None:
        yield f"temperature: {_plain(params['temperature'])}"
    if stops := _listed(params.get("stopSequences")):
        yield f"stops at: {_plain_list(stops)}"
    context = params.get("includeContext")
    if context not in (None, "none"):
        yield f"context: it would like {_plain(context)}; nothing is added"
    if tools := _listed(params.get("tools")):
        names = [(as_object(tool) or {}).get("name") for tool in tools]
        choice = (as_object(params.get("toolChoice")) or {}).get("mode")
        mode = "auto" if choice is None else _plain(choice)
        yield f"tools that the model may call: {_plain_list(names)} (choice: {mode})"
    if params.get("metadata"):
        yield f"metadata: {_plain(params['metadata'])}"


def _preferences(wanted: Mapping[str, object]) -> Iterator[str]:
    hints = [(as_object(hint) or {}).get("name") for hint in _listed(wanted.get("hints"))]
    if hints:
        yield f"model, if possible: {_plain_list(hints)}"
    names = {"costPriority": "low cost", "speedPriority": "speed", "intelligencePriority": "intelligence"}
    weights = [f"{words} {_plain(wanted[name])}" for name, words in names.items() if wanted.get(name) is not None]
    if weights:
        yield f"what matters, from 0 to 1: {', '.join(weights)}"


def _plain(value: object) -> str:
    return safe_line(clipped(literal(value) if not isinstance(value, str) else value, _WORD_LIMIT))


def _plain_list(values: Sequence[object]) -> str:
    more = len(values) - _LIST_LIMIT
    shown = ", ".join(clipped(safe_line(literal(value)), _WORD_LIMIT) for value in values[:_LIST_LIMIT])
    return shown + (f" and {more:,} more" if more > 0 else "")
