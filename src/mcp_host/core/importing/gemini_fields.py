"""What only the settings of the Gemini CLI have: three targets, and ways to authorize of Google's own."""

from __future__ import annotations

from mcp_host.core.importing import reaching
from mcp_host.core.importing.draft import Draft


def read_url(draft: Draft, value: object, *path: str | int) -> None:
    """A URL of the older transport, where `type` says nothing else."""
    reaching.read_url(draft, value, *path)
    if "url" in draft.table:
        draft.set("transport", "sse", *path)


def read_http_url(draft: Draft, value: object, *path: str | int) -> None:
    """A URL of today's transport, which goes before the other one."""
    if "url" in draft.table:
        draft.note("`url` was left out: httpUrl goes before it.")
    reaching.read_url(draft, value, *path)
    draft.set("transport", "http", *path)


def read_type(draft: Draft, value: object, *path: str | int) -> None:
    """Which of the two a `url` is."""
    draft.table.pop("transport", None)
    reaching.read_transport(draft, value, *path)


def read_tcp(draft: Draft, value: object, *path: str | int) -> None:
    """A WebSocket."""
    draft.refuse(path, "is a WebSocket, which this host cannot speak: stdio, http and sse it can.")


def read_provider(draft: Draft, value: object, *path: str | int) -> None:
    """Where the token comes from."""
    if value != "dynamic_discovery":
        draft.note(
            "`authProviderType` takes credentials of Google, which this host does not: give an authorization with a "
            "reference, which setup{ resolve } can feed."
        )
