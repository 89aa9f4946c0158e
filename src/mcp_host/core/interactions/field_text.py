"""The lines of one field of a form: what it is called, what it takes, and where its value is written.

One rule for all of them: what stands behind a `#` is not sent. A field with a default is written with it. A field
without one stands behind a `#`, as an example of its kind, and is absent until somebody takes the `#` away; that some
of these are required is said above them, and checked. So absent, empty and the default are three different texts.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from mcp_host.core.catalog.json_values import as_text
from mcp_host.core.catalog.limits import length_words, range_words
from mcp_host.core.catalog.signatures import signature
from mcp_host.core.definitions.secret_names import names_a_secret
from mcp_host.core.interactions.fields import FieldKind, FormField, Scalar
from mcp_host.core.interactions.text_lines import (
    INDENT,
    TextLine,
    caution,
    commented,
    folded,
    line,
    words_of_server,
)
from mcp_host.core.interactions.toml_spelling import WIDTH, Unspelled, spoken_key, toml_key, toml_value
from mcp_host.core.rendering.text import clipped, display_width, safe_line

ABSENT: Final = object()
"""In place of a value: nothing is written in this field."""


def field_lines(field: FormField, value: object) -> tuple[TextLine, ...]:
    """The field with this value in it, or `ABSENT`. Whatever the server says of it stands in comments."""
    try:
        key = toml_key(field.name)
    except Unspelled:
        words = f"{spoken_key(field.name)} has a name that no line has room for: it can be answered by a script only"
        return tuple(commented(caution(words)))
    return (*commented(_about(field)), *_assigned(field, key, value))


def placeholder_key(text: str) -> str | None:
    """The spelled key of a line as written here for an absent field, to find it again; None for any other line."""
    before, equals, _ = text.partition(" = ")
    return before[1:] if equals and before.startswith("#") and not before.startswith("# ") else None


_WORDS_WIDTH: Final = WIDTH - len("# ") - len(INDENT)
_TITLE_LIMIT: Final = 120
_DESCRIPTION_CHARACTERS: Final = 2_000
_DESCRIPTION_LINES: Final = 30
_PATTERN_LIMIT: Final = 60
_SIGNATURE_LIMIT: Final = 200
_CHOICES_SHOWN: Final = 200
"""More are not read; whoever needs one of the others knows it."""
_ONE_BY_ONE: Final = 20
"""Choices without titles that are listed below one another at most; more of them are filled into lines."""

_KIND_WORDS: Final[Mapping[FieldKind, str]] = {
    "string": "text",
    "number": "number",
    "integer": "whole number",
    "boolean": "true or false",
    "choice": "one of",
    "choices": "any of",
    "json": "any value",
}
_FORMAT_WORDS: Final = {
    "email": "email address",
    "uri": "full address (URI)",
    "date": "date (YYYY-MM-DD)",
    "date-time": "date and time (2026-01-31T13:45:00Z)",
}
_EXAMPLES: Final[Mapping[FieldKind, str]] = {
    "string": '""',
    "number": "0",
    "integer": "0",
    "boolean": "false",
    "choice": '""',
    "choices": "[]",
    "json": '""',
}
_JSON_EXAMPLES: Final = {"object": "{}", "array": "[]", "number": "0", "integer": "0", "boolean": "false"}


def _about(field: FormField) -> Iterator[TextLine]:
    choices = tuple(_choice_lines(field))
    inline = choices[0] if len(choices) == 1 else ""
    yield from _headed(field, _rule(field, inline))
    if not inline:
        yield from (line(INDENT, choice) for choice in choices)
    if field.note:
        yield from caution(field.note)
    if field.kind == "string" and names_a_secret(field.name):
        yield from caution("it looks like a secret, and no server may ask for one in a form: think before you send it")


def _headed(field: FormField, rule: str) -> Iterator[TextLine]:
    """Title, description and rule, on as few lines as they fit on."""
    title, description = clipped(safe_line(field.title), _TITLE_LIMIT), field.description.strip()
    label = ": ".join(part for part in (title, safe_line(description[:WIDTH])) if part)
    is_whole = "\n" not in description and len(description) <= WIDTH and display_width(label) <= _WORDS_WIDTH
    if not is_whole:
        label = title
    if label and display_width(f"{label} · {rule}") <= _WORDS_WIDTH:
        yield line(INDENT, label, " · ", (rule, "rule"))
        rule = ""
    else:
        yield from (line(INDENT, piece) for piece in folded(label, _WORDS_WIDTH) if piece)
    if description and not is_whole:
        yield from words_of_server(description, most_lines=_DESCRIPTION_LINES, most_characters=_DESCRIPTION_CHARACTERS)
    if rule:
        yield from (line((piece, "rule")) for piece in folded(rule, WIDTH - 2))


def _rule(field: FormField, inline_choices: str) -> str:
    words = [_kind_words(field), *_limits(field)]
    if inline_choices:
        words[0] += f" {inline_choices}"
    elif field.choices:
        words[0] += f" the {len(field.choices)} below"
    if field.required:
        words.append("required")
    return ", ".join(words)


def _kind_words(field: FormField) -> str:
    if field.kind == "string":
        name = field.schema.get("format")
        return _FORMAT_WORDS.get(name, "text") if isinstance(name, str) else "text"
    if field.kind == "json" and field.schema:
        shape = safe_line(signature(field.schema, limit=_SIGNATURE_LIMIT))
        return shape if shape != "any" else _KIND_WORDS["json"]
    return _KIND_WORDS[field.kind]


def _limits(field: FormField) -> Iterator[str]:
    if field.kind in ("number", "integer"):
        yield from filter(None, (range_words(field.schema),))
    if field.kind in ("string", "choices"):
        yield from filter(None, (length_words(field.schema),))
    if field.kind == "string" and (pattern := as_text(field.schema.get("pattern"))):
        yield f"matching {clipped(safe_line(pattern), _PATTERN_LIMIT)}"


def _choice_lines(field: FormField) -> Iterator[str]:
    """The choices, ready to be copied; one line alone goes into the rule."""
    if not field.choices:
        return
    shown = field.choices[:_CHOICES_SHOWN]
    spelled = [_spelled(choice.value) for choice in shown]
    more = len(field.choices) - len(shown)
    if any(choice.title for choice in shown):
        width = max((display_width(text) for text in spelled if display_width(text) <= 30), default=0)
        for text, choice in zip(spelled, shown, strict=True):
            pad = " " * max(width - display_width(text), 0)
            yield from folded(f"{text}{pad}  {clipped(safe_line(choice.title), _TITLE_LIMIT)}", _WORDS_WIDTH)
    elif len(", ".join(spelled)) <= WIDTH // 2:
        yield ", ".join(spelled)
    elif len(spelled) <= _ONE_BY_ONE and max(map(len, spelled)) > WIDTH // 4:
        yield from spelled
    else:
        yield from folded(", ".join(spelled), _WORDS_WIDTH)
    if more > 0:
        yield f"… {more:,} more"


def _spelled(value: Scalar) -> str:
    try:
        return " ".join(toml_value(value))
    except Unspelled:
        return "(a value that cannot be written here)"


def _assigned(field: FormField, key: str, value: object) -> Iterator[TextLine]:
    if value is not ABSENT:
        try:
            lines = toml_value(value)
        except Unspelled:
            yield from commented(caution("its default cannot be written here, and is left out"))
        else:
            yield from _behind(f"{key} = ", lines)
            return
    yield line(f"#{key} = {_example(field)}")


def _behind(start: str, lines: Sequence[str]) -> Iterator[TextLine]:
    for at, text in enumerate(lines):
        yield line(text if at else f"{start}{text}")


def _example(field: FormField) -> str:
    if field.kind == "json":
        wanted = field.schema.get("type")
        return _JSON_EXAMPLES.get(wanted, '""') if isinstance(wanted, str) else '""'
    if field.kind == "choice" and field.choices and not isinstance(field.choices[0].value, str):
        return "0"
    return _EXAMPLES[field.kind]
