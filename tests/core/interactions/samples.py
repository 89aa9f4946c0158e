"""What the tests about interactions ask for: one form of every kind, and texts that mean harm."""

from __future__ import annotations

from typing import Final

from mcp_host.core.interactions.requests import ELICITATION, ROOTS, SAMPLING, Asked, InputRequest

EVERY_KIND: Final[dict[str, object]] = {
    "type": "object",
    "properties": {
        "name": {"type": "string", "title": "Name", "description": "Your full name", "minLength": 1, "maxLength": 50},
        "email": {"type": "string", "format": "email", "description": "Where we write to"},
        "page": {"type": "string", "format": "uri", "default": "https://example.com/me"},
        "born": {"type": "string", "format": "date"},
        "since": {"type": "string", "format": "date-time"},
        "age": {"type": "integer", "minimum": 18, "maximum": 120, "default": 30},
        "share": {"type": "number", "minimum": 0, "maximum": 1, "default": 0.5},
        "agree": {"type": "boolean", "default": False},
        "color": {"type": "string", "enum": ["Red", "Green", "Blue"], "default": "Green"},
        "tint": {
            "type": "string",
            "oneOf": [{"const": "#FF0000", "title": "Red"}, {"const": "#00FF00", "title": "Green"}],
        },
        "size": {"type": "string", "enum": ["s", "m"], "enumNames": ["Small", "Medium"]},
        "pets": {
            "type": "array",
            "minItems": 1,
            "maxItems": 2,
            "items": {"type": "string", "enum": ["Cat", "Dog", "Fish"]},
            "default": ["Cat"],
        },
        "tags": {
            "type": "array",
            "items": {"anyOf": [{"const": "a", "title": "First"}, {"const": "b", "title": "Second"}]},
        },
    },
    "required": ["name", "email"],
}

HOSTILE: Final = (
    'x"""\ny = 1\n[z]\n',
    "'''\nevil = true\n'''",
    "# not a comment\nname = 'x'",
    '\\"""\\u0022\\',
    "\r\nkey = 1\r",
    "\x00\x1b[2J\x1b]52;c;cHduZWQ=\x07\x9b6n",
    "\u2028a = 1\u2029\u0085\u202e\u200b\ufeff\U000e0041",
    "half \ud800 a pair",
    "  blanks at the edges  ",
    "\t\t",
    "",
    "=" * 300,
    "語" * 200 + "️☃️",
    "two words " * 400,
)


def form_request(schema: object, *, key: str = "request", message: object = "Please fill this in.") -> InputRequest:
    return InputRequest(key=key, method=ELICITATION, params={"message": message, "requestedSchema": schema})


def url_request(url: object, *, key: str = "visit", message: str = "Please connect your account.") -> InputRequest:
    return InputRequest(key=key, method=ELICITATION, params={"mode": "url", "message": message, "url": url})


def sampling_request(*, key: str = "capital", **params: object) -> InputRequest:
    asked = {"messages": [{"role": "user", "content": {"type": "text", "text": "What is the capital?"}}]}
    return InputRequest(key=key, method=SAMPLING, params={**asked, "maxTokens": 100, **params})


def roots_request(*, key: str = "folders") -> InputRequest:
    return InputRequest(key=key, method=ROOTS)


def asked(*requests: InputRequest) -> Asked:
    return Asked(alias="notes", requests=requests, doing="calling add_contact", tool="add_contact", call="c7")


def fields(**schemas: object) -> dict[str, object]:
    """A form of these fields, none of them required."""
    return {"type": "object", "properties": schemas}
