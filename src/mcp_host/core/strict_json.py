"""Reads JSON text that a person or a script wrote, refusing everything two readers could understand differently.

Python's reader lets a doubled key overwrite the first, makes infinity of `1e400` and takes `NaN`; what a person then
reviews is not what they wrote. Each refusal says where (line and column from 1) and shows the text there.
"""

from __future__ import annotations

import json
import math
import re
from typing import Final

FRAGMENT_LENGTH: Final = 20
"""Characters of the text that are shown with a refusal."""

INTEGER_DIGITS_LIMIT: Final = 4000
"""Python itself refuses to convert integers of more than 4300 digits, in either direction."""

_TOKEN: Final = re.compile(r'"(?:[^"\\]|\\.)*"|[{}\[\]:,]|[^\s{}\[\]:,"]+', re.DOTALL)


class JsonRefused(Exception):
    """The text is not JSON that means one thing."""

    def __init__(self, reason: str, text: str, position: int) -> None:
        super().__init__(reason)
        self.reason = reason
        self.line = text.count("\n", 0, position) + 1
        self.column = position - (text.rfind("\n", 0, position) + 1) + 1
        self.fragment = text[position : position + FRAGMENT_LENGTH]


def read_json(text: str) -> object:
    """The value the text spells; integers keep all their digits.

    Raises:
        JsonRefused: The text is not JSON, doubles a key, or has a number or character that cannot be sent on.
    """
    try:
        value = json.loads(text, parse_int=_integer, parse_constant=_constant)
    except json.JSONDecodeError as error:
        raise JsonRefused(_in_words(error), text, error.pos) from error
    except RecursionError as error:
        raise JsonRefused("it is nested too deeply", text, 0) from error
    _refuse_ambiguities(text)
    return value


def _in_words(error: json.JSONDecodeError) -> str:
    if error.doc[error.pos : error.pos + 1] == "'":
        return "JSON strings stand in double quotes"
    if error.msg == "Extra data":
        return "there is more text after the end of the JSON value"
    return error.msg[0].lower() + error.msg[1:]


def _integer(digits: str) -> int:
    return int(digits) if len(digits) <= INTEGER_DIGITS_LIMIT else 0  # refused below, where its place is known


def _constant(_: str) -> None:
    return None  # likewise


def _refuse_ambiguities(text: str) -> None:
    """Goes through the tokens of a text that is known to be JSON, to find the place of what its value cannot tell."""
    scopes: list[set[str] | None] = []
    previous = ""
    for match in _TOKEN.finditer(text):
        token = match.group()
        reason: str | None = None
        if token in ("{", "["):
            scopes.append(set() if token == "{" else None)
        elif token in ("}", "]"):
            scopes.pop()
        elif token.startswith('"'):
            names = scopes[-1] if scopes and previous in ("{", ",") else None
            reason = _string_fault(token, names)
        elif token not in (":", ","):
            reason = _number_fault(token)
        if reason:
            raise JsonRefused(reason, text, match.start())
        previous = token


def _string_fault(token: str, names: set[str] | None) -> str | None:
    string: str = json.loads(token)
    if not is_encodable(string):
        return "the string holds half a surrogate pair, which is no character"
    if names is None:
        return None
    if string in names:
        return "the key stands here for the second time"
    names.add(string)
    return None


def _number_fault(token: str) -> str | None:
    if token in ("true", "false", "null"):
        return None
    if token in ("NaN", "Infinity", "-Infinity"):
        return f"JSON has no {token}"
    if not math.isfinite(float(token)) and not token.lstrip("-").isdigit():
        return "the number is too large"
    if len(token) > INTEGER_DIGITS_LIMIT:
        return f"the number has more than {INTEGER_DIGITS_LIMIT} digits"
    return None


def is_encodable(text: str) -> bool:
    """Whether the text has an UTF-8 form: a lone surrogate, which JSON can spell, has none."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True
