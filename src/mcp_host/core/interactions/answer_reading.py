"""Reads the text in which somebody answered, and says by line what does not fit. See `answer_text.py` for its form."""

from __future__ import annotations

import datetime
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final, cast

import tomli

from mcp_host.core.definitions.positions import Positions
from mcp_host.core.interactions.answer_faults import AnswerFault, answer_refused
from mcp_host.core.interactions.answer_tables import VISITED, is_editable, of_person, table_names
from mcp_host.core.interactions.completion_text import FieldMisfit, read_completion
from mcp_host.core.interactions.concealed import NOTHING_CONCEALED, Concealing
from mcp_host.core.interactions.content import MISSING, ContentFault, check_content
from mcp_host.core.interactions.field_text import placeholder_key
from mcp_host.core.interactions.fields import Form
from mcp_host.core.interactions.form import read_form
from mcp_host.core.interactions.requests import Asked, InputRequest
from mcp_host.core.interactions.responses import Answers, accepted_form, accepted_url
from mcp_host.core.interactions.toml_spelling import Unspelled, spoken_key, toml_key


def read_answer_text(asked: Asked, text: str, *, concealing: Concealing = NOTHING_CONCEALED) -> Answers:
    """The answer to every request but those for roots. Where there was nothing to fill in, the text is not looked at:
    that somebody answers at all says that they were there.

    Args:
        asked: As the server asked it.
        concealing: How it was shown to whoever wrote the text.

    Raises:
        ProblemError: `arguments-invalid`, with a line of detail for each fault, which begins with `line 12: ` where a
            line of the text is to blame. Nothing is answered then.
    """
    unknown = [one for one in of_person(asked) if one.kind is None]
    if unknown:
        raise answer_refused(asked, [AnswerFault(message=f"nobody here can answer {one.method}") for one in unknown])
    if not is_editable(asked):
        return {one.key: accepted_url() for one in of_person(asked)}
    reading = _Reading(asked, text, concealing)
    answers = reading.answers()
    if reading.faults:
        raise answer_refused(asked, sorted(reading.faults, key=lambda fault: fault.line or 0))
    return answers


_HEADER: Final = re.compile(r"[ \t]*\[")


@dataclass(frozen=True, kw_only=True)
class _Table:
    """Where one request is answered."""

    path: tuple[str, ...]
    """Empty for the whole text."""
    members: Mapping[str, object]


class _Reading:
    """One text and what was found wrong with it."""

    def __init__(self, asked: Asked, text: str, concealing: Concealing) -> None:
        self.faults: list[AnswerFault] = []
        self._concealing = concealing
        self._asked = asked
        self._text = text.removeprefix("\ufeff").replace("\r\n", "\n")
        self._lines = self._text.split("\n")
        self._positions = Positions(self._text)
        self._placeholders: dict[int, Mapping[str, int]] = {}

    def answers(self) -> dict[str, Mapping[str, Any]]:
        """Those that fit; what does not is among the faults."""
        document = self._document()
        if document is None:
            return {}
        requests = of_person(self._asked)
        read: dict[str, Mapping[str, Any]] = {}
        for request in requests:
            table = self._table(request, document, is_alone=len(requests) == 1)
            answer = self._answer(request, table) if table is not None else None
            if answer is not None:
                read[request.key] = answer
        if len(requests) > 1:
            self._refuse_others(document)
        return read

    def _document(self) -> dict[str, object] | None:
        try:
            return tomli.loads(self._text)
        except tomli.TOMLDecodeError as error:
            self._blame(error.lineno, f"this is not TOML: {_in_words(error)}")
        except (ValueError, RecursionError):
            self._blame(None, "this is not TOML: a number is too long, or values nest too deeply")
        return None

    def _table(self, request: InputRequest, document: dict[str, object], *, is_alone: bool) -> _Table | None:
        if is_alone:
            return _Table(path=(), members=document)
        name = table_names(self._asked)[request.key]
        members = document.get(name)
        if isinstance(members, dict):
            return _Table(path=(name,), members=cast("dict[str, object]", members))
        if members is None:
            self._blame(None, f"the table [{toml_key(name)}] is missing: all that is asked is answered together")
        else:
            self._blame(self._positions.line_of((name,)), f"{spoken_key(name)} must be the table [{toml_key(name)}]")
        return None

    def _answer(self, request: InputRequest, table: _Table) -> Mapping[str, Any] | None:
        if request.kind == "form":
            return self._filled_in(request, table)
        if request.kind == "url":
            return self._visited(table)
        try:
            return read_completion(table.members)
        except FieldMisfit as error:
            self._blame(self._line(table, error.name), f"{spoken_key(error.name)} {error}")
            return None

    def _filled_in(self, request: InputRequest, table: _Table) -> Mapping[str, Any] | None:
        form = read_form(request.params.get("requestedSchema"))
        content, hidden = self._concealing.restored(request, _with_dates(form, table.members))
        for name, words in hidden.items():
            self._blame(self._line(table, name), f"{spoken_key(name)} {words}")
        faults = [fault for fault in check_content(form, content) if fault.field not in hidden]
        for fault in faults:
            self._blame(self._line(table, fault.field), _told(fault))
        return None if faults or hidden else accepted_form(content)

    def _visited(self, table: _Table) -> Mapping[str, Any] | None:
        others = [name for name in table.members if name != VISITED]
        for name in others:
            self._blame(self._line(table, name), f"{spoken_key(name)} is not asked for: there is {VISITED} only")
        if table.members.get(VISITED) is True:
            return None if others else accepted_url()
        words = f"take the # away from `{VISITED} = true` once you were there, or decline"
        self._blame(self._line(table, VISITED), words)
        return None

    def _refuse_others(self, document: Mapping[str, object]) -> None:
        known = set(table_names(self._asked).values())
        for name in document:
            if name not in known:
                self._blame(self._positions.line_of((name,)), f"{spoken_key(name)} belongs to nothing that is asked")

    def _blame(self, line: int | None, message: str) -> None:
        self.faults.append(AnswerFault(message=message, line=line))

    def _line(self, table: _Table, name: str) -> int | None:
        """Where the member is written, or would be, or where its table begins."""
        start = self._positions.line_of(table.path) if table.path else None
        if name in table.members:
            return self._positions.line_of((*table.path, name))
        return (self._placeholder(name, start or 0) if name else None) or start

    def _placeholder(self, name: str, after: int) -> int | None:
        """The line on which the member stands behind a `#`, in the table whose header is on the line `after`."""
        try:
            key = toml_key(name)
        except Unspelled:
            return None
        if after not in self._placeholders:  # looked through once: thousands of fields may be missing
            self._placeholders[after] = self._placeholders_of(after)
        return self._placeholders[after].get(key)

    def _placeholders_of(self, after: int) -> Mapping[str, int]:
        """The first line of each spelled key that stands behind a `#` in that table."""
        found: dict[str, int] = {}
        for number, text in enumerate(self._lines[after:], start=after + 1):
            if _HEADER.match(text):
                break
            key = placeholder_key(text)
            if key is not None:
                found.setdefault(key, number)
        return found


def _told(fault: ContentFault) -> str:
    if fault.message != MISSING:
        return str(fault)
    return f"{fault}: fill it in, without a # before it"


def _in_words(error: tomli.TOMLDecodeError) -> str:
    reason = error.msg[:1].lower() + error.msg[1:]
    if "backslash" in reason or "escape" in reason or "hex" in reason:
        return f"{reason}; a backslash is written twice, or the text in single quotes"
    return reason


def _with_dates(form: Form, members: Mapping[str, object]) -> dict[str, object]:
    """The content, with dates that were written without quotes as the texts that a form asks for."""
    formats = {field.name: field.schema.get("format") for field in form.fields if field.kind == "string"}
    return {name: _as_text(value, formats.get(name)) for name, value in members.items()}


def _as_text(value: object, wanted: object) -> object:
    is_moment = isinstance(value, datetime.datetime)
    if (wanted == "date-time" and is_moment) or (
        wanted == "date" and isinstance(value, datetime.date) and not is_moment
    ):
        return cast("datetime.date", value).isoformat()
    return value
