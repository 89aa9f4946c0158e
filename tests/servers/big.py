"""A server whose tool `big` returns one text of as many megabytes as asked for, as one line or as many."""

from __future__ import annotations

from wire import Json, serve, text

MEGABYTE = 1_000_000
LINE = "The quick brown fox jumps over the lazy dog, and over the next line as well..."

TOOLS: list[Json] = [
    {
        "name": "big",
        "description": "Return a text of this size",
        "inputSchema": {
            "type": "object",
            "properties": {
                "mb": {"type": "number", "minimum": 0, "description": "Megabytes (1,000,000 bytes)"},
                "lines": {"type": "boolean", "default": False, "description": "Break it into lines of 80 bytes"},
            },
            "required": ["mb"],
        },
    }
]


def call(parameters: Json) -> Json:
    """Return the text: x after x, or numbered lines of 80 bytes with their line break."""
    arguments: Json = parameters["arguments"]
    size = int(arguments["mb"] * MEGABYTE)
    if not arguments.get("lines"):
        return text("x" * size)
    return text("".join(f"{number:<9} {LINE[:69]}\n" for number in range(1, size // 80 + 1)))


if __name__ == "__main__":
    serve(tools=TOOLS, call=call)
