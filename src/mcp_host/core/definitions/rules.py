"""What a single value of a definition may be: commands, URLs, headers, environment variables, credentials.

Each rule answers with faults and is asked twice where references are allowed: about the text in the file, with every
reference standing for something sensible, and about the resolved text while a launch is prepared.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from ipaddress import IPv4Address, IPv4Network, IPv6Address, ip_address
from typing import Final
from urllib.parse import urlsplit

from mcp_host.core.definitions.faults import Fault
from mcp_host.core.definitions.references import (
    has_malformed_reference,
    is_credential_reference,
    reference_names,
    replace_references,
)
from mcp_host.core.definitions.secret_names import holds_no_literal, names_a_secret, variable_for

WITHHELD_VARIABLES: Final = frozenset({"NVIM", "NVIM_LISTEN_ADDRESS"})
"""The editor's own address: a server that holds it can drive the editor, so no server is given it."""


def text_fault(text: str) -> Fault | None:
    """A text in which references may stand must hold no NUL and nothing that only looks like a reference."""
    if "\0" in text:
        return Fault(text="holds a NUL character", hint="Remove it: no program or server can be given one.")
    if (fault := withheld_fault(text)) is not None:
        return fault
    if has_malformed_reference(text):
        hint = "Write `${NAME}` or `${NAME:-fallback}` (they do not nest), or `$${` for a literal `${`."
        return Fault(text="holds a `${` that starts no reference", hint=hint)
    return None


def withheld_fault(text: str) -> Fault | None:
    """No reference hands the editor to a server."""
    names = [name for name in reference_names(text) if name in WITHHELD_VARIABLES]
    if not names:
        return None
    hint = "Remove the reference: with it, a server could drive the editor."
    return Fault(text=f"refers to {names[0]}, the editor's own address, which is never given to a server", hint=hint)


def written_command_fault(text: str) -> Fault | None:
    """`command_fault` of a text in which references may stand."""
    shape = _path_shape(text)
    if shape.startswith("\0"):  # the reference may hold an absolute path
        return _command_line_fault(shape.replace("\0", "x"))
    return command_fault(shape.replace("\0", "x"))


def command_fault(text: str) -> Fault | None:
    """A command is the name or the absolute path of one executable."""
    fault = _command_line_fault(text)
    if fault is None and "/" in text and not text.startswith("/"):
        return Fault(
            text="is a relative path, which would run whatever the editor's folder holds",
            hint='Write the whole path (it may start with `~/`), or a name to look up on PATH: `command = "npx"`.',
        )
    return fault


def written_cwd_fault(text: str) -> Fault | None:
    """`cwd_fault` of a text in which references may stand."""
    shape = _path_shape(text)
    return None if shape.startswith("\0") else cwd_fault(shape)


def cwd_fault(text: str) -> Fault | None:
    """A working directory is absolute; empty, it is as if it were not given."""
    if not text or text.startswith("/"):
        return None
    return Fault(
        text="is a relative path, which depends on the folder that the editor was started in",
        hint='Write the whole path, as in `cwd = "/srv/work"` or `cwd = "~/work"`.',
    )


def _path_shape(text: str) -> str:
    """What a person wrote, with NUL for a reference that may be the start of an absolute path, and `~/` as `/`."""
    shape = replace_references(text, "\0")
    if shape == "~" or shape.startswith(("\0/", "~/")):
        return shape[1:] or "/"
    return shape


_WITH_OPTION: Final = re.compile(r"/\S+\s+--?[A-Za-z]")
"""A path with an option behind it. A path may hold blanks, so those alone say nothing."""


def _command_line_fault(text: str) -> Fault | None:
    if not text.strip():
        return Fault(text="is empty", hint='Write the executable, as in `command = "npx"`.')
    if (_SPACE.search(text) and not text.startswith("/")) or _WITH_OPTION.match(text):
        return Fault(
            text="must be one executable, not a command line (no shell reads it)",
            hint='Write its arguments in args, as in `command = "npx"` and `args = ["-y", "some-server"]`.',
        )
    return None


def written_url_fault(text: str) -> Fault | None:
    """`url_fault` of a text in which references may stand; one at the start may hold everything up to the path."""
    if replace_references(text, "\0").startswith("\0"):
        return None
    return url_fault(replace_references(text, "1"))


def url_fault(text: str) -> Fault | None:
    """A URL is http or https, names a host and holds no credential before it."""
    hint = "Write it as `https://host/path`."
    if _NOT_IN_URL.search(text):
        return Fault(text="holds a space or a control character", hint=hint)
    try:
        parts = urlsplit(text)
        host, _ = parts.hostname, parts.port
    except ValueError:
        return Fault(text="is not a URL", hint=hint)
    if parts.scheme not in {"http", "https"}:
        return Fault(text="must start with http:// or https://", hint=hint)
    if not host:
        return Fault(text="names no host", hint=hint)
    if "@" in parts.netloc:
        return Fault(
            text="holds a user name or password before its host",
            hint='Leave it out and write `headers = { Authorization = "Basic ${CREDENTIALS}" }`.',
        )
    return None


def written_exposure_fault(url: str, what: str) -> Fault | None:
    """`exposure_fault` of a URL in which references may stand; nothing where they hide its scheme or host."""
    shape = replace_references(url, "\0")
    authority = re.match(r"[^/?#]*//[^/?#]*", shape)
    if authority is None or "\0" in authority[0]:
        return None
    return exposure_fault(shape.replace("\0", "1"), what)


def exposure_fault(url: str, what: str) -> Fault | None:
    """What is secret goes unencrypted to no other machine. `what` says what would: "the header X-Api-Key"."""
    try:
        parts = urlsplit(url)
        exposed = parts.scheme == "http" and not _is_loopback(parts.hostname or "")
    except ValueError:
        return None  # `url_fault` says so
    if not exposed:
        return None
    return Fault(
        text=f"must start with https://: over http:// anybody on the way could read {what}",
        hint="Write it as `https://host/path`. Plain http is for this machine alone (localhost, 127.0.0.1, [::1]).",
    )


def secret_header(headers: Mapping[str, str]) -> str | None:
    """The first header that holds a secret, judged by its name."""
    return next((name for name, value in headers.items() if value and names_a_secret(name)), None)


def _is_loopback(host: str) -> bool:
    try:
        address = ip_address(host)
    except ValueError:
        return host == "localhost"
    return address in _LOOPBACK_V4 if isinstance(address, IPv4Address) else address == _LOOPBACK_V6


def credential_fault(text: str) -> Fault | None:
    """A credential is one whole reference, without a fallback."""
    if is_credential_reference(text):
        return withheld_fault(text)
    return Fault(
        text="must be one whole reference, so that no credential stands in the file",
        hint='Put the value into an environment variable and write `"${NAME}"`, with nothing around it.',
    )


def env_faults(env: Mapping[str, str]) -> tuple[Fault, ...]:
    """Names a process can be given, none that is withheld, no literal secret."""
    faults: list[Fault] = []
    for key, value in env.items():
        if not key or "=" in key or "\0" in key:
            hint = 'Write the variable\'s name as the key, as in `env = { LOG_LEVEL = "debug" }`.'
            faults.append(Fault(path=(key,), text="is not the name of an environment variable", hint=hint))
        elif key in WITHHELD_VARIABLES:
            hint = "Remove it: with it, a server could drive the editor."
            faults.append(Fault(path=(key,), text="is never given to a server", hint=hint))
        elif names_a_secret(key) and not holds_no_literal(value):
            faults.append(_literal_secret(key))
    return tuple(faults)


def header_faults(headers: Mapping[str, str]) -> tuple[Fault, ...]:
    """Names HTTP allows, each once whatever its case, no literal secret and no literal `Authorization`."""
    faults: list[Fault] = []
    seen: set[str] = set()
    for key, value in headers.items():
        if not _HEADER_NAME.fullmatch(key):
            hint = "Write letters, digits and hyphens, as in `X-Team`."
            faults.append(Fault(path=(key,), text="is not the name of a header", hint=hint))
        elif key.lower() in seen:
            hint = "Keep one of them: the case of a header's name means nothing."
            faults.append(Fault(path=(key,), text="is given twice", hint=hint))
        elif (fault := header_value_fault(value)) is not None:
            faults.append(Fault(path=(key,), text=fault.text, hint=fault.hint))
        elif key.lower() == "authorization" and not holds_no_literal(value):
            hint = 'Put the token into an environment variable and write `authorization = { type = "bearer", '
            hint += 'token = "${NAME}" }` instead of the header.'
            faults.append(Fault(path=(key,), text="must not stand in the file as a literal", hint=hint))
        elif names_a_secret(key) and not holds_no_literal(value):
            faults.append(_literal_secret(key))
        seen.add(key.lower())
    return tuple(faults)


def header_value_fault(value: str) -> Fault | None:
    """A header is one line."""
    if not _LINE_BREAK.search(value):
        return None
    return Fault(text="holds a line break or a NUL", hint="Keep the value on one line; look for one at its end.")


_LOOPBACK_V4: Final = IPv4Network("127.0.0.0/8")
_LOOPBACK_V6: Final = IPv6Address("::1")
_SPACE: Final = re.compile(r"\s")
_NOT_IN_URL: Final = re.compile(r"[\s\x00-\x1f\x7f]")
_HEADER_NAME: Final = re.compile(r"[A-Za-z0-9!#$%&'*+.^_`|~-]+")
_LINE_BREAK: Final = re.compile(r"[\r\n\x00]")


def _literal_secret(key: str) -> Fault:
    return Fault(
        path=(key,),
        text="names a secret, and a secret must not stand in the file as a literal",
        hint=f'Put the value into an environment variable and write `"${{{variable_for(key)}}}"`.',
    )
