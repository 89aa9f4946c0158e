"""Reads the schema of an elicitation into a form, as all revisions of the specification have them.

A schema is a server's: what is not among the forms of the specification is not refused, but becomes a field for any
value, and the answer is held against the schema all the same. Nothing raises. An alternative that is merely null is
left out: many servers write "may be absent" so, and what is absent is not sent.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Final

from mcp_host.core.catalog.json_values import as_array, as_object, as_text
from mcp_host.core.interactions.content import schema_notes, value_faults
from mcp_host.core.interactions.fields import Choice, FieldKind, Form, FormField
from mcp_host.core.interactions.json_content import is_larger_than
from mcp_host.core.interactions.toml_spelling import VALUE_LIMIT

__all__ = ["Choice", "FieldKind", "Form", "FormField", "read_form"]


def read_form(schema: object) -> Form:
    """The form that a `requestedSchema` describes, its fields in the schema's own order."""
    document = as_object(schema)
    if document is None:
        return Form(
            fields=(),
            schema={},
            is_open=True,
            note="the server's schema is not an object, so nothing says what it takes",
        )
    if document.get("type", "object") != "object":
        return Form(
            fields=(),
            schema=document,
            is_open=True,
            note="the server's schema describes no object, so nothing says what it takes",
        )
    fields = tuple(_fields(document))
    form = Form(fields=fields, schema=document, is_open=_is_open(document, fields))
    notes = schema_notes(form)
    return replace(form, fields=_with_sound_defaults(form), note=f"the server's schema {notes[0]}" if notes else "")


_PLAIN: Final[Mapping[str, FieldKind]] = {
    "string": "string",
    "number": "number",
    "integer": "integer",
    "boolean": "boolean",
}

_OF_OBJECTS: Final = ("$ref", "allOf", "anyOf", "oneOf", "if", "patternProperties", "dependentSchemas")
"""Keywords with which a schema can ask for members that `properties` does not name."""


def _is_open(document: Mapping[str, object], fields: Sequence[FormField]) -> bool:
    if "additionalProperties" in document:
        return document["additionalProperties"] is not False
    return any(keyword in document for keyword in _OF_OBJECTS) or (not fields and "properties" not in document)


def _fields(document: Mapping[str, object]) -> Iterator[FormField]:
    properties = as_object(document.get("properties")) or {}
    needed = dict.fromkeys(name for name in as_array(document.get("required")) or () if isinstance(name, str))
    for name, schema in properties.items():
        yield _field(name, schema, required=name in needed)
    for name in needed:
        if name not in properties:
            yield FormField(name=name, kind="json", required=True, note="nothing says what it takes")


def _field(name: str, schema: object, *, required: bool) -> FormField:
    whole = as_object(schema)
    if whole is None:
        return FormField(name=name, kind="json", required=required, note="nothing says what it takes")
    said = _without_null(whole)
    kind, choices = _kind(said)
    return FormField(
        name=name,
        kind=kind,
        title=as_text(whole.get("title")) or as_text(said.get("title")) or "",
        description=as_text(whole.get("description")) or as_text(said.get("description")) or "",
        required=required,
        has_default=whole.get("default") is not None,
        default=whole.get("default"),
        choices=choices,
        schema=said,
        note="forms have no field for it: write it as TOML" if kind == "json" else "",
    )


def _without_null(schema: Mapping[str, object]) -> Mapping[str, object]:
    """The schema of what is written where something is written."""
    for keyword in ("anyOf", "oneOf"):
        branches = [as_object(branch) for branch in as_array(schema.get(keyword)) or ()]
        solid = [branch for branch in branches if branch is None or branch.get("type") != "null"]
        if len(branches) > len(solid) == 1 and solid[0] is not None:
            return {**{name: value for name, value in schema.items() if name != keyword}, **solid[0]}
    types = as_array(schema.get("type"))
    if types is not None and len(types) == 2 and "null" in types:
        other = next((name for name in types if name != "null"), "null")
        return {**schema, "type": other}
    return schema


def _kind(schema: Mapping[str, object]) -> tuple[FieldKind, tuple[Choice, ...]]:
    wanted = schema.get("type")
    items = as_object(schema.get("items"))
    if wanted == "array":
        choices = _choices(items) if items is not None else ()
        return ("choices", choices) if choices else ("json", ())
    if choices := _choices(schema):
        return "choice", choices
    return _PLAIN.get(wanted, "json") if isinstance(wanted, str) else "json", ()


def _choices(schema: Mapping[str, object]) -> tuple[Choice, ...]:
    """The values that may be chosen; none where the schema lists none, or lists what is no plain value."""
    for keyword in ("oneOf", "anyOf"):
        branches = [as_object(branch) or {} for branch in as_array(schema.get(keyword)) or ()]
        if branches and all("const" in branch for branch in branches):
            return _plain_choices(
                [branch["const"] for branch in branches], [branch.get("title") for branch in branches]
            )
    values = as_array(schema.get("enum"))
    if values is None and "const" in schema:
        values = [schema["const"]]
    return _plain_choices(values or (), as_array(schema.get("enumNames")) or ())


def _plain_choices(values: Sequence[object], titles: Sequence[object]) -> tuple[Choice, ...]:
    choices: list[Choice] = []
    for position, value in enumerate(values):
        if value is None:
            continue  # absent, here
        if not isinstance(value, (str, int, float)):
            return ()
        title = as_text(titles[position]) if position < len(titles) else None
        choices.append(Choice(value=value, title=title or ""))
    return tuple(choices)


_TOO_LONG: Final = f"is longer than the {VALUE_LIMIT:,} characters that can be filled in"


def _with_sound_defaults(form: Form) -> tuple[FormField, ...]:
    """A default that the form would refuse is none: nobody could send it, and nobody chose it. One that is too long for
    the text to fill in is none either, and is not judged: a server may make it as long as it likes."""
    defaults = {field.name: field.default for field in form.fields if field.has_default}
    faults = {name: _TOO_LONG for name, value in defaults.items() if is_larger_than(value, VALUE_LIMIT)}
    judged = {name: value for name, value in defaults.items() if name not in faults}
    faults |= {fault.field: fault.message for fault in value_faults(form, judged)}
    return tuple(
        replace(
            field, has_default=False, default=None, note=f"the server's default is left out: it {faults[field.name]}"
        )
        if field.name in faults
        else field
        for field in form.fields
    )
