"""Names and values of a schema as JSON text that is safe to read in a line, and is still exactly what was meant."""

from __future__ import annotations

import json
from typing import Final

_WORDS: Final = {"str": "string", "bool": "boolean", "int": "integer", "float": "number", "NoneType": "null"}

# Built once: `json.dumps` with settings of its own builds an encoder for every call.
_encode: Final = json.JSONEncoder(ensure_ascii=False).encode


def literal(value: object) -> str:
    """A JSON value as compact JSON; what cannot be seen (controls, bidi marks, lone surrogates) as `\\uXXXX`.

    A value that cannot be written at all is named by its type word.
    """
    try:
        text = _encode(value)
    except (ValueError, TypeError, RecursionError):  # an integer beyond the digit limit, a hostile nesting
        return word_for(value)
    if text.isprintable():
        return text
    return "".join(character if character.isprintable() else json.dumps(character)[1:-1] for character in text)


def short_literal(value: object, limit: int) -> str:
    """The literal, or the value's type word when it is longer than `limit`: a cut literal would be another value."""
    if isinstance(value, str) and len(value) > limit:
        return "string"
    text = literal(value)
    return text if len(text) <= limit else word_for(value)


def word_for(value: object) -> str:
    """The JSON Schema type word of a value."""
    if isinstance(value, (list, tuple)):
        return "array"
    return _WORDS.get(type(value).__name__, "object" if isinstance(value, dict) else "any")
