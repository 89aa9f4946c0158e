"""The text in which a person answers: TOML, with what the server says in comments.

One request has its fields on top; several have a table each, named by the request's key, and are answered together or
not at all. A field is written as `field_text.py` says. An address has `visited`, which is never there by itself: a
person takes its `#` away. A completion has `model`, `stop_reason` and `text`. Folders (roots) are the host's to answer
and are only mentioned. How it is read back is in `answer_reading.py`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from mcp_host.core.catalog.json_values import as_object
from mcp_host.core.interactions.answer_reading import read_answer_text
from mcp_host.core.interactions.answer_tables import VISITED, is_editable, of_person, table_names
from mcp_host.core.interactions.completion_text import completion_lines
from mcp_host.core.interactions.field_text import ABSENT, field_lines
from mcp_host.core.interactions.fields import Form, FormField
from mcp_host.core.interactions.form import read_form
from mcp_host.core.interactions.requests import Asked, InputRequest
from mcp_host.core.interactions.responses import Answers, content_from_defaults, root_uri
from mcp_host.core.interactions.sampling_text import sampling_lines
from mcp_host.core.interactions.text_lines import TextLine, caution, commented, line, words_of_server
from mcp_host.core.interactions.toml_spelling import toml_key
from mcp_host.core.interactions.url_text import url_lines
from mcp_host.core.rendering.text import safe_line

__all__ = ["answer_text", "is_editable", "read_answer_text", "request_lines"]

FIELDS_LIMIT: Final = 500
"""Of one form. Nobody fills in more; the others can still be written."""

_MESSAGE_CHARACTERS: Final = 20_000
_MESSAGE_LINES: Final = 300
_FOLDERS_SHOWN: Final = 20


def answer_text(asked: Asked, *, roots: Sequence[str] = (), drafts: Answers | None = None) -> tuple[TextLine, ...]:
    """The text to begin with. `drafts` has raw answers to start from, such as what a function wrote."""
    requests = of_person(asked)
    names = table_names(asked)
    lines: list[TextLine] = []
    for request in asked.requests:
        draft = (drafts or {}).get(request.key, {})
        if request.kind == "roots":
            section = list(commented(request_lines(request, roots)))
        elif len(requests) == 1:
            section = list(_section(request, draft))
        else:
            section = [line(f"[{toml_key(names[request.key])}]"), *_section(request, draft)]
        lines += [*([line()] if lines and section else []), *section]
    return tuple(lines)


def request_lines(request: InputRequest, roots: Sequence[str]) -> Iterator[TextLine]:
    """What is asked for, as plain lines: for what has nothing to fill in."""
    match request.kind:
        case "form" | "url" | None:
            yield from _message(request)
            if request.kind == "url":
                yield from url_lines(request.params)
            elif request.kind is None:
                yield from caution(f"nobody here knows how to answer {safe_line(request.method)}")
        case "sampling":
            yield from sampling_lines(request.params)
        case "roots":
            yield from _roots_lines(roots)


def _section(request: InputRequest, draft: Mapping[str, Any]) -> Iterator[TextLine]:
    """The request in comments, and below it what is to be filled in."""
    yield from commented(request_lines(request, ()))
    match request.kind:
        case "form":
            yield from _form_lines(read_form(request.params.get("requestedSchema")), draft)
        case "url":
            yield line(f"#{VISITED} = true")
        case "sampling":
            yield from completion_lines(draft)
        case "roots" | None:
            pass


def _message(request: InputRequest) -> Iterator[TextLine]:
    message = request.params.get("message")
    if isinstance(message, str) and message.strip():
        yield from words_of_server(message, most_lines=_MESSAGE_LINES, most_characters=_MESSAGE_CHARACTERS)
    else:
        yield line(("(it does not say why)", "rule"))


def _form_lines(form: Form, draft: Mapping[str, Any]) -> Iterator[TextLine]:
    content = as_object(draft.get("content"))
    values = content_from_defaults(form) if content is None else content
    if form.note:
        yield from commented(caution(form.note))
    for field in form.fields[:FIELDS_LIMIT]:
        yield line()
        yield from field_lines(field, values.get(field.name, ABSENT))
    if len(form.fields) > FIELDS_LIMIT:
        yield line()
        more = f"{len(form.fields) - FIELDS_LIMIT:,} more fields are not shown, and only sent where you write them"
        yield from commented(caution(more))
    if form.is_open:
        yield line()
        yield from commented([line("Other names may be written here too: name = value")])
    named = {field.name for field in form.fields}
    for name, value in values.items():
        if name not in named:
            yield from field_lines(FormField(name=name, kind="json"), value)
    if not form.fields and not form.is_open:
        yield line()
        yield from commented([line("There is nothing to fill in: writing this says yes.")])


def _roots_lines(roots: Sequence[str]) -> Iterator[TextLine]:
    if not roots:
        yield line("It also asks for your folders, and is told of none.")
        return
    yield line("It also asks for your folders, and is sent:")
    for folder in roots[:_FOLDERS_SHOWN]:
        yield line(f"  {safe_line(root_uri(folder))}")
    if len(roots) > _FOLDERS_SHOWN:
        yield line(f"  … {len(roots) - _FOLDERS_SHOWN} more")
