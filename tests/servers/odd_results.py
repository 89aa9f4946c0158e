"""A server whose results are each odd in one way; a host shows them all the same. A tool is named for its oddity."""

from __future__ import annotations

from wire import Json, serve, text

PNG = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg=="
BLOCKS: list[Json] = [
    {"type": "text", "text": "first"},
    {"type": "image", "data": PNG, "mimeType": "image/png"},
    {"type": "audio", "data": "UklGRg==", "mimeType": "audio/wav"},
    {"type": "resource", "resource": {"uri": "case://text", "text": "body", "mimeType": "text/plain"}},
    {"type": "resource", "resource": {"uri": "case://blob", "blob": "AAEC", "mimeType": "application/pdf"}},
    {"type": "resource_link", "uri": "case://linked", "name": "linked", "title": "A linked resource"},
    {"type": "text", "text": "last"},
]
NEEDS_ID: Json = {"type": "object", "properties": {"id": {"type": "integer"}}, "required": ["id"]}
NO_SUCH_TYPE: Json = {"type": "object", "properties": {"id": {"type": "objekt"}}}

RESULTS: dict[str, Json] = {
    "every_block": {"content": BLOCKS},
    "unknown_block": {"content": [{"type": "text", "text": "known"}, {"type": "hologram", "data": "?"}]},
    "resource_link": {"content": [{"type": "resource_link", "uri": "case://linked", "name": "linked"}]},
    "missing_content": {"structuredContent": {"id": 1}},
    "empty": {"content": []},
    "schema_mismatch": text("It was done.", structuredContent={"nope": 1}),
    "schema_without_structured": text("It was done."),
    "bad_schema": text("It was done.", structuredContent={"id": 1}),
    "broken_base64": {"content": [{"type": "image", "data": "%%%", "mimeType": "image/png"}]},
    "fault_with_mismatch": text("It was not done.", structuredContent={"nope": 1}, isError=True),
}
OUTPUT_SCHEMAS = {
    "schema_mismatch": NEEDS_ID,
    "schema_without_structured": NEEDS_ID,
    "fault_with_mismatch": NEEDS_ID,
    "bad_schema": NO_SUCH_TYPE,
}


def tool(name: str) -> Json:
    """A tool's definition, with an output schema where its result has one to break."""
    schema = OUTPUT_SCHEMAS.get(name)
    return {"name": name, "inputSchema": {"type": "object"}, **({"outputSchema": schema} if schema else {})}


if __name__ == "__main__":
    serve(tools=[tool(name) for name in RESULTS], call=lambda parameters: RESULTS[parameters["name"]])
