"""One entry of the answers given beforehand: what it is for, and what it says. See `given_answers.py`."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Annotated, Any, Final, Literal

from pydantic import BaseModel, BeforeValidator, ConfigDict, ValidationError

from mcp_host.core.catalog.json_values import as_array, as_object
from mcp_host.core.definitions.faults import nearest
from mcp_host.core.interactions.requests import Asked, InputRequest, RequestKind
from mcp_host.core.interactions.responses import AnswerAction
from mcp_host.core.interactions.sampling_text import request_texts
from mcp_host.core.interactions.toml_spelling import spoken_key
from mcp_host.problems import Problem, ProblemError


def read_entries(value: object, *, place: str) -> tuple[Entry, ...]:
    """The entries of `{"answers": [ENTRY, …]}` or of the list alone. `place` is what to call where they came from.

    Raises:
        ProblemError: `usage`, with the index and the member of everything that is wrong.
    """
    faults: list[str] = []
    entries: list[Entry] = []
    for at, item in enumerate(_listed(value, place)):
        try:
            entries.append(Entry.model_validate(_empty_object(item)))
        except ValidationError as error:
            faults += _entry_faults(at, error)
        else:
            faults += [f"answers[{at}]{fault}" for fault in entries[-1].contradictions()]
    if faults:
        raise _unusable(place, faults)
    return tuple(entries)


def _listed(value: object, place: str) -> Sequence[object]:
    document = as_object(value)
    if document is not None and set(document) != {"answers"}:
        unknown = next((name for name in document if name != "answers"), None)
        what = "it has none" if unknown is None else f"{spoken_key(unknown)} is not known there"
        raise _unusable(place, [f'an object must have "answers", a list of entries, and nothing else; {what}'])
    given = value if document is None else document["answers"]
    listed = as_array(() if given == {} else given)  # Lua has one empty table for both
    if listed is None:
        raise _unusable(place, ["they must be a list of entries"])
    return listed


def _empty_object(value: object) -> object:
    return {} if value == [] else value


_Object = Annotated[dict[str, Any], BeforeValidator(_empty_object)]


class Entry(BaseModel):
    """What to answer to the requests that it matches. What it does not say matches everything."""

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)

    alias: str | None = None
    tool: str | None = None
    """Raw."""
    key: str | None = None
    kind: RequestKind | None = None
    message: str | None = None
    """A part of what the request says."""
    action: AnswerAction = "accept"
    content: _Object | Literal["defaults"] | None = None
    result: _Object | None = None
    once: bool = False

    @property
    def offered(self) -> tuple[RequestKind, ...]:
        """The kinds that it says yes to, or is meant for in so many words."""
        if self.kind is not None:
            return (self.kind,)
        return self.answered if self.action == "accept" else ()

    @property
    def answered(self) -> tuple[RequestKind, ...]:
        """The kinds of the requests that it can answer."""
        if self.kind is not None:
            return (self.kind,)
        if self.result is not None:
            return ("roots",) if "roots" in self.result else ("sampling",)
        if self.content is not None:
            return ("form",)
        return ("form", "url") if self.action == "accept" else ("form", "url", "sampling")

    def matches(self, asked: Asked, request: InputRequest) -> bool:
        """Whether it is for this request."""
        return (
            request.kind in self.answered
            and self.alias in (None, asked.alias)
            and self.tool in (None, asked.tool)
            and self.key in (None, request.key)
            and (self.message is None or any(self.message in text for text in _texts(request)))
        )

    def contradictions(self) -> Iterator[str]:
        """What it says that cannot all be meant; each to be read behind its index."""
        if self.action != "accept" and (self.content is not None or self.result is not None):
            yield f'.action is "{self.action}", so there can be neither content nor result'
        if self.content is not None and self.result is not None:
            yield " has a content (for a form) and a result (for sampling or roots): one of them must go"
        if self.content is not None and self.kind not in (None, "form"):
            yield f'.content is for a form, and its kind is "{self.kind}"'
        if self.result is not None and self.kind not in (None, "sampling", "roots"):
            yield f'.result is for sampling or roots, and its kind is "{self.kind}"'
        if self.kind == "sampling" and self.action == "accept" and self.result is None:
            yield ".result is missing: the CreateMessageResult to send"
        if self.kind == "roots" and self.result is None:
            yield ".result is missing: the ListRootsResult to send"


THE_ANSWERS: Final = "answers"
"""What they are called where they came from no file."""

_WORDS: Final[Mapping[str, str]] = {
    "alias": "must be a server's alias, as text",
    "tool": "must be a tool's name, as text",
    "key": "must be a request's key, as text",
    "kind": 'must be "form", "url", "sampling" or "roots"',
    "message": "must be a part of the request's message, as text",
    "action": 'must be "accept", "decline" or "cancel"',
    "content": 'must be an object of values by field, or "defaults"',
    "result": "must be an object: the CreateMessageResult or ListRootsResult to send",
    "once": "must be true or false",
}

_FAULTS_TOLD: Final = 20


def _entry_faults(at: int, error: ValidationError) -> Iterator[str]:
    """Each member once: a choice of types has a fault for each of them."""
    members = dict.fromkeys(str(one["loc"][0]) if one["loc"] else "" for one in error.errors())
    for name in members:
        if not name:
            yield f"answers[{at}] must be an object"
        elif name in _WORDS:
            yield f"answers[{at}].{name} {_WORDS[name]}"
        else:
            meant = nearest(name, _WORDS)
            hint = f"; did you mean {meant}?" if meant is not None else ""
            yield f"answers[{at}].{spoken_key(name)} is not known{hint}"


def _texts(request: InputRequest) -> Iterable[str]:
    if request.kind == "sampling":
        return request_texts(request.params)
    message = request.params.get("message")
    return (message,) if isinstance(message, str) else ()


def _unusable(place: str, faults: list[str]) -> ProblemError:
    more = len(faults) - _FAULTS_TOLD
    return ProblemError(
        Problem(
            type="usage",
            title="The answers cannot be used" if place == THE_ANSWERS else f"The answers in {place} cannot be used",
            detail="\n".join([*faults[:_FAULTS_TOLD], *([f"and {more} more"] if more > 0 else [])]),
            hint='Write them as {"answers": [{"content": {"name": "value"}}]}; nothing was sent.',
        )
    )
