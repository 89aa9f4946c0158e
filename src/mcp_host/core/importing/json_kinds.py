"""What the values of a foreign file are called, and the texts that they can stand for."""

from __future__ import annotations

from typing import cast

from mcp_host.core.strict_json import is_encodable


def kind_of(value: object) -> str:
    """How JSON calls the type of a value, with its article."""
    match value:
        case None:
            return "null"
        case bool():
            return "true or false"
        case str():
            return "a string"
        case int() | float():
            return "a number"
        case list() | tuple():
            return "an array"
        case dict():
            return "an object"
        case _:
            return "a date or time"


def text_of(value: object) -> str | None:
    """The text that a client makes of a string, a number or a truth value; None of anything else.

    A string that no file can hold (half a surrogate pair) is none either.
    """
    match value:
        case bool():
            return "true" if value else "false"
        case int() | float():
            return str(value)
        case str() if is_encodable(value):
            return value
        case _:
            return None


def object_of(value: object) -> dict[str, object] | None:
    """The value where it is an object."""
    return cast("dict[str, object]", value) if isinstance(value, dict) else None


def array_of(value: object) -> list[object] | None:
    """The value where it is an array."""
    return cast("list[object]", value) if isinstance(value, list) else None


def unfit(value: object) -> str:
    """What a value is that is no text, to be read after "must be a string, not"."""
    return "one with half a surrogate pair, which is no character" if isinstance(value, str) else kind_of(value)
