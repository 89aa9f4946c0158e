"""What only Zed's settings have: the older nested command, and servers that come with an extension."""

from __future__ import annotations

from mcp_host.core.importing import launching
from mcp_host.core.importing.arguments import read_args
from mcp_host.core.importing.draft import Draft
from mcp_host.core.importing.json_kinds import object_of


def read_command(draft: Draft, value: object, *path: str | int) -> None:
    """The executable, or the older `{path, args, env}` in its place."""
    nested = object_of(value)
    if nested is None:
        launching.read_command(draft, value, *path)
        return
    for key, read in (("env", launching.read_env), ("path", launching.read_command), ("args", read_args)):
        if nested.get(key) is not None:
            read(draft, nested[key], *path, key)


def read_settings(draft: Draft, value: object, *path: str | int) -> None:
    """Settings that an extension understands, which alone knows how to start its server."""
    if {"command", "url"} & draft.table.keys():
        if value:
            draft.note("The settings of the extension were left out.")
    else:
        draft.refuse(path, "are for an extension of Zed, which alone knows how its server starts: write `command`.")
