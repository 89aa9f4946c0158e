"""What a server offers, one value per thing: tools, resources, resource templates, prompts; and how each is read.

The policy, entry by entry: what could still be called safely is kept. A field that only describes (title,
description, annotations, outputSchema) counts as absent when it is null or of the wrong type. A field that decides
what is sent (a name, a uri, the input schema's own shape) makes the entry malformed: it is then dropped and named,
and never the list with it. `raw` is always the server's own object, untouched: it is what evidence is taken from.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from mcp_host.core.catalog.json_values import MAX_DEPTH, as_array, as_object, as_text, nests_deeper_than


class MalformedEntry(Exception):
    """One listed entry cannot be used: which one, and why in words for a person."""

    def __init__(self, label: str, reason: str) -> None:
        super().__init__(f"{label}: {reason}")
        self.label = label
        self.reason = reason


@dataclass(frozen=True, kw_only=True)
class Tool:
    """One tool as the server listed it. `name` is the raw name: the one that goes on the wire."""

    name: str
    title: str | None = None
    description: str | None = None
    input_schema: Mapping[str, object]
    """The server's schema without the top-level members that are null; still hostile below its top level."""
    output_schema: Mapping[str, object] | None = None
    annotations: Mapping[str, object] = field(default_factory=dict[str, object])
    """Claims of the server (`readOnlyHint` and so on): shown, never trusted as admission."""
    raw: Mapping[str, object] = field(repr=False)


@dataclass(frozen=True, kw_only=True)
class Resource:
    """One resource; a resource without a name goes by its uri."""

    uri: str
    name: str
    title: str | None = None
    description: str | None = None
    mime_type: str | None = None
    raw: Mapping[str, object] = field(repr=False)


@dataclass(frozen=True, kw_only=True)
class ResourceTemplate:
    """One family of resources; `uri_template` is RFC 6570 text that nobody has checked."""

    uri_template: str
    name: str
    title: str | None = None
    description: str | None = None
    mime_type: str | None = None
    raw: Mapping[str, object] = field(repr=False)


@dataclass(frozen=True, kw_only=True)
class PromptArgument:
    """One argument of a prompt; its value is always a string."""

    name: str
    title: str | None = None
    description: str | None = None
    required: bool = False


@dataclass(frozen=True, kw_only=True)
class Prompt:
    """One prompt as the server listed it."""

    name: str
    title: str | None = None
    description: str | None = None
    arguments: tuple[PromptArgument, ...] = ()
    raw: Mapping[str, object] = field(repr=False)


def parse_tool(raw: object, position: int = 1) -> Tool:
    """Read one entry of `tools/list`; `position` (from 1) names it when it has no name of its own.

    Raises:
        MalformedEntry: There is no name to send, or no input schema that arguments could be checked against.
    """
    entry, name = _identified(raw, "name", position)
    return Tool(
        name=name,
        title=as_text(entry.get("title")),
        description=as_text(entry.get("description")),
        input_schema=_input_schema(entry.get("inputSchema"), name),
        output_schema=as_object(entry.get("outputSchema")),
        annotations=as_object(entry.get("annotations")) or {},
        raw=entry,
    )


def parse_resource(raw: object, position: int = 1) -> Resource:
    """Read one entry of `resources/list`.

    Raises:
        MalformedEntry: There is no uri to read.
    """
    entry, uri = _identified(raw, "uri", position)
    return Resource(
        uri=uri,
        name=as_text(entry.get("name")) or uri,
        title=as_text(entry.get("title")),
        description=as_text(entry.get("description")),
        mime_type=as_text(entry.get("mimeType")),
        raw=entry,
    )


def parse_template(raw: object, position: int = 1) -> ResourceTemplate:
    """Read one entry of `resources/templates/list`.

    Raises:
        MalformedEntry: There is no uri template.
    """
    entry, uri_template = _identified(raw, "uriTemplate", position)
    return ResourceTemplate(
        uri_template=uri_template,
        name=as_text(entry.get("name")) or uri_template,
        title=as_text(entry.get("title")),
        description=as_text(entry.get("description")),
        mime_type=as_text(entry.get("mimeType")),
        raw=entry,
    )


def parse_prompt(raw: object, position: int = 1) -> Prompt:
    """Read one entry of `prompts/list`.

    Raises:
        MalformedEntry: There is no name to send, or an argument that nobody could fill in because it has none.
    """
    entry, name = _identified(raw, "name", position)
    return Prompt(
        name=name,
        title=as_text(entry.get("title")),
        description=as_text(entry.get("description")),
        arguments=_prompt_arguments(entry.get("arguments"), name),
        raw=entry,
    )


def _identified(raw: object, key: str, position: int) -> tuple[Mapping[str, object], str]:
    label = f"#{position}"
    entry = as_object(raw)
    if entry is None:
        raise MalformedEntry(label, "is not an object")
    if key not in entry:
        raise MalformedEntry(label, f"has no {key}")
    identifier = as_text(entry[key])
    if identifier is None:
        raise MalformedEntry(label, f"has a {key} that is not a string with text in it")
    if not _can_be_encoded(identifier):
        raise MalformedEntry(label, f"has a {key} that is not valid Unicode, so it cannot be sent back")
    if nests_deeper_than(entry, MAX_DEPTH):
        raise MalformedEntry(identifier, f"is nested more than {MAX_DEPTH} levels deep")
    return entry, identifier


def _can_be_encoded(text: str) -> bool:
    # JSON can spell a lone surrogate (\ud800); UTF-8, and so every transport, cannot.
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


def _input_schema(value: object, name: str) -> Mapping[str, object]:
    schema = as_object(value)
    if schema is None:
        raise MalformedEntry(name, "has no inputSchema" if value is None else "has an inputSchema that is no object")
    if None in schema.values():
        schema = {key: member for key, member in schema.items() if member is not None}
    if "required" in schema and not _is_array_of_texts(schema["required"]):
        raise MalformedEntry(name, "has an inputSchema whose `required` is not a list of names")
    if "properties" in schema and as_object(schema["properties"]) is None:
        raise MalformedEntry(name, "has an inputSchema whose `properties` is not an object")
    if not _admits_objects(schema.get("type", "object")):
        raise MalformedEntry(name, "has an inputSchema whose `type` is not object")
    return schema


def _is_array_of_texts(value: object) -> bool:
    members = as_array(value)
    return members is not None and all(isinstance(member, str) for member in members)


def _admits_objects(kind: object) -> bool:
    return kind == "object" or "object" in (as_array(kind) or ())


def _prompt_arguments(value: object, prompt: str) -> tuple[PromptArgument, ...]:
    arguments: list[PromptArgument] = []
    for position, item in enumerate(as_array(value) or (), start=1):
        argument = as_object(item) or {}
        name = as_text(argument.get("name"))
        if name is None:
            raise MalformedEntry(prompt, f"has an argument (#{position}) without a name")
        arguments.append(
            PromptArgument(
                name=name,
                title=as_text(argument.get("title")),
                description=as_text(argument.get("description")),
                required=argument.get("required") is True,
            )
        )
    return tuple(arguments)
