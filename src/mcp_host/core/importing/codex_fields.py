"""What only Codex's configuration has: fields that name environment variables instead of holding values."""

from __future__ import annotations

import re
from typing import Final

from mcp_host.core.definitions.secret_names import names_a_secret
from mcp_host.core.importing.draft import Draft, is_name
from mcp_host.core.importing.json_kinds import array_of, kind_of, object_of
from mcp_host.core.importing.policies import read_approvals
from mcp_host.core.importing.reaching import set_bearer, set_oauth
from mcp_host.core.importing.secret_variables import named_after


def read_variables(draft: Draft, value: object, *path: str | int) -> None:
    """Variables that the server inherits. One that is no secret may be unset, as there."""
    elements = array_of(value)
    if elements is None:
        draft.refuse(path, f"must be an array, not {kind_of(value)}.")
        return
    for index, element in enumerate(elements):
        entry = object_of(element) or {"name": element}
        name, is_remote = entry.get("name"), entry.get("source") == "remote"
        if not isinstance(name, str) or not _VARIABLE.fullmatch(name):
            draft.refuse((*path, index), "must be the name of an environment variable.")
            continue
        if is_remote:
            draft.note(f"`{name}` is of another machine in Codex; here it is of this one.")
        draft.env.setdefault(name, f"${{{name}}}" if names_a_secret(name) else f"${{{name}:-}}")


def read_header_variables(draft: Draft, value: object, *path: str | int) -> None:
    """Headers, each with the variable that holds its value."""
    headers = object_of(value)
    if headers is None:
        draft.refuse(path, f"must be a table of strings, not {kind_of(value)}.")
        return
    for header, name in headers.items():
        if is_name(header) and isinstance(name, str) and _VARIABLE.fullmatch(name):
            draft.headers[header] = f"${{{name}}}"
            draft.places.setdefault("headers", draft.place(*path))
        else:
            draft.refuse((*path, header), "must be the name of an environment variable.")


def read_token_variable(draft: Draft, value: object, *path: str | int) -> None:
    """The variable that holds the token."""
    if isinstance(value, str) and _VARIABLE.fullmatch(value):
        set_bearer(draft, f"${{{value}}}", *path)
    else:
        draft.refuse(path, "must be the name of an environment variable.")


def read_token(draft: Draft, value: object, *path: str | int) -> None:
    """The token itself, which older versions took."""
    token = draft.text(value, *path)
    if token:
        set_bearer(draft, draft.credential(token, named_after(draft.alias, "token"), *path), *path)


def read_scopes(draft: Draft, value: object, *path: str | int) -> None:
    """What an OAuth sign-in asks for."""
    scopes = [scope for scope in array_of(value) or [] if isinstance(scope, str)]
    if len(scopes) == len(array_of(value) or [None]):
        set_oauth(draft, {"scope": " ".join(scopes)}, *path)
    else:
        draft.refuse(path, f"must be an array of strings, not {kind_of(value)}.")


def read_tool_approvals(draft: Draft, value: object, *path: str | int) -> None:
    """How single tools are approved."""
    modes = (object_of(value) or {}).values()
    if any((object_of(mode) or {}).get("approval_mode") == "approve" for mode in modes):
        read_approvals(draft, True, *path)


def read_environment(draft: Draft, value: object, *path: str | int) -> None:
    """The machine that the server runs on."""
    if value != "local":
        draft.refuse(path, "is another machine, and this host starts servers on its own only.")


_VARIABLE: Final = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
