"""Server definitions as written: a closed union on `transport`, with every reference unresolved.

A model holds nothing but what the file says and its defaults: it knows no alias, file or environment. Whatever can be
refused without resolving a reference is refused here, so a `Definition` holds no literal credential.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace
from typing import Annotated, Final, Literal, TypeVar

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, model_validator
from typing_extensions import Self

from mcp_host.core.definitions import rules
from mcp_host.core.definitions.faults import Fault, FieldPath, refusal


def is_alias(text: str) -> bool:
    """Whether `text` may name a server: `[a-z][a-z0-9-]*`, at most 32 characters."""
    return _ALIAS.fullmatch(text) is not None


_ALIAS: Final = re.compile(r"[a-z][a-z0-9-]{0,31}")
_SUBSET_HINT: Final = "Add it to tools, or remove it here."
_Value = TypeVar("_Value")


def _text(text: str) -> str:
    return _passed(text, rules.text_fault(text))


def _command(text: str) -> str:
    return _passed(text, rules.written_command_fault(text))


def _cwd(text: str) -> str:
    return _passed(text, rules.written_cwd_fault(text))


def _url(text: str) -> str:
    return _passed(text, rules.written_url_fault(text))


def _credential(text: str) -> str:
    return _passed(text, rules.credential_fault(text))


def _env(env: Mapping[str, str]) -> Mapping[str, str]:
    return _passed(env, *rules.env_faults(env))


def _headers(headers: Mapping[str, str]) -> Mapping[str, str]:
    return _passed(headers, *rules.header_faults(headers))


def _passed(value: _Value, *faults: Fault | None) -> _Value:
    found = [fault for fault in faults if fault is not None]
    if found:
        raise refusal(*found)
    return value


Name = Annotated[str, Field(strict=True, min_length=1)]
"""A raw tool name or argument name, exactly as the server spells it."""
Label = Annotated[str, Field(strict=True)]
Text = Annotated[str, Field(strict=True), AfterValidator(_text)]
"""A text in which references may stand."""
Credential = Annotated[str, Field(strict=True), AfterValidator(_credential)]
"""Exactly one reference."""
Url = Annotated[Text, AfterValidator(_url)]
Switch = Annotated[bool, Field(strict=True)]
Seconds = Annotated[float, Field(strict=True, gt=0, allow_inf_nan=False)]


class _Closed(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", hide_input_in_errors=True)


class Reconnect(_Closed):
    """How often a lost connection is tried again before the server counts as failed."""

    enabled: Switch = True
    initial_delay_seconds: Seconds = 0.5
    max_delay_seconds: Seconds = 30.0
    max_attempts: Annotated[int, Field(strict=True, ge=0)] = 10
    """Attempts after one loss; 0 means none."""

    @model_validator(mode="after")
    def _delays_grow(self) -> Self:
        if self.initial_delay_seconds > self.max_delay_seconds:
            path = ("initial_delay_seconds",)
            hint = "Write an initial delay that is at most the maximum (30 where it is not given)."
            raise refusal(Fault(path=path, text="must not be longer than max_delay_seconds", hint=hint))
        return self


class Pair(_Closed):
    """Two tools of the server that preview and execute the same thing."""

    preview: Name
    execute: Name
    receipt: Name = "receipt"
    """The argument of `execute` that takes the receipt which `preview` returned."""

    @model_validator(mode="after")
    def _two_tools(self) -> Self:
        if self.preview == self.execute:
            hint = "Name the tool that only shows in preview and the one that acts in execute."
            raise refusal(Fault(path=("execute",), text="must be another tool than preview", hint=hint))
        return self


class BearerAuthorization(_Closed):
    """A fixed token sent with every request."""

    type: Literal["bearer"]
    token: Credential


class OauthAuthorization(_Closed):
    """A person signs in through the browser."""

    type: Literal["oauth"]
    client_id: Text | None = None
    """A client registered beforehand; None: by the metadata document, or by registration if it is advertised."""
    client_secret: Credential | None = None
    client_metadata_url: Url | None = None
    scope: Text | None = None

    @model_validator(mode="after")
    def _secret_has_its_client(self) -> Self:
        if self.client_secret is not None and self.client_id is None:
            hint = "Write the client_id that the secret belongs to, or remove the secret."
            raise refusal(Fault(path=("client_secret",), text="needs client_id", hint=hint))
        return self


class ClientCredentialsAuthorization(_Closed):
    """The host signs in as itself, without a person."""

    type: Literal["client-credentials"]
    client_id: Text
    client_secret: Credential
    issuer: Url
    """The authorization server the secret belongs to: it is sent nowhere else, whatever the server claims."""
    scope: Text | None = None


Authorization = Annotated[
    BearerAuthorization | OauthAuthorization | ClientCredentialsAuthorization, Field(discriminator="type")
]


class _Served(_Closed):
    """What both transports have in common: labels, policy and waiting."""

    tools: tuple[Name, ...] | None = None
    """The enabled tools by raw name; None: all, empty: none."""
    read: tuple[Name, ...] = ()
    """Tools that may run without review."""
    summary: Label | None = None
    tool_summaries: Mapping[Name, Label] = {}
    enabled: Switch = True
    """Whether the server may be connected at all."""
    autostart: Switch = False
    """Connect when the editor is idle after its start; otherwise on first need."""
    connect_timeout_seconds: Seconds = 30.0
    request_timeout_seconds: Seconds = 60.0
    always_listed: tuple[Name, ...] = ()
    """Tools that are never deferred."""
    reconnect: Reconnect = Reconnect()
    pairs: tuple[Pair, ...] = ()
    """Preview and execute tools; empty: found by their names."""

    @model_validator(mode="after")
    def _chosen_from_tools(self) -> Self:
        if self.tools is None:
            return self
        enabled = frozenset(self.tools)
        faults = [
            Fault(path=(field, index), text="names a tool that is not in tools", hint=_SUBSET_HINT, against="tools")
            for field, names in (("read", self.read), ("always_listed", self.always_listed))
            for index, name in enumerate(names)
            if name not in enabled
        ]
        return _passed(self, *faults)


class StdioDefinition(_Served):
    """A server that the host starts as a process."""

    transport: Literal["stdio"] = "stdio"
    command: Annotated[Text, AfterValidator(_command)]
    """One exact executable, by its name on PATH or by its absolute path; no shell ever sees it."""
    args: tuple[Text, ...] = ()
    cwd: Annotated[Text, AfterValidator(_cwd)] | None = None
    """An absolute path once its references are resolved. None: the folder that the editor was started in."""
    env: Annotated[Mapping[str, Text], AfterValidator(_env)] = {}
    """Added to the small safe base that every server gets."""


class HttpDefinition(_Served):
    """A server that is reached over HTTP; `sse` is the older binding."""

    transport: Literal["http", "sse"] = "http"
    url: Url
    headers: Annotated[Mapping[str, Text], AfterValidator(_headers)] = {}
    authorization: Authorization | None = None

    @model_validator(mode="after")
    def _one_authorization(self) -> Self:
        named = next((name for name in self.headers if name.lower() == "authorization"), None)
        if self.authorization is None or named is None:
            return self
        text, hint = "stands beside authorization, which sets it", "Keep one of the two."
        raise refusal(Fault(path=("headers", named), text=text, hint=hint, against="authorization"))

    @model_validator(mode="after")
    def _no_secret_in_the_clear(self) -> Self:
        secret = exposed_by(self.authorization, self.headers)
        faults = [] if secret is None else [at(("url",), rules.written_exposure_fault(self.url, secret))]
        sender = "headers" if self.authorization is None else "authorization"
        faults = [fault and replace(fault, against=sender) for fault in faults]
        if isinstance(self.authorization, ClientCredentialsAuthorization):
            fault = rules.written_exposure_fault(self.authorization.issuer, CLIENT_SECRET)
            faults.append(at(("authorization", "issuer"), fault))
        return _passed(self, *faults)


CLIENT_SECRET: Final = "client_secret"


def exposed_by(authorization: object | None, headers: Mapping[str, str]) -> str | None:
    """What of a definition or a launch must not be sent in the clear, in words; None: nothing."""
    if authorization is not None:
        return "what `authorization` sends"
    header = rules.secret_header(headers)
    return None if header is None else f"the header {header}"


def at(path: FieldPath, fault: Fault | None) -> Fault | None:
    """The fault, with the field that it is about."""
    return None if fault is None else replace(fault, path=path)


Definition = Annotated[StdioDefinition | HttpDefinition, Field(discriminator="transport")]
