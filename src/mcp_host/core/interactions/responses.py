"""The raw answers to what a server asks, as they go over the wire: results of `elicitation/create`,
`sampling/createMessage` and `roots/list`.

Each is made of something that a person, a function of theirs or an answer given beforehand said. None is made by a
default; `content_from_defaults` is for somebody who asked for just that.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final, Literal, TypeAlias
from urllib.parse import quote

from mcp_host.core.interactions.fields import Form
from mcp_host.core.interactions.requests import InputRequest

Answers: TypeAlias = Mapping[str, Mapping[str, Any]]
"""By the key of each request."""

AnswerAction = Literal["accept", "decline", "cancel"]

BY_HAND: Final = "human"
"""The model of a completion that a person wrote."""

END_TURN: Final = "endTurn"


def accepted_form(content: Mapping[str, object]) -> dict[str, Any]:
    """The person sends this content, which fits the form."""
    return {"action": "accept", "content": dict(content)}


def accepted_url() -> dict[str, Any]:
    """The person went there. It says nothing about what happened there, and has no content."""
    return {"action": "accept"}


def declined(request: InputRequest) -> dict[str, Any] | None:
    """The person said no. None: the request has no such result and is refused as a whole."""
    return {"action": "decline"} if request.kind in ("form", "url") else None


def dismissed(request: InputRequest) -> dict[str, Any] | None:
    """The person left it without a choice: the specification's "cancel". None as for `declined`."""
    return {"action": "cancel"} if request.kind in ("form", "url") else None


def sampled(text: str, *, model: str = BY_HAND, stop_reason: str | None = END_TURN) -> dict[str, Any]:
    """A completion of this text."""
    result: dict[str, Any] = {"role": "assistant", "content": {"type": "text", "text": text}, "model": model}
    return result if stop_reason is None else {**result, "stopReason": stop_reason}


def roots_answer(folders: Sequence[str]) -> dict[str, Any]:
    """The folders, each an absolute path or a `file:` URI already."""
    return {"roots": [{"uri": root_uri(folder), "name": _name_of(folder)} for folder in folders]}


def root_uri(folder: str) -> str:
    """The folder's `file:` URI."""
    # Paths come from the system as they are: what is no character there is its byte.
    return folder if folder.startswith("file:") else f"file://{quote(folder.encode('utf-8', 'surrogateescape'))}"


def content_from_defaults(form: Form) -> dict[str, object]:
    """What the form begins with. It may not fit: a required field can lack a default."""
    return {field.name: field.default for field in form.fields if field.has_default}


def _name_of(folder: str) -> str:
    name = folder.rstrip("/").rpartition("/")[2] or folder
    return name.encode("utf-8", "replace").decode()
