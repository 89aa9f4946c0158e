"""The rows of the matrix of trust: every field of every kind of definition, with a change of it."""

from __future__ import annotations

from collections.abc import Iterator
from copy import deepcopy
from dataclasses import dataclass
from typing import Any, Final, cast, get_args

from pydantic import BaseModel

Path_ = tuple[str | int, ...]
Table = dict[str, Any]

REMOVED: Final = object()
"""In place of a value: the field is taken away."""

_COMMON: Final[Table] = {
    "tools": ["echo", "process"],
    "read": ["process"],
    "summary": "Notes",
    "tool_summaries": {"echo": "Says it again"},
    "enabled": True,
    "autostart": False,
    "connect_timeout_seconds": 20.0,
    "request_timeout_seconds": 20.0,
    "always_listed": ["echo"],
    "reconnect": {"enabled": True, "initial_delay_seconds": 0.5, "max_delay_seconds": 30.0, "max_attempts": 10},
    "pairs": [{"preview": "process", "execute": "echo", "receipt": "text"}],
}
_REMOTE: Final[Table] = {
    "transport": "http",
    "url": "http://127.0.0.1:@port@/mcp?team=${TRAP_TEAM}",
    "headers": {"X-Team": "${TRAP_TEAM}"},
    **_COMMON,
}

BASES: Final[dict[str, Table]] = {
    "stdio": {
        "transport": "stdio",
        "command": "@folder@/trap",
        "args": ["${TRAP_ARGUMENT}"],
        "cwd": "${TRAP_FOLDER}",
        "env": {"TOKEN": "${TRAP_TOKEN}", "MCP_WIRE": "@folder@/wire"},
        **_COMMON,
    },
    "bearer": {**_REMOTE, "authorization": {"type": "bearer", "token": "${TRAP_TOKEN}"}},
    "oauth": {
        **_REMOTE,
        "authorization": {
            "type": "oauth",
            "client_id": "${TRAP_CLIENT}",
            "client_secret": "${TRAP_SECRET}",
            "client_metadata_url": "https://example.test/${TRAP_TEAM}",
            "scope": "${TRAP_SCOPE}",
        },
    },
    "client-credentials": {
        **_REMOTE,
        "authorization": {
            "type": "client-credentials",
            "client_id": "${TRAP_CLIENT}",
            "client_secret": "${TRAP_SECRET}",
            "issuer": "https://example.test/${TRAP_TEAM}",
            "scope": "${TRAP_SCOPE}",
        },
    },
}
"""A definition that gives every field, of a program and of each way to authorize."""

VARIABLES: Final = {
    **{f"TRAP_{name}": f"{name.lower()}-value" for name in ("ARGUMENT", "TOKEN", "TEAM", "CLIENT", "SECRET", "SCOPE")},
    **{f"TRAP_OTHER_{name}": f"other-{name.lower()}" for name in ("ARGUMENT", "TOKEN", "TEAM", "CLIENT", "SECRET")},
    "TRAP_OTHER_SCOPE": "other-scope",
}
"""What the definitions refer to; the folders are added to them."""


@dataclass(frozen=True, kw_only=True)
class Change:
    """One field of an approved definition that says something else."""

    base: str
    """The key in `BASES`."""
    path: Path_
    value: object
    ends: str
    """The status, or the type of the problem, that enabling the server comes to after the new yes."""

    def __str__(self) -> str:
        return "-".join((self.base, *(str(part) for part in self.path if part != 0)))

    @property
    def before(self) -> str:
        """What enabling comes to before the change."""
        return "ready" if self.base in ("stdio", "bearer") else "authorization-required"

    @property
    def field(self) -> tuple[str, ...]:
        """The field as `fields_of` names it."""
        names = [part for part in self.path if isinstance(part, str)]
        if names[0] == "authorization" and len(names) > 1:
            names.insert(1, self.base)
        return ("stdio" if self.base == "stdio" else "http", *names)

    def table(self) -> Table:
        """The definition with the change."""
        return with_value(BASES[self.base], self.path, self.value)


def with_value(table: Table, path: Path_, value: object) -> Table:
    """A copy of the table that says something else there, or nothing."""
    copy = deepcopy(table)
    holder: Any = copy
    for part in path[:-1]:
        holder = holder[part]
    if value is REMOVED:
        del holder[path[-1]]
    else:
        holder[path[-1]] = value
    return copy


def fields_of(model: type[BaseModel], prefix: tuple[str, ...]) -> Iterator[tuple[str, ...]]:
    """Every field of a model and of the models inside it; of several, by the type that tells them apart."""
    for name, info in model.model_fields.items():
        yield (*prefix, name)
        for inner in _models_in(info.annotation):
            tag = inner.model_fields.get("type")
            arm = cast("tuple[str, ...]", get_args(tag.annotation)) if tag is not None else ()
            yield from fields_of(inner, (*prefix, name, *arm))


def _models_in(annotation: object) -> Iterator[type[BaseModel]]:
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        yield annotation
    for inner in get_args(annotation):
        yield from _models_in(inner)


_OF_BOTH: Final[dict[Path_, tuple[object, str]]] = {
    ("tools",): (["echo", "process", "more"], "ready"),
    ("read",): (["process", "echo"], "ready"),
    ("summary",): ("Other notes", "ready"),
    ("tool_summaries",): ({"echo": "Something else"}, "ready"),
    ("enabled",): (False, "server-disabled"),
    ("autostart",): (True, "ready"),
    ("connect_timeout_seconds",): (21.0, "ready"),
    ("request_timeout_seconds",): (21.0, "ready"),
    ("always_listed",): (["process"], "ready"),
    ("reconnect",): (REMOVED, "ready"),
    ("reconnect", "enabled"): (False, "ready"),
    ("reconnect", "initial_delay_seconds"): (0.6, "ready"),
    ("reconnect", "max_delay_seconds"): (31.0, "ready"),
    ("reconnect", "max_attempts"): (11, "ready"),
    ("pairs",): (REMOVED, "ready"),
    ("pairs", 0, "preview"): ("more", "ready"),
    ("pairs", 0, "execute"): ("more", "ready"),
    ("pairs", 0, "receipt"): ("receipt", "ready"),
}
_CHANGED: Final[dict[str, dict[Path_, tuple[object, str]]]] = {
    "stdio": {
        ("transport",): (REMOVED, "ready"),
        ("command",): ("@folder@/other-trap", "ready"),
        ("args",): (["${TRAP_OTHER_ARGUMENT}"], "ready"),
        ("cwd",): ("${TRAP_OTHER_FOLDER}", "ready"),
        ("env",): ({"TOKEN": "${TRAP_OTHER_TOKEN}", "MCP_WIRE": "@folder@/wire"}, "ready"),
        **_OF_BOTH,
    },
    "bearer": {
        ("transport",): ("sse", "server-unavailable"),
        ("url",): ("http://127.0.0.1:@port@/other?team=${TRAP_OTHER_TEAM}", "ready"),
        ("headers",): ({"X-Team": "${TRAP_OTHER_TEAM}"}, "ready"),
        ("authorization",): (REMOVED, "ready"),
        ("authorization", "type"): ("oauth", "definition-invalid"),
        ("authorization", "token"): ("${TRAP_OTHER_TOKEN}", "ready"),
        **_OF_BOTH,
    },
    "oauth": {
        ("authorization", "type"): ("bearer", "definition-invalid"),
        ("authorization", "client_id"): ("${TRAP_OTHER_CLIENT}", "authorization-required"),
        ("authorization", "client_secret"): ("${TRAP_OTHER_SECRET}", "authorization-required"),
        ("authorization", "client_metadata_url"): ("https://example.test/other", "authorization-required"),
        ("authorization", "scope"): ("${TRAP_OTHER_SCOPE}", "authorization-required"),
    },
    "client-credentials": {
        ("authorization", "type"): ("oauth", "definition-invalid"),
        ("authorization", "client_id"): ("${TRAP_OTHER_CLIENT}", "authorization-required"),
        ("authorization", "client_secret"): ("${TRAP_OTHER_SECRET}", "authorization-required"),
        ("authorization", "issuer"): ("https://other.test", "authorization-required"),
        ("authorization", "scope"): ("${TRAP_OTHER_SCOPE}", "authorization-required"),
    },
}

CHANGES: Final = tuple(
    Change(base=base, path=path, value=value, ends=ends)
    for base, changed in _CHANGED.items()
    for path, (value, ends) in changed.items()
)
