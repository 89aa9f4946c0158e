"""A server that asks back while a tool runs: forms, an address, a completion, the folders. It says what it got."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from itertools import count
from typing import Any

from wire import Json, send, serve, text

URL = "https://login.example.test/device?code=WDJB-MJHT"
URI = "asks://clock"
ASKING_URI = "asks://door"

TEN_FIELDS: Json = {
    "type": "object",
    "properties": {
        "name": {"type": "string", "title": "Your name", "minLength": 2, "maxLength": 40},
        "email": {"type": "string", "format": "email", "description": "Where the ticket goes"},
        "day": {"type": "string", "format": "date", "title": "Day of departure", "default": "2026-08-01"},
        "seats": {"type": "integer", "title": "Seats", "minimum": 1, "maximum": 8, "default": 1},
        "luggage": {"type": "number", "title": "Luggage in kg", "minimum": 0, "default": 12.5},
        "window": {"type": "boolean", "title": "At the window", "default": True},
        "fare": {"type": "string", "title": "Fare", "enum": ["saver", "flex", "full"], "default": "saver"},
        "meal": {
            "type": "string",
            "title": "Meal",
            "oneOf": [
                {"const": "none", "title": "Nothing"},
                {"const": "veg", "title": "Vegetarian"},
                {"const": "fish", "title": "Fish of the day"},
            ],
        },
        "extras": {
            "type": "array",
            "title": "Extras",
            "items": {"type": "string", "enum": ["bicycle", "dog", "quiet zone"]},
            "maxItems": 2,
        },
        "note": {"type": "string", "title": "Anything else?", "maxLength": 200},
    },
    "required": ["name", "email", "meal"],
}
ONE_FIELD: Json = {
    "type": "object",
    "properties": {"really": {"type": "boolean", "title": "Delete all of it", "default": False}},
    "required": ["really"],
}
COMPLETION: Json = {
    "systemPrompt": "You are terse.",
    "messages": [{"role": "user", "content": {"type": "text", "text": "A word for a wet dog?"}}],
    "maxTokens": 20,
}
QUESTIONS: dict[str, tuple[str, Json]] = {
    "book": ("elicitation/create", {"message": "Some details for your journey.", "requestedSchema": TEN_FIELDS}),
    "wipe": ("elicitation/create", {"message": "This cannot be undone.", "requestedSchema": ONE_FIELD}),
    "sign_in": (
        "elicitation/create",
        {"mode": "url", "message": "Sign in to go on.", "url": URL, "elicitationId": "e-1"},
    ),
    "think": ("sampling/createMessage", COMPLETION),
    "folders": ("roots/list", {}),
}
DEEDS = ("touch", "chat")
TOOLS: list[Json] = [
    {"name": name, "description": f"Ask for {name}", "inputSchema": {"type": "object"}} for name in (*QUESTIONS, *DEEDS)
]

_numbers = count(1)


def ask(method: str, parameters: Json) -> Json:
    """What the client says to a request of ours: its result, or its error; `cancelled` where the call was given up."""
    number = f"ask-{next(_numbers)}"
    send({"id": number, "method": method, "params": parameters})
    for line in iter(sys.stdin.buffer.readline, b""):
        message: Json = json.loads(line)
        if message.get("method") == "notifications/cancelled":
            return {"cancelled": True}
        if "method" in message and "id" in message:
            send({"id": message["id"], "error": {"code": -32000, "message": "one call at a time"}})
        elif message.get("id") == number:
            return {name: message[name] for name in ("result", "error") if name in message}
    sys.exit(0)


def call(parameters: Json) -> Json:
    """Ask what the tool is named for and tell what came of it; or say something unasked."""
    name: str = parameters["name"]
    if name == "touch":
        send({"method": "notifications/resources/updated", "params": {"uri": URI}})
        return text("touched")
    if name == "chat":
        for at in (1, 2):
            told = {"progressToken": parameters["_meta"]["progressToken"], "progress": at, "total": 4, "message": "mm"}
            send({"method": "notifications/progress", "params": told})
        data: dict[str, Any] = {"level": "warning", "logger": "asks", "data": "it rains"}
        send({"method": "notifications/message", "params": data})
        return text("chatted")
    return text(json.dumps(ask(*QUESTIONS[name])))


def read(parameters: Json) -> Json:
    """The clock, which is different each time, or what came of asking before the door is opened."""
    words = json.dumps(ask(*QUESTIONS["wipe"])) if parameters["uri"] == ASKING_URI else str(next(_numbers))
    return {"contents": [{"uri": parameters["uri"], "text": words}]}


HANDLERS: dict[str, Callable[[Json], Json]] = {
    "resources/list": lambda _: {"resources": [{"uri": URI, "name": "clock"}, {"uri": ASKING_URI, "name": "door"}]},
    "resources/templates/list": lambda _: {"resourceTemplates": []},
    "resources/read": read,
    "resources/subscribe": lambda _: {},
    "resources/unsubscribe": lambda _: {},
    "logging/setLevel": lambda _: {},
}


if __name__ == "__main__":
    serve(
        HANDLERS,
        tools=TOOLS,
        call=call,
        initialize={"capabilities": {"tools": {}, "resources": {"subscribe": True}, "logging": {}}},
    )
