"""A server's table as the TOML text that a person would write for it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Final, cast

import tomli
import tomlkit

from mcp_host.core.definitions.faults import FieldPath, field_name

_Table = Mapping[str, object]


class Unwritable(ValueError):
    """TOML has no way to write what stands at `path` of a server's table."""

    def __init__(self, path: FieldPath) -> None:
        self.path = path
        super().__init__(f"{field_name(path) or 'the table'} cannot be written as TOML")


def server_toml(alias: str, table: Mapping[str, object]) -> str:
    """The server's statements from its header on, each on a line of its own. They parse to exactly this table.

    Raises:
        Unwritable: a value that TOML has no form for, such as null.
    """
    server = f"servers.{_key(alias, ())}"
    lines = [f"[{server}]"]
    below: list[str] = []
    for name, value in _ordered(table):
        if name == "reconnect" and isinstance(value, Mapping):
            below += [f"[{server}.reconnect]", *_pairs(cast("_Table", value), (name,))]
        elif name == "pairs" and (tables := _tables(value)):
            for index, entry in enumerate(tables):
                below += [f"[[{server}.pairs]]", *_pairs(entry, (name, index))]
        else:
            lines.append(_pair(name, value, ()))
    text = "\n".join([*lines, *below, ""])
    _check(text, alias, table)
    return text


def server_member(alias: str, table: Mapping[str, object]) -> str:
    """The server as `alias = { … }` on one line, for a `servers` that is an inline table itself.

    Raises:
        Unwritable: as for `server_toml`.
    """
    text = f"{_key(alias, ())} = {_value(dict(_ordered(table)), ())}"
    _check(f"[servers]\n{text}", alias, table)
    return text


def toml_value(value: object) -> str:
    """One value on one line, as it stands behind the `=`.

    Raises:
        Unwritable: as for `server_toml`.
    """
    return _value(value, ())


_DEPTH_LIMIT: Final = 64
"""No definition nests deeper than a few levels; writing one recurses, and Python bounds that."""

_ORDER: Final = (
    *("command", "args", "cwd", "env", "transport", "url", "headers", "authorization"),
    *("tools", "read", "summary", "tool_summaries"),
    *("enabled", "autostart", "connect_timeout_seconds", "request_timeout_seconds", "always_listed"),
    *("reconnect", "pairs"),
)
"""What a server is comes first, then what it may do, then how it is waited for. Anything else stands behind."""


def _ordered(table: _Table) -> list[tuple[str, object]]:
    return sorted(table.items(), key=lambda item: _ORDER.index(item[0]) if item[0] in _ORDER else len(_ORDER))


def _tables(value: object) -> list[_Table]:
    """The elements of an array that holds tables only, else nothing."""
    if not isinstance(value, list | tuple):
        return []
    elements = cast("Iterable[object]", value)
    tables = [cast("_Table", element) for element in elements if isinstance(element, Mapping)]
    return tables if len(tables) == len(cast("list[object]", value)) else []


def _pairs(table: _Table, path: FieldPath) -> list[str]:
    return [_pair(name, value, path) for name, value in table.items()]


def _pair(name: str, value: object, path: FieldPath) -> str:
    path = (*path, name)
    return f"{_key(name, path)} = {_value(value, path)}"


def _key(name: object, path: FieldPath) -> str:
    if not isinstance(name, str):
        raise Unwritable(path[:-1])
    return _encodable(tomlkit.key(name).as_string(), path)


def _value(value: object, path: FieldPath) -> str:
    if len(path) > _DEPTH_LIMIT:
        raise Unwritable(path[:1])
    if isinstance(value, Mapping):
        members = _pairs(cast("_Table", value), path)
        return f"{{ {', '.join(members)} }}" if members else "{}"
    if isinstance(value, list | tuple):
        elements = enumerate(cast("Iterable[object]", value))
        return f"[{', '.join(_value(element, (*path, index)) for index, element in elements)}]"
    try:
        text = tomlkit.item(value).as_string()
    except (ValueError, TypeError):
        raise Unwritable(path) from None
    return _encodable(text, path)


def _encodable(text: str, path: FieldPath) -> str:
    """The text itself. A lone surrogate is part of a string to Python, and cannot be in any file."""
    try:
        text.encode()
    except UnicodeEncodeError:
        raise Unwritable(path) from None
    return text


def _check(text: str, alias: str, table: _Table) -> None:
    try:
        read = tomli.loads(text)["servers"][alias]
    except (ValueError, RecursionError):
        raise Unwritable(()) from None
    if _comparable(read) != _comparable(table):
        raise Unwritable(())


def _comparable(value: object) -> object:
    """The value in a form in which NaN equals itself, and a float, an integer and a boolean are never the same."""
    if isinstance(value, Mapping):
        return {name: _comparable(inner) for name, inner in cast("_Table", value).items()}
    if isinstance(value, list | tuple):
        return [_comparable(inner) for inner in cast("Iterable[object]", value)]
    return value if isinstance(value, str) else (type(value), repr(value))
