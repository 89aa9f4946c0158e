"""A launch: a definition with its references resolved, in memory and nowhere else.

Nothing here is shown, logged or stored: what was resolved is kept out of every repr, and `secrets` says what to
redact. Values come from the environment that is handed in, never from the process's own.
"""

from __future__ import annotations

import base64
import binascii
import json
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass, field
from hashlib import sha256
from typing import Final, Literal, cast

from mcp_host.core.definitions.faults import FieldPath, field_name
from mcp_host.core.definitions.models import (
    CLIENT_SECRET,
    BearerAuthorization,
    ClientCredentialsAuthorization,
    HttpDefinition,
    OauthAuthorization,
    StdioDefinition,
    exposed_by,
)
from mcp_host.core.definitions.references import named_references
from mcp_host.core.definitions.resolving import Resolver, with_home
from mcp_host.core.definitions.rules import command_fault, cwd_fault, exposure_fault, header_value_fault, url_fault


@dataclass(frozen=True, kw_only=True)
class StdioLaunch:
    """A process to start."""

    command: str = field(repr=False)
    args: tuple[str, ...] = field(repr=False)
    cwd: str | None = field(repr=False)
    env: Mapping[str, str] = field(repr=False)
    """The whole environment of the process."""
    secrets: frozenset[str] = field(repr=False)
    """Every resolved value that must not be shown."""
    transport: Literal["stdio"] = "stdio"


@dataclass(frozen=True, kw_only=True)
class OauthLaunch:
    """How a person signs in."""

    client_id: str | None = field(repr=False)
    client_secret: str | None = field(repr=False)
    client_metadata_url: str | None = field(repr=False)
    scope: str | None = field(repr=False)
    type: Literal["oauth"] = "oauth"


@dataclass(frozen=True, kw_only=True)
class ClientCredentialsLaunch:
    """How the host signs in as itself."""

    client_id: str = field(repr=False)
    client_secret: str = field(repr=False)
    issuer: str = field(repr=False)
    scope: str | None = field(repr=False)
    type: Literal["client-credentials"] = "client-credentials"


@dataclass(frozen=True, kw_only=True)
class HttpLaunch:
    """A URL to reach."""

    url: str = field(repr=False)
    headers: Mapping[str, str] = field(repr=False)
    """With `Authorization` where a bearer token is given."""
    secrets: frozenset[str] = field(repr=False)
    """Every resolved value that must not be shown."""
    transport: Literal["http", "sse"] = "http"
    authorization: OauthLaunch | ClientCredentialsLaunch | None = None
    """None: nothing beside the headers."""


_NOTHING: Final[Mapping[str, str]] = {}


def prepare_launch(
    alias: str,
    definition: StdioDefinition | HttpDefinition,
    environment: Mapping[str, str],
    *,
    file: str,
    line: int | None,
    fed: Mapping[str, str] = _NOTHING,
    places: Mapping[str, str] = _NOTHING,
) -> StdioLaunch | HttpLaunch:
    """The launch of a definition in this environment.

    `fed` holds what a person's resolver gave for names that the environment lacks. `file` and `line` say where the
    definition stands, and `places` where a top-level field of it does, if that is elsewhere.

    Raises:
        ProblemError: "reference-missing" where a referenced variable is not set, "definition-invalid" where a value
            is resolved to something that no command, URL or header can be.
    """
    place = file if line is None else f"{file}:{line}"
    resolver = Resolver(alias=alias, environment=environment, place=place, places=places, fed=fed)
    if isinstance(definition, StdioDefinition):
        return _stdio_launch(definition, resolver)
    return _http_launch(definition, resolver)


def identity(launch: StdioLaunch | HttpLaunch) -> str:
    """What of a launch forces a reconnect when it changes, as sha256 in hex. Labels and policy are not in it."""
    values = asdict(launch)
    del values["secrets"]
    if isinstance(launch, HttpLaunch):
        values["headers"] = {name.lower(): value for name, value in launch.headers.items()}
    return _digest(values)


@dataclass(frozen=True, kw_only=True)
class Reference:
    """One variable that a field of a connection refers to."""

    field: str
    """As people write it: "env.TOKEN", "args[1]"."""
    name: str
    has_fallback: bool
    """Whether the field does without the variable."""


def definition_references(definition: StdioDefinition | HttpDefinition) -> tuple[Reference, ...]:
    """Every reference that a launch of the definition resolves, each name once a field, in the order of the fields.

    A `~/` at the start of a path is a reference to HOME.
    """
    found: dict[tuple[FieldPath, str], bool] = {}
    for path, text in _texts((), definition.model_dump(include=_CONNECTION_FIELDS)):
        written = with_home(text) if path[0] in {"command", "cwd"} else text
        for name, has_fallback in named_references(written):
            does_without = has_fallback and path not in _CREDENTIALS
            found[path, name] = found.get((path, name), True) and does_without
    return tuple(
        Reference(field=field_name(path), name=name, has_fallback=does_without)
        for (path, name), does_without in found.items()
    )


def connection_fields(definition: StdioDefinition | HttpDefinition) -> dict[str, object]:
    """The part of a definition that a connection is made of, as written: what `identity` is about, unresolved."""
    fields: dict[str, object] = definition.model_dump(include=_CONNECTION_FIELDS)
    if isinstance(definition, HttpDefinition):
        fields["headers"] = {name.lower(): value for name, value in definition.headers.items()}
    return fields


def definition_fingerprint(definition: StdioDefinition | HttpDefinition) -> str:
    """The whole definition as written (nothing resolved, defaults filled in), as sha256 in hex."""
    return _digest(definition.model_dump())


_CONNECTION_FIELDS: Final = {"transport", "command", "args", "cwd", "env", "url", "headers", "authorization"}
_CREDENTIALS: Final[set[FieldPath]] = {("authorization", "token"), ("authorization", "client_secret")}
"""The only fallback that they may have is an empty one, and empty they are useless."""


def _texts(path: FieldPath, value: object) -> Iterator[tuple[FieldPath, str]]:
    """Every text of a dumped definition and where it stands."""
    if isinstance(value, str):
        yield path, value
    elif isinstance(value, Mapping):
        for key, inner in cast("Mapping[str, object]", value).items():
            yield from _texts((*path, key), inner)
    elif isinstance(value, tuple):
        for index, inner in enumerate(cast("tuple[object, ...]", value)):
            yield from _texts((*path, index), inner)


_INHERITED: Final = (
    *("HOME", "LOGNAME", "PATH", "SHELL", "TERM", "USER"),  # what the SDK gives every server
    *("LANG", "LC_ALL", "LC_CTYPE", "TMPDIR"),
)
"""The variables every server gets: enough to find programs and speak the user's language, and nothing of value."""


def _stdio_launch(definition: StdioDefinition, resolver: Resolver) -> StdioLaunch:
    command = resolver.path(("command",), definition.command)
    args = tuple(resolver.text(("args", index), value) for index, value in enumerate(definition.args))
    cwd = None if definition.cwd is None else resolver.path(("cwd",), definition.cwd)
    env = {name: resolver.text(("env", name), value) for name, value in definition.env.items()}
    resolver.finish({("command",): command_fault(command), ("cwd",): None if cwd is None else cwd_fault(cwd)})
    return StdioLaunch(
        command=command,
        args=args,
        cwd=cwd or None,
        env={**_inherited(resolver.environment), **env},
        secrets=frozenset(resolver.secrets),
    )


def _inherited(environment: Mapping[str, str]) -> dict[str, str]:
    """A value that starts with `()` is a shell function in disguise.

    Entries of PATH that are not absolute are left out: they mean the editor's folder, where `#!/usr/bin/env node` would
    find whatever the workspace calls `node`.
    """
    found = {name: environment[name] for name in _INHERITED if name in environment}
    path = ":".join(entry for entry in found.pop("PATH", "").split(":") if entry.startswith("/"))
    found |= {"PATH": path} if path else {}
    return {name: value for name, value in found.items() if not value.startswith("()")}


def _http_launch(definition: HttpDefinition, resolver: Resolver) -> HttpLaunch:
    url = resolver.text(("url",), definition.url)
    headers = {name: resolver.text(("headers", name), value) for name, value in definition.headers.items()}
    faults = {("headers", name): header_value_fault(value) for name, value in headers.items()}
    authorization = None
    match definition.authorization:
        case BearerAuthorization(token=token):
            bearer = resolver.credential(("authorization", "token"), token)
            faults["authorization", "token"] = header_value_fault(bearer)
            headers["Authorization"] = f"Bearer {bearer}"
        case OauthAuthorization() as oauth:
            authorization = _oauth_launch(oauth, resolver)
        case ClientCredentialsAuthorization() as credentials:
            authorization = _client_credentials_launch(credentials, resolver)
        case None:
            pass
    resolver.secrets |= {told for value in headers.values() for told in _told_by_basic(value)}
    secret = exposed_by(definition.authorization, headers)
    exposed = None if secret is None else exposure_fault(url, secret)
    if isinstance(authorization, ClientCredentialsLaunch):
        faults["authorization", "issuer"] = url_fault(authorization.issuer) or exposure_fault(
            authorization.issuer, CLIENT_SECRET
        )
    resolver.finish({("url",): url_fault(url) or exposed, **faults})
    return HttpLaunch(
        url=url,
        headers=headers,
        authorization=authorization,
        secrets=frozenset(resolver.secrets),
        transport=definition.transport,
    )


def _told_by_basic(header: str) -> tuple[str, ...]:
    """What a server reads in `Basic …`, and so may repeat: nobody wrote it in that way."""
    scheme, _, encoded = header.partition(" ")
    if scheme.lower() != "basic":
        return ()
    try:
        told = base64.b64decode(encoded.strip(), validate=True).decode("utf-8", "replace")
    except binascii.Error:
        return ()
    return told, told.partition(":")[2]


def _oauth_launch(oauth: OauthAuthorization, resolver: Resolver) -> OauthLaunch:
    secret = oauth.client_secret
    return OauthLaunch(
        client_id=resolver.optional(("authorization", "client_id"), oauth.client_id),
        client_secret=None if secret is None else resolver.credential(("authorization", "client_secret"), secret),
        client_metadata_url=resolver.optional(("authorization", "client_metadata_url"), oauth.client_metadata_url),
        scope=resolver.optional(("authorization", "scope"), oauth.scope),
    )


def _client_credentials_launch(
    credentials: ClientCredentialsAuthorization, resolver: Resolver
) -> ClientCredentialsLaunch:
    return ClientCredentialsLaunch(
        client_id=resolver.text(("authorization", "client_id"), credentials.client_id),
        client_secret=resolver.credential(("authorization", "client_secret"), credentials.client_secret),
        issuer=resolver.text(("authorization", "issuer"), credentials.issuer),
        scope=resolver.optional(("authorization", "scope"), credentials.scope),
    )


def _digest(values: object) -> str:
    return sha256(json.dumps(values, sort_keys=True, separators=(",", ":")).encode("ascii")).hexdigest()
