"""Whether what somebody filled in fits the form, and which field does not, in words for that person.

What the specification has forms for is judged here, in plain words; the rest of what a schema may say goes through
`core/schemas.py`, where no pattern of a server's can hold anybody up. What cannot be checked, because the schema itself
is at fault, is left to the server.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, cast

from mcp_host.core.definitions.faults import nearest
from mcp_host.core.interactions.fields import Form, FormField, Scalar
from mcp_host.core.interactions.formats import format_fault
from mcp_host.core.interactions.json_content import json_fault
from mcp_host.core.interactions.toml_spelling import spoken_key
from mcp_host.core.json_paths import path_text
from mcp_host.core.schema_wording import listed
from mcp_host.core.schemas import check

MISSING: Final = "is required"

_HINTS: Final = 10
"""Unknown names that are held against the known ones; who has more of them has another form in mind."""

_NAMES_FOR_A_HINT: Final = 500
"""Fields whose names are looked through for what was meant: no more of a form are shown."""


@dataclass(frozen=True, kw_only=True)
class ContentFault:
    """One thing that is wrong with the content."""

    field: str = ""
    """The member's name; empty where it is the content as a whole."""
    within: str = ""
    """Where in the field's value, such as `[2].name`."""
    message: str

    def __str__(self) -> str:
        name = spoken_key(self.field) + self.within if self.field else "the answer"
        return f"{name} {self.message}"


def check_content(form: Form, content: Mapping[str, object]) -> tuple[ContentFault, ...]:
    """Every fault, those of the fields in the form's order; empty when the server can have it."""
    fields = {field.name: field for field in form.fields}
    faults: list[ContentFault] = []
    for field in form.fields:
        if field.name in content:
            faults += _own_faults(field, content[field.name])
        elif field.required:
            faults.append(ContentFault(field=field.name, message=MISSING))
    unknown = [name for name in content if name not in fields]
    known = tuple(fields)[:_NAMES_FOR_A_HINT]
    for at, name in enumerate(unknown):
        fault = json_fault({name: content[name]}) if form.is_open else _unknown(name, known if at < _HINTS else ())
        if fault is not None:
            faults.append(ContentFault(field=name, message=fault))
    wrong = {fault.field for fault in faults}
    faults += _schema_faults(form, {name: value for name, value in content.items() if name not in wrong})
    if not faults and form.schema.get("type", "object") == "object":
        whole = check(form.schema, content)
        faults += [ContentFault(message=f"{one.message} ({one.path})") for one in whole if one.kind == "value"]
    return tuple(faults)


def value_faults(form: Form, values: Mapping[str, object]) -> tuple[ContentFault, ...]:
    """What is wrong with these values of fields, each by itself: nothing is missing and nothing is unknown."""
    own = [fault for field in form.fields if field.name in values for fault in _own_faults(field, values[field.name])]
    wrong = {fault.field for fault in own}
    return (*own, *_schema_faults(form, {name: value for name, value in values.items() if name not in wrong}))


def schema_notes(form: Form) -> tuple[str, ...]:
    """Why not everything that the schema says of the fields can be checked."""
    return tuple(one.message for one in check(_of_fields(form), {}) if one.kind == "schema")


def _own_faults(field: FormField, value: object) -> list[ContentFault]:
    """What is judged without the schema's help."""
    message = json_fault(value) or _kind_fault(field, value)
    return [ContentFault(field=field.name, message=message)] if message else []


def _kind_fault(field: FormField, value: object) -> str | None:
    if field.kind == "choice":
        return None if _key(value) in _choice_keys(field) else f"must be {_choice_words(field)}"
    if field.kind == "choices":
        return _choices_fault(field, value)
    if field.kind == "string" and isinstance(value, str):
        return format_fault(field.schema.get("format"), value)
    return None


def _choices_fault(field: FormField, value: object) -> str | None:
    if not isinstance(value, (list, tuple)):
        return "must be a list, in square brackets"
    items = cast("Sequence[object]", value)
    keys = _choice_keys(field)
    if not all(_key(item) in keys for item in items):
        return f"may only hold {_choice_words(field)}"
    least, most = _count(field, "minItems"), _count(field, "maxItems")
    if least is not None and len(items) < least:
        return f"must hold at least {least} of its choices, has {len(items)}"
    if most is not None and len(items) > most:
        return f"must hold at most {most} of its choices, has {len(items)}"
    return None


def _count(field: FormField, keyword: str) -> int | None:
    value = field.schema.get(keyword)
    return value if isinstance(value, int) and not isinstance(value, bool) else None


def _choice_keys(field: FormField) -> frozenset[str | None]:
    """To be made once for all items of an answer: a server may list as many choices as it likes, and as many items."""
    return frozenset(_key(one.value) for one in field.choices)


def _key(value: object) -> str | None:
    """What is the same for values that are the same to JSON, where true is not 1, but 1.0 is. None: it is no choice.

    It is text, as what a server sends must not decide what meets in a set: Python hashes a number to itself, or nearly.
    """
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        return f'"{value}'
    if isinstance(value, float) and not value.is_integer():
        return repr(value)
    return hex(int(value)) if isinstance(value, (int, float)) else None


def _choice_words(field: FormField) -> str:
    values: list[Scalar] = [one.value for one in field.choices]
    return f"one of {listed(values)}" if len(values) != 1 else listed(values)


def _unknown(name: str, known: Sequence[str]) -> str:
    meant = nearest(name, known)
    return "is not asked for" + (f"; did you mean {spoken_key(meant)}?" if meant is not None else "")


def _schema_faults(form: Form, values: Mapping[str, object]) -> Iterator[ContentFault]:
    """What the schemas of the fields say of their values."""
    if not values:
        return
    places = {path_text((name,)): name for name in values}
    for fault in check(_of_fields(form), dict(values)):
        place = next((one for one in places if _is_at(fault.path, one)), None)
        if fault.kind == "value" and place is not None:
            yield ContentFault(field=places[place], within=fault.path[len(place) :], message=fault.message)


def _is_at(path: str, place: str) -> bool:
    return path == place or path.startswith((f"{place}.", f"{place}["))


def _of_fields(form: Form) -> dict[str, object]:
    """The schema without what it says of the content as a whole; what fields refer to stays."""
    kept = ("$schema", "$defs", "definitions", "properties")
    return {name: form.schema[name] for name in kept if name in form.schema}
