"""Takes known secrets out of texts and JSON values before anybody sees, logs or stores them.

A secret is found as itself and in the forms in which it travels: escaped, in whatever way and however often, and in
base64, also inside a longer one (`Authorization: Basic …` holds `user:secret`). It does not know where the secrets come
from, and a secret that somebody changes further (cuts, hashes, spells backwards) is beyond it.
"""

from __future__ import annotations

import base64
import re
import string
from collections.abc import Iterable, Iterator
from typing import Final, cast

from mcp_host.core.escapes import Unescaped, is_escapable, longest_plain_run

MARK: Final = "[redacted]"

MIN_LENGTH: Final = 4
"""Shorter values are no secrets worth the name, and redacting them would tear every text apart."""

_MIN_BASE64_LENGTH: Final = 6
"""Base64 characters that a fragment needs to count as found: shorter ones appear by chance."""

_MIN_RUN_LENGTH: Final = 16
"""A part of a secret that is at least this long is looked for in base64 too: the rest may have been escaped before."""

_MIN_LINE_LENGTH: Final = 8
"""A secret of several lines (a key) is also looked for line by line; shorter lines of it are not telling."""

_BASE64_CHARACTERS: Final = frozenset(string.ascii_letters + string.digits + "+/_-")
_BASE64_REST: Final = re.compile(r"[A-Za-z0-9+/_-]*=*")
_BASE64_BREAK: Final = r"[\r\n]*"
"""MIME wraps base64 at 76 characters: a core is also found across its line breaks."""


class Redactor:
    """Knows a fixed set of secrets. Its repr, and the exceptions it may raise, never hold one."""

    __slots__ = ("_cores", "_count", "_escaped", "_forms")

    def __init__(self, secrets: Iterable[str] = ()) -> None:
        known = frozenset(secret for secret in secrets if len(secret) >= MIN_LENGTH)
        self._count = len(known)
        forms = {form for secret in known for form in _forms(secret) if len(form) >= MIN_LENGTH}
        self._forms = tuple(sorted(forms, key=len, reverse=True))
        self._escaped = tuple(_escaped(forms))
        whole = {part for secret in known for part in (secret, longest_plain_run(secret))}
        encoded = {part for part in whole if part in known or len(part) >= _MIN_RUN_LENGTH}
        cores = sorted({core for part in encoded for core in _base64_cores(part)}, key=len, reverse=True)
        self._cores = (
            re.compile("|".join(_BASE64_BREAK.join(map(re.escape, core)) for core in cores)) if cores else None
        )

    def __repr__(self) -> str:
        return f"Redactor({self._count} secrets)"

    def text(self, text: str) -> str:
        """The text with `MARK` in place of every secret; overlapping ones become one mark."""
        pieces: list[str] = []
        end = 0
        for start, stop in _merged(self._found(text)):
            pieces += (text[end:start], MARK)
            end = stop
        return "".join([*pieces, text[end:]]) if pieces else text

    def value(self, value: object) -> object:
        """A JSON value with every string (names too) and every number that spells a secret redacted."""
        if isinstance(value, str):
            return self.text(value)
        if isinstance(value, dict):
            return self._members(cast("dict[object, object]", value))
        if isinstance(value, (list, tuple)):
            items = [self.value(item) for item in cast("list[object]", value)]
            return items if isinstance(value, list) else tuple(items)
        if isinstance(value, (int, float)) and not isinstance(value, bool) and self.text(str(value)) != str(value):
            return MARK
        return value

    def _members(self, members: dict[object, object]) -> dict[object, object]:
        redacted: dict[object, object] = {}
        for key, member in members.items():
            name = self.value(key)
            while name in redacted:  # two names that held secrets stay two members
                name = f"{name}*"
            redacted[name] = self.value(member)
        return redacted

    def _found(self, text: str) -> Iterator[tuple[int, int]]:
        for form in self._forms:
            yield from _occurrences(form, text)
        if any(run in text for run, _ in self._escaped):  # what takes long is done where it may find something only
            yield from self._found_escaped(Unescaped(text))
        if self._cores:
            yield from _base64_spans(self._cores, text)

    def _found_escaped(self, unescaped: Unescaped) -> Iterator[tuple[int, int]]:
        for _, form in self._escaped:
            for start, stop in _occurrences(form, unescaped.text):
                yield unescaped.span_before(start, stop)


def _occurrences(form: str, text: str) -> Iterator[tuple[int, int]]:
    start = text.find(form)
    while start >= 0:
        yield start, start + len(form)
        start = text.find(form, start + 1)


def _base64_spans(cores: re.Pattern[str], text: str) -> Iterator[tuple[int, int]]:
    """The whole run of base64 around each core. By hand: as one pattern this takes hours on a picture."""
    stop = 0
    for match in cores.finditer(text):
        if match.start() < stop:
            continue
        start = match.start()
        while start > stop and text[start - 1] in _BASE64_CHARACTERS:
            start -= 1
        rest = _BASE64_REST.match(text, match.end())
        stop = rest.end() if rest is not None else match.end()
        yield start, stop


def _merged(spans: Iterable[tuple[int, int]]) -> list[tuple[int, int]]:
    merged: list[tuple[int, int]] = []
    for start, stop in sorted(spans):
        if merged and start < merged[-1][1]:
            merged[-1] = (merged[-1][0], max(stop, merged[-1][1]))
        else:
            merged.append((start, stop))
    return merged


def _forms(secret: str) -> Iterator[str]:
    lines = [line for line in secret.splitlines() if len(line) >= _MIN_LINE_LENGTH]
    for plain in (secret, secret.strip(), *lines):
        yield plain
        yield base64.b64encode(plain.encode("utf-8", "replace")).decode("ascii").rstrip("=")


def _escaped(forms: Iterable[str]) -> Iterator[tuple[str, str]]:
    """The forms that are changed by escaping, unescaped, each behind a part of it that is there in any case."""
    for form in sorted(forms):
        plain = Unescaped(form).text
        if is_escapable(form) and len(plain) >= MIN_LENGTH:
            yield longest_plain_run(plain), plain


def _base64_cores(secret: str) -> Iterator[str]:
    """What is always there when the secret stands in base64, for each of the three ways it can be aligned."""
    octets = secret.encode("utf-8", "replace")
    for lead in range(3):
        encoded = base64.b64encode(b"\0" * lead + octets).decode("ascii")
        # The characters at the edges share bits with whatever stands beside the secret.
        first = -(-lead * 8 // 6)
        last = (lead + len(octets)) * 8 // 6
        core = encoded[first:last]
        if len(core) >= _MIN_BASE64_LENGTH:
            yield core
            yield core.replace("+", "-").replace("/", "_")
