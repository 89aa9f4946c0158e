"""Whether a text has one of the formats that a form can ask for: `email`, `uri`, `date`, `date-time`.

Each check goes through the text a fixed number of times, whatever is in it. They are no stricter than the standards
that JSON Schema names: what a server does with an address that nobody reads mail at is its own affair.
"""

from __future__ import annotations

import datetime
import re
from collections.abc import Callable, Mapping
from typing import Final


def format_fault(name: object, text: str) -> str | None:
    """What is wrong with the text, to be read after the field's name; None where it fits or nobody knows the format."""
    check = _CHECKS.get(name) if isinstance(name, str) else None
    return check(text) if check is not None else None


_EMAIL_LIMIT: Final = 254
_LOCAL_LIMIT: Final = 64
_LABEL_LIMIT: Final = 63
"""Characters, as mail servers have them (RFC 5321)."""

_LOCAL: Final = re.compile(r"[^\s\"(),:;<>@\[\\\]\x00-\x1f\x7f]+")
_LABEL: Final = re.compile(r"[^\W_](?:[\w-]*[^\W_])?")
_SCHEME: Final = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*:")
_NOT_IN_URI: Final = re.compile(r"[^A-Za-z0-9\-._~:/?#\[\]@!$&'()*+,;=%]")
_BAD_PERCENT: Final = re.compile(r"%(?![0-9A-Fa-f]{2})")
_DATE: Final = re.compile(r"([0-9]{4})-([0-9]{2})-([0-9]{2})")
_MOMENT: Final = re.compile(
    r"([0-9]{4}-[0-9]{2}-[0-9]{2})[Tt]([0-9]{2}):([0-9]{2}):([0-9]{2})(?:\.[0-9]+)?"
    r"(?P<zone>[Zz]|[+-](?P<hours>[0-9]{2}):(?P<minutes>[0-9]{2}))?"
)


def _email_fault(text: str) -> str | None:
    local, at, domain = text.rpartition("@")
    if not at or not local or not domain:
        return "must be an email address such as name@example.com"
    if len(text) > _EMAIL_LIMIT or len(local) > _LOCAL_LIMIT:
        return "is longer than an email address can be"
    if not _is_quoted(local) and not all(_LOCAL.fullmatch(part) for part in local.split(".")):
        return "must be an email address, and what is before its @ is none"
    if not _is_address_literal(domain) and not all(map(_is_label, domain.split("."))):
        return "must be an email address, and what is behind its @ is no domain"
    return None


def _is_quoted(local: str) -> bool:
    inside = local[1:-1]
    return len(local) > 2 and local[0] == local[-1] == '"' and inside.isprintable() and '"' not in inside


def _is_address_literal(domain: str) -> bool:
    return domain.startswith("[") and domain.endswith("]") and " " not in domain and len(domain) > 2


def _is_label(label: str) -> bool:
    return len(label) <= _LABEL_LIMIT and _LABEL.fullmatch(label) is not None


def _uri_fault(text: str) -> str | None:
    scheme = _SCHEME.match(text)
    if scheme is None or scheme.end() == len(text):
        return "must be a full address such as https://example.com/page"
    if _NOT_IN_URI.search(text):
        return "must be an address without blanks; anything but plain letters, digits and signs is written as %XX"
    if _BAD_PERCENT.search(text):
        return "holds a % that two hexadecimal digits should follow"
    return None


def _date_fault(text: str) -> str | None:
    match = _DATE.fullmatch(text)
    if match is None:
        return "must be a date such as 2026-01-31"
    return None if _is_day(match) else "is a day that no calendar has"


def _is_day(match: re.Match[str]) -> bool:
    year, month, day = (int(part) for part in match.groups())
    try:
        datetime.date(year, month, day)
    except ValueError:
        return False
    return True


def _moment_fault(text: str) -> str | None:
    match = _MOMENT.fullmatch(text)
    if match is None:
        return "must be a date with a time such as 2026-01-31T13:45:00Z"
    if match["zone"] is None:
        return "must end in its time zone: Z, or an offset such as +02:00"
    hour, minute, second = int(match[2]), int(match[3]), int(match[4])
    offset = int(match["hours"] or 0), int(match["minutes"] or 0)
    if hour > 23 or minute > 59 or second > 60 or offset[0] > 23 or offset[1] > 59:  # 60 is a leap second
        return "is a time that no clock shows"
    return _date_fault(match[1])


_CHECKS: Final[Mapping[str, Callable[[str], str | None]]] = {
    "email": _email_fault,
    "uri": _uri_fault,
    "date": _date_fault,
    "date-time": _moment_fault,
}
