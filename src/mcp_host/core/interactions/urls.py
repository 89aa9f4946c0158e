"""What a person must see of an address before going there: its host, and whatever could make it look like another.

Nothing here opens or asks for anything. An address is read as browsers do, and where two of them could read it in two
ways it is not offered for opening at all.
"""

from __future__ import annotations

import ipaddress
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from mcp_host.core.redaction import MARK

OPENABLE: Final = frozenset({"http", "https"})
"""Schemes that a browser is handed. Any other may start a program or run what is in it."""

OPENABLE_LENGTH: Final = 8_000
"""Characters of an address that a browser is handed. It is what everybody on the way has to take (RFC 9110, 4.1), and
far more than a person reads; a longer one would only be carried to and fro."""


@dataclass(frozen=True, kw_only=True)
class UrlFacts:
    """An address in three pieces, which together are the address as it came."""

    url: str
    before: str
    host: str
    """What decides where it leads; empty where that cannot be told."""
    after: str
    can_open: bool
    cautions: tuple[str, ...]
    """Each the rest of a sentence about the address."""


def read_url(url: str) -> UrlFacts:
    """The address, whatever the text is."""
    match = _PLACE.match(url)
    if match is not None and len(match["host"]) > _HOST_LENGTH:
        match = None
    start, end = match.span("host") if match is not None else (len(url), len(url))
    host = url[start:end]
    refused = tuple(_refused(url, match, host))
    return UrlFacts(
        url=url,
        before=url[:start],
        host=host,
        after=url[end:],
        can_open=not refused,
        cautions=(*refused, *(_doubtful(match, host) if match is not None else ())),
    )


_PLACE: Final = re.compile(
    r"(?P<scheme>[A-Za-z][A-Za-z0-9+.-]*)://(?P<user>[^/?#]*@)?(?P<host>\[[^\]/?#]*\]|[^:/?#]*)(?P<port>:[^/?#]*)?"
)
_ODD: Final = re.compile(r"[\s\\\x00-\x1f\x7f-\x9f\"<>^`{|}\ud800-\udfff]")
_PORT: Final = re.compile(r":[0-9]{1,5}")
_HOST: Final = re.compile(r"[\w.-]+|\[[0-9A-Fa-f:.]+\]")
_NUMBER: Final = re.compile(r"(?:0[xX][0-9A-Fa-f]*|[0-9]+)(?:\.(?:0[xX][0-9A-Fa-f]*|[0-9]+))*\.?")
_LOCAL: Final = re.compile(r"localhost\.?|[\w.-]+\.localhost\.?", re.IGNORECASE)
_LABEL_LIMIT: Final = 63

_HOST_LENGTH: Final = 253
"""No name is longer (RFC 1035), so that nobody is led to such a one."""


def _refused(url: str, match: re.Match[str] | None, host: str) -> Iterator[str]:
    """Why it is not offered for opening."""
    scheme = url.partition(":")[0].lower()
    if scheme not in OPENABLE or ":" not in url:
        yield "is no http or https address, so it is not opened from here"
    elif match is None or not host:
        yield "names no host that there could be, so it is not opened from here"
    elif not _HOST.fullmatch(host) or not _PORT.fullmatch(match["port"] or ":0"):
        yield "has a host or a port that can be read in two ways, so it is not opened from here"
    if MARK in url:
        yield f"holds what the server was told in confidence, shown as {MARK}, so it is not opened from here"
    if len(url) > OPENABLE_LENGTH:
        yield f"has {len(url):,} characters, which is too long, so it is not opened from here"
    elif _ODD.search(url) or not url.isprintable():
        yield "holds characters that no address has, such as blanks, so it is not opened from here"


def _doubtful(match: re.Match[str], host: str) -> Iterator[str]:
    """What a person should think about first."""
    if match["user"] is not None:
        yield f"has a user name before its host: it leads to {host}, whatever stands before the @"
    if not host.isascii():
        yield "has a host with letters that may look like others"
    punycode = [label for label in host.split(".") if label.lower().startswith("xn--")]
    if punycode:
        read = ".".join(map(_decoded, host.split(".")))
        yield f"has a host in Punycode, which browsers show as {read}: its letters may look like others"
    is_local = _LOCAL.fullmatch(host) is not None or _is_loopback(host)
    if is_local:
        yield "leads to a program on this machine"
    elif _NUMBER.fullmatch(host) or host.startswith("["):
        yield "names its host by a number"
    if match["scheme"].lower() == "http" and not is_local:
        yield "is not encrypted: others can read what you enter there"


def _decoded(label: str) -> str:
    if not label.lower().startswith("xn--") or len(label) > _LABEL_LIMIT:
        return label
    try:
        return label[4:].encode("ascii").decode("punycode")
    except UnicodeError:
        return label


def _is_loopback(host: str) -> bool:
    try:
        return ipaddress.ip_address(host.strip("[]")).is_loopback
    except ValueError:
        return False
