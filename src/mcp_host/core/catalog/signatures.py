"""The signature of a tool: its schema in one line that reads like the JSON to send.

    {"repo_path": string, "max_count"?: integer, "mode"?: "soft" | "hard", "files": [string], "since"?: string | null}

Names are quoted and stand in the schema's own order (servers put what matters first); `?` marks what may be left
out. The only values shown are the ones the schema itself demands (`enum`, `const`): never a default, never an
example. What the schema does not say, or says in a way that has no short form, is `any`. A reference that leads back
into itself is shown by its name, once: `[Node…]`. The function is total: any JSON value is a schema to it.

A signature that would be too long folds its innermost objects first, so that the names on top stay readable.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Final

from mcp_host.core.catalog.json_values import as_array, as_object
from mcp_host.core.catalog.literals import literal, short_literal
from mcp_host.core.catalog.schemas import Flat, alternatives, flatten, required_names, type_words, with_siblings

SIGNATURE_LIMIT: Final = 1000
"""Characters. Room for some thirty properties with their types; a survey of 1,000 tools at the limit is 1 MB."""

_DEPTHS: Final = (8, 5, 3, 2, 1)
"""How many levels are unfolded, tried in this order until the signature fits."""
_MAX_SCHEMAS: Final = 300
"""Schemas read for one signature: more than fit into it. References make a short schema describe a huge one."""
_MAX_OPEN: Final = 40
"""Schemas within schemas, so that alternatives of alternatives cannot exhaust the stack."""
_MAX_LITERALS: Final = 20
"""Members of an enum that are spelled out; past them `…`, so that a list of time zones hides no property."""
_LITERAL_LIMIT: Final = 60
"""Characters of one literal; a longer one is shown by its type word."""

_BEYOND_TYPE: Final = frozenset(("const", "enum", "anyOf", "oneOf", "allOf", "$ref"))
_PRIMITIVES: Final = ("string", "number", "integer", "boolean", "null")
_NAME: Final = re.compile(r"[A-Za-z_][A-Za-z0-9_.-]{0,63}\Z")
_MORE: Final = "…"


def signature(schema: object, *, limit: int = SIGNATURE_LIMIT) -> str:
    """The arguments of a tool in one line of at most `limit` characters. Equal schemas give equal text."""
    text = _fitted(schema, limit)
    # On top, an object about which nothing is said is a tool without arguments.
    return "{}" if text == "object" or schema == {} else text


def output_signature(schema: object, *, limit: int = SIGNATURE_LIMIT) -> str | None:
    """The shape of a tool's structured result, or None when the server declares none."""
    return None if schema is None else _fitted(schema, limit)


def _fitted(schema: object, limit: int) -> str:
    text = _MORE
    for depth in _DEPTHS:
        writer = _Writer(schema, depth=depth, limit=limit)
        text = writer.text()
        if not writer.cut and len(text) <= limit:
            return text
    return text if len(text) <= limit else text[: limit - 1] + _MORE


class _Writer:
    """Writes one schema once, to one depth, with a bounded effort."""

    def __init__(self, schema: object, *, depth: int, limit: int) -> None:
        self.cut = False
        """Whether something was left out for want of room."""
        self._schema = schema
        self._root: Mapping[str, object] = as_object(schema) or {}
        self._depth = depth
        self._limit = limit
        self._left = _MAX_SCHEMAS
        self._open = 0

    def text(self) -> str:
        return self._any_of(self._type(self._schema, 0, frozenset(("#",))))

    def _type(self, schema: object, depth: int, active: frozenset[str]) -> tuple[str, ...]:
        """The alternatives of a schema, each written out."""
        self._left -= 1
        if self._left < 0 or self._open >= _MAX_OPEN:
            self.cut = True
            return (_MORE,)
        if schema is False:
            return ("never",)
        members = as_object(schema)
        if members is not None and members.get("type") in _PRIMITIVES and _BEYOND_TYPE.isdisjoint(members):
            # Most properties there are: worth not flattening.
            return (str(members["type"]),)
        self._open += 1
        texts = self._flat(flatten(schema, self._root, active), depth)
        self._open -= 1
        return texts

    def _flat(self, flat: Flat, depth: int) -> tuple[str, ...]:
        schema = flat.schema
        if flat.recursive:
            return (f"{flat.name}{_MORE}" if _NAME.match(flat.name or "") else _MORE,)
        if "const" in schema:
            return (short_literal(schema["const"], _LITERAL_LIMIT),)
        enum = as_array(schema.get("enum"))
        if enum:
            texts = dict.fromkeys(short_literal(value, _LITERAL_LIMIT) for value in enum[:_MAX_LITERALS])
            return (*texts, _MORE) if len(enum) > _MAX_LITERALS else tuple(texts)
        branches = alternatives(schema)
        if branches:
            return tuple(self._branches(branches, flat, depth)) or ("any",)
        return tuple(self._word(word, flat, depth) for word in type_words(schema)) or ("any",)

    def _branches(self, branches: tuple[object, ...], flat: Flat, depth: int) -> Iterator[str]:
        length = 0
        for count, branch in enumerate(branches):
            if count == _MAX_LITERALS or length > self._limit:
                self.cut = self.cut or length > self._limit
                yield _MORE
                return
            texts = self._type(with_siblings(branch, flat.schema), depth, flat.active)
            length += sum(map(len, texts))
            yield from texts

    def _word(self, word: str, flat: Flat, depth: int) -> str:
        if word in _PRIMITIVES:
            return word
        if word == "object":
            return self._object(flat, depth)
        return self._array(flat, depth) if word == "array" else "any"

    def _object(self, flat: Flat, depth: int) -> str:
        if not any(key in flat.schema for key in ("properties", "required", *_BEYOND_PROPERTIES)):
            return "object"
        if depth >= self._depth:
            return "{" + _MORE + "}"
        members: list[str] = []
        length = 0
        for member in self._members(flat, depth + 1):
            length += len(member) + len(", ")
            if length > self._limit - len("{, …}"):
                self.cut = True
                members.append(_MORE)
                break
            members.append(member)
        return "{" + ", ".join(members) + "}"

    def _members(self, flat: Flat, depth: int) -> Iterator[str]:
        required = required_names(flat.schema)
        needed = frozenset(required)
        self._left -= len(required) // 100
        properties = as_object(flat.schema.get("properties")) or {}
        for name, schema in properties.items():
            mark = "" if name in needed else "?"
            yield f"{literal(name)}{mark}: {self._any_of(self._type(schema, depth, flat.active))}"
        others = flat.schema.get("additionalProperties")
        for name in required:
            if name not in properties:
                yield f"{literal(name)}: {self._any_of(self._type(others or True, depth, flat.active))}"
        kinds = [*(as_object(flat.schema.get("patternProperties")) or {}).values()]
        if as_object(others) is not None or (others is True and not properties):
            kinds.append(others)
        for text in dict.fromkeys(self._any_of(self._type(kind, depth, flat.active)) for kind in kinds[:_MAX_LITERALS]):
            yield f"[key]: {text}"

    def _array(self, flat: Flat, depth: int) -> str:
        schema = flat.schema
        if depth >= self._depth:
            return "[" + _MORE + "]"
        # Before 2020-12 a tuple was spelled as a list under `items`, with `additionalItems` for the rest.
        old_style = as_array(schema.get("items"))
        places = old_style or as_array(schema.get("prefixItems")) or ()
        rest = schema.get("additionalItems") if old_style is not None else schema.get("items")
        members = [self._any_of(self._type(place, depth + 1, flat.active)) for place in places[:_MAX_LITERALS]]
        if len(places) > _MAX_LITERALS:
            members.append(_MORE)
        elif as_object(rest) is not None or not (members or rest is False):
            text = self._any_of(self._type(rest, depth + 1, flat.active))
            members.append(f"...{text}" if members else text)
        return "[" + ", ".join(members) + "]"

    def _any_of(self, texts: tuple[str, ...]) -> str:
        if len(texts) == 1:
            return texts[0]
        distinct = dict.fromkeys(texts)
        if "any" in distinct:
            return "any"
        if "null" in distinct:
            # What it is comes first, that it may be null comes last.
            del distinct["null"]
            distinct["null"] = None
        return " | ".join(distinct)


_BEYOND_PROPERTIES: Final = ("additionalProperties", "patternProperties")
