"""Finds the tools of a server that belong together: one shows what would happen, the other does it.

What the definition says wins. Otherwise the names must match (`x_preview` and `x_execute`, `prepare_x` and `commit_x`)
and the executing tool must take, in one string argument that the preview does not have, what the preview gave out.
A doubtful match is no pair: nobody may come to believe that something was previewed when it ran.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, Protocol

from mcp_host.core.catalog.entries import Tool
from mcp_host.core.catalog.json_values import as_array, as_object
from mcp_host.problems import Problem, ProblemError

_PARTNERS: Final[Mapping[str, str]] = {"preview": "execute", "prepare": "commit"}

_RECEIPT_NAMES: Final = frozenset(
    {"receipt", "token", "confirmation", "ticket", "plan", "preview", "proposal"}
    | {
        f"{what}_{form}"
        for what in ("receipt", "confirmation", "confirm", "plan", "preview", "proposal", "prepare", "execution")
        for form in ("id", "token", "key", "handle")
    }
)
"""Names, in lower case with underscores, of an argument that takes what a preview gave out."""


class DeclaredPair(Protocol):
    """A pair as a definition declares it."""

    @property
    def preview(self) -> str: ...
    @property
    def execute(self) -> str: ...
    @property
    def receipt(self) -> str: ...


class Paired(Protocol):
    """The part of a definition that says what may run unreviewed."""

    @property
    def read(self) -> tuple[str, ...]: ...
    @property
    def pairs(self) -> Sequence[DeclaredPair]: ...


@dataclass(frozen=True, kw_only=True)
class Pair:
    """Two raw tool names and the argument that joins them."""

    preview: str
    execute: str
    receipt: str
    """The argument of `execute` that takes what `preview` gave out."""


def find_pair(tools: Iterable[Tool], declared: Iterable[DeclaredPair], name: str) -> Pair | None:
    """The pair that the tool with this raw name is one half of, or None."""
    return next((pair for pair in find_pairs(tools, declared) if name in (pair.preview, pair.execute)), None)


def find_pairs(tools: Iterable[Tool], declared: Iterable[DeclaredPair]) -> tuple[Pair, ...]:
    """Every pair among the tools; each tool is in one at most. A declared pair whose tools are not there is none."""
    by_name = {tool.name: tool for tool in tools}
    declared_pairs = tuple(declared)
    taken = {name for pair in declared_pairs for name in (pair.preview, pair.execute)}
    found = [
        Pair(preview=pair.preview, execute=pair.execute, receipt=pair.receipt)
        for pair in declared_pairs
        if pair.preview in by_name and pair.execute in by_name
    ]
    free = [tool for name, tool in by_name.items() if name not in taken]
    return (*found, *_pairs_by_name(free))


def receipt_in(result: Mapping[str, object], pair: Pair, alias: str) -> str:
    """The server's receipt out of a preview's result: from structuredContent, else from a text that is JSON.

    Raises:
        ProblemError: `protocol-violated`: there is none, so `execute` cannot be called.
    """
    structured = as_object(result.get("structuredContent")) or {}
    # Servers of the SDK wrap what is not an object in `result`.
    for candidate in (structured, as_object(structured.get("result")) or {}, *_text_objects(result)):
        receipt = candidate.get(pair.receipt)
        if isinstance(receipt, str) and receipt:
            return receipt
    raise ProblemError(
        Problem(
            type="protocol-violated",
            title=f"{alias} answered {pair.preview} without a receipt; {pair.execute} was not called",
            detail=f"No `{pair.receipt}` stands in the structuredContent or in a JSON text of the answer.",
            hint=f"If the argument has another name, write it as `receipt` in [[servers.{alias}.pairs]] of mcp.toml.",
            alias=alias,
            tool=pair.execute,
        )
    )


def with_receipt(arguments: Mapping[str, object], pair: Pair, receipt: str, execute: Tool) -> dict[str, object]:
    """The arguments as `execute` gets them; of one that takes the receipt alone, the preview had all the others."""
    if _takes_only(execute, pair.receipt):
        return {pair.receipt: receipt}
    return {**arguments, pair.receipt: receipt}


def lacks_receipt(arguments: Mapping[str, object], pair: Pair) -> bool:
    """Whether `execute` has to be previewed first, because nobody gave it a receipt of the server's."""
    return pair.receipt not in arguments


def may_preview(pair: Pair, definition: Paired) -> bool:
    """Whether a person has let the preview tool run unreviewed: as a declared pair, or under `read`.

    A pair that was only recognised by its names is not enough: the server chose those.
    """
    declared = any((one.preview, one.execute) == (pair.preview, pair.execute) for one in definition.pairs)
    return declared or pair.preview in definition.read


def required_names(schema: Mapping[str, object]) -> frozenset[str]:
    """The members that an input schema requires."""
    return frozenset(str(name) for name in as_array(schema.get("required")) or ())


# --- by name ----------------------------------------------------------------------------------------------------------


def _pairs_by_name(tools: Iterable[Tool]) -> Iterator[Pair]:
    """Pairs of tools whose names differ in the one word only, where no third tool could be meant as well."""
    spelled: dict[tuple[str, ...], list[Tool]] = {}
    for tool in tools:
        spelled.setdefault(_words(tool.name), []).append(tool)
    for words, previews in spelled.items():
        partner = _partner(words)
        executes = spelled.get(partner, []) if partner else []
        if len(previews) != 1 or len(executes) != 1:
            continue
        receipt = _receipt_argument(previews[0], executes[0])
        if receipt is not None:
            yield Pair(preview=previews[0].name, execute=executes[0].name, receipt=receipt)


def _words(name: str) -> tuple[str, ...]:
    """`note_delete_preview`, `noteDeletePreview` and `note-delete-preview` are the same three words."""
    return tuple(word.lower() for word in re.findall(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+|[^\W\d_a-zA-Z]+", name))


def _partner(words: tuple[str, ...]) -> tuple[str, ...] | None:
    if len(words) > 1 and words[-1] in _PARTNERS:
        return (*words[:-1], _PARTNERS[words[-1]])
    if len(words) > 1 and words[0] in _PARTNERS:
        return (_PARTNERS[words[0]], *words[1:])
    return (_PARTNERS[words[0]],) if len(words) == 1 and words[0] in _PARTNERS else None


def _receipt_argument(preview: Tool, execute: Tool) -> str | None:
    """The one argument that takes the receipt, if the two tools agree on all the others that are required.

    An execute tool that takes nothing else agrees with every preview: the receipt stands for all that was previewed.
    """
    shown, done = _properties(preview), _properties(execute)
    candidates = [name for name, schema in done.items() if name not in shown and _takes_receipt(name, schema)]
    if len(candidates) != 1:
        return None
    agreed = _required(preview) <= done.keys() and _required(execute) - {candidates[0]} <= shown.keys()
    return candidates[0] if agreed or _takes_only(execute, candidates[0]) else None


def _takes_only(execute: Tool, receipt: str) -> bool:
    return set(_properties(execute)) == {receipt}


def _takes_receipt(name: str, schema: object) -> bool:
    return "_".join(_words(name)) in _RECEIPT_NAMES and _admits_strings(as_object(schema) or {})


def _admits_strings(schema: Mapping[str, object]) -> bool:
    kind = schema.get("type")
    if kind == "string" or "string" in (as_array(kind) or ()):
        return True
    return any(_admits_strings(as_object(branch) or {}) for branch in as_array(schema.get("anyOf")) or ())


def _properties(tool: Tool) -> Mapping[str, object]:
    return as_object(tool.input_schema.get("properties")) or {}


def _required(tool: Tool) -> frozenset[str]:
    return required_names(tool.input_schema)


def _text_objects(result: Mapping[str, object]) -> Iterator[Mapping[str, object]]:
    for block in as_array(result.get("content")) or ():
        text = (as_object(block) or {}).get("text")
        if not isinstance(text, str):
            continue
        try:
            value = as_object(json.loads(text))
        except (ValueError, RecursionError):
            continue
        if value is not None:
            yield value
