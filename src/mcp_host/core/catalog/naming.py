"""The callable name of a tool: the one that people type and models see. The raw name alone goes on the wire.

It is a pure function of the alias and the raw name, so it never depends on what else is connected or in which order.
Two tools never share one:

* The plain form is `alias__raw`. It is used only when it can be read back in one way, at its first `__`.
* Everything else (a character that had to be replaced, a name that had to be cut, an alias that holds or ends in
  what looks like the separator) gets a stem to read and a hash of the pair: `alias__stem-0123456789abcdef`.
* A plain form that happens to end like a hashed one is hashed too, so neither kind can imitate the other.
"""

from __future__ import annotations

import hashlib
import json
import re
from typing import Final

CALLABLE_NAME_LIMIT: Final = 64
"""The longest function name that the common model APIs take; their alphabet is `[a-zA-Z0-9_-]`."""

_SEPARATOR: Final = "__"
_HASH_DIGITS: Final = 16
"""64 bits: a server that wants another tool's name has to find a second preimage, not merely some collision."""

_FOREIGN: Final = re.compile(r"[^a-zA-Z0-9_-]")
_LOOKS_HASHED: Final = re.compile(rf"-[0-9a-f]{{{_HASH_DIGITS}}}\Z")


def callable_name(alias: str, raw: str) -> str:
    """The name by which a tool is called from outside: `[a-zA-Z0-9_-]`, at most `CALLABLE_NAME_LIMIT` characters."""
    plain = f"{alias}{_SEPARATOR}{raw}"
    if _reads_back(alias, plain):
        return plain
    stem = _FOREIGN.sub("_", plain)[: CALLABLE_NAME_LIMIT - _HASH_DIGITS - 1]
    return f"{stem}-{_hash_of_pair(alias, raw)}"


def _reads_back(alias: str, plain: str) -> bool:
    return (
        len(plain) <= CALLABLE_NAME_LIMIT
        and plain.find(_SEPARATOR) == len(alias)
        and _FOREIGN.search(plain) is None
        and _LOOKS_HASHED.search(plain) is None
    )


def _hash_of_pair(alias: str, raw: str) -> str:
    # A JSON array keeps ("a", "b") and ("ab", "") apart, and has a spelling for lone surrogates.
    return hashlib.sha256(json.dumps([alias, raw]).encode("ascii")).hexdigest()[:_HASH_DIGITS]
