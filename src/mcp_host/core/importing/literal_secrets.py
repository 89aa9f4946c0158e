"""Where a literal secret stands in a text: by the key before it, by its shape, or as the password of a URL.

When in doubt the answer is yes, as in `secret_names`: a needless reference costs its owner one variable, a secret that
was taken over is on disk and in version control. The texts are translated already, so `${NAME}` is a reference here.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
from typing import Final

from mcp_host.core.definitions.secret_names import names_a_secret


@dataclass(frozen=True, kw_only=True)
class Span:
    """One literal secret in a text."""

    start: int
    end: int
    key: str
    """What it is called there, "password" in a URL, or "token" where only its shape tells."""


def find_secrets(text: str) -> tuple[Span, ...]:
    """Every literal secret in the text, in order. None overlaps another."""
    found = sorted((*_shaped(text), *_in_urls(text), *_keyed(text)), key=lambda span: (span.start, -span.end))
    spans: list[Span] = []
    for span in found:
        if spans and span.start < spans[-1].end:
            if span.end > spans[-1].end:
                spans[-1] = Span(start=spans[-1].start, end=span.end, key=spans[-1].key)
        else:
            spans.append(span)
    return tuple(spans)


def is_reference(text: str) -> bool:
    """Whether the text is one whole placeholder: a reference of ours, or one that the server fills in itself."""
    return _REFERENCE.fullmatch(text) is not None


def bare_reference(text: str) -> str | None:
    """The variable, where the text is one whole reference with a fallback."""
    match = _FALLBACK.fullmatch(text)
    return None if match is None else match["name"]


def secret_fallbacks(text: str) -> tuple[str, ...]:
    """The references of the text whose fallback is a secret by its shape."""
    found = (match for match in _FALLBACK.finditer(text) if find_secrets(match["fallback"]))
    return tuple(match["name"] for match in found)


def without_fallback(text: str, name: str) -> str:
    """The text with the references to `name` bare."""
    return _FALLBACK.sub(lambda match: f"${{{name}}}" if match["name"] == name else match[0], text)


def after_scheme(text: str) -> tuple[str, str]:
    """A header's value as the scheme of its credential (with the space behind, or empty) and the credential."""
    match = _SCHEME.match(text)
    return (match[0], text[match.end() :]) if match is not None else ("", text)


def is_random(word: str) -> bool:
    """Whether a word of letters and digits was made by no person, judged by how often the kind of character changes.

    A UUID names things more often than it opens them, so it is none.
    """
    if not _WORD.fullmatch(word) or _UUID.fullmatch(word) or not _DIGIT.search(word):
        return False
    if _HEX.fullmatch(word):
        return True
    kinds = ["d" if c.isdigit() else "u" if c.isupper() else "l" for c in word if c.isalnum()]
    changes = sum(before != after for before, after in pairwise(kinds))
    is_mixed = len(set(kinds)) == len("dul")
    return len(kinds) >= (24 if is_mixed else 32) and changes >= 0.45 * len(kinds)


def _shaped(text: str) -> Iterator[Span]:
    for pattern in (_TOKEN, _BEARER, _PRIVATE_KEY):
        for match in pattern.finditer(text):
            yield Span(start=match.start("secret"), end=match.end("secret"), key="token")
    if is_random(text):
        yield Span(start=0, end=len(text), key="token")


def _in_urls(text: str) -> Iterator[Span]:
    for match in _USER_INFO.finditer(text):
        user, password = match["user"], match["password"]
        if password and not is_reference(password):
            yield Span(start=match.start("password"), end=match.end("password"), key="password")
        elif not password and user and is_random(user):
            yield Span(start=match.start("user"), end=match.end("user"), key="token")
    for match in _URL.finditer(text):
        for segment in _SEGMENT.finditer(text, match.start("path"), match.end("path")):
            if is_random(segment[0]):
                yield Span(start=segment.start(), end=segment.end(), key="token")


def _keyed(text: str) -> Iterator[Span]:
    at = 0
    while (match := _KEY.search(text, at)) is not None:
        key, at = match["key"], match.end()
        value = _VALUE.match(text, at) if names_a_secret(key) else None
        if value is None:
            continue
        at = value.end()
        group = next(name for name in ("double", "single", "plain") if value[name] is not None)
        is_prose = group == "plain" and match["between"].endswith(" ") and key.lower() in _IN_PROSE
        if value[group] and value[group].lower() not in _NO_SECRETS and not is_reference(value[group]) and not is_prose:
            yield Span(start=value.start(group), end=value.end(group), key=key)


_NAME: Final = r"[A-Za-z_][A-Za-z0-9_]*"
_REFERENCE: Final = re.compile(rf"\$?\$\{{{_NAME}(?::-)?\}}")
_FALLBACK: Final = re.compile(rf"(?<!\$)\$\{{(?P<name>{_NAME}):-(?P<fallback>[^}}]*)\}}")

_TOKEN: Final = re.compile(
    r"(?<![A-Za-z0-9])(?P<secret>"
    r"gh[pousr]_[A-Za-z0-9]{6,}"
    r"|github_pat_[A-Za-z0-9_]{6,}"
    r"|gl(?:pat|ptt|dt|rt|cbt|soat|oas)-[A-Za-z0-9_.-]{6,}"
    r"|(?:sk|ctx7sk|tvly|pplx|gsk|sbp|nvapi|phx|xai)[-_](?=[A-Za-z_-]{0,64}[0-9])[A-Za-z0-9_-]{8,}"
    r"|sk-(?:proj|ant|or|svcacct|live|test)-[A-Za-z0-9_-]{4,}|[prs]k_(?:live|test)_[A-Za-z0-9]{4,}"
    r"|(?:key|fc)-[0-9a-f]{16,}"
    r"|xox[a-z]-[A-Za-z0-9-]{6,}|xapp-[A-Za-z0-9-]{6,}"
    r"|AIza[A-Za-z0-9_-]{8,}|ya29\.[A-Za-z0-9_-]{8,}|GOCSPX-[A-Za-z0-9_-]{8,}"
    r"|A[KS]IA[A-Z0-9]{12,}"
    r"|hf_[A-Za-z0-9]{8,}|npm_[A-Za-z0-9]{8,}|pypi-[A-Za-z0-9_-]{8,}|dckr_pat_[A-Za-z0-9_-]{8,}"
    r"|ntn_[A-Za-z0-9]{8,}|secret_[A-Za-z0-9]{16,}|lin_(?:api|oauth)_[A-Za-z0-9]{8,}|figd_[A-Za-z0-9_-]{8,}"
    r"|ATATT[A-Za-z0-9_=-]{8,}|do[opr]_v1_[a-f0-9]{8,}|shp(?:at|ca|pa|ss)_[A-Za-z0-9]{8,}|SG\.[A-Za-z0-9_.-]{16,}"
    r"|pat[A-Za-z0-9]{14}\.[A-Za-z0-9]{16,}|re_[A-Za-z0-9]{6,32}_[A-Za-z0-9]{8,}"
    r"|eyJ[A-Za-z0-9_-]{8,2048}\.[A-Za-z0-9_-]{8,}(?:\.[A-Za-z0-9_-]*)?"
    r")"
)
"""Beginnings that issuers of tokens chose to make them known by."""

_BEARER: Final = re.compile(r"\b[Bb][Ee][Aa][Rr][Ee][Rr]\s+(?P<secret>(?!\$?\$\{)[^\s\"',;&]{6,})")
_PRIVATE_KEY: Final = re.compile(r"(?P<secret>-----BEGIN [A-Z ]{0,40}PRIVATE KEY-----.*)", re.DOTALL)

_SCHEME: Final = re.compile(r"(?:bearer|basic|token|apikey|api-key|dpop)\s+", re.IGNORECASE)
_SCHEMES: Final = r"(?:[Bb]earer|[Bb]asic|[Tt]oken|[Aa]pi-?[Kk]ey|DPoP)"

_KEY: Final = re.compile(
    r"(?<![A-Za-z0-9_.-])-{0,2}(?P<key>[A-Za-z0-9_][A-Za-z0-9_.-]*)(?P<between>\\?[\"']?\s{0,8}[=:]\s{0,8})"
)
"""`KEY=`, `--key=`, `"key": `, `key: `."""

_VALUE: Final = re.compile(
    rf"(?:{_SCHEMES}\s+)?"
    r"(?:\\?\"(?P<double>[^\"\\]*)|'(?P<single>[^']*)"
    r"|(?P<plain>(?:\$?\$\{[^}]*\}|,(?![A-Za-z_]{1,64}=)|[^\s\"'&;|<>()$,]|\$(?!\$?\{))+))"
)

_NO_SECRETS: Final = frozenset({"true", "false", "null", "none", "bearer", "basic"})
_IN_PROSE: Final = frozenset({"key", "keys", "pass"})
"""Words that a sentence may have before a colon: "the key: read it first"."""

_USER_INFO: Final = re.compile(
    r"(?<![A-Za-z0-9+.-])[A-Za-z][A-Za-z0-9+.-]{0,30}://"
    r"(?P<user>[^\s/?#@:\"']*)(?::(?P<password>[^\s/?#\"']*))?@"
)
_URL: Final = re.compile(r"(?<![A-Za-z0-9+.-])https?://[^\s/?#\"']*(?P<path>/[^\s?#\"']*)")
_SEGMENT: Final = re.compile(r"[^/]+")
_WORD: Final = re.compile(r"[A-Za-z0-9_+=-]{24,}")
_HEX: Final = re.compile(r"(?=[0-9]*[A-Fa-f])[0-9A-Fa-f]{32,}")
_UUID: Final = re.compile(r"[0-9A-Fa-f]{8}(?:-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12}")
_DIGIT: Final = re.compile(r"[0-9]")
