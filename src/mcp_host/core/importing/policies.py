"""What another client may do with a server: which tools, how long to wait, whether at all, and what runs unasked."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final, cast

from mcp_host.core.importing.draft import Draft, shown
from mcp_host.core.importing.json_kinds import array_of, kind_of
from mcp_host.core.importing.literal_secrets import find_secrets
from mcp_host.core.strict_json import is_encodable

Reader = Callable[..., None]
"""Reads the value of one field into a draft: `(draft, value, *path)`."""


def read_tools(draft: Draft, value: object, *path: str | int) -> None:
    """The only tools that are on. `*` is all of them."""
    names = _names(draft, value, *path)
    if names is not None and "*" not in names:
        draft.set("tools", names, *path)


def read_disabled_tools(draft: Draft, value: object, *path: str | int) -> None:
    """Tools that are off; read after the ones that are on."""
    names = _names(draft, value, *path)
    if not names:
        return
    present = draft.table.get("tools")
    if isinstance(present, list):
        off = frozenset(names)
        draft.table["tools"] = [name for name in cast("list[str]", present) if name not in off]
        return
    draft.note(
        f"{draft.origins.client} turns off {_listed(names)}. Here one writes the tools that are on, and the file does "
        "not name the others: all are on until `tools` says which."
    )


def read_approvals(draft: Draft, value: object, *path: str | int) -> None:
    """What runs there without being asked about. That is decided anew."""
    if value not in (None, False, [], {}, "", "prompt", "auto"):
        draft.note(
            f"`{shown(str(path[-1]))}` lets tools run without being asked in {draft.origins.client}. It was left out: "
            "what runs without review is decided here, by `read`."
        )


def read_seconds(key: str, *, units: int = 1) -> Reader:
    """Reads a time to wait, with this many units in a second."""

    def read(draft: Draft, value: object, *path: str | int) -> None:
        if isinstance(value, bool) or not isinstance(value, int | float):
            draft.refuse(path, f"must be a number, not {kind_of(value)}.")
        elif not abs(value) < _LONGEST * units:
            draft.refuse(path, "must be a number of reasonable size.")
        else:
            seconds = value / units
            draft.set(key, int(seconds) if seconds.is_integer() else seconds, *path)

    return read


def read_enabled(draft: Draft, value: object, *path: str | int) -> None:
    """Whether the server is on."""
    if not isinstance(value, bool):
        draft.refuse(path, f"must be true or false, not {kind_of(value)}.")
    elif not value:
        draft.set("enabled", False, *path)


def read_disabled(draft: Draft, value: object, *path: str | int) -> None:
    """Whether the server is off."""
    read_enabled(draft, not value if isinstance(value, bool) else value, *path)


def read_summary(draft: Draft, value: object, *path: str | int) -> None:
    """What the server is for."""
    if isinstance(value, str) and value.strip() and is_encodable(value):
        if find_secrets(value):
            draft.note(f"`{shown(str(path[-1]))}` was left out: something in it looks like a secret.")
        else:
            draft.set("summary", " ".join(value.split()), *path)


def say(sentence: str) -> Reader:
    """Reads a field of which only something can be said. `{key}` and `{client}` are filled in."""

    def read(draft: Draft, value: object, *path: str | int) -> None:
        if value not in (None, False, [], {}, ""):
            draft.note(sentence.format(key=shown(str(path[-1])), client=draft.origins.client))

    return read


def pass_over(draft: Draft, value: object, *path: str | int) -> None:
    """Reads a field that says nothing about the server."""


def _names(draft: Draft, value: object, *path: str | int) -> list[str] | None:
    """Names of tools, each once. Some clients write arguments behind them, in parentheses."""
    elements = array_of(value)
    names = [name for name in elements or [] if isinstance(name, str) and is_encodable(name)]
    if elements is None or len(names) != len(elements):
        draft.refuse(path, f"must be an array of strings, not {kind_of(value) if elements is None else 'of others'}.")
        return None
    return list(dict.fromkeys(name.partition("(")[0].strip() for name in names if name.strip()))


def _listed(names: list[str]) -> str:
    listed = ", ".join(f"`{shown(name)}`" for name in names[:_NAMES_SHOWN])
    return listed if len(names) <= _NAMES_SHOWN else f"{listed} and {len(names) - _NAMES_SHOWN} more"


_NAMES_SHOWN: Final = 20

_LONGEST: Final = 1e9
"""Seconds. More than a lifetime is no time to wait, and may be no number either."""
