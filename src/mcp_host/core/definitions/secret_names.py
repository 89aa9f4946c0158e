"""Which keys name a secret, so that a literal value under them is refused.

A key is read word by word (`X-Api-Key`, `apiKey` and `API_KEY` are the same words), so `MONKEY` and `KEYBOARD` name
nothing. The last word says what the value is: `SSH_KEY_PATH` is a path and `TOKEN_LIMIT` a number. When in doubt the
answer is yes: a refused name costs its owner one variable, an accepted secret is on disk and in version control.
"""

from __future__ import annotations

import re
from typing import Final

from mcp_host.core.definitions.references import is_credential_reference


def names_a_secret(key: str) -> bool:
    """Whether the value under this header or environment variable is a credential, judged by the key alone."""
    words = tuple(word.lower() for word in _WORD.findall(key))
    if not words or words in _NAMES_OF_FILES:
        return False
    if _DESCRIBING.fullmatch(words[-1]) or _SWITCHING.fullmatch(words[0]):
        return False
    return any(_is_secret_word(words, index) for index in range(len(words)))


def holds_no_literal(value: str) -> bool:
    """Whether a credential's value is empty or one whole reference, after an authorization scheme at most."""
    scheme, space, rest = value.partition(" ")
    if space and scheme.lower() in _SCHEMES:
        return is_credential_reference(rest.strip())
    return not value or is_credential_reference(value)


def variable_for(key: str) -> str:
    """The environment variable one would keep the value of `key` in."""
    name = re.sub(r"[^A-Za-z0-9]+", "_", key).strip("_").upper()
    return name if name and not name[0].isdigit() else f"_{name}"


_WORD: Final = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+")

_SCHEMES: Final = frozenset({"bearer", "basic", "token", "apikey", "api-key", "dpop"})
"""Words before a credential in a header that are no part of it."""

_ALWAYS: Final = re.compile(
    "token|secret|secrets|password|passwords|passwd|passphrase|passcode|credential|credentials|cred|creds"
    "|bearer|jwt|cookie|authorization"
)
"""Secret wherever they stand. Not "tokens": `MAX_TOKENS` counts."""

_ALWAYS_AS_ENDING: Final = re.compile(
    r".*(?:token|secret|password|passwd|passphrase|credentials?|apikey|secretkey|accesskey|privatekey)"
)
"""Written together with what comes before: `PGPASSWORD`, `authtoken`, `apikey`."""

_AT_THE_END: Final = frozenset({"key", "keys", "pass"})
"""Secret as the last word only."""

_AT_THE_END_OF_MORE: Final = frozenset({"pwd", "pat"})
"""Secret as the last of several words: `DB_PWD`, `GITHUB_PAT`; `PWD` is the working directory."""

_BEFORE_KEY: Final = re.compile("api|access|private|secret|auth|signing|encryption|master|service|subscription")
"""With one of these before it, a key is secret wherever it stands: `API_KEY_PROD`."""

_OF_PLAIN_KEYS: Final = re.compile(
    "public|sort|primary|foreign|partition|cache|index|hot|shortcut|leader|row|map|object|idempotency"
)
"""Kinds of keys that are no credential."""

_DESCRIBING: Final = re.compile(
    "path|file|filename|dir|directory|folder|url|uri|endpoint|host|port|id|name|names|type|kind|limit|count"
    "|size|length|ttl|expiry|expires|expiration|timeout|seconds|minutes|hours|days|ms|algorithm|alg|format"
    "|header|prefix|suffix|policy|mode|version|enabled|disabled|required|store|provider|manager|vault|sock"
    "|socket|helper|command|cmd|rotation|budget|usage|env|issuer|audience|scope|scopes|region|alias|encoding"
    "|field|column"
)
"""As the last word, these say that the value is about a secret and not the secret itself."""

_SWITCHING: Final = re.compile("use|no|require|requires|enable|disable|skip|allow|has|is|with|max|min|num")
"""As the first word, these say that the value is a switch or a number: `REQUIRE_PASSWORD`, `MAX_TOKEN`."""

_NAMES_OF_FILES: Final = frozenset({("google", "application", "credentials")})
"""Well-known names whose value is the path of a file, against their wording."""


def _is_secret_word(words: tuple[str, ...], index: int) -> bool:
    word, before, last = words[index], words[index - 1] if index else "", index == len(words) - 1
    if _ALWAYS.fullmatch(word) or _ALWAYS_AS_ENDING.fullmatch(word):
        return True
    if word in {"key", "keys"} and _BEFORE_KEY.fullmatch(before):
        return True
    if not last:
        return False
    return (word in _AT_THE_END and not _OF_PLAIN_KEYS.fullmatch(before)) or (word in _AT_THE_END_OF_MORE and index > 0)
